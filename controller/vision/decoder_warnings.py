"""What native decoders write to standard error themselves, caught while they work.

libjpeg says a line for every damaged picture, past the log and its bounds: a million a day from a camera that sends a
few bytes too many. Nothing but where file descriptor 2 leads decides where it goes, and OpenCV offers no other way. It
leads into a file in memory only while a decoder works, so that all else (an abort, a traceback, a child) is written
where it always is; the log has a descriptor of its own. Must not know pictures.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from controller.events.doors import one_line

log = logging.getLogger(__name__)

STDERR = 2
SELDOM_S = 30.0
MOST_BYTES = 4096
"""Of what was printed at once: the first lines say what it is."""

MOST_EXTRANEOUS = 32
"""Many cameras send up to a few bytes that belong to nothing before a marker; where data are torn it is more."""
_EXTRANEOUS = re.compile(r"Corrupt JPEG data: (\d+) extraneous bytes before marker 0x[0-9a-f]{2}")


@dataclass
class Warned:
    """What the decoder printed: one line, empty if nothing."""

    says: str = ""


class _Catcher:
    """Lends standard error to a file in memory, to any number of threads at a time: who leaves last has the words."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._real = -1
        self._file = -1

    def enter(self) -> None:
        with self._lock:
            self._users += 1
            if self._users > 1:
                return
            try:
                self._real = os.dup(STDERR)
            except OSError:
                # Closed: nothing can be written there anyhow.
                return
            if self._file < 0:
                self._file = os.memfd_create("decoder-warnings")
            os.dup2(self._file, STDERR, inheritable=True)

    def leave(self) -> str:
        with self._lock:
            self._users -= 1
            if self._users or self._real < 0:
                return ""
            os.dup2(self._real, STDERR, inheritable=True)
            os.close(self._real)
            self._real = -1
            if not os.fstat(self._file).st_size:
                return ""
            said = os.pread(self._file, MOST_BYTES, 0)
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            return one_line("; ".join(said.decode(errors="replace").splitlines()))


_catcher = _Catcher()


@contextmanager
def warnings_caught() -> Iterator[Warned]:
    """Catches what native decoders write to standard error within; what it was is there at the end."""
    warned = Warned()
    _catcher.enter()
    try:
        yield warned
    finally:
        warned.says = _catcher.leave()


def harms(says: str) -> bool:
    """Whether a decoder's words tell of a picture that is not whole, or shows what the camera did not see."""
    few = _EXTRANEOUS.fullmatch(says)
    return bool(says) and (few is None or int(few[1]) > MOST_EXTRANEOUS)


class Seldom:
    """Logs what decoders say of damaged pictures, at most twice a minute, and how often it was. `now` in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until = float("-inf")
        self._left_out = 0

    def tell(self, says: str) -> None:
        """Takes what a decoder printed about a picture, if anything."""
        if not says:
            return
        if self._now() < self._until:
            self._left_out += 1
            return
        self._until = self._now() + SELDOM_S
        more = f", and {self._left_out} more since this was said last" if self._left_out else ""
        self._left_out = 0
        if harms(says):
            log.warning("a picture is damaged (%s)%s. Fix: check the cable and the camera", says, more)
        else:
            log.warning("a picture is whole, but not written as it should be (%s)%s", says, more)


tell = Seldom().tell
"""The process's own."""
