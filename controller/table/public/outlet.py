"""Where things are published: the broker, the pages, the panel. One protocol, and publishing to them all.

An outlet that breaks is logged and left out of that message; play and the other outlets go on, and `troubles` says so
until it can be reached again. Must not know what is published.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from controller.mqtt.payloads import Alert, Lying

log = logging.getLogger(__name__)


class Outlet(Protocol):
    """Somewhere things are published to one audience, who may know all that it is handed. Calls must return at once."""

    def shot(self, event: Mapping[str, Any], at: float) -> None:
        """A stroke was taken in."""

    def ruling(self, ruling: Mapping[str, Any], at: float) -> None:
        """Something was ruled, or a ruling that was published before it was saved is saved now."""

    def alert(self, alert: Alert, standing: bool) -> None:
        """Something should be noticed; a standing one holds until it is resolved."""

    def resolve(self, alert: str) -> None:
        """A standing alert holds no more."""


class PublicOutlet(Outlet, Protocol):
    """One for everybody."""

    def board(self, lying: Lying) -> None:
        """Where the pieces lie, or are moving."""

    def changed(self) -> None:
        """Score or clock changed: read them anew."""

    def health(self) -> None:
        """The table's health was measured anew: read it."""


Told = TypeVar("Told", bound=Outlet)


class Outlets(Generic[Told]):
    """A table's outlets for one audience, in the order in which they were added."""

    def __init__(self) -> None:
        self._all: list[Told] = []
        self._troubles: dict[tuple[str, str], str] = {}

    def troubles(self) -> dict[str, str]:
        """Returns who could not be sent the latest of something, and why."""
        found: dict[str, str] = {}
        for (name, kind), says in self._troubles.items():
            found[name] = f"{name} could not be told of {kind}: {says}. Fix: look at the log; it is told again"
        return found

    def append(self, outlet: Told) -> None:
        """Adds one."""
        self._all.append(outlet)

    def shot(self, event: Mapping[str, Any], at: float) -> None:
        """Tells a stroke."""
        self._each("shot", lambda outlet: outlet.shot(event, at))

    def ruling(self, ruling: Mapping[str, Any], at: float) -> None:
        """Tells a ruling."""
        self._each("ruling", lambda outlet: outlet.ruling(ruling, at))

    def alert(self, alert: Alert, *, standing: bool = False) -> None:
        """Tells an alert."""
        self._each("alert", lambda outlet: outlet.alert(alert, standing))

    def resolve(self, alert: str) -> None:
        """Takes a standing alert back."""
        self._each("resolve", lambda outlet: outlet.resolve(alert))

    def _each(self, kind: str, call: Callable[[Told], None]) -> None:
        for outlet in self._all:
            told = (type(outlet).__name__, kind)
            try:
                call(outlet)
            except Exception as error:
                if told not in self._troubles:
                    log.exception("%s could not be told of %s", *told)
                self._troubles[told] = f"{type(error).__name__}: {' '.join(str(error).split())}"
            else:
                self._troubles.pop(told, None)


class PublicOutlets(Outlets[PublicOutlet]):
    """A table's outlets for everybody."""

    def board(self, lying: Lying) -> None:
        """Tells where the pieces lie."""
        self._each("board", lambda outlet: outlet.board(lying))

    def changed(self) -> None:
        """Tells that score or clock changed."""
        self._each("changed", lambda outlet: outlet.changed())

    def health(self) -> None:
        """Tells that health was measured anew."""
        self._each("health", lambda outlet: outlet.health())
