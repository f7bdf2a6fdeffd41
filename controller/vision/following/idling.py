"""While nothing happens most pictures need not be looked at: they wait, and only if a later one shows a change are
they looked at after all, in their order. So nothing is missed, and a quiet board costs a fraction.

Must not know what is on the pictures.
"""

from __future__ import annotations

from controller.vision.sources.frame import Frame

WAIT_NS = 100_000_000
"""Of a quiet board a picture is looked at this often."""

MOST = 5
"""No more pictures than these wait, so that catching up takes no longer than a few pictures' time."""

Waiting = tuple[Frame, int | None]


class Idling:
    """The pictures that wait. `quiet` is set by whoever looked at the last one."""

    def __init__(self) -> None:
        self.quiet = False
        self._looked_ns = 0
        self._waiting: list[Waiting] = []

    def may_wait(self, frame: Frame, frame_ns: int) -> bool:
        """Whether a picture may wait; then it does. `frame_ns`: the usual time between two."""
        return self.quiet and len(self._waiting) < MOST and frame.t_ns + frame_ns - self._looked_ns <= WAIT_NS

    def wait(self, frame: Frame, picture: int | None) -> None:
        """Lets a picture wait."""
        self._waiting.append((frame, picture))

    def taken(self) -> list[Waiting]:
        """The pictures that waited; none wait any more."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def looked(self, frame: Frame, *, quiet: bool) -> None:
        """A picture was looked at."""
        self._looked_ns, self.quiet = frame.t_ns, quiet
