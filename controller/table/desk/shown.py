"""What a table shows at any moment: score, clock, health, and the alerts that stand; published at each change.

It decides nothing. Must not know where anything is published, nor how strokes are read and ruled on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from calibration.board import Board
from calibration.measures import measures_of
from controller.events.match import Event
from controller.events.observation import BoardSeen, Moving
from controller.events.ruling import Challenged, Question, Refusal
from controller.journal.journal import Entry
from controller.mqtt import scoreboard
from controller.mqtt.payloads import Alert, Level
from controller.shots import outputs
from controller.shots.phases import IN_STROKE
from controller.table.evidence.of_stroke import clip_of, shown_picture
from controller.table.evidence.store import EvidenceShelf, Kept
from controller.table.machine.arming import Arming
from controller.table.machine.clock import NowNs, WallClock
from controller.table.machine.health import Health
from controller.table.match import questions
from controller.table.match.challenge_clock import ChallengeClock
from controller.table.match.lying import LyingNow
from controller.table.match.round_clock import STROKE_NS, RoundClock
from controller.table.match.turn_clock import TurnClock
from controller.table.match.umpire import Json, Taken, Umpire, published
from controller.table.match.unresolved import StandingAlerts
from controller.table.public.messages import ruling_for_everybody
from controller.table.public.names import NAMED, PublicNames
from controller.table.public.outlet import Outlets
from controller.web.app import LONGEST_CLIP

TIME_IS_UP = "stroke-clock"
ROUND_UNCOUNTED = "round-clock"

UNCOUNTED = (
    "the table was off while the round's time ran, and that time is not counted. "
    "Fix: end the round by hand when your own watch does"
)

RECENT = 12
"""Rulings that a club's page of a table shows: some minutes of play."""

STRIKERS_LEARNT = 12
"""Strokes after a change of ends by which the camera has seen each seat's striker often enough to know it."""

STRIKER_CLAUSES = ("icf-117", "club-147")
"""The clauses that say when a striker may be changed. None of them is ruled on unasked: a damaged one may be."""


@dataclass(frozen=True)
class TableNames:
    """What the desk must know of the table to name things."""

    table: str
    match: Callable[[float], str]
    clock: str = ""
    """What tells one run of the table's clock from another; empty where nobody can."""
    players: PublicNames = NAMED
    """How players stand in what everybody may see."""
    shadow: bool = False
    """The umpire calls without having been shown anything: what was only noted is shown to nobody."""


class Shown:
    """What there is to show. `unsaved`: events that were published before they were in the journal, and are not yet."""

    def __init__(
        self, umpire: Umpire, shelf: EvidenceShelf, now_ns: NowNs, names: TableNames, health: Health, board: Board
    ) -> None:
        self.umpire, self.shelf, self.now_ns, self.names = umpire, shelf, now_ns, names
        self.health, self.board = health, board
        self.outlets = Outlets()
        self.wall = WallClock(now_ns)
        self.standing = StandingAlerts()
        self.clock = TurnClock()
        self.round = RoundClock()
        self.challenge = ChallengeClock()
        self.match = ""
        self.history: list[Entry] = []
        """Each event as it was taken, with what was published at once. What stands now is the umpire's to say."""
        self.lying = LyingNow()
        self.seen_board: BoardSeen | None = None
        self.seen_ns: int | None = None
        self.phase = "waiting"
        self.tracks: list[Json] = []
        self.mismatches: dict[str, outputs.Mismatch] = {}
        self.refused: Alert | None = None
        self.unsaved: set[int] = set()
        self.arming = Arming()
        self.began = self.unix()

    def arm(self, arming: Arming) -> None:
        """How far the table is tried before its first match; published where it is news."""
        if arming is not self.arming:
            told, self.arming = self.arming, arming
            if replace(told, edges=()) != replace(arming, edges=()):
                self.outlets.health()

    def arming_told(self) -> Json | None:
        """How far the table is tried, for the umpire's page."""
        return self.arming.told(self.health, self.umpire.expectation())

    def refresh(self) -> None:
        """Tells what stands now and takes back what does not."""
        t = self.unix()
        now = [self._question(asked, t) for asked in self.umpire.questions()]
        standing = self.umpire.standing()
        now += [self._challenge(one, t) for one in (standing.challenges if standing is not None else ())]
        now += [questions.mismatch_alert(held, t) for held in self.mismatches.values()]
        now += [Alert(name, "fault", says, t) for name, says in self.health.faults().items()]
        now += [Alert(name, "warning", says, t) for name, says in self.health.warnings().items()]
        now += self._strikers(t)
        if self.refused is not None:
            now.append(self.refused)
        if self.time_is_up():
            says = f"time is up: no stroke in {self.umpire.stroke_seconds():g} s"
            now.append(Alert(TIME_IS_UP, "warning", says, t, seat=(self.umpire.latest or {}).get("turn")))
        if self.round.doubtful:
            now.append(Alert(ROUND_UNCOUNTED, "warning", UNCOUNTED, t))
        fresh, gone = self.standing.update({alert.id: alert for alert in now})
        for alert in fresh:
            self.outlets.alert(alert, standing=True)
        for name in gone:
            self.outlets.resolve(name)
        self.outlets.changed()

    def _strikers(self, t: float) -> list[Alert]:
        """Strikers that were exchanged, with the clause of tonight's book that the umpire may call for it.

        After a change of ends each seat has another one with its player, and vision has to learn them first.
        """
        strokes = 0
        for told in reversed(self.history):
            if told.event["event"] == "seats":
                return []
            strokes += told.event["event"] == "shot"
            if strokes >= STRIKERS_LEARNT:
                break
        clause = next((one for one in STRIKER_CLAUSES if one in self.umpire.clauses()), None)
        ending = f": to be called as {clause} if it was not allowed" if clause else ""
        return [
            Alert(f"striker-{seat}", "warning", says + ending, t, clause, seat)
            for seat, says in self.health.other_strikers().items()
        ]

    def _question(self, asked: Question, t: float) -> Alert:
        kept = self.kept(asked.seq)
        if kept is None:
            return questions.question_alert(asked, t)
        return questions.question_alert(asked, t, shown_picture(kept), clip_of(kept, LONGEST_CLIP))

    def _challenge(self, waits: Challenged, t: float) -> Alert:
        kept = self.kept(waits.stroke)
        if kept is None:
            return questions.challenge_alert(waits, t)
        return questions.challenge_alert(waits, t, shown_picture(kept), clip_of(kept, LONGEST_CLIP))

    def time_is_up(self) -> bool:
        """Whether the stroke's time is over and no stroke has come."""
        # Without a camera a stroke is entered by hand when there is time for it: nobody is late by that.
        return bool(self.health.camera_works) and self.clock.clock.ran_out(self.now_ns())

    def round_is_up(self) -> bool:
        """Whether the round has to be ended now. A stroke that is under way is ruled on first: it may end the board,
        or open the next one."""
        now_ns = self.now_ns()
        return self.round.is_up(now_ns) and (self.phase not in IN_STROKE or self.round.is_up(now_ns - STROKE_NS))

    def latest(self) -> Json | None:
        """The latest ruling, with whether it is in the journal yet."""
        ruling = self.umpire.latest
        if ruling is None or ruling["seq"] not in self.unsaved:
            return ruling
        return ruling | {"saved": False, "sealed": False}

    def score(self, *, for_umpire: bool = False) -> Any:
        """The scoreboard as it stands; the umpire's also counts and names what is flagged and not confirmed."""
        latest = self.umpire.latest
        asked = self.umpire.questions()
        if latest is not None and (not for_umpire or self.names.shadow):
            latest = ruling_for_everybody(latest)
            asked = tuple(question for question in asked if question.clause is None)
        t = self.unix()
        if latest is None:
            return scoreboard.idle(self.names.table, t, self.health.armed, measures_of(self.board))
        return scoreboard.score(
            latest,
            self.info(for_umpire=for_umpire),
            t,
            clock=replace(self.clock_payload(), ends=self.clock_ends()),
            armed=self.health.armed,
            provisional=self.umpire.hanging(),
            asks=len(asked),
            measures=measures_of(self.board),
            round=self.round.payload(self.now_ns(), self._unix_of(self.round.ends_ns())),
            **self._challenges(),
        )

    def _challenges(self) -> dict[str, Any]:
        """The challenge that waits for its verdict, and what each side has left."""
        now = self.umpire.standing()
        if now is None or not now.policy["challenges"]:
            return {}
        return {"challenge": next(iter(now.challenges), None), "challenges_left": now.challenges_left}

    def rulings(self) -> Any:
        """The latest rulings, as the `history` payload for everybody."""
        latest = self.recent(RECENT, for_umpire=False)
        ruled = [(self.told_at(one.seq), ruling_for_everybody(one.ruling), then) for one, then in latest]
        return scoreboard.history(self.info(for_umpire=False), ruled, self.unix())

    def recent(self, most: int, *, for_umpire: bool) -> list[tuple[Taken, scoreboard.MatchInfo]]:
        """The latest events as they stand now, oldest first, each with who sat where after it."""
        found = self.umpire.recent_with_info(most, self.names.table, self.match)
        return found if for_umpire else [(one, self.names.players.info(then)) for one, then in found]

    def clock_payload(self) -> Any:
        """The stroke clock as it stands."""
        return self.clock.clock.payload(self.now_ns())

    def clock_ends(self) -> float | None:
        """When the stroke clock runs out, in Unix seconds; None while it stands."""
        return self._unix_of(self.clock.clock.ends_ns())

    def _unix_of(self, t_ns: int | None) -> float | None:
        return None if t_ns is None else round(self.wall.unix_of(t_ns), 1)

    def health_payload(self) -> Any:
        """The `health` payload as it stands."""
        seen = None if self.seen_ns is None else self.wall.unix_of(self.seen_ns)
        return self.health.payload(self.unix(), seen, self.began)

    def told_at(self, seq: int) -> float:
        """When an event was taken, in Unix seconds; 0 where nobody knows. Any thread."""
        try:
            return self.history[seq - 1].t_unix
        except IndexError:
            return 0.0  # another match began meanwhile

    def result(self) -> Any:
        """How the match stands, as the `result` payload for everybody."""
        # Pages ask from a thread of their own: meanwhile another ruling may come, or another match begin.
        times = {seq: told.t_unix for seq, told in enumerate(list(self.history), 1)}
        ruled = [one for one in self.umpire.recent(sys.maxsize) if one.seq in times]
        history = [(times[one.seq], one.event, one.ruling) for one in ruled]
        return scoreboard.result(self.info(for_umpire=False), history)

    def info(self, *, for_umpire: bool) -> scoreboard.MatchInfo:
        """What is known of the match besides its rulings, with players as the umpire or everybody sees them."""
        info = self.umpire.info(self.names.table, self.match)
        return info if for_umpire else self.names.players.info(info)

    def for_everybody(self, body: Any) -> Any:
        """A JSON value as everybody may see it: players stand in it as the table shows them."""
        return self.names.players.hide(body, self.info(for_umpire=True))

    def evidence_key(self, seq: int) -> str:
        """The name under which the evidence of a stroke is kept."""
        return f"{self.match}-{seq}"

    def kept(self, seq: int) -> Kept | None:
        """The evidence that is kept of a stroke, None where there is none."""
        return self.shelf.get(self.evidence_key(seq))

    def mismatch_answer(self, event: Mapping[str, Any]) -> tuple[str, tuple[Event, ...]] | None:
        """Which mismatch an event answers, and the events that it stands for; see `questions.mismatch_answer`."""
        return questions.mismatch_answer(event, self.mismatches, self.seen_board, self.umpire.latest)

    # -- what happens

    def open_match(self, name: str) -> None:
        """Another match begins: nothing of the one before is shown any more."""
        self.match = name
        self.history.clear()
        self.mismatches.clear()
        self.unsaved.clear()
        self.tracks = []
        self.clock.stopped()

    def tell(self, taken: Entry, *, saved: bool) -> None:
        """Tells what was taken: a stroke first, then its ruling, then each foul."""
        self.history.append(taken)
        if taken.event["event"] == "shot":
            self.outlets.shot(taken.event, taken.t_unix)
        self.outlets.ruling(published(taken.ruling, saved=saved), taken.t_unix)
        seat = taken.ruling.get("seat")
        for foul in taken.ruling.get("fouls", ()):
            level: Level = "foul" if foul["status"] == "ruled" else "ask"
            self.alert("foul", level, foul["says"], t=taken.t_unix, clause=foul["clause"], seat=seat)

    def saved(self, entry: Entry) -> None:
        """What was published before it was in the journal is there now."""
        if entry.match == self.match:
            self.unsaved.discard(entry.seq)
        self.outlets.ruling(published(entry.ruling, saved=True), entry.t_unix)

    def evidence_kept(self, trouble: str) -> None:
        """Evidence was put into the store, or could not be: an open question shows it from now on."""
        if trouble:
            self.alert("evidence", "fault", trouble)
        self.refresh()

    def time_goes_on(self, t_ns: int) -> None:
        """The stroke clock after a ruling, which was published, on what ended at `t_ns`."""
        expected, seen = self.umpire.expectation(), self.health.camera_works is not False
        if expected is not None:
            now, before = self.history[-1].ruling, self.history[-2].ruling if len(self.history) > 1 else None
            self.clock.ruled(now, before, expected, t_ns, limit_s=self.umpire.stroke_seconds(), sees=seen)

    def round_goes_on(self, taken: Taken, t_ns: int) -> None:
        """The round clock after a ruling on what was taken in at `t_ns`."""
        if (now := self.umpire.standing()) is not None:
            self.round = self.round.ruled(taken.event["event"], now, t_ns)
            self.challenge = self.challenge.ruled(now, t_ns)

    def noticed(self, said: outputs.Felt | outputs.Mismatch | outputs.Practice | outputs.Phase | outputs.Armed) -> None:
        """Something was read that nobody rules on."""
        match said:
            case outputs.Felt():
                if not said.hand:
                    self.alert("fell", "info", f"fell: {said.pocket}", t=self.wall.unix_of(said.t_ns))
            case outputs.Mismatch():
                if said.resolved:
                    self.mismatches.pop(questions.mismatch_name(said), None)
                else:
                    self.mismatches[questions.mismatch_name(said)] = said
                self.refresh()
            case outputs.Practice():
                self.alert("practice", "info", said.why, seat=said.seat)
            case outputs.Phase():
                self.phase = said.name
                self.outlets.changed()
            case outputs.Armed():
                self.health_now(senses=said)

    def refuse(self, why: Refusal, evidence: outputs.Evidence | None) -> None:
        """What was seen cannot be ruled on: it stands until the next thing is taken, because nobody else counts it."""
        picture = evidence.pictures[2] if evidence is not None else None
        waits = why.event == "shot" and self.umpire.holds_strokes()
        says = f"{why.event} {'waits' if waits else 'not taken'}: {why.error}"
        self.refused = Alert("refused", "warning", says, self.unix(), picture=picture)
        self.refresh()

    def eyes_gone(self) -> None:
        """The vision process left: reported before the next stroke, play goes on."""
        if self.health.camera != "none":
            self.health_now(camera="away")

    def measured(self, **figures: Any) -> None:
        """Figures of the machine and of our connections; health is published with them."""
        self.health_now(outlets=self.outlets.troubles(), **figures)
        self.outlets.health()

    def health_now(self, **figures: Any) -> None:
        """Some part is otherwise than before; published where it is news."""
        self.set_health(replace(self.health, **figures))

    def set_health(self, health: Health) -> None:
        """How the table is from now on; published where it is news."""
        if health == self.health:
            return
        before, self.health = self.health, health
        if before.camera_works and not health.camera_works:
            self.clock.blinded()
        told = health.faults() != before.faults() or health.other_strikers() != before.other_strikers()
        told |= health.warnings() != before.warnings() or health.set_up != before.set_up
        if told or health.armed != before.armed:
            self.outlets.health()
            self.refresh()

    def lie(self, seen: BoardSeen | Moving) -> None:
        """Where the pieces lie at rest, or are while they move."""
        self.seen_ns = seen.t_ns
        self.seen_board = seen if isinstance(seen, BoardSeen) else self.seen_board
        moving = isinstance(seen, Moving)
        told = self.lying.seen(seen.t_ns, self.wall.unix_of(seen.t_ns), seen.pieces, moving=moving)
        if told is not None:
            self.outlets.board(told)

    def alert(self, name: str, level: Level, says: str, *, t: float | None = None, **more: Any) -> None:
        """Tells something that should be noticed and does not stand."""
        self.outlets.alert(Alert(name, level, says, self.unix() if t is None else t, **more))

    def unix(self) -> float:
        """Now, in Unix seconds."""
        return self.wall.unix_of(self.now_ns())
