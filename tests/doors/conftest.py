"""The doors of a table as other tests open them: a real broker, the real pages of a pretended table."""

from __future__ import annotations

from tests.mqtt.conftest import listen, mosquitto
from tests.web.conftest import client, clock, past, table

__all__ = ["client", "clock", "listen", "mosquitto", "past", "table"]
