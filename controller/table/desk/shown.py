"""What a desk shows at any moment: score, clock, health, and the alerts that stand; told whenever it changes.

The half of the desk that decides nothing. Must not know where anything is told.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from calibration.board import Board
from calibration.measures import measures_of
from controller.events.observation import BoardSeen, Moving
from controller.events.ruling import Question
from controller.mqtt import scoreboard
from controller.mqtt.payloads import Alert, Level
from controller.shots import outputs
from controller.table.evidence.of_stroke import clip_of, shown_picture
from controller.table.evidence.store import EvidenceShelf
from controller.table.machine.arming import Arming
from controller.table.machine.clock import NowNs, WallClock
from controller.table.machine.health import Health
from controller.table.match.lying import LyingNow
from controller.table.match.questions import mismatch_alert, mismatch_name, question_alert
from controller.table.match.ruled_strokes import RuledStrokes
from controller.table.match.turn_clock import TurnClock
from controller.table.match.umpire import Json, Umpire
from controller.table.match.unresolved import Standing
from controller.table.public.messages import ruling_for_everybody
from controller.table.public.names import NAMED, PublicNames
from controller.table.public.outlet import Outlets
from controller.web.app import LONGEST_CLIP

TIME_IS_UP = "stroke-clock"

STRIKERS_LEARNT = 12
"""Strokes after a change of ends by which the eyes have seen each seat's striker often enough to know it."""

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
    """The umpire calls without having been told: what was only noted is shown to nobody."""


@dataclass(frozen=True)
class Published:
    """An event as it was taken: when, and what was said at once. What stands now is the umpire's to say."""

    t_unix: float
    event: Json
    ruling: Json


class Shown:
    """What there is to show. `unsaved`: events that were told before they were in the journal, and are not yet."""

    def __init__(
        self, umpire: Umpire, shelf: EvidenceShelf, now_ns: NowNs, names: TableNames, health: Health, board: Board
    ) -> None:
        self.board = board
        self.umpire = umpire
        self.shelf = shelf
        self.now_ns = now_ns
        self.names = names
        self.health = health
        self.outlets = Outlets()
        self.wall = WallClock(now_ns)
        self.standing = Standing()
        self.clock = TurnClock()
        self.match = ""
        self.history: list[Published] = []
        self.lying = LyingNow()
        self.seen_ns: int | None = None
        self.phase = "waiting"
        self.tracks: list[Json] = []
        self.mismatches: dict[str, outputs.Mismatch] = {}
        self.refused: Alert | None = None
        self.unsaved: set[int] = set()
        self.strokes = RuledStrokes()
        self.arming = Arming()
        self.began = self._unix()

    def arm(self, arming: Arming) -> None:
        """How far the table is tried before its first match; told where it is news."""
        if arming is not self.arming:
            told, self.arming = self.arming, arming
            if replace(told, edges=()) != replace(arming, edges=()):
                self.outlets.health()

    def arming_told(self) -> Json | None:
        """How far the table is tried, for the umpire's page."""
        return self.arming.told(self.health, self.umpire.expectation())

    def refresh(self) -> None:
        """Tells what stands now and takes back what does not."""
        t = self._unix()
        now = [self._question(asked, t) for asked in self.umpire.questions()]
        now += [mismatch_alert(held, t) for held in self.mismatches.values()]
        now += [Alert(name, "fault", says, t) for name, says in self.health.faults().items()]
        now += [Alert(name, "warning", says, t) for name, says in self.health.warnings().items()]
        now += self._strikers(t)
        if self.refused is not None:
            now.append(self.refused)
        if self._time_is_up():
            says = f"time is up: no stroke in {self.umpire.stroke_seconds():g} s"
            now.append(Alert(TIME_IS_UP, "warning", says, t, seat=(self.umpire.latest or {}).get("turn")))
        fresh, gone = self.standing.update({alert.id: alert for alert in now})
        for alert in fresh:
            self.outlets.alert(alert, standing=True)
        for name in gone:
            self.outlets.resolve(name)
        self.outlets.changed()

    def _strikers(self, t: float) -> list[Alert]:
        """Strikers that were exchanged, with the clause of tonight's book that the umpire may call for it.

        After a change of ends each seat has another one with its player, and the eyes have to learn them first.
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
        kept = self.shelf.get(self.evidence_key(asked.seq))
        if kept is None:
            return question_alert(asked, t)
        return question_alert(asked, t, shown_picture(kept), clip_of(kept, LONGEST_CLIP))

    def _time_is_up(self) -> bool:
        # Without a camera a stroke is entered by hand when there is time for it: nobody is late by that.
        return bool(self.health.camera_works) and self.clock.clock.ran_out(self.now_ns())

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
        t = self._unix()
        if latest is None:
            return scoreboard.idle(self.names.table, t, self.health.armed, measures_of(self.board))
        return scoreboard.score(
            latest,
            self.info(for_umpire=for_umpire),
            t,
            clock=self.clock_payload(),
            armed=self.health.armed,
            provisional=self.umpire.hanging(),
            asks=len(asked),
            measures=measures_of(self.board),
        )

    def clock_payload(self) -> Any:
        """The stroke clock as it stands."""
        return self.clock.clock.payload(self.now_ns())

    def health_payload(self) -> Any:
        """The `health` payload as it stands."""
        seen = None if self.seen_ns is None else self.wall.unix_of(self.seen_ns)
        return self.health.payload(self._unix(), seen, self.began)

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

    def eyes_gone(self) -> None:
        """The eyes' process left: said before the next stroke, play goes on."""
        if self.health.camera != "none":
            self._set_health(replace(self.health, camera="away"))

    def measured(self, **figures: Any) -> None:
        """Figures of the machine and of our connections; health is told with them."""
        self._set_health(replace(self.health, outlets=self.outlets.troubles(), **figures))
        self.outlets.health()

    def _mismatch(self, said: outputs.Mismatch) -> None:
        if said.resolved:
            self.mismatches.pop(mismatch_name(said), None)
        else:
            self.mismatches[mismatch_name(said)] = said
        self.refresh()

    def _was_refused(self, error: Json, evidence: outputs.Evidence | None) -> None:
        """What was seen cannot be ruled on: it stands until the next thing is taken, because nobody else counts it."""
        picture = evidence.pictures[2] if evidence is not None else None
        waits = error["event"] == "shot" and self.umpire.questions()
        says = f"{error['event']} {'waits' if waits else 'not taken'}: {error['error']}"
        self.refused = Alert("refused", "warning", says, self._unix(), picture=picture)
        self.refresh()

    def _set_health(self, health: Health) -> None:
        if health == self.health:
            return
        before, self.health = self.health, health
        if before.camera_works and not health.camera_works:
            # From here on nobody knows when a stroke's time began.
            self.clock.stopped()
        told = health.faults() != before.faults() or health.other_strikers() != before.other_strikers()
        told |= health.warnings() != before.warnings() or health.set_up != before.set_up
        if told or health.armed != before.armed:
            self.outlets.health()
            self.refresh()

    def _lie(self, seen: BoardSeen | Moving, *, moving: bool) -> None:
        self.seen_ns = seen.t_ns
        told = self.lying.seen(seen.t_ns, self.wall.unix_of(seen.t_ns), seen.pieces, moving=moving)
        if told is not None:
            self.outlets.board(told)

    def _alert(self, name: str, level: Level, says: str, *, t: float | None = None, **more: Any) -> None:
        self.outlets.alert(Alert(name, level, says, self._unix() if t is None else t, **more))

    def _unix(self) -> float:
        return self.wall.unix_of(self.now_ns())
