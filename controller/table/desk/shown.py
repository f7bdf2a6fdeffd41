"""What a table shows at any moment: score, clock, health, and the alerts that stand; published at each change.

It decides nothing. Must not know where anything is published, nor how strokes are read and ruled on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calibration.board import Board
from controller.events.match import Event
from controller.events.observation import BoardSeen, Moving
from controller.events.ruling import Challenged, Question, Refusal
from controller.journal.journal import Entry
from controller.mqtt.payloads import Alert, Level, Round
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
from controller.table.match.ruled_match import Json, RuledMatch, Taken
from controller.table.match.turn_clock import TurnClock
from controller.table.match.umpire import Umpire, published
from controller.table.match.unresolved import StandingAlerts
from controller.table.public.messages import alert_is_the_umpires, ruling_for_everybody, stroke_for_everybody
from controller.table.public.names import NAMED, PublicNames
from controller.table.public.outlet import Outlet, Outlets, PublicOutlets
from controller.web.app import LONGEST_CLIP

TIME_IS_UP = "stroke-clock"
ROUND_UNCOUNTED = "round-clock"

UNCOUNTED = (
    "the table was off while the round's time ran, and that time is not counted. "
    "Fix: end the round by hand when your own watch does"
)

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
        self.outlets, self.umpires = PublicOutlets(), Outlets[Outlet]()
        self.wall = WallClock(now_ns)
        self.standing, self.umpires_standing = StandingAlerts(), StandingAlerts()
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
        self._noted: dict[str, outputs.Mismatch] = {}
        """Mismatches that still are, and that were answered with nothing following."""
        self.public_mismatches: Mapping[str, outputs.Mismatch] = {}
        """Those that everybody may know: what a board should be may hang on a challenge."""
        self._untold: list[tuple[Entry, bool]] = []
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
        t, public = self.unix(), self.umpire.public
        if public is self.umpire:
            self.public_mismatches = dict(self.mismatches)
        told = self._of_match(public, self.public_mismatches, t)
        told += [Alert(name, "fault", says, t) for name, says in self.health.faults().items()]
        told += [Alert(name, "warning", says, t) for name, says in self.health.warnings().items()]
        told += self._strikers(t)
        if self.time_is_up():
            says = f"time is up: no stroke in {self.umpire.stroke_seconds():g} s"
            told.append(Alert(TIME_IS_UP, "warning", says, t, seat=(self.umpire.latest or {}).get("turn")))
        if self.round.doubtful:
            told.append(Alert(ROUND_UNCOUNTED, "warning", UNCOUNTED, t))
        if self.refused is not None:
            told.append(self.refused)
        everybodys = {alert.id: alert for alert in told if not alert_is_the_umpires(alert)}
        umpires = [*told, *(self._of_match(self.umpire, self.mismatches, t) if public is not self.umpire else ())]
        self._stand(self.standing, self.outlets, everybodys)
        self._stand(self.umpires_standing, self.umpires, {one.id: one for one in umpires if one.id not in everybodys})
        self.outlets.changed()

    def _of_match(self, match: RuledMatch, mismatches: Mapping[str, outputs.Mismatch], t: float) -> list[Alert]:
        standing = match.standing()
        asked = [self._question(one, t) for one in match.questions()]
        waits = [self._challenge(one, t) for one in (standing.challenges if standing is not None else ())]
        return [*asked, *waits, *(questions.mismatch_alert(held, t) for held in mismatches.values())]

    def _stand(self, standing: StandingAlerts, outlets: Outlets[Any], now: Mapping[str, Alert]) -> None:
        fresh, gone = standing.update(now)
        for name in gone:
            outlets.resolve(name)
        for alert in fresh:
            outlets.alert(self._named(alert) if outlets is self.outlets else alert, standing=True)

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

    def clock_payload(self) -> Any:
        """The stroke clock as it stands."""
        return self.clock.clock.payload(self.now_ns())

    def round_payload(self) -> Round | None:
        """The round clock as it stands, None where the match has none."""
        return self.round.payload(self.now_ns(), self._unix_of(self.round.ends_ns()))

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

    def for_everybody(self, body: Any) -> Any:
        """A JSON value as everybody may see it: players stand in it as the table shows them."""
        return self.names.players.hide(body, self.umpire.info(self.names.table, self.match))

    def evidence_key(self, seq: int) -> str:
        """The name under which the evidence of a stroke is kept."""
        return f"{self.match}-{seq}"

    def kept(self, seq: int) -> Kept | None:
        """The evidence that is kept of a stroke, None where there is none."""
        return self.shelf.get(self.evidence_key(seq))

    def mismatch_answer(self, event: Mapping[str, Any]) -> tuple[str, tuple[Event, ...]] | None:
        """Which mismatch an event answers, and the events that it stands for; see `questions.mismatch_answer`."""
        return questions.mismatch_answer(event, self.mismatches, self.seen_board, self.umpire.latest)

    def mismatch_answered(self, name: str, *, noted: bool) -> None:
        """A mismatch is asked about no more. `noted`: nothing followed from its answer, which can be taken back."""
        held = self.mismatches.pop(name, None)
        if noted and held is not None:
            self._noted[name] = held
        self.refresh()

    def asks_again(self, event: Mapping[str, Any]) -> bool:
        """Takes an answer back from which nothing followed, if the event does so: the mismatch is asked about again."""
        if event.get("event") != "answer" or event.get("choice") != questions.ASK_AGAIN:
            return False
        held = self._noted.pop(str(event.get("ask")), None)
        if held is None:
            return False
        self.mismatches[questions.mismatch_name(held)] = held
        self.refresh()
        return True

    # -- what happens

    def open_match(self, name: str) -> None:
        """Another match begins: nothing of the one before is shown any more."""
        self.match = name
        self.history.clear()
        self.mismatches.clear()
        self._noted.clear()
        self._untold.clear()
        self.unsaved.clear()
        self.tracks = []
        self.clock.stopped()

    def tell(self, taken: Entry, *, saved: bool) -> None:
        """Tells what was taken: a stroke first, then its ruling, then each foul.

        Everybody hears what was entered while a challenge waits together with its verdict.
        """
        self.history.append(taken)
        self._tell_umpires(taken, saved=saved)
        self._untold.append((taken, saved))
        while self._untold and self._untold[0][0].seq <= self.umpire.public.seq:
            self._tell_everybody(*self._untold.pop(0))

    def taken_up(self, match: str, entries: Sequence[Entry]) -> None:
        """A match goes on after a restart: these are its events."""
        self.match, self.history = match, list(entries)
        self._untold = [(entry, True) for entry in entries if entry.seq > self.umpire.public.seq]

    def _tell_umpires(self, taken: Entry, *, saved: bool) -> None:
        shadow = self.names.shadow
        if taken.event["event"] == "shot":
            self.umpires.shot(stroke_for_everybody(taken.event) if shadow else taken.event, taken.t_unix)
        ruling = published(taken.ruling, saved=saved)
        self.umpires.ruling(ruling_for_everybody(ruling) if shadow else ruling, taken.t_unix)
        for alert in _fouls(taken):
            if alert_is_the_umpires(alert):
                self.umpires.alert(alert)

    def _tell_everybody(self, taken: Entry, saved: bool) -> None:
        if taken.event["event"] == "shot":
            self.outlets.shot(self.for_everybody(stroke_for_everybody(taken.event)), taken.t_unix)
        self._ruled_for_everybody(taken, saved)
        for alert in _fouls(taken):
            if not alert_is_the_umpires(alert):
                self.outlets.alert(self._named(alert))

    def _ruled_for_everybody(self, taken: Entry, saved: bool) -> None:
        ruling = published(taken.ruling, saved=saved)
        self.outlets.ruling(self.for_everybody(ruling_for_everybody(ruling)), taken.t_unix)

    def saved(self, entry: Entry) -> None:
        """What was published before it was in the journal is there now."""
        if entry.match == self.match:
            self.unsaved.discard(entry.seq)
        ruling = published(entry.ruling, saved=True)
        self.umpires.ruling(ruling_for_everybody(ruling) if self.names.shadow else ruling, entry.t_unix)
        if any((waits.match, waits.seq) == (entry.match, entry.seq) for waits, _ in self._untold):
            self._untold = [(waits, saved or waits.seq == entry.seq) for waits, saved in self._untold]
        else:
            self._ruled_for_everybody(entry, saved=True)

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
                name = questions.mismatch_name(said)
                self._noted.pop(name, None)
                if said.resolved:
                    self.mismatches.pop(name, None)
                else:
                    self.mismatches[name] = said
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
        self.health_now(outlets={**self.umpires.troubles(), **self.outlets.troubles()}, **figures)
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

    def alert(
        self, name: str, level: Level, says: str, *, t: float | None = None, umpires: bool = False, **more: Any
    ) -> None:
        """Tells something that should be noticed and does not stand; `umpires`: to them alone."""
        alert = Alert(name, level, says, self.unix() if t is None else t, **more)
        if umpires or alert_is_the_umpires(alert):
            self.umpires.alert(alert)
        else:
            self.outlets.alert(self._named(alert))

    def _named(self, alert: Alert) -> Alert:
        return replace(alert, says=self.for_everybody(alert.says))

    def unix(self) -> float:
        """Now, in Unix seconds."""
        return self.wall.unix_of(self.now_ns())


def _fouls(taken: Entry) -> list[Alert]:
    """The alerts of a ruling's fouls: those that are ruled, and those to be confirmed."""
    seat = taken.ruling.get("seat")
    return [
        Alert("foul", "foul" if foul["status"] == "ruled" else "ask", foul["says"], taken.t_unix, foul["clause"], seat)
        for foul in taken.ruling.get("fouls", ())
    ]
