"""The umpire's desk: everything that happens comes in here one by one, is read, ruled, written down and then published.

One thing at a time: whatever is being ruled, and all that follows from it, is finished before the next is taken in.
Knows the order of things and no detail of any of them; time comes from the one clock.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from calibration.board import Board
from controller import shots
from controller.events.beams import BeamHealth, PocketEvent
from controller.events.codec import kind_of, ruling_to_json
from controller.events.errors import CarromError, ConfigError, EventError
from controller.events.expectation import Expectation
from controller.events.match import Event, RoundOver, Verdict
from controller.events.observation import BoardSeen, EyesHealth, MotionBegan, Moving, Observation, SetUp, StrokeSeen
from controller.events.ruling import Refusal
from controller.journal.journal import Journal, TakenAt
from controller.journal.mark import Loss
from controller.journal.scribe import Receipt, Scribe
from controller.shots.outputs import Output
from controller.table.desk.reader import Reader
from controller.table.desk.rulings import Rulings
from controller.table.desk.shown import TIME_IS_UP, Shown
from controller.table.evidence.keeping import Keeping
from controller.table.match.jurors import why_no_verdict
from controller.table.match.lying import drawn
from controller.table.match.resuming import (
    began_ns,
    cannot_go_on,
    edges_since,
    latest_match,
    taken_at,
    unread_since,
    unreadable,
)
from controller.table.match.round_clock import CLOCK, RoundAgain
from controller.table.match.ruled_match import Json, Taken
from controller.table.match.ruled_strokes import PERSON, fell_until
from controller.table.match.start import own_measures
from controller.table.match.umpire import published
from controller.table.match.unresolved import StandingAlerts

log = logging.getLogger(__name__)

SAID_CUT = 5
"""So many of the texts that an older journal has longer than they may be now are named in the log."""


@dataclass
class Request:
    """An event from a person, with where its answer goes. `jury`: that person decides challenges and nothing else."""

    event: Json
    by: str
    answer: asyncio.Future[Json]
    jury: bool = False


@dataclass(frozen=True, slots=True)
class EyesLeft:
    """The vision process hung up. It comes after all its reports: its last report is no sign of life."""


@dataclass(frozen=True, slots=True)
class Settled:
    """All that follows from a ruling is done: what stands now may be published."""


Incoming = Observation | PocketEvent | Request | EyesLeft
Todo = shots.Input | Output | Settled


class Desk:
    """One table's desk. Build it, `restore()` it, add outlets, then `work()`. `shown`: what there is to show of the
    table; `reader`: reads the strokes; `rulings`: rules on them; `keeping`: puts evidence into the store."""

    def __init__(self, shown: Shown, scribe: Scribe, loss: Loss | None = None) -> None:
        self.umpire, self.scribe, self.shown = shown.umpire, scribe, shown
        self.reader = Reader(shown.board, shown.now_ns)
        self.keeping = Keeping(shown.shelf, shown.evidence_kept)
        self.rulings = Rulings(self.umpire, scribe, loss, shown, self.reader, self.keeping)
        self.inbox: asyncio.Queue[Incoming | None] = asyncio.Queue()
        self.answered_calls: dict[str, Json] = {}
        """Calls from the broker that were taken before a restart, by their id: sent again, they are not done again."""
        self.board_again: Callable[[], Board | None] = lambda: None
        """Reads the board's measures anew, after another calibration; any thread."""
        self._now_ns = shown.now_ns
        self._busy = asyncio.Lock()
        self._began: tuple[int | None, bool] = None, False
        self._in_force_ns = 0
        self._not_ended_in: object = None

    # -- life

    async def restore(self, journal: Journal, start: Json, kept: Sequence[Receipt] = ()) -> None:
        """Goes on with the latest match; without one begins the match of the configuration. `kept`: entries that were
        published and did not reach the journal in an earlier run; they are on their way into it now.
        """
        shown, strokes, clock = self.shown, self.rulings.strokes, self.shown.names.clock
        match, entries, unsaved = latest_match(journal, kept)
        cut: tuple[str, ...] = ()
        broken = unreadable(journal, match, entries)
        of_round = RoundAgain(entries, taken_at(journal, match))
        if entries and not broken:
            try:
                cut = self.umpire.restore((entry.event for entry in entries), of_round.ruled)
            except ConfigError as error:
                broken = str(error)
        now = self._now_ns()
        if broken:
            self.rulings.missing(f"{journal.path}: {cannot_go_on(match, entries, broken)}")
            self.umpire.restore(())
            strokes.passed_over(entries, now)
        if broken or not entries:
            # By the same players and book as the one that cannot go on.
            again = [entry.event for entry in entries[:1] if entry.event.get("event") == "start"]
            await self._begin([*again, start])
            return
        shown.taken_up(match, entries)
        self.scribe.know(entries)
        if cut:
            less = "; ".join(cut[:SAID_CUT])
            log.warning("%s: an earlier version took more than is taken now: %s", journal.path, less)
        prefix = f"{PERSON}:mqtt:"
        calls = [(entry.source, entry.ruling) for entry in entries if entry.source.startswith(prefix)]
        self.answered_calls = {source.removeprefix(prefix): ruling for source, ruling in calls}
        strokes.restore(entries, now)
        expected, latest = self.umpire.expectation(), self.umpire.latest
        if expected is not None and latest is not None:
            events = [str(entry.event["event"]) for entry in entries]
            shown.clock.goes_on(expected, latest, events, limit_s=self.umpire.stroke_seconds())
        shown.round = of_round.resumed(clock, now)
        if (standing := self.umpire.standing()) is not None:
            shown.challenge = shown.challenge.ruled(standing, now)
        if clock and shown.round.since_ns == now:
            self.scribe.note_resumed(match, TakenAt(entries[-1].seq, clock, now, resumed=True))
        since_ns = began_ns(journal, entries, clock, now, shown.unix())
        for receipt in unsaved:
            self.rulings.until_saved(receipt)
        for earlier in journal.names()[-2:-1]:
            strokes.passed_over(journal.readable_events(earlier), now)
        read_ns, unread = unread_since(journal, entries, clock, now)
        self.reader.restart(since_ns, max(read_ns, fell_until(entries, since_ns)))
        await self._work_off(*self._after_ruling())
        for felt in edges_since(journal, unread, self.rulings.missing):
            # A time still to come is of a clock that began anew with the machine.
            if max(strokes.until_ns, read_ns) < felt.t_ns <= now:
                await self._work_off(felt)

    async def _begin(self, starts: Sequence[Json]) -> None:
        """Begins a match by the first of these that can begin one. Raises ConfigError where none can."""
        why = ""
        for start in starts:
            taken = await self.rule(start, "configuration")
            if isinstance(taken, Taken):
                return
            why = taken.error
        raise ConfigError(f"the match cannot start: {why}. Fix: correct [match]")

    def announce(self) -> None:
        """Publishes how things stand, once the outlets are there: what stood already was published to nobody."""
        self.shown.standing, self.shown.umpires_standing = StandingAlerts(), StandingAlerts()
        self.shown.outlets.health()
        self.shown.refresh()

    async def work(self) -> None:
        """Takes in everything that comes, for ever; returns after a None. What cannot be taken is reported, and work
        goes on: the next stroke is not less worth for it."""
        while (item := await self.inbox.get()) is not None:
            try:
                await self.take(item)
            except CarromError as error:
                log.error("%s", error)
                self._trouble(item, str(error))
            except Exception as error:
                log.exception("%s could not be taken", type(item).__name__)
                what = f"{type(item).__name__} could not be taken ({type(error).__name__}: {error})"
                self._trouble(item, f"{what}. Fix: look at the board; enter by hand what is missing")
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
            await self._work_off(shots.Tick(self._now_ns()))
            await self._end_round()
            await self._end_challenge()
        if self.shown.time_is_up() != (TIME_IS_UP in self.shown.standing):
            self.shown.refresh()
        self.shown.outlets.changed()

    async def _end_round(self) -> None:
        """Ends the round when its time is over. What was refused is tried again after the next ruling."""
        if not self.shown.round_is_up() or self._not_ended_in is self.umpire.state:
            return
        if not isinstance(await self.rule(RoundOver(), CLOCK), Taken):
            self._not_ended_in = self.umpire.state

    async def _end_challenge(self) -> None:
        """A challenge that nobody has decided in time is inconclusive."""
        waits = self.shown.challenge
        if waits.seq is None or not waits.is_up(self._now_ns()) or self._not_ended_in is self.umpire.state:
            return
        says = f"nobody decided within {waits.limit_ns / 60e9:g} min"
        if not isinstance(await self.rule(Verdict(waits.seq, "inconclusive", reason=says), CLOCK), Taken):
            self._not_ended_in = self.umpire.state

    # -- beams that are tried

    def in_play(self) -> bool:
        """Whether strokes count now. Before a match's first stroke the table may still be tried."""
        expected = self.umpire.expectation()
        if expected is None or not expected.play:
            return False
        return not expected.opening or any(told.event["event"] == "shot" for told in self.shown.history)

    def beams_lent(self, lent: bool) -> None:
        """A command tries the beams, or has given them back: whatever has moved until now is no stroke."""
        strokes = self.rulings.strokes
        strokes.until_ns = max(strokes.until_ns, self._now_ns())
        self.shown.measured(lent=lent)

    # -- what is seen, felt and said

    async def _sensed(self, item: Observation | PocketEvent | EyesLeft) -> None:
        shown = self.shown
        match item:
            case EyesLeft():
                shown.eyes_gone()
                # They may be back before their silence is noticed, with no memory of the stroke they left in.
                await self._work_off(EyesHealth(self._now_ns(), "lost", 0))
                return
            case StrokeSeen():
                if item.began_ns <= self.rulings.strokes.until_ns or self.reader.knows(item) or shown.health.lent:
                    # Eyes that were cut off say their latest strokes again; this one is in the journal or on its way.
                    return
                shown.tracks = [drawn(track) for track in item.tracks]
                shown.clock.stroke_ended(item.after)
            case EyesHealth():
                shown.seen_ns = item.t_ns if item.camera == "ok" else shown.seen_ns
                shown.set_health(shown.health.with_eyes(item))
                if item.set_up is not None and item.set_up.in_force_ns > self._in_force_ns:
                    await self._seen_otherwise(item.set_up)
            case BeamHealth():
                shown.set_health(shown.health.with_beams(item))
            case Moving():
                shown.lie(item)
                return
            case MotionBegan():
                shown.clock.moved(item)
            case BoardSeen():
                shown.lie(item)
                shown.clock.sees(item)
        if (shown.clock.clock.since_ns, shown.clock.clock.unseen) != self._began:
            await self._work_off(*self._expected())
        if shown.arming.began is not None:
            book, limits = self.umpire.expectation(), self.reader.state.limits
            shown.arm(shown.arming.taken(item, book, shown.board, limits))
        await self._work_off(item)

    async def _seen_otherwise(self, set_up: SetUp) -> None:
        """The vision process uses another calibration from now on: that is written down; what it measured of the board
        is used; the rules of the match under way keep the measures that it began with.
        """
        self._in_force_ns = set_up.in_force_ns
        self.scribe.note_calibration(self.shown.names.clock, set_up.in_force_ns, set_up.grade)
        board = await asyncio.get_running_loop().run_in_executor(None, self.board_again)
        if board is not None:
            self.shown.board = board
            self.reader.plays_on(board)
            self.umpire.measures = own_measures(board) or {}
        self.shown.alert("calibrated", "info", f"the camera sees by a new calibration: grade {set_up.grade}")

    async def _from_person(self, request: Request) -> Json:
        source = f"{PERSON}:{request.by}"
        said: Json = {"seq": self.umpire.seq, "event": "answer"}
        if self.shown.asks_again(request.event):
            return said
        try:
            mismatch = self.shown.mismatch_answer(request.event)
        except EventError as error:
            return said | {"error": str(error)}
        name, events = mismatch if mismatch is not None else ("", (request.event,))
        if (why := why_no_verdict(self.umpire, request.event, jury=request.jury)) is not None:
            return said | {"event": kind_of(request.event), "error": why}
        ruled = []
        for event in events:
            taken = await self.rule(event, source)
            if not isinstance(taken, Taken):
                return ruling_to_json(taken)
            ruled.append(taken.seq)
            said = published(taken.ruling, saved=taken.seq not in self.shown.unsaved)
            await self._work_off(*self.rulings.strokes.those_that_waited())
        if mismatch is not None:
            said = said | {"closed": name, "ruled": ruled}
            self.shown.mismatch_answered(name, noted=not ruled)
        return said

    def _trouble(self, item: Incoming, says: str) -> None:
        self.shown.alert("desk", "fault", says)
        if isinstance(item, Request) and not item.answer.done():
            item.answer.set_result({"seq": self.umpire.seq, "event": kind_of(item.event), "error": says})

    # -- one thing after the other

    async def rule(self, event: Event | Json, source: str) -> Taken | Refusal:
        """Rules on an event that was not read from the board, and works off what follows."""
        taken = await self.rulings.rule(event, source)
        if isinstance(taken, Taken):
            await self._work_off(*self._after_ruling())
        return taken

    async def _work_off(self, *first: Todo) -> None:
        """Does these in order, and what follows from one before the next: a ruling changes what is expected, and what
        is read by that comes before anything else that was read."""
        todo = deque(first)
        while todo:
            todo.extendleft(reversed(await self._do(todo.popleft())))

    async def _do(self, what: Todo) -> Sequence[Todo]:
        """Does one thing. Returns what follows from it."""
        if isinstance(what, Settled):
            self.shown.refresh()
            return ()
        if isinstance(what, Output):
            return self._after_ruling() if await self.rulings.read(what) else ()
        return self.reader.step(what)

    def _after_ruling(self) -> tuple[Todo, ...]:
        return *self._expected(), Settled()

    def _expected(self) -> tuple[Expectation, ...]:
        """What should be seen next, and since when the stroke's time runs."""
        expected, clock = self.umpire.expectation(), self.shown.clock.clock
        self._began = clock.since_ns, clock.unseen
        if expected is None:
            return ()
        return (replace(expected, turn_began_ns=clock.since_ns, turn_began_unseen=clock.unseen),)
