"""The stroke clock: how long the side on turn has left, for displays, warnings and `elapsed`.

Pure: times in ns of the one clock come in. It never rules: the engine does, on `elapsed` and on `timeout`. A time that
is not known is not guessed: the clock stands, and nobody is late by it.

The player's time (icf-50) begins when the own stroke before it has come to rest; after another's stroke when that
striker was taken off the board; after pieces had to be put back when they lie there; and at «play». It stands between
boards, while play is stopped, while a challenge waits for its verdict, while pieces wait to be placed, and before a
break that nobody has called.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from controller.mqtt.payloads import Clock

GRACE_NS = 1_000_000_000
"""So much later than its limit is a stroke that has not come: what is under way may not have been seen yet."""


@dataclass(frozen=True, slots=True)
class StrokeClock:
    """`since_ns`: when the present stroke's time began; None while the clock stands or the time is not known.

    `moving_ns`: something moves since then, perhaps the stroke: what is left is shown as it was. `striker_mm`: the
    time begins when the striker that came to rest there has been taken away. `unseen`: it runs, and nobody saw since
    when.
    """

    limit_s: float | None = None
    since_ns: int | None = None
    moving_ns: int | None = None
    striker_mm: tuple[float, float] | None = None
    unseen: bool = False

    def started(self, t_ns: int) -> StrokeClock:
        """Starts the clock anew at `t_ns`."""
        return StrokeClock(self.limit_s, t_ns)

    def stopped(self) -> StrokeClock:
        """Stops it: between boards, in a pause, while pieces are placed."""
        return StrokeClock(self.limit_s)

    def unknown(self) -> StrokeClock:
        """It runs, or will before anybody sees again: after a restart, while no camera works."""
        return StrokeClock(self.limit_s, unseen=True)

    def awaiting(self, striker_mm: tuple[float, float]) -> StrokeClock:
        """Waits for the striker that lies there to be taken away."""
        return StrokeClock(self.limit_s, striker_mm=striker_mm)

    def moved(self, t_ns: int) -> StrokeClock:
        """Something began to move: it may be the stroke."""
        return self if self.since_ns is None or self.moving_ns is not None else replace(self, moving_ns=t_ns)

    def rested(self, since_ns: int) -> StrokeClock:
        """All has been still since then and it was no stroke: the time goes on as if nothing had been."""
        return self if self.moving_ns is None or since_ns <= self.moving_ns else replace(self, moving_ns=None)

    def left_s(self, now_ns: int) -> float | None:
        """Seconds left, not below 0; None while it stands or where the book has no limit."""
        if self.since_ns is None or self.limit_s is None:
            return None
        until = now_ns if self.moving_ns is None else min(now_ns, self.moving_ns)
        return max(0.0, self.limit_s - (until - self.since_ns) / 1e9)

    def ends_ns(self) -> int | None:
        """When it runs out; None while it stands, while something moves, and where the book has no limit."""
        if self.since_ns is None or self.limit_s is None or self.moving_ns is not None:
            return None
        return self.since_ns + round(self.limit_s * 1e9)

    def ran_out(self, now_ns: int) -> bool:
        """Says whether the time is over and no stroke has come."""
        return self.left_s(now_ns - GRACE_NS) == 0.0

    def payload(self, now_ns: int) -> Clock:
        """The `clock` part of the `score` payload."""
        left = self.left_s(now_ns)
        return Clock(self.since_ns is not None, None if left is None else round(left, 1), self.limit_s)


@dataclass(frozen=True, slots=True)
class Turn:
    """What the clock must know of a ruling.

    `seat`: who is on turn, None for nobody. `waits`: strokes do not count or pieces have to be placed first. `opening`:
    the board's first stroke is next. `event`: what was ruled on. `anew`: a further stroke begins with it, or somebody
    else is on turn now.
    """

    seat: str | None
    waits: bool
    opening: bool
    event: str
    anew: bool


def after_ruling(
    clock: StrokeClock, turn: Turn, t_ns: int, striker_mm: tuple[float, float] | None, *, kept: bool
) -> StrokeClock:
    """The clock after a ruling on what ended at `t_ns`. `striker_mm`: where the striker lies, None if it does not.

    `kept`: the striker is in the right hands already.
    """
    if turn.seat is None or turn.waits:
        return clock.stopped()
    if turn.opening:
        if turn.event == "play":
            return clock.started(t_ns)
        return clock.stopped() if turn.anew else clock
    if not turn.anew and (clock.since_ns is not None or clock.striker_mm is not None or clock.unseen):
        # An answer or a word about something else costs nobody time and gives nobody any.
        return clock
    if turn.event == "shot" and not kept and striker_mm is not None:
        return clock.awaiting(striker_mm)
    return clock.started(t_ns)
