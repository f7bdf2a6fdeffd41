"""Patience with who guesses the PIN. Pure: times in, waits out.

Guessing has to be hopeless, and guessing must not keep the umpire out. So wrong tries cost whoever makes them: an
address may be wrong a few times, then waits, each time twice as long. All strangers together get a slow drip of tries,
those who have not been wrong yet a drip of their own; and a browser that has known the PIN before waits for nobody
but itself.

A restart does not give new tries: who has been wrong how often is read back (`kept_tries`), and each wait begins anew
in full. How long the table was off is never asked, so no clock that was set shortens a wait.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

FREE = 5
"""Wrong tries before the first wait: fingers slip."""
FIRST_WAIT_S, LONGEST_WAIT_S = 60.0, 3600.0
FORGOTTEN_S = 24 * 3600.0
REMEMBERED = 4096
"""Addresses; the one that was quiet longest is forgotten first."""
NEW_EACH_S, NEW_AT_ONCE = 6.0, 30
"""Tries by addresses that have not been wrong: a hall full of umpires logs in at once, and a stranger with ever new
addresses makes 14 400 tries a day: 1.4 % of the PINs of six digits."""
OTHERS_EACH_S, OTHERS_AT_ONCE = 10.0, 20
"""Tries by addresses that have been wrong."""
LOUD = 20
"""So many wrong tries by strangers in an hour are reported to the umpire."""
LOUD_S = 3600.0


@dataclass(slots=True)
class _Record:
    wrong: int = 0
    until: float = 0.0
    last: float = 0.0


@dataclass(slots=True)
class Drip:
    """A bucket that holds `most` of something and gets one every `each_s`."""

    each_s: float
    most: int
    full_at: float = float("-inf")

    def wait_s(self, now: float) -> float:
        """How long until there is one."""
        return max(0.0, self.full_at - now - (self.most - 1) * self.each_s)

    def take(self, now: float) -> None:
        """Takes one."""
        self.full_at = max(self.full_at, now) + self.each_s


class Tries:
    """Who may try the PIN when. `now` gives seconds that only go on. `who`: an address, or a browser that is known.

    `wrong`: who had been wrong how often before a restart. If anybody had, strangers get no tries at once but the drip.
    """

    def __init__(self, now: Callable[[], float], wrong: Mapping[str, int] = MappingProxyType({})) -> None:
        self._now = now
        at = now()
        self._records = OrderedDict((who, _Record(times, _until(times, at), at)) for who, times in wrong.items())
        self._new, self._others = Drip(NEW_EACH_S, NEW_AT_ONCE), Drip(OTHERS_EACH_S, OTHERS_AT_ONCE)
        self._wrong: list[float] = []
        if wrong:
            for drip in (self._new, self._others):
                drip.full_at = at + drip.most * drip.each_s

    def wrong(self) -> dict[str, int]:
        """Returns who has been wrong how often and is not forgotten, the one that tried last at the end."""
        now = self._now()
        return {who: one.wrong for who, one in self._records.items() if now - one.last <= FORGOTTEN_S}

    def wait_s(self, who: str, *, known: bool = False) -> float:
        """Returns how long this one must wait before the next try, 0 if it need not."""
        now = self._now()
        own = max(0.0, self._record(who).until - now)
        return own if known else max(own, self._drip(who).wait_s(now))

    def begin(self, who: str, *, known: bool = False) -> None:
        """A try is made; it counts as wrong until it is `right`: tries sent all at once are not checked at once."""
        now = self._now()
        if not known:
            self._drip(who).take(now)
            self._wrong = [*self._wrong[-LOUD:], now]
        record = self._record(who)
        record.wrong += 1
        record.last = now
        record.until = _until(record.wrong, now)
        self._records[who] = record
        self._records.move_to_end(who)
        while len(self._records) > REMEMBERED:
            self._records.popitem(last=False)

    def right(self, who: str, *, known: bool = False) -> bool:
        """It was right: forgotten is what was wrong before. Returns whether anything was."""
        record = self._records.pop(who, None)
        if self._wrong and not known:
            self._wrong.pop()
        return record is not None and record.wrong > 1

    def loud(self) -> bool:
        """Whether strangers have been guessing lately."""
        now = self._now()
        return sum(now - t < LOUD_S for t in self._wrong) >= LOUD

    def _record(self, who: str) -> _Record:
        record = self._records.get(who)
        if record is None or self._now() - record.last > FORGOTTEN_S:
            return _Record()
        return record

    def _drip(self, who: str) -> Drip:
        return self._others if self._record(who).wrong else self._new


def _until(wrong: int, now: float) -> float:
    """Until when whoever was wrong so often, at last now, waits."""
    if wrong < FREE:
        return 0.0
    return now + min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(wrong - FREE, 10))
