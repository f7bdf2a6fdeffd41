"""How a table rules: an event goes to the umpire, is written down and published; what was read of the board is put into
events here. Knows the order of these things and no detail of any of them, nor what is to be done after a ruling.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from controller.events.codec import event_to_json
from controller.events.errors import CarromError
from controller.events.match import Correct
from controller.events.ruling import Refusal
from controller.journal.journal import Entry, Noted
from controller.journal.mark import Loss
from controller.journal.scribe import Receipt, Scribe
from controller.shots import outputs
from controller.table.desk.reader import Reader
from controller.table.desk.shown import Shown
from controller.table.evidence.keeping import Keeping
from controller.table.match.agreement import noted
from controller.table.match.ruled_match import Taken
from controller.table.match.ruled_strokes import PERSON, RuledStrokes, is_read_from_edges, same_but_for_times, source_of
from controller.table.match.umpire import Umpire

log = logging.getLogger(__name__)

LATEST_KEPT = 10
"""So many strokes that nobody doubts are kept for whoever challenges one, and for the talk after it."""
PUTS_RIGHT = ("start", "set")
"""What a person says of how it stands: from there on nothing is missing."""


class Rulings:
    """The rulings of one table. `strokes`: those of the match that have been ruled on."""

    def __init__(
        self, umpire: Umpire, scribe: Scribe, loss: Loss | None, shown: Shown, reader: Reader, keeping: Keeping
    ) -> None:
        self._umpire, self._scribe, self._loss = umpire, scribe, loss
        self._shown, self._reader, self._keeping = shown, reader, keeping
        self.strokes = RuledStrokes()
        self._passing: OrderedDict[str, None] = OrderedDict()

    async def read(self, said: outputs.Output) -> bool:
        """Takes what was read: rules on it, or has it shown. Returns whether it was ruled on."""
        match said:
            case outputs.ShotRead():
                return await self._stroke(said)
            case outputs.DropRead():
                # A piece that may be another is not guessed: the engine asks if it matters.
                drop = said.drop if len(said.choices) < 2 else replace(said.drop, piece="unknown")
                return isinstance(await self.rule(drop, "eyes", said.evidence, said.t_ns), Taken)
            case outputs.PlacedRead():
                return isinstance(await self.rule(said.placed, "eyes", t_ns=said.t_ns), Taken)
            case outputs.SeenRead():
                return isinstance(await self.rule(said.seen, "eyes"), Taken)
            case outputs.Ready():
                opens = self._umpire.next_board()
                return opens is not None and isinstance(await self.rule(opens, "eyes", t_ns=said.t_ns), Taken)
        self._shown.noticed(said)
        return False

    async def _stroke(self, read: outputs.ShotRead) -> bool:
        self._reader.cut(read)
        source, shot = source_of(read.began_ns), event_to_json(read.shot)
        earlier = self.strokes.part_of(read) if read.revises is None else self.strokes.seq(read.revises)
        if earlier is None:
            taken = await self.rule(read.shot, source, read.evidence, read.t_ns)
            if isinstance(taken, Taken):
                self.strokes.ruled(read.began_ns, taken.seq, read.evidence)
                self._shown.health_now(latency_s=self._reader.lag_s(read))
                return True
            if self._umpire.holds_strokes():
                self.strokes.waits(read)
        elif self.strokes.is_a_persons(earlier):
            # What a person has said of a stroke stands, whatever comes to light later.
            says = f"beams say late that stroke {earlier} was otherwise: look at it"
            self._shown.alert(f"late-{earlier}", "warning", says, umpires=True)
        elif not same_but_for_times(self._umpire.event(earlier), shot):
            correct = Correct(earlier, shot)
            return isinstance(await self.rule(correct, source, read.evidence, read.t_ns, about=earlier), Taken)
        return False

    async def rule(
        self,
        what: Any,
        source: str,
        evidence: outputs.Evidence | None = None,
        t_ns: int | None = None,
        about: int | None = None,
    ) -> Taken | Refusal:
        """Rules on an event, writes it down and tells it. Returns what was taken, or why it was not.

        `t_ns`: when what it says came to its end; `about`: the stroke that it changes.
        """
        shown, person = self._shown, source.startswith(PERSON)
        before = {question.ask for question in self._umpire.questions()}
        taken = self._umpire.take(what)
        if not isinstance(taken, Taken):
            log.warning("refused: %s", taken)
            if not person:
                shown.refuse(taken, evidence)
            return taken
        now_ns = shown.now_ns()
        at = shown.wall.unix_of(now_ns)
        shown.refused = None
        if taken.starts:
            shown.open_match(shown.names.match(at))
            self.strokes = RuledStrokes(self.strokes.until_ns)
            self._reader.restart(now_ns)
        if person:
            about = self.strokes.said_by_person(taken.event, taken.seq)
        # Written first of all: nothing may come between the ruling and its place in the journal.
        receipt = self._scribe.append(
            shown.match, taken.seq, taken.event, taken.ruling, at, source, self._noted(taken, source, now_ns)
        )
        shown.round_goes_on(taken, now_ns)
        saved = await self._saved(receipt)
        if not saved:
            self.until_saved(receipt)
        shown.tell(Entry(shown.match, taken.seq, at, source, taken.event, taken.ruling), saved=saved)
        if person and taken.event["event"] in PUTS_RIGHT and self._loss is not None:
            self._loss.put_right()
            shown.health_now(lost="")
        fresh = any(question.ask not in before for question in self._umpire.questions())
        if evidence is not None:
            doubted = bool(fresh or taken.ruling.get("fouls") or noted(taken.ruling))
            self._keep(about or taken.seq, evidence, doubted=doubted)
        elif person and about is not None and (recent := self.strokes.evidence(about)) is not None:
            self._keep(about, recent, doubted=True)
        shown.time_goes_on(shown.now_ns() if t_ns is None else t_ns)
        return taken

    def missing(self, says: str) -> None:
        """Something of the journal is missing: an alert until a person has put it right."""
        if self._loss is not None:
            self._loss.tell(says)
            self._shown.health_now(lost=self._loss.says)

    def until_saved(self, receipt: Receipt) -> None:
        """Has an entry that was published unsaved be published again once it is in the journal."""
        loop, entry = asyncio.get_running_loop(), receipt.entry
        if entry is not None:
            self._shown.unsaved.add(entry.seq)
            receipt.once_saved(lambda: loop.call_soon_threadsafe(self._shown.saved, entry))

    async def _saved(self, receipt: Receipt) -> bool:
        try:
            saved = await asyncio.get_running_loop().run_in_executor(None, self._scribe.saved_or_kept, receipt)
        except CarromError as error:
            # Play goes on without a journal: what is ruled is told, and that it is not saved.
            saved = False
            self._shown.health_now(journal=str(error))
        if not saved and self._scribe.says:
            self._shown.health_now(journal=self._scribe.says)
        return saved

    def _noted(self, taken: Taken, source: str, now_ns: int) -> Noted | None:
        clock = self._shown.names.clock
        if not clock:
            return None
        if is_read_from_edges(source, taken.event):
            return Noted("read", clock, self._reader.state.settled_until_ns, now_ns)
        return Noted("began" if taken.starts else "taken", clock, now_ns, now_ns)

    def _keep(self, seq: int, evidence: outputs.Evidence, *, doubted: bool) -> None:
        """Keeps a stroke that is doubted; where a match has challenges any other too, until ten more have come."""
        now = self._umpire.standing()
        if not doubted and not (now is not None and now.policy["challenges"]):
            return
        before = [told.event for told in self._shown.history[: seq - 1]]
        bundle = self._reader.bundle(self._shown.evidence_key(seq), evidence, before)
        if bundle is None:
            return
        self._keeping.begin(bundle)
        if doubted:
            self._passing.pop(bundle.key, None)
            return
        self._passing[bundle.key] = None
        if len(self._passing) > LATEST_KEPT:
            self._keeping.drop(self._passing.popitem(last=False)[0])
