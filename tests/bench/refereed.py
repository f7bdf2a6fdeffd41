"""A match refereed in one process: what eyes and beams say goes through shots and rules, beside the truth.

The umpire's half of the house without sockets, journal and pages: observations through their wire format, the shots
room, the engine, the stroke clock. A referee answers what is asked (truthfully, by looking what each choice leads to),
waits at each rest as the demo does, and holds every stroke against the truth.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from calibration.board import DEFAULT_BOARD, Board
from controller import shots
from controller.commands.demo.tally import RULED, Stroke, differing, judge
from controller.events.codec import event_from_json, event_to_json, ruling_to_json
from controller.events.match import Correct, Shot, Start
from controller.events.observation import BoardSeen, MotionBegan, StrokeSeen
from controller.events.ruling import Refusal, Ruling
from controller.rules.shelf import load_books
from controller.shots import outputs
from controller.simulator.happenings import Decision, TrueRuling
from controller.simulator.umpire import TrueUmpire
from controller.table.match.ruled_match import Json, Taken
from controller.table.match.turn_clock import TurnClock
from controller.table.match.umpire import Umpire
from tests.shots.close_calls import as_called

MS = 1_000_000
S = 1_000_000_000
TICK_NS = 100 * MS

MISSED_AFTER_NS = 6 * S
"""Within this after a rest the umpire has ruled, or has missed the stroke."""

NEVER = 1 << 62

NOTICE_NS = 3 * S // 2
"""Within this after everything was put back a wrong board is noticed."""


@dataclass
class Read:
    """A stroke as the umpire has it: shot, ruling, evidence, when it ended; read again, as it was read last."""

    shot: Json
    ruling: Json
    evidence: outputs.Evidence
    ended_ns: int


class Table:
    """The umpire's half: takes inputs of the shots room, rules, keeps what is asked and what differs."""

    def __init__(
        self, books: Any, start_ns: int, limits: shots.Limits | None = None, board: Board = DEFAULT_BOARD
    ) -> None:
        self.books = books
        self.umpire = Umpire(books)
        self.limits = limits
        self.reading = shots.begin(limits=limits, start_ns=start_ns, board=board)
        self.start_ns = start_ns
        self.clock = TurnClock()
        self.strokes: deque[Read] = deque()
        self.mismatches: dict[str, outputs.Mismatch] = {}
        self.told: list[outputs.Output] = []
        self.drops = 0
        self.refused: list[Refusal] = []
        self._seqs: dict[int, int] = {}
        self._reads: dict[int, Read] = {}
        self._now_ns = 0
        self._before: Json | None = None
        self._began: int | None = None

    def begin(self, start: Start) -> None:
        """A new match."""
        self._seqs.clear()
        self.mismatches.clear()
        self.rule(start)

    def adopt(self, state: Any, ruling: Json) -> None:
        """Goes on from another umpire's state of the same match: a wrong stroke must not spoil those after it."""
        self.umpire.state, self.umpire.latest = state, ruling
        self._seqs.clear()
        self._expect()

    def take(self, seen: Any) -> None:
        """Takes one observation or edge; time goes by in ticks up to it."""
        t_ns = seen.now_ns if isinstance(seen, shots.Tick) else seen.t_ns
        while self._now_ns and self._now_ns + TICK_NS < t_ns:
            self._now_ns += TICK_NS
            self._step(shots.Tick(self._now_ns))
        self._now_ns = max(self._now_ns, t_ns)
        match seen:
            case StrokeSeen():
                self.clock.stroke_ended(seen.after)
            case MotionBegan():
                self.clock.moved(seen)
            case BoardSeen():
                self.clock.sees(seen)
        if self.clock.clock.since_ns != self._began:
            self._expect()
        self._step(seen)

    def rule(self, what: Any, t_ns: int | None = None) -> Taken | Refusal:
        """Rules on an event and lets the shots room know what to expect now."""
        taken = self.umpire.take(what)
        if not isinstance(taken, Taken):
            self.refused.append(taken)
            return taken
        expected = self.umpire.expectation()
        if expected is not None:
            self.clock.ruled(
                taken.ruling,
                self._before,
                expected,
                t_ns or self._now_ns,
                limit_s=self.umpire.stroke_seconds(),
                sees=True,
            )
        self._before = taken.ruling
        self._expect()
        return taken

    def _expect(self) -> None:
        self._began = self.clock.clock.since_ns
        expected = self.umpire.expectation()
        if expected is not None:
            self._step(replace(expected, turn_began_ns=self._began))

    def _step(self, seen: Any) -> None:
        self.reading, said = shots.step(self.reading, seen)
        for output in said:
            self._read(output)

    def _read(self, said: outputs.Output) -> None:
        match said:
            case outputs.ShotRead():
                earlier = None if said.revises is None else self._seqs.get(said.revises)
                if earlier is not None:
                    taken = self.rule(Correct(earlier, event_to_json(said.shot)), said.t_ns)
                    if isinstance(taken, Taken):
                        again = self._reads[said.began_ns]
                        again.shot, again.ruling = event_to_json(said.shot), taken.ruling
                        again.evidence = said.evidence
                    return
                taken = self.rule(said.shot, said.t_ns)
                if isinstance(taken, Taken):
                    self._seqs[said.began_ns] = taken.seq
                    self._reads[said.began_ns] = Read(taken.event, taken.ruling, said.evidence, said.t_ns)
                    self.strokes.append(self._reads[said.began_ns])
            case outputs.DropRead():
                drop = said.drop if len(said.choices) < 2 else replace(said.drop, piece="unknown")
                self.rule(drop, said.t_ns)
                self.drops += 1
            case outputs.PlacedRead():
                self.rule(said.placed, said.t_ns)
            case outputs.SeenRead():
                self.rule(said.seen, said.t_ns)
            case outputs.Mismatch():
                if said.resolved:
                    self.mismatches.pop(said.kind, None)
                else:
                    self.mismatches[said.kind] = said
                self.told.append(said)
            case outputs.Practice():
                self.told.append(said)


@dataclass
class Outcome:
    """One stroke, judged. `truth` and `said`: the shots; `faults`: what went wrong on purpose.

    `too_close`: calls that were said to be too close are all that the ruling lacks. `unplayed`: strokes that were ruled
    on since the one before, and that nobody played.
    """

    stroke: Stroke
    truth: Json
    said: Json | None
    truth_ruling: Json
    ruling: Json | None
    evidence: outputs.Evidence | None
    faults: tuple[str, ...]
    questions: int
    answered: bool = False
    noticed_by: tuple[str, ...] = ()
    number: int = 0
    book: str = ""
    too_close: bool = False
    unplayed: int = 0

    @property
    def silent(self) -> bool:
        """A wrong ruling, not asked, not noticed, no close call that was noted, and not for facts named as unseen."""
        return self.stroke.silent and not self.too_close

    @property
    def false_fouls(self) -> tuple[str, ...]:
        """Fouls that were told though there were none, and nothing was asked."""
        return () if self.stroke.asked else self.stroke.false_fouls


@dataclass
class Referee:
    """Goes through a stream of observations, edges, the truth and decisions. `seen`: called with each input."""

    stream: Iterator[Any]
    table: Table
    strokes: int
    truth: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._true = TrueUmpire(self.table.books)
        self._open: Callable[[], Outcome] | None = None
        self._noticed: list[outputs.Mismatch] = []
        self._astray = False
        self._waiting: tuple[Decision, int] | None = None
        self._missed: Decision | None = None
        self._now_ns = 0
        self._drops = 0
        self._done = 0
        self._looking = False
        self._unplayed = 0
        self.set_to_truth = 0

    def play(self) -> Iterable[Outcome]:
        """Plays until so many strokes have been judged."""
        for one in self.stream:
            if isinstance(one, TrueRuling):
                told = ruling_to_json(self._true.rule(one.event))
                if isinstance(one.event, Start):
                    self.table.begin(one.event)
                if isinstance(one.event, Start) or not self._looking:
                    self.truth = told
                continue
            if isinstance(one, Decision):
                if self._waiting is not None:
                    # A tape goes on when it was let go on; what is not settled by then never will be.
                    yield from self._look(self._waiting[0], self._now_ns - NEVER)
                    if self._done >= self.strokes:
                        return
                self._waiting = (one, self._now_ns)
            else:
                if not self._looking:
                    # What was played before anybody looked is as it was.
                    self._looking = True
                    self.table.adopt(self._true.state, self.truth)
                self.table.take(one)
                self._now_ns = max(self._now_ns, getattr(one, "t_ns", 0))
            self._listen()
            if self._waiting is not None:
                yield from self._look(*self._waiting)
                if self._done >= self.strokes:
                    return

    def _listen(self) -> None:
        for told in self.table.told:
            if isinstance(told, outputs.Mismatch) and not told.resolved:
                self._noticed.append(told)
        self.table.told.clear()

    def _look(self, decision: Decision, since_ns: int) -> Iterator[Outcome]:
        late = self._now_ns - since_ns
        if decision.kind == "ruling":
            assert decision.shot is not None
            struck_ns = self.table.start_ns + round((decision.shot.t or 0.0) * S)
            while self.table.strokes and self.table.strokes[0].ended_ns < struck_ns:
                self.table.strokes.popleft()
                self._unplayed += 1
            if not self.table.strokes and late < MISSED_AFTER_NS:
                return
            yield from self._close()
            self._judge(decision, self.table.strokes.popleft() if self.table.strokes else None)
        elif decision.kind == "ready":
            if not self._ready(late):
                return
            yield from self._close()
        elif decision.kind == "correct":
            self._put_right(decision)
        elif decision.kind == "drop":
            if self.table.drops <= self._drops and late < MISSED_AFTER_NS:
                return
            if decision.ruling is not None:
                self.truth = as_json(decision.ruling)
                if self._differs():
                    self._set()
            self._drops = self.table.drops
        elif not (late > NOTICE_NS or self._noticed):
            return
        self._waiting = None
        decision.release()

    def _judge(self, decision: Decision, read: Read | None) -> None:
        assert decision.shot is not None
        assert decision.ruling is not None
        self._missed = decision if read is None else None
        truth, at_once = event_to_json(decision.shot), as_json(decision.ruling)
        self.truth = as_json(decision.final or decision.ruling)
        number, faults = decision.stroke, tuple(sorted(decision.faults))
        questions = len(read.ruling.get("asks", ())) if read else 0
        # Of a stroke that was read only what is told from now on counts: its reading has said all else.
        began_ns = self.table.start_ns + round((decision.shot.t or 0.0) * S)
        self._noticed = [told for told in self._noticed if read is None and told.t_ns >= began_ns]
        book = self.table.umpire.book()
        watched, too_close = None, False
        unplayed, self._unplayed = self._unplayed, 0
        if read is not None:
            said = event_from_json(read.shot)
            assert isinstance(said, Shot)
            if said.unseen:
                watched = self._true.ruling_instead(replace(decision.shot, unseen=said.unseen))
            called = self._true.ruling_instead(as_called(decision.shot, said, read.evidence.clearances))
            too_close = called is not None and not differing(ruling_to_json(called), read.ruling)

        def close() -> Outcome:
            stroke = judge(
                number,
                truth,
                at_once,
                read.shot if read else None,
                read.ruling if read else None,
                noticed=bool(self._noticed),
                watched=watched and ruling_to_json(watched),
            )
            return Outcome(
                stroke,
                truth,
                read.shot if read else None,
                at_once,
                read.ruling if read else None,
                read.evidence if read else None,
                faults,
                questions,
                noticed_by=tuple(f"{told.kind}: {told.says}" for told in self._noticed),
                number=number,
                book=book.id if book else "",
                too_close=too_close and bool(stroke.ruled),
                unplayed=unplayed,
            )

        self._open = close
        self._answer()
        self._astray = read is None or self._differs()

    def _ready(self, late: int) -> bool:
        if self._missed is not None and self.table.strokes:
            # Read before the next stroke after all, as after a pushed camera: that is what was ruled.
            self._judge(self._missed, self.table.strokes.popleft())
        if self._astray:
            if late < NOTICE_NS and not self._noticed:
                return False
            self._answer()
            if self._differs():
                self._set()
            self._astray = False
        self._unplayed += len(self.table.strokes)
        self.table.strokes.clear()
        return True

    def _close(self) -> Iterator[Outcome]:
        if self._open is not None:
            self._done += 1
            yield self._open()
            self._open = None

    def _differs(self) -> bool:
        ruling = self.table.umpire.latest or {}
        parts = ("turn", "queen", "left", "in_hand", "owed", "score", "games")
        return any(ruling.get(part) != self.truth.get(part) for part in parts)

    def _answer(self) -> None:
        """Answers everything that is asked so that the state becomes the truth's."""
        for question in self.table.umpire.questions():
            best, fewest = None, len(RULED) + 1
            for choice in question.choices:
                answer = {"event": "answer", "ask": question.ask, "choice": choice}
                ruling = self.table.umpire.preview(answer).get("ruling")
                if ruling is None or "error" in ruling:
                    continue
                wrong = sum(ruling.get(part) != self.truth.get(part) for part in RULED)
                if wrong < fewest:
                    best, fewest = answer, wrong
            if best is not None:
                self.table.rule(best)

    def _put_right(self, decision: Decision) -> None:
        latest = self.table.umpire.latest_stroke()
        if latest is not None and decision.shot is not None:
            self.table.rule({"event": "correct", "seq": latest.seq, "with": event_to_json(decision.shot)})

    def _set(self) -> None:
        self.table.adopt(self._true.state, self.truth)
        self.set_to_truth += 1


def as_json(ruling: Any) -> Json:
    """A ruling as it is published; a tape holds it so."""
    return ruling if isinstance(ruling, dict) else ruling_to_json(ruling)


def books() -> Any:
    """Every official book."""
    return load_books()


__all__ = ["MS", "Outcome", "Read", "Referee", "Ruling", "S", "Shot", "Table", "books"]
