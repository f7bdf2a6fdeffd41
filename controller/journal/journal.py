"""The journal's file: append-only SQLite with what was felt (`observed`) and what happened (`events`).

Write-ahead: what is in here survives a power cut (one commit a call). Nothing is ever changed or deleted; a correction
is one more event. Must not know the network or how a ruling comes about: events and rulings are JSON.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from controller.events.beams import BeamEdge, BeamGap
from controller.events.doors import RECORD, json_object, json_value
from controller.events.errors import ConfigError, DeviceError, EventError, UnreadableError
from controller.events.reading import FromJson, Number, Whole, strictly
from controller.journal.chain import Link, Row, committed, line_of, link
from controller.journal.file import TROUBLES, JournalFile
from controller.journal.schema import has

_EDGE = TypeAdapter(BeamEdge)
_GAP = TypeAdapter(BeamGap)


@dataclass(frozen=True, slots=True)
class Entry(FromJson):
    """One event with what was ruled on it, as they were written. `source`: who reported it (`eyes`, `umpire`, …)."""

    match: str
    seq: Whole
    t_unix: Number
    source: str
    event: dict[str, Any]
    ruling: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Chained:
    """An entry with its line, and its link; None where it was written without a chain."""

    entry: Entry
    line: str
    link: Link | None


@dataclass(frozen=True, slots=True)
class Noted:
    """What the table's clock was with an entry. `began`: its match began then; `read`: what was felt until then is
    part of it or of entries before; `taken`: it was taken in then. `clock`: what tells that run of the clock from
    others. `taken_ns`: when it was taken in, whatever the kind.
    """

    kind: Literal["began", "read", "taken"]
    clock: str
    t_ns: int
    taken_ns: int


@dataclass(frozen=True, slots=True)
class TakenAt(FromJson):
    """When entry `seq` was taken in, ns on the table's clock, or when a table went on after it (`resumed`). `clock`:
    what tells that run of the clock from others."""

    seq: Whole
    clock: str
    taken_ns: Whole
    resumed: bool = False


_TAKEN_AT = TypeAdapter(TakenAt)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One match of the file: when it began and was last written to (Unix seconds), how many events it has.

    `score`, `games`, `over`: as its last ruling left them.
    """

    match: str
    began: float
    latest: float
    events: int
    place: str
    book: str
    seats: dict[str, str]
    score: dict[str, int]
    games: dict[str, int]
    over: bool


@dataclass(frozen=True, slots=True)
class MovedRow:
    """One match that is no longer in the file: since when (Unix seconds), and in which file of the archive it lies;
    "" where it was deleted for good."""

    match: str
    t_unix: float
    archive: str


class Journal(JournalFile):
    """One journal file. Opened by `open()` (or `with`), for writing or only for reading.

    Methods may be called from any thread. Errors: ConfigError where the file is no journal of ours, DeviceError
    where the disk or its permissions are to blame, EventError where an event contradicts what is written.
    """

    # -- what was felt

    def store_edges(self, edges: Iterable[BeamEdge | BeamGap], node: str = "pockets") -> int:
        """Writes beam edges and gaps; durable on return, so the node may forget them.

        An edge that is already there (same node, boot and seq) is not doubled. Returns how many were new.
        """
        now = time.time()
        rows = [
            (
                node,
                edge.boot,
                edge.seq if isinstance(edge, BeamEdge) else None,
                "edge" if isinstance(edge, BeamEdge) else "gap",
                edge.t_ns,
                now,
                (_EDGE if isinstance(edge, BeamEdge) else _GAP).dump_json(edge).decode(),  # type: ignore[arg-type]
            )
            for edge in edges
        ]
        if not rows:
            return 0
        with self.writing() as connection:
            before = connection.total_changes
            connection.executemany(
                "INSERT INTO observed(node, boot, seq, kind, t_ns, t_unix, body) VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                rows,
            )
            return connection.total_changes - before

    def last_seq(self, boot: str, node: str = "pockets") -> int | None:
        """Returns the highest edge number written for a node's boot, None if there is none."""
        row = self.read("SELECT max(seq) FROM observed WHERE node = ? AND boot = ?", (node, boot))[0]
        return None if row[0] is None else int(row[0])

    def edges(self, since_unix: float = 0.0, node: str = "pockets") -> tuple[BeamEdge | BeamGap, ...]:
        """Returns what was felt, written since a Unix time, in the order it was written."""
        rows = self.read(
            "SELECT kind, body FROM observed WHERE node = ? AND t_unix >= ? ORDER BY id", (node, since_unix)
        )
        try:
            return tuple(
                strictly(_EDGE, json_value(body)) if kind == "edge" else strictly(_GAP, json_value(body))
                for kind, body in rows
            )
        except (UnreadableError, ValidationError) as error:
            raise self._unreadable("an edge", error) from error

    def felt(self, match: str, after: int, seq: int) -> tuple[dict[str, Any], ...]:
        """Returns the rows of what was felt and noted since entry `after` of a match was written down, up to entry
        `seq`; empty where nobody noted when that was. Raises ConfigError for one that cannot be read."""
        noted = "(SELECT max(id) FROM observed WHERE node = 'table' AND boot = ? AND seq = ?)"
        rows = self.read(
            "SELECT node, boot, seq, kind, t_ns, t_unix, body FROM observed "
            f"WHERE id > coalesce({noted}, 0) AND id <= {noted} ORDER BY id",
            (match, after, match, seq),
        )
        names = ("node", "boot", "seq", "kind", "t_ns", "t_unix")
        return tuple(
            {**dict(zip(names, row, strict=True)), "body": self._body(match, seq, body)} for *row, body in rows
        )

    # -- what happened

    def append(
        self,
        match: str,
        seq: int,
        event: Mapping[str, Any],
        ruling: Mapping[str, Any],
        t_unix: float,
        source: str = "",
        noted: Noted | None = None,
    ) -> None:
        """Writes one event with its ruling; durable on return. `noted`: what the table's clock was; see `noted`.
        `seq` must be higher than all that the match has. Writing the very same entry again changes nothing (a
        commit whose outcome was unknown may be repeated). Raises EventError if another entry has that number.
        """
        row = row_of(Entry(match, seq, t_unix, source, dict(event), dict(ruling)))
        with self.writing() as connection:
            latest = connection.execute("SELECT max(seq) FROM events WHERE match = ?", (match,)).fetchone()[0]
            if latest is not None and seq <= latest:
                there = connection.execute(
                    "SELECT match, seq, t_unix, source, event, ruling FROM events WHERE match = ? AND seq = ?",
                    (match, seq),
                ).fetchone()
                if there == row:
                    return
                raise EventError(
                    f"{self.path}: match {match} has {latest} events already; event {seq} cannot be written over. "
                    "Fix: read the journal again before going on"
                )
            connection.execute(
                "INSERT INTO matches(match, began, place) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (match, float(t_unix), self.place),
            )
            connection.execute(
                "INSERT INTO events(match, seq, t_unix, source, event, ruling) VALUES (?, ?, ?, ?, ?, ?)", row
            )
            before = connection.execute(
                "SELECT hash FROM chain WHERE match = ? AND seq = ?", (match, latest)
            ).fetchone()
            made = link(before[0] if before else None, row)
            connection.execute(
                "INSERT INTO chain(match, seq, salt, hash) VALUES (?, ?, ?, ?)", (row[0], seq, made.salt, made.hash)
            )
            if noted is not None:
                body = _to_json({"clock": noted.clock, "seq": seq, "taken_ns": noted.taken_ns})
                connection.execute(
                    "INSERT INTO observed(node, boot, seq, kind, t_ns, t_unix, body) VALUES (?, ?, ?, ?, ?, ?, ?) "
                    "ON CONFLICT DO NOTHING",
                    ("table", row[0], seq, noted.kind, noted.t_ns, row[2], body),
                )

    def note_calibration(self, clock: str, t_ns: int, grade: str) -> int:
        """Writes that vision has another calibration since `t_ns` on the table's clock (`clock` tells its run
        from others). Written again it is not doubled. Returns how many were new.
        """
        body = _to_json({"clock": clock, "grade": grade})
        with self.writing() as connection:
            before = connection.total_changes
            connection.execute(
                "INSERT INTO observed(node, boot, seq, kind, t_ns, t_unix, body) VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                ("eyes", clock, t_ns, "calibrated", t_ns, time.time(), body),
            )
            return connection.total_changes - before

    def calibrations(self) -> tuple[tuple[float, str], ...]:
        """Returns when (Unix seconds) vision took another calibration, and of which grade, oldest first."""
        rows = self.read("SELECT t_unix, body FROM observed WHERE node = 'eyes' AND kind = 'calibrated' ORDER BY id")
        return tuple((float(t), str(self._body("eyes", 0, body).get("grade", ""))) for t, body in rows)

    def noted(self, match: str, kind: str, clock: str) -> int | None:
        """Returns what was noted last of a match, ns on that clock; None if nothing was, or of another clock."""
        rows = self.read(
            "SELECT t_ns, body, seq FROM observed WHERE node = 'table' AND boot = ? AND kind = ? "
            "ORDER BY seq DESC LIMIT 1",
            (match, kind),
        )
        if not rows:
            return None
        t_ns, body, seq = rows[0]
        return int(t_ns) if self._body(match, seq, body).get("clock") == clock else None

    def note_resumed(self, match: str, at: TakenAt) -> int:
        """Writes that a table went on with a match in another run of its clock. Returns how many rows were written."""
        # Without a number of its own: `seq` is the entry's that came before.
        row = ("table", match, None, "resumed", at.taken_ns, time.time(), _to_json(asdict(at)))
        with self.writing() as connection:
            connection.execute(
                "INSERT INTO observed(node, boot, seq, kind, t_ns, t_unix, body) VALUES (?, ?, ?, ?, ?, ?, ?)", row
            )
        return 1

    def taken(self, match: str) -> tuple[TakenAt, ...]:
        """Returns when a match's entries were taken in and when tables went on with it, in the order in which that was
        noted; what was not noted, or cannot be read, is left out."""
        found = []
        for (body,) in self.read("SELECT body FROM observed WHERE node = 'table' AND boot = ? ORDER BY id", (match,)):
            with suppress(UnreadableError, ValidationError):
                found.append(strictly(_TAKEN_AT, json_object(body, RECORD)))
        return tuple(found)

    def checkpoint(self) -> None:
        """Moves what is in the write-ahead log into the file itself, which then holds everything.

        A reader in the middle of something leaves the rest of it to the next time.
        """
        with self._guard:
            if self._connection is None or self.read_only:
                raise DeviceError(f"{self.path}: the journal is not open for writing")
            try:
                self._check_files()
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._know()
            except TROUBLES as error:
                raise self._trouble(error) from error

    def events(self, match: str) -> tuple[Entry, ...]:
        """Returns a match's entries in order; empty if there is no such match. Raises ConfigError for one that cannot
        be read."""
        return tuple(map(self._entry, self._event_rows(match)))

    def chained(self, match: str) -> tuple[Chained, ...]:
        """Returns a match's entries in order, each with its line and its place in the chain. Raises as `events`."""
        place = "salt, hash FROM events LEFT JOIN chain USING (match, seq)"
        if not has("chain", self.format):
            place = "NULL, NULL FROM events"
        found = []
        rows = self.read(
            f"SELECT match, seq, t_unix, source, event, ruling, {place} WHERE match = ? ORDER BY seq", (match,)
        )
        for *row, salt, hash_ in rows:
            line = line_of(tuple(row))
            made = None if salt is None else Link(row[1], committed(salt, line), hash_, salt)
            found.append(Chained(self._entry(tuple(row)), line, made))
        return tuple(found)

    def readable_events(self, match: str) -> tuple[Entry, ...]:
        """The same without those that cannot be read."""
        found = []
        for row in self._event_rows(match):
            with suppress(ConfigError):
                found.append(self._entry(row))
        return tuple(found)

    def _event_rows(self, match: str) -> list[tuple[Any, ...]]:
        return self.read(
            "SELECT match, seq, t_unix, source, event, ruling FROM events WHERE match = ? ORDER BY seq", (match,)
        )

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        match, seq, t_unix, source, event, ruling = row
        return Entry(match, seq, t_unix, source, self._body(match, seq, event), self._body(match, seq, ruling))

    def matches(self, latest: int | None = None) -> tuple[MatchRow, ...]:
        """Returns the file's matches, oldest first. `latest`: only so many, those begun last."""
        rows = self.read(
            "SELECT matches.match, began, max(t_unix), count(*), place, "
            "(SELECT event FROM events AS first WHERE first.match = matches.match ORDER BY seq LIMIT 1), max(seq), "
            "(SELECT ruling FROM events AS last WHERE last.match = matches.match ORDER BY seq DESC LIMIT 1) "
            "FROM (SELECT * FROM matches ORDER BY began DESC LIMIT ?) AS matches JOIN events USING (match) "
            "GROUP BY matches.match ORDER BY min(events.id)",
            (-1 if latest is None else latest,),
        )
        found = []
        for match, began, latest, count, place, first, seq, last in rows:
            start, final = self._body(match, 1, first), self._body(match, seq, last)
            seats, score, games = (
                {**kept} if isinstance(kept, dict) else {}
                for kept in (start.get("seats"), final.get("score"), final.get("games"))
            )
            book, over = str(start.get("book", "")), bool(final.get("match_over"))
            found.append(MatchRow(match, began, latest, count, place, book, seats, score, games, over))
        return tuple(found)

    def names(self) -> tuple[str, ...]:
        """Returns the file's matches by name, in the order in which they began."""
        return tuple(str(match) for (match,) in self.read("SELECT match FROM events GROUP BY match ORDER BY min(id)"))

    def moved(self) -> tuple[MovedRow, ...]:
        """Returns the matches that were moved out of the file, oldest first."""
        # A file of format 1 that is only read has no such table yet.
        if not self.read("SELECT 1 FROM sqlite_schema WHERE name = 'moved'"):
            return ()
        return tuple(MovedRow(*row) for row in self.read("SELECT match, t_unix, archive FROM moved ORDER BY rowid"))

    def last_event(self, match: str) -> int:
        """Returns the number of a match's last event, 0 if there is no such match."""
        return int(self.read("SELECT coalesce(max(seq), 0) FROM events WHERE match = ?", (match,))[0][0])

    def sources(self, after: int = 0) -> tuple[tuple[int, str], ...]:
        """Returns who brought in each event that stands in the file after that place, each with its place, in order."""
        rows = self.read("SELECT id, source FROM events WHERE id > ? ORDER BY id", (after,))
        return tuple((int(place), str(source)) for place, source in rows)

    def latest_match(self) -> str | None:
        """Returns the match that was begun last, None in an empty journal."""
        rows = self.read("SELECT match FROM events ORDER BY id DESC LIMIT 1")
        return str(rows[0][0]) if rows else None

    def _body(self, match: str, seq: int, text: str) -> dict[str, Any]:
        try:
            return json_object(text, RECORD)
        except UnreadableError as error:
            raise self._unreadable(f"event {seq} of match {match}", error) from error

    def _unreadable(self, row: str, error: ValueError) -> ConfigError:
        says = str(error).splitlines()[0]
        return ConfigError(
            f"{self.path}: {row} {says}. Fix: put the file back from a copy, with its -wal file, or go on without it"
        )


def row_of(entry: Entry) -> Row:
    """Returns an entry as it is written into the table of events. Raises EventError if it never can be."""
    event, ruling = _to_json(entry.event), _to_json(entry.ruling)
    return _writable(entry.match), entry.seq, float(entry.t_unix), _writable(entry.source), event, ruling


def _to_json(body: Mapping[str, Any]) -> str:
    try:
        text = _writable(json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
        # Only what can be read back is written: one row that cannot be would keep the table from starting again.
        json_object(text, RECORD)
    except (TypeError, ValueError, RecursionError) as error:
        raise EventError(f"an event that is no JSON cannot be written down: {error}") from error
    return text


def _writable(text: str) -> str:
    """Half a character that slipped through every validation becomes "?": it must not cost the entry it stands in."""
    return text.encode("utf-8", "replace").decode()
