"""A table that is alive to whoever listens."""

from __future__ import annotations

import contextlib
import threading
import time

from controller.mqtt.payloads import Health


@contextlib.contextmanager
def beating(client):
    """The table's health goes out, as from a daemon."""
    done = threading.Event()

    def beat():
        while not done.wait(0.5):
            client.publish_health(Health(time.time(), "armed", "ok", "ok", "up", "ok"))

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
