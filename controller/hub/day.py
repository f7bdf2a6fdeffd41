"""A day of play: fixtures beside results, and the day's results as one file. Pure; times come in.

Results are what tables published; fixtures what the secretary did. They belong together by the fixture's key, which was
picked at the table; a result whose names were typed belongs to none until the desk says so. Must not know the broker or
the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from controller.events import spreadsheet
from controller.events.doors import json_text, name_key
from controller.events.words import given_in_words
from controller.hub.fixtures import Fixture
from controller.hub.said import ResultSaid


@dataclass(frozen=True, slots=True)
class Played:
    """A result with its table and the fixture it belongs to, if one was written down. `walkover`: the fixture's name
    at the desk, if nobody played it; `withdrawn`: as the other side has left the event, and not by the desk."""

    table: str
    title: str
    result: ResultSaid
    fixture: Fixture | None = None
    walkover: str = ""
    withdrawn: bool = False


def played(
    results: Iterable[tuple[str, ResultSaid]],
    fixtures: Mapping[str, Fixture],
    titles: Mapping[str, str],
    may_be: Callable[[str, ResultSaid, Fixture], bool] = lambda _table, _result, _fixture: True,
) -> list[Played]:
    """Gives each result its fixture: the one whose key it names.

    A table of an earlier version names none: its result belongs to the first fixture of the same players that has none
    yet and that it may be, on its table; or on another one, if no second is open there. `fixtures`: the open ones by
    key.
    """
    open_ones = dict(fixtures)
    found = []
    for table, result in results:
        key = result.fixture if result.fixture is not None else _of_same_players(table, result, open_ones, may_be)
        found.append(Played(table, titles.get(table, table), result, open_ones.pop(key, None)))
    return found


def same_players(result: ResultSaid, fixture: Fixture) -> bool:
    """Whether a match was played by those whom a fixture names, wherever they sat."""
    return _keys(fixture.seats.values()) == _keys(name for side in result.sides for name in side.players)


def some_player(result: ResultSaid, fixture: Fixture) -> bool:
    """Whether one of those whom a fixture names played in a match."""
    return bool({*_keys(fixture.seats.values())} & {name_key(name) for side in result.sides for name in side.players})


def _of_same_players(
    table: str,
    result: ResultSaid,
    fixtures: Mapping[str, Fixture],
    may_be: Callable[[str, ResultSaid, Fixture], bool],
) -> str:
    same = [key for key, one in fixtures.items() if same_players(result, one) and may_be(table, result, one)]
    here = [key for key in same if fixtures[key].table == table]
    return here[0] if here else same[0] if len(same) == 1 else ""


def _keys(names: Iterable[str]) -> list[str]:
    return sorted(map(name_key, names))


def as_rows(day: Sequence[Played], zone: tzinfo | None = None) -> list[dict[str, Any]]:
    """The results as flat rows, for page, JSON and CSV. `zone`: of the times, the machine's if left out."""
    return [_row(one, zone) for one in day]


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """The results for a spreadsheet."""
    return spreadsheet.as_csv(_COLUMNS, rows)


def as_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """The same for programs, with every board."""
    return json_text({"results": list(rows)}, indent=1) + "\n"


_COLUMNS = (
    "event", "round", "table", "title", "match", "book", "start", "end", "side 1", "side 2", "points 1", "points 2",
    "games 1", "games 2", "winner", "boards played", "referee", "ended by", "id", "boards 1", "boards 2", "goes on",
)  # fmt: skip


def _row(one: Played, zone: tzinfo | None) -> dict[str, Any]:
    result, fixture = one.result, one.fixture
    sides = [*result.sides[:2], None, None][:2]
    names = {side.name: " & ".join(side.players) for side in result.sides}
    row: dict[str, Any] = {
        "event": fixture.event if fixture else "",
        "round": fixture.round if fixture else "",
        "id": fixture.id if fixture else "",
        "table": one.table,
        "title": one.title,
        "match": result.match,
        "book": result.book,
        "start": _at(result.start, zone),
        "end": _at(result.end, zone),
        "winner": names.get(result.winner or "", ""),
        "goes on": names.get(result.goes_on or "", ""),
        "ended by": _walked_over(result) if one.walkover else _ended_by(result),
        "boards played": len(result.boards),
        "referee": fixture.referee if fixture else "",
        "boards": [board.model_dump(mode="json") for board in result.boards],
    }
    for number, side in enumerate(sides, 1):
        row[f"side {number}"] = " & ".join(side.players) if side else ""
        row[f"points {number}"] = side.points if side else 0
        row[f"games {number}"] = side.games if side else 0
        row[f"boards {number}"] = sum(board.winner == side.name for board in result.boards) if side else 0
    return row


def _walked_over(result: ResultSaid) -> str:
    return f"walkover ({', '.join(one.why for one in result.given or ())})"


def _ended_by(result: ResultSaid) -> str:
    """Who forfeited, was disqualified or conceded, in words; "" where all was played out."""
    names = {side.name: " & ".join(side.players) for side in result.sides}
    if result.given is not None:
        return "; ".join(
            given_in_words(one.how, names.get(one.side, one.side), one.why, one.game if one.of == "game" else None)
            for one in result.given
        )
    last = result.boards[-1] if result.boards else None
    losers = [name for side, name in names.items() if side != result.winner]
    if last is None or len(losers) != 1 or not result.winner or last.winner != result.winner or last.points:
        return ""
    # Nobody wins a game with fewer points in any other way, unless the umpire set it so.
    behind = last.score.get(result.winner, 0) < max(last.score.values(), default=0)
    return f"{losers[0]} forfeited or was disqualified ({last.why})" if behind and last.why else ""


def _at(seconds: float, zone: tzinfo | None) -> str:
    try:
        return datetime.fromtimestamp(seconds, zone).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return ""
