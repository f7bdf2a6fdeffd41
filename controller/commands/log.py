"""The log of the programs that run for days: an event a line, in fields, and bounded whatever goes wrong how often.

A line is `level=warning part=table.desk.desk says="…"`, with `trace="…"` where something was raised: what a program can
read and a person, too. The service manager adds the time. A stranger who makes the same warning come up a thousand
times a second must not fill the disk or wear out the card: each place in the code says a few lines in a while; then
how many were left out. Must not know what is logged.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from collections.abc import Callable

from controller.events.doors import one_line

WINDOW_S = 60.0
FROM_ONE_PLACE = 20
"""Lines from one place in the code in a window: enough to see what goes on."""
FROM_ALL = 200
"""Lines from all places in a window: 27 kB/s if each is as long as it may be, traceback and all."""
LONGEST = 4000
"""Characters of one field; what is longer loses its middle."""

OURS = "controller."
FOLD = " ⏎ "
"""Stands for a line's end within a field."""
URGENCY = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}
"""The journal's priorities (sd-daemon(3)): `journalctl -p warning` finds what it should."""

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


class Fields(logging.Formatter):
    """Writes a record as fields on one line, each value shortened in its middle where it is too long.

    `urgency`: begins the line with the journal's priority, for a service manager that reads it.
    """

    def __init__(self, *, urgency: bool = False) -> None:
        super().__init__()
        self._urgency = urgency

    def format(self, record: logging.LogRecord) -> str:
        """Returns the record's line."""
        part = record.name.removeprefix(OURS)
        line = f"level={record.levelname.lower()} part={part} says={_field(record.getMessage())}"
        if record.exc_info:
            line += f" trace={_field(self.formatException(record.exc_info))}"
        return f"<{URGENCY.get(record.levelno, 6)}>{line}" if self._urgency else line


def _field(text: str) -> str:
    folded = FOLD.join(one_line(line) for line in text.splitlines())
    if len(folded) > LONGEST:
        half = LONGEST // 2
        folded = f"{folded[:half]} […{len(folded) - 2 * half} characters…] {folded[-half:]}"
    quoted = folded.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def set_up_log(level: int) -> None:
    """Sends the log to standard error, bounded; all of it where somebody asked for every detail."""
    stream = sys.stderr
    # A descriptor of its own: number 2 is lent to native decoders while they work (vision/decoder_warnings.py).
    with contextlib.suppress(OSError):
        stream = os.fdopen(os.dup(sys.stderr.fileno()), "w", buffering=1, errors="backslashreplace")
    handler = logging.StreamHandler(stream)
    if level > logging.DEBUG:
        handler.addFilter(Bounded())
    # Set by systemd where standard error is its journal (systemd.exec(5)).
    handler.setFormatter(Fields(urgency="JOURNAL_STREAM" in os.environ))
    logging.basicConfig(level=level, handlers=[handler])
