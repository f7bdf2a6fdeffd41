"""How names flow on: a result decides who plays the matches that wait for its winner or loser. Pure.

Nothing is stored: it follows from fixtures and results, as the desk has them. A name that was published stays until a
result says another: a hub that has just started may have received fixtures before results, and results expire after a
day. Once a match is called its names stay in any case, for somebody sits at its table; a corrected result that would
have another there is reported. Must not know the broker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from controller.events.doors import name_key
from controller.events.words import Seat
from controller.hub.calling import Call
from controller.hub.fixtures import ById, Fixture
from controller.hub.said import ResultSaid
from controller.hub.today import Day

_Ends = Callable[[Fixture, str], ResultSaid | None]


def named_anew(day: Day) -> list[tuple[Fixture, Fixture]]:
    """Returns the fixtures whose names change now: each as it is, and as it should be."""
    pairs = [(call.fixture, _by_results(call.fixture, _ends(day))) for call in day.called if not _stays(call)]
    return [(one, anew) for one, anew in pairs if one != anew]


def differing(call: Call, day: Day) -> dict[Seat, str]:
    """Returns who should sit where by the results of now, though others are called there, or play."""
    if not _stays(call) or not call.fixture.awaits:
        return {}
    wanted = _by_results(call.fixture, _ends(day))
    return {seat: name for seat, name in wanted.seats.items() if name_key(name) != name_key(call.fixture.seats[seat])}


def _stays(call: Call) -> bool:
    return call.stage in ("called", "playing")


def _ends(day: Day) -> _Ends:
    """Returns what finds the result of the match that a reference names; of two the later one."""
    results, ids = {id(one.fixture): one.result for one in day.done}, ById(day.named.values())

    def ended(fixture: Fixture, reference: str) -> ResultSaid | None:
        decides = ids.named(fixture, reference)
        return None if decides is None else results.get(id(decides))

    return ended


def _by_results(fixture: Fixture, ends: _Ends) -> Fixture:
    if not fixture.awaits:
        return fixture
    named = {
        seat: _player(ends(fixture, fixture.awaits[seat]), fixture.awaits[seat], place) or fixture.seats[seat]
        for side in fixture.sides
        for place, seat in enumerate(side)
        if seat in fixture.awaits
    }
    return replace(fixture, seats={**fixture.seats, **named})


def _player(result: ResultSaid | None, reference: str, place: int) -> str:
    """Who is meant; "" as long as no result says so. `place`: which of two partners."""
    winner = None if result is None else result.winner or result.goes_on
    if result is None or winner is None:
        return ""
    won = name_key(reference).startswith("winner")
    sides = [side for side in result.sides if (side.name == winner) == won]
    return sides[0].players[place] if len(sides) == 1 and place < len(sides[0].players) else ""
