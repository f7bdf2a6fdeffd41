"""The striker's place against the board's lines: signed clearances with their uncertainty, and three-valued verdicts.

Too close to call counts as in order and is noted. Must not know what a rulebook makes of a placement, only which
readings of a base circle it takes for order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot

from calibration.board import SEATS, Board, board_to_seat
from controller.events.match import Placement
from controller.events.observation import SeenPiece
from controller.events.words import Circle, Lines, Seat
from controller.shots.limits import SIGMA_OF_U95, Limits
from controller.shots.outputs import Clearance, Verdict

_Judge = Callable[[str, float, str, str], Verdict]


@dataclass(frozen=True, slots=True)
class Margins:
    """Signed distances in mm of a disc from what its place is judged by.

    `outer`, `inner`: how far it overlaps a base line. `covers`: how far it reaches beyond the base circle on all
    sides. `clears`: how far it stays off the base circle. `arrow`: how far it stays off the arrow's line.
    """

    outer: float
    inner: float
    covers: float
    clears: float
    arrow: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A placement in the words of the shot, the facts nobody could see, and the clearances behind it."""

    placement: Placement | None
    unseen: tuple[str, ...]
    clearances: tuple[Clearance, ...]


def margins(board: Board, seat: Seat, x_mm: float, y_mm: float) -> Margins:
    """Returns the clearances of a striker at (x, y) placed for a seat."""
    across, away = board_to_seat(seat, x_mm, y_mm)
    radius = board.striker_diameter_mm / 2
    circle_radius = board.base_circle_diameter_mm / 2
    to_circle = hypot(abs(across) - board.base_circle_along_mm, away - board.base_circle_from_centre_mm)
    return Margins(
        outer=radius - _to_line(board, board.outer_line_y_mm, across, away),
        inner=radius - _to_line(board, board.inner_line_y_mm, across, away),
        covers=radius - circle_radius - to_circle,
        clears=to_circle - radius - circle_radius,
        arrow=_to_arrows(board, x_mm, y_mm) - board.arrow_line_width_mm / 2 - radius,
    )


def lines_touched(board: Board, seat: Seat, x_mm: float, y_mm: float) -> int:
    """Returns how many of a seat's two base lines a striker at (x, y) overlaps."""
    found = margins(board, seat, x_mm, y_mm)
    return (found.outer > 0) + (found.inner > 0)


def seat_odds(
    board: Board, at: tuple[float, float] | None, hand: Seat | None, turn: Seat | None, playing: tuple[Seat, ...]
) -> dict[Seat, float]:
    """Returns how likely each seat struck: from where the striker lay, whose hand it was, and who was on turn."""
    middle = (board.outer_line_y_mm[1] + board.inner_line_y_mm[0]) / 2
    weights: dict[Seat, float] = {}
    for seat in SEATS:
        weight = 1.0
        if at is not None:
            across, away = board_to_seat(seat, *at)
            beyond = max(0.0, abs(across) - board.base_circle_along_mm)
            weight = max(2.0 ** -((abs(away - middle) + beyond) / 8), 1e-9)
        weight *= 4.0 if seat == hand else 1.0
        weight *= 4.0 if seat == turn else 1.0
        weight *= 1.0 if not playing or seat in playing else 0.01
        weights[seat] = weight  # type: ignore[index]
    total = sum(weights.values())
    return {seat: weight / total for seat, weight in weights.items()}


def judge(
    board: Board,
    seat: Seat,
    placed: SeenPiece | None,
    gap_mm: float | None,
    circle_in_order: tuple[Circle, ...],
    limits: Limits,
) -> Judged:
    """Judges a placement. `gap_mm`: to the nearest piece, as seen."""
    if placed is None or placed.u95_mm > limits.placement_u95_mm:
        return Judged(None, ("placement",), ())
    found = margins(board, seat, *placed.at)
    u95 = placed.u95_mm
    clearances: list[Clearance] = []

    def verdict(fact: str, margin: float, what: str, limit_word: str) -> Verdict:
        side = limit_word if margin >= 0 else f"not {limit_word}"
        clearances.append(clearance(fact, margin, u95, verdict_on(margin, u95, limits), f"{what}: {side}"))
        return clearances[-1].in_order

    touched = sum(
        verdict("placement.lines", margin, f"{name} base line", "touched") != "no"
        for name, margin in (("outer", found.outer), ("inner", found.inner))
    )
    lines: Lines = ("none", "one", "both")[touched]
    circle = _circle(found, circle_in_order, verdict)
    arrow = verdict("placement.arrow", found.arrow, "arrow", "clear") == "no"
    unseen: tuple[str, ...] = ()
    touching = False
    if gap_mm is None:
        unseen = ("placement.touching",)
    elif gap_mm < board.coin_diameter_mm:
        touching = verdict("placement.touching", gap_mm, "nearest piece", "clear") == "no"
    placement = Placement(round(placed.x_mm, 2), round(placed.y_mm, 2), lines, circle, arrow, touching)
    return Judged(placement, unseen, tuple(clearances))


def _circle(found: Margins, in_order: tuple[Circle, ...], verdict: _Judge) -> Circle:
    """Decides how the base circle is covered; at a limit the reading that is in order wins."""
    wholly: Circle = "covered" if abs(found.covers) < abs(found.clears) else "clear"
    margin = found.covers if wholly == "covered" else found.clears
    sure = verdict("placement.circle", margin, "base circle", wholly)
    return wholly if sure == "yes" or (sure == "too close" and wholly in in_order) else "partial"


def verdict_on(margin: float, u95_mm: float, limits: Limits) -> Verdict:
    """Says whether something lies on the right side of a limit, `margin` mm off it (negative: beyond)."""
    sigma = u95_mm * SIGMA_OF_U95
    if margin < -max(limits.foul_sigmas * sigma, limits.least_margin_mm):
        return "no"
    return "yes" if margin > max(limits.order_sigmas * sigma, limits.least_margin_mm) else "too close"


def clearance(fact: str, margin: float, u95_mm: float, verdict: Verdict, what: str) -> Clearance:
    """Puts into words by how much something is off a limit; too close to call is taken as in order."""
    says = f"{what} by {abs(margin):.1f} ± {u95_mm:.1f} mm"
    if verdict == "too close":
        says += ", too close to call: taken as in order"
    return Clearance(fact, round(margin, 2), round(u95_mm, 2), verdict, says)


def _to_line(board: Board, edges_mm: tuple[float, float], across: float, away: float) -> float:
    """Distance from a point to the painted stroke of a base line, in the seat's own view."""
    far, near = edges_mm
    beside = max(0.0, abs(across) - board.line_half_length_mm)
    off = max(0.0, away - far, near - away)
    return hypot(beside, off)


def _to_arrows(board: Board, x_mm: float, y_mm: float) -> float:
    """Distance from a point to the nearest arrow's middle line."""
    along = (abs(x_mm) + abs(y_mm)) / 2**0.5
    beside = abs(abs(x_mm) - abs(y_mm)) / 2**0.5
    inner, outer = board.arrow_radii_mm
    return hypot(max(0.0, inner - along, along - outer), beside)
