"""What a table is asked to prove, step by step, and the limits with their reasons. Pure: a board in, steps out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.board import SEATS, Board
from controller.commands.acceptance.gauge import HALVES, MARKS, SIDES, Half, Side, place_mm
from controller.events.words import Pocket, Seat
from controller.pockets.beam_map import POCKETS

Kind = Literal["lamps on", "placements", "coins", "lamps off"]

COINS = 5
"""Coins through each pocket: a beam that misses one coin in two shows it with 97 %, one in five with 67 %."""
MATCH_MM = 1.0
"""The worst placement of a *match* table. Not the 99th percentile: of 80 placements that is nearly the worst anyway,
and of the 20 of one seat it cannot be stated."""
CLUB_MM = 2.0
"""The worst placement of a *club* table, which leaves the closest calls to people. Chosen: less than half of the 4.75
mm by which a striker between the lines reaches over either."""
TRIES = 2
"""A hand slips: what fails is asked for once more, and the record says how often it was tried."""

STRIKERS = ("A", "B")


@dataclass(frozen=True, slots=True)
class Spot:
    """One placement: how the gauge lies, its mark, which striker, and where its centre then is, in mm on the board."""

    seat: Seat
    side: Side
    half: Half
    mark: int
    striker: str
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a person does. `spots`: the strikers that lie at once; `pocket`: where the coins go."""

    id: str
    kind: Kind
    says: str
    spots: tuple[Spot, ...] = ()
    pocket: Pocket | None = None


def steps_of(board: Board, strikers_mm: Sequence[float], scale: float, *, beams: bool) -> tuple[Step, ...]:
    """Returns the whole plan. `strikers_mm`: diameters of one striker or two; `scale`: see `gauge.place_mm`.

    `beams`: without them no coins are asked for.
    """
    steps = [Step("lamps on", "lamps on", "Lamps on. Take everything off the board, hands away.")]
    for seat in SEATS:
        for number, (side, half) in enumerate((side, half) for side in SIDES for half in HALVES):
            steps += _laid(board, seat, side, half, number, strikers_mm, scale)  # type: ignore[arg-type]
    if beams:
        steps += [
            Step(
                f"coins {pocket}",
                "coins",
                f"Drop {COINS} coins through {pocket}, one by one, and nothing elsewhere. Then press «done».",
                pocket=pocket,
            )
            for pocket in POCKETS
        ]
    steps.append(Step("lamps off", "lamps off", "Switch the lamps off. Nothing on the board, hands away."))
    return tuple(steps)


def _laid(
    board: Board, seat: Seat, side: Side, half: Half, number: int, strikers_mm: Sequence[float], scale: float
) -> Iterator[Step]:
    """The steps of one way in which the gauge lies. Strikers change places from one way to the next."""
    at_once = len(strikers_mm)
    for first in range(1, MARKS + 1, at_once):
        spots = []
        for mark in range(first, min(first + at_once, MARKS + 1)):
            which = (mark + number) % at_once
            x, y = place_mm(board, seat, side, half, mark, strikers_mm[which], scale)
            spots.append(Spot(seat, side, half, mark, STRIKERS[which], x, y))
        what = " and ".join(f"striker {spot.striker} at mark {spot.mark}" for spot in spots)
        lies = (
            f"{seat.capitalize()}: gauge along the {side} edge of the base line, circle end at the {half} base circle"
        )
        yield Step(
            f"{seat} {side} {half} {first}",
            "placements",
            f"{lies}; {what}. Then take the gauge away.",
            tuple(spots),
        )
