"""Tells a source that keeps starting anew from one that runs: between two starts its beams felt nothing. Pure.

One disturbance, as a plug that is pushed home, is no fault. Must not know what the source hangs on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from controller.events.beams import BeamHealth

SECOND = 1_000_000_000
OFTEN_NS = 60 * SECOND
"""Two disturbances within so long are no chance. It counts as steady again after so long without a new start."""
BOUNCE_NS = 3 * SECOND
"""A plug that is pushed home bounces: the starts within so long, between which the source was never up, are one."""

CAUSES = {
    "power": "it loses its power. Fix: push its plugs home, try another USB cable",
    "brown": "its voltage drops too low. Fix: a shorter USB cable, a powered hub or a supply of its own",
    "dog": "its program hangs. Fix: flash its firmware anew, else change the node",
    "line": "its reset line is pulled. Fix: close other programs that open its port, check the wire at its RST pin",
    "": "its cable drops out. Fix: push its plugs home, try another USB cable",
}
"""What a node's hello gives as the reason of its start → what that means and what helps; empty: it had not stopped."""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """What is to be reported of a new start: of one alone, and of one too many."""

    once: str
    often: str


def new_start(node: str, reset: str) -> Disturbance:
    """Returns that of a node. `reset`: the reason that its hello gives, empty where it had not stopped."""
    cause = CAUSES.get(reset, f"its reason is {reset}. Fix: check its cable")
    did = "restarted" if reset else "was gone"
    return Disturbance(f"pocket node {node} {did}: {cause}", f"pocket node {node} keeps restarting: {cause}")


def clock_step(node: str, size_ns: int) -> Disturbance:
    """Returns that of a node whose clock stepped: it is measured anew."""
    fix = "Fix: flash its firmware anew, else change the node"
    return Disturbance(
        f"pocket node {node}: its clock stepped by {size_ns / SECOND:+.1f} s",
        f"pocket node {node} has a clock that does not run evenly. {fix}",
    )


class Steadiness:
    """What one source's starts and signs of life come to. All times are on the table's clock."""

    def __init__(self) -> None:
        self.restarts = 0
        """New starts of whatever had been there before, since the beginning."""
        self._disturbed: dict[str, tuple[int, ...]] = {}
        self._name = ""
        self._once = self._often = ""
        self._began_ns = 0
        self._was_up = False
        self._latest: BeamHealth | None = None
        self._told_so = False

    def began(self, name: str, why: Disturbance, now_ns: int) -> None:
        """Takes a start of what bears this name; the first of each is none anew. The line about one too many stays as
        it is as long as that lasts."""
        if not self.says(now_ns):
            self._often = why.often
        before = self._disturbed.get(name)
        if before is None:
            self._disturbed[name] = ()
        elif not before or self._was_up or name != self._name or now_ns - before[-1] > BOUNCE_NS:
            self._disturbed[name] = (*before, now_ns)[-2:]
        self.restarts += before is not None
        self._once = why.once if before is not None else ""
        self._name, self._began_ns, self._was_up = name, now_ns, False

    def says(self, now_ns: int) -> str:
        """Returns what is to be reported of it, empty while it is steady."""
        disturbed = self._disturbed.get(self._name, ())
        often = len(disturbed) > 1 and disturbed[-1] - disturbed[0] <= OFTEN_NS
        return self._often if often and now_ns - self._began_ns < OFTEN_NS else ""

    def judged(self, health: BeamHealth, now_ns: int) -> BeamHealth:
        """Takes a sign of life as the source gives it, returns it as it is to be reported."""
        self._latest = health
        self._was_up |= health.link == "up"
        says = self.says(now_ns)
        self._told_so = bool(says)
        if says:
            return replace(health, link="restarting", says=says)
        lately = health.link in ("up", "restarting") and now_ns - self._began_ns < OFTEN_NS
        return replace(health, says=health.says or self._once) if lately else health

    def changed(self, now_ns: int) -> BeamHealth | None:
        """Returns what is to be reported once more because it began or ceased to be steady; None where nothing is.

        That it is up again only its next sign of life says: the latest may be from before its last start.
        """
        says = self.says(now_ns)
        if self._latest is None or self._told_so == bool(says) or (self._latest.link == "up" and not says):
            return None
        return self.judged(self._latest, now_ns)
