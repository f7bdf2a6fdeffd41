"""One plan played out: the hand's way, the physics, and where every piece is at any time. Knows no pictures.

Time runs from the middle of the first picture's exposure, in s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibration.board import board_to_seat, seat_to_board
from tests.bench.second import hands
from tests.bench.second.hands import Key, Visit
from tests.bench.second.physics import KEPT_EVERY, NET_MM, STEP_S, Poses, Run, World, thickness_mm
from tests.bench.second.plans import NO_STROKE, Plan
from tests.bench.second.tables import Table

TICK_S = STEP_S * KEPT_EVERY
COMES_S, SETS_S, BACK_S = 0.38, 0.12, 0.42
AFTER_S = 0.5
"""So long everything lies still in the end, hand and all gone."""
PUSHED_S = 0.16
TIP_UP_MM, TIP_BEHIND_MM = 6.0, 10.0
SHOVE_MM_S = 160.0
MOST_ASIDE_MM = 400.0
"""So far aside of the striker a player takes the elbow to flick across."""


@dataclass(frozen=True, eq=False)
class Film:
    """What happens: `before` holds until the first run; `carried`: where a carried striker is at a time, or None."""

    plan: Plan
    before: Poses
    runs: tuple[Run, ...]
    visits: tuple[Visit, ...]
    carried: Callable[[float], Poses | None]
    struck_s: float | None
    set_s: float
    away_s: float
    end_s: float

    def poses(self, t_s: float) -> Poses:
        """Where everything is: (N, 7)."""
        lying = self.before
        for run in self.runs:
            if t_s >= run.t_s:
                at = min((t_s - run.t_s) / TICK_S, len(run.poses) - 1.0)
                a, part = int(at), at - int(at)
                one, two = run.poses[a], run.poses[min(a + 1, len(run.poses) - 1)]
                lying = one + part * (two - one)
                lying = lying.astype(np.float64)
                lying[:, 3:] /= np.linalg.norm(lying[:, 3:], axis=1, keepdims=True)
        held = self.carried(t_s)
        if held is not None:
            lying = lying.copy()
            lying[-1] = held
        return lying

    def hands(self, t_s: float) -> np.ndarray:
        """The hands at a time, as capsules (N, 9)."""
        seen = [visit.at(t_s) for visit in self.visits]
        return np.concatenate([np.zeros((0, 9)), *(hand.capsules() for hand in seen if hand is not None)])


def play(table: Table, plan: Plan) -> Film:
    """Plays a plan out."""
    world = World(table, plan.names)
    before = _before(table, plan)
    runs: list[Run] = []
    visits: list[Visit] = []
    now = 0.08
    if plan.shoved is not None:
        visit, run = _shove(table, plan, world, before, now)
        visits.append(visit)
        runs.append(run)
        now = visit.keys[-1].t_s + 0.1
    r = table.board.striker_diameter_mm / 2
    out, elbow, thumb = _arm(table, plan)
    if plan.kind == "reach":
        over = seat_to_board(plan.seat, -plan.aside_mm, float(plan.speed_m_s * 60.0))
        keys = (
            Key(now, out),
            Key(now + 0.5, (*over, 75.0), 0.2),
            Key(now + 0.9, (*over, 75.0), 0.2),
            Key(now + 1.5, out),
        )
        away = keys[-1].t_s
        return Film(
            plan, before, (), (Visit(keys, elbow, plan.whose, thumb),), lambda t: None, None, 0.0, away, away + AFTER_S
        )
    ahead = np.array((*plan.direction, 0.0))
    placed = np.array((*plan.placed, 0.0))

    def tip(beyond_mm: float, up_mm: float) -> tuple[float, float, float]:
        at = placed - ahead * (r + TIP_BEHIND_MM - beyond_mm)
        return (float(at[0]), float(at[1]), up_mm)

    comes, sets = now + COMES_S, now + COMES_S + SETS_S
    flick = sets + plan.aim_s
    keys = [Key(now, out, 0.4, 24.0), Key(comes, tip(0.0, 40.0), 0.4, 26.0), Key(sets, tip(0.0, TIP_UP_MM), 0.9, 30.0)]
    thick = thickness_mm(table, "striker")
    rest = (*plan.placed, thick / 2.0, 1.0, 0.0, 0.0, 0.0)
    arrives = Visit(tuple(keys), elbow, plan.whose, thumb)

    def carried(t_s: float) -> Poses | None:
        if plan.kind == "lift" and t_s >= flick:
            return _held(taken.at(t_s), ahead, r, thick, out)
        if not plan.carried or t_s >= flick:
            return None
        return np.array(rest) if t_s >= sets else _held(arrives.at(t_s), ahead, r, thick, out)

    if plan.kind == "lift":
        keys += [
            Key(flick, tip(0.0, TIP_UP_MM), 0.9, 30.0),
            Key(flick + 0.12, tip(0.0, 45.0), 0.4),
            Key(flick + 0.6, out),
        ]
        taken = Visit(tuple(keys), elbow, plan.whose, thumb)
        away = keys[-1].t_s
        return Film(plan, before, (), (taken,), carried, None, sets, away, away + AFTER_S)
    velocity = (plan.direction[0] * plan.speed_m_s, plan.direction[1] * plan.speed_m_s)
    lying = before.copy() if not runs else runs[-1].poses[-1].astype(np.float64)
    lying[-1] = rest
    if plan.kind == "push":
        keys += [Key(flick, tip(0.0, TIP_UP_MM), 0.9, 30.0), Key(flick + PUSHED_S, tip(0.0, TIP_UP_MM))]
        reach = plan.speed_m_s * 1000.0 * PUSHED_S / 2.0

        def pushing(since_s: float) -> tuple[float, float, float] | None:
            # From rest, faster and faster, in touch all the way; then the finger stops and the striker runs on.
            part = since_s / PUSHED_S
            return tip(reach * part**2, TIP_UP_MM) if part < 1.0 else None

        run = world.run(lying, flick, (0.0, 0.0), pushing, at_least_s=PUSHED_S)
        end = tip(reach, TIP_UP_MM)
        keys[-1] = Key(flick + PUSHED_S, end, 0.6)
        visits.append(
            Visit(
                (*keys, Key(flick + PUSHED_S + 0.1, end, 0.4), Key(flick + PUSHED_S + 0.1 + BACK_S, out, 0.3)),
                elbow, plan.whose, thumb, lambda t: pushing(t - flick) if t >= flick else None,
            )
        )  # fmt: skip
    else:
        run = world.run(lying, flick, velocity)
        keys += [
            Key(flick - 0.02, tip(-2.0, TIP_UP_MM), 1.0, 30.0), Key(flick, tip(0.0, TIP_UP_MM), 0.9, 30.0),
            Key(flick + 0.014, tip(20.0, TIP_UP_MM + 2.0), 0.9, 34.0), Key(flick + 0.09, tip(16.0, 18.0), 0.6, 34.0),
            Key(flick + 0.09 + BACK_S, out, 0.4, 30.0),
        ]  # fmt: skip
        visits.append(Visit(tuple(keys), elbow, plan.whose, thumb))
    runs.append(run)
    away = visits[-1].keys[-1].t_s
    return Film(plan, before, tuple(runs), tuple(visits), carried, flick, sets, away, max(away, run.end_s) + AFTER_S)


def _arm(table: Table, plan: Plan) -> tuple[tuple[float, float, float], tuple[float, float, float], float]:
    """Where the hand is when away, where its elbow is, at which side its thumb.

    A player turns the arm towards where the flick goes, as far as sitting allows, and keeps the thumb out of its way.
    """
    board, seat = table.board, plan.seat
    across, back = board_to_seat(seat, *plan.placed)
    right, towards = board_to_seat(seat, *plan.direction)
    behind = board.half_mm + board.frame_width_mm + hands.ELBOW_MM - back
    turned = float(np.clip(right / max(-towards, 0.1) * behind, -MOST_ASIDE_MM, MOST_ASIDE_MM))
    aside = across - turned + plan.aside_mm / 3.0
    # Where the flick goes to the right of where the hand points, the thumb is at its left.
    thumb = 1.0 if right * behind > -towards * (across - aside) else -1.0
    return hands.away(board, seat, aside), hands.elbow(board, seat, aside), thumb


def _held(hand: hands.Hand | None, ahead: np.ndarray, r: float, thick: float, out: tuple[float, float, float]) -> Poses:
    """The pose of a striker between the fingers; out of the picture with a hand that is away."""
    at = np.array(out if hand is None else hand.tip_mm) + ahead * (r + TIP_BEHIND_MM)
    return np.array((at[0], at[1], max(at[2] - TIP_UP_MM, 0.0) + thick / 2.0, 1.0, 0.0, 0.0, 0.0))


def _shove(table: Table, plan: Plan, world: World, before: Poses, now_s: float) -> tuple[Visit, Run]:
    """A finger comes down beside a piece and moves it. The striker waits out of the way meanwhile."""
    assert plan.shoved is not None
    number, turn_deg, far_mm = plan.shoved
    way = np.array((np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg)), 0.0))
    at = before[number, :3] * (1, 1, 0)
    begins = at - way * (table.board.coin_diameter_mm / 2 + 10.0)
    out, elbow, thumb = _arm(table, plan)
    down = now_s + COMES_S + 0.1
    takes = (far_mm + 2.0) / SHOVE_MM_S

    def finger(since_s: float) -> tuple[float, float, float] | None:
        if since_s > takes:
            return None
        x, y, _ = begins + way * SHOVE_MM_S * since_s
        return (float(x), float(y), TIP_UP_MM)

    run = world.run(before, down, (0.0, 0.0), finger, at_least_s=takes)
    x, y, _ = begins + way * SHOVE_MM_S * takes
    start, end = (float(begins[0]), float(begins[1])), (float(x), float(y))
    keys = (
        Key(now_s, out, 0.6), Key(now_s + COMES_S, (*start, 40.0), 0.7), Key(down, (*start, TIP_UP_MM), 0.8),
        Key(down + takes, (*end, TIP_UP_MM), 0.8), Key(down + takes + 0.1, (*end, 45.0), 0.6),
        Key(down + takes + 0.1 + BACK_S, out, 0.5),
    )  # fmt: skip
    return Visit(keys, elbow, plan.whose, thumb, lambda t: finger(t - down) if t >= down else None), run


def _before(table: Table, plan: Plan) -> Poses:
    """How everything lies in the first picture; what is gone lies in the nets, one upon another."""
    poses = np.zeros((len(plan.names), 7))
    stacked: dict[str, float] = {}
    for row, name in enumerate(plan.names[:-1]):
        thick = thickness_mm(table, name)
        spot, net = plan.spots[row], plan.nets[row]
        if spot is not None:
            poses[row] = (*spot, thick / 2.0, 1.0, 0.0, 0.0, 0.0)
        else:
            assert net is not None
            up = stacked.get(net, 0.0)
            stacked[net] = up + thick + 0.05
            x, y = table.board.pockets_mm[net]
            beside = 6.0 * (-1) ** row
            poses[row] = (x + beside, y - beside / 2, up + thick / 2.0 - NET_MM[1], 1.0, 0.0, 0.0, 0.0)
    thick = thickness_mm(table, "striker")
    poses[-1] = (*plan.placed, thick / 2.0, 1.0, 0.0, 0.0, 0.0)
    if plan.carried or plan.kind == "reach" or plan.shoved is not None:
        out = hands.away(table.board, plan.seat, plan.aside_mm)
        poses[-1] = (out[0], out[1], thick / 2.0, 1.0, 0.0, 0.0, 0.0)
    return poses


__all__ = ["NO_STROKE", "Film", "play"]
