"""One plan played out: the hand's way, the physics, and where every piece is at any time. Knows no pictures.

Time runs from the middle of the first picture's exposure, in s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

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
STOPS_S, STOPS_MM_S, STAYS_S = 0.35, 250.0, 0.8
"""A piece that still runs so fast, so long after the flick, runs into a hand that then stays for a while."""
AGAIN_MM, AGAIN_MM_S = 45.0, 1200.0
MOST_ASIDE_MM = 400.0
"""So far aside of the striker a player takes the elbow to flick across."""


@dataclass(frozen=True, eq=False)
class Film:
    """What happens: `before` holds until the first run; `carried`: where a carried striker is at a time, or None.

    `touched`: the piece that a hand touched before all lay still.
    """

    plan: Plan
    before: Poses
    runs: tuple[Run, ...]
    visits: tuple[Visit, ...]
    carried: Callable[[float], Poses | None]
    struck_s: float | None
    set_s: float
    away_s: float
    end_s: float
    touched: str = ""

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
    now, touched = 0.08, ""
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
        meddles = {"stopped": _in_the_way, "twice": _once_more}.get(plan.kind, lambda *_: None)(table, plan, run)
        if meddles is not None:
            # The physics are the same up to there.
            run = world.run(lying, flick, velocity, meddles.finger)
            touched = plan.names[meddles.number]
        keys += [
            Key(flick - 0.02, tip(-2.0, TIP_UP_MM), 1.0, 30.0), Key(flick, tip(0.0, TIP_UP_MM), 0.9, 30.0),
            Key(flick + 0.014, tip(20.0, TIP_UP_MM + 2.0), 0.9, 34.0), Key(flick + 0.09, tip(16.0, 18.0), 0.6, 34.0),
        ]  # fmt: skip
        back = flick + 0.09
        if meddles is not None:
            keys += [Key(flick + since, at, 0.6) for since, at in meddles.way]
            back = keys[-1].t_s
        keys.append(Key(back + BACK_S, out, 0.4, 30.0))
        visits.append(Visit(tuple(keys), elbow, plan.whose, thumb))
    runs.append(run)
    away = visits[-1].keys[-1].t_s
    end_s = max(away, run.end_s) + AFTER_S
    return Film(plan, before, tuple(runs), tuple(visits), carried, flick, sets, away, end_s, touched)


@dataclass(frozen=True)
class _Meddles:
    """A finger that meets a piece of a number: where it is, by the time since the flick; it is on the board from the
    first place on."""

    number: int
    way: tuple[tuple[float, tuple[float, float, float]], ...]

    def finger(self, since_s: float) -> tuple[float, float, float] | None:
        """Where the fingertip is; None before the first place and after the last."""
        for (t0, one), (t1, two) in pairwise(self.way):
            if t0 <= since_s < t1:
                part = (since_s - t0) / (t1 - t0)
                x, y, z = (a + part * (b - a) for a, b in zip(one, two, strict=True))
                return (x, y, z)
        return None


def _once_more(table: Table, plan: Plan, run: Run) -> _Meddles | None:
    """The striker, flicked again where it has come to rest while another piece still runs; None where it cannot be."""
    board, striker = table.board, len(plan.names) - 1
    for at in range(round(STOPS_S / TICK_S), len(run.poses) - 1):
        here = run.poses[at, :, :3].astype(np.float64)
        speeds = np.hypot(*((run.poses[at + 1, :, :2] - here[:, :2]) / TICK_S).T)
        x, y, z = here[striker]
        if not (speeds[striker] < 30.0 and (speeds[here[:, 2] > 0.0] > STOPS_MM_S).any() and z > 0.0):
            continue
        _, back = board_to_seat(plan.seat, float(x), float(y))
        if back < 0.0 or max(abs(x), abs(y)) > board.half_mm - 60.0:
            return None
        ahead = -here[striker, :2] / np.hypot(x, y)
        begins = here[striker, :2] - ahead * (board.striker_diameter_mm / 2 + TIP_BEHIND_MM)
        since, way = at * TICK_S, []
        for share in (-0.5, *np.linspace(0.0, 1.0, 9)):
            # Faster and faster, in touch all the way.
            px, py = begins + ahead * AGAIN_MM * max(0.0, share) ** 2
            way.append((since + share * 2.0 * AGAIN_MM / AGAIN_MM_S, (float(px), float(py), TIP_UP_MM)))
        return _Meddles(striker, tuple(way))
    return None


def _in_the_way(table: Table, plan: Plan, run: Run) -> _Meddles | None:
    """Where the first piece that still runs on the player's side of the board can be stopped; None if none does."""
    board = table.board
    for at in range(round(STOPS_S / TICK_S), len(run.poses) - 1):
        for number, name in enumerate(plan.names):
            here = run.poses[at, number, :3].astype(np.float64)
            way = (run.poses[at + 1, number, :3] - here) / TICK_S
            speed = float(np.hypot(way[0], way[1]))
            _, back = board_to_seat(plan.seat, float(here[0]), float(here[1]))
            on_board = here[2] > 0.0 and np.abs(here[:2]).max() < board.half_mm - 40.0
            if not on_board or speed < STOPS_MM_S or back < 0.0:
                continue
            x, y = here[:2] + way[:2] / speed * (board.radius_mm(name) + TIP_BEHIND_MM)
            clear = all(
                np.hypot(*(pose[:2] - (x, y))) > board.radius_mm(other) + TIP_BEHIND_MM
                for pose, other in zip(run.poses[at], plan.names, strict=True)
                if other != name or pose is not run.poses[at, number]
            )
            if clear and board.nearest_pocket(float(x), float(y))[1] > 100.0:
                there = (float(x), float(y), TIP_UP_MM)
                return _Meddles(number, ((STOPS_S - 0.05, there), (at * TICK_S + STAYS_S, there)))
    return None


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
