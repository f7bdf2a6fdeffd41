"""The desk's acts between season and pages: read again only where it has changed, written at once. Any thread."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Literal, TypeVar

from controller.events.errors import CarromError
from controller.hub.acts import Act
from controller.hub.fixtures import Fixture, fixtures_from
from controller.hub.season_store import SeasonStore
from controller.hub.told import Told

log = logging.getLogger(__name__)

T = TypeVar("T")

LATELY_S = 7 * 86_400.0
"""Fixtures first published longer ago are of no event that goes on: a broker that has forgotten them may."""


class DeskKeeper:
    """Keeps the acts with the season, so that they outlive the hub and are every hub's on that season.

    `changed()` is called after each act that changes anything.
    """

    def __init__(self, store: SeasonStore, changed: Callable[[], object] = lambda: None) -> None:
        self._store, self._changed = store, changed
        self._guard = threading.Lock()
        self._version: object = None
        self._acts: list[Act] = []
        self._unread = Told(log, "the desk's acts cannot be read")

    def acts(self) -> list[Act]:
        """The acts that hold; while they cannot be read, those that held before."""
        with self._guard:
            try:
                # Asked before the reading: what is written meanwhile is read the next time.
                version = self._store.version()
                if version != self._version:
                    self._acts, self._version = self._store.acts(), version
                self._unread.now("")
            except (CarromError, OSError) as error:
                self._unread.now(str(error))
            return self._acts

    def keep_fixtures(self, listed: Mapping[str, str]) -> None:
        """Keeps what stands on each table's topic of fixtures. Raises CarromError where it cannot be kept."""
        self._store.keep_fixtures(listed)

    def fixtures(self) -> dict[str, tuple[Fixture, ...]]:
        """What stood on each table's topic lately; nothing where that cannot be read."""
        try:
            kept = {table: fixtures_from(table, text.encode()) for table, text in self._store.fixtures().items()}
        except (CarromError, OSError) as error:
            log.warning("the fixtures that stood when a hub last ran cannot be read: %s", error)
            return {}
        lately_s = time.time() - LATELY_S
        return {table: found for table, one in kept.items() if (found := tuple(x for x in one if x.since > lately_s))}

    def amended(self, does: Callable[[SeasonStore], T]) -> T:
        """Does something with the season that may change it. Raises what `does` raises."""
        before = self._store.version()
        found = does(self._store)
        if self._store.version() != before:
            self._changed()
        return found

    def decide(self, act: Act, known: Act | Literal["any"] | None = "any") -> None:
        """Keeps an act (see `SeasonStore.decide`). Raises EventError where another desk was faster, CarromError where
        it cannot be kept: nothing has changed then.
        """
        if self._store.decide(act, known):
            self._changed()
