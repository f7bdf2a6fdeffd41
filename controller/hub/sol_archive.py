"""An archive that SoL exports, read for the matches that SoL has drawn; those without a result as a sheet. Pure.

A stream of YAML documents, or one JSON list: the first item holds players, clubs and championships, each further one is
a tourney, and they name each other by place, counted from 1. It is read as YAML's events: a tag makes no object, an
alias no second copy, and a player called `No` has that name. Must not know the tables' results.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import yaml

from controller.events.doors import Limits, name_key, one_line, whole_number
from controller.events.errors import ConfigError, UnreadableError
from controller.events.fixture_words import COLUMNS, DRAWN_ID
from controller.hub.sheet import Row, Sheet

ARCHIVE = Limits(4 * 2**20, depth=12)
"""All tourneys of a club over years; one tourney of 64 players has some thirty thousand bytes."""

_GZIP = b"\x1f\x8b"
_BEGINS = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:---\s*)?(?:\[\s*\{|(?:championships|clubs|players|rates|ratings|users):)"
)
_AGAIN = "Fix: download the archive from SoL again"
_NONE = frozenset({"", "~", "null"})


@dataclass(frozen=True, slots=True)
class Text:
    """A word or a number: its line, and between which characters of the archive it is written."""

    line: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _List:
    line: int
    items: list[_Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Object:
    """`column`: of its first key; None where it is written on one line, in braces."""

    line: int
    column: int | None
    items: dict[str, _Node] = field(default_factory=dict)


_Node = Text | _List | Object


@dataclass(frozen=True, slots=True)
class DrawnMatch:
    """A match of two sides that SoL has drawn. `sides`: their players' names; `games`: the scores that SoL has, nothing
    before it has a result; `seeded`: whether its tourney takes seeds, of which SoL exports none; `line`, `at`: where it
    stands in the archive."""

    id: str
    event: str
    turn: int
    board: int
    sides: tuple[tuple[str, ...], ...]
    games: tuple[tuple[int, int], ...]
    best_of_three: bool
    knockout: bool
    seeded: bool
    line: int
    at: Object


@dataclass(frozen=True, slots=True)
class Archive:
    """What was read: the text, and the matches of tourneys that are not closed."""

    text: str
    matches: tuple[DrawnMatch, ...]


def is_archive(raw: bytes) -> bool:
    """Whether a file begins as an archive does, whatever its name has become on the way."""
    return raw.startswith(_GZIP) or _BEGINS.match(raw) is not None


def read_archive(raw: bytes, name: str) -> Archive:
    """Reads an archive. Raises UnreadableError for what is none, ConfigError with a line for each finding.

    `name`: the file's, for messages.
    """
    try:
        text = _unpacked(raw).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is no valid UTF-8 at byte {error.start + 1}. {_AGAIN}") from error
    documents = _documents(text)
    if len(documents) == 1 and isinstance(documents[0], _List):
        documents = documents[0].items
    head, *tourneys = documents or [Text(1, 0, 0, "")]
    if not isinstance(head, Object) or "players" not in head.items:
        raise UnreadableError(f"holds no list of players. {_AGAIN}")
    findings: list[str] = []
    matches: list[DrawnMatch] = []
    players = _players(_objects(head, "players", name))
    for tourney in tourneys:
        try:
            if not isinstance(tourney, Object):
                raise ConfigError(f"{name}:{tourney.line}: is no tourney. {_AGAIN}")
            if _word(tourney, "prized") != "true":
                matches += _Tourney(tourney, players, name).matches(findings)
        except ConfigError as error:
            findings.append(str(error))
    if findings:
        raise ConfigError("\n".join(findings))
    return Archive(text, tuple(matches))


def as_sheet(archive: Archive, name: str, tables: Sequence[str] = ()) -> Sheet:
    """Returns the matches that have no result yet as a sheet of fixtures. `tables`: of the boards, from SoL's first.

    Raises ConfigError where there is none.
    """
    waiting = [match for match in archive.matches if not match.games]
    if not waiting:
        raise ConfigError(
            f"{name}: no match without a result. Fix: draw the next round in SoL, and download the tourney again"
        )
    rows, number = [Row(1, COLUMNS)], 1
    for match in waiting:
        # A number of its own for each, also where all stand on one line.
        number = max(number + 1, match.line)
        south, north, east, west = _seats(match.sides)
        cells = {
            "table": tables[match.board - 1] if match.board <= len(tables) else "",
            "event": match.event,
            "round": str(match.turn),
            "id": match.id,
        } | {"south": south, "north": north, "east": east, "west": west}
        rows.append(Row(number, tuple(cells.get(column, "") for column in COLUMNS)))
    rounds = Counter((match.event, match.turn) for match in waiting)
    notes = [f"{event}, round {turn}: {count} matches" for (event, turn), count in rounds.items()]
    over = frozenset(match.id for match in archive.matches if match.games)
    return Sheet(tuple(rows), tuple(notes if len(notes) > 1 else ()), over)


class _Tourney:
    """A tourney of the archive, whose matches name its competitors, who name the archive's players."""

    def __init__(self, at: Object, players: Sequence[tuple[str, str]], name: str) -> None:
        self._at, self._players, self._name = at, players, name
        self._guid, self._event = _word(at, "guid"), _word(at, "description")
        if not DRAWN_ID.fullmatch(f"{self._guid}-1-00000000"):
            raise ConfigError(f"{name}:{at.line}: tourney {one_line(self._event)!r} has no guid. {_AGAIN}")
        self._competitors = _objects(at, "competitors", name)

    def matches(self, findings: list[str]) -> list[DrawnMatch]:
        """Its matches between two sides; what is wrong with one goes to `findings`."""
        found: list[DrawnMatch] = []
        for match in _objects(self._at, "matches", self._name):
            try:
                found += self._match(match)
            except ConfigError as error:
                findings.append(str(error))
        return found

    def _match(self, at: Object) -> list[DrawnMatch]:
        if _word(at, "competitor2").lower() in _NONE:
            return []
        turn, board, *_ = numbers = [_count(at, key) for key in ("turn", "board", "competitor1", "competitor2")]
        first, second = (_count(at, key, -1) for key in ("score1", "score2"))
        if min(*numbers, first + 1, second + 1) < 1:
            raise ConfigError(f"{self._name}:{at.line}: a match without round, board, sides or scores. {_AGAIN}")
        sides = [self._side(at, number) for number in numbers[2:]]
        if len(sides[0]) != len(sides[1]) or len(sides[0]) > 2:
            raise ConfigError(
                f"{self._name}:{at.line}: {len(sides[0])} players against {len(sides[1])}. Fix: leave teams' tourneys "
                "out; a table takes singles and doubles"
            )
        more = [(_count(at, f"score1_{number}"), _count(at, f"score2_{number}")) for number in (2, 3)]
        games = ((first, second), *((one, other) for one, other in more if one or other))
        who = sorted(guid for side in sides for _name, guid in side)
        digest = sha256("/".join(who).encode()).hexdigest()[:8]
        return [
            DrawnMatch(
                f"{self._guid}-{turn}-{digest}",
                self._event,
                turn,
                board,
                tuple(tuple(player for player, _guid in side) for side in sides),
                games if any(map(any, games)) else (),
                _word(self._at, "matcheskind") == "bestof3",
                _word(self._at, "system") == "knockout",
                _word(self._at, "couplings") in ("seeds", "circle"),
                at.line,
                at,
            )
        ]

    def _side(self, match: Object, number: int) -> list[tuple[str, str]]:
        """The players of a competitor: name and guid of each."""
        competitor = self._competitors[number - 1] if number <= len(self._competitors) else None
        listed = competitor.items.get("players") if competitor is not None else None
        places = [_digits(one) for one in listed.items] if isinstance(listed, _List) else []
        if not places or not all(1 <= place <= len(self._players) for place in places):
            raise ConfigError(f"{self._name}:{match.line}: competitor {number} names no players. {_AGAIN}")
        return [self._players[place - 1] for place in places]


def _players(listed: Sequence[Object]) -> list[tuple[str, str]]:
    """Name and guid of each player; of two with one name, the name has the nickname too."""
    names = [f"{_word(one, 'firstname')} {_word(one, 'lastname')}".strip() for one in listed]
    times = Counter(map(name_key, names))
    found = []
    for one, name in zip(listed, names, strict=True):
        nickname = _word(one, "nickname") if times[name_key(name)] > 1 else ""
        shown = name if nickname.lower() in _NONE else f"{name} “{nickname}”"
        found.append((shown, _word(one, "guid") or name_key(shown)))
    return found


def _seats(sides: Sequence[Sequence[str]]) -> tuple[str, str, str, str]:
    """South, north, east, west: partners sit opposite."""
    (first, *partner), (second, *other) = sides
    return (first, partner[0], second, other[0]) if partner else (first, second, "", "")


def _objects(at: Object, key: str, name: str) -> list[Object]:
    listed = at.items.get(key)
    items = listed.items if isinstance(listed, _List) else []
    if not isinstance(listed, _List) or not all(isinstance(one, Object) for one in items):
        raise ConfigError(f"{name}:{at.line}: {key} is no list of objects. {_AGAIN}")
    return [one for one in items if isinstance(one, Object)]


def _word(at: Object, key: str) -> str:
    found = at.items.get(key)
    return found.text if isinstance(found, Text) else ""


def _count(at: Object, key: str, otherwise: int = 0) -> int:
    return _digits(at.items.get(key), otherwise)


def _digits(found: _Node | None, otherwise: int = 0) -> int:
    return whole_number(found.text, otherwise) if isinstance(found, Text) else otherwise


def _unpacked(raw: bytes) -> bytes:
    """The text's bytes. No more is unpacked than the limit allows."""
    if raw.startswith(_GZIP):
        unpack = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            raw = unpack.decompress(raw, ARCHIVE.size + 1)
        except zlib.error as error:
            raise UnreadableError(f"is damaged (gzip). {_AGAIN}") from error
        if not unpack.eof and len(raw) <= ARCHIVE.size:
            raise UnreadableError(f"is cut off (gzip). {_AGAIN}")
    if len(raw) > ARCHIVE.size:
        raise UnreadableError(
            f"is too long; at most {ARCHIVE.size} bytes are taken. Fix: download one tourney, or one championship"
        )
    return raw


def _documents(text: str) -> list[_Node]:
    """The documents of a stream. Raises UnreadableError for what is no YAML, or built as no archive of SoL's is."""
    found: list[_Node] = []
    within: list[_List | Object] = []
    keys: list[str | None] = []
    named: dict[str, Text] = {}
    # In C it takes a twentieth of the time, where the package was built with it.
    reader = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    try:
        for event in yaml.parse(text, Loader=reader):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.CollectionEndEvent):
                within.pop()
                keys.pop()
                continue
            node = _node(event, line, named)
            if node is None:
                continue
            if not within:
                found.append(node)
            else:
                keys[-1] = _placed(within[-1], keys[-1], node)
            if isinstance(node, _List | Object):
                within.append(node)
                keys.append(None)
                if len(within) > ARCHIVE.depth:
                    raise UnreadableError(f"line {line}: is nested deeper than {ARCHIVE.depth} levels. {_AGAIN}")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        why = one_line(getattr(error, "problem", None) or "a character that YAML does not take")
        raise UnreadableError(f"{where}is no YAML: {why}. {_AGAIN}") from error
    return found


def _node(event: Any, line: int, named: dict[str, Text]) -> _Node | None:
    """What an event begins; None for one that begins nothing. `named`: the texts that an alias may stand for."""
    mark = event.start_mark
    if isinstance(event, yaml.AliasEvent):
        if event.anchor not in named:
            raise UnreadableError(f"line {line}: an alias of more than one text. {_AGAIN}")
        return named[event.anchor]
    if isinstance(event, yaml.ScalarEvent):
        text = Text(line, mark.index, event.end_mark.index, event.value)
        if len(text.text) > ARCHIVE.text:
            raise UnreadableError(f"line {line}: a text of {len(text.text)} characters. {_AGAIN}")
        if event.anchor:
            named[event.anchor] = text
        return text
    if isinstance(event, yaml.MappingStartEvent):
        return Object(line, None if event.flow_style else mark.column)
    return _List(line) if isinstance(event, yaml.SequenceStartEvent) else None


def _placed(within: _List | Object, key: str | None, node: _Node) -> str | None:
    """Puts a node where it belongs; returns the key whose value comes next, if one does."""
    if isinstance(within, _List):
        within.items.append(node)
        return None
    if key is None:
        if not isinstance(node, Text):
            raise UnreadableError(f"line {node.line}: a key that is no text. {_AGAIN}")
        if node.text in within.items:
            raise UnreadableError(f"line {node.line}: the key {one_line(node.text)!r} stands twice. {_AGAIN}")
        return node.text
    within.items[key] = node
    return None
