"""Up to when eyes and beams have said everything, and whether they are there at all.

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
    """Time passes. `eyes_until_ns`, `beams_until_ns`: all that was seen and felt up to then has been handed over."""

    now_ns: int
    eyes_until_ns: int | None = None
    beams_until_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What is known of the senses. `beams`, `gaps`: the latest signs of life and losses, by time.

    `now_ns` is the latest time in any input, `since_ns` the first tick and `tick_ns` the latest: only ticks tell
    silence from lateness. `camera_ns`: when the eyes last spoke, `seen_ns`: when they last saw. `eyes_since_ns`: since
    when these eyes remember.
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
        """Says whether there are none: known to be away, or silent since the beginning. Who has just begun to listen
        knows of neither."""
        if self.eyes_up(limits) or not (self.camera or self.beams):
            return False
        return self.camera is not None or self.tick_ns - self.since_ns >= limits.eyes_silent_ns

    def beams_up(self, limits: Limits) -> bool:
        """Says whether edges would arrive if there were any."""
        if not self.beams:
            return self.beams_until_ns > 0 and self.tick_ns - self.beams_until_ns <= limits.beams_silent_ns
        return self.beams[-1].link == "up" and self.tick_ns - self.beams_ns <= limits.beams_silent_ns

    def blind(self, from_ns: int, until_ns: int, limits: Limits) -> frozenset[Pocket]:
        """Returns the pockets whose silence between two times says nothing."""
        if not self.beams and not self.beams_until_ns:
            return frozenset(POCKETS)
        if any(gap.from_ns <= until_ns and gap.t_ns >= from_ns for gap in self.gaps):
            return frozenset(POCKETS)
        if not self.beams_up(limits) and self.beams_until_ns < until_ns:
            return frozenset(POCKETS)
        before = [health for health in self.beams if health.t_ns < from_ns][-1:]
        during = [health for health in self.beams if from_ns <= health.t_ns <= until_ns + S]
        dark: set[Pocket] = set()
        for health in before + during:
            dark.update(POCKETS if health.link == "down" else health.blind)
        return frozenset(dark)


def hear_time(heard: Heard, t_ns: int) -> Heard:
    """Time has reached `t_ns`."""
    return heard if t_ns <= heard.now_ns else replace(heard, now_ns=t_ns)


def hear_tick(heard: Heard, tick: Tick) -> Heard:
    """Takes a tick."""
    heard = hear_time(heard, tick.now_ns)
    return replace(
        heard,
        since_ns=heard.since_ns or tick.now_ns,
        tick_ns=max(heard.tick_ns, tick.now_ns),
        eyes_until_ns=max(heard.eyes_until_ns, tick.eyes_until_ns or 0),
        beams_until_ns=max(heard.beams_until_ns, tick.beams_until_ns or 0),
    )


def hear_picture(heard: Heard, t_ns: int) -> Heard:
    """Something was seen at `t_ns`: the eyes are there, whether or not they said so."""
    heard = hear_time(heard, t_ns)
    if t_ns < heard.camera_ns:
        return heard
    return replace(heard, camera="ok", camera_ns=t_ns, seen_ns=t_ns)


def other_eyes(heard: Heard, health: EyesHealth) -> bool:
    """Says whether these are other eyes than spoke before, or the same ones that remember nothing of then."""
    return health.t_ns >= heard.camera_ns and 0 < heard.eyes_since_ns < health.since_ns


def hear_eyes(heard: Heard, health: EyesHealth) -> Heard:
    """Takes the eyes' sign of life; an older one than the last changes nothing."""
    heard = hear_time(heard, health.t_ns)
    until = max(heard.eyes_until_ns, health.seen_until_ns)
    if health.t_ns < heard.camera_ns:
        return replace(heard, eyes_until_ns=until)
    since = max(heard.eyes_since_ns, health.since_ns)
    seen = health.t_ns if health.camera == "ok" else heard.seen_ns
    return replace(
        heard,
        camera=health.camera,
        camera_ns=health.t_ns,
        seen_ns=max(seen, until),
        eyes_until_ns=until,
        eyes_since_ns=since,
    )


def hear_beams(heard: Heard, health: BeamHealth) -> Heard:
    """Takes the node's sign of life."""
    heard = hear_time(heard, health.t_ns)
    # Of what is said of the same instant, that it is not up was said last: a node that is gone reaches no further.
    kept = tuple(sorted({*heard.beams, health}, key=lambda one: (one.t_ns, one.link != "up")))[-30:]
    until = max(heard.beams_until_ns, health.t_ns) if health.link == "up" else heard.beams_until_ns
    return replace(heard, beams=kept, beams_ns=max(heard.beams_ns, health.t_ns), beams_until_ns=until)


def hear_gap(heard: Heard, gap: BeamGap) -> Heard:
    """Takes the news that edges were lost."""
    return replace(hear_time(heard, gap.t_ns), gaps=(*heard.gaps, gap)[-16:])
