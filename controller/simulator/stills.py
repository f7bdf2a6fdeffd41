"""Single pictures with their truth: ChArUco views, the empty board, the opening arrangement, random positions.

For calibrating and for measuring how well pieces are found. Pictures are blue-green-red, 8 bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, hypot, pi, radians, sin

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import seat_to_board
from controller.events.words import Seat
from controller.simulator.camera import Camera, Frame
from controller.simulator.lens import Array, View
from controller.simulator.looks import Look
from controller.simulator.motion import Pose
from controller.simulator.pieces import STRIKER, PieceSet, is_free, is_legal_spot, opening
from controller.simulator.scene import ArmPath, Reel

Picture = npt.NDArray[np.uint8]
SQUARES = (7, 5)
SQUARE_MM = 40.0
MARKER_MM = 30.0
_TEXELS_PER_MM = 8
QUEEN_RETURNED, COIN_RETURNED = 0.25, 0.02
"""How often a piece lies on the red middle, where the rules put a queen that was not covered, and dues."""


@dataclass(frozen=True)
class CalibrationSet:
    """What `carrom calibrate` is given, and the view that it should find."""

    lens: tuple[Picture, ...]
    empty: Picture
    opening: Picture
    view: View


def calibration_set(
    look: Look, seed: int = 0, views: int = 12, tell: Callable[[str], object] = lambda says: None
) -> CalibrationSet:
    """Takes the pictures for calibrating a look's camera; `tell` hears of each of the lens."""
    camera = Camera(look, seed)
    rng = np.random.default_rng(seed + 1)
    lens = []
    for number in range(1, views + 1):
        tell(f"the lens target is shown, picture {number} of {views}")
        lens.append(charuco_view(look, rng))
    return CalibrationSet(
        tuple(lens),
        still(camera, {}).picture,
        still(camera, opening(look.pieces, rng)).picture,
        camera.view,
    )


def still(camera: Camera, lying: dict[int, Pose], arms: tuple[ArmPath, ...] = ()) -> Frame:
    """Takes one picture of pieces at rest."""
    reel = Reel(arms=list(arms))
    for name, pose in lying.items():
        reel.lie(name, 0.0, pose)
    return camera.take(reel, 0.0)


def charuco_view(
    look: Look,
    rng: np.random.Generator,
    towards: tuple[float, float] | None = None,
    tilt_deg: float | None = None,
) -> Picture:
    """A picture of the lens target held before the camera at a random distance, tilt and place in the picture.

    `towards`: where its middle is held, in shares of the picture's width and height from its middle; as near to that as
    it fits in. `tilt_deg`: how far it is tilted.
    """
    lens = look.rig.lens
    sheet, scale = _sheet()
    for attempt in range(200):
        tilt = rng.uniform(0, radians(38)) if tilt_deg is None else radians(tilt_deg)
        lean, roll = rng.uniform(0, 2 * pi), rng.uniform(-pi, pi)
        # Near enough to fill a good part of the picture, wherever in it.
        distance = lens.focal_px * rng.uniform(330.0, 520.0) / lens.height
        turn = _about_z(roll) @ _about_x(tilt, lean)
        if towards is None:
            share = rng.uniform(-0.42, 0.42, 2)
        else:
            share = np.array(towards) * (1.0 - attempt / 200) + rng.uniform(-0.03, 0.03, 2)
        off = share * (lens.width, lens.height) / lens.focal_px * distance
        middle = np.array((*off, distance))
        corner = np.array((SQUARES[0] * SQUARE_MM / 2, SQUARES[1] * SQUARE_MM / 2, 0.0))
        view = View(lens, turn, corner - turn.T @ middle)
        edges = np.array([(x, y, 0.0) for x in (0, 280.0) for y in (0, 200.0)])
        uv = view.project(edges)
        if uv.min() > 12 and uv[:, 0].max() < lens.width - 12 and uv[:, 1].max() < lens.height - 12:
            break
    points = view.ground(0.5)
    x, y = points[..., 0] * scale - np.float32(0.5), points[..., 1] * scale - np.float32(0.5)
    paper = cv2.remap(sheet, x, y, cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT, borderValue=235.0)
    inside = (points[..., 0] > -12) & (points[..., 0] < 292) & (points[..., 1] > -12) & (points[..., 1] < 212)
    light = np.where(inside, (paper.astype(np.float32) / 255.0) * 0.62 + 0.03, np.float32(0.10))
    light = cv2.resize(light, (lens.width, lens.height), interpolation=cv2.INTER_AREA)
    light = cv2.GaussianBlur(light, (0, 0), look.rig.blur_px)
    grey = 255.0 * np.clip(light, 0, 1) ** (1 / 2.2)
    grey += rng.normal(0.0, look.rig.noise_read + 0.6, grey.shape)
    return np.repeat(np.clip(grey, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def _about_z(a: float) -> Array:
    return np.array(((cos(a), -sin(a), 0.0), (sin(a), cos(a), 0.0), (0.0, 0.0, 1.0)))


def _about_x(tilt: float, towards: float) -> Array:
    """A tilt about the horizontal axis that lies across `towards`."""
    lean = np.array(((1.0, 0.0, 0.0), (0.0, cos(tilt), -sin(tilt)), (0.0, sin(tilt), cos(tilt))))
    return np.asarray(_about_z(towards) @ lean @ _about_z(-towards))


def target_on_board(
    camera: Camera, at_mm: tuple[float, float], z_mm: float, rng: np.random.Generator, turned_deg: float = 8.0
) -> Picture:
    """The empty board with the lens target lying on it, or on pieces so high: what lies under it is not drawn."""
    look, view = camera.look, camera.view
    sheet, scale = _sheet()
    lifted = View(view.lens, view.turn, view.centre - np.array((0.0, 0.0, z_mm)))
    points = lifted.ground(0.5) - np.array(at_mm, dtype=np.float32)
    c, s = np.float32(cos(radians(turned_deg))), np.float32(sin(radians(turned_deg)))
    u = points[..., 0] * c + points[..., 1] * s + np.float32(SQUARES[0] * SQUARE_MM / 2)
    v = points[..., 0] * s - points[..., 1] * c + np.float32(SQUARES[1] * SQUARE_MM / 2)
    paper = cv2.remap(
        sheet, u * scale - np.float32(0.5), v * scale - np.float32(0.5), cv2.INTER_AREA,
        borderMode=cv2.BORDER_CONSTANT, borderValue=235.0,
    )  # fmt: skip
    inside = (u > -5) & (u < SQUARES[0] * SQUARE_MM + 5) & (v > -5) & (v < SQUARES[1] * SQUARE_MM + 5)
    size = (look.rig.lens.width, look.rig.lens.height)
    light = np.where(inside, (paper.astype(np.float32) / 255.0) * 0.62 + 0.03, np.float32(0.0))
    light = cv2.GaussianBlur(cv2.resize(light, size, interpolation=cv2.INTER_AREA), (0, 0), look.rig.blur_px)
    share = cv2.resize(inside.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    share = cv2.GaussianBlur(share, (0, 0), look.rig.blur_px)[..., None]
    bare = (still(camera, {}).picture.astype(np.float32) / 255.0) ** np.float32(2.2)
    both = 255.0 * np.clip(bare * (1 - share) + light[..., None], 0, 1) ** (1 / 2.2)
    both += rng.normal(0.0, look.rig.noise_read + 0.6, both.shape[:2])[..., None]
    return np.asarray(np.clip(both, 0, 255), dtype=np.uint8)


def _sheet() -> tuple[Picture, float]:
    """The target's drawing and how many texels a millimetre has."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    target = cv2.aruco.CharucoBoard(SQUARES, SQUARE_MM, MARKER_MM, dictionary)
    size = (int(SQUARES[0] * SQUARE_MM * _TEXELS_PER_MM), int(SQUARES[1] * SQUARE_MM * _TEXELS_PER_MM))
    return np.asarray(target.generateImage(size, marginSize=0, borderBits=1), dtype=np.uint8), _TEXELS_PER_MM


def random_position(
    rng: np.random.Generator, pieces: PieceSet, coins: int | None = None, striker: Seat | None = None
) -> dict[int, Pose]:
    """Pieces at rest where they really end up: loose, in clusters, at cushions, on lines and circles, on a rim.

    `coins`: how many of them, queen included (None: any number); `striker`: the seat that has placed its striker.
    """
    names = [name for name in pieces.names if name != STRIKER]
    rng.shuffle(names)
    count = int(rng.integers(3, len(names) + 1)) if coins is None else coins
    lying: dict[int, Pose] = {}
    if striker is not None:
        x, y = _striker_spot(rng, pieces, striker)
        lying[STRIKER] = Pose(x, y, 0.0, float(rng.uniform(0, 2 * pi)))
    for name in names[:count]:
        for _ in range(400):
            x, y = _wish(rng, name, lying, pieces)
            if is_free(x, y, pieces.radius(name), lying, pieces, 0.05):
                lying[name] = Pose(x, y, 0.0, float(rng.uniform(0, 2 * pi)))
                break
    return lying


def _striker_spot(rng: np.random.Generator, pieces: PieceSet, seat: Seat) -> tuple[float, float]:
    board = pieces.board
    while True:
        along, away = board.base_circle_along_mm + 2.9, board.base_circle_from_centre_mm
        x, y = seat_to_board(seat, float(rng.uniform(-along, along)), float(rng.uniform(away - 6.6, away + 6.4)))
        if is_legal_spot(seat, x, y, pieces.radius(STRIKER), pieces.board):
            return x, y


def _wish(rng: np.random.Generator, name: int, lying: dict[int, Pose], pieces: PieceSet) -> tuple[float, float]:
    board = pieces.board
    if rng.random() < (QUEEN_RETURNED if pieces.piece(name) == "queen" else COIN_RETURNED):
        x, y = rng.normal(0, 0.7, 2)
        return float(x), float(y)
    radius = pieces.coin_diameter_mm / 2
    kind = rng.choice(("loose", "cluster", "cushion", "mark", "rim"), p=(0.36, 0.26, 0.16, 0.16, 0.06))
    a = float(rng.uniform(0, 2 * pi))
    if kind == "cluster" and lying:
        other = list(lying)[int(rng.integers(len(lying)))]
        reach = radius + pieces.radius(other) + 0.06
        return lying[other].x_mm + reach * cos(a), lying[other].y_mm + reach * sin(a)
    if kind == "cushion":
        edge, along = board.half_mm - radius - 0.06, float(rng.uniform(70.0 - board.half_mm, board.half_mm - 70.0))
        return ((edge, along), (-edge, along), (along, edge), (along, -edge))[int(rng.integers(4))]
    if kind == "mark":
        if rng.random() < 0.5:
            cx, cy = board.base_circles_mm[int(rng.integers(8))]
            return cx + float(rng.normal(0, 8)), cy + float(rng.normal(0, 8))
        r = board.outer_circle_diameter_mm / 2
        return r * cos(a), r * sin(a)
    if kind == "rim":
        cx, cy = list(board.pockets_mm.values())[int(rng.integers(4))]
        inward = float(rng.uniform(board.pocket_radius_mm + 1.2, board.pocket_radius_mm + 12))
        lean = float(rng.normal(0, 0.4))
        ux, uy = -cx / hypot(cx, cy), -cy / hypot(cx, cy)
        return (
            cx + inward * (ux * cos(lean) - uy * sin(lean)),
            cy + inward * (uy * cos(lean) + ux * sin(lean)),
        )
    limit = board.half_mm - radius
    return float(rng.uniform(-limit, limit)), float(rng.uniform(-limit, limit))
