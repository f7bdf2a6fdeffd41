"""What a table lacks for the match that is called, held or played there: a referee, a display. Pure.

Must not know the broker or the pages.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from controller.events.doors import name_key
from controller.hub.calling import Call
from controller.hub.today import Day

Lack = Literal["referee", "display"]


def lacking(call: Call, day: Day, undisplayed: Collection[str]) -> list[Lack]:
    """Returns what is missing now. `undisplayed`: the tables that should have a display, and have none.

    Who begins a match is its referee, named or not: one is missing until then, where the sheet names the referees of
    the same event.
    """
    found: list[Lack] = []
    before = call.stage in ("called", "held", "early") and bool(call.fixture.table)
    if before and not call.fixture.referee and name_key(call.fixture.event) in _refereed(day):
        found.append("referee")
    if (before or call.stage == "playing") and call.fixture.table in undisplayed:
        found.append("display")
    return found


def _refereed(day: Day) -> set[str]:
    """The events whose matches have a referee by name."""
    return {name_key(one.event) for one in day.named.values() if one.referee}
