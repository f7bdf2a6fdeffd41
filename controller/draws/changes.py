"""What a desk changes in an event that is drawn: a name, or who stands where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from controller.draws.entries import Entry
from controller.draws.event import Event
from controller.draws.field import rounds_drawn
from controller.draws.findings import Finding, refuse
from controller.draws.matches import Match, Side
from controller.draws.results import Played, is_of_table
from controller.events.doors import name_key


def renamed(matches: Sequence[Match], before: Entry, after: Entry) -> list[Match]:
    """Returns the matches with the names of an entry as they are written now."""
    return [_with(match, _places(before, after)) for match in matches]


def swapped(event: Event, matches: Sequence[Match], so_far: Played, one: Entry, other: Entry) -> list[Match]:
    """Returns the matches with two entries in each other's places, in the stage that was drawn last: the knock-out, the
    last round of a Swiss event or of ties, or else all.

    Raises DrawError where one of these matches has a result, or neither entry stands in any.
    """
    stage = _last_stage(event, matches)
    places = _places(one, other) | _places(other, one)
    anew = [_with(match, places) if match in stage else match for match in matches]
    touched = [match for match, before in zip(anew, matches, strict=True) if match != before]
    if played := [match.id for match in touched if so_far.result(match) is not None]:
        refuse([Finding("fixtures", f"{', '.join(played)} is played. Fix: swap who has not played yet")])
    if not touched:
        refuse([Finding("fixtures", f"neither {one.name!r} nor {other.name!r} stands in it. Fix: choose two that do")])
    return anew


def _last_stage(event: Event, matches: Sequence[Match]) -> list[Match]:
    if knocked_out := [match for match in matches if not is_of_table(event, match)]:
        return knocked_out
    last = str(rounds_drawn(matches)) if event.system in ("swiss", "ties") else ""
    return [match for match in matches if last in ("", match.round)]


def _places(before: Entry, after: Entry) -> dict[str, str]:
    return {name_key(old): new for old, new in zip(before.players, after.players, strict=True)}


def _with(match: Match, places: Mapping[str, str]) -> Match:
    south, north = (_side(side, places) for side in match.sides)
    return replace(match, south=south, north=north)


def _side(side: Side, places: Mapping[str, str]) -> Side:
    return tuple(places.get(name_key(player), player) for player in side)
