"""The hub's thread that keeps finished matches: a slow or full disk holds up no page, and is tried again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from dataclasses import asdict
from typing import Any

from controller.events.errors import CarromError
from controller.hub.rating import rated_standings
from controller.hub.said import ResultSaid
from controller.hub.season import slams
from controller.hub.season_store import SeasonStore
from controller.hub.told import Told
from controller.supervision.heartbeat import SupervisedThread

log = logging.getLogger(__name__)

BEAT_S = 1.0
"""At least so often it goes on; as often it tries what was not taken."""


class SeasonWriter:
    """Keeps each result received. `changed()` is called after each change of what is shown, from its own thread.

    `goes_on()`: the matches that are under way now, by table: of these an end that was kept was taken back since.
    """

    def __init__(
        self,
        store: SeasonStore,
        changed: Callable[[], object] = lambda: None,
        goes_on: Callable[[], Collection[tuple[str, str]]] = tuple,
    ) -> None:
        self._store, self._changed, self._goes_on = store, changed, goes_on
        self._waiting: dict[tuple[str, str], ResultSaid] = {}
        self._guard, self._reading = threading.Lock(), threading.Lock()
        self._figured: tuple[object, dict[str, Any]] | None = None
        self._kept: set[tuple[str, str]] = set()
        self._come, self._stopping = threading.Event(), threading.Event()
        self.thread = SupervisedThread("season", self._work, self._stopping)
        self._unkept, self._unread = Told(log, "the season is not kept"), Told(log, "the season cannot be read")
        self._damaged = Told(log, "not all of the season can be read")

    @property
    def trouble(self) -> str:
        """Why nothing is taken now, or not all can be read; empty while all is well."""
        return self._unkept.trouble or self._damaged.trouble

    def start(self) -> None:
        """Starts it; the season is made if it is not there."""
        self._write()
        self.thread.start()

    def stop(self) -> None:
        """Ends it; what was received is kept first, if it can be."""
        self._stopping.set()
        self._come.set()
        self.thread.join()

    def heard(self, table: str, result: ResultSaid) -> None:
        """Takes in one result. Any thread; returns at once."""
        with self._guard:
            self._waiting[table, result.match] = result
        self._come.set()

    def plain(self) -> dict[str, Any]:
        """The standings with ratings as JSON values."""
        try:
            figures = self._figures()
        except (CarromError, OSError) as error:
            self._unread.now(str(error))
            return {"kept": True, "trouble": True, "matches": 0, "standings": [], "slams": []}
        self._unread.now("")
        return {"kept": True, "trouble": bool(self.trouble), **figures}

    def _figures(self) -> dict[str, Any]:
        """Reckoned anew only where the season has changed: reading a long season takes a second of the processor."""
        with self._reading:
            # Asked before the reading: what is written meanwhile is read the next time.
            version, under_way = self._store.version(), {*self._goes_on()}
            if self._figured is None or self._figured[0] != (version, under_way & self._kept):
                damaged: list[str] = []
                read = self._store.matches(damaged.append)
                self._damaged.now("; ".join(damaged))
                self._kept = {(one.table, one.result.match) for one in read}
                matches = [one for one in read if (one.table, one.result.match) not in under_way]
                figures = {
                    "matches": sum(one.counts for one in matches),
                    "standings": rated_standings(matches),
                    "slams": [asdict(one) for one in slams(matches)],
                }
                self._figured = (version, under_way & self._kept), figures
            return self._figured[1]

    def _work(self, beat: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            beat()
            if self._come.wait(BEAT_S) or self._waiting or self._unkept.trouble:
                self._come.clear()
                self._write()
        if self._waiting:
            self._write()

    def _write(self) -> None:
        with self._guard:
            taken = dict(self._waiting)
        try:
            new = self._store.put((table, result) for (table, _match), result in taken.items())
        except (CarromError, OSError) as error:
            if self._unkept.now(str(error)):
                self._changed()
            return
        with self._guard:
            self._waiting = {key: one for key, one in self._waiting.items() if taken.get(key) is not one}
        if self._unkept.now("") or new:
            self._changed()


NOT_KEPT = {"kept": False, "trouble": False, "matches": 0, "standings": [], "slams": []}
"""The answer where the hub keeps no season."""
