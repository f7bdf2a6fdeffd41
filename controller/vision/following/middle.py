"""When the board's red middle has to be looked at: a queen on it may show nothing in the small picture.

Paint and queen are of one size and of nearly one brightness, and she is put back there by every rulebook. So whenever a
hand or a moving piece was near, only a look tells whether she lies there. Must not know what a look finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import hypot

from controller.events.observation import SeenPiece
from controller.vision.following.asking import Roi
from controller.vision.following.hands import Hands
from controller.vision.following.tracks import Followed, Mark
from controller.vision.following.view import View

ON_IT_MM = 6.0
"""A piece this near to the middle of the paint lies on it."""

NEAR_MM = 45.0
"""A piece that runs by this near may have met what lies there."""


class Middle:
    """Whether the middle may lie otherwise than it was last seen to. `open`: only a look tells."""

    def __init__(self) -> None:
        self.open = False

    def notice(self, view: View, hands: Hands, tracks: Iterable[Followed]) -> None:
        """Takes in a picture's hands and what moves in it."""
        if not self.open:
            near = (_passes(track.marks) < NEAR_MM for track in tracks if track.life == "moving" and track.marks)
            self.open = _covered(view, hands) or any(near)

    def asks(self, view: View, hands: Hands) -> bool:
        """Whether it has to be looked at, and can be."""
        return self.open and not _covered(view, hands)

    def seen(self, view: View, hands: Hands, roi: Roi | None) -> None:
        """It was looked at, unless it lies outside the part that was, or under a hand."""
        if (roi is None or (roi[0] <= 0.0 <= roi[2] and roi[1] <= 0.0 <= roi[3])) and not _covered(view, hands):
            self.open = False


def _passes(marks: Sequence[Mark]) -> float:
    """How near to the middle a piece came between its last two pictures, in mm."""
    last, before = marks[-1], marks[-2] if len(marks) > 1 else marks[-1]
    dx, dy = last.x_mm - before.x_mm, last.y_mm - before.y_mm
    share = -(before.x_mm * dx + before.y_mm * dy) / ((dx * dx + dy * dy) or 1.0)
    share = min(max(share, 0.0), 1.0)
    return hypot(before.x_mm + share * dx, before.y_mm + share * dy)


def _covered(view: View, hands: Hands) -> bool:
    return hands.over(*view.px(0.0, 0.0))


def on_middle(piece: SeenPiece) -> bool:
    """Whether a piece lies on the middle's paint."""
    return hypot(piece.x_mm, piece.y_mm) < ON_IT_MM
