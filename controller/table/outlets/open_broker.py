"""Notices a broker on which anybody may write: tried beside the work, after a connect. Must not know what is done."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from controller.mqtt.broker import Broker
from controller.mqtt.trial import in_words, written_by_anybody

log = logging.getLogger(__name__)

AGAIN_S = 600.0
"""A broker that comes and goes is tried so often at most."""


class OpenBroker:
    """`found(says)` is called, from a thread, with what is wrong; empty if nothing is."""

    def __init__(self, broker: Broker, table: str, found: Callable[[str], None]) -> None:
        self._broker, self._table, self._found = broker, table, found
        self._next = float("-inf")

    def look(self, where: str) -> None:
        """Tries its node at this address, if none was tried just now; returns at once."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + AGAIN_S
        node = next(one for one in self._broker.nodes if one.where == where)
        threading.Thread(target=self._try, args=(node,), name="open-broker", daemon=True).start()

    def _try(self, node: Broker) -> None:
        try:
            written = written_by_anybody(node, self._table)
        except (OSError, ValueError) as error:
            log.warning("whether anybody may write on the broker could not be tried: %s", error)
            self._next = float("-inf")
            return
        says = in_words(written) if written else ""
        if says:
            log.warning("%s", says)
        self._found(says)
