"""Finds the pieces in the first pictures: one detection may miss a piece under a lamp's reflection, or see one in it.

Several pictures are detected, and an unchanged place is what most of its detections say; what moves already is taken
as the first picture shows it. Must not know tracks.
"""

from __future__ import annotations

from dataclasses import replace

from controller.events.observation import SeenPiece
from controller.vision.finding.find import Finding
from controller.vision.following.background import Background
from controller.vision.following.class_counts import agreed
from controller.vision.following.detection_request import DetectionRequest, Detector
from controller.vision.following.disc_masks import same_there
from controller.vision.following.rest import OVERLAP_MM, nearest
from controller.vision.following.view import Picture, View
from controller.vision.sources.frame import Frame

PICTURES = 3
"""So many pictures are detected before anything is followed."""

REACH_MM = 16.0
"""Around a place of this radius nothing may have changed, for two looks at it to be looks at the same."""


class Beginning:
    """The first pictures, until there are enough of them. `request`: what was found in the first, `picture`."""

    def __init__(self, view: View, detector: Detector, picture: Picture, request: DetectionRequest) -> None:
        self.view = view
        self.picture = picture
        self.request = request
        self.waiting: list[tuple[Frame, int | None]] = []
        self._detector = detector
        self._background = Background(picture.small, view.surface)
        self._looks = [(request.sight, picture)]

    def take(self, frame: Frame, number: int | None) -> bool:
        """Looks at the next picture, which waits to be followed; returns whether they are enough now.

        Raises DeviceError if it cannot be decoded.
        """
        picture = Picture(frame, self._background.level(self.view.shrink(frame)), number)
        self.waiting.append((frame, number))
        again = DetectionRequest(self._detector, frame, steady=True)
        again.done(wait=True)
        if again.outcome == "seen":
            self._looks.append((again.sight, picture))
        return len(self.waiting) + 1 >= PICTURES

    def sight(self) -> Finding:
        """What lies there in the first picture, by what all of them show."""
        pieces: list[SeenPiece] = []
        for found, _ in self._looks:
            pieces += [piece for piece in found.pieces if nearest(pieces, piece, OVERLAP_MM) is None]
        agreed_on = (self._agreed(piece) for piece in pieces)
        return replace(self.request.sight, pieces=tuple(piece for piece in agreed_on if piece is not None))

    def _agreed(self, piece: SeenPiece) -> SeenPiece | None:
        """A piece as all looks at its place call it; None where most of them do not see it."""
        alike = [found for found, picture in self._looks if self._unchanged(piece, picture)]
        seen = [same for found in alike if (same := nearest(found.pieces, piece)) is not None]
        if 2 * len(seen) < len(alike) or not seen:
            return None
        first, *others = seen
        for other in others:
            first = agreed(first, other)
        return first

    def _unchanged(self, piece: SeenPiece, picture: Picture) -> bool:
        at, before = (piece.x_mm, piece.y_mm), self.picture.small
        return picture is self.picture or same_there(
            before, picture.small, self._background.limit, self.view, at, REACH_MM
        )
