"""Simulated tables for calibrating: any wood, paint, lamp and set, and on most of them what makes a board hard to find.

A maker's name, artwork about the middle, stains, tiles and patterned cloth below the board, a lamp from one side, soft
shadows, glare, powder and worn lines. The camera hangs as an umpire's does: it sees the whole board, hardly slanting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import DEFAULT_BOARD, Board
from calibration.camera import CameraModel
from controller.simulator.camera import Camera
from controller.simulator.lens import Lens, Mount, View
from controller.simulator.looks import Look, Rig, on_board
from controller.simulator.marks import lamp_shade, linear
from controller.simulator.motion import Pose
from controller.simulator.pieces import opening
from controller.simulator.stills import charuco_view, still
from scripts.teach.boards import random_look
from scripts.teach.traced.artwork import adorn

Rng = np.random.Generator
Picture = npt.NDArray[np.uint8]
Linear = npt.NDArray[np.float32]

SIZES = ((1280, 720), (1280, 720), (1280, 960), (1456, 1088), (1920, 1080))
MOST_TILT_DEG, MOST_ROLL_DEG = 15.0, 12.0
MARGIN_PX = 6.0
"""The playing surface lies at least so far within the picture; its frame may reach out."""

TEXELS_PER_MM = 2.0
CLOTHED, SHADED, SIDEWAYS = 0.7, 0.4, 0.4
"""How often the floor has a pattern, something throws a soft shadow, and the light falls off to one side."""
LENS_VIEWS = 10
LEAST_SEEN = 15.0
"""Between the wood's colour and the lines', in CIE Lab: fainter paint is made out only by who looks for it."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a table is calibrated from, the edge at which its south seat sits, and the view that should be found.

    `shows`: the picture (BGR) in which some pieces lie there.
    """

    look: Look
    lens: tuple[Picture, ...]
    empty: Picture
    opening: Picture
    south: str
    view: View
    tilt_deg: float
    shows: Callable[[dict[int, Pose]], Picture]

    @property
    def model(self) -> CameraModel:
        """The camera as it truly is; the lenses drawn here are no richer than what is fitted."""
        lens, view = self.view.lens, self.view
        (x, y), (k1, k2, k3, *_) = lens.centre_px, lens.radial
        matrix = np.array(((lens.focal_px, 0.0, x), (0.0, lens.focal_px * lens.aspect, y), (0.0, 0.0, 1.0)))
        dist = np.array((k1, k2, 0.0, 0.0, k3))
        return CameraModel(matrix, dist, view.turn, -view.turn @ view.centre, (lens.width, lens.height))


def draw(seed: int, lens_views: int = LENS_VIEWS, board: Board = DEFAULT_BOARD) -> Drawn:
    """One table's pictures; the same seed gives the same, with however many `lens_views`."""
    rng = np.random.default_rng(seed)
    look = random_look(rng)
    while not _lines_seen(look):
        look = random_look(rng)
    if board is not DEFAULT_BOARD:
        look = on_board(look, board)
    rig, tilt = _umpires_camera(look.rig, board, rng)
    look = replace(look, rig=rig)
    camera = Camera(look, seed)
    world = _world(look, camera.view, rng)

    def shows(lying: dict[int, Pose]) -> Picture:
        pieces = _hidden_by(look, camera.view, lying)
        return _compressed(world.over(still(camera, lying).picture, pieces), rig.jpeg)

    empty, racked = shows({}), shows(opening(look.pieces, rng, float(rng.uniform(0, 60))))
    lens = tuple(charuco_view(look, rng) for _ in range(lens_views))
    return Drawn(look, lens, empty, racked, _south(camera.view), camera.view, tilt, shows)


def _lines_seen(look: Look) -> bool:
    """Whether a person sees the lines on the wood; nobody plays on black lines in black lacquer."""
    patches = np.array([[look.board.wood[::-1], look.board.lines[::-1]]], dtype=np.float32) / np.float32(255.0)
    wood, lines = cv2.cvtColor(patches, cv2.COLOR_BGR2LAB)[0]
    return float(np.linalg.norm(wood - lines)) >= LEAST_SEEN


def _umpires_camera(rig: Rig, board: Board, rng: Rng) -> tuple[Rig, float]:
    """A lens and a stand from which the whole playing surface is seen."""
    width, height = SIZES[int(rng.integers(len(SIZES)))]
    half = board.half_mm
    square = np.array(((-1, 1, 0), (1, 1, 0), (1, -1, 0), (-1, -1, 0))) * half
    while True:
        above = float(rng.uniform(750, 1500))
        focal = float(rng.uniform(0.78, 1.0)) * height / (2 * half) * above
        # A lens that bends more than this in its corners shows no picture there.
        corner2 = (width**2 + height**2) / (2.0 * focal) ** 2
        barrel = float(np.clip(rng.uniform(-0.22, 0.04), -0.22 / corner2, 0.04))
        tilt = float(min(abs(rng.normal(0, 5)), MOST_TILT_DEG))
        turned = float(rng.choice((0.0, 90.0, 180.0, 270.0)) + np.clip(rng.normal(0, 4), -1, 1) * MOST_ROLL_DEG / 2)
        middle = (width / 2 + float(rng.normal(0, 6)), height / 2 + float(rng.normal(0, 6)))
        lens = Lens(width, height, focal, float(rng.normal(1.0, 0.001)), middle, (barrel, 0.01, 0.0, 0.0, 0.0, 0.0))
        over = (float(rng.normal(0, 15)), float(rng.normal(0, 15)))
        mount = Mount(above, over, tilt, float(rng.uniform(0, 360)), turned)
        px = View.hang(lens, mount).project(square)
        if (px > MARGIN_PX).all() and (px < np.array((width, height)) - MARGIN_PX).all():
            return replace(rig, lens=lens, mount=mount), tilt


def _south(view: View) -> str:
    middle, seat = view.project(np.array(((0.0, 0.0, 0.0), (0.0, -200.0, 0.0))))
    dx, dy = seat - middle
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "bottom" if dy > 0 else "top"


def _hidden_by(look: Look, view: View, lying: dict[int, Pose]) -> Linear:
    mask = np.zeros((view.lens.height, view.lens.width), dtype=np.uint8)
    turn = np.arange(0, 2 * np.pi, 0.15)
    for name, pose in lying.items():
        radius = look.pieces.radius(name)
        for high in (0.0, look.pieces.thickness(name)):
            x, y = pose.x_mm + radius * np.cos(turn), pose.y_mm + radius * np.sin(turn)
            px = view.project(np.stack((x, y, np.full(len(turn), high)), 1))
            cv2.fillPoly(mask, [np.rint(px * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return mask.astype(np.float32) / np.float32(255.0)


@dataclass(frozen=True, eq=False)
class World:
    """What is laid over a simulated picture, linear: what is printed (`keep`, `ink`) and the light (`lit`)."""

    keep: Linear
    ink: Linear
    lit: Linear

    def over(self, picture: Picture, pieces: Linear) -> Picture:
        """The same picture of that world; `pieces` (h, w): where pieces hide what is printed."""
        light = (picture.astype(np.float32) / np.float32(255.0)) ** np.float32(2.2)
        printed = light * self.keep + self.ink
        printed += pieces[..., None] * (light - printed)
        shown = np.clip(printed * self.lit, 0.0, 1.0) ** np.float32(1 / 2.2)
        return np.asarray(shown * 255.0 + 0.5, dtype=np.uint8)


def _world(look: Look, view: View, rng: Rng) -> World:
    ground = view.ground(1.0)
    board = look.pieces.board
    n = round(2 * board.half_mm * TEXELS_PER_MM)
    state = rng.bit_generator.state
    ink = adorn(np.zeros((n, n, 3), dtype=np.float32), TEXELS_PER_MM, rng)
    # What is printed lets so much through: the same prints on white say it.
    rng.bit_generator.state = state
    keep = adorn(np.ones((n, n, 3), dtype=np.float32), TEXELS_PER_MM, rng) - ink
    at = ((ground * (1, -1) + board.half_mm) * TEXELS_PER_MM - 0.5).astype(np.float32)
    shade = lamp_shade(ground, look.light)[..., None] * (linear(look.light.colour) * look.light.level)
    seen_keep = cv2.remap(keep, at, None, cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT, borderValue=(1, 1, 1))
    seen_ink = cv2.remap(ink, at, None, cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT)
    lit = _light(ground.shape[:2], rng) * _floor(ground, board, rng)
    return World(seen_keep, seen_ink * shade, lit.astype(np.float32))


def _floor(ground: Linear, board: Board, rng: Rng) -> Linear:
    """How much lighter or darker tiles, stripes or patches make what lies outside the frame: (h, w, 3)."""
    factor = np.ones((*ground.shape[:2], 3), dtype=np.float32)
    sort, step = rng.random() / CLOTHED, float(rng.uniform(12, 140))
    other, turn = rng.uniform(0.3, 2.2, 3).astype(np.float32), float(rng.uniform(0, np.pi))
    along = ground[..., 0] * np.cos(turn) + ground[..., 1] * np.sin(turn)
    across = ground[..., 1] * np.cos(turn) - ground[..., 0] * np.sin(turn)
    rows, columns = np.floor(along / step), np.floor(across / step)
    if sort < 0.3:
        where = (along % step < 6.0) | (across % step < 6.0)
    elif sort < 0.6:
        where = (rows + columns) % 2 == 0
    elif sort < 0.8:
        where = rows % 2 == 0
    elif sort < 1.0:
        where = np.sin(rows * 12.9898 + columns * 78.233) * 43758.5 % 1.0 < 0.35
    else:
        return factor
    factor[where & (np.abs(ground).max(axis=2) > board.half_mm + board.frame_width_mm)] = other
    return factor


def _light(shape: tuple[int, int], rng: Rng) -> Linear:
    """Uneven light over the picture: a lamp from one side, a soft shadow with a straight edge: (h, w, 1)."""
    h, w = shape
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j].astype(np.float32)
    lit = np.ones((h, w), dtype=np.float32)
    if rng.random() < SIDEWAYS:
        turn, fall = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.3, 0.75))
        lit *= 1.0 - fall * (0.5 + 0.35 * (x * np.cos(turn) + y * np.sin(turn)))
    if rng.random() < SHADED:
        shade = np.zeros((h // 4, w // 4), dtype=np.uint8)
        corners = rng.uniform(0, 1, (4, 2)) * (w // 4, h // 4)
        cv2.fillPoly(shade, [corners.astype(np.int32)], 255)
        soft = cv2.GaussianBlur(shade, (0, 0), float(rng.uniform(0.7, 12)))
        lit *= 1.0 - float(rng.uniform(0.2, 0.7)) * cv2.resize(soft, (w, h)).astype(np.float32) / 255.0
    return lit[..., None]


def _compressed(picture: Picture, quality: int) -> Picture:
    _, data = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, quality))
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
