"""Whether the vision process and the pocket node are alive, and up to when each has reported everything.

Times are those of the clock everything runs on; the latest time in any input is «now». Must not know what was seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from controller.events.beams import BeamGap, BeamHealth
from controller.events.observation import EyesHealth
from controller.events.words import Pocket
from controller.shots.fusion import POCKETS
from controller.shots.limits import Limits, S


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passes. `eyes_until_ns`, `beams_until_ns`: all that was seen and felt up to then has been reported."""

    now_ns: int
    eyes_until_ns: int | None = None
    beams_until_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Liveness:
    """What is known of both. `beams`, `gaps`: the node's latest signs of life and losses of edges, by time.

    `now_ns` is the latest time in any input, `since_ns` the first tick and `tick_ns` the latest: only ticks tell
    silence from lateness. `camera_ns`: when the vision process last reported, `seen_ns`: its last picture.
    `eyes_since_ns`: since when it remembers.
    """

    now_ns: int = 0
    since_ns: int = 0
    tick_ns: int = 0
    camera: str | None = None
    camera_ns: int = 0
    seen_ns: int = 0
    eyes_since_ns: int = 0
    eyes_until_ns: int = 0
    beams_ns: int = 0
    beams_until_ns: int = 0
    beams: tuple[BeamHealth, ...] = ()
    gaps: tuple[BeamGap, ...] = ()

    def eyes_up(self, limits: Limits) -> bool:
        """Says whether there are pictures to go by."""
        return self.camera == "ok" and self.tick_ns - self.camera_ns <= limits.eyes_silent_ns

    def no_eyes(self, limits: Limits) -> bool:
        """Says whether there are none: known to be away, or silent since the first tick. Right after that neither is
        known."""
        if self.eyes_up(limits) or not (self.camera or self.beams):
            return False
        return self.camera is not None or self.tick_ns - self.since_ns >= limits.eyes_silent_ns

    def beams_up(self, limits: Limits) -> bool:
        """Says whether edges would arrive if there were any."""
        if not self.beams:
            return self.beams_until_ns > 0 and self.tick_ns - self.beams_until_ns <= limits.beams_silent_ns
        return self.beams[-1].link == "up" and self.tick_ns - self.beams_ns <= limits.beams_silent_ns

    def no_beams(self, limits: Limits) -> bool:
        """Says whether no edges would arrive: known to be away, or silent since the first tick."""
        if self.beams_up(limits):
            return False
        return bool(self.beams) or self.tick_ns - self.since_ns >= limits.beams_silent_ns

    def felt_until(self, t_ns: int, limits: Limits) -> bool:
        """Says whether the beams have reported everything up to `t_ns` and a little more, or may not report at all."""
        return self.beams_until_ns >= t_ns + limits.beams_wait_ns or self.no_beams(limits)

    def blind(self, from_ns: int, until_ns: int, limits: Limits) -> frozenset[Pocket]:
        """Returns the pockets whose silence between two times says nothing."""
        silent = not self.beams_up(limits) and self.beams_until_ns < until_ns
        never = not self.beams and not self.beams_until_ns
        if never or silent or any(gap.from_ns <= until_ns and gap.t_ns >= from_ns for gap in self.gaps):
            return frozenset(POCKETS)
        before = [health for health in self.beams if health.t_ns < from_ns][-1:]
        during = [health for health in self.beams if from_ns <= health.t_ns <= until_ns + S]
        dark: set[Pocket] = set()
        for health in before + during:
            dark.update(POCKETS if health.link == "down" else health.blind)
        return frozenset(dark)

    def with_time(self, t_ns: int) -> Liveness:
        """Time has reached `t_ns`."""
        return self if t_ns <= self.now_ns else replace(self, now_ns=t_ns)

    def with_tick(self, tick: Tick) -> Liveness:
        """Takes a tick."""
        known = self.with_time(tick.now_ns)
        return replace(
            known,
            since_ns=known.since_ns or tick.now_ns,
            tick_ns=max(known.tick_ns, tick.now_ns),
            eyes_until_ns=max(known.eyes_until_ns, tick.eyes_until_ns or 0),
            beams_until_ns=max(known.beams_until_ns, tick.beams_until_ns or 0),
        )

    def with_picture(self, t_ns: int) -> Liveness:
        """Something was seen at `t_ns`: there are pictures, with or without a sign of life."""
        known = self.with_time(t_ns)
        if t_ns < known.camera_ns:
            return known
        return replace(known, camera="ok", camera_ns=t_ns, seen_ns=t_ns)

    def with_eyes(self, health: EyesHealth) -> Liveness:
        """Takes the vision process's sign of life; an older one than the last changes nothing."""
        known = self.with_time(health.t_ns)
        until = max(known.eyes_until_ns, health.seen_until_ns)
        if health.t_ns < known.camera_ns:
            return replace(known, eyes_until_ns=until)
        seen = health.t_ns if health.camera == "ok" else known.seen_ns
        return replace(
            known,
            camera=health.camera,
            camera_ns=health.t_ns,
            seen_ns=max(seen, until),
            eyes_until_ns=until,
            eyes_since_ns=max(known.eyes_since_ns, health.since_ns),
        )

    def restarted(self, health: EyesHealth) -> bool:
        """Says whether another vision process reports than before, or the same one that remembers nothing of then."""
        return health.t_ns >= self.camera_ns and 0 < self.eyes_since_ns < health.since_ns

    def with_beams(self, health: BeamHealth) -> Liveness:
        """Takes the node's sign of life."""
        known = self.with_time(health.t_ns)
        # Of two at the same instant the one that is not up came last: a node that is gone reports no further.
        kept = tuple(sorted({*known.beams, health}, key=lambda one: (one.t_ns, one.link != "up")))[-30:]
        until = max(known.beams_until_ns, health.t_ns) if health.link == "up" else known.beams_until_ns
        return replace(known, beams=kept, beams_ns=max(known.beams_ns, health.t_ns), beams_until_ns=until)

    def with_gap(self, gap: BeamGap) -> Liveness:
        """Takes the news that edges were lost."""
        return replace(self.with_time(gap.t_ns), gaps=(*self.gaps, gap)[-16:])
