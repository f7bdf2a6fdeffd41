"""The hall: each match's table and time, so that nobody plays twice at once and everybody rests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from controller.draws.event import Event
from controller.draws.findings import Finding, refuse
from controller.draws.matches import Match, Side, awaited, placed
from controller.events.doors import name_key

_ANY_DAY = "2000-01-01"


def seated(event: Event, matches: Sequence[Match]) -> list[Match]:
    """Returns the matches with table and time, those of `event.tables`; what a line has already stays.

    A match begins once both sides have rested since their last match, and since the matches that decide who they are,
    on the table that is free first. Without `start` tables are given in the same way, and no time; without `tables`
    there is neither, as the length of a day hangs on how many there are. Raises DrawError for a day that goes on past
    midnight where `start` names no day.
    """
    if not event.tables:
        return [*matches]
    hall = _Hall(event)
    return [hall.take(match) for match in matches]


class _Hall:
    """Minutes from the beginning until each table is free, and until each player and match has rested."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._begin = datetime.fromisoformat(
            event.start if " " in event.start else f"{_ANY_DAY} {event.start or '00:00'}"
        )
        self._free = dict.fromkeys(event.tables, 0)
        self._ready: dict[str, int] = {}

    def take(self, match: Match) -> Match:
        """Returns a match with its table and time, and keeps both."""
        if match.line and match.cells.get("table"):
            at = self._minute_of(match)
            self._keep(match, match.cells["table"], at)
            return match
        ready = max((self._ready.get(key, 0) for key in _keys(match.sides)), default=0)
        begins = {table: max(free, ready) for table, free in self._free.items()}
        # Of tables on which it begins at one time, the one that would stand idle for less long.
        table = min(begins, key=lambda one: (begins[one], -self._free[one]))
        self._keep(match, table, begins[table])
        return placed(match, table=table, **self._time(begins[table]))

    def _keep(self, match: Match, table: str, at: int) -> None:
        end = at + self._event.minutes
        self._free[table] = max(end, self._free.get(table, 0))
        for key in (*_keys(match.sides), f"id {name_key(match.id)}"):
            self._ready[key] = max(end + self._event.rest_minutes, self._ready.get(key, 0))

    def _minute_of(self, match: Match) -> int:
        """When a line that is there begins; where it has no time, once its table is free and its players are ready."""
        day, clock = match.cells.get("date", ""), match.cells.get("time", "")
        try:
            at = datetime.fromisoformat(f"{day or f'{self._begin:%Y-%m-%d}'} {clock}")
        except ValueError:
            ready = max((self._ready.get(key, 0) for key in _keys(match.sides)), default=0)
            return max(ready, self._free.get(match.cells["table"], 0))
        return max(0, round((at - self._begin).total_seconds() / 60))

    def _time(self, minute: int) -> dict[str, str]:
        if not self._event.start:
            return {}
        at = self._begin + timedelta(minutes=minute)
        if " " in self._event.start:
            return {"date": f"{at:%Y-%m-%d}", "time": f"{at:%H:%M}"}
        if at.date() > self._begin.date():
            says = "the last matches begin after midnight. Fix: more tables, or a day in start, as 2026-11-29 09:30"
            refuse([Finding("event", says, key=("start",))])
        return {"time": f"{at:%H:%M}"}


def _keys(sides: Iterable[Side]) -> list[str]:
    """Whom a match waits for: players by name, others by the match that decides who they are."""
    return [
        f"id {found[1]}" if (found := awaited((player,))) else name_key(player) for side in sides for player in side
    ]
