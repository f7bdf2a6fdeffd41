"""Tells a source that keeps starting anew from one that runs: between two starts its beams felt nothing. Pure.

One new start, as after plugging in, is no fault. Must not know what the source hangs on.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events.beams import BeamHealth

SECOND = 1_000_000_000
OFTEN = 3
OFTEN_NS = 60 * SECOND
"""So many new starts within so long are no chance: a hand that pushes a plug home makes one, or two."""
STEADY_NS = OFTEN_NS // (OFTEN - 1)
"""It counts as steady again after so long without a new start: as long as the longest pause that a regular fault may
make and still be called one, so that such a fault is reported once and not over and over."""

CAUSES = {
    "power": "it loses its power. Fix: push its plugs home, try another USB cable",
    "brown": "its voltage drops too low. Fix: a shorter USB cable, a powered hub or a supply of its own",
    "dog": "its program hangs. Fix: flash its firmware anew, else change the node",
    "line": "its reset line is pulled. Fix: close other programs that open its port, check the wire at its RST pin",
    "": "its cable drops out. Fix: push its plugs home, try another USB cable",
}
"""What a node's hello gives as the reason of its start → what that means and what helps; empty: it had not stopped."""


def node_keeps_restarting(node: str, reset: str) -> str:
    """Returns the line for a node that keeps starting anew. `reset`: the latest reason, empty for the same boot."""
    return f"pocket node {node} keeps restarting: {CAUSES.get(reset, f'its reason is {reset}. Fix: check its cable')}"


class Steadiness:
    """What one source's starts and signs of life come to. All times are on the table's clock."""

    def __init__(self) -> None:
        self.restarts = 0
        """New starts of whatever had been there before, since the beginning."""
        self._starts: dict[str, tuple[int, ...]] = {}
        self._name = ""
        self._why = ""
        self._latest: BeamHealth | None = None
        self._told_so = False

    def began(self, name: str, why: str, now_ns: int) -> None:
        """Takes a start of what bears this name; the first of each is none anew. `why`: the line to be reported should
        it be one too many; it stays the same as long as that lasts."""
        if not self.says(now_ns):
            self._why = why
        self._name = name
        before = self._starts.get(name)
        self._starts[name] = () if before is None else (*before, now_ns)[-OFTEN:]
        self.restarts += before is not None

    def says(self, now_ns: int) -> str:
        """Returns what is to be reported of it, empty while it is steady."""
        starts = self._starts.get(self._name, ())
        often = len(starts) == OFTEN and starts[-1] - starts[0] <= OFTEN_NS
        return self._why if often and now_ns - starts[-1] < STEADY_NS else ""

    def judged(self, health: BeamHealth, now_ns: int) -> BeamHealth:
        """Takes a sign of life as the source gives it, returns it as it is to be reported."""
        self._latest = health
        says = self.says(now_ns)
        self._told_so = bool(says)
        return replace(health, link="restarting", says=says) if says else health

    def changed(self, now_ns: int) -> BeamHealth | None:
        """Returns what is to be reported once more because it began or ceased to be steady; None where nothing is.

        That it is up again only its next sign of life says: the latest may be from before its last start.
        """
        says = self.says(now_ns)
        if self._latest is None or self._told_so == bool(says) or (self._latest.link == "up" and not says):
            return None
        return self.judged(self._latest, now_ns)
