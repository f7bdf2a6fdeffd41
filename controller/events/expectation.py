"""What the table may expect to see next: handed by the rules to `shots`, so that neither knows the other."""

from __future__ import annotations

from dataclasses import dataclass

from controller.events.words import Circle, Colour, Piece, Seat


@dataclass(frozen=True, slots=True)
class ToPlace:
    """A piece that somebody has to put on the board before the next stroke.

    `at_mm`: the spot (queen, jumped pieces); None with `within`: centre, inner and outer radius in mm (dues).
    """

    piece: Piece
    why: str
    by: Seat | None = None
    at_mm: tuple[float, float] | None = None
    within: tuple[tuple[float, float], float, float] | None = None
    side: Seat | None = None
    """Whose piece it is, None for the queen."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The state of play in the terms of `shots`.

    `on_board`: pieces that should lie on the board once `to_place` has been placed. `turn`: physical seat to
    strike. `sides`: physical seat → side by the current seats. `strikeable`: seats that could legally be struck
    from. `opening`: the opening arrangement should stand (a break is next). `play`: strokes count now (not paused,
    not over). `needs`: facts that some live clause of tonight's book depends on.
    """

    turn: Seat | None
    on_board: tuple[tuple[Piece, int], ...]
    book_pieces: tuple[tuple[Piece, int], ...]
    sides: tuple[tuple[Seat, Seat], ...] = ()
    colours: tuple[tuple[Seat, Colour], ...] = ()
    to_place: tuple[ToPlace, ...] = ()
    opening: bool = False
    play: bool = True
    tournament: bool = False
    needs: frozenset[str] = frozenset()
    rest_mm: tuple[tuple[Piece, float, float], ...] = ()
    """Where everything should lie, as of the last ruling: what a restored board is compared with."""
    turn_began_ns: int | None = None
    turn_began_unseen: bool = False
    """The time of the stroke to come runs, and nobody saw since when: after a restart, or a camera that was away."""
    seq: int = 0
    circle_in_order: tuple[Circle, ...] = ("clear", "covered")
    """What tonight's book takes for order at a base circle: a reading too close to call falls on that side."""
    still_on_lines: int = 1
    """A striker that still touches so many of its base lines has not left them (campus, world: 2)."""
    replacements: int = 3
    """How often the striker may be put down anew in a turn."""
