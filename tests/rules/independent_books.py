"""A second reading of one stroke in `club`, `campus`, `classic`, `sixes` and `world`, by south, who is white.

Written from the rulebooks' rows and «Decided here» alone, by cases of what fell, and held against the engine in every
combination. It knows nothing of pockets, places, clauses or later strokes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

WAIVED = "sixes"


@dataclass(frozen=True)
class Stroke:
    """What fell, and whether the stroke was improper for a reason other than the striker."""

    own: int = 0
    other: int = 0
    queen: bool = False
    striker: bool = False
    improper: bool = False


@dataclass(frozen=True)
class Table:
    """South's table: `queen` is board, pending (south's), mine or theirs; `pays` is what is still to be paid."""

    own: int
    other: int
    queen: str = "board"
    hand: int = 0
    pays: int = 0
    kept: bool = False
    winner: str | None = None
    points: int = 0
    drawn: bool = False


def after(book: str, table: Table, stroke: Stroke) -> Table:
    """The table after one stroke, dues placed."""
    ruled = READERS[book](table, stroke)
    if ruled.winner or ruled.drawn:
        return ruled
    paid = min(ruled.pays, ruled.hand)
    rest = 0 if book == WAIVED else ruled.pays - paid
    return replace(ruled, own=ruled.own + paid, hand=ruled.hand - paid, pays=rest)


def _kept_pieces(table: Table, own: int, other: int) -> Table:
    return replace(table, own=table.own - own, other=table.other - other, hand=table.hand + own)


def _won(table: Table, winner: str, points: int) -> Table:
    return replace(table, winner=winner, points=points, pays=0)


def _due(table: Table) -> Table:
    return replace(table, pays=table.pays + 1, kept=False)


def _lone_queen(table: Table) -> str:
    return "board" if table.queen == "pending" else table.queen


def _fouled(table: Table, stroke: Stroke) -> Table:
    """Own back, queen back, the opponent's stay: their last ends the board (campus, world, classic)."""
    queen = _lone_queen(table)
    ruled = replace(_kept_pieces(table, 0, stroke.other), queen=queen)
    if ruled.other:
        return _due(ruled)
    points = {"board": 3, "mine": table.own, "theirs": table.own + 3}[queen]
    return _won(ruled, "north", points)


def _campus(table: Table, stroke: Stroke) -> Table:
    if stroke.striker or stroke.improper:
        return _fouled(table, stroke)
    queen, waits = table.queen, stroke.queen or table.queen == "pending"
    if waits:
        queen = "mine" if stroke.own else "board"
    ruled = replace(_kept_pieces(table, stroke.own, stroke.other), queen=queen)
    if not ruled.own:
        if queen == "board":
            return _won(ruled, "north", 3 + ruled.other)
        return _won(ruled, "south", ruled.other + (3 if queen == "mine" else 0))
    if not ruled.other:
        return _won(ruled, "north", {"board": 3, "mine": ruled.own, "theirs": ruled.own + 3}[queen])
    if stroke.other:
        return replace(ruled, kept=False)
    if stroke.queen and not stroke.own and table.hand:
        return replace(ruled, queen="pending", kept=True)
    return replace(ruled, kept=stroke.own > 0)


def _world(table: Table, stroke: Stroke) -> Table:
    ruled = _campus(table, stroke)
    if stroke.striker and not stroke.improper and not stroke.other:
        return replace(ruled, kept=stroke.own > 0)
    return ruled


def _classic(table: Table, stroke: Stroke) -> Table:
    early = stroke.queen and not table.hand and not stroke.own
    if stroke.striker or stroke.improper or early:
        return _fouled(table, stroke)
    queen, kept = table.queen, stroke.own > 0
    if stroke.queen:
        queen, kept = ("mine" if stroke.own else "pending"), True
    elif queen == "pending":
        queen = "mine" if stroke.own else "board"
    ruled = replace(_kept_pieces(table, stroke.own, stroke.other), queen=queen, kept=kept)
    if not ruled.own and queen == "mine":
        return _won(ruled, "south", ruled.other + 3)
    if not ruled.own:
        return _won(ruled, "north", 3 + (0 if queen == "theirs" else ruled.other))
    if not ruled.other:
        if queen == "mine":
            return _won(ruled, "south", 3)
        uncovered = replace(ruled, queen="board" if queen == "pending" else queen)
        return _won(uncovered, "north", ruled.own + 3 if queen == "theirs" else 3)
    return ruled


def _sixes(table: Table, stroke: Stroke) -> Table:
    covering, their_last = table.queen == "pending", stroke.other == table.other and stroke.other > 0
    own_last = stroke.own == table.own
    gone = _lone_queen(table)
    if stroke.striker or stroke.improper:
        ruled = replace(_kept_pieces(table, 0, stroke.other - their_last), queen=gone)
        kept = stroke.own > 0 and not stroke.improper
        if covering and kept:
            stay = stroke.own - 1  # sixes-23 puts one back, and that is the stroke's one fine too
            return replace(_kept_pieces(ruled, stay, 0), queen="pending", kept=True)
        return replace(_due(ruled), kept=kept)
    if covering and their_last and not own_last:
        return _due(replace(table, queen="board"))
    queen = table.queen
    if covering or stroke.queen:
        queen = "mine" if stroke.own else "board"
    ruled = replace(_kept_pieces(table, stroke.own, stroke.other), queen=queen, kept=stroke.own > 0)
    if own_last:
        return _won(ruled, "north" if queen == "board" else "south", 0)
    if their_last:
        return _won(replace(ruled, queen="board" if stroke.queen else queen), "north", 0)
    if stroke.other and (stroke.queen or covering):
        return replace(ruled, pays=ruled.pays + 1)
    if stroke.queen and not stroke.own and not stroke.other and table.hand:
        return replace(ruled, queen="pending", kept=True)
    return ruled


def _club(table: Table, stroke: Stroke) -> Table:
    own_last = stroke.own == table.own and stroke.own > 0
    their_last = stroke.other == table.other and stroke.other > 0
    clean = not stroke.striker and not stroke.improper
    if clean and own_last and their_last and table.queen in ("mine", "theirs"):
        return replace(_kept_pieces(table, stroke.own, stroke.other), drawn=True, pays=0)
    stays = stroke.own - 1 if own_last else stroke.own
    if not clean or stroke.other:
        return _due(replace(_kept_pieces(table, stays, 0), queen=_lone_queen(table)))
    queen = table.queen
    if stroke.queen and table.hand:
        queen = "mine" if stays else "board" if own_last or not table.own else "pending"
    elif queen == "pending":
        queen = "mine" if stroke.own else "board"
    if own_last and queen == "board":
        return replace(_kept_pieces(table, stays, 0), queen="board", kept=False)
    ruled = replace(_kept_pieces(table, stroke.own, 0), queen=queen, kept=stroke.own > 0 or queen == "pending")
    if own_last:
        return _won(ruled, "south", ruled.other + (3 if queen == "mine" else 0))
    if not ruled.other and queen == "mine":
        return _won(ruled, "north", ruled.own)  # north had none left and waited for a cover, whoever's
    return ruled


READERS = {"campus": _campus, "classic": _classic, "club": _club, "sixes": _sixes, "world": _world}
