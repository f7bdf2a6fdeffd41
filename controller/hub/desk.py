"""What the club's desk decides, as its page sends it: walkovers, fixtures and tables set aside, matches called now,
given another table, or bound to their fixture. Pure; times come in.

Must not know the file, the broker or the pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from controller.events.doors import id_of, player_of
from controller.events.errors import UnreadableError
from controller.hub.acts import WHAT, Act, table_aside, walkover
from controller.hub.day import Played
from controller.hub.fixtures import Fixture, club_day
from controller.hub.said import ResultSaid
from controller.hub.today import Day


def act_of(body: Mapping[str, Any], day: Day, now: datetime) -> Act | str:
    """Reads an act as the page sends it; a text says why it cannot be decided now.

    `fixture` and `what`; of a walkover `winner`, the side's first seat, and `reason`; of `aside` `until`, `HH:MM` of
    today or ""; of `played` `table` and `match`, or, who goes on from a draw, `winner`, "" for nobody; of `table` which
    `table` a match of the pool is given. Without a fixture `table` is set `aside`, or that is `undone`. Raises
    UnreadableError for what is no act.
    """
    name, what = body.get("fixture"), body.get("what")
    at_s = now.timestamp()
    if name is None and what in ("aside", "undone"):
        return _of_table(body, at_s, now)
    if not isinstance(name, str) or what not in WHAT:
        raise UnreadableError(f"needs a fixture, and what is one of {', '.join(WHAT)}")
    if what == "undone":
        return Act(name, what, at_s)
    if what == "open":
        one = _match_of(name, day)
        if one is None:
            return "no match was played for it"
        return Act(f"match {one.table} {one.result.match}", what, at_s, "", one.table, one.result)
    if what == "played" and "winner" in body:
        return _goes_on(name, at_s, body["winner"], day)
    fixture = day.named.get(name)
    if any(one.walkover == name and one.withdrawn for one in day.done):
        return "who does not play it has withdrawn; let them return on the event's page"
    given = any(one.walkover == name for one in day.done)
    open_ones = [one.fixture for one in day.called if one.stage != "playing"]
    if fixture is None or not (given or any(one is fixture for one in open_ones)):
        return "this match is played, under way or no fixture any more"
    if what == "walkover" and fixture.open_seats:
        return "who plays it is not known yet"
    if what == "walkover":
        act = Act(name, what, at_s, table=fixture.table, result=_walkover(name, fixture, body))
        return act if not given or act.repeats(day.acts.get(name)) else f"{day.acts[name].says}; undo it first"
    if given:
        return "a walkover was given; undo it first"
    if what == "played":
        return _played(name, at_s, body, day)
    if what == "here":
        return Act(name, what, at_s)
    if what == "table":
        return _at_table(name, fixture, at_s, body.get("table"), day)
    until = _until(body.get("until"), now)
    return _PASSED if _has_passed(until, now) else Act(name, what, at_s, until)


_PASSED = "this time has passed"


def _has_passed(until: str, now: datetime) -> bool:
    return bool(until) and until <= f"{now:%Y-%m-%d %H:%M}"


def _of_table(body: Mapping[str, Any], at_s: float, now: datetime) -> Act | str:
    what = body.get("what")
    try:
        table = id_of(str(body.get("table")))
    except UnreadableError as error:
        raise UnreadableError(f"needs a fixture or a table, whose id {error}") from error
    if what == "undone":
        return Act(table_aside(table), "undone", at_s)
    until = _until(body.get("until"), now)
    return _PASSED if _has_passed(until, now) else Act(table_aside(table), "aside", at_s, until, table)


def _at_table(name: str, fixture: Fixture, at_s: float, table: object, day: Day) -> Act | str:
    if fixture.table and not fixture.pool:
        return "it has a table of its own; publish the fixtures anew to move it"
    if table not in day.free:
        return "a match of the pool cannot begin there now"
    return Act(name, "table", at_s, table=str(table))


def _match_of(name: str, day: Day) -> Played | None:
    """The match that was played for a fixture."""
    fixture = day.named.get(name)
    return next((one for one in day.done if fixture is not None and one.fixture is fixture and not one.walkover), None)


def _goes_on(name: str, at_s: float, winner: object, day: Day) -> Act | str:
    one = _match_of(name, day)
    if one is None:
        return "no match was played for it"
    if winner not in ("", *(side.name for side in one.result.sides)):
        raise UnreadableError("needs a winner, one of its sides, or nobody")
    if one.result.winner is not None:
        return "it has a winner"
    return Act(name, "played", at_s, "", one.table, one.result.model_copy(update={"goes_on": winner or None}))


def _played(name: str, at_s: float, body: Mapping[str, Any], day: Day) -> Act | str:
    table, match = body.get("table"), body.get("match")
    for one in day.done:
        if (one.table, one.result.match) == (table, match) and not one.walkover:
            belongs = one.fixture is not None
            return "it belongs to another fixture" if belongs else Act(name, "played", at_s, "", one.table, one.result)
    return "no such match was played"


def _walkover(name: str, fixture: Fixture, body: Mapping[str, Any]) -> ResultSaid:
    winner = next((pair[0] for pair in fixture.sides if pair[0] == body.get("winner")), None)
    reason = body.get("reason")
    if winner is None or not isinstance(reason, str):
        raise UnreadableError(f"needs a winner ({' or '.join(pair[0] for pair in fixture.sides)}) and a reason")
    try:
        why = player_of(reason.strip())
    except UnreadableError as error:
        raise UnreadableError(f"reason {error}") from error
    return walkover(name, fixture, winner, why)


def _until(clock: object, now: datetime) -> str:
    if clock == "":
        return ""
    try:
        until = datetime.combine(now.date(), datetime.strptime(str(clock), "%H:%M").time())
    except ValueError as error:
        raise UnreadableError("until needs HH:MM, or nothing") from error
    later = until + timedelta(days=1)
    # A day of play ends after midnight.
    return f"{later if until < now and club_day(later) == club_day(now) else until:%Y-%m-%d %H:%M}"
