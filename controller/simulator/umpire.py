"""The true umpire: the real rules engine fed with true events, and what it expects next.

A thin holder of the engine's state. Raises on a refusal: the director never feeds an event that cannot apply.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from controller.events.expectation import Expectation
from controller.events.match import Event, Shot
from controller.events.ruling import Refusal, Ruling


class Umpire(Protocol):
    """What the director needs of an engine: rulings, and the state of play after the latest one."""

    @property
    def expects(self) -> Expectation | None:
        """The state of play; None before a match has begun."""

    def rule(self, event: Event) -> Ruling:
        """Rules on one event. Raises ValueError if it cannot apply."""

    def ruling_instead(self, shot: Shot) -> Ruling | None:
        """What is ruled on another reading of the latest stroke; None without a stroke."""


class TrueUmpire:
    """Rules on true events with the books it is given (`controller.rules.shelf.load_books()`)."""

    def __init__(self, books: Any) -> None:
        self._rules: Any = import_module("controller.rules")
        self._state: Any = self._rules.begin(books)
        self._expects: Expectation | None = None
        self._before: Any = None

    @property
    def expects(self) -> Expectation | None:
        """What the engine expects next; None before a match has begun."""
        return self._expects

    @property
    def state(self) -> Any:
        """The engine's state after the latest ruling."""
        return self._state

    def rule(self, event: Event) -> Ruling:
        """Rules on one event. Raises ValueError if the engine refuses it."""
        if isinstance(event, Shot):
            self._before = self._state
        self._state, said = self._rules.apply(self._state, event)
        if isinstance(said, Refusal):
            raise ValueError(f"the true umpire refused a {said.event}: {said.error}")
        self._expects = self._rules.expectation(self._state)
        ruling: Ruling = said
        return ruling

    def ruling_instead(self, shot: Shot) -> Ruling | None:
        """As `Umpire`."""
        if self._before is None:
            return None
        _, said = self._rules.apply(self._before, shot)
        return said if isinstance(said, Ruling) else None
