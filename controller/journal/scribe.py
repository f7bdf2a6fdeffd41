"""The thread that commits, so that a slow card never holds up a ruling for longer than the patience allows.

Every write gets a receipt. The table waits on it for `patience_s`; durable by then, the ruling goes out as it is;
otherwise it goes out marked `saved: false`, is kept in the spool, and is sealed when the receipt says so. Entries are
committed strictly in order; an entry for which there is no room (disk full, file held) is tried again until there is,
and those behind it wait. One that the journal can never take stays in the spool, and what comes after it is written. A
journal that is taken away, cut short or damaged while it is open is written anew, from what can still be read and from
what this thread knows.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from controller.events.beams import BeamEdge, BeamGap
from controller.events.errors import CarromError, DeviceError, EventError
from controller.journal.file import DamagedError, GoneError
from controller.journal.journal import Entry, Journal, Noted, TakenAt
from controller.journal.mark import CHECK_SCORE, Loss, mark_of, write_mark
from controller.journal.salvage import salvage
from controller.journal.spool import Spool
from controller.supervision.heartbeat import STOP_S, SupervisedThread

log = logging.getLogger(__name__)

PATIENCE_S = 0.3
"""A commit slower than this does not hold back its ruling (design, principle 2)."""

RETRY_S = 0.5
BEAT_S = 1.0
"""At least so often the thread looks up."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Says when a write is durable."""

    future: Future[int]
    entry: Entry | None = None

    def saved_within(self, seconds: float) -> bool:
        """Waits at most so long; True if the write is durable. Raises CarromError if it never will be."""
        try:
            self.future.result(timeout=seconds)
        except NotYet:
            return False
        return True

    def once_saved(self, call: Callable[[], object]) -> None:
        """Calls from the writer's thread when the write is durable (at once if it already is)."""

        def done(future: Future[int]) -> None:
            if not future.cancelled() and future.exception() is None:
                call()

        self.future.add_done_callback(done)


@dataclass(slots=True)
class _Job:
    write: Callable[[], int]
    entry: Entry | None = None
    future: Future[int] = field(default_factory=Future)


class Scribe:
    """Writes a journal from one thread. `start()` before use; `stop()` commits what is waiting, then ends.

    `spool`: where published entries wait that the journal does not have. `patience_s`: how long a ruling may be held
    back. `loss`: is informed if the journal had to be written anew.
    """

    def __init__(
        self,
        journal: Journal,
        spool: Spool | None = None,
        *,
        patience_s: float = PATIENCE_S,
        loss: Loss | None = None,
    ) -> None:
        self.journal = journal
        self.spool = spool or Spool(())
        self.patience_s = patience_s
        self._loss = loss
        self._known: tuple[Entry, ...] = ()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._behind: deque[_Job | None] = deque()
        """What was handed over after an entry that is still being tried."""
        self._stopping = threading.Event()
        self._says = ""
        self._refused = ""
        self._open: dict[tuple[str, int], Entry] = {}
        """Handed over and not durable. What goes into the spool and out of it does so under its guard."""
        self._guard = threading.Lock()
        self.thread = SupervisedThread("scribe", self._work, self._stopping)
        """For supervision."""
        self._started = False

    @property
    def says(self) -> str:
        """Why something is not written; empty while all is well."""
        return self._says or self.journal.waits_for or self._refused

    def start(self) -> None:
        """Starts the thread."""
        self._started = True
        self.thread.start()

    def stop(self, timeout_s: float = STOP_S) -> tuple[Entry, ...]:
        """Writes what is waiting (one try each from now on) and ends the thread.

        Returns the entries that the journal does not have; they are in the spool.
        """
        self._stopping.set()
        self._jobs.put(None)
        self.thread.join(timeout_s)
        return self.rescue()

    def rescue(self) -> tuple[Entry, ...]:
        """Puts everything that the journal does not have into every folder of the spool; returns and names it."""
        with self._guard:
            for entry in self._open.values():
                self._keep(entry)
        left = self.spool.held
        if left:
            files = self.spool.keep_everywhere()
            named = ", ".join(
                f"event {entry.seq} ({entry.event.get('event')}) of match {entry.match}" for entry in left
            )
            where = f"kept in {' and '.join(map(str, files))}, read at the next start" if files else "kept nowhere"
            log.error("told and not in the journal: %s; %s. %s", named, where, self.says)
        return left

    def know(self, entries: Iterable[Entry]) -> None:
        """Has these, which are in the journal, at hand: the match that goes on."""
        with self._guard:
            self._known = tuple(entries)

    def append(
        self,
        match: str,
        seq: int,
        event: Mapping[str, Any],
        ruling: Mapping[str, Any],
        t_unix: float,
        source: str = "",
        noted: Noted | None = None,
    ) -> Receipt:
        """Hands over one entry; see `Journal.append`. It is tried until it is durable."""
        entry = Entry(match, seq, t_unix, source, dict(event), dict(ruling))

        def write() -> int:
            self.journal.append(match, seq, event, ruling, t_unix, source, noted)
            return 1

        with self._guard:
            self._open[match, seq] = entry
        return self._hand_over(_Job(write, entry))

    def store_edges(self, edges: Iterable[BeamEdge | BeamGap], node: str = "pockets") -> Receipt:
        """Hands over beam edges. Tried once: what fails is not acknowledged, and the node sends it again."""
        held = tuple(edges)
        return self._hand_over(_Job(lambda: self.journal.store_edges(held, node)))

    def note_calibration(self, clock: str, t_ns: int, grade: str) -> Receipt:
        """Hands over that vision has another calibration; see `Journal.note_calibration`. Tried once."""
        return self._hand_over(_Job(lambda: self.journal.note_calibration(clock, t_ns, grade)))

    def note_resumed(self, match: str, at: TakenAt) -> Receipt:
        """Hands over that a table goes on with a match; see `Journal.note_resumed`. Tried once."""
        return self._hand_over(_Job(lambda: self.journal.note_resumed(match, at)))

    def saved_or_kept(self, receipt: Receipt) -> bool:
        """Waits as long as a ruling may be held back. True if its entry is durable; otherwise it is in the spool.

        Raises CarromError if the journal will never take it, or if not even the spool does.
        """
        try:
            saved = receipt.saved_within(self.patience_s)
        finally:
            if receipt.entry is not None:
                with self._guard:
                    if (receipt.entry.match, receipt.entry.seq) in self._open:
                        self._keep(receipt.entry)
        return saved

    def _hand_over(self, job: _Job) -> Receipt:
        if not self._started or self._stopping.is_set():
            raise DeviceError(f"{self.journal.path}: the scribe is not running")
        self._jobs.put(job)
        return Receipt(job.future, job.entry)

    # -- the thread

    def _work(self, beat: Callable[[], None]) -> None:
        while True:
            beat()
            try:
                job = self._behind.popleft() if self._behind else self._jobs.get(timeout=BEAT_S)
            except queue.Empty:
                self._look()
                continue
            if job is None:
                return
            self._write(job, beat)

    def _write(self, job: _Job, beat: Callable[[], None]) -> None:
        while True:
            beat()
            try:
                result = job.write()
            except (GoneError, DamagedError) as error:
                # Said at once, and that what is told meanwhile is not saved.
                self._says = str(error)
                stopping = self._stopping.wait(RETRY_S)
                if not self._anew(error):
                    if job.entry is None or stopping:
                        job.future.set_exception(error)
                        return
                    self._turn_away(error)
            except DeviceError as error:
                self._says = str(error)
                if job.entry is None or self._stopping.wait(RETRY_S):
                    job.future.set_exception(error)
                    return
                self._turn_away(error)
            except Exception as error:
                # The journal will never take it: it is kept, said for as long as we run, and the next has its turn.
                self._refuse(job, error)
                return
            else:
                self._says = ""
                self._written(job.entry)
                job.future.set_result(result)
                self._mark(job.entry)
                return

    def _turn_away(self, error: DeviceError | DamagedError) -> None:
        """Whoever waits for something that is tried once does not wait behind an entry: play would hear no beam."""
        with suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None and job.entry is None:
                    job.future.set_exception(error)
                else:
                    self._behind.append(job)

    def _look(self) -> None:
        try:
            self.journal.look()
        except GoneError as error:
            self._says = str(error)
            self._anew(error)

    def _anew(self, trouble: GoneError | DamagedError) -> bool:
        """Writes the journal anew. False where it cannot be: `says` has why."""
        try:
            says = salvage(self.journal, self._known, trouble)
        except CarromError as error:
            self._says = str(error)
            return False
        self._says = ""
        if self._loss is not None:
            self._loss.tell(f"{says}. {CHECK_SCORE}")
        return True

    def _refuse(self, job: _Job, error: Exception) -> None:
        told = error if isinstance(error, CarromError) else EventError(f"{type(error).__name__}: {error}")
        log.error("%s: an entry was refused: %s", self.journal.path, told)
        if job.entry is not None:
            self._refused = f"event {job.entry.seq} of match {job.entry.match} is only in the spool: {told}"
            with self._guard:
                self._keep(job.entry)
                self._open.pop((job.entry.match, job.entry.seq), None)
        job.future.set_exception(told)

    def _written(self, entry: Entry | None) -> None:
        if entry is not None:
            with self._guard:
                known = self._known if self._known and self._known[-1].match == entry.match else ()
                self._known = (*known, entry)
                self._open.pop((entry.match, entry.seq), None)
                self.spool.saved(entry.match, entry.seq)

    def _mark(self, entry: Entry | None) -> None:
        """Notes how far the journal has come; a mark that stays behind does no harm."""
        if entry is None:
            return
        try:
            write_mark(self.journal.path, mark_of(entry))
            if (entry.ruling.get("board") or {}).get("over"):
                self.journal.checkpoint()
        except (OSError, ValueError) as error:
            log.warning("%s: the mark beside it cannot be written: %s", self.journal.path, error)

    def _keep(self, entry: Entry) -> None:
        try:
            self.spool.keep(entry)
        except (DeviceError, ValueError, TypeError, RecursionError) as error:
            self._says = f"{self._says or 'not saved'}; and {error}"
            log.error("event %d of match %s could not be kept: %s", entry.seq, entry.match, error)
