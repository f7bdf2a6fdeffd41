"""The opening arrangement: queen on the centre, six round her, the rest round those, colours alternating.

Advice in words: which piece lies where it should not. Must not know what a rulebook makes of it.
"""

from __future__ import annotations

from itertools import product
from math import atan2, cos, dist, hypot, pi, sin

from calibration.board import Board
from controller.events.expectation import Expectation
from controller.events.observation import BoardSeen, SeenPiece
from controller.shots.odds import COINS, WHOLE_PACK, count_of

QUEEN_OFF_MM = 2.0
PIECE_OFF_MM = 4.0
PACK_ROOM_MM = 10.0
"""The pack fills the outer circle; what lies no farther outside than this is of it."""

SET_UP = 0.7
"""Of this share of the pieces together somebody has set them up, well or badly."""


def lies_in_pack(piece: SeenPiece, size: Board) -> bool:
    """Says whether a piece lies where the opening arrangement does."""
    return hypot(*piece.at) < size.outer_circle_diameter_mm / 2 + PACK_ROOM_MM


def is_set_up(board: BoardSeen, expectation: Expectation, size: Board) -> bool:
    """Says whether most of the pieces lie where the opening arrangement does."""
    wanted = sum(count_of(expectation.on_board))
    return sum(lies_in_pack(piece, size) for piece in board.coins) >= SET_UP * wanted


def opening_faults(board: BoardSeen, expectation: Expectation, size: Board) -> list[str] | None:
    """Returns what to put right, in words; empty if the arrangement stands; None if nobody has set it up yet, or no
    colours are seen."""
    if board.hidden or board.hands or not is_set_up(board, expectation, size):
        return None
    if all(piece.piece == "unknown" for piece in board.coins):
        return None
    wanted = count_of(expectation.on_board)
    coins = board.coins
    racked = [piece for piece in coins if lies_in_pack(piece, size)]
    faults = []
    for kind, count in zip(COINS, wanted, strict=True):
        seen = sum(piece.piece == kind for piece in coins)
        # In the gaps of a short pack, as of sixes, vision takes the pale wood for pieces.
        if seen < count or (seen > count and sum(wanted) == WHOLE_PACK):
            faults.append(f"{count} {kind} should lie there, {seen} do")
    faults += [
        f"{piece.piece} at ({piece.x_mm:.0f}, {piece.y_mm:.0f}) lies apart from the pack"
        for piece in coins
        if piece not in racked
    ]
    queens = [piece for piece in racked if piece.piece == "queen"]
    for queen in queens[:1]:
        off = hypot(*queen.at)
        if off > QUEEN_OFF_MM + queen.u95_mm:
            faults.append(f"the queen lies {off:.1f} mm off the centre")
    if faults or sum(wanted) != WHOLE_PACK:
        return faults
    return _pack_faults([piece for piece in racked if piece.piece != "queen"], queens[0])


def _pack_faults(pieces: list[SeenPiece], queen: SeenPiece) -> list[str]:
    """Compares with the close pack of discs: six at one diameter, six at two, six at √3, at the best turn."""
    inner = sorted(pieces, key=lambda piece: piece.apart_mm(queen))[:6]
    step = sum(piece.apart_mm(queen) for piece in inner) / 6
    turn = _turn_of(inner, queen)
    faults = []
    colour: dict[tuple[int, int], str] = {}
    left = list(pieces)
    for index, (ring, away, beside) in product(range(6), ((1, 1, 0), (2, 2, 0), (3, 3**0.5, pi / 6))):
        angle = turn + index * pi / 3 + beside
        spot = (queen.x_mm + away * step * cos(angle), queen.y_mm + away * step * sin(angle))
        piece = min(left, key=lambda one: dist(one.at, spot))
        left.remove(piece)
        off = dist(piece.at, spot)
        colour[ring, index] = piece.piece
        if off > PIECE_OFF_MM + piece.u95_mm:
            faults.append(f"{piece.piece} at ({piece.x_mm:.0f}, {piece.y_mm:.0f}) lies {off:.0f} mm off the pack")
    if faults:
        return faults
    inner_colours = [colour[1, index] for index in range(6)]
    if any(inner_colours[index] == inner_colours[index - 1] for index in range(6)):
        faults.append("the six round the queen do not alternate")
    elif any(colour[2, index] != "white" for index in range(6) if colour[1, index] == "white"):
        faults.append("the white pieces do not form a Y")
    return faults


def _turn_of(inner: list[SeenPiece], queen: SeenPiece) -> float:
    """Returns the turn of a ring of six that fits best (mean of the angles on a circle six times as fast)."""
    angles = [atan2(piece.y_mm - queen.y_mm, piece.x_mm - queen.x_mm) for piece in inner]
    return atan2(sum(sin(6 * angle) for angle in angles), sum(cos(6 * angle) for angle in angles)) / 6
