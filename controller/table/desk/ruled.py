"""How a desk rules: an event goes to the umpire, is written down and told; then the clock, what is expected and the
alerts follow. Knows the order of these things and no detail of any of them; what is seen and felt comes from `desk`.
"""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from collections import deque
from dataclasses import replace
from typing import Any

from calibration.board import Board
from controller import shots
from controller.events.beams import BeamEdge
from controller.events.errors import CarromError
from controller.journal.journal import Noted
from controller.journal.mark import Loss
from controller.journal.scribe import Receipt, Scribe
from controller.mqtt.payloads import Level
from controller.shots import outputs
from controller.table.desk.shown import Published, Shown, TableNames
from controller.table.evidence.case import Case, Tape
from controller.table.evidence.keeping import Keeping
from controller.table.evidence.of_stroke import bundle_of
from controller.table.evidence.store import EvidenceShelf
from controller.table.machine.clock import NowNs
from controller.table.machine.health import Health
from controller.table.match.agreement import noted
from controller.table.match.ruled_strokes import PERSON, RuledStrokes, is_read_from_edges
from controller.table.match.umpire import Json, Taken, Umpire

log = logging.getLogger(__name__)

PUTS_RIGHT = ("start", "set")
"""What a person says of how it stands: from there on nothing is missing."""

KEPT_EDGES = 400
"""Edges kept at hand for the evidence of a stroke."""


class Ruled(Shown):
    """The half of a desk that rules. `reading`: how far strokes are read; `tape`: what was seen and felt of late."""

    def __init__(
        self,
        umpire: Umpire,
        scribe: Scribe,
        shelf: EvidenceShelf,
        now_ns: NowNs,
        names: TableNames,
        health: Health,
        board: Board,
        loss: Loss | None,
    ) -> None:
        super().__init__(umpire, shelf, now_ns, names, health, board)
        self.scribe = scribe
        self._loss = loss
        self.reading = shots.begin(self.board)
        self.tape = Tape()
        self._began_ns: int | None = None
        self._edges: deque[BeamEdge] = deque(maxlen=KEPT_EDGES)
        self.keeping = Keeping(shelf, self._kept)

    @abstractmethod
    async def _step(self, seen: shots.Input) -> None:
        """Reads on, with one thing more that was seen, felt or is to be expected."""

    async def rule(
        self,
        what: Any,
        source: str,
        evidence: outputs.Evidence | None = None,
        t_ns: int | None = None,
        about: int | None = None,
    ) -> Taken | Json:
        """Rules on an event, writes it down and tells it. Returns what was taken or the error.

        `t_ns`: when what it says came to its end; `about`: the stroke that it changes.
        """
        person = source.startswith(PERSON)
        before = {question.ask for question in self.umpire.questions()}
        taken = self.umpire.take(what)
        if not isinstance(taken, Taken):
            log.warning("refused: %s", taken)
            if not person:
                self._was_refused(taken, evidence)
            return taken
        at = self._unix()
        self.refused = None
        if taken.starts:
            self._open_match(self.names.match(at))
        if person:
            about = self.strokes.said_by_person(taken.event, taken.seq)
        # Written first of all: nothing may come between the ruling and its place in the journal.
        receipt = self.scribe.append(
            self.match, taken.seq, taken.event, taken.ruling, at, source, self._noted(taken, source)
        )
        await self._tell(taken, at, receipt)
        if person and taken.event["event"] in PUTS_RIGHT and self._loss is not None:
            self._loss.put_right()
            self._set_health(replace(self.health, lost=""))
        fresh = any(question.ask not in before for question in self.umpire.questions())
        if evidence is not None and (fresh or taken.ruling.get("fouls") or noted(taken.ruling)):
            self._keep(about or taken.seq, evidence)
        elif person and about is not None and (recent := self.strokes.evidence(about)) is not None:
            self._keep(about, recent)
        await self._settle(taken, t_ns)
        return taken

    def _missing(self, says: str) -> None:
        """Something of the journal is missing: said until a person has put it right."""
        if self._loss is not None:
            self._loss.tell(says)
            self._set_health(replace(self.health, lost=self._loss.says))

    def _noted(self, taken: Taken, source: str) -> Noted | None:
        if not self.names.clock:
            return None
        if taken.starts:
            return Noted("began", self.names.clock, self.now_ns())
        if is_read_from_edges(source, taken.event):
            return Noted("read", self.names.clock, self.reading.settled_until_ns)
        return None

    async def _tell(self, taken: Taken, at: float, receipt: Receipt) -> None:
        loop = asyncio.get_running_loop()
        try:
            saved = await loop.run_in_executor(None, self.scribe.saved_or_kept, receipt)
        except CarromError as error:
            # Play goes on without a journal: what is ruled is told, and that it is not saved.
            saved = False
            self._set_health(replace(self.health, journal=str(error)))
        if not saved and self.scribe.says:
            self._set_health(replace(self.health, journal=self.scribe.says))
        self.history.append(Published(at, taken.event, taken.ruling))
        told = taken.published(saved=saved)
        if not saved:
            self.unsaved.add(taken.seq)
            match = self.match

            def durable() -> None:
                loop.call_soon_threadsafe(self._sealed, match, taken, at)

            receipt.once_saved(durable)
        if taken.event["event"] == "shot":
            self.outlets.shot(taken.event, at)
        self.outlets.ruling(told, at)
        for foul in told.get("fouls", ()):
            level: Level = "foul" if foul["status"] == "ruled" else "ask"
            self._alert("foul", level, foul["says"], t=at, clause=foul["clause"], seat=told.get("seat"))

    def _sealed(self, match: str, taken: Taken, at: float) -> None:
        if match == self.match:
            self.unsaved.discard(taken.seq)
        self.outlets.ruling(taken.published(saved=True), at)

    def _open_match(self, name: str) -> None:
        self.match = name
        self.history.clear()
        self.mismatches.clear()
        self.unsaved.clear()
        self.tracks = []
        until_ns, self.strokes = self.strokes.until_ns, RuledStrokes()
        self.strokes.until_ns = until_ns
        self.clock.stopped()
        self.reading = shots.restart(self.reading, self.now_ns())

    async def _settle(self, taken: Taken | None, t_ns: int | None = None) -> None:
        """After every ruling: the clock, what shots should expect now, and the alerts that hold no more."""
        expected = self.umpire.expectation()
        if taken is not None and expected is not None:
            self.clock.ruled(
                taken,
                self.history[-2].ruling if len(self.history) > 1 else None,
                expected,
                self.now_ns() if t_ns is None else t_ns,
                limit_s=self.umpire.stroke_seconds(),
                sees=self.health.camera_works is not False,
            )
        await self._expect()
        self.refresh()

    async def _expect(self) -> None:
        """Tells the shots package what to expect, and since when the stroke's time runs."""
        expected = self.umpire.expectation()
        self._began_ns = self.clock.clock.since_ns
        if expected is not None:
            await self._step(replace(expected, turn_began_ns=self._began_ns))

    def _until_saved(self, receipt: Receipt) -> None:
        loop, entry = asyncio.get_running_loop(), receipt.entry
        if entry is None:
            return

        def sealed() -> None:
            if entry.match == self.match:
                self.unsaved.discard(entry.seq)
                self.outlets.ruling(entry.ruling | {"saved": True}, entry.t_unix)

        self.unsaved.add(entry.seq)
        receipt.once_saved(lambda: loop.call_soon_threadsafe(sealed))

    def _keep(self, seq: int, evidence: outputs.Evidence) -> None:
        before = [told.event for told in self.history[: seq - 1]]
        rows, now = self.tape.rows(evidence.began_ns), self.reading
        case = Case(evidence.began_ns or 0, now.start_ns, now.board, rows, tuple(before)) if rows else None
        bundle = bundle_of(self.evidence_key(seq), evidence, self._edges, before, case)
        if bundle is not None:
            self.keeping.begin(bundle)

    def _kept(self, trouble: str) -> None:
        if trouble:
            self._alert("evidence", "fault", trouble)
        self.refresh()
