"""Follows the table as an umpire's helper does: over MQTT, from outside. Keeps messages until asked for them."""

from __future__ import annotations

import json
import threading
from collections import deque
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from controller.events.errors import DeviceError
from controller.mqtt.connection import leave

Json = dict[str, Any]
MQTT_5, MQTT_311 = MQTTProtocolVersion.MQTTv5, MQTTProtocolVersion.MQTTv311
VERSIONS = {"": (MQTT_5, MQTT_311), "5": (MQTT_5,), "3.1.1": (MQTT_311,)}
"""What is tried, by what the broker is known to speak."""
HEARD = ("availability", "score", "health", "alert", "umpire/shot", "umpire/ruling", "umpire/alert")
"""Strokes and rulings as the umpire receives them: the demo's umpire answers what is flagged too."""


class Ears:
    """One table's listener. `speaks`: the broker's version of MQTT, empty to find it out; `login`: user and password.

    `words`: how the table was, in order, each as it became so: online, offline, armed, degraded, off.
    """

    def __init__(
        self, host: str, port: int, table: str, speaks: str = "", login: tuple[str, str] | None = None
    ) -> None:
        self._where = (host, port)
        self._versions = VERSIONS[speaks]
        self._login = login
        self._base = f"carrom/{table}"
        self._heard = threading.Condition()
        self._strokes: deque[tuple[Json, Json]] = deque()
        self._alerts: deque[Json] = deque()
        self._rulings: deque[Json] = deque()
        self._shot: Json | None = None
        self.score: Json | None = None
        self.latest: Json | None = None
        self.online = False
        self.armed = "off"
        self.health: Json = {}
        self.words: list[str] = []
        self._client: paho.Client | None = None

    def start(self) -> None:
        """Connects, MQTT 5 or what the broker speaks. Raises DeviceError if there is no broker."""
        for version in self._versions:
            client = self._new_client(version)
            try:
                client.connect(*self._where, keepalive=30)
            except OSError as error:
                where = f"{self._where[0]}:{self._where[1]}"
                raise DeviceError(f"{where}: no broker answers: {error}. Fix: check --broker") from error
            client.loop_start()
            with self._heard:
                if self._heard.wait_for(lambda client=client: client.is_connected(), 3.0):  # type: ignore[misc]
                    self._client = client
                    return
            leave(client)
        raise DeviceError("the broker speaks neither MQTT 5 nor 3.1.1. Fix: name another with --broker")

    def stop(self) -> None:
        """Leaves."""
        if self._client is not None:
            leave(self._client)

    def wait_online(self, seconds: float) -> bool:
        """Waits until the table says `online`; False if it does not in time."""
        with self._heard:
            return self._heard.wait_for(lambda: self.online, seconds)

    def wait_word(self, word: str, since: int, seconds: float) -> bool:
        """Waits until that word is among `words` from the place `since` on; False if it is not in time."""
        with self._heard:
            return self._heard.wait_for(lambda: word in self.words[since:], seconds)

    def stroke(self, seconds: float = 0.0) -> tuple[Json, Json] | None:
        """Returns the next stroke with its ruling, None if there is none (yet)."""
        with self._heard:
            self._heard.wait_for(lambda: bool(self._strokes), seconds)
            return self._strokes.popleft() if self._strokes else None

    def ruling(self, event: str, seconds: float = 0.0) -> Json | None:
        """Returns the next ruling on an event of that kind other than a stroke, None if there is none (yet)."""
        with self._heard:
            self._heard.wait_for(lambda: any(said["event"] == event for said in self._rulings), seconds)
            for said in self._rulings:
                if said["event"] == event:
                    self._rulings.remove(said)
                    return said
            return None

    def alerts(self) -> list[Json]:
        """Returns the alerts since this was last asked."""
        with self._heard:
            told = list(self._alerts)
            self._alerts.clear()
            return told

    def _new_client(self, version: MQTTProtocolVersion) -> paho.Client:
        client = paho.Client(CallbackAPIVersion.VERSION2, protocol=version)
        if self._login is not None:
            client.username_pw_set(*self._login)
        client.on_connect = self._connected
        client.on_message = self._message
        return client

    def _connected(self, client: paho.Client, *_: object) -> None:
        client.subscribe([(f"{self._base}/{name}", 1) for name in HEARD])
        with self._heard:
            self._heard.notify_all()

    def _message(self, _client: paho.Client, _data: object, message: paho.MQTTMessage) -> None:
        name = message.topic.removeprefix(self._base + "/").removeprefix("umpire/")
        with self._heard:
            if name == "availability":
                self.online = message.payload == b"online"
                self.words.append("online" if self.online else "offline")
            else:
                self._take(name, json.loads(message.payload))
            self._heard.notify_all()

    def _take(self, name: str, body: Json) -> None:
        if name == "score":
            self.score = body
        elif name == "health":
            if body["armed"] != self.armed:
                self.words.append(body["armed"])
            self.armed = body["armed"]
            self.health = body
        elif name == "shot":
            self._shot = body
        elif name == "alert":
            self._alerts.append(body)
        elif name == "ruling":
            self.latest = body
            if body["event"] == "shot" and self._shot is not None:
                self._strokes.append((self._shot, body))
                self._shot = None
            elif body["event"] != "shot":
                self._rulings.append(body)
