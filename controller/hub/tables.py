"""The club's tables as their topics tell them. Pure: messages in, rows out. Knows no table's insides.

Whatever a table may send, a row can be made of it: what cannot be read is left as it was. Nothing is kept that the
broker does not keep: a hub that starts anew knows the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from controller.events.doors import MESSAGE, word_of
from controller.events.errors import UnreadableError
from controller.hub.fixtures import Fixture, fixtures_from
from controller.hub.row import FOR_REFEREES, PICTURES, Row, by_number, tile_of
from controller.hub.said import (
    AlertSaid,
    BoardSaid,
    HealthSaid,
    HistorySaid,
    ResultSaid,
    RulingSaid,
    ScoreSaid,
    plain,
    read,
)
from controller.hub.today import Seen
from controller.mqtt.topics import FIXTURES, ONLINE, POOL, ROOT, SILENT_S

_KINDS = (
    "health", "availability", "link", "score", "alert/+", "umpire/alert/+", "board", "history", "result/+", FIXTURES,
)  # fmt: skip
WANTED = tuple(f"{ROOT}/+/{kind}" for kind in _KINDS)
"""What the hub subscribes to, first what tells how old the rest is. `umpire/…` comes only where the broker lets it: to
the role `referees`.
"""

PASSING = frozenset({f"{ROOT}/+/board"})
"""Of these the next message makes up for a lost one: most of what tables send needs no confirmation."""

CUT = b"0"
"""What stands on `link` once the bridge has fallen."""
MOST_TABLES = 2000
MOST_WAITING = 100
"""Of one table. More than any club has: somebody who makes names up must not fill the memory."""
FORGOTTEN_S = 5.0
"""What a broker keeps comes at once; what has not come so long after it was asked for, it has forgotten."""
BROKEN_S = 120.0
"""A table that is away for so long plays none of the pool's matches: a restart, or a cable put back, takes less."""
MOST_RESULTS = 500
"""Of one table; more are not taken, and named."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one message has changed: a table's `tile`, its `own` page, the `day`'s sheet."""

    tile: bool = False
    own: bool = False
    day: bool = False

    def __bool__(self) -> bool:
        return self.tile or self.own or self.day


NOTHING = Change()


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
        self._told = {False: (), True: FOR_REFEREES if answers else PICTURES}
        self._signs: dict[str, _Sign] = {}
        self._rows: dict[str, Row] = {}
        self._pool: tuple[Fixture, ...] = ()
        self._asked_s = now_s
        self._connected = True
        self._left_s: dict[str, float] = {}
        """Since when each table is away while we are not."""
        self._stood: dict[str, tuple[Fixture, ...]] = {}
        """What stood when all was asked for anew, as far as nothing has come on its topic since."""
        self._tiles: dict[bool, dict[str, dict[str, Any]]] = {False: {}, True: {}}
        self._own: dict[str, dict[str, bytes]] = {}
        """What only a table's own page shows, unread: most of what comes, and few look at it."""
        self._mark = self._anew_mark = 0
        self._changed: dict[str, int] = {}
        """The mark of each tile's last change, the latest last."""
        self.left_out: set[str] = set()
        """Tables for which there is no place, and results: `table` or `table/result/match`."""

    def anew(self) -> None:
        """All that the broker keeps comes anew. Only when a table gave its last sign of life is still known."""
        if self._rows:
            self._signs = {table: sign for table, sign in self._signs.items() if table in self._rows}
        self._stood = self.standing()
        self._asked_s = self._now_s
        self._connected = True
        self._left_s.clear()
        self._rows.clear()
        self._pool = ()
        self._own.clear()
        self.left_out.clear()
        for tiles in self._tiles.values():
            tiles.clear()
        self._changed.clear()
        self._mark += 1
        self._anew_mark = self._mark

    def passed(self, now_s: float) -> list[str]:
        """Time has passed. Returns the tables that have become silent."""
        self._now_s = now_s
        gone = [row for row in self._rows.values() if not row.silent and self._is_old(row.table)]
        for row in gone:
            self._keep(replace(row, silent=True))
        away = {row.table for row in self._rows.values() if not row.here} if self._connected else set[str]()
        self._left_s = {table: self._left_s.get(table, now_s) for table in away}
        return [row.table for row in gone]

    def heard(self, topic: str, payload: bytes, *, retained: bool = False) -> Change:
        """Takes in one message; `retained`: the broker had kept it. Returns what has changed of what is shown."""
        root, _, more = topic.partition("/")
        table, _, kind = more.partition("/")
        if root != ROOT or not kind:
            return NOTHING
        if kind == FIXTURES:
            self._stood.pop(table, None)
        if table == POOL:
            return self._pooled(kind, payload)
        before = self._rows.get(table)
        if before is None:
            if not _is_name(table) or not self._has_place(table):
                return NOTHING
            sign = self._signs.get(table)
            before = Row(table, silent=self._is_old(table), awaited=sign is not None and sign.kept)
        if kind in ("board", "history"):
            return self._keep_own(before, kind, payload)
        after = self._with(before, kind.split("/"), payload)
        if after.health is not None and after.health is not before.health:
            after = self._alive(after, after.health.t, retained=retained)
        if after == before:
            return NOTHING
        if _only_later(before, after):
            self._rows[table] = after
            return NOTHING
        self._keep(after)
        return Change(tile=True, own=True, day=_of_the_day(after) != _of_the_day(before))

    def _pooled(self, kind: str, payload: bytes) -> Change:
        before = self._pool
        self._pool = fixtures_from(POOL, payload, before) if kind == FIXTURES else before
        return Change(day=self._pool != before)

    def _keep_own(self, row: Row, kind: str, payload: bytes) -> Change:
        if len(payload) > MESSAGE.size:
            return NOTHING
        own = self._own.setdefault(row.table, {})
        before = own.get(kind, b"")
        own[kind] = payload
        if row.table in self._rows:
            return Change(own=True) if payload != before else NOTHING
        self._keep(row)
        return Change(tile=True, own=True)

    def lost(self) -> None:
        """The broker is lost: each table is shown by its last message, and as cut off."""
        self._connected = False
        self._left_s.clear()
        for row in list(self._rows.values()):
            self._keep(replace(row, cut=True))

    def _has_place(self, table: str) -> bool:
        if len(self._rows) < MOST_TABLES:
            self.left_out.discard(table)
            return True
        self._leave_out(table)
        return False

    def _leave_out(self, what: str) -> None:
        # Who makes names up must not fill the memory.
        if len(self.left_out) < MOST_WAITING:
            self.left_out.add(what)

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

    def _with(self, row: Row, kind: list[str], payload: bytes) -> Row:
        match kind:
            case ["availability"]:
                return replace(row, online=payload == ONLINE.encode())
            case ["link"]:
                # Said by the bridge, not by the table; a table on this broker itself has none.
                return replace(row, cut=payload == CUT)
            case ["score"]:
                return replace(row, score=read(ScoreSaid, payload, row.table) or row.score)
            case ["health"]:
                return replace(row, health=read(HealthSaid, payload, row.table) or row.health)
            case ["alert", name]:
                return replace(row, waiting=_changed(row, row.waiting, name, payload, AlertSaid, MOST_WAITING))
            case ["umpire", "alert", name]:
                return replace(row, unconfirmed=_changed(row, row.unconfirmed, name, payload, AlertSaid, MOST_WAITING))
            case ["result", name]:
                results = _changed(row, row.results, name, payload, ResultSaid, MOST_RESULTS)
                if payload and name not in results and len(results) >= MOST_RESULTS:
                    self._leave_out(f"{row.table}/result/{name}")
                else:
                    self.left_out.discard(f"{row.table}/result/{name}")
                return replace(row, results=results)
            case [fixtures] if fixtures == FIXTURES:
                return replace(row, fixtures=fixtures_from(row.table, payload, row.fixtures))
        return row

    def _keep(self, row: Row) -> None:
        self._rows[row.table] = row
        self._mark += 1
        self._changed.pop(row.table, None)
        self._changed[row.table] = self._mark
        # One table's change costs two tiles, however many tables there are.
        for referee, tiles in self._tiles.items():
            tiles[row.table] = tile_of(row.seen_by(referee=referee), self._told[referee])

    def plain(self, *, referee: bool = False) -> list[dict[str, Any]]:
        """The tiles as JSON values, by their `place`: whose question is oldest comes first, tables that are away last.

        `referee`: with what is flagged and not yet confirmed.
        """
        return sorted(self._tiles[referee].values(), key=lambda tile: tile["place"])

    def since(self, mark: int, *, referee: bool = False) -> tuple[int, list[dict[str, Any]] | None]:
        """The tiles that have changed since a mark, in no order, and the mark of now; None in their place where tiles
        have gone since, so that all must be shown anew. -1 is a mark before everything.
        """
        if mark < self._anew_mark:
            return self._mark, None
        latest = takewhile(lambda one: one[1] > mark, reversed(self._changed.items()))
        return self._mark, [self._tiles[referee][table] for table, _ in latest]

    def one(self, table: str, *, referee: bool = False) -> dict[str, Any] | None:
        """Everything that is known of one table, for its own page."""
        row = self._rows.get(table)
        if row is None:
            return None
        return self._tiles[referee][table] | {
            "score": plain(row.score),
            "board": self.board(table),
            "rulings": [plain(ruling) for ruling in reversed(self._rulings(table))],
        }

    def board(self, table: str) -> dict[str, Any]:
        """Where the pieces lie on a table, as a JSON value; empty where nobody has published it."""
        payload = self._own.get(table, {}).get("board")
        return plain(read(BoardSaid, payload, table) if payload else None)

    def _rulings(self, table: str) -> tuple[RulingSaid, ...]:
        payload = self._own.get(table, {}).get("history")
        history = read(HistorySaid, payload, table) if payload else None
        return history.rulings if history is not None else ()

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
        """What is to be played, on all tables and on the next free one, by time and table. A copy of what is in no
        pool here is a fixture of its table: a league's hub has the tables' topics alone."""
        pool = {one.key for one in self._pool}
        of_tables = (one for row in self._rows.values() for one in row.fixtures if not (one.pool and one.key in pool))
        return sorted((*of_tables, *self._pool), key=lambda fixture: (fixture.time, by_number(fixture.table)))

    def listed(self) -> dict[str, tuple[Fixture, ...]]:
        """What is to be played on each table, and on the next free one, as it is published."""
        return {row.table: row.fixtures for row in self._rows.values()} | ({POOL: self._pool} if self._pool else {})

    def remember(self, stood: Mapping[str, tuple[Fixture, ...]]) -> None:
        """These fixtures stood on their tables' topics when we last ran."""
        self._stood = {**stood, **self._stood}

    def standing(self) -> dict[str, tuple[Fixture, ...]]:
        """What stands on the tables' topics and the pool's, or stood there while nothing has come from them since."""
        return self._stood | {table: fixtures for table, fixtures in self.listed().items() if fixtures}

    def forgotten(self) -> dict[str, tuple[Fixture, ...]]:
        """Fixtures that stood on their tables' topics and that the broker has forgotten: it came back with nothing."""
        return dict(self._stood) if self._now_s - self._asked_s >= FORGOTTEN_S else {}

    def online(self) -> set[str]:
        """The tables that are there."""
        return {row.table for row in self._rows.values() if row.here}

    def seen(self) -> Seen:
        """What the day is made of."""
        rows = [*self._rows.values()]
        return Seen(
            fixtures=self.fixtures(),
            results=self.results(),
            titles=self.titles(),
            playing=self.playing(),
            online=self.online(),
            broken={table for table, since_s in self._left_s.items() if self._now_s - since_s >= BROKEN_S},
            given={one.key: row.table for row in rows for one in row.fixtures if one.pool},
            ahead_s={row.table: row.ahead_s for row in rows if row.ahead_s is not None},
        )

    def undisplayed(self) -> set[str]:
        """The tables that should have a display of their own, and have none just now."""
        return {row.table for row in self._rows.values() if row.here and row.health and row.health.display == "none"}

    def titles(self) -> dict[str, str]:
        """What people call each table."""
        return {row.table: row.title for row in self._rows.values()}

    def under_way(self) -> set[tuple[str, str]]:
        """The matches that are under way, by table: without an end, whatever was published before."""
        return {(table, score.match) for table, score in self.playing().items() if score.match}

    def playing(self) -> dict[str, ScoreSaid]:
        """The scoreboards of the tables on which a match is under way that somebody plays."""
        return {row.table: row.score for row in self._rows.values() if row.begun and row.score is not None}


def _of_the_day(row: Row) -> tuple[object, ...]:
    """What of a table the day's sheet hangs on."""
    display = row.health.display if row.health else None
    match = row.score.match if row.score and row.begun else None
    return row.title, row.here, match, row.begun, row.results, row.fixtures, display


def _only_later(before: Row, after: Row) -> bool:
    """Whether a table says that it goes on as before: by its health, half of what many tables send, or with a
    scoreboard that time alone has changed.
    """
    if before.health is None or after.health is None or before.ahead_s is None:
        return False
    health = after.health.model_copy(update={"t": before.health.t, "seen": before.health.seen})
    score = after.score
    if score is not None and before.score is not None and score is not before.score:
        clocks = {
            name: clock.model_copy(update={"left": held.left})
            for name in ("clock", "round")
            if (clock := getattr(score, name)) is not None
            and clock.ends is not None
            and (held := getattr(before.score, name)) is not None
            and held.ends is not None
        }
        score = score.model_copy(update={"t": before.score.t, **clocks})
    return replace(after, health=health, score=score, ahead_s=before.ahead_s) == before


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
