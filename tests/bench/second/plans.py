"""What is played: positions and intents of one stroke, drawn by table and number. Knows neither physics nor pictures.

Kinds: `break`, `middle`, `end`, `jaws` (a piece hangs at a pocket), `own` (the striker goes into a pocket), `weak`,
`push` (the finger goes along with the striker), `shove` (a finger moves a piece before the stroke); what is drawn only
where it is asked for: `stopped` (a piece runs into the player's resting hand), `twice` (the striker is flicked again
while a piece runs); and what is no stroke: `lift` (the striker is put down and taken up again), `reach` (an arm comes
over the board and leaves).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin

import numpy as np

from calibration.board import POCKETS, Board, board_to_seat, seat_to_board
from tests.bench.second.tables import Table

Spot = tuple[float, float]
Rng = np.random.Generator

KINDS = {
    "middle": 0.36, "end": 0.14, "jaws": 0.14, "break": 0.06, "own": 0.06, "weak": 0.06, "push": 0.05, "shove": 0.05,
    "lift": 0.04, "reach": 0.04, "stopped": 0.0, "twice": 0.0,
}  # fmt: skip
NO_STROKE = ("lift", "reach")
SURE_MM = 0.8
"""No placement is drawn nearer to a limit than this: what is closer is within the eyes' own error."""
STEEPEST_DEG = 72.0
"""A flick goes no farther sideways: near 90° forward and backward are a matter of a degree."""


@dataclass(frozen=True)
class Plan:
    """One stroke as it is meant. `spots`: every piece of `names` but the striker, None for what lies in a net.

    `nets`: which pocket a piece that is gone lies in. `placed`: where the striker is struck from. `direction_deg` from
    the east, anticlockwise; `speed_m_s`. `shoved`: the piece that a finger moves, towards which direction, how far.
    """

    number: int
    kind: str
    seat: str
    seats: tuple[str, str]
    first: str
    names: tuple[str, ...]
    spots: tuple[Spot | None, ...]
    nets: tuple[str | None, ...]
    placed: Spot
    direction_deg: float
    speed_m_s: float
    aim_s: float
    carried: bool
    aside_mm: float
    whose: int
    shoved: tuple[int, float, float] | None = None
    queen: str = "board"

    @property
    def direction(self) -> Spot:
        """The direction of the flick."""
        return (cos(self.direction_deg * pi / 180.0), sin(self.direction_deg * pi / 180.0))


def plan(table: Table, number: int, kind: str | None = None) -> Plan:
    """Draws the stroke of a number on a table; the same numbers give the same. `kind`: of a kind that is wanted."""
    rng = np.random.default_rng((table.seed, number, 30))
    drawn = str(rng.choice(list(KINDS), p=np.array(list(KINDS.values())) / sum(KINDS.values())))
    kind = kind or drawn
    board = table.board
    seats = (("south", "north"), ("east", "west"))[table.seed % 2 if table.seed > 2 else 0]
    seat, first = seats[int(rng.integers(2))], seats[int(rng.integers(2))]
    names = ("white",) * 9 + ("black",) * 9 + ("queen", "striker")
    spots: list[Spot | None]
    queen = "board"
    if kind == "break":
        names, spots = rack(board, rng)
        first = seat
    else:
        left = int(rng.integers(3, 8)) if kind == "end" else int(rng.integers(8, 18))
        names, spots, queen = scattered(board, left, rng)
    placed = _placement(board, seat, spots, rng)
    on = [i for i, spot in enumerate(spots) if spot is not None]
    if kind == "jaws":
        _hang(board, spots, on, rng)
    direction, speed = _aimed(board, kind, seat, placed, [spot for spot in spots if spot is not None], rng)
    nets = [None if spot is not None else str(rng.choice(POCKETS)) for spot in spots]
    shoved = None
    if kind == "shove":
        far = [i for i in on if board.nearest_pocket(*spots[i])[1] > 150.0] or on
        number_shoved = int(rng.choice(far))
        x, y = spots[number_shoved] or (0.0, 0.0)
        inwards = float(np.degrees(atan2(-y, -x)) + rng.uniform(-70, 70))
        shoved = (number_shoved, inwards, float(rng.uniform(12, 45)))
    return Plan(
        number, kind, seat, seats, first, names, tuple(spots), tuple(nets), placed, direction, speed,
        aim_s=float(rng.uniform(0.25, 0.7)), carried=bool(rng.random() < 0.3) or kind in ("lift", "shove"),
        aside_mm=float(rng.uniform(-60, 160)), whose=seats.index(seat), shoved=shoved, queen=queen,
    )  # fmt: skip


def rack(board: Board, rng: Rng) -> tuple[tuple[str, ...], list[Spot | None]]:
    """The opening: the queen in the middle, six about it, twelve about those."""
    d, turn = board.coin_diameter_mm + 0.08, float(rng.uniform(0, 2 * pi))
    whites, blacks = [], []
    for k in range(6):
        for away, at, group in (
            (d, k, whites if k % 2 == 0 else blacks),
            (2 * d, k, whites if k % 2 == 0 else blacks),
            (d * 3**0.5, k + 0.5, whites if k % 2 == 0 else blacks),
        ):
            group.append((away * cos(turn + at * pi / 3), away * sin(turn + at * pi / 3)))
    return ("white",) * 9 + ("black",) * 9 + ("queen", "striker"), [*whites, *blacks, (0.0, 0.0)]


def scattered(board: Board, left: int, rng: Rng) -> tuple[tuple[str, ...], list[Spot | None], str]:
    """A game under way: so many pieces left, thrown about; the queen on the board, or covered."""
    names = ("white",) * 9 + ("black",) * 9 + ("queen",)
    queen = "board" if rng.random() < 0.6 else "covered"
    coins = left - (queen == "board")
    most = min(9, coins - 1)
    white = int(np.clip(round(coins / 2 + rng.normal(0, 1.2)), max(1, coins - 9), most))
    kept = [*range(white), *range(9, 9 + coins - white), *([18] if queen == "board" else [])]
    spots: list[Spot | None] = [None] * 19
    for number in kept:
        # Most of a game's pieces lie about the middle, some at the cushions.
        while True:
            wide = 0.36 * board.half_mm if rng.random() < 0.55 else 0.95 * board.half_mm
            x, y = float(rng.uniform(-wide, wide)), float(rng.uniform(-wide, wide))
            if _free(board, (x, y), spots):
                spots[number] = (x, y)
                break
    return (*names, "striker"), spots, queen


def _free(board: Board, at: Spot, spots: list[Spot | None], apart_mm: float = 0.3) -> bool:
    reach = board.half_mm - board.coin_diameter_mm / 2 - 0.2
    if max(abs(at[0]), abs(at[1])) > reach:
        return False
    if board.nearest_pocket(*at)[1] < board.pocket_radius_mm + 6.0:
        return False
    return all(
        other is None or hypot(at[0] - other[0], at[1] - other[1]) > board.coin_diameter_mm + apart_mm
        for other in spots
    )


def _hang(board: Board, spots: list[Spot | None], on: list[int], rng: Rng) -> None:
    """Lays one or two pieces at a pocket's edge, their middles just outside it."""
    for number in rng.choice(on, size=min(2, len(on)), replace=False):
        for _ in range(40):
            pocket = board.pockets_mm[str(rng.choice(POCKETS))]
            turn = atan2(-pocket[1], -pocket[0]) + float(rng.uniform(-0.7, 0.7))
            away = board.pocket_radius_mm + float(rng.uniform(1.5, 14.0))
            at = (pocket[0] + away * cos(turn), pocket[1] + away * sin(turn))
            others = [None if i == number else spot for i, spot in enumerate(spots)]
            reach = board.half_mm - board.coin_diameter_mm / 2 - 0.2
            clear = all(o is None or hypot(at[0] - o[0], at[1] - o[1]) > board.coin_diameter_mm + 0.3 for o in others)
            if clear and max(abs(at[0]), abs(at[1])) < reach:
                spots[int(number)] = at
                break


def margins(board: Board, seat: str, at: Spot) -> dict[str, float]:
    """How far a striker is within each limit of its placement, in mm: above 0 touches, is clear, or covers."""
    _, back = board_to_seat(seat, *at)
    away, r = board.half_mm - back, board.striker_diameter_mm / 2
    circle = min(hypot(at[0] - x, at[1] - y) for x, y in board.base_circles_mm)
    a, b = board.arrow_radii_mm
    arrow = float("inf")
    for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        along = (at[0] * sx + at[1] * sy) / 2**0.5
        beside = abs(at[0] * -sy + at[1] * sx) / 2**0.5
        arrow = min(arrow, hypot(beside, max(a - along, along - b, 0.0)))
    return {
        "outer": board.outer_line_mm[1] - (away - r),
        "inner": away + r - board.inner_line_mm[0],
        "circle": circle - r - board.base_circle_diameter_mm / 2,
        "cover": r - board.base_circle_diameter_mm / 2 - circle,
        "arrow": arrow - board.arrow_line_width_mm / 2 - r,
    }


def _placement(board: Board, seat: str, spots: list[Spot | None], rng: Rng) -> Spot:
    """Where a player puts the striker: mostly in order, now and then on one line only or on a part of a circle."""
    fault = rng.random()
    for _ in range(2000):
        along = board.line_half_length_mm
        across = float(rng.uniform(-along, along))
        back = board.base_circle_from_centre_mm + float(np.clip(rng.normal(0, 2.5), -6, 6))
        if fault < 0.04:
            back += float(rng.choice((-1.0, 1.0))) * float(rng.uniform(6, 12))
        elif fault < 0.08:
            across = float(rng.choice((-1.0, 1.0))) * (along - float(rng.uniform(8, 30)))
        elif fault < 0.14:
            across = float(rng.choice((-1.0, 1.0))) * (along - float(rng.uniform(0, 3.0)))
        at = seat_to_board(seat, across, back)
        near = margins(board, seat, at)
        gap = board.touching_mm + 1.5
        if min(abs(value) for value in near.values()) < SURE_MM or near["arrow"] < 0.0:
            continue
        if fault >= 0.08 and (min(near["outer"], near["inner"]) < 0 or max(near["circle"], near["cover"]) < 0):
            continue
        if any(o is not None and hypot(at[0] - o[0], at[1] - o[1]) < gap for o in spots):
            continue
        return at
    raise ValueError("no room on the base line")


def _aimed(board: Board, kind: str, seat: str, placed: Spot, spots: list[Spot], rng: Rng) -> tuple[float, float]:
    """A direction and a speed: at a piece towards a pocket, at the rack, or into a pocket; with a player's scatter."""
    ahead = np.array(seat_to_board(seat, 0.0, -1.0))
    steepest = np.cos(np.radians(STEEPEST_DEG))

    def forward(to: Spot) -> bool:
        way = np.array(to) - placed
        return bool(way @ ahead > steepest * np.linalg.norm(way))

    aims: list[Spot] = []
    if kind == "own":
        aims = [pocket for pocket in board.pockets_mm.values() if forward(pocket)]
    elif kind == "break":
        aims = [(float(rng.normal(0, 6)), float(rng.normal(0, 6)))]
    else:
        order = sorted(spots, key=lambda spot: board.nearest_pocket(*spot)[1]) if kind == "jaws" else list(spots)
        for spot in order[: 2 if kind == "jaws" else None]:
            pocket = min(board.pockets_mm.values(), key=lambda p: _cut(placed, spot, p))
            away = hypot(spot[0] - pocket[0], spot[1] - pocket[1])
            ghost = (
                spot[0] + (spot[0] - pocket[0]) / away * board.touching_mm,
                spot[1] + (spot[1] - pocket[1]) / away * board.touching_mm,
            )
            if forward(ghost) and _cut(placed, spot, pocket) < 1.2:
                aims.append(ghost)
    if not aims:
        aims = [tuple(np.array(placed) + ahead * 300.0)]
    to = aims[int(rng.integers(len(aims)))]
    direction = np.degrees(atan2(to[1] - placed[1], to[0] - placed[0])) + float(rng.normal(0, 0.9))
    speed = {
        "break": float(rng.uniform(1.8, 3.4)), "own": float(rng.uniform(1.2, 2.4)),
        "weak": float(rng.uniform(0.28, 0.6)),
        "push": float(rng.uniform(0.5, 1.0)), "jaws": float(rng.uniform(0.9, 2.2)),
    }.get(kind, float(np.clip(rng.lognormal(0.45, 0.35), 0.8, 3.2)))  # fmt: skip
    return float(direction), speed


def _cut(placed: Spot, spot: Spot, pocket: Spot) -> float:
    """The angle, in rad, by which a piece must leave the striker's way to go to a pocket."""
    a = atan2(spot[1] - placed[1], spot[0] - placed[0])
    b = atan2(pocket[1] - spot[1], pocket[0] - spot[0])
    return abs((a - b + pi) % (2 * pi) - pi)


def start_event(plan: Plan) -> dict[str, object]:
    """The event before the stroke: a match under way as the pieces on the board say."""
    start: dict[str, object] = {
        "event": "start", "book": "icf", "seats": {seat: seat.title() for seat in plan.seats}, "first": plan.first,
    }  # fmt: skip
    if plan.kind == "break":
        return start
    left = Counter(name for name, spot in zip(plan.names, plan.spots, strict=False) if spot is not None)
    position: dict[str, object] = {
        "left": {"white": left["white"], "black": left["black"]}, "queen": plan.queen, "turn": plan.seat,
        "break_done": True,
    }  # fmt: skip
    if plan.queen == "covered":
        position["queen_side"] = plan.seats[plan.number % 2]
    return {**start, "position": position}
