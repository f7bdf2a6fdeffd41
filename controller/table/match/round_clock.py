"""The round clock: how much of a round's time has been played, and when it is over.

Pure: times in ns of the table's own clock come in, never the wall's, which may jump. It rules nothing: the desk does,
with `round_over`, once `is_up`.

The round's time begins with the first stroke or «play» that is no trial. It runs until the match is over, between
boards too and when a stroke's own time ran out; it stands while play is stopped, while a challenge waits for its
verdict, and on a trial board. What passed between two runs of the table's clock (the machine was off) is not counted,
and `uncounted` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from controller.journal.journal import Entry, TakenAt
from controller.mqtt.payloads import Round
from controller.rules import Standing

CLOCK = "clock"
"""The source of a `round_over` that nobody called."""

STROKE_NS = 15_000_000_000
"""So long at most the end waits for a stroke that is under way to be ruled on."""

_BEGINS = ("play", "shot")


@dataclass(frozen=True, slots=True)
class RoundClock:
    """`played_ns`: the round's time up to `since_ns`, from which on it `runs`; None while it stands, and where nobody
    knows since when it runs.

    `over`: the round is over, whoever ended it; `done`: so is the match. `by_hand`: the clock ends it no more in this
    match: an end was taken back when no time was left, and no other limit was set since. `uncounted`: it ran while
    nobody could measure it.
    """

    limit_s: float | None = None
    played_ns: int = 0
    since_ns: int | None = None
    begun: bool = False
    runs: bool = False
    over: bool = False
    done: bool = False
    by_hand: bool = False
    uncounted: bool = False

    def ruled(self, event: str, now: Standing, t_ns: int | None) -> RoundClock:
        """The clock after a ruling at `t_ns` (None: nobody knows when), by which the match stands as in `now`.

        `event`: what was ruled on.
        """
        if event == "start":
            return RoundClock(_limit_s(now))
        limit_s, begun = _limit_s(now), self.begun or event in _BEGINS
        runs = begun and not (now.paused or now.challenges or now.trial or now.match_over)
        taken_back = self.over and not now.round_over and self._no_time_left(t_ns)
        after = replace(
            self if t_ns is None else self._counted(t_ns),
            limit_s=limit_s,
            begun=begun,
            runs=runs,
            over=now.round_over,
            done=now.match_over,
            by_hand=taken_back or (self.by_hand and limit_s == self.limit_s),
        )
        if t_ns is not None:
            return replace(after, since_ns=t_ns if runs else None)
        # While it goes on as before, the next ruling whose time is known counts this one's time too.
        return after if runs == self.runs else replace(after, since_ns=None, uncounted=self.uncounted or self.runs)

    def cut(self) -> RoundClock:
        """The table's clock began anew: nobody knows how long the one before it went on."""
        return replace(self, since_ns=None)

    def resumed(self, now_ns: int) -> RoundClock:
        """After a restart: it goes on from where it stood, and from now on where that is not known."""
        known = self.since_ns is not None and self.since_ns <= now_ns
        return self if known or not self.runs else replace(self, since_ns=now_ns, uncounted=True)

    def left_s(self, now_ns: int) -> float | None:
        """Seconds left, not below 0; None where the match has no limit."""
        return None if self.limit_s is None else max(0.0, self.limit_s - self._played_ns(now_ns) / 1e9)

    def ends_ns(self) -> int | None:
        """When it runs out; None while it stands, and where the match has no limit."""
        if self.since_ns is None or self.limit_s is None:
            return None
        return self.since_ns + round(self.limit_s * 1e9) - self.played_ns

    def is_up(self, now_ns: int) -> bool:
        """Whether the round has to be ended now."""
        return not (self.over or self.done or self.by_hand) and self.left_s(now_ns) == 0.0

    @property
    def doubtful(self) -> bool:
        """Whether it will end the round later than the time that was played."""
        return self.uncounted and self.limit_s is not None and not (self.over or self.done or self.by_hand)

    def payload(self, now_ns: int, ends: float | None) -> Round | None:
        """The `round` part of the `score` payload; None where the match has no limit. `ends`: in Unix seconds."""
        left = self.left_s(now_ns)
        if left is None:
            return None
        return Round(self.runs, round(left, 1), self.limit_s, ends, self.over, self.by_hand, self.uncounted)

    def _played_ns(self, t_ns: int) -> int:
        return self.played_ns + (0 if self.since_ns is None else max(0, t_ns - self.since_ns))

    def _counted(self, t_ns: int) -> RoundClock:
        lost = self.runs and self.since_ns is None
        return replace(self, played_ns=self._played_ns(t_ns), uncounted=self.uncounted or lost)

    def _no_time_left(self, t_ns: int | None) -> bool:
        return self.left_s(self.since_ns or 0 if t_ns is None else t_ns) == 0.0


def _limit_s(now: Standing) -> float | None:
    return float(now.policy["round_minutes"]) * 60 or None


class RoundAgain:
    """The round clock of a recorded match, counted anew ruling by ruling. `clock`: as it stands after the latest.

    `taken`: when each event was taken in and when a table went on after it, as far as that was noted, in order.
    """

    def __init__(self, entries: Sequence[Entry], taken: Sequence[TakenAt]) -> None:
        self.clock = RoundClock()
        self._entries = iter(entries)
        self._taken = {at.seq: at for at in taken if not at.resumed}
        self._resumed = [at for at in taken if at.resumed]
        self._run = ""

    def ruled(self, now: Standing) -> None:
        """The next event was ruled on again; the match stands as in `now`."""
        entry = next(self._entries)
        at = self._taken.get(entry.seq)
        if at is not None:
            self._in_run(at.clock)
        t_ns = None if at is None else at.taken_ns
        self.clock = self.clock.ruled(entry.event["event"], now, t_ns)
        for again in self._resumed:
            if again.seq == entry.seq:
                self.resumed(again.clock, again.taken_ns)

    def resumed(self, run: str, now_ns: int) -> RoundClock:
        """The clock at a restart. `run`: what tells that run of the table's clock from others."""
        self._in_run(run)
        self.clock = self.clock.resumed(now_ns)
        return self.clock

    def _in_run(self, run: str) -> None:
        if run != self._run:
            self._run, self.clock = run, self.clock.cut()
