from __future__ import annotations

from tests.mqtt.made_broker import broker

__all__ = ["broker"]
