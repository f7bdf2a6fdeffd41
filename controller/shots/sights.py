"""Events that are no stroke: a second queen, a piece on its edge, a shaken board. Reported once as long as they
stay."""

from __future__ import annotations

from dataclasses import replace

from controller.events.match import Seen
from controller.events.observation import BoardSeen, StrokeSeen
from controller.shots.outputs import SeenRead
from controller.shots.state import ShotState, Step


def sights(state: ShotState, board: BoardSeen) -> Step:
    """Looks at a board at rest."""
    found: dict[tuple[str, int, int], SeenRead] = {}
    queens = [piece for piece in board.pieces if piece.piece == "queen" and piece.sure]
    if len(queens) > 1:
        at = (round(queens[1].x_mm, 1), round(queens[1].y_mm, 1))
        says = f"{len(queens)} queens lie on the board"
        found["second_queen", 0, 0] = SeenRead(Seen("second_queen", at), board.t_ns, says, board.picture)
    for piece in board.pieces:
        if piece.upright:
            at = (round(piece.x_mm, 1), round(piece.y_mm, 1))
            key = ("upright", round(piece.x_mm / 30), round(piece.y_mm / 30))
            says = f"{piece.piece} stands on its edge at ({piece.x_mm:.0f}, {piece.y_mm:.0f})"
            found[key] = SeenRead(Seen("upright", at), board.t_ns, says, board.picture)
    fresh = tuple(read for key, read in found.items() if key not in state.said)
    return replace(state, said=frozenset(found)), fresh


def shaken(state: ShotState, work: StrokeSeen) -> Step:
    """Looks at a motion window without a stroke: most pieces shifted together."""
    if work.shake_mm <= state.limits.shake_mm:
        return state, ()
    says = f"the board was shaken: the pieces shifted by {work.shake_mm:.0f} mm together"
    return state, (SeenRead(Seen("shaken"), work.ended_ns, says, work.picture_after),)
