"""The desk's acts between file and pages: read again only where the file has changed, written at once. Any thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from controller.events.errors import CarromError
from controller.hub.desk import Act
from controller.hub.season_file import SeasonFile

log = logging.getLogger(__name__)


class DeskKeeper:
    """Keeps the acts in the season's file, so that they outlive the hub and are every hub's on that file.

    `changed()` is called after each act that changes anything.
    """

    def __init__(self, file: SeasonFile, changed: Callable[[], object] = lambda: None) -> None:
        self._file, self._changed = file, changed
        self._guard = threading.Lock()
        self._version: object = None
        self._acts: list[Act] = []
        self._trouble = ""

    def acts(self) -> list[Act]:
        """The acts that hold; while the file cannot be read, those that held before."""
        with self._guard:
            try:
                # Asked before the reading: what is written meanwhile is read the next time.
                version = self._file.version()
                if version != self._version:
                    self._acts, self._version = self._file.acts(), version
                self._trouble = ""
            except (CarromError, OSError) as error:
                if str(error) != self._trouble:
                    log.warning("the desk's acts cannot be read: %s", error)
                self._trouble = str(error)
            return self._acts

    def decide(self, act: Act) -> None:
        """Keeps an act. Raises CarromError where the file does not take it: nothing has changed then."""
        if self._file.decide(act):
            self._changed()
