"""How long matches last: by those of the same event that were played today, else by all. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import median

from controller.events.doors import name_key
from controller.hub.day import Played
from controller.hub.fixtures import Fixture

USUAL = timedelta(minutes=45)
"""Of a match where nothing was played yet: between a game soon won and one that goes to its last board."""
FEW = 3
"""By fewer matches nothing is known: one may be a walkover in all but name."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """The middle length of a match. `of_event`: event's key → of its own."""

    every: timedelta = USUAL
    of_event: Mapping[str, timedelta] = field(default_factory=dict)

    def of(self, fixture: Fixture) -> timedelta:
        """How long a match will last, as far as can be known."""
        return self.of_event.get(name_key(fixture.event), self.every)


def lengths_of(done: Iterable[Played]) -> Lengths:
    """Returns the lengths of what was played, walkovers left out."""
    every, by_event = list[float](), dict[str, list[float]]()
    for one in done:
        lasted_s = one.result.end - one.result.start
        if one.walkover or one.result.start <= 0 or lasted_s <= 0:
            continue
        every.append(lasted_s)
        if one.fixture is not None:
            by_event.setdefault(name_key(one.fixture.event), []).append(lasted_s)
    of_event = {event: timedelta(seconds=median(some)) for event, some in by_event.items() if len(some) >= FEW}
    return Lengths(timedelta(seconds=median(every)) if len(every) >= FEW else USUAL, of_event)
