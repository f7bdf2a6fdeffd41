"""Pieces that a hand shoved before the striker was struck: found beside their places while it still lay placed.

Such a hand lies over what it shoves until after the stroke, so that no track shows it: only a look at the picture in
which the striker lay placed does. It is asked for only where a hand lay over pieces then. Must not know rules, nor what
was said before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from controller.events.observation import SeenPiece
from controller.vision.finding.find import Finding
from controller.vision.following.asking import Answer
from controller.vision.following.inquiry import Inquiry
from controller.vision.following.view import Picture

SAME_MM = 3.0
"""A piece found this near to its place lies there, half hidden as it may be."""

FAR_MM = 40.0
"""What is found farther away was not shoved by a hand that lay there: it is another piece."""

SURE_MM = 2.0
"""What a look knows no better than this is hidden by the hand itself."""

AROUND_MM = 50.0
"""So much of the board around the pieces in question is looked at."""


@dataclass(frozen=True, slots=True)
class Shove:
    """A piece of the board before, and where and when it was found to lie instead."""

    piece: SeenPiece
    t_ns: int
    x_mm: float
    y_mm: float


class Shoving:
    """The looks for shoved pieces in one episode, one after another."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry = inquiry
        self._open: list[tuple[Picture, Answer, tuple[SeenPiece, ...], tuple[SeenPiece, ...]]] = []
        self.found: list[Shove] = []

    def ask(self, picture: Picture, suspects: Sequence[SeenPiece], before: Sequence[SeenPiece]) -> None:
        """Asks where `suspects` lie in a picture. `before`: all that lay on the board."""
        if not suspects:
            return
        xs, ys = [piece.x_mm for piece in suspects], [piece.y_mm for piece in suspects]
        roi = (min(xs) - AROUND_MM, min(ys) - AROUND_MM, max(xs) + AROUND_MM, max(ys) + AROUND_MM)
        self._open.append((picture, self._inquiry.find(picture.frame, roi), tuple(suspects), tuple(before)))

    def take(self) -> None:
        """Takes all answers, waiting for them."""
        while self._open:
            picture, answer, suspects, before = self._open.pop(0)
            sight = self._inquiry.sight(answer)
            if sight is not None:
                self.found += shoves_in(sight, suspects, before, picture.t_ns)


def shoves_in(
    sight: Finding, suspects: Sequence[SeenPiece], before: Sequence[SeenPiece], t_ns: int
) -> tuple[Shove, ...]:
    """Which suspects are not where they lay but, surely, beside it. What could be another piece says nothing."""
    found = []
    for piece in suspects:
        near = [seen for seen in sight.pieces if _apart(seen, piece) < FAR_MM and seen.piece == piece.piece]
        if any(_apart(seen, piece) < SAME_MM for seen in sight.pieces):
            continue
        new = [
            seen for seen in near if seen.u95_mm < SURE_MM and not any(_apart(seen, old) < SAME_MM for old in before)
        ]
        if len(new) == 1:
            found.append(Shove(piece, t_ns, new[0].x_mm, new[0].y_mm))
    return tuple(found)


def _apart(one: SeenPiece, two: SeenPiece) -> float:
    return hypot(one.x_mm - two.x_mm, one.y_mm - two.y_mm)
