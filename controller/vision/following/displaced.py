"""Finds pieces that a hand displaced before the striker was struck: beside their places while it still lay placed.

Such a hand lies over what it displaces until after the stroke, so that no track shows it: only a detection of a picture
in which the striker lay placed does. It is requested only where a hand lay over pieces then, and shows as well whether
the striker still lay there, where its path leaves open when it set off. Must not know rules, nor what was published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controller.events.observation import SeenPiece
from controller.vision.finding.find import Finding
from controller.vision.following.detection_request import Answer, Detector
from controller.vision.following.view import Picture

SAME_MM = 3.0
"""A piece found this near to its place lies there, half hidden as it may be."""

FAR_MM = 40.0
"""What is found farther away was not displaced by a hand that lay there: it is another piece."""

SURE_MM = 2.0
"""What a detection knows no better than this is hidden by the hand itself."""

LAY_MM = 2.0
"""A striker found this near to where it was placed had not set off: a finger at it hides little of it."""

AROUND_MM = 50.0
"""The detection covers so much of the board around the pieces in question."""


@dataclass(frozen=True, slots=True)
class Displaced:
    """A piece of the board before, and where and when it was found to lie instead."""

    piece: SeenPiece
    t_ns: int
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class _Look:
    """What was asked of a picture, and of which pieces."""

    picture: Picture
    answer: Answer
    suspects: tuple[SeenPiece, ...]
    before: tuple[SeenPiece, ...]


class DisplacedSearch:
    """The search for displaced pieces in one window. `placed`: the striker of track `number`, where seen at rest.

    `found`: what was displaced. `lay_ns`: when the placed striker still lay there, if the detection shows it.
    """

    def __init__(self, detector: Detector, number: int, placed: SeenPiece | None) -> None:
        self.number = number
        self.found: tuple[Displaced, ...] = ()
        self.lay_ns: int | None = None
        self._detector = detector
        self._placed = placed
        self._pending: _Look | None = None

    def ask(self, picture: Picture, suspects: Sequence[SeenPiece], before: Sequence[SeenPiece]) -> None:
        """Asks where `suspects` lie in a picture. `before`: all that lay on the board."""
        if not suspects:
            return
        wanted = [*suspects, self._placed] if self._placed is not None else suspects
        xs, ys = [piece.x_mm for piece in wanted], [piece.y_mm for piece in wanted]
        roi = (min(xs) - AROUND_MM, min(ys) - AROUND_MM, max(xs) + AROUND_MM, max(ys) + AROUND_MM)
        self._pending = _Look(picture, self._detector.find(picture.frame, roi), tuple(suspects), tuple(before))

    def take(self) -> None:
        """Takes the answer, waiting for it."""
        pending, self._pending = self._pending, None
        sight = self._detector.sight(pending.answer) if pending is not None else None
        if pending is None or sight is None:
            return
        self.found = displaced_in(sight, pending.suspects, pending.before, pending.picture.t_ns)
        placed = self._placed
        if placed is not None and any(
            seen.piece == "striker" and seen.apart_mm(placed) < LAY_MM for seen in sight.pieces
        ):
            self.lay_ns = pending.picture.t_ns


def displaced_in(
    sight: Finding, suspects: Sequence[SeenPiece], before: Sequence[SeenPiece], t_ns: int
) -> tuple[Displaced, ...]:
    """Which suspects certainly lie beside their places. What could be another piece does not count."""
    found = []
    for piece in suspects:
        near = [seen for seen in sight.pieces if seen.apart_mm(piece) < FAR_MM and seen.piece == piece.piece]
        if any(seen.apart_mm(piece) < SAME_MM for seen in sight.pieces):
            continue
        new = [
            seen for seen in near if seen.u95_mm < SURE_MM and not any(seen.apart_mm(old) < SAME_MM for old in before)
        ]
        if len(new) == 1:
            found.append(Displaced(piece, t_ns, new[0].x_mm, new[0].y_mm))
    return tuple(found)
