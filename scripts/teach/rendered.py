"""Path-traced boards for the finder's nets: turned coins, lacquer, lamps and shadows as light makes them.

`python -m scripts.teach.rendered OUT FIRST COUNT` writes one file a look, as `.boards` does: woods, paint and sets at
random as there, every lamp, size and roundness its own. Needs Blender as a module (`bpy`), which nothing else does.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import bpy
import cv2
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from calibration.board import DEFAULT_BOARD
from controller.simulator.lens import Lens, View
from controller.simulator.looks import Look
from controller.simulator.marks import painted_wood
from controller.simulator.motion import Pose
from controller.simulator.pieces import STRIKER, PieceSet, opening
from controller.simulator.sprites import FACE_MARGIN, top_face
from controller.simulator.stills import random_position
from controller.vision.finding.flat import flat_for
from controller.vision.looks import Looks
from scripts.teach.boards import KINDS, SEATS, Picture, Rng, SeenBy, another_day, random_look, write_looks

STILLS = 6
SAMPLES = 6
UNIT_MM = 100.0
"""So long is one of the scene's units: path tracers are at home between centimetres and kilometres."""
TEXELS_PER_MM = 2.0
ROUND = 64
"""Corners of what is round."""


def draw(seed: int) -> dict[str, Any]:
    """One look's pictures laid flat and their truth, as `boards.draw` gives them."""
    rng = np.random.default_rng(seed)
    look = random_look(rng)
    side = int(rng.integers(600, 760))
    focal = float(rng.uniform(0.84, 0.97)) * side * look.rig.mount.height_mm / 760.0
    lens = Lens(side, side, focal, 1.0, ((side - 1) / 2, (side - 1) / 2))
    view = View.hang(lens, replace(look.rig.mount, tilt_deg=min(look.rig.mount.tilt_deg, 12.0)))
    _begin(view)
    _build_board(look, rng)
    pieces = {name: _build_piece(look, name, rng) for name in look.pieces.names}
    _hang_lamps(rng)
    model: Any = SeenBy(view, rng.normal(0, 0.12, 2), (side, side))
    diameter = look.pieces.coin_diameter_mm + float(rng.normal(0, 0.15))
    looks = Looks(
        coin_diameter_mm=diameter, coin_thickness_mm=look.pieces.coin_thickness_mm + float(rng.normal(0, 0.25))
    )
    flat = flat_for(model, looks)
    bare = _rendered(pieces, {})
    exposure = float(rng.uniform(0.1, 0.42)) / max(float(np.median(bare)), 1e-6)
    empty = flat.lay(another_day(rng, _developed(bare, exposure), much=True))
    flats, truths = [], []
    for k in range(STILLS):
        lying = (
            opening(look.pieces, rng, float(rng.uniform(0, 60)))
            if k == 0
            else random_position(rng, look.pieces, striker=SEATS[int(rng.integers(4))] if rng.random() < 0.75 else None)
        )
        flats.append(flat.lay(another_day(rng, _developed(_rendered(pieces, lying), exposure), much=False)))
        truths.append(_truths(lying, look.pieces, view, flat.z_mm))
    flat_for.cache_clear()
    return {
        "flats": np.stack(flats),
        "empty": empty,
        "truths": truths,
        "board": flat.board,
        "scale": flat.scale,
        "side": flat.side,
        "centre_mm": np.asarray(view.centre),
        "coin_mm": diameter,
        "striker_mm": look.pieces.striker_diameter_mm,
    }


def _truths(lying: dict[int, Pose], pieces: PieceSet, view: View, z_mm: float) -> npt.NDArray[np.float64]:
    """Each piece's top, as it lies on the grid's plane."""
    found = []
    for name, pose in lying.items():
        share = (view.centre[2] - z_mm) / (view.centre[2] - pieces.thickness(name))
        x, y = view.centre[:2] + (np.array((pose.x_mm, pose.y_mm)) - view.centre[:2]) * share
        found.append((KINDS.index(pieces.piece(name)), x, y, 1.0))
    return np.array(found, dtype=np.float64).reshape(-1, 4)


# -- the scene


def _begin(view: View) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene, lens = bpy.context.scene, view.lens
    scene.render.engine = "CYCLES"
    scene.cycles.samples = SAMPLES
    scene.cycles.use_denoising = True
    scene.cycles.denoising_quality, scene.cycles.denoising_prefilter = "FAST", "NONE"
    scene.cycles.max_bounces = 2
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    scene.render.use_persistent_data = True
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = (
        lens.width,
        lens.height,
        100,
    )
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_depth = "16"
    # Light as it is, far below white: exposure is chosen afterwards.
    scene.view_settings.view_transform = "Raw"
    camera = bpy.data.cameras.new("camera")
    camera.sensor_fit, camera.sensor_width = "HORIZONTAL", 36.0
    camera.lens = lens.focal_px * 36.0 / lens.width
    holder = bpy.data.objects.new("camera", camera)
    # Blender's cameras look along -z, with y up.
    turn = view.turn.T @ np.diag((1.0, -1.0, -1.0))
    at = np.eye(4)
    at[:3, :3], at[:3, 3] = turn, view.centre / UNIT_MM
    holder.matrix_world = Matrix(at.tolist())
    scene.collection.objects.link(holder)
    scene.camera = holder


def _build_board(look: Look, rng: Rng) -> None:
    half = DEFAULT_BOARD.half_mm
    n = round(2 * half * TEXELS_PER_MM)
    axis = ((np.arange(n) + 0.5) / TEXELS_PER_MM - half).astype(np.float32)
    points = np.stack(np.meshgrid(axis, axis), -1)
    wood = painted_wood(points, look.board, rng, TEXELS_PER_MM, DEFAULT_BOARD)
    gloss = float(rng.uniform(0.0, 1.0))
    lacquer = _material(_image(wood), float(rng.uniform(0.2, 0.7)), gloss, float(rng.uniform(0.02, 0.35)))
    _box("board", (0.0, 0.0, -5.0), (half, half, 5.0), lacquer)
    wide, high = float(rng.uniform(30, 70)), float(rng.uniform(12, 28))
    frame = _material(_flat_colour(look.board.frame), float(rng.uniform(0.2, 0.7)), float(rng.uniform(0, 1)), 0.1)
    for sx, sy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        far = half + wide / 2
        size = (wide / 2 if sx else half + wide, wide / 2 if sy else half + wide, high / 2)
        _box("frame", (sx * far, sy * far, high / 2), size, frame)
    _box("around", (0.0, 0.0, -60.0), (2500.0, 2500.0, 5.0), _material(_flat_colour(look.board.around), 0.7, 0.0, 0.1))
    hole = _material(_flat_colour(look.board.pocket), 0.9, 0.0, 0.1)
    for x, y in DEFAULT_BOARD.pockets_mm.values():
        _turned("pocket", [(0.0, 0.15), (DEFAULT_BOARD.pocket_radius_mm, 0.15)], hole).location = (
            x / UNIT_MM,
            y / UNIT_MM,
            0,
        )


def _build_piece(look: Look, name: int, rng: Rng) -> Any:
    pieces, kind = look.pieces, look.pieces.piece(name)
    # A set is turned alike: what is drawn here for one piece holds for its class.
    mine = np.random.default_rng((KINDS.index(kind), round(look.coins.rings * 1e6)))
    radius, high = pieces.radius(name), pieces.thickness(name)
    bend = float(mine.uniform(0.3, 1.2) if name == STRIKER else mine.uniform(0.4, 2.6))
    side = [(0.0, 0.0), (radius - bend, 0.0)]
    side += [(radius - bend + bend * sin(a), bend - bend * cos(a)) for a in np.linspace(0.3, pi / 2, 4)]
    side += [(radius - bend + bend * cos(a), high - bend + bend * sin(a)) for a in np.linspace(0.0, pi / 2, 5)]
    inner = radius - bend
    if name != STRIKER:
        for at in sorted(look.coins.grooves, reverse=True):
            deep, wide = float(mine.uniform(0.1, 0.7)), float(mine.uniform(0.4, 1.3))
            if inner - 0.3 > at * radius + wide and at * radius > wide:
                side += [(at * radius + wide, high), (at * radius, high - deep), (at * radius - wide, high)]
                inner = at * radius - wide
    side.append((0.0, high + float(mine.uniform(-0.4, 0.2)) * (name != STRIKER)))
    face = top_face(look.coins, kind, name if name != STRIKER else STRIKER, 256)
    rough, coat = float(mine.uniform(0.15, 0.7)), float(mine.uniform(0, 0.8)) * float(mine.random() < 0.6)
    made = _turned(str(name), side, _material(_image(face), rough, coat, float(mine.uniform(0.03, 0.3))), radius)
    made.rotation_euler = (0.0, 0.0, float(rng.uniform(0, 2 * pi)))
    return made


def _hang_lamps(rng: Rng) -> None:
    world = bpy.data.worlds.new("room")
    bpy.context.scene.world = world
    world.use_nodes = True
    room = world.node_tree.nodes["Background"]
    room.inputs[0].default_value = (*_tinted(rng), 1.0)
    room.inputs[1].default_value = float(np.exp(rng.uniform(np.log(0.004), np.log(0.06))))
    for k in range(int(rng.integers(1, 4))):
        turn = float(rng.uniform(0, 2 * pi))
        sort = rng.random()
        if sort < 0.5:
            far, high = abs(float(rng.normal(0, 350))), float(rng.uniform(700, 2200))
            size = rng.uniform(80, 700, 2)
        elif sort < 0.75:
            far, high = float(rng.uniform(0, 700)), float(rng.uniform(700, 2200))
            size = np.array((rng.uniform(20, 60), rng.uniform(500, 1500)))
        else:
            far, high = float(rng.uniform(800, 2500)), float(rng.uniform(350, 1400))
            size = rng.uniform(150, 1500, 2)
        at = np.array((far * cos(turn), far * sin(turn), high))
        lamp = bpy.data.lights.new("lamp", "AREA")
        lamp.shape, lamp.size, lamp.size_y = "RECTANGLE", size[0] / UNIT_MM, size[1] / UNIT_MM
        distance = float(np.linalg.norm(at)) / UNIT_MM
        # How much of its light reaches the middle of the board.
        wanted = 1.0 if k == 0 else float(rng.uniform(0.05, 0.8))
        lamp.energy = 0.25 * wanted * pi * distance**2 / max(high / (distance * UNIT_MM), 0.15)
        lamp.color = _tinted(rng)
        holder = bpy.data.objects.new("lamp", lamp)
        aim = Vector((*(rng.normal(0, 60, 2) / UNIT_MM), 0.0)) - Vector(at / UNIT_MM)
        holder.location = Vector(at / UNIT_MM)
        holder.rotation_euler = aim.to_track_quat("-Z", "Y").to_euler()
        bpy.context.scene.collection.objects.link(holder)


def _tinted(rng: Rng) -> tuple[float, float, float]:
    warm = float(rng.uniform(-0.25, 0.35))
    return 1.0, 1.0 - 0.35 * abs(warm), 1.0 - warm


# -- meshes and materials


def _turned(name: str, profile: list[tuple[float, float]], material: Any, radius_mm: float = 1.0) -> Any:
    """What a lathe makes of a profile of radius and height in mm, its face's picture seen from above."""
    corners, faces = [], []
    angles = np.arange(ROUND) * 2 * pi / ROUND
    for r, z in profile:
        corners += [(r * cos(a) / UNIT_MM, r * sin(a) / UNIT_MM, z / UNIT_MM) for a in angles]
    for ring in range(len(profile) - 1):
        for k in range(ROUND):
            a, b = ring * ROUND + k, ring * ROUND + (k + 1) % ROUND
            faces.append((a, b, b + ROUND, a + ROUND))
    return _mesh(name, corners, faces, material, 2 * radius_mm * FACE_MARGIN, smooth=True)


def _box(name: str, at_mm: tuple[float, float, float], half_mm: tuple[float, float, float], material: Any) -> None:
    signs = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
    corners = [tuple((a + s * h) / UNIT_MM for a, s, h in zip(at_mm, sign, half_mm, strict=True)) for sign in signs]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    _mesh(name, corners, faces, material, 2 * half_mm[0], smooth=False)


def _mesh(name: str, corners: list[Any], faces: list[Any], material: Any, picture_mm: float, *, smooth: bool) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    mesh.update()
    layer = mesh.uv_layers.new(name="above")
    at = np.array([corners[loop.vertex_index][:2] for loop in mesh.loops]) * UNIT_MM / picture_mm + 0.5
    layer.data.foreach_set("uv", at.astype(np.float32).ravel())
    mesh.polygons.foreach_set("use_smooth", [smooth] * len(mesh.polygons))
    mesh.materials.append(material)
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    return made


def _image(colour: npt.NDArray[np.float32]) -> Any:
    """A picture of linear reflectances, its first row at the bottom."""
    h, w = colour.shape[:2]
    image = bpy.data.images.new("painted", w, h, float_buffer=True)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.ones((h, w, 4), dtype=np.float32)
    pixels[..., :3] = np.clip(colour[..., ::-1], 0.0, 0.9)
    image.pixels.foreach_set(pixels.ravel())
    return image


def _flat_colour(colour: tuple[float, float, float]) -> Any:
    linear = (np.array(colour[::-1]) / 255.0) ** 2.2
    return _image(np.broadcast_to(linear.astype(np.float32), (2, 2, 3)))


def _material(image: Any, roughness: float, coat: float, coat_roughness: float) -> Any:
    material = bpy.data.materials.new("made")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    skin = nodes["Principled BSDF"]
    painted = nodes.new("ShaderNodeTexImage")
    painted.image = image
    links.new(painted.outputs["Color"], skin.inputs["Base Color"])
    skin.inputs["Roughness"].default_value = roughness
    skin.inputs["Coat Weight"].default_value = coat
    skin.inputs["Coat Roughness"].default_value = coat_roughness
    return material


# -- the pictures


def _rendered(pieces: dict[int, Any], lying: dict[int, Pose]) -> npt.NDArray[np.float32]:
    """Linear light, (h, w, 3) blue-green-red, of the board with what lies on it."""
    for name, made in pieces.items():
        made.hide_render = name not in lying
        if name in lying:
            pose = lying[name]
            made.location = (pose.x_mm / UNIT_MM, pose.y_mm / UNIT_MM, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.png"
        bpy.context.scene.render.filepath = str(path)
        bpy.ops.render.render(write_still=True)
        made_of = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    assert made_of is not None
    return made_of[..., :3].astype(np.float32) / np.float32(65535.0)


def _developed(light: npt.NDArray[np.float32], exposure: float) -> Picture:
    exposed = np.clip(light * np.float32(exposure), 0.0, 1.0)
    grey = np.where(exposed <= 0.0031308, exposed * 12.92, 1.055 * exposed ** (1 / 2.4) - 0.055)
    return np.asarray(grey * 255.0 + 0.5, dtype=np.uint8)


if __name__ == "__main__":
    write_looks(draw)
