"""The hub's thread for what follows from results: which fixture is played and which table one of the pool has, kept at
the desk for good, and who plays next and where, published to the tables. What stands on their topics it keeps, and
publishes again what a broker that comes back has forgotten.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Protocol

from controller.events.errors import CarromError, EventError
from controller.hub.acts import Act
from controller.hub.fixtures import Fixture, fixtures_from, payload_of
from controller.hub.progress import named_anew
from controller.hub.publishing import Payloads
from controller.hub.today import Day
from controller.hub.told import Told
from controller.mqtt.payloads import to_json
from controller.supervision.heartbeat import SupervisedThread

log = logging.getLogger(__name__)

BEAT_S = 1.0
"""So often it looks, where nothing happens: times pass."""
GAP_S = 0.25
"""So long at least between two looks: of many results at once all are seen in one."""
AGAIN_S = 30.0
"""So long it waits until what it has published comes back from the broker; then it tries once more."""
REFUSED = "the broker keeps nothing of it. Fix: a [mqtt] user that may write carrom/+/fixtures, see docs/broker.md"

Listed = Mapping[str, Sequence[Fixture]]
"""Each table's fixtures as they are published."""


class KeepsPlay(Protocol):
    """Where it is kept."""

    def decide(self, act: Act, known: Act | None) -> None:
        """Keeps which match was played, unless the desk has decided about it since `known`: that raises EventError."""

    def keep_fixtures(self, listed: Mapping[str, str]) -> None:
        """Keeps what stands on each table's topic of fixtures."""


class NamesWriter:
    """Looks every second, and soon after `news`. `day()`: as the desk has it; `listed()`: what is published;
    `forgotten()`: what was, and is no more; `standing()`: both; `publish(made)`: from now on each table has what is
    made from what stands there; `keep`: of a season, that a match was played, which table has it, and what stands. What
    cannot be done raises CarromError.
    """

    def __init__(
        self,
        day: Callable[[], Day],
        listed: Callable[[], Listed],
        forgotten: Callable[[], Listed],
        standing: Callable[[], Listed],
        publish: Callable[[Callable[[Payloads], Payloads]], None],
        keep: KeepsPlay,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._day, self._listed, self._forgotten, self._standing, self._now = day, listed, forgotten, standing, now
        self._publish, self._keep = publish, keep
        self._sent: dict[str, bytes] = {}
        self._kept: dict[str, str] = {}
        self._again_s = 0.0
        self._stopping, self._news = threading.Event(), threading.Event()
        self.thread = SupervisedThread("names", self._work, self._stopping)
        self._unsaid = Told(log, "fixtures are not published anew")
        self._unkept = Told(log, "fixtures, and which are played, are not kept")

    def start(self) -> None:
        """Starts it."""
        self.thread.start()

    def stop(self) -> None:
        """Ends it."""
        self._stopping.set()
        self._news.set()
        self.thread.join()

    def news(self) -> None:
        """The day has changed. Any thread."""
        self._news.set()

    def look(self) -> None:
        """Keeps and publishes what a result has changed since the last look, or a broker has forgotten."""
        listed = self._listed()
        payloads = {table: to_json(payload_of(fixtures)) for table, fixtures in self._forgotten().items()}
        day = self._day() if any(listed.values()) else None
        self._keep_all([(act, day.acts.get(act.fixture)) for act in day.unkept] if day is not None else ())
        if day is not None:
            payloads |= _payloads(listed, self._day() if day.unkept else day)
        if not payloads:
            self._unsaid.now("")
        elif payloads == self._sent and self._now() < self._again_s:
            return
        else:
            self._unsaid.now(REFUSED if payloads == self._sent else "")
            try:
                self._publish(partial(_still_right, payloads, listed, self._forgotten().keys()))
            except CarromError as error:
                self._unsaid.now(str(error))
            self._again_s = self._now() + AGAIN_S
        self._sent = payloads

    def _keep_all(self, acts: Iterable[tuple[Act, Act | None]]) -> None:
        stands = {table: to_json(payload_of(one)).decode() for table, one in self._standing().items()}
        try:
            for act, known in acts:
                # What the desk has decided meanwhile is looked at with the next look.
                with suppress(EventError):
                    self._keep.decide(act, known)
            if stands != self._kept:
                self._keep.keep_fixtures(stands)
                self._kept = stands
        except CarromError as error:
            self._unkept.now(str(error))
            return
        self._unkept.now("")

    def _work(self, beat: Callable[[], None]) -> None:
        while not self._stopping.wait(GAP_S):
            beat()
            if self._news.wait(BEAT_S - GAP_S) and self._stopping.is_set():
                return
            self._news.clear()
            self.look()


def _still_right(payloads: Payloads, listed: Listed, forgotten: Collection[str], stand: Payloads) -> Payloads:
    # The secretary may have published since: then it was made from what is no more. Where a broker has forgotten what
    # stood, even an empty list is news.
    standing = {table: fixtures_from(table, payload) for table, payload in stand.items()}
    return {
        table: payload
        for table, payload in payloads.items()
        if (table not in standing if table in forgotten else standing.get(table, ()) == tuple(listed.get(table, ())))
    }


def _payloads(listed: Listed, day: Day) -> dict[str, bytes]:
    """What is to stand on each table's topic, and on the pool's, where something else stands now.

    Who published without keys gets them: a table's lobby sends them with the match. A match of the pool stands in the
    pool, and as a copy on the table that it has.
    """
    keys = {id(one): key for key, one in day.named.items()}
    wanted = {key: replace(one, key=key) for key, one in day.named.items()}
    wanted |= {keys[id(one)]: replace(changed, key=keys[id(one)]) for one, changed in named_anew(day)}
    given: dict[str, list[Fixture]] = {}
    for one in (call.fixture for call in day.called if not day.listed[keys[id(call.fixture)]].table):
        act = day.acts.get(keys[id(one)])
        # Only once it is kept: of several hubs one gives.
        if act is not None and (act.what, act.table) == ("table", one.table):
            given.setdefault(one.table, []).append(replace(wanted[act.fixture], pool=True))
    as_listed, payloads = {id(one): key for key, one in day.listed.items()}, {}
    for place, stands in {**dict.fromkeys(given, ()), **listed}.items():
        # A copy of what is in no pool here is somebody else's, or the pool is still on its way.
        own = [one for one in stands if not one.pool or id(one) in as_listed]
        # A table whose fixtures were published anew since they were listed has none of these any more.
        if all(id(one) in as_listed for one in own):
            anew = [replace(wanted[as_listed[id(one)]], table=one.table, pool=one.pool) for one in own]
            anew += given.get(place, [])
            if anew != [*stands]:
                payloads[place] = to_json(payload_of(anew))
    return payloads
