"""One table as the club knows it, and its tile: what the club's pages show of it. Pure. Knows no table's insides."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from controller.hub.fixtures import Fixture
from controller.hub.said import (
    AlertSaid,
    ClockSaid,
    HealthSaid,
    ResultSaid,
    ScoreSaid,
)
from controller.mqtt.payloads import NOTHING_PLAYED

CLOCKS_AGREE_S = 5.0
"""What a table says is on its way for so long at most; a larger difference is one between two clocks."""
LONGEST_NUMBER = 6
"""Digits in a table's name that are counted by."""


@dataclass(frozen=True, slots=True)
class Row:
    """One table.

    `waiting`: open questions and faults that stand, by id; `unconfirmed`: what is flagged, for referees alone; `cut`:
    its bridge to this broker is down, or the broker itself is away; `silent`: its health has not come for `SILENT_S`;
    `awaited`: of its health only what the broker had kept is known, which may be of any age; `online`: None before it
    was received; `ahead_s`: how far our clock is ahead of its own, None before it gave its time; `results`: the day's,
    by match.
    """

    table: str
    online: bool | None = None
    score: ScoreSaid | None = None
    health: HealthSaid | None = None
    waiting: dict[str, AlertSaid] = field(default_factory=dict)
    unconfirmed: dict[str, AlertSaid] = field(default_factory=dict)
    cut: bool = False
    silent: bool = False
    awaited: bool = False
    ahead_s: float | None = None
    results: dict[str, ResultSaid] = field(default_factory=dict)
    fixtures: tuple[Fixture, ...] = ()

    @property
    def title(self) -> str:
        """What people call the table."""
        return (self.health.name if self.health else "") or self.table

    @property
    def here(self) -> bool:
        """Whether its messages arrive: a table whose bridge is down plays on, and its `availability` stays."""
        return bool(self.online) and not (self.cut or self.silent or self.awaited)

    def seen_by(self, *, referee: bool) -> Row:
        """The row as a referee sees it, or as everybody does."""
        return replace(self, waiting={**self.waiting, **self.unconfirmed}) if referee and self.unconfirmed else self

    @property
    def lamp(self) -> str:
        """`ask`, `fault`, `fine`, `off`, or `unknown` until a health tells whether it is there."""
        if not self.here:
            return "unknown" if self.awaited and not (self.online is False or self.cut or self.silent) else "off"
        levels = {alert.level for alert in self.waiting.values()}
        if "ask" in levels or (self.score is not None and self.score.asks > 0):
            return "ask"
        return "fault" if "fault" in levels else "fine"

    @property
    def since(self) -> float | None:
        """When its oldest open question was asked, its oldest fault began, or it was last received; by our clock."""
        match self.lamp:
            case "off":
                times = [said.t for said in (self.score, self.health) if said is not None]
                return self.ours(max(times, default=None))
            case "fine" | "unknown":
                return None
            case level:
                return self.ours(min((one.t for one in self.waiting.values() if one.level == level), default=None))

    def ours(self, t: float | None) -> float | None:
        """A time of the table's clock by ours, as far as the table has given its own."""
        return t if t is None or self.ahead_s is None else t + self.ahead_s

    @property
    def clock(self) -> dict[str, float | None] | None:
        """The stroke clock, None where none runs: when it `ends` by our clock, or what is `left` while it stands."""
        clock = self.score.clock if self.score is not None and self.here else ClockSaid()
        return self._by_ours(clock) if clock.running else None

    @property
    def round_clock(self) -> dict[str, float | None] | None:
        """The same of the round clock, also while it stands; None once the round is over or no
        clock ends it, and where it has no limit."""
        clock = self.score.round if self.score is not None and self.here and self.begun else None
        return None if clock is None or clock.over or clock.by_hand else self._by_ours(clock)

    def _by_ours(self, clock: ClockSaid) -> dict[str, float | None] | None:
        if clock.left is None:
            return None
        return {"ends": None if clock.ends is None else round(self.ours(clock.ends) or 0.0, 1), "left": clock.left}

    @property
    def begun(self) -> bool:
        """Whether a match is under way on it that somebody plays, and we would know if it ended."""
        return self.here and self.score is not None and self.score.begun

    def timed(self, ahead_s: float) -> Row:
        """The row once it is known how far our clock is ahead. What stood before the table's clock was set goes on
        to have begun when it began."""
        if self.ahead_s is not None and abs(ahead_s - self.ahead_s) < CLOCKS_AGREE_S:
            return self
        later = 0.0 if self.ahead_s is None else self.ahead_s - ahead_s
        waiting, unconfirmed = (
            {name: one.model_copy(update={"t": one.t + later}) for name, one in held.items()}
            for held in (self.waiting, self.unconfirmed)
        )
        return replace(self, ahead_s=ahead_s, waiting=waiting, unconfirmed=unconfirmed)


def by_number(name: str) -> list[tuple[int, str]]:
    """Sorts names as people count: table 2 before table 10."""
    return [(int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", name)]


_FIRST = {"ask": 0, "fault": 1, "fine": 2, "unknown": 4, "off": 5}


def _place(row: Row) -> str:
    """Where a tile stands among the others, as a text: pages sort by it and decide nothing."""
    lamp = row.lamp
    kind = 3 if lamp == "fine" and not row.begun else _FIRST[lamp]
    # A question whose time is not known waits longest: nobody may be forgotten.
    waits = max(0.0, row.since or 0.0) if lamp in ("ask", "fault") else 0.0
    title = re.sub(r"\d+", lambda number: f"{number[0]:>0{LONGEST_NUMBER}}", row.title)
    return f"{kind} {waits:015.3f} {title}"


PICTURES = ("picture", "clip")
FOR_REFEREES = (*PICTURES, "ask", "choices")
"""What of a question only a referee is sent."""

_WATCH = ("camera", "node", "beams", "journal", "seen", "simulated")
"""What of a table's health the club's pages show."""


def tile_of(row: Row, told: Collection[str]) -> dict[str, Any]:
    """`told`: what of a question is sent besides what it says."""
    score, lamp = row.score, row.lamp
    waiting = sorted(row.waiting.values(), key=lambda one: (one.level != "ask", one.t))
    return {
        "table": row.table,
        "title": row.title,
        "place": _place(row),
        "online": row.here,
        "cut": bool(row.online) and row.cut,
        "lamp": lamp,
        "since": row.since,
        "armed": row.health.armed if row.health else None,
        "health": row.health.model_dump(include=set(_WATCH)) if row.health else None,
        "state": score.state if score and (score.begun or score.state in NOTHING_PLAYED) else "idle",
        "book": score.book if score else None,
        "board": score.board if score else None,
        "turn": score.turn if score else None,
        "winner": score.winner if score else None,
        "clock": row.clock,
        "round": row.round_clock,
        "challenged": bool(score and score.challenge),
        "says": score.last.says if score and score.last else "",
        "sides": [
            {"name": side.name, "seats": side.seats, "points": side.points, "games": side.games, "colour": side.colour}
            for side in (score.sides if score else ())
        ],
        "waiting": [
            {"level": one.level, "says": one.says, "t": row.ours(one.t)}
            | dict.fromkeys(PICTURES)
            | one.model_dump(include=set(told))
            for one in waiting
        ],
        "page": row.health.page if row.health else "",
        "asks": score.asks if score else 0,
    }
