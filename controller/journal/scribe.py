"""The thread that commits, so that a slow card never holds up a ruling for longer than the patience allows.

Every write gets a receipt. The table waits on it for `PATIENCE_S`; durable by then, the ruling goes out as it is;
otherwise it goes out marked `saved: false` and is sealed when the receipt says so. Entries are committed strictly in
order; an entry that cannot be written (disk full, file held) is tried again until it can, and those behind it wait.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from typing import Any

from controller.events.beams import BeamEdge, BeamGap
from controller.events.errors import CarromError, DeviceError
from controller.journal.journal import Journal

PATIENCE_S = 0.3
"""A commit slower than this does not hold back its ruling (design, principle 2)."""

RETRY_S = 0.5


@dataclass(frozen=True, slots=True)
class Receipt:
    """Says when a write is durable."""

    future: Future[int]

    def saved_within(self, seconds: float = PATIENCE_S) -> bool:
        """Waits at most so long; True if the write is durable. Raises CarromError if it never will be."""
        try:
            self.future.result(timeout=seconds)
        except NotYet:
            return False
        return True

    def once_saved(self, call: Callable[[], None]) -> None:
        """Calls from the scribe's thread when the write is durable (at once if it already is)."""
        self.future.add_done_callback(
            lambda done: call() if not done.cancelled() and done.exception() is None else None
        )


@dataclass(slots=True)
class _Job:
    write: Callable[[], int]
    again: bool
    future: Future[int] = field(default_factory=Future)


class Scribe:
    """Writes a journal from one thread. `start()` before use; `stop()` commits what is waiting, then ends."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._says = ""

    @property
    def says(self) -> str:
        """Why nothing can be written at the moment; empty while all is well."""
        return self._says

    def start(self) -> None:
        """Starts the thread."""
        self._thread = threading.Thread(target=self._work, name="scribe", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Writes what is waiting (one try each from now on) and ends the thread."""
        self._stopping.set()
        self._jobs.put(None)
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def append(
        self,
        match: str,
        seq: int,
        event: Mapping[str, Any],
        ruling: Mapping[str, Any],
        t_unix: float,
        source: str = "",
    ) -> Receipt:
        """Hands over one entry; see `Journal.append`. It is tried until it is durable."""

        def write() -> int:
            self.journal.append(match, seq, event, ruling, t_unix, source)
            return 1

        return self._hand_over(_Job(write, again=True))

    def store_edges(self, edges: Iterable[BeamEdge | BeamGap], node: str = "pockets") -> Receipt:
        """Hands over beam edges. Tried once: what fails is not acknowledged, and the node sends it again."""
        held = tuple(edges)
        return self._hand_over(_Job(lambda: self.journal.store_edges(held, node), again=False))

    def _hand_over(self, job: _Job) -> Receipt:
        if self._thread is None or self._stopping.is_set():
            raise DeviceError(f"{self.journal.path}: the scribe is not running")
        self._jobs.put(job)
        return Receipt(job.future)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._write(job)

    def _write(self, job: _Job) -> None:
        while True:
            try:
                result = job.write()
            except DeviceError as error:
                self._says = str(error)
                if not job.again or self._stopping.wait(RETRY_S):
                    job.future.set_exception(error)
                    return
            except CarromError as error:
                job.future.set_exception(error)
                return
            else:
                self._says = ""
                job.future.set_result(result)
                return
