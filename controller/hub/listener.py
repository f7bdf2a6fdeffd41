"""The hub's ear at the broker: hands every table's messages on, and comes back when the broker does."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import date

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.hub.tables import PASSING, WANTED
from controller.mqtt.answering import LATE_S, NOWHERE, Answering
from controller.mqtt.broker import Broker
from controller.mqtt.trial import unreachable
from controller.supervision.heartbeat import SupervisedThread

LOOK_S = 0.25
"""How often it is checked whether there is a connection again."""
BEAT_S = 1.0
"""The longest wait for a message."""
ANSWER_S = 3.0
"""So long a node of a cluster may take for its first answer."""
FIX = "start the broker, or set mqtt.host, mqtt.port and mqtt.tls to where and how it is reached"
RETRY_S = (1.0, 1.0, 2.0, 5.0, 10.0)
"""How long it waits for the broker after so many tries in vain."""


class HubListener:
    """Listens to all tables. `heard(topic, payload, retained)`, `found()` (a broker answers; all that it keeps comes
    anew), `lost()`, `reaches(why_not)` (empty while a broker answers) and `passed()` (time has passed: at least once in
    two seconds) are called from paho's thread or the listener's own.

    It speaks 3.1.1, which every broker knows: reading needs no more. It writes nothing.
    """

    def __init__(
        self,
        broker: Broker,
        *,
        heard: Callable[[str, bytes, bool], None],
        found: Callable[[], None],
        lost: Callable[[], None],
        reaches: Callable[[str], object],
        passed: Callable[[], None],
    ) -> None:
        self._nodes = deque(broker.nodes)
        # Some clusters hold an election for each subscription with QoS 1, and answer nothing meanwhile.
        self._qos = 0 if broker.others else 1
        self._found, self._lost, self._reaches, self._passed = found, lost, reaches, passed
        self._refused = ""
        self._answering: Answering | None = None
        self._answered = threading.Event()
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        self._client.connect_timeout = ANSWER_S
        broker.introduce(self._client)
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_unsubscribe = lambda *_: self._answered.set()
        # With somebody told of what waits to be written, paho leaves it to the loop. Otherwise whoever asks writes at
        # once; TLS cannot be written and read by two threads at a time, and corrupts the process's memory.
        self._client.on_socket_register_write = lambda *_: None
        self._client.on_message = lambda _client, _data, message: heard(
            message.topic, bytes(message.payload), message.retain
        )
        # One message that cannot be dealt with is logged, and the next is heard.
        self._client.suppress_exceptions = True
        self._stopping = threading.Event()
        self.thread = SupervisedThread("ear", self._listen, self._stopping)
        self.asking = SupervisedThread("ear's question", self._ask, self._stopping)
        """For supervision: they say what they died of."""

    def start(self) -> None:
        """Starts listening, and trying while there is no broker."""
        self.thread.start()
        self.asking.start()

    def stop(self) -> None:
        """Ends it."""
        self._stopping.set()
        self._client.disconnect()
        self._answered.set()
        self.thread.join()
        self.asking.join()

    def _listen(self, beat: Callable[[], None]) -> None:
        failures = 0
        while not self._stopping.is_set():
            stood = any(not self._stopping.is_set() and self._one_node(beat) for _ in range(len(self._nodes)))
            failures = 0 if stood else failures + 1
            pause_s = RETRY_S[min(failures, len(RETRY_S) - 1)]
            while pause_s > 0 and not self._stopping.wait(min(pause_s, BEAT_S)):
                beat()
                pause_s -= BEAT_S

    def _one_node(self, beat: Callable[[], None]) -> bool:
        """Tries the first node. Returns whether a connection stood; where none does any more another is first now."""
        beat()
        client, node, stood, silent, why = self._client, self._nodes[0], False, False, "no answer. Fix: start it again"
        self._refused = ""
        try:
            client.connect_async(node.host, node.port, keepalive=15)
            client.reconnect()
            began = time.monotonic()
            while not (self._stopping.is_set() or silent) and client.loop(BEAT_S) == paho.MQTT_ERR_SUCCESS:
                beat()
                answering, now = self._answering, time.monotonic()
                stood = stood or answering is not None
                silent = len(self._nodes) > 1 and (
                    answering.gone(now) if answering is not None else now - began >= ANSWER_S
                )
            client.disconnect()
            client.loop_write()
        except (OSError, ValueError) as error:  # Nobody is there, or nobody of that name.
            why = unreachable(node, error, f"{date.today()}", FIX)
        if not stood and not self._stopping.is_set():
            self._reaches(f"{node.where}: {self._refused or why}")
        if silent or not stood:
            self._nodes.rotate(-1)
        return stood

    def _on_connect(self, client: paho.Client, _data: object, _flags: object, reason: object, _more: object) -> None:
        if getattr(reason, "is_failure", False):
            self._refused = f"it does not want the hub: {reason}. Fix: set mqtt.user and mqtt.password_file"
            return
        self._answering = Answering(time.monotonic())
        self._reaches("")
        self._hear_all()

    def _on_disconnect(self, *_: object) -> None:
        self._answering = None
        self._lost()

    def _hear_all(self) -> None:
        self._found()
        self._client.subscribe([(topic, 0 if topic in PASSING else self._qos) for topic in WANTED])

    def _ask(self, beat: Callable[[], None]) -> None:
        """A broker that is frozen keeps the connection and says nothing: where no answer comes it is lost."""
        silent = False
        while not self._stopping.is_set():
            beat()
            answering, now = self._answering, time.monotonic()
            self._passed()
            if answering is None:
                silent = False
                self._answered.wait(LOOK_S)
                self._answered.clear()
                continue
            if answering.asks(now):
                self._answered.clear()
                self._client.unsubscribe(NOWHERE)
            if answering.silent(now) and not silent:
                silent = True
                self._reaches(f"{self._nodes[0].where}: no answer for {LATE_S} s. Fix: start it again")
                self._lost()
            if self._answered.wait(answering.wait_s(now)) and not self._stopping.is_set():
                self._answered.clear()
                answering.answered(time.monotonic())
                if silent:
                    silent = False
                    self._reaches("")
                    self._hear_all()
