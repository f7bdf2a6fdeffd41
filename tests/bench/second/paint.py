"""What the surfaces look like: wood, printed lines, a maker's name, pieces with rings; and their triangles.

Textures are pictures (BGR, as displayed); meshes are corners in metres, faces, texture coordinates. Knows no camera.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import POCKETS, SEATS, Board, seat_to_board
from tests.bench.second.physics import AROUND_MM, BOARD_MM, wedges
from tests.bench.second.tables import Colour, Table

Picture = npt.NDArray[np.uint8]
SIDE_PX = 2048
FINER = 2
"""The board is drawn so many times finer, then averaged."""
SHIFT = 4
PIECE_PX = 128
AROUND = 48
"""So many corners has a piece's rim as it is drawn."""
BEVEL_MM = 1.2


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles as drawn: (N, 3) m, (M, 3), (N, 2)."""

    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int64]
    uv: npt.NDArray[np.float64]

    def xml(self, name: str) -> str:
        """The mesh as an asset of MuJoCo's."""

        def row(values: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> str:
            return " ".join(f"{value:.6g}" for value in values.ravel())

        return (
            f'<mesh name="{name}" inertia="shell" vertex="{row(self.vertices)}" face="{row(self.faces)}" '
            f'texcoord="{row(self.uv)}"/>'
        )


def wood(colour: Colour, grain: float, shape: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """A board of wood: streaks along the picture's rows, growth rings drawn out, specks: (h, w, 3), 0 to 1."""
    h, w = shape
    streaks = cv2.resize(rng.normal(0, 1, (h, max(w // 96, 2))).astype(np.float32), (w, h))
    streaks = cv2.GaussianBlur(streaks, (0, 0), sigmaX=12, sigmaY=1.2)
    slow = cv2.resize(rng.normal(0, 1, (9, 4)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    y = np.linspace(0, 1, h, dtype=np.float32)[:, None]
    rings = np.sin(2 * np.pi * (float(rng.uniform(6, 16)) * y + 0.9 * slow))
    specks = cv2.resize(rng.normal(0, 1, (h // 2, w // 8)).astype(np.float32), (w, h))
    shade = streaks / (streaks.std() + 1e-6) * 0.5 + rings * 0.6 + 0.25 * specks
    bgr = np.array(colour[::-1], dtype=np.float32)
    return np.clip(bgr * (1.0 + grain * shade[..., None] * np.array((1.3, 1.0, 0.8), dtype=np.float32)), 0.0, 1.0)


def surface(table: Table) -> Picture:
    """The playing surface with everything printed on it; its rows run from north to south."""
    rng = np.random.default_rng((table.seed, 21))
    paint, side = table.paint, SIDE_PX * FINER
    ground = wood(paint.wood, paint.grain, (SIDE_PX, SIDE_PX), rng)
    picture = cv2.resize((ground * 255.0).astype(np.uint8), (side, side), interpolation=cv2.INTER_LINEAR)
    pen = Pen(picture, table.board)
    if paint.maker:
        pen.writes(paint.maker, paint.line, float(rng.uniform(13, 24)), int(rng.integers(4)))
    pen.markings(paint.line, paint.red)
    return cv2.resize(picture, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA)


class Pen:
    """Draws on the board's picture in millimetres."""

    def __init__(self, picture: Picture, board: Board) -> None:
        self._picture, self._board = picture, board
        self._scale = picture.shape[0] / (2 * board.half_mm)

    def markings(self, line: Colour, red: Colour) -> None:
        """The base lines with their circles, the centre, the arrows."""
        board = self._board
        for seat in SEATS:
            for far, near in (board.outer_line_y_mm, board.inner_line_y_mm):
                along = board.line_half_length_mm
                self._fill([seat_to_board(seat, x, y) for x, y in _rectangle(along, near, far)], line)
        for at in board.base_circles_mm:
            self._disc(at, board.base_circle_diameter_mm / 2, line)
            self._disc(at, board.base_circle_diameter_mm / 2 - 1.0, red, hollow_mm=board.base_disc_diameter_mm / 2)
        for diameter in (board.outer_circle_diameter_mm, board.centre_circle_diameter_mm):
            self._ring((0.0, 0.0), diameter / 2, 1.2, line)
        self._disc((0.0, 0.0), board.centre_circle_diameter_mm / 2 - 1.2, red)
        for turn in (45.0, 135.0, 225.0, 315.0):
            self._arrow(turn, line)

    def _arrow(self, turn_deg: float, line: Colour) -> None:
        board = self._board
        out = np.array((np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))))
        side = np.array((-out[1], out[0]))
        a, b = board.arrow_radii_mm
        w = board.arrow_line_width_mm / 2
        self._fill([out * a + side * w, out * b + side * w, out * b - side * w, out * a - side * w], line)
        self._fill([out * b, out * (b - 14) + side * 5, out * (b - 10), out * (b - 14) - side * 5], line)
        turns = np.radians(np.linspace(turn_deg - 130, turn_deg + 130, 60))
        arc = out * (a - 6) + 24.0 * np.stack((np.cos(turns), np.sin(turns)), 1)
        cv2.polylines(self._picture, [self._px(arc)], False, _bgr(line), round(1.2 * self._scale), cv2.LINE_AA, SHIFT)

    def writes(self, name: str, ink: Colour, high_mm: float, where: int) -> None:
        """A maker's name between the circle and a seat's lines."""
        size = high_mm * self._scale / 22.0
        (wide, high), _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_TRIPLEX, size, round(size * 2))
        patch = np.zeros((high * 2, wide + 20), dtype=np.uint8)
        cv2.putText(patch, name, (10, round(high * 1.5)), cv2.FONT_HERSHEY_TRIPLEX, size, 255, round(size * 2), 16)
        mask = np.zeros(self._picture.shape[:2], dtype=np.uint8)
        cx, cy = self._px(np.array([(0.0, -170.0)]))[0] >> SHIFT
        mask[cy - patch.shape[0] // 2 :, cx - patch.shape[1] // 2 :][: patch.shape[0], : patch.shape[1]] = patch
        mask = np.rot90(mask, where)
        self._picture[mask > 127] = _bgr(ink)

    def _px(self, points: npt.ArrayLike) -> npt.NDArray[np.int32]:
        at = (np.asarray(points, dtype=np.float64) * (1, -1) + self._board.half_mm) * self._scale - 0.5
        return np.rint(at * (1 << SHIFT)).astype(np.int32)

    def _fill(self, points: npt.ArrayLike, colour: Colour) -> None:
        cv2.fillPoly(self._picture, [self._px(points)], _bgr(colour), cv2.LINE_AA, SHIFT)

    def _disc(self, at: tuple[float, float], radius: float, colour: Colour, hollow_mm: float = 0.0) -> None:
        radius = hollow_mm or radius
        turns = np.linspace(0, 2 * np.pi, 180)
        self._fill(np.array(at) + radius * np.stack((np.cos(turns), np.sin(turns)), 1), colour)

    def _ring(self, at: tuple[float, float], radius: float, wide: float, colour: Colour) -> None:
        turns = np.linspace(0, 2 * np.pi, 240)
        middle = np.array(at) + (radius - wide / 2) * np.stack((np.cos(turns), np.sin(turns)), 1)
        cv2.polylines(
            self._picture, [self._px(middle)], True, _bgr(colour), round(wide * self._scale), cv2.LINE_AA, SHIFT
        )


def piece(table: Table, name: str) -> Picture:
    """A piece as seen from above or below; its side has the rim's colour."""
    rng = np.random.default_rng((table.seed, 22, len(name)))
    paint = table.paint
    colour = {"white": paint.white, "black": paint.black, "queen": paint.queen, "striker": paint.striker}[name]
    y, x = (np.mgrid[0:PIECE_PX, 0:PIECE_PX] + 0.5) / PIECE_PX * 2 - 1
    r = np.hypot(x, y)
    bgr = np.ones((PIECE_PX, PIECE_PX, 3), dtype=np.float32) * np.array(colour[::-1], dtype=np.float32)
    if name == "striker":
        rings = (np.floor(r * float(rng.uniform(4, 7))) % 2 == 1) & (r < 0.9)
        bgr[rings] = paint.striker_rings[::-1]
    else:
        groove = sum(np.exp(-(((r - at) / 0.035) ** 2)) for at in (0.35, 0.62, 0.84))
        bgr *= (1.0 - paint.rings * groove)[..., None]
        bgr *= 1.0 + 0.04 * cv2.GaussianBlur(rng.normal(0, 1, (PIECE_PX, PIECE_PX, 1)), (0, 0), 2)[..., None]
    return np.asarray(np.clip(bgr, 0, 1) * 255, dtype=np.uint8)


def piece_mesh(radius_mm: float, thick_mm: float) -> Mesh:
    """A piece with turned, bevelled rims, about its middle."""
    r, h, b = radius_mm, thick_mm / 2, BEVEL_MM
    upper = [(r - b, h), (r - 0.3 * b, h - 0.3 * b), (r, h - b)]
    profile = [*upper, *((x, -z) for x, z in reversed(upper))]
    turns = np.linspace(0, 2 * np.pi, AROUND, endpoint=False)
    circle = np.stack((np.cos(turns), np.sin(turns)), 1)
    rows = [np.column_stack((x * circle, np.full(AROUND, z))) for x, z in profile]
    vertices = np.concatenate([*rows, [(0.0, 0.0, h), (0.0, 0.0, -h)]])
    top, bottom, lowest = len(vertices) - 2, len(vertices) - 1, (len(profile) - 1) * AROUND
    faces = []
    for j in range(AROUND):
        k = (j + 1) % AROUND
        faces += [(top, j, k), (bottom, lowest + k, lowest + j)]
        for i in range(0, lowest, AROUND):
            faces += [(i + j, i + AROUND + j, i + k), (i + k, i + AROUND + j, i + AROUND + k)]
    return Mesh(vertices / 1000.0, np.array(faces), 0.5 + 0.49 * vertices[:, :2] / r)


def surface_mesh(table: Table) -> Mesh:
    """The playing surface with its four holes."""
    board = table.board
    half, inner = board.half_mm, board.pocket_centre_mm - AROUND_MM
    quads = [quad for pocket in POCKETS for quad in wedges(table, pocket)]
    quads += [
        [(-inner, -half), (inner, -half), (inner, half), (-inner, half)],
        [(inner, -inner), (half, -inner), (half, inner), (inner, inner)],
        [(-half, -inner), (-inner, -inner), (-inner, inner), (-half, inner)],
    ]
    corners = np.array(quads).reshape(-1, 2)
    faces = [(4 * i + a, 4 * i + b, 4 * i + c) for i in range(len(quads)) for a, b, c in ((0, 1, 2), (0, 2, 3))]
    vertices = np.column_stack((corners, np.zeros(len(corners)))) / 1000.0
    return Mesh(vertices, np.array(faces), (corners * (1, -1) + half) / (2 * half))


def hole_mesh(table: Table) -> Mesh:
    """The inner walls of the four holes, from the surface down through the board."""
    vertices, faces = [], []
    for pocket in POCKETS:
        for quad in wedges(table, pocket):
            (ax, ay), (bx, by) = quad[0], quad[3]
            at = len(vertices)
            vertices += [(ax, ay, 0.0), (bx, by, 0.0), (bx, by, -BOARD_MM), (ax, ay, -BOARD_MM)]
            faces += [(at, at + 1, at + 2), (at, at + 2, at + 3)]
    corners = np.array(vertices)
    return Mesh(corners / 1000.0, np.array(faces), np.zeros((len(corners), 2)))


def _rectangle(along: float, near: float, far: float) -> list[tuple[float, float]]:
    return [(-along, near), (along, near), (along, far), (-along, far)]


def _bgr(colour: Colour) -> tuple[float, float, float]:
    return (colour[2] * 255, colour[1] * 255, colour[0] * 255)
