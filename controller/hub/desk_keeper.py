"""The desk's acts between season and pages: read again only where it has changed, written at once. Any thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from controller.events.errors import CarromError
from controller.hub.desk import Act
from controller.hub.season_store import SeasonStore
from controller.hub.told import Told

log = logging.getLogger(__name__)


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

    def decide(self, act: Act) -> None:
        """Keeps an act. Raises CarromError where it cannot be kept: nothing has changed then."""
        if self._store.decide(act):
            self._changed()
