"""A table as MuJoCo draws it: meshes, textures, lamps with shadows; the straight picture before the lens.

Each picture is drawn anew only where something changed (what moved, and its shadows), which gives the same pixels as
drawing all of it. Needs an OpenGL without a screen: `MUJOCO_GL=egl` (set where
nothing else is) or `osmesa`.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from calibration.board import POCKETS
from tests.bench.second import paint
from tests.bench.second.lens import View
from tests.bench.second.physics import BOARD_MM, NET_MM, Poses, thickness_mm
from tests.bench.second.tables import Colour, Lamp, Table

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Box = tuple[int, int, int, int]
"""A part of the straight picture: x0, y0, x1, y1 in px, the last two outside."""

NEAR_M, FAR_M = 0.05, 6.0
FLOOR_MM = -150.0
ROOM_PX = 5
"""What changed is drawn with so much around it."""
MOVED_MM = 0.003
NO_HANDS = np.zeros((0, 9))


@dataclass(frozen=True)
class Size:
    """The straight picture: its size in px, and the slopes that it spans (left, right, top, bottom)."""

    width: int
    height: int
    window: tuple[float, float, float, float]


class Scene:
    """Draws pieces and hands on a table, as straight pictures (RGB as displayed)."""

    def __init__(self, table: Table, names: tuple[str, ...], view: View, finer: float = 1.0) -> None:
        self.table, self.names, self.view = table, names, view
        left, right, top, bottom = view.window
        scale = table.eye.focal_px * finer
        self.size = Size(round((right - left) * scale), round((bottom - top) * scale), view.window)
        self._model = mujoco.MjModel.from_xml_string(*_xml(table, names, self.size))
        self._stage = Stage(self._model, view, self.size, maxgeom=400)
        self._picture: Picture | None = None
        self._drawn: tuple[Poses, Floats] = (np.zeros((0, 7)), NO_HANDS)
        self._touched: list[Box] = []
        self._radii = np.array([np.hypot(table.board.radius_mm(n), thickness_mm(table, n)) for n in names])

    def draw(self, poses: Poses, hands: Floats = NO_HANDS) -> Picture:
        """Draws the pieces where they are, and hands as (N, 9) capsules. The picture may be overwritten by the next."""
        box = self._changed(poses, hands)
        if box is not None:
            data = self._stage.data
            data.mocap_pos[:] = poses[:, :3] / 1000.0
            data.mocap_quat[:] = poses[:, 3:]
            self._touched.append(box)
            part = self._stage.draw(box, [self._capsule(row) for row in hands])
            if self._picture is None:
                self._picture = part
            else:
                x0, y0, x1, y1 = box
                self._picture[y0:y1, x0:x1] = part
            self._drawn = (poses.copy(), hands.copy())
        assert self._picture is not None
        return self._picture

    def touched(self) -> list[Box]:
        """The boxes that were drawn anew since this was last asked."""
        boxes, self._touched = self._touched, []
        return boxes

    def _changed(self, poses: Poses, hands: Floats) -> Box | None:
        """The box (x0, y0, x1, y1) that holds all that is not as it was; None if nothing is."""
        if self._picture is None:
            return (0, 0, self.size.width, self.size.height)
        before, hands_before = self._drawn
        moved = np.abs(poses - before).max(axis=1) > MOVED_MM
        balls = [np.column_stack((some[moved, :3], self._radii[moved])) for some in (poses, before)]
        if hands.shape != hands_before.shape or np.abs(hands - hands_before).max(initial=0.0) > MOVED_MM:
            for some in (hands, hands_before):
                balls += [np.column_stack((some[:, at : at + 3], some[:, 6])) for at in (0, 3)]
        spots = np.concatenate(balls)
        if not len(spots):
            return None
        corners = [spots]
        for lamp in self.table.lamps:
            if lamp.shadow:
                for floor in (0.0, FLOOR_MM):
                    corners.append(_shadows(spots, lamp, floor))
        return self._box(np.concatenate(corners))

    def _box(self, spots: Floats) -> Box | None:
        seen = (spots[:, :3] - self.view.centre_mm) @ self.view.turn.T
        left, right, top, _ = self.size.window
        scale = self.size.width / (right - left)
        x, y = (seen[:, 0] / seen[:, 2] - left) * scale, (seen[:, 1] / seen[:, 2] - top) * scale
        reach = spots[:, 3] / seen[:, 2] * scale * 1.1 + ROOM_PX
        x0, y0 = max(int((x - reach).min()), 0), max(int((y - reach).min()), 0)
        x1, y1 = min(int((x + reach).max()) + 1, self.size.width), min(int((y + reach).max()) + 1, self.size.height)
        return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None

    def _capsule(self, row: Floats) -> tuple[Floats, Floats, float, Colour]:
        paints = (self.table.paint.skin, self.table.paint.sleeve)[int(row[7])]
        return row[:3] / 1000.0, row[3:6] / 1000.0, float(row[6]) / 1000.0, paints[int(row[8])]


class Stage:
    """A model on the graphics library, seen by a view: draws any box of the straight picture."""

    def __init__(self, model: mujoco.MjModel, view: View, size: Size, maxgeom: int) -> None:
        self._model, self._view, self._size = model, view, size
        self.data = mujoco.MjData(model)
        self._gl = mujoco.GLContext(size.width, size.height)
        self._gl.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._scene = mujoco.MjvScene(model, maxgeom=maxgeom)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_CULL_FACE] = 0
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = 0

    def draw(self, box: Box, capsules: list[tuple[Floats, Floats, float, Colour]]) -> Picture:
        """Draws a box (x0, y0, x1, y1) of the picture, with capsules (ends in m, radius in m, colour) besides."""
        self._gl.make_current()
        mujoco.mj_kinematics(self._model, self.data)
        mujoco.mj_camlight(self._model, self.data)
        mujoco.mjv_updateScene(
            self._model,
            self.data,
            mujoco.MjvOption(),
            None,
            mujoco.MjvCamera(),
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        for a, b, radius, colour in capsules:
            geom = self._scene.geoms[self._scene.ngeom]
            mujoco.mjv_initGeom(
                geom, mujoco.mjtGeom.mjGEOM_CAPSULE, np.zeros(3), np.zeros(3), np.zeros(9),
                np.array((*colour, 1.0), dtype=np.float32),
            )  # fmt: skip
            mujoco.mjv_connector(geom, mujoco.mjtGeom.mjGEOM_CAPSULE, radius, a, b)
            geom.category = mujoco.mjtCatBit.mjCAT_DYNAMIC
            geom.castshadow, geom.specular, geom.shininess = 1, 0.1, 0.1
            self._scene.ngeom += 1
        x0, y0, x1, y1 = box
        left, right, top, bottom = self._size.window
        across, down = (right - left) / self._size.width, (bottom - top) / self._size.height
        for camera in self._scene.camera:
            camera.pos[:] = self._view.centre_mm / 1000.0
            camera.forward[:], camera.up[:] = self._view.turn[2], -self._view.turn[1]
            camera.frustum_near, camera.frustum_far = NEAR_M, FAR_M
            camera.frustum_center = (left + across * (x0 + x1) / 2) * NEAR_M
            camera.frustum_width = across * (x1 - x0) / 2 * NEAR_M
            camera.frustum_top, camera.frustum_bottom = (-(top + down * y) * NEAR_M for y in (y0, y1))
        rect = mujoco.MjrRect(0, 0, x1 - x0, y1 - y0)
        mujoco.mjr_render(rect, self._scene, self._context)
        pixels = np.empty((y1 - y0, x1 - x0, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, rect, self._context)
        return pixels[::-1].copy()


def _shadows(spots: Floats, lamp: Lamp, floor_mm: float) -> Floats:
    """Where balls (x, y, z, radius) throw their shadows on a level, as balls."""
    at = np.array(lamp.at_mm)
    part = (at[2] - floor_mm) / np.maximum(at[2] - spots[:, 2], 1.0)
    thrown = at + (spots[:, :3] - at) * part[:, None]
    return np.column_stack((thrown, spots[:, 3] * part))


def lights(table: Table) -> str:
    """The lamps as MuJoCo's lights; the shares of a lamp and of the light from everywhere add up as displayed."""
    rows = []
    for lamp in table.lamps:
        at = np.array(lamp.at_mm) / 1000.0
        towards = -at / np.linalg.norm(at)
        rows.append(
            f'<light type="spot" pos="{at[0]} {at[1]} {at[2]}" dir="{towards[0]} {towards[1]} {towards[2]}" '
            f'cutoff="60" exponent="1" castshadow="{str(lamp.shadow).lower()}" ambient="0 0 0" specular=".1 .1 .1" '
            f'diffuse="{lamp.level[0]} {lamp.level[1]} {lamp.level[2]}"/>'
        )
    return "".join(rows)


def visual(table: Table, size: Size) -> str:
    """What MuJoCo is told about drawing: the buffer, smooth edges, shadows, the light from everywhere."""
    everywhere = table.ambient
    return (
        f'<visual><global offwidth="{size.width}" offheight="{size.height}"/>'
        f'<quality shadowsize="1024" offsamples="4"/><map shadowclip="1" shadowscale=".75" znear=".02" zfar="10"/>'
        f'<headlight ambient="{everywhere} {everywhere} {everywhere}" diffuse="0 0 0" specular="0 0 0"/></visual>'
        f'<statistic extent="1" center="0 0 0"/>'
    )


def png(picture: Picture) -> bytes:
    """A texture as MuJoCo reads it."""
    return bytes(cv2.imencode(".png", picture)[1])


def _xml(table: Table, names: tuple[str, ...], size: Size) -> tuple[str, dict[str, bytes]]:
    board, colours = table.board, table.paint
    rng = np.random.default_rng((table.seed, 23))
    files = {"surface.png": png(paint.surface(table))}
    frame = paint.wood(colours.frame, colours.grain * 1.5, (256, 1024), rng)
    files["frame.png"] = png((frame * 255).astype(np.uint8))
    meshes = [paint.surface_mesh(table).xml("surface"), paint.hole_mesh(table).xml("hole")]
    for name in ("white", "striker"):
        meshes.append(paint.piece_mesh(board.radius_mm(name), thickness_mm(table, name)).xml(name))
    looks = []
    for name in dict.fromkeys(names):
        files[f"{name}.png"] = png(paint.piece(table, name))
        shine = 0.5 if name == "striker" else 0.15
        looks.append(
            f'<texture name="{name}" type="2d" file="{name}.png"/>'
            f'<material name="{name}" texture="{name}" specular="{shine}" shininess="{shine}"/>'
        )
    tiles = (
        f'<texture name="floor" type="2d" builtin="{"checker" if table.paint.tiles else "flat"}" width="256" '
        f'height="256" rgb1="{_rgb(colours.floor)}" rgb2="{_rgb(colours.floor, 0.8)}"/>'
        f'<material name="floor" texture="floor" texrepeat="{rng.integers(8, 20)} {rng.integers(8, 20)}" specular="0"/>'
    )
    bodies = "".join(
        f'<body mocap="true"><geom type="mesh" mesh="{"striker" if name == "striker" else "white"}" '
        f'material="{name}" contype="0" conaffinity="0"/></body>'
        for name in names
    )
    text = f"""<mujoco>{visual(table, size)}
<asset><texture name="surface" type="2d" file="surface.png"/><texture name="frame" type="2d" file="frame.png"/>
<material name="surface" texture="surface" specular=".15" shininess=".4"/>
<material name="frame" texture="frame" specular=".2" shininess=".4"/>{"".join(looks)}{tiles}{"".join(meshes)}</asset>
<worldbody>{lights(table)}
<geom type="plane" size="3 3 1" pos="0 0 {FLOOR_MM / 1000}" material="floor"/>
<geom type="mesh" mesh="surface" material="surface" contype="0" conaffinity="0"/>
<geom type="mesh" mesh="hole" rgba="{_rgb(colours.wood, 0.4)} 1" contype="0" conaffinity="0"/>
{_frame(table)}{_nets(table)}{bodies}</worldbody></mujoco>"""
    return text, files


def _frame(table: Table) -> str:
    board = table.board
    half, w, h = board.half_mm / 1000.0, board.frame_width_mm / 2000.0, board.frame_height_mm / 1000.0
    down = 0.06
    rows = []
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        size = f"{w} {half} {(h + down) / 2}" if dx else f"{half + 2 * w} {w} {(h + down) / 2}"
        at = f"{dx * (half + w)} {dy * (half + w)} {(h - down) / 2}"
        rows.append(f'<geom type="box" size="{size}" pos="{at}" material="frame"/>')
    return "".join(rows)


def _nets(table: Table) -> str:
    wide, down, deep = NET_MM[0] / 1000.0, NET_MM[1] / 1000.0, BOARD_MM / 1000.0
    colour = _rgb(table.paint.net)
    rows = []
    for pocket in POCKETS:
        cx, cy = (value / 1000.0 for value in table.board.pockets_mm[pocket])
        rows.append(f'<geom type="box" size="{wide} {wide} .003" pos="{cx} {cy} {-down - 0.003}" rgba="{colour} 1"/>')
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            size = f".002 {wide} {(down - deep) / 2}" if dx else f"{wide} .002 {(down - deep) / 2}"
            at = f"{cx + dx * (wide + 0.002)} {cy + dy * (wide + 0.002)} {-(down + deep) / 2}"
            rows.append(f'<geom type="box" size="{size}" pos="{at}" rgba="{colour} 1"/>')
    return "".join(rows)


def _rgb(colour: Colour, darker: float = 1.0) -> str:
    return " ".join(f"{value * darker:.4f}" for value in colour)
