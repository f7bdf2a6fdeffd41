"""A table that is alive to whoever listens."""

from __future__ import annotations

import time

from controller.mqtt.payloads import Health
from tests.repeated import repeated


def beating(client):
    """The table's health goes out, as from a daemon."""
    return repeated(lambda: client.publish_health(Health(time.time(), "armed", "ok", "ok", "up", "ok")), 0.5)
