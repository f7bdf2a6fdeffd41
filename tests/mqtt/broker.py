"""A real mosquitto on a free port, and a listener that remembers what it heard and can be waited on."""

from __future__ import annotations

import json
import random
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from controller.mqtt.connection import leave
from tests.patience import PATIENCE_S

MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


def free_port() -> int:
    """A port that nobody listens on, below those that the kernel hands out: who is killed finds it free when he is
    back. By the system's own chance, so that tests side by side do not choose the same.
    """
    chance = random.SystemRandom()
    while True:
        port = chance.randrange(20_000, 32_768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


class Mosquitto:
    """A broker that can be killed and comes back on the same port, without what it had retained."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.port = free_port()
        self.file = folder / "mosquitto.conf"
        lines = [
            "set_tcp_nodelay true",
            f"listener {self.port} 127.0.0.1",
            "persistence false",
            "user root",
            "log_dest stderr",
        ]
        lines += settings or ["allow_anonymous true"]
        self.file.write_text("\n".join(lines) + "\n")
        self.child: subprocess.Popen[str] | None = None

    def start(self) -> Mosquitto:
        self.child = subprocess.Popen([MOSQUITTO, "-c", self.file], stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.child.stderr:
            said.append(line)
            if line.rstrip().endswith("running"):
                # Its log must be read on, or it stops when the pipe is full.
                threading.Thread(target=self.child.stderr.read, daemon=True).start()
                return self
        raise AssertionError("".join(said))

    def freeze(self) -> None:
        """It keeps its connections and says nothing."""
        self.child.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.child.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.wait()
            self.child = None


class Listener:
    """A subscriber. `heard`: (topic, text, retained) in order of arrival."""

    def __init__(
        self, port: int, *topics: str, version: int = 5, user: str = "", password: str = "", host="127.0.0.1", tls=None
    ) -> None:
        self.heard: list[tuple[str, str, bool]] = []
        self.acks: dict[int, str] = {}
        self.said = threading.Condition()
        self.ready = False
        self.client = paho.Client(CallbackAPIVersion.VERSION2, protocol=version)
        if user:
            self.client.username_pw_set(user, password)
        if tls is not None:
            self.client.tls_set_context(tls)
        self.client.reconnect_delay_set(1, 1)
        # Otherwise every answer waits 40 ms for a packet to travel with.
        self.client.on_socket_open = lambda _c, _d, link: link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client.on_connect = lambda *_: self.client.subscribe([(topic, 1) for topic in topics])
        self.client.on_subscribe = lambda *_: self._note("ready", True)
        self.client.on_message = self._on_message
        self.client.on_publish = lambda _c, _d, mid, reason, _p: self._note("acks", {**self.acks, mid: str(reason)})
        self.client.connect(host, port, 60)
        self.client.loop_start()
        self.wait(lambda: self.ready, "the subscription")

    def _note(self, name, value):
        with self.said:
            setattr(self, name, value)
            self.said.notify_all()

    def _on_message(self, _client, _data, message):
        with self.said:
            self.heard.append((message.topic, message.payload.decode(errors="replace"), bool(message.retain)))
            self.last_properties = message.properties
            self.said.notify_all()

    def wait(self, condition, what="something"):
        with self.said:
            assert self.said.wait_for(condition, PATIENCE_S), f"waited in vain for {what}; heard {self.heard[-20:]}"

    def texts(self, topic: str) -> list[str]:
        return [text for name, text, _ in self.heard if name == topic]

    def wait_for(self, topic: str, text: str | None = None, times: int = 1) -> str:
        def there() -> bool:
            return sum(text in (None, said) for said in self.texts(topic)) >= times

        self.wait(there, f"{topic} {text or ''}")
        return self.texts(topic)[-1]

    def publish(self, topic: str, body, *, retain=False, reply=None, correlation=None) -> str:
        """Publishes with QoS 1 and returns the broker's word on it."""
        properties = Properties(PacketTypes.PUBLISH)
        if reply:
            properties.ResponseTopic = reply
        if correlation:
            properties.CorrelationData = correlation
        payload = body if isinstance(body, bytes | str) else json.dumps(body)
        five = self.client.protocol == 5
        info = self.client.publish(topic, payload, 1, retain, properties if five else None)
        self.wait(lambda: info.mid in self.acks, f"the acknowledgement of {topic}")
        return self.acks[info.mid]

    def close(self) -> None:
        leave(self.client)
