"""The log of the programs that run for days: bounded, however often something goes wrong.

A stranger who makes the same warning come up a thousand times a second must not fill the disk or wear out the card.
Each place in the code says a few lines in a while; then how many were left out. Must not know what is said.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

WINDOW_S = 60.0
FROM_ONE_PLACE = 20
"""Lines from one place in the code in a window: enough to see what goes on."""
FROM_ALL = 200
"""Lines from all places in a window: 13 kB/s if each is as long as it may be."""
LONGEST = 4000
"""Characters of one record, traceback and all; what is longer loses its middle."""

Place = tuple[str, int]


class Bounded(logging.Filter):
    """Lets a record through, or counts it as left out. `now` gives seconds that only go on."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._until = float("-inf")
        self._said: dict[Place, int] = {}
        self._left_out: dict[Place, int] = {}
        self._all = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Says whether a record is to be written; one that follows others that were not says how many they were."""
        if self._now() >= self._until:
            self._until = self._now() + WINDOW_S
            self._said.clear()
            self._all = 0
        place = (record.pathname, record.lineno)
        said = self._said.get(place, 0)
        if said >= FROM_ONE_PLACE or self._all >= FROM_ALL:
            self._left_out[place] = self._left_out.get(place, 0) + 1
            return False
        self._said[place] = said + 1
        self._all += 1
        if left_out := self._left_out.pop(place, 0):
            record.msg, record.args = f"{record.getMessage()} ({left_out} more like this were left out)", ()
        return True


class Short(logging.Formatter):
    """Writes a record with its middle cut out where it is too long."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the record's text."""
        text = super().format(record)
        if len(text) <= LONGEST:
            return text
        half = LONGEST // 2
        return f"{text[:half]} […{len(text) - 2 * half} characters…] {text[-half:]}"


def set_up_log(level: int) -> None:
    """Sends the log to standard error, bounded; all of it where somebody asked for every detail."""
    handler = logging.StreamHandler(sys.stderr)
    if level > logging.DEBUG:
        handler.addFilter(Bounded())
    handler.setFormatter(Short("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
