"""The closed vocabularies: seats, pockets, pieces and the fixed words of the `shot` event."""

from __future__ import annotations

from typing import Literal

Seat = Literal["south", "north", "east", "west"]
Pocket = Literal["NE", "NW", "SE", "SW"]
Piece = Literal["white", "black", "queen", "striker", "unknown"]
Colour = Literal["white", "black"]
Lines = Literal["both", "one", "none"]
Circle = Literal["clear", "covered", "partial"]
Heading = Literal["forward", "backward"]
QueenState = Literal["board", "pending", "covered"]
Flag = Literal[
    "hand_touched_piece",
    "two_hands",
    "push",
    "elbow",
    "shake",
    "striker_touched",
    "moving_piece_removed",
    "piece_moved_before",
    "replaced",
    "delay",
    "over_half",
    "body_over_diagonal",
    "chair",
    "practice",
]
Grade = Literal["match", "club", "basic"]
"""How much this table's camera can be trusted with: see `docs/seeing.md`."""
