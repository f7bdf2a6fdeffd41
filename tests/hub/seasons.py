"""Results as the hub reads them, and a season with some, for the tests of a season."""

from __future__ import annotations

from dataclasses import replace

from controller.events.ruling import Given
from controller.events.words import Colour
from controller.hub.said import ResultSaid, read
from controller.hub.season_at import season_at
from controller.hub.season_store import SeasonStore
from controller.mqtt.payloads import Result, to_json
from tests.hub.test_day import result

DAY_S = 86_400.0
NOON = 1_790_000_000.0
"""A day of September 2026; which match ended when is counted from it."""


def ended(match, south, north, points, *, winner="south", day=0, given=None, games=None) -> Result:
    """A match of which `winner` may be None; `south`, `north`: a name, or a pair's."""
    players = [[side] if isinstance(side, str) else list(side) for side in (south, north)]
    one = result(match, players, points, end=NOON + day * DAY_S, games=games)
    return replace(one, winner=winner, given=(Given(given, "forfeit", "match", 1, "icf-143"),) if given else ())


def slammed(one: Result, winner: str, colour: Colour) -> Result:
    """The same match, whose first board was won by a slam."""
    first, *more = one.boards
    return replace(one, boards=(replace(first, winner=winner, slam=colour), *more))


def heard(one: Result, table="t1") -> ResultSaid:
    """What the hub reads of a table's payload."""
    said = read(ResultSaid, to_json(one), table)
    assert said is not None
    return said


SEASON = (
    ("t1", ended("m1", "Asha Rao", "Ben Kim", (25, 4))),
    ("t2", ended("m2", "Ben Kim", "आशा", (25, 20), day=1)),
    ("t1", ended("m3", "Asha Rao", "आशा", (12, 12), winner=None, day=2)),
    ("t1", ended("m4", "asha  rao", "Ben Kim", (3, 9), given="north", day=3)),
    ("t1", ended("m5", "South", "North", (25, 0), day=4)),
)
"""A season in which आशा is third, and whose last match nobody typed names for."""


def filled(place, season=SEASON) -> SeasonStore:
    """A file or a database that keeps it."""
    store = season_at(place)
    store.put((table, heard(one, table)) for table, one in season)
    return store
