"""The closed vocabularies: seats, pockets, pieces and the fixed words of the `shot` event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Seat = Literal["south", "north", "east", "west"]
Pocket = Literal["NE", "NW", "SE", "SW"]
Piece = Literal["white", "black", "queen", "striker", "unknown"]
SET: Mapping[Piece, int] = {"white": 9, "black": 9, "queen": 1, "striker": 1}
"""How many of a kind a board has at most."""
Colour = Literal["white", "black"]
Lines = Literal["both", "one", "none"]
Circle = Literal["clear", "covered", "partial"]
Heading = Literal["forward", "backward"]
QueenState = Literal["board", "pending", "covered"]
GivenHow = Literal["forfeit", "disqualify", "concede"]
"""How a match or a game ends without being played out, in the words of a call's action."""
_GIVEN: Mapping[GivenHow, str] = {
    "forfeit": "forfeited",
    "disqualify": "was disqualified",
    "concede": "conceded",
}
ChallengedAbout = Literal["lines", "contact", "count", "foul", "missed_foul", "time"]
"""What of a stroke's ruling a side challenges."""
VerdictResult = Literal["upheld", "rejected", "inconclusive"]
"""How a challenge is decided."""
Grade = Literal["match", "club", "basic"]
"""How much this table's camera can be trusted with: see `docs/calibration.md`."""
GRADES: tuple[Grade, ...] = ("basic", "club", "match")
"""From the least camera to the best."""
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


class FlagFact(NamedTuple):
    """A flag in the form's words, and the least camera that can raise it; None: only a person sees it."""

    label: str
    grade: Grade | None


FLAGS: Mapping[Flag, FlagFact] = {
    "hand_touched_piece": FlagFact("hand touched a piece", "basic"),
    "two_hands": FlagFact("two hands", "basic"),
    "push": FlagFact("push", "club"),
    "elbow": FlagFact("elbow over the line", None),
    "shake": FlagFact("board shaken", "club"),
    "striker_touched": FlagFact("striker touched again", "club"),
    "moving_piece_removed": FlagFact("moving piece taken", "club"),
    "piece_moved_before": FlagFact("piece moved before", "basic"),
    "replaced": FlagFact("piece replaced", "basic"),
    "delay": FlagFact("delay", "basic"),
    "over_half": FlagFact("over half the board", "basic"),
    "body_over_diagonal": FlagFact("body over the diagonal", "basic"),
    "chair": FlagFact("chair moved", None),
    "practice": FlagFact("practice", None),
}
"""Nobody's camera sees elbows, chairs, or what a stroke was meant for."""


def given_in_words(how: GivenHow, name: str, why: str | None, game: int | None = None) -> str:
    """`Asha Rao forfeited (icf-143)`. `game`: its number where the match went on."""
    return f"{name} {_GIVEN[how]}{f' in game {game}' if game else ''}{f' ({why})' if why else ''}"
