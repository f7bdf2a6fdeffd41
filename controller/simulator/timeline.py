"""Simulated time: what is to be seen at any moment, and happenings handed out in order as time goes by.

Knows no match and no players.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from controller.simulator.happenings import BeamChange, Decision, FrameDue, Happening, Knocked
from controller.simulator.scene import Reel
from controller.simulator.sensors import Disturbances


class Timeline:
    """Time, the reel of what happens in it, and the sensors' bad luck. `t_s`: how far time has come."""

    def __init__(self, fps: float, disturb: Disturbances) -> None:
        self.fps = fps
        self.disturb = disturb
        self.reel = Reel()
        self.t_s = 0.0
        self._due: list[tuple[float, int, BeamChange | Knocked]] = []
        self._order = 0
        self._frame = 0

    def until(self, t_s: float) -> Iterator[Happening]:
        """Lets time go by: frames and beams in order."""
        step = 1.0 / self.fps
        while True:
            frame_t = self._frame * step
            if self._due and self._due[0][0] <= min(frame_t, t_s):
                yield heapq.heappop(self._due)[2]
            elif frame_t <= t_s:
                lost, shake = self.disturb.frame(frame_t)
                yield FrameDue(frame_t, self._frame, lost, shake)
                self._frame += 1
            else:
                break
        self.t_s = max(self.t_s, t_s)
        self.reel.forget_before(t_s - 1.0)

    def wait(self, decision: Decision) -> Iterator[Happening]:
        """Stands still until the driver has released the decision."""
        yield decision
        while not decision.released:
            yield from self.until(self.t_s + 1.0 / self.fps)

    def at(self, happening: BeamChange | Knocked) -> None:
        """Something will happen at its own time."""
        heapq.heappush(self._due, (happening.t_s, self._order, happening))
        self._order += 1
