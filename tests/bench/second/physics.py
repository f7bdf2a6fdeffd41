"""The discs on their board, moved by MuJoCo: contacts, friction, pockets as holes, nets below them.

Pieces are cylinders with a free joint each. The surface is a plane with its own friction; near a pocket a piece meets
wedges around a real hole instead of it, so that it can lean over the edge, rattle, stand on edge or fall. Knows poses
and forces, neither pictures nor rules. Metres inside; what goes in and out is in mm and s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from calibration.board import POCKETS
from tests.bench.second.tables import Table

Poses = npt.NDArray[np.float64]
"""(N, 7): x, y, z in mm, and the turn as a quaternion (w, x, y, z)."""

STEP_S = 0.0002
KEPT_EVERY = 5
"""A pose is kept each millisecond."""
CONTACT_S = 0.002
"""So long a hit lasts: ten steps. Real ones are shorter; at 3 m/s pieces overlap by 2 mm for a moment."""
FLICK_S = 0.003
REST_MM = 0.12
CALM = 80
"""All is at rest once nothing has moved farther than this in so many kept poses: contacts tremble."""
LONGEST_S = 4.5
WEDGES = 32
AROUND_MM = 75.0
BOARD_MM = 9.0
NET_MM = (34.0, 120.0)
"""A net's half width and its depth below the surface."""
FALLEN_MM = 60.0
"""What is so deep is past every beam."""
AGAIN_S = 0.006
"""Two touches of the same pair nearer than this are one: a hit shakes."""


@dataclass(frozen=True)
class Touch:
    """The striker met a piece (its number) or a cushion (-1): when, where the striker was, where what it met."""

    t_s: float
    met: int
    centre_mm: tuple[float, float]
    at_mm: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Run:
    """What moved from `t_s` on, in steps of a millisecond: (T, N, 7); and what the striker met."""

    t_s: float
    poses: npt.NDArray[np.float32]
    touches: tuple[Touch, ...]

    @property
    def end_s(self) -> float:
        """When it was over."""
        return self.t_s + (len(self.poses) - 1) * STEP_S * KEPT_EVERY


class World:
    """A table's pieces. `names`: what each of them is, the striker last."""

    def __init__(self, table: Table, names: tuple[str, ...]) -> None:
        self.table, self.names = table, names
        self.model = mujoco.MjModel.from_xml_string(_xml(table, names))
        self._geoms = np.array([self.model.geom(f"piece{i}").id for i in range(len(names))])
        self._bodies = self.model.geom_bodyid[self._geoms]
        self._finger = self.model.geom("finger").id
        self._piece_of = {int(geom): number for number, geom in enumerate(self._geoms)}
        self._cushions = {self.model.geom(f"cushion{i}").id for i in range(4)}

    def run(
        self,
        poses: Poses,
        t_s: float,
        velocity_m_s: tuple[float, float] = (0.0, 0.0),
        finger_mm: Callable[[float], tuple[float, float, float] | None] | None = None,
        at_least_s: float = 0.0,
    ) -> Run:
        """Lets the pieces go from `poses` at a time until all is at rest.

        `velocity_m_s`: what the striker is flicked to, by a force of a few milliseconds. `finger_mm`: where a
        fingertip is at a time since then, that shoves what it meets; None when it is gone.
        """
        model, data = self.model, mujoco.MjData(self.model)
        data.qpos[:] = _to_qpos(poses)
        mujoco.mj_forward(model, data)
        striker = len(self.names) - 1
        body, mass = int(self._bodies[striker]), float(model.body_mass[self._bodies[striker]])
        push = np.array((*velocity_m_s, 0.0)) * mass * np.pi / (2.0 * FLICK_S)
        kept = [poses.astype(np.float32)]
        touches: list[Touch] = []
        latest: dict[int, float] = {}
        step = 0
        while step * STEP_S < LONGEST_S:
            now = step * STEP_S
            data.xfrc_applied[body, :3] = push * np.sin(np.pi * now / FLICK_S) if now < FLICK_S else 0.0
            if step % 10 == 0:
                self._near_pockets(data)
                self._point(data, finger_mm(now) if finger_mm is not None else None)
            mujoco.mj_step(model, data)
            step += 1
            self._feel(data, t_s + step * STEP_S, touches, latest)
            if step % KEPT_EVERY == 0:
                kept.append(_to_poses(data.qpos).astype(np.float32))
                if now > at_least_s + CALM * KEPT_EVERY * STEP_S and _at_rest(kept):
                    break
        return Run(t_s, np.array(kept), tuple(touches))

    def _near_pockets(self, data: mujoco.MjData) -> None:
        """Pieces about a pocket lie on the wedges around its hole, all others on the plane."""
        board = self.table.board
        places = data.xpos[self._bodies, :2] * 1000.0
        for number, geom in enumerate(self._geoms):
            away = board.nearest_pocket(*places[number])[1]
            near = away < board.pocket_radius_mm + board.radius_mm(self.names[number]) + 4.0
            self.model.geom_contype[geom] = (2 if near else 1) | 4 | 8

    def _point(self, data: mujoco.MjData, at_mm: tuple[float, float, float] | None) -> None:
        self.model.geom_conaffinity[self._finger] = 0 if at_mm is None else 4
        data.mocap_pos[0] = (0.0, 0.0, 1.0) if at_mm is None else np.array(at_mm) / 1000.0

    def _feel(self, data: mujoco.MjData, t_s: float, touches: list[Touch], latest: dict[int, float]) -> None:
        striker = len(self.names) - 1
        mine = int(self._geoms[striker])
        pairs = data.contact.geom
        for row in np.flatnonzero((pairs == mine).any(axis=1)):
            other = int(pairs[row, 0] if pairs[row, 1] == mine else pairs[row, 1])
            met = self._piece_of.get(other, -1 if other in self._cushions else -2)
            if met == -2 or data.contact.dist[row] > 0.0:
                continue
            centre = data.xpos[self._bodies[striker], :2] * 1000.0
            if t_s - latest.get(met, -1.0) > AGAIN_S and data.xpos[self._bodies[striker], 2] > 0.0:
                at = data.contact.pos[row, :2] * 1000.0 if met < 0 else data.xpos[self._bodies[met], :2] * 1000.0
                touches.append(Touch(t_s, met, (float(centre[0]), float(centre[1])), (float(at[0]), float(at[1]))))
            latest[met] = t_s


def _at_rest(kept: list[npt.NDArray[np.float32]]) -> bool:
    """Whether nothing has moved lately but what rolls about in a net."""
    seen = kept[-1][:, 2] > -FALLEN_MM
    moved = np.abs(kept[-1][seen, :3] - kept[-1 - CALM][seen, :3])
    return bool(moved.max(initial=0.0) < REST_MM)


def lying(table: Table, names: tuple[str, ...], places_mm: list[tuple[float, float]]) -> Poses:
    """The poses of pieces that lie flat at some places."""
    poses = np.zeros((len(names), 7))
    for row, (name, at) in enumerate(zip(names, places_mm, strict=True)):
        poses[row] = (*at, thickness_mm(table, name) / 2.0, 1.0, 0.0, 0.0, 0.0)
    return poses


def thickness_mm(table: Table, name: str) -> float:
    """How thick a piece is."""
    return table.board.striker_thickness_mm if name == "striker" else table.board.coin_thickness_mm


def measured(table: Table) -> dict[str, float]:
    """What friction and restitution come out: a striker that slides alone, one that hits a coin, one a cushion."""
    world = World(table, ("white", "striker"))
    alone = world.run(lying(table, world.names, [(300.0, 300.0), (-200.0, 0.0)]), 0.0, (0.9, 0.0))
    x = alone.poses[10:110, 1, 0] / 1000.0
    slowed = -2.0 * np.polyfit(np.arange(100) * 0.001, x, 2)[0]
    hit = world.run(lying(table, world.names, [(0.0, 0.0), (-100.0, 0.0)]), 0.0, (1.2, 0.0)).poses[:, :, 0]
    wall = world.run(lying(table, world.names, [(0.0, 300.0), (250.0, 0.0)]), 0.0, (1.2, 0.0)).poses[:, 1, 0]
    meets = int(np.argmax(hit[:, 0] > hit[0, 0] + 0.05))
    before = _speed(hit[:, 1], meets - 12)
    after = _speed(hit[:, 0], meets + 14) - _speed(hit[:, 1], meets + 14)
    turns = int(np.argmax(wall))
    return {
        "friction": float(slowed / 9.81),
        "restitution_pieces": float(after / before),
        "restitution_cushion": float(-_speed(wall, turns + 12) / _speed(wall, turns - 12)),
    }


def _speed(x_mm: npt.NDArray[np.float32], at: int) -> float:
    return float(x_mm[at + 4] - x_mm[at - 4]) / 0.008


def _to_qpos(poses: Poses) -> npt.NDArray[np.float64]:
    qpos = poses.copy()
    qpos[:, :3] /= 1000.0
    return qpos.ravel()


def _to_poses(qpos: npt.NDArray[np.float64]) -> Poses:
    poses = qpos.reshape(-1, 7).copy()
    poses[:, :3] *= 1000.0
    return poses


def _spring(gives_back: float) -> str:
    """The contact that lasts `CONTACT_S` and gives back so much of the speed, as MuJoCo's direct `solref`."""
    log = -np.log(gives_back)
    damping = log / np.hypot(np.pi, log)
    rate = np.pi / CONTACT_S
    return f"{-(rate**2):.1f} {-2.0 * damping * rate:.2f}"


def _xml(table: Table, names: tuple[str, ...]) -> str:
    board, matter = table.board, table.matter
    half, deep = board.half_mm / 1000.0, BOARD_MM / 1000.0
    assets, geoms = [], []
    for pocket in POCKETS:
        for number, corners in enumerate(wedges(table, pocket)):
            points = [(x, y, z) for z in (0.0, -BOARD_MM) for x, y in corners]
            vertices = " ".join(f"{value / 1000.0:.6f}" for point in points for value in point)
            assets.append(f'<mesh name="{pocket}{number}" vertex="{vertices}"/>')
            geoms.append(f'<geom class="wedge" type="mesh" mesh="{pocket}{number}"/>')
        cx, cy = (value / 1000.0 for value in board.pockets_mm[pocket])
        wide, down = NET_MM[0] / 1000.0, NET_MM[1] / 1000.0
        geoms.append(f'<geom class="net" size="{wide} {wide} .005" pos="{cx} {cy} {-down - 0.005}"/>')
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            size = f".005 {wide} {down / 2}" if dx else f"{wide} .005 {down / 2}"
            at = f"{cx + dx * (wide + 0.005)} {cy + dy * (wide + 0.005)} {-down / 2 - deep - 0.001}"
            geoms.append(f'<geom class="net" size="{size}" pos="{at}"/>')
    for number, (dx, dy) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        w = board.frame_width_mm / 2000.0
        h = board.frame_height_mm / 1000.0
        size = f"{w} {half + 2 * w} {(h + deep) / 2}" if dx else f"{half + 2 * w} {w} {(h + deep) / 2}"
        at = f"{dx * (half + w)} {dy * (half + w)} {(h - deep) / 2}"
        geoms.append(f'<geom class="cushion" name="cushion{number}" size="{size}" pos="{at}"/>')
    bodies = []
    for number, name in enumerate(names):
        radius, thick = board.radius_mm(name) / 1000.0, thickness_mm(table, name) / 2000.0
        mass = (matter.striker_g if name == "striker" else matter.coin_g) / 1000.0
        bodies.append(
            f'<body pos="0 0 {number}"><freejoint/>'
            f'<geom class="piece" name="piece{number}" size="{radius} {thick}" mass="{mass}"/></body>'
        )
    return f"""<mujoco>
<option timestep="{STEP_S}" cone="elliptic" impratio="5" integrator="implicitfast" iterations="30">
  <flag sleep="enable"/></option>
<size memory="64M"/>
<default>
  <geom solimp="0.98 0.98 0.001"/>
  <default class="piece"><geom type="cylinder" contype="13" conaffinity="8" condim="3"
    friction="{matter.between} .001 .0001" solref="{_spring(matter.springs[0])}"/></default>
  <default class="cushion"><geom type="box" contype="0" conaffinity="4" priority="1" condim="3"
    friction="{matter.between} .001 .0001" solref="{_spring(matter.springs[1])}"/></default>
  <default class="wedge"><geom contype="0" conaffinity="2" priority="2" condim="3"
    friction="{matter.surface} .001 .0001" solref=".002 1"/></default>
  <default class="net"><geom type="box" contype="0" conaffinity="4" priority="3" condim="4"
    friction=".8 .01 .001" solref=".006 1.2"/></default>
</default>
<asset>{"".join(assets)}</asset>
<worldbody>
<geom name="surface" type="plane" size="2 2 1" contype="0" conaffinity="1" priority="2" condim="3"
  friction="{matter.surface} .001 .0001" solref=".002 1"/>
{"".join(geoms)}
<body name="finger" mocap="true" pos="0 0 1"><geom name="finger" type="sphere" size=".008" contype="0" conaffinity="4"
  priority="4" condim="3" friction=".4 .001 .0001" solref=".004 1"/></body>
{"".join(bodies)}
</worldbody></mujoco>"""


def wedges(table: Table, pocket: str) -> list[list[tuple[float, float]]]:
    """The surface about a pocket's hole in convex pieces: four corners each, in mm, from the circle to a square."""
    board = table.board
    cx, cy = board.pockets_mm[pocket]
    reach_x = (-AROUND_MM, board.half_mm - cx) if cx > 0 else (-board.half_mm - cx, AROUND_MM)
    reach_y = (-AROUND_MM, board.half_mm - cy) if cy > 0 else (-board.half_mm - cy, AROUND_MM)
    # Chords that are as often inside the circle as outside it.
    radius = board.pocket_radius_mm * (1.0 + (np.pi / WEDGES) ** 2 / 6.0)

    def out(turn: float) -> tuple[float, float]:
        dx, dy = np.cos(turn), np.sin(turn)
        far_x = (reach_x[1] if dx > 0 else -reach_x[0]) / max(abs(dx), 1e-9)
        far_y = (reach_y[1] if dy > 0 else -reach_y[0]) / max(abs(dy), 1e-9)
        far = max(min(far_x, far_y), radius + 0.05)
        return (cx + far * dx, cy + far * dy)

    corners = [np.arctan2(y, x) for x in reach_x for y in reach_y]
    turns = sorted({*np.linspace(-np.pi, np.pi, WEDGES + 1)[:-1].tolist(), *(float(turn) for turn in corners)})
    pieces = []
    for a, b in zip(turns, [*turns[1:], turns[0] + 2.0 * np.pi], strict=True):
        near = [(cx + radius * float(np.cos(t)), cy + radius * float(np.sin(t))) for t in (a, b)]
        pieces.append([near[0], out(a), out(b), near[1]])
    return pieces
