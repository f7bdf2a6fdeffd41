"""The umpire's desk: everything that happens comes in here one by one, is ruled, written down and then told.

One thing at a time: whatever is being ruled is finished before the next is looked at. Knows the order of things
(read → rule → write → tell) and no detail of any of them; time comes from the one clock.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from calibration.board import Board
from controller import shots
from controller.events.beams import BeamEdge, BeamHealth, PocketEvent
from controller.events.codec import event_to_json, kind_of
from controller.events.errors import CarromError, ConfigError, EventError
from controller.events.match import Correct, Event
from controller.events.observation import BoardSeen, EyesHealth, MotionBegan, Moving, Observation, SetUp, StrokeSeen
from controller.journal.journal import Entry, Journal
from controller.journal.mark import Loss
from controller.journal.scribe import Receipt, Scribe
from controller.shots import outputs
from controller.table.desk.ruled import Ruled
from controller.table.desk.shown import TIME_IS_UP, Published, TableNames
from controller.table.evidence.store import EvidenceShelf
from controller.table.machine.clock import NowNs
from controller.table.machine.health import Health
from controller.table.match.lying import drawn
from controller.table.match.questions import board_as_it_lies, mismatch_answer
from controller.table.match.resuming import began_ns, cannot_go_on, edges_since, latest_match, unread_since, unreadable
from controller.table.match.ruled_strokes import (
    PERSON,
    RuledStrokes,
    fell_until,
    same_but_for_times,
    source_of,
)
from controller.table.match.start import own_measures
from controller.table.match.umpire import Json, Taken, Umpire
from controller.table.match.unresolved import Standing

log = logging.getLogger(__name__)

SAID_STROKES = 40
"""So many strokes are known again when the eyes say them once more."""

SAID_CUT = 5
"""So many of the texts that an older journal has longer than they may be now are named in the log."""


@dataclass
class Request:
    """An event from a person, with where its answer goes."""

    event: Json
    by: str
    answer: asyncio.Future[Json]


@dataclass(frozen=True, slots=True)
class EyesLeft:
    """The eyes' process hung up. It comes after all that they said: what they said last is no sign of life."""


Incoming = Observation | PocketEvent | Request | EyesLeft


class Desk(Ruled):
    """One table's desk. Build it, `restore()` it, add outlets, then `work()`."""

    def __init__(
        self,
        umpire: Umpire,
        scribe: Scribe,
        shelf: EvidenceShelf,
        now_ns: NowNs,
        names: TableNames,
        health: Health,
        board: Board,
        loss: Loss | None = None,
    ) -> None:
        super().__init__(umpire, scribe, shelf, now_ns, names, health, board, loss)
        self.inbox: asyncio.Queue[Incoming | None] = asyncio.Queue()
        self.seen_board: BoardSeen | None = None
        self._said_ns: dict[int, int] = {}
        self._calls: list[tuple[str, Json]] = []
        self._busy = asyncio.Lock()
        self._in_force_ns = 0
        self.board_again: Callable[[], Board | None] = lambda: None
        """Reads the board's measures anew, after another calibration; any thread."""

    # -- life

    async def restore(self, journal: Journal, start: Json, kept: Sequence[Receipt] = ()) -> None:
        """Goes on with the latest match; without one begins the match of the configuration. `kept`: entries that were
        told and did not reach the journal in an earlier run; they are on their way into it now.
        """
        match, entries, unsaved = latest_match(journal, kept)
        cut: tuple[str, ...] = ()
        broken = unreadable(journal, match, entries)
        if entries and not broken:
            try:
                cut = self.umpire.restore(entry.event for entry in entries)
            except ConfigError as error:
                broken = str(error)
        if broken:
            self._missing(f"{journal.path}: {cannot_go_on(match, entries, broken)}")
            self.umpire.restore(())
            self._not_of_this_match(entries)
        if broken or not entries:
            # By the same players and book as the one that cannot go on.
            again = [entry.event for entry in entries[:1] if entry.event.get("event") == "start"]
            await self._begin([*again, start])
            return
        self.match = match
        self.scribe.know(entries)
        if cut:
            log.warning(
                "%s: an earlier version took more than is taken now: %s", journal.path, "; ".join(cut[:SAID_CUT])
            )
        self.history = [Published(entry.t_unix, entry.event, entry.ruling) for entry in entries]
        now = self.now_ns()
        self._calls = [(entry.source, entry.ruling) for entry in entries]
        self.strokes.restore(entries, now)
        since_ns = began_ns(journal, entries, self.names.clock, now, self._unix())
        for receipt in unsaved:
            self._until_saved(receipt)
        for earlier in journal.names()[-2:-1]:
            self._not_of_this_match(journal.readable_events(earlier))
        read_ns, unread = unread_since(journal, entries, self.names.clock, now)
        self.reading = shots.restart(self.reading, since_ns, max(read_ns, fell_until(entries, since_ns)))
        await self._settle(None)
        for felt in edges_since(journal, unread, self._missing):
            # A time still to come is of a clock that began anew with the machine.
            if max(self.strokes.until_ns, read_ns) < felt.t_ns <= now:
                await self._step(felt)

    def _not_of_this_match(self, entries: Sequence[Entry]) -> None:
        """Strokes of an earlier match, said again by the eyes, are not of this one."""
        before = RuledStrokes()
        before.restore(entries, self.now_ns())
        self.strokes.until_ns = max(self.strokes.until_ns, before.until_ns)

    async def _begin(self, starts: Sequence[Json]) -> None:
        """Begins a match by the first of these that can begin one. Raises ConfigError where none can."""
        why = ""
        for start in starts:
            taken = await self.rule(start, "configuration")
            if isinstance(taken, Taken):
                return
            why = taken["error"]
        raise ConfigError(f"the match cannot start: {why}. Mend: correct [match]")

    def answered_calls(self) -> dict[str, Json]:
        """Calls from the broker that were taken before a restart, by their id: said again, they are not done again."""
        prefix = f"{PERSON}:mqtt:"
        return {by.removeprefix(prefix): ruling for by, ruling in self._calls if by.startswith(prefix)}

    def announce(self) -> None:
        """Tells everybody how things stand, once the outlets are there: what stood already was told to nobody."""
        self.standing = Standing()
        self.outlets.health()
        self.refresh()

    async def work(self) -> None:
        """Takes in everything that comes, for ever; returns after a None. What cannot be taken is told, and work goes
        on: the next stroke is not less worth for it."""
        while (item := await self.inbox.get()) is not None:
            try:
                await self.take(item)
            except CarromError as error:
                log.error("%s", error)
                self._trouble(item, str(error))
            except Exception as error:
                log.exception("%s could not be taken", type(item).__name__)
                what = f"{type(item).__name__} could not be taken ({type(error).__name__}: {error})"
                self._trouble(item, f"{what}. Mend: look at the board; enter by hand what is missing")
        await self.keeping.done()

    async def take(self, item: Incoming) -> None:
        """Takes in one thing."""
        async with self._busy:
            if isinstance(item, Request):
                answer = await self._from_person(item)
                if not item.answer.done():
                    item.answer.set_result(answer)
            else:
                await self._sensed(item)

    async def tick(self) -> None:
        """Time went by: lets what waits for time conclude, and the clock be seen."""
        async with self._busy:
            await self._step(shots.Tick(self.now_ns()))
        if self._time_is_up() != (TIME_IS_UP in self.standing):
            self.refresh()
        self.outlets.changed()

    # -- beams that are tried

    def in_play(self) -> bool:
        """Whether strokes count now. Before a match's first stroke the table may still be tried."""
        expected = self.umpire.expectation()
        if expected is None or not expected.play:
            return False
        return not expected.opening or any(told.event["event"] == "shot" for told in self.history)

    def beams_lent(self, lent: bool) -> None:
        """A command tries the beams, or has given them back: whatever has moved until now is no stroke."""
        self.strokes.until_ns = max(self.strokes.until_ns, self.now_ns())
        self.measured(lent=lent)

    # -- what is seen and felt

    async def _sensed(self, item: Observation | PocketEvent | EyesLeft) -> None:
        match item:
            case EyesLeft():
                self.eyes_gone()
                # They may be back before their silence is noticed, with no memory of the stroke they left in.
                await self._step(EyesHealth(self.now_ns(), "lost", 0))
                return
            case StrokeSeen():
                ruled = item.began_ns <= self.strokes.until_ns or self._said_ns.get(item.began_ns) == item.t_ns
                if ruled or self.health.lent:
                    # Eyes that were cut off say their latest strokes again; this one is in the journal or on its way.
                    return
                self._said_ns = dict([*self._said_ns.items(), (item.began_ns, item.t_ns)][-SAID_STROKES:])
                self.tracks = [drawn(track) for track in item.tracks]
                self.clock.stroke_ended(item.after)
            case EyesHealth():
                self.seen_ns = item.t_ns if item.camera == "ok" else self.seen_ns
                self._set_health(self.health.with_eyes(item))
                if item.set_up is not None and item.set_up.in_force_ns > self._in_force_ns:
                    await self._seen_otherwise(item.set_up)
            case BeamHealth():
                self._set_health(self.health.with_beams(item))
            case BeamEdge():
                self._edges.append(item)
            case Moving():
                self._lie(item, moving=True)
                return
            case MotionBegan():
                self.clock.moved(item)
            case BoardSeen():
                self.seen_board = item
                self._lie(item, moving=False)
                self.clock.sees(item)
        if self.clock.clock.since_ns != self._began_ns:
            await self._expect()
        if self.arming.began is not None:
            self.arm(self.arming.taken(item, self.umpire.expectation(), self.board, self.reading.limits))
        await self._step(item)

    async def _seen_otherwise(self, set_up: SetUp) -> None:
        """The eyes see by another calibration from now on: it is written down, and what it measured of the board is
        used; the rules of the match under way keep the measures that it began with.
        """
        self._in_force_ns = set_up.in_force_ns
        self.scribe.note_calibration(self.names.clock, set_up.in_force_ns, set_up.grade)
        board = await asyncio.get_running_loop().run_in_executor(None, self.board_again)
        if board is not None:
            self.board = board
            self.reading = replace(self.reading, board=board)
            self.umpire.measures = own_measures(board) or {}
        self._alert("calibrated", "info", f"the camera sees by a new calibration: grade {set_up.grade}")

    async def _step(self, seen: shots.Input) -> None:
        self.tape.take(self.now_ns(), seen)
        self.reading, said = shots.step(self.reading, seen)
        for output in said:
            await self._read(output)

    async def _read(self, said: outputs.Output) -> None:
        match said:
            case outputs.ShotRead():
                await self._stroke(said)
            case outputs.DropRead():
                # A piece that may be another is not guessed: the engine asks if it matters.
                drop = said.drop if len(said.choices) < 2 else replace(said.drop, piece="unknown")
                await self.rule(drop, "eyes", said.evidence, said.t_ns)
            case outputs.PlacedRead():
                await self.rule(said.placed, "eyes", t_ns=said.t_ns)
            case outputs.SeenRead():
                await self.rule(said.seen, "eyes")
            case outputs.Ready():
                if (opens := self.umpire.next_board()) is not None:
                    await self.rule(opens, "eyes", t_ns=said.t_ns)
            case outputs.Felt():
                if not said.hand:
                    self._alert("fell", "info", f"fell: {said.pocket}", t=self.wall.unix_of(said.t_ns))
            case outputs.Mismatch():
                self._mismatch(said)
            case outputs.Practice():
                self._alert("practice", "info", said.why, seat=said.seat)
            case outputs.Phase():
                self.phase = said.name
                self.outlets.changed()
            case outputs.Armed():
                self._set_health(replace(self.health, senses=said))

    async def _stroke(self, read: outputs.ShotRead) -> None:
        self.tape.cut(read.evidence.began_ns or read.began_ns)
        source = source_of(read.began_ns)
        earlier = self.strokes.part_of(read) if read.revises is None else self.strokes.seq(read.revises)
        if earlier is None:
            taken = await self.rule(read.shot, source, read.evidence, read.t_ns)
            if isinstance(taken, Taken):
                self.strokes.ruled(read.began_ns, taken.seq, read.evidence)
                lag_s = (self.now_ns() - self._said_ns.get(read.began_ns, read.t_ns)) / 1e9
                self._set_health(replace(self.health, latency_s=round(max(lag_s, 0.0), 3)))
            elif self.umpire.questions():
                self.strokes.waits(read)
        elif self.strokes.is_a_persons(earlier):
            # What a person has said of a stroke stands, whatever comes to light later.
            self._alert(f"late-{earlier}", "warning", f"beams say late that stroke {earlier} was otherwise: look at it")
        elif not same_but_for_times(self.umpire.event(earlier), event_to_json(read.shot)):
            await self.rule(Correct(earlier, event_to_json(read.shot)), source, read.evidence, read.t_ns, about=earlier)

    async def _from_person(self, request: Request) -> Json:
        source = f"{PERSON}:{request.by}"
        try:
            mismatch = mismatch_answer(request.event, self.mismatches, self.as_it_lies)
        except EventError as error:
            return {"seq": self.umpire.seq, "event": "answer", "error": str(error)}
        name, events = mismatch if mismatch is not None else ("", (request.event,))
        said: Json = {"seq": self.umpire.seq, "event": "answer"}
        for event in events:
            taken = await self.rule(event, source)
            if not isinstance(taken, Taken):
                return taken
            said = taken.published(saved=taken.seq not in self.unsaved)
            for read in self.strokes.those_that_waited():
                await self._stroke(read)
        if mismatch is not None:
            said = said | {"closed": name}
            self.mismatches.pop(name, None)
            self.refresh()
        return said

    def as_it_lies(self) -> tuple[Event, ...]:
        """The events that make the board of now the right one. Raises EventError where it is not seen whole."""
        return board_as_it_lies(self.seen_board, self.umpire.latest)

    def _trouble(self, item: Incoming, says: str) -> None:
        self._alert("desk", "fault", says)
        if isinstance(item, Request) and not item.answer.done():
            item.answer.set_result({"seq": self.umpire.seq, "event": kind_of(item.event), "error": says})
