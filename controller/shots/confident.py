"""Confident, unoccluded detections at rest, and the explanations of a stroke that they rule out.

Such a detection outranks every explanation: how tracks were stitched, named or ended decides only what the picture
leaves open. An explanation that contradicts it is dropped, or asked about where beam interruptions support it. Must
not know how an explanation was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from controller.events.observation import BoardSeen, SeenPiece
from controller.events.words import Piece
from controller.shots.fusion import JointHypothesis
from controller.shots.odds import COINS, WHOLLY_SEEN, Count
from controller.shots.outcome import shares


def is_confident(piece: SeenPiece) -> bool:
    """Says whether a piece is seen wholly, and its class is sure."""
    return piece.sure and piece.visible >= WHOLLY_SEEN


def confident_pieces(board: BoardSeen) -> tuple[SeenPiece, ...]:
    """Returns the pieces of a board at rest about which there is no doubt."""
    return tuple(piece for piece in board.pieces if is_confident(piece))


def one_queen(board: BoardSeen) -> BoardSeen:
    """Returns the board with a doubt about a queen on the middle's paint where another one is confidently seen.

    There is one queen: of two the one is it that has no paint of her colour below her.
    """
    queens = [piece for piece in board.pieces if piece.piece == "queen"]
    on_paint = [piece for piece in queens if piece.on_paint]
    if not on_paint or not any(is_confident(piece) for piece in queens if piece not in on_paint):
        return board
    doubted = {piece: replace(piece, confidence=min(piece.confidence, 0.5), odds=()) for piece in on_paint}
    return replace(board, pieces=tuple(doubted.get(piece, piece) for piece in board.pieces))


def standing_by(outcomes: Sequence[JointHypothesis], lay: Count | None, after: BoardSeen) -> list[JointHypothesis]:
    """Returns the outcomes that confident detections allow; the likeliest one, if they do not, only beside what it
    becomes if nothing that is confidently seen has fallen.

    `lay`: the coins that lay there before, None where vision and book do not agree on them. An outcome that lets more
    of a kind fall than can be gone is not ruled on. It stands as a doubt where interruptions speak for it.
    """
    first, *others = outcomes
    others = [one for one in others if _felt(one) or not is_ruled_out(one, lay, after)]
    possible = _as_it_lies(first, lay, after)
    if possible is first:
        return shares([first, *others])
    others = [one for one in (first, *others) if one.told != possible.told]
    return [replace(possible, weight=0.5), *shares(others, 0.5)]


def is_ruled_out(outcome: JointHypothesis, lay: Count | None, after: BoardSeen) -> bool:
    """Says whether an outcome lets more of a kind fall than can be gone."""
    return _as_it_lies(outcome, lay, after) is not outcome


def _felt(outcome: JointHypothesis) -> bool:
    """Says whether beam interruptions speak for a fall."""
    return any(one.fate == "fell" and one.pulse is not None for one in outcome.hypotheses)


def _as_it_lies(outcome: JointHypothesis, lay: Count | None, after: BoardSeen) -> JointHypothesis:
    """Returns an outcome without as many pieces of a kind, the last ones first, as confidently lie there still.

    Where another kind is short by as much, it was one of that; the outcome itself where nothing contradicts it.
    """
    seen = Counter(piece.piece for piece in confident_pieces(after))
    gone = Counter([*(piece for _, piece in outcome.fell), *outcome.off_board])
    excess: Counter[Piece] = Counter({"striker": min(gone["striker"], seen["striker"])})
    short: list[Piece] = []
    if lay is not None:
        for kind, n in zip(COINS, lay, strict=True):
            excess[kind] = min(gone[kind], max(0, gone[kind] + seen[kind] - n))
            short += [kind] * max(0, n - seen[kind] - gone[kind])
    if not +excess:
        return outcome
    as_many = seen.total() - seen["striker"] + gone.total() - gone["striker"] <= sum(lay or ())
    # Where as many are gone, only their kinds are reported otherwise.
    instead = short if as_many else []
    hypotheses, pieces = list(outcome.hypotheses), list(outcome.pieces)
    off = sorted(outcome.of_fate("off"), key=lambda pair: pair[1])
    for one, piece in (*reversed(outcome.fell), *reversed(off)):
        if excess[piece] <= 0:
            continue
        excess[piece] -= 1
        index = outcome.hypotheses.index(one)
        if instead and piece != "striker":
            pieces[index] = instead.pop(0)
        else:
            hypotheses[index] = replace(one, fate="still", pocket=None, pulse=None)
    return replace(outcome, hypotheses=tuple(hypotheses), pieces=tuple(pieces))
