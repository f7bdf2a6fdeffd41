"""Pieces drawn into a picture: round walls, turned top faces, shadows; each for the patch it covers only.

Works on linear light and on the surface point of every pixel; a ray's point at any height lies on the line to the
camera's centre, so no projection is needed per frame. Knows no time: motion blur is the caller's average.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import cos, hypot, pi, sin

import cv2
import numpy as np
import numpy.typing as npt

from controller.events.words import Piece
from controller.simulator.looks import CoinLook, Look
from controller.simulator.marks import EmptyBoard, linear
from controller.simulator.motion import Pose
from controller.simulator.pieces import STRIKER

Image = npt.NDArray[np.float32]
FACE_MARGIN = 1.12
"""A top face's texture reaches a little beyond its rim, so that sampling at the rim is sound."""


Window = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A piece to be drawn. Windows are parts of the picture: (x0, y0, x1, y1).

    `window`: all that the piece and its shadow can touch. `poses`: for every part of the exposure the window of the
    piece alone, and its pose at that window's first row and at its last one (they differ under a rolling shutter).
    What is drawn is their average.
    """

    name: int
    window: Window
    poses: tuple[tuple[Pose, Pose, Window], ...]
    upright: bool = False


class Painter:
    """Draws pieces over one empty board. Cheap to keep, a little dear to make (it prepares the textures)."""

    def __init__(self, empty: EmptyBoard, look: Look, centre: npt.NDArray[np.float64], px_per_mm: float) -> None:
        self._empty = empty
        self._look = look
        self._cam = centre.astype(np.float32)
        self._scale = np.float32(px_per_mm)
        light = look.light
        self._glow = linear(light.colour) * np.float32(light.level)
        self._mirror = linear(light.colour) * np.float32(look.coins.gloss)
        self._faces = {
            name: _face(look, look.pieces.piece(name), name, px_per_mm, look.pieces.radius(name))
            for name in look.pieces.names
        }
        self._walls = {name: face.mean(axis=(0, 1)) * 0.5 for name, face in self._faces.items()}
        self._own = {name: (self._faces[name], self._walls[name]) for name in self._faces}

    def compose(self, box: Window, drawn: list[Drawn]) -> Image:
        """Composes a box of the picture from scratch: board, shadows, pieces. Linear light (h, w, 3)."""
        x0, y0, x1, y1 = box
        image = self._empty.image[y0:y1, x0:x1].copy()
        # A piece nearer to the camera's foot hides the lower parts of one farther out, never the other way round.
        here = [(d, window) for d in sorted(drawn, key=self._order) if (window := _common(d.window, box)) is not None]
        for d, (wx0, wy0, wx1, wy1) in here:
            self._shadow(image[wy0 - y0 : wy1 - y0, wx0 - x0 : wx1 - x0], d, (wx0, wy0, wx1, wy1))
        for d, (wx0, wy0, wx1, wy1) in here:
            self._piece(image[wy0 - y0 : wy1 - y0, wx0 - x0 : wx1 - x0], d, (wx0, wy0, wx1, wy1))
        return image

    def paint_as(self, name: int, other: int) -> None:
        """From now on a piece looks like another one, or like itself again."""
        self._faces[name], self._walls[name] = self._own[other]

    def coverage(self, window: Window, name: int, pose: Pose) -> Image:
        """How much of each pixel of a window the piece's silhouette fills (h, w)."""
        x0, y0, x1, y1 = window
        bottom, top = self._faces_at(self._empty.ground[y0:y1, x0:x1], name, pose, _place(pose, pose, 1))
        return self._fill(_to_segment(bottom, top), self._look.pieces.radius(name))

    def _order(self, d: Drawn) -> tuple[float, float]:
        pose = d.poses[0][0]
        off = hypot(pose.x_mm - float(self._cam[0]), pose.y_mm - float(self._cam[1]))
        return (pose.z_mm if pose.z_mm > 12.0 else 0.0), -off

    def _faces_at(self, ground: Image, name: int, pose: Pose, at: Image) -> tuple[Image, Image]:
        """Each pixel's ray at the height of the piece's underside and of its top, relative to its centre."""
        slope = self._cam[:2] - ground
        low = np.float32(pose.z_mm / self._cam[2])
        high = np.float32((pose.z_mm + self._look.pieces.thickness(name)) / self._cam[2])
        relative = ground - at
        return relative + slope * low, relative + slope * high

    def _fill(self, distance: Image, radius: float) -> Image:
        filled = (np.float32(radius) - distance) * self._scale + np.float32(0.5)
        return np.asarray(np.clip(filled, 0.0, 1.0, out=filled), dtype=np.float32)

    def _shadow(self, image: Image, d: Drawn, window: Window) -> None:
        light = self._look.light
        x0, y0, x1, y1 = window
        ground = self._empty.ground[y0:y1, x0:x1]
        total = np.zeros(ground.shape[:2], dtype=np.float32)
        some = d.poses[:: max(len(d.poses) // 3, 1)]
        for first, last, _ in some:
            if first.z_mm < -1.0:
                continue
            height = self._look.pieces.thickness(d.name) * 0.6 + first.z_mm
            x, y, h = light.at_mm
            away = height / (h - height)
            offset = np.array(((first.x_mm - x) * away, (first.y_mm - y) * away), dtype=np.float32)
            delta = ground - (_shown(first, last, d.window, window) + offset)
            distance = np.sqrt(delta[..., 0] ** 2 + delta[..., 1] ** 2)
            soft = np.float32(light.shadow_soft_mm * (1 + first.z_mm / 40.0))
            radius = np.float32(self._look.pieces.radius(d.name) + 0.35 * light.shadow_soft_mm)
            dark = np.clip((radius - distance) / soft + np.float32(0.5), 0.0, 1.0)
            total += dark * dark * (3 - 2 * dark) * np.float32(light.shadow / (1 + first.z_mm / 60.0))
        image *= (1 - total * np.float32(1 / len(some)))[..., None]

    def _piece(self, image: Image, d: Drawn, window: Window) -> None:
        x0, y0, x1, y1 = window
        rows, cols = slice(y0, y1), slice(x0, x1)
        ground = self._empty.ground[rows, cols]
        if d.upright:
            self._upright(image, ground, rows, cols, d)
            return
        alpha = np.zeros(ground.shape[:2], dtype=np.float32)
        paint = np.zeros_like(image)
        for first, last, whole in d.poses:
            tight = _common(whole, window)
            if tight is None:
                continue
            a0, b0, a1, b1 = tight
            mine = slice(b0 - y0, b1 - y0), slice(a0 - x0, a1 - x0)
            at = _shown(first, last, whole, tight)
            self._one(alpha[mine], paint[mine], ground[mine], slice(b0, b1), slice(a0, a1), d.name, first, at)
        share = np.float32(1 / len(d.poses))
        image *= (1 - alpha * share)[..., None]
        image += paint * share

    def _one(
        self, alpha: Image, paint: Image, ground: Image, rows: slice, cols: slice, name: int, pose: Pose, at: Image
    ) -> None:
        """Adds one moment's coverage to `alpha`, and its light times its coverage to `paint`."""
        radius = self._look.pieces.radius(name)
        bottom, top = self._faces_at(ground, name, pose, at)
        silhouette = self._fill(_to_segment(bottom, top), radius)
        face = self._fill(np.sqrt(top[..., 0] ** 2 + top[..., 1] ** 2), radius)
        shade = self._empty.shade[rows, cols]
        sunk = 1.0
        if pose.z_mm < -0.5:
            inside = self._in_bore(ground, pose)
            silhouette *= inside
            face *= inside
            sunk = max(0.15, 1.0 + pose.z_mm / 40.0)
        texture = self._faces[name]
        half = texture.shape[0] / 2
        per_mm = half / (radius * FACE_MARGIN)
        c, s = np.float32(cos(pose.angle_rad) * per_mm), np.float32(sin(pose.angle_rad) * per_mm)
        u = top[..., 0] * c + top[..., 1] * s + np.float32(half - 0.5)
        v = top[..., 1] * c - top[..., 0] * s + np.float32(half - 0.5)
        colour = cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        colour *= shade[..., None] * (self._glow * np.float32(sunk))
        if pose.z_mm > -0.5:
            colour += self._empty.mirror[rows, cols][..., None] * self._mirror
        wall = np.maximum(silhouette - face, 0.0) * shade
        alpha += silhouette
        paint += face[..., None] * colour
        paint += wall[..., None] * (self._walls[name] * self._glow * np.float32(sunk))

    def _in_bore(self, ground: Image, pose: Pose) -> Image:
        """What can be seen of a sinking piece: only what shows through the pocket's round opening."""
        board = self._look.pieces.board
        cx, cy = board.pockets_mm[board.nearest_pocket(pose.x_mm, pose.y_mm)[0]]
        distance = np.hypot(ground[..., 0] - np.float32(cx), ground[..., 1] - np.float32(cy))
        return self._fill(distance, board.pocket_radius_mm)

    def _upright(self, image: Image, ground: Image, rows: slice, cols: slice, d: Drawn) -> None:
        """A piece that stands on its rim: a narrow box as high as its diameter, seen from above."""
        pose = d.poses[0][0]
        at = _place(pose, pose, 1)
        pieces = self._look.pieces
        radius, thickness = pieces.radius(d.name), pieces.thickness(d.name)
        slope = self._cam[:2] - ground
        best: Image | None = None
        c, s = np.float32(cos(pose.angle_rad)), np.float32(sin(pose.angle_rad))
        for z in np.linspace(0.0, 2 * radius, 9):
            half = np.float32((radius**2 - (z - radius) ** 2) ** 0.5)
            p = ground - at + slope * np.float32(z / self._cam[2])
            along, off = np.abs(p[..., 0] * c + p[..., 1] * s), np.abs(p[..., 1] * c - p[..., 0] * s)
            fill = self._fill(np.maximum(along - half, off - np.float32(thickness / 2)), 0.0)
            best = fill if best is None else np.maximum(best, fill)
        if best is not None:
            colour = self._walls[d.name] * self._glow * np.float32(1.6)
            image += best[..., None] * (self._empty.shade[rows, cols][..., None] * colour - image)


def _common(a: Window, b: Window) -> Window | None:
    both = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return both if both[0] < both[2] and both[1] < both[3] else None


def _place(first: Pose, last: Pose, height: int) -> Image:
    """The piece's centre as each row sees it: (h, 1, 2), or (1, 1, 2) where all see the same."""
    a = np.array((first.x_mm, first.y_mm), dtype=np.float32)
    if first is last or height == 1:
        return a.reshape(1, 1, 2)
    b = np.array((last.x_mm, last.y_mm), dtype=np.float32)
    share = np.linspace(0.0, 1.0, height, dtype=np.float32).reshape(-1, 1, 1)
    return np.asarray(a + (b - a) * share, dtype=np.float32)


def _shown(first: Pose, last: Pose, whole: Window, window: Window) -> Image:
    at = _place(first, last, whole[3] - whole[1])
    return at if len(at) == 1 else at[window[1] - whole[1] : window[3] - whole[1]]


def _to_segment(a: Image, b: Image) -> Image:
    """Distance of the origin to the segment from a to b, per pixel."""
    d = b - a
    along = np.clip(
        -(a[..., 0] * d[..., 0] + a[..., 1] * d[..., 1]) / (d[..., 0] ** 2 + d[..., 1] ** 2 + 1e-9), 0.0, 1.0
    )
    nearest = a + along[..., None] * d
    return np.asarray(np.sqrt(nearest[..., 0] ** 2 + nearest[..., 1] ** 2), dtype=np.float32)


@lru_cache(maxsize=128)
def top_face(coins: CoinLook, piece: Piece, name: int, size: int = 384) -> Image:
    """A top face's reflectance as linear blue-green-red, fine, over the square of `FACE_MARGIN` radii."""
    rng = np.random.default_rng(1000 + name)
    base = {"white": coins.white, "black": coins.black, "queen": coins.queen}.get(piece, coins.striker)
    ys, xs = np.mgrid[0:size, 0:size].astype(np.float32)
    x, y = (xs + 0.5) / size * 2 - 1, (ys + 0.5) / size * 2 - 1
    r = np.hypot(x, y) * np.float32(FACE_MARGIN)
    turn = np.arctan2(y, x)
    tone = 1 + coins.tone_spread * float(rng.standard_normal())
    face = np.empty((size, size, 3), dtype=np.float32)
    face[:] = linear(base) * np.float32(tone)
    if piece == "striker":
        _striker_face(face, r, turn, coins)
    else:
        streak = cv2.GaussianBlur(rng.standard_normal((size, size), dtype=np.float32), (0, 0), sigmaX=24, sigmaY=2)
        face *= (1 + 0.06 * streak / max(float(streak.std()), 1e-9))[..., None]
        grooves = sum(np.exp(-(((r - at) / 0.035) ** 2)) for at in coins.grooves)
        face *= (1 - coins.rings * np.asarray(grooves))[..., None]
        ridges = sum(np.exp(-(((r - at - 0.06) / 0.03) ** 2)) for at in coins.grooves)
        face *= (1 + 0.5 * coins.rings * np.asarray(ridges))[..., None]
        if coins.petals:
            carved = np.exp(-(((np.cos(turn * coins.petals) * 0.25 + 0.45 - r) / 0.05) ** 2))
            face *= (1 - coins.rings * carved)[..., None]
    rim = np.clip((r - 0.9) / 0.1, 0.0, 1.0)
    face *= (1 - 0.25 * rim)[..., None]
    return face


def _striker_face(face: Image, r: Image, turn: Image, coins: CoinLook) -> None:
    ink = linear(coins.striker_ink)

    def ink_where(mask: npt.NDArray[np.float32]) -> None:
        face[:] += np.clip(mask, 0.0, 1.0)[..., None] * (ink - face)

    if coins.striker_style == "ring":
        dashes = np.cos(turn * 16) > -0.2
        ink_where(((np.abs(r - 0.78) < 0.07) & dashes).astype(np.float32))
        ink_where((np.abs(r - 0.36) < 0.05).astype(np.float32))
        ink_where((r < 0.12).astype(np.float32))
    elif coins.striker_style == "star":
        ink_where((np.abs(r - 0.86) < 0.05).astype(np.float32))
        point = np.abs((turn * 5 / (2 * pi)) % 1.0 - 0.5) * 2
        ink_where((r < 0.18 + 0.24 * point**2).astype(np.float32))
    elif coins.striker_style == "clear":
        face *= (0.75 + 0.25 * np.cos(r * 9.0))[..., None]
        ink_where((np.abs(r - 0.6) < 0.03).astype(np.float32))
    else:
        ink_where((np.abs(r - 0.5) < 0.02).astype(np.float32) * 0.5)


def _face(look: Look, piece: Piece, name: int, px_per_mm: float, radius: float) -> Image:
    """The face's texture at about two texels a pixel, so that sampling it neither aliases nor blurs."""
    variant = STRIKER if piece == "striker" else name
    size = max(int(2 * radius * FACE_MARGIN * px_per_mm * 2.0), 16)
    return np.asarray(
        cv2.resize(top_face(look.coins, piece, variant), (size, size), interpolation=cv2.INTER_AREA), dtype=np.float32
    )
