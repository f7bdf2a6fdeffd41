"""A season: finished matches in, standings out. Pure.

Names are compared by `name_key`, as everywhere. Must not know the file, the broker or the pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from calibration.board import SEATS
from controller.events import spreadsheet
from controller.events.doors import json_text, name_key
from controller.events.words import Colour
from controller.hub import day
from controller.hub.said import FinalSideSaid, ResultSaid

FORGOTTEN = "(forgotten)"
"""Stands in the place of a name that was forgotten; nobody of that name is in the standings."""
MOST_NEAR = 3

_NO_NAMES = {name_key(seat) for seat in SEATS}
_FORGOTTEN = name_key(FORGOTTEN)


@dataclass(frozen=True, slots=True)
class Kept:
    """A finished match. `replaced`: its results before each correction, oldest first; `struck`: why the secretary does
    not let it count."""

    table: str
    result: ResultSaid
    replaced: tuple[ResultSaid, ...] = ()
    struck: str = ""

    @property
    def counts(self) -> bool:
        """Whether it counts: between two sides, everybody with a name, nobody against himself, and not struck."""
        return not self.struck and _is_of_two(self.result)


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's figures. `given`: how many of the lost matches were forfeited, conceded or lost by
    disqualification; `place`: shared by those between whom nothing decides."""

    player: str
    place: int = 0
    played: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    given: int = 0
    boards_for: int = 0
    boards_against: int = 0
    points_for: int = 0
    points_against: int = 0

    @property
    def worth(self) -> tuple[int, ...]:
        """What decides the order, the most first."""
        points = self.points_for - self.points_against
        return self.won, self.drawn, self.boards_for - self.boards_against, points, self.points_for


@dataclass(slots=True)
class _Sum:
    player: str = ""
    figures: Counter[str] = field(default_factory=Counter)


def _is_of_two(result: ResultSaid) -> bool:
    names = [name_key(name) for side in result.sides for name in side.players]
    alone = [name for name, count in Counter(names).items() if count > 1 and name != _FORGOTTEN]
    return (
        len(result.sides) == 2
        and all(side.players for side in result.sides)
        and result.winner in (None, *(side.name for side in result.sides))
        and not (alone or _NO_NAMES.intersection(names))
    )


def given_by(result: ResultSaid) -> set[str]:
    """The sides that forfeited the match, conceded it or were disqualified."""
    return {one.side for one in result.given or () if one.of == "match"}


def standings(matches: Iterable[Kept]) -> list[Standing]:
    """Everybody's figures over the matches that count, best first; where two are level both have the better place."""
    ordered = sorted(_figures(matches), key=lambda one: ([-figure for figure in one.worth], name_key(one.player)))
    places = {one.worth: place for place, one in reversed(list(enumerate(ordered, 1)))}
    return [replace(one, place=places[one.worth]) for one in ordered]


def between(matches: Iterable[Kept], one: str, other: str) -> list[Kept]:
    """The matches that count in which two players sat on different sides."""
    wanted = [name_key(one), name_key(other)]
    return [
        match
        for match in matches
        if match.counts and any(_sits(wanted, pair) for pair in (match.result.sides, match.result.sides[::-1]))
    ]


def _sits(wanted: Sequence[str], sides: Sequence[FinalSideSaid]) -> bool:
    return all(key in map(name_key, side.players) for key, side in zip(wanted, sides, strict=True))


def within(matches: Iterable[Kept], since: float, until: float) -> list[Kept]:
    """The matches that ended in a time, in Unix seconds."""
    return [match for match in matches if since <= match.result.end < until]


def of_player(matches: Iterable[Kept], name: str) -> list[Kept]:
    """All that is kept of a player: each match that names him, or did before a correction."""
    return [match for match in matches if name_key(name) in map(name_key, _names([match]))]


def known(matches: Iterable[Kept]) -> dict[str, str]:
    """Everybody who is named: key → name as written last."""
    return {name_key(name): name for name in _names(matches) if name_key(name) != _FORGOTTEN}


def nearest(name: str, names: Mapping[str, str]) -> list[str]:
    """The known names most like one that is not known."""
    return [names[key] for key in get_close_matches(name_key(name), names, MOST_NEAR)]


def without(result: ResultSaid, keys: Collection[str]) -> ResultSaid:
    """The result with a neutral word in the place of names; the very same one if it has none of them."""
    if not {name_key(name) for side in result.sides for name in side.players}.intersection(keys):
        return result
    sides = tuple(
        side.model_copy(update={"players": tuple(FORGOTTEN if name_key(one) in keys else one for one in side.players)})
        for side in result.sides
    )
    # A fixture's key is made of names too: whoever guesses them could make it again.
    return result.model_copy(update={"sides": sides, "fixture": "" if result.fixture else result.fixture})


@dataclass(frozen=True, slots=True)
class Slam:
    """A slam of a season: all of white's pieces and the queen in the first turn, or all of black's left in black's.

    `players`, `against`: a side's names; `end`: when its match ended, in Unix seconds.
    """

    players: str
    against: str
    colour: Colour
    table: str
    match: str
    game: int
    board: int
    end: float


def slams(matches: Iterable[Kept]) -> list[Slam]:
    """The slams of the matches that count, the oldest first."""
    found = []
    for one in sorted(matches, key=lambda one: one.result.end):
        for board in one.result.boards if one.counts else ():
            names = {side.name: " & ".join(side.players) for side in one.result.sides}
            if board.slam is not None and board.winner in names:
                by, (against,) = names.pop(board.winner), names.values()
                found.append(
                    Slam(by, against, board.slam, one.table, one.result.match, board.game, board.board, one.result.end)
                )
    return found


COLUMNS = (
    "match", "table", "book", "start", "end", "side 1", "side 2", "points 1", "points 2", "games 1", "games 2",
    "winner", "boards played", "ended by", "slams", "counted", "corrected",
)  # fmt: skip


def as_csv(matches: Sequence[Kept]) -> str:
    """The matches for a spreadsheet; of three or four players the first two."""
    rows = day.as_rows([day.Played(one.table, one.table, one.result) for one in matches])
    more = [
        {"counted": "yes" if one.counts else "no", "corrected": len(one.replaced), "slams": _slams_in_words(one)}
        for one in matches
    ]
    return spreadsheet.as_csv(COLUMNS, [row | added for row, added in zip(rows, more, strict=True)])


def _slams_in_words(match: Kept) -> str:
    return "; ".join(f"{slam.colour}: {slam.players} (game {slam.game}, board {slam.board})" for slam in slams([match]))


def as_json(matches: Iterable[Kept]) -> str:
    """The same for programs, with all that is kept."""
    return json_text({"matches": plain(matches)}, indent=1) + "\n"


def plain(matches: Iterable[Kept]) -> list[dict[str, Any]]:
    """All that is kept of the matches, as JSON values."""
    return [
        {
            "table": one.table,
            **one.result.model_dump(mode="json"),
            "counted": one.counts,
            "struck": one.struck,
            "replaced": [before.model_dump(mode="json") for before in one.replaced],
        }
        for one in matches
    ]


def _names(matches: Iterable[Kept]) -> Iterator[str]:
    for match in matches:
        for result in (*match.replaced, match.result):
            yield from (name for side in result.sides for name in side.players)


def _figures(matches: Iterable[Kept]) -> Iterator[Standing]:
    sums: dict[str, _Sum] = {}
    for match in sorted(matches, key=lambda one: one.result.end):
        if not match.counts:
            continue
        for side, other in (match.result.sides, match.result.sides[::-1]):
            figures = _side(match.result, side, other)
            for name in side.players:
                mine = sums.setdefault(name_key(name), _Sum())
                mine.player = name
                mine.figures.update(figures)
    yield from (Standing(one.player, **one.figures) for key, one in sums.items() if key != _FORGOTTEN)


def _side(result: ResultSaid, side: FinalSideSaid, other: FinalSideSaid) -> dict[str, int]:
    lost = result.winner == other.name
    return {
        "played": 1,
        "won": int(result.winner == side.name),
        "drawn": int(result.winner is None),
        "lost": int(lost),
        "given": int(lost and side.name in given_by(result)),
        "boards_for": sum(board.winner == side.name for board in result.boards),
        "boards_against": sum(board.winner == other.name for board in result.boards),
        "points_for": _points(result, side),
        "points_against": _points(result, other),
    }


def _points(result: ResultSaid, side: FinalSideSaid) -> int:
    """Over all games: a result's own score is its last game's, each board's the score of its game after it."""
    games = {board.game: board.score.get(side.name, 0) for board in result.boards}
    return sum(games.values()) if games and max(games) > 1 else side.points
