"""What hardly shows in the small picture and needs a detection: pieces of low contrast, a queen on the centre.

A black coin on dark lacquer changes nothing by lying there or by leaving, so neither «nobody touched it» nor «the board
is bare there» is believed of it. Paint and queen are of one size and of nearly one brightness, and she is put back
there by every rulebook: whenever a hand or a moving piece was near, a detection is asked for. Must not know what it
finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import hypot

from controller.events.observation import SURE, SeenPiece
from controller.events.words import Piece
from controller.vision.following.detection_request import Roi
from controller.vision.following.hands import Hands
from controller.vision.following.tracks import Measurement, PieceTrack
from controller.vision.following.view import View

FAINT_SHARE = 0.15
"""A piece of whose face no more than this differs from the bare board hardly shows. White on pale shows more (0.2)."""


class LowContrast:
    """The pieces at rest that hardly show, and the `kinds` of which any ever did on this board."""

    def __init__(self) -> None:
        self.kinds: frozenset[Piece] = frozenset()
        self._pieces: frozenset[SeenPiece] = frozenset()

    def learn(self, pieces: Iterable[SeenPiece], shown: Callable[[SeenPiece], float | None]) -> None:
        """Takes the pieces of a new rest. `shown`: the share of a face that differs from the bare board, if known."""
        faint = [
            piece
            for piece in pieces
            if not on_middle(piece) and (share := shown(piece)) is not None and share < FAINT_SHARE
        ]
        self._pieces = frozenset(faint)
        self.kinds |= {piece.piece for piece in faint if piece.confidence >= SURE}

    def hides(self, piece: SeenPiece) -> bool:
        """Whether this piece of the last rest hardly shows where it lies."""
        return piece in self._pieces

    def vouched(self, piece: SeenPiece) -> bool:
        """Whether a detection's word for a piece counts though nothing shows there."""
        return piece.piece in self.kinds and piece.confidence >= SURE


ON_IT_MM = 6.0
"""A piece this near to the middle of the paint lies on it."""

NEAR_MM = 45.0
"""A piece that runs by this near may have met what lies there."""


class CentreRecheck:
    """Whether the middle may lie otherwise than it was last seen to. `open`: only a detection tells."""

    def __init__(self) -> None:
        self.open = False

    def notice(self, view: View, hands: Hands, tracks: Iterable[PieceTrack]) -> None:
        """Takes in a picture's hands and what moves in it."""
        if not self.open:
            near = (_passes(track.marks) < NEAR_MM for track in tracks if track.life == "moving" and track.marks)
            self.open = _covered(view, hands) or any(near)

    def asks(self, view: View, hands: Hands) -> bool:
        """Whether it has to be detected, and can be."""
        return self.open and not _covered(view, hands)

    def seen(self, view: View, hands: Hands, roi: Roi | None) -> None:
        """It was detected, unless it lies outside the part that was, or under a hand."""
        if (roi is None or (roi[0] <= 0.0 <= roi[2] and roi[1] <= 0.0 <= roi[3])) and not _covered(view, hands):
            self.open = False


def _passes(marks: Sequence[Measurement]) -> float:
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
