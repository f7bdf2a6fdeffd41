"""Where queen and jumped pieces go, in mm of the board frame (laws 65, 93, 94; campus-16, world-16, club-130).

A piece goes to the centre spot if it is free. Partly covered: to the free place nearest the spot, which is where it
covers most of the red. As good as fully covered: next to the spot, on the side away from whoever plays next. Further
pieces touch the first one on that same side. Pure geometry; must not know books or turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, atan2, cos, hypot, pi, sin, sqrt

from calibration.board import Board, seat_to_board
from controller.events.words import Seat

Point = tuple[float, float]

_SLACK_MM = 0.01
_RED_WORTH_COVERING = 0.05
"""Less of the red than this share counts as none: nobody can place a piece on a sliver."""


def away_from(seat: Seat) -> Point:
    """Returns the unit vector over the board away from a seat."""
    x, y = seat_to_board(seat, 0.0, -1.0)
    return (x, y)


def spot_for(board: Board, others: Sequence[Point], next_seat: Seat) -> Point:
    """Returns where the queen or the first jumped piece goes, given the centres of the other pieces in mm."""
    coin_mm = board.coin_diameter_mm
    if _free(coin_mm, (0.0, 0.0), others):
        return (0.0, 0.0)
    away = away_from(next_seat)
    nearest = _nearest_free(coin_mm, others, (0.0, 0.0), away)
    if _red_covered(board, hypot(*nearest)) >= _RED_WORTH_COVERING:
        return nearest
    beside = (board.centre_circle_diameter_mm + coin_mm) / 2
    return _touching(coin_mm, (0.0, 0.0), beside, others, away)


def spot_touching(board: Board, first: Point, others: Sequence[Point], next_seat: Seat) -> Point:
    """Returns where a further jumped piece goes: touching the first one, away from whoever plays next."""
    return _touching(board.coin_diameter_mm, first, board.coin_diameter_mm, others, away_from(next_seat))


def _free(coin_mm: float, at: Point, others: Sequence[Point]) -> bool:
    return all(hypot(at[0] - x, at[1] - y) >= coin_mm - _SLACK_MM for x, y in others)


def _nearest_free(coin_mm: float, others: Sequence[Point], to: Point, away: Point) -> Point:
    """The free place nearest to a point: it touches one piece in line with it, or two pieces at once.

    Of equally near ones the farthest in the direction `away`.
    """
    candidates: list[Point] = []
    near = [(x, y) for x, y in others if hypot(x - to[0], y - to[1]) < 4 * coin_mm]
    for x, y in near:
        dx, dy = to[0] - x, to[1] - y
        length = hypot(dx, dy)
        ux, uy = (dx / length, dy / length) if length > 1e-9 else away
        candidates.append((x + ux * coin_mm, y + uy * coin_mm))
        # where the nearest side is taken, the sides along `away` still matter when a piece lies on the spot itself
        candidates.append((x + away[0] * coin_mm, y + away[1] * coin_mm))
    for i, one in enumerate(near):
        for other in near[i + 1 :]:
            candidates.extend(_touching_both(coin_mm, one, other))
    free = [at for at in candidates if _free(coin_mm, at, others)]
    if not free:
        return _touching(coin_mm, to, coin_mm, others, away)
    best = min(hypot(x - to[0], y - to[1]) for x, y in free)
    equal = [at for at in free if hypot(at[0] - to[0], at[1] - to[1]) <= best + 0.05]
    return _rounded(max(equal, key=lambda at: at[0] * away[0] + at[1] * away[1]))


def _touching_both(coin_mm: float, one: Point, other: Point) -> list[Point]:
    dx, dy = other[0] - one[0], other[1] - one[1]
    apart = hypot(dx, dy)
    if apart < 1e-9 or apart > 2 * coin_mm:
        return []
    height = sqrt(coin_mm**2 - (apart / 2) ** 2)
    mx, my = (one[0] + other[0]) / 2, (one[1] + other[1]) / 2
    return [(mx - s * height * dy / apart, my + s * height * dx / apart) for s in (1, -1)]


def _touching(coin_mm: float, centre: Point, distance: float, others: Sequence[Point], away: Point) -> Point:
    """A free place at a distance from a point, as near to the direction `away` as possible; farther if all is full."""
    straight = atan2(away[1], away[0])
    while True:
        for step in range(181):
            for side in (1, -1):
                angle = straight + side * step * pi / 180
                at = (centre[0] + distance * cos(angle), centre[1] + distance * sin(angle))
                if _free(coin_mm, at, others):
                    return _rounded(at)
        distance += 1.0


def _rounded(at: Point) -> Point:
    return (round(at[0], 2) + 0.0, round(at[1], 2) + 0.0)


def _red_covered(board: Board, distance: float) -> float:
    """The share of the centre circle that a piece covers whose centre is so many mm away from the spot."""
    r, big = board.coin_diameter_mm / 2, board.centre_circle_diameter_mm / 2
    if distance >= r + big:
        return 0.0
    if distance <= big - r:
        return (r / big) ** 2
    a = r * r * acos((distance**2 + r * r - big * big) / (2 * distance * r))
    b = big * big * acos((distance**2 + big * big - r * r) / (2 * distance * big))
    c = sqrt((-distance + r + big) * (distance + r - big) * (distance - r + big) * (distance + r + big)) / 2
    return (a + b - c) / (pi * big * big)
