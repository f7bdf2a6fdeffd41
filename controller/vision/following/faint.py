"""Pieces that hardly show in the small picture, as black ones do on dark lacquer: of them only a look tells.

That such a piece has moved shows no better than that it lies there, so neither «nobody touched it» nor «the board is
bare there» is believed of it. Must not know what a look finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from controller.events.observation import SeenPiece
from controller.events.words import Piece
from controller.vision.following.middle import on_middle

FAINT_SHARE = 0.15
"""A piece of whose face no more than this differs from the bare board hardly shows. White on pale shows more (0.2)."""

SURE = 0.98
"""A look that is as sure as this of a kind that may hardly show is believed against a picture that shows nothing."""


class Faint:
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
        """Whether a look's word for a piece counts though nothing shows there."""
        return piece.piece in self.kinds and piece.confidence >= SURE
