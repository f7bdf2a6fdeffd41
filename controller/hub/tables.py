"""The club's tables as their topics tell them. Pure: messages in, rows out. Knows no table's insides.

Whatever a table may send, a row can be made of it: what cannot be read is left as it was. Nothing is kept that the
broker does not keep: a hub that starts anew knows the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from controller.events.doors import word_of
from controller.events.errors import UnreadableError
from controller.hub.fixtures import Fixture, fixtures_from
from controller.hub.said import (
    NOTHING_PLAYED,
    AlertSaid,
    BoardSaid,
    HealthSaid,
    HistorySaid,
    ResultSaid,
    RulingSaid,
    ScoreSaid,
    plain,
    read,
    seconds,
)
from controller.mqtt.topics import FIXTURES, ONLINE, ROOT, SILENT_S

_KINDS = (
    "health", "availability", "link", "score", "score/clock", "alert/+", "umpire/alert/+", "board", "history",
    "result/+", FIXTURES,
)  # fmt: skip
WANTED = tuple(f"{ROOT}/+/{kind}" for kind in _KINDS)
"""What the hub subscribes to, first what tells how old the rest is. `umpire/…` comes only where the broker lets it: to
the role `referees`.
"""

CUT = b"0"
"""What stands on `link` once the bridge has fallen."""
CLOCKS_AGREE_S = 5.0
"""What a table says is on its way for so long at most; a larger difference is one between two clocks."""
MOST_TABLES = 500
MOST_WAITING = 100
"""Of one table. More than any club has: somebody who makes names up must not fill the memory."""
FORGOTTEN_S = 5.0
"""What a broker keeps comes at once; what has not come so long after it was asked for, it has forgotten."""
MOST_RESULTS = 50
"""Of one table and day; more are not taken."""


@dataclass(frozen=True, slots=True)
class Row:
    """One table.

    `waiting`: open questions and faults that stand, by id; `unconfirmed`: what is flagged, for referees alone; `cut`:
    its bridge to this broker is down, or the broker itself is away; `silent`: its health has not come for `SILENT_S`;
    `awaited`: of its health only what the broker had kept is known, which may be of any age; `online`: None before it
    was received; `ahead_s`: how far our clock is ahead of its own, None before it gave its time;
    `left_s`: whole seconds of the stroke clock while it runs; `results`: the day's, by match; `changes`: counts what
    its own page shows.
    """

    table: str
    online: bool | None = None
    score: ScoreSaid | None = None
    left_s: int | None = None
    health: HealthSaid | None = None
    board: BoardSaid | None = None
    waiting: dict[str, AlertSaid] = field(default_factory=dict)
    unconfirmed: dict[str, AlertSaid] = field(default_factory=dict)
    cut: bool = False
    silent: bool = False
    awaited: bool = False
    ahead_s: float | None = None
    rulings: tuple[RulingSaid, ...] = ()
    results: dict[str, ResultSaid] = field(default_factory=dict)
    fixtures: tuple[Fixture, ...] = ()
    changes: int = 0

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


@dataclass(frozen=True, slots=True)
class _Sign:
    """The last sign of life: the `t` of a table's health, by its clock, and when it arrived, by ours.

    `kept`: it is none yet, as the broker had kept it; both clocks may be wrong, so that only the next one tells.
    """

    t: float
    heard_s: float
    kept: bool = False


class Tables:
    """All known tables. `now_s`: the time by our steady clock; `passed` advances it. `answers`: referees answer here,
    so that they are sent each question's choices.
    """

    def __init__(self, now_s: float = 0.0, *, answers: bool = False) -> None:
        self._now_s = now_s
        self._told = {False: (), True: _REFEREES if answers else _PICTURES}
        self._signs: dict[str, _Sign] = {}
        self._rows: dict[str, Row] = {}
        self._asked_s = now_s
        self._stood: dict[str, tuple[Fixture, ...]] = {}
        """What stood when all was asked for anew, as far as nothing has come on its topic since."""
        self._tiles: dict[bool, dict[str, dict[str, Any]]] = {False: {}, True: {}}

    def anew(self) -> None:
        """All that the broker keeps comes anew. Only when a table gave its last sign of life is still known."""
        if self._rows:
            self._signs = {table: sign for table, sign in self._signs.items() if table in self._rows}
        self._stood |= {row.table: row.fixtures for row in self._rows.values() if row.fixtures}
        self._asked_s = self._now_s
        self._rows.clear()
        for tiles in self._tiles.values():
            tiles.clear()

    def passed(self, now_s: float) -> bool:
        """Time has passed. Returns whether a table has become silent."""
        self._now_s = now_s
        gone = [row for row in self._rows.values() if not row.silent and self._is_old(row.table)]
        for row in gone:
            self._keep(replace(row, silent=True, changes=row.changes + 1))
        return bool(gone)

    def heard(self, topic: str, payload: bytes, *, retained: bool = False) -> Literal["state", "clock"] | None:
        """Takes in one message; `retained`: the broker had kept it. Returns what has changed of what is shown: a stroke
        clock, or more.
        """
        parts = topic.split("/")
        if len(parts) < 3 or parts[0] != ROOT:
            return None
        if parts[2:] == [FIXTURES]:
            self._stood.pop(parts[1], None)
        before = self._rows.get(parts[1])
        if before is None:
            if len(self._rows) >= MOST_TABLES or not _is_name(parts[1]):
                return None
            sign = self._signs.get(parts[1])
            before = Row(parts[1], silent=self._is_old(parts[1]), awaited=sign is not None and sign.kept)
        after = _with(before, parts[2:], payload)
        if after.health is not None and after.health is not before.health:
            after = self._alive(after, after.health.t, retained=retained)
        if after == before:
            return None
        if _only_later(before, after):
            self._rows[after.table] = after
            return None
        if replace(after, left_s=before.left_s) == before:
            self._keep(after)
            return "clock"
        self._keep(replace(after, changes=before.changes + 1))
        return "state"

    def clocks(self) -> dict[str, int]:
        """The stroke clocks that run, by table, in whole seconds."""
        return {row.table: row.left_s for row in self._rows.values() if row.here and row.left_s is not None}

    def lost(self) -> None:
        """The broker is lost: each table is shown by its last message, and as cut off."""
        for row in list(self._rows.values()):
            self._keep(replace(row, cut=True, changes=row.changes + 1))

    def _is_old(self, table: str) -> bool:
        sign = self._signs.get(table)
        return sign is not None and self._now_s - sign.heard_s > SILENT_S

    def _alive(self, row: Row, t: float, *, retained: bool) -> Row:
        sign = self._signs.get(row.table)
        if not retained:
            self._signs[row.table] = _Sign(t, self._now_s)
            # Who speaks is there, also where the will of a connection that it has left came after its `online`.
            timed = row.timed(self._now_s - t) if t > 0 else row
            return replace(timed, silent=False, awaited=False, online=True)
        if sign is not None and t <= sign.t:
            return row
        if sign is None or self._is_old(row.table):
            self._signs[row.table] = _Sign(t, self._now_s, kept=True)
            return replace(row, silent=False, awaited=True)
        # It spoke while we did not listen for less than `SILENT_S`; who was only awaited is awaited no longer for it.
        self._signs[row.table] = _Sign(t, sign.heard_s if sign.kept else self._now_s, kept=sign.kept)
        return row

    def _keep(self, row: Row) -> None:
        self._rows[row.table] = row
        # One table's change costs two tiles, however many tables there are.
        for referee, tiles in self._tiles.items():
            tiles[row.table] = _tile(row.seen_by(referee=referee), self._told[referee])

    def plain(self, *, referee: bool = False) -> list[dict[str, Any]]:
        """The tiles as JSON values: whose question is oldest comes first, tables that are away last.

        `referee`: with what is flagged and not yet confirmed.
        """
        rows: Sequence[Row] = [row.seen_by(referee=referee) for row in self._rows.values()]
        return [self._tiles[referee][row.table] for row in sorted(rows, key=_order)]

    def one(self, table: str, *, referee: bool = False) -> dict[str, Any] | None:
        """Everything that is known of one table, for its own page."""
        row = self._rows.get(table)
        if row is None:
            return None
        return self._tiles[referee][table] | {
            "score": plain(row.score),
            "board": plain(row.board),
            "rulings": [plain(ruling) for ruling in reversed(row.rulings)],
        }

    def results(self) -> list[tuple[str, ResultSaid]]:
        """The day's results, each with its table's id, in the order in which the matches ended."""
        found = [(row.table, result) for row in self._rows.values() for result in row.results.values()]
        return sorted(found, key=lambda one: (one[1].end, one[0], one[1].match))

    def result(self, topic: str) -> tuple[str, ResultSaid] | None:
        """The result that stands on a topic, with its table's id; None if it is none."""
        match topic.split("/"):
            case [_root, table, "result", name] if table in self._rows and name in self._rows[table].results:
                return table, self._rows[table].results[name]
        return None

    def fixtures(self) -> list[Fixture]:
        """What is to be played, on all tables, by time and table."""
        return sorted(
            (fixture for row in self._rows.values() for fixture in row.fixtures),
            key=lambda fixture: (fixture.time, _by_number(fixture.table)),
        )

    def listed(self) -> dict[str, tuple[Fixture, ...]]:
        """What is to be played on each table, as it is published."""
        return {row.table: row.fixtures for row in self._rows.values()}

    def remember(self, stood: Mapping[str, tuple[Fixture, ...]]) -> None:
        """These fixtures stood on their tables' topics when we last ran."""
        self._stood = {**stood, **self._stood}

    def standing(self) -> dict[str, tuple[Fixture, ...]]:
        """What stands on the tables' topics, or stood there while nothing has come from them since."""
        return self._stood | {row.table: row.fixtures for row in self._rows.values() if row.fixtures}

    def forgotten(self) -> dict[str, tuple[Fixture, ...]]:
        """Fixtures that stood on their tables' topics and that the broker has forgotten: it came back with nothing."""
        return dict(self._stood) if self._now_s - self._asked_s >= FORGOTTEN_S else {}

    def online(self) -> set[str]:
        """The tables that are there."""
        return {row.table for row in self._rows.values() if row.here}

    def ahead_s(self) -> dict[str, float]:
        """How far our clock is ahead of each table's, as far as it is known."""
        return {row.table: row.ahead_s for row in self._rows.values() if row.ahead_s is not None}

    def undisplayed(self) -> set[str]:
        """The tables that should have a display of their own, and have none just now."""
        return {row.table for row in self._rows.values() if row.here and row.health and row.health.display == "none"}

    def titles(self) -> dict[str, str]:
        """What people call each table."""
        return {row.table: row.title for row in self._rows.values()}

    def playing(self) -> dict[str, ScoreSaid]:
        """The scoreboards of the tables on which a match is under way that somebody plays."""
        scores = {row.table: row.score for row in self._rows.values() if row.here and row.score is not None}
        return {table: score for table, score in scores.items() if score.begun}


def _with(row: Row, kind: list[str], payload: bytes) -> Row:
    match kind:
        case ["availability"]:
            return replace(row, online=payload == ONLINE.encode())
        case ["link"]:
            # Said by the bridge, not by the table; a table on this broker itself has none.
            return replace(row, cut=payload == CUT)
        case ["score"]:
            return replace(row, score=read(ScoreSaid, payload, row.table) or row.score)
        case ["score", "clock"]:
            return replace(row, left_s=seconds(payload))
        case ["health"]:
            return replace(row, health=read(HealthSaid, payload, row.table) or row.health)
        case ["board"]:
            return replace(row, board=read(BoardSaid, payload, row.table) or row.board)
        case ["history"]:
            said = read(HistorySaid, payload, row.table)
            return row if said is None else replace(row, rulings=said.rulings)
        case ["alert", name]:
            return replace(row, waiting=_changed(row, row.waiting, name, payload, AlertSaid, MOST_WAITING))
        case ["umpire", "alert", name]:
            return replace(row, unconfirmed=_changed(row, row.unconfirmed, name, payload, AlertSaid, MOST_WAITING))
        case ["result", name]:
            return replace(row, results=_changed(row, row.results, name, payload, ResultSaid, MOST_RESULTS))
        case [fixtures] if fixtures == FIXTURES:
            return replace(row, fixtures=fixtures_from(row.table, payload, row.fixtures))
    return row


def _only_later(before: Row, after: Row) -> bool:
    """Whether the table says by its health that it goes on as before: half of what many tables send."""
    if before.health is None or after.health is None or after.health == before.health:
        return False
    later = {"t": before.health.t, "seen": before.health.seen}
    same = replace(after, health=after.health.model_copy(update=later), ahead_s=before.ahead_s)
    return before.ahead_s is not None and same == before


def _changed(row: Row, held: dict[str, Any], name: str, payload: bytes, kind: Any, most: int) -> dict[str, Any]:
    if not payload:
        return {known: value for known, value in held.items() if known != name}
    said = read(kind, payload, row.table)
    if said is None or (name not in held and len(held) >= most):
        return held
    return {**held, name: said}


def _is_name(text: str) -> bool:
    try:
        return bool(word_of(text))
    except UnreadableError:
        return False


_FIRST = {"ask": 0, "fault": 1, "fine": 2, "unknown": 4, "off": 5}


def _by_number(name: str) -> list[tuple[int, str]]:
    """Sorts names as people count: table 2 before table 10."""
    return [(int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", name)]


def _order(row: Row) -> tuple[int, float, list[tuple[int, str]]]:
    lamp = row.lamp
    place = _FIRST[lamp]
    if lamp == "fine" and (row.score is None or not row.score.begun):
        place = 3
    # A question whose time is not known waits longest: nobody may be forgotten.
    waits = (row.since or 0.0) if lamp in ("ask", "fault") else 0.0
    return place, waits, _by_number(row.title)


_PICTURES = ("picture", "clip")
_REFEREES = (*_PICTURES, "ask", "choices")
"""What of a question only a referee is sent."""

_WATCH = ("camera", "node", "beams", "journal", "seen", "simulated")
"""What of a table's health the club's pages show."""


def _tile(row: Row, told: Collection[str]) -> dict[str, Any]:
    """`told`: what of a question is sent besides what it says."""
    score, lamp = row.score, row.lamp
    waiting = sorted(row.waiting.values(), key=lambda one: (one.level != "ask", one.t))
    return {
        "table": row.table,
        "title": row.title,
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
        "left_s": row.left_s if row.here else None,
        "says": score.last.says if score and score.last else "",
        "sides": [
            {"name": side.name, "seats": side.seats, "points": side.points, "games": side.games, "colour": side.colour}
            for side in (score.sides if score else ())
        ],
        "waiting": [
            {"level": one.level, "says": one.says, "t": row.ours(one.t)}
            | dict.fromkeys(_PICTURES)
            | one.model_dump(include=set(told))
            for one in waiting
        ],
        "page": row.health.page if row.health else "",
        "asks": score.asks if score else 0,
        "changes": row.changes,
    }
