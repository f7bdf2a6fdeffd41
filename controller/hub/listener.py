"""The hub's ear at the broker: hands every table's messages on, and comes back when the broker does."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.hub.tables import WANTED
from controller.mqtt.broker import Broker
from controller.supervision.heartbeat import SupervisedThread

log = logging.getLogger(__name__)


class HubListener:
    """Listens to all tables. `heard(topic, payload)` and `lost()` are called from paho's thread.

    It speaks 3.1.1, which every broker knows: reading needs no more. It writes nothing.
    """

    def __init__(
        self,
        broker: Broker,
        *,
        heard: Callable[[str, bytes], None],
        lost: Callable[[], None],
    ) -> None:
        self._where = (broker.host, broker.port)
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        broker.introduce(self._client)
        self._client.reconnect_delay_set(1, 10)
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = lambda *_: lost()
        self._client.on_message = lambda _client, _data, message: heard(message.topic, bytes(message.payload))
        # One message that cannot be dealt with is logged, and the next is heard.
        self._client.suppress_exceptions = True
        self._stopping = threading.Event()
        self.thread = SupervisedThread("ear", self._listen, self._stopping)
        """For supervision: it says what it died of."""

    def start(self) -> None:
        """Starts listening, and trying while there is no broker."""
        self._client.connect_async(*self._where, keepalive=15)
        self.thread.start()

    def stop(self) -> None:
        """Ends it."""
        self._stopping.set()
        self._client.disconnect()
        self.thread.join()

    def _listen(self, _beat: Callable[[], None]) -> None:
        self._client.loop_forever(retry_first_connection=True)

    def _on_connect(self, client: paho.Client, _data: object, _flags: object, reason: object, _more: object) -> None:
        if getattr(reason, "is_failure", False):
            log.warning("the broker does not want the hub: %s", reason)
            return
        client.subscribe([(topic, 1) for topic in WANTED])
