"""The empty board as an image: wood, painted marks, frame, pockets, light, before anything lies on it.

Everything is computed per quarter pixel from the exact distances to the marks' edges, so that a mark is where the
millimetres say to a hundredth of a pixel. Linear light, float32, channels blue-green-red. Knows no pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import Board, seat_to_board
from controller.simulator.lens import View
from controller.simulator.looks import BoardLook, Colour, Light, Look

Image = npt.NDArray[np.float32]
Ink = npt.NDArray[np.float32]
Box = tuple[float, float, float, float]
Edge = Callable[[Image, Image], Image]
"""Signed distance to a mark's edge in mm, negative inside, from arrays of x and y."""
Stamp = Callable[[Box, Edge, Ink], None]
_NET_DEPTH_MM = 40.0
_PLY_MM = 9.0


def linear(colour: Colour) -> npt.NDArray[np.float32]:
    """An sRGB colour as linear blue-green-red."""
    c = np.array(colour[::-1], dtype=np.float64) / 255.0
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(np.float32)


@dataclass(frozen=True)
class EmptyBoard:
    """The empty board and what drawing on it needs.

    `image`: (h, w, 3) linear light; `ground`: (h, w, 2) surface point of each pixel in mm; `shade`: (h, w) light that
    reaches the surface, 1 in the middle; `mirror`: (h, w) the lamp's reflection on a glossy plane.
    """

    image: Image
    ground: Image
    shade: Image
    mirror: Image


def paint(view: View, look: Look, seed: int = 0) -> EmptyBoard:
    """Paints the empty board as this camera sees it, before blur, noise and compression."""
    rng, board = np.random.default_rng(seed), look.pieces.board
    fine = view.ground(0.5)
    scale = 2.0 * view.px_per_mm()
    cam = view.centre.astype(np.float32)
    image = painted_wood(fine, look.board, rng, scale, board)
    _pockets(image, fine, cam, look.board, board)
    shade = lamp_shade(fine, look.light)
    image *= shade[..., None] * (linear(look.light.colour) * look.light.level)
    _frame(image, fine, cam, look, rng, board)
    image = _halve(image)
    ground = view.ground(1.0)
    shade = lamp_shade(ground, look.light)
    mirror = lamp_mirror(ground, cam, look.light)
    inside = _farther(ground) < board.half_mm
    image += (mirror * inside * look.board.gloss)[..., None] * linear(look.light.colour)
    return EmptyBoard(np.ascontiguousarray(image), ground, shade, mirror)


def lamp_shade(ground: Image, light: Light) -> Image:
    """How much light a horizontal surface gets at each point: ambient plus a lamp with cosine fall-off."""
    x, y, h = light.at_mm
    far = (ground[..., 0] - x) ** 2 + (ground[..., 1] - y) ** 2
    direct = (1.0 + far / (h * h)) ** -2
    shade = light.ambient + (1 - light.ambient) * direct
    if light.sun:
        along = (ground[..., 0] * 0.8 + ground[..., 1] * 0.6 + 120.0) / 90.0
        across = (ground[..., 1] * 0.8 - ground[..., 0] * 0.6) / 160.0
        patch = 1 / (1 + np.exp(np.clip((np.maximum(np.abs(along), np.abs(across)) - 1) * 18, -30, 30)))
        shade = shade + light.sun * patch
    return np.asarray(shade, dtype=np.float32)


def lamp_mirror(ground: Image, cam: Image, light: Light) -> Image:
    """The mirror image of the lamp in a glossy horizontal plane, as brightness per point of the plane."""
    x, y, h = light.at_mm
    share = h / (h + cam[2])
    mx, my = x + (cam[0] - x) * share, y + (cam[1] - y) * share
    dx, dy = ground[..., 0] - mx, ground[..., 1] - my
    if light.tube:
        dx = np.maximum(np.abs(dx) - 230.0, 0.0)
    r2 = (dx * dx + dy * dy) / light.reflection_mm**2
    glow = np.exp(-0.5 * r2) + 0.12 * np.exp(-0.5 * r2 / 16.0)
    return np.asarray(light.reflection * glow, dtype=np.float32)


def _farther(points: Image) -> Image:
    """How far points (h, w, 2) lie from the middle, along x or y, whichever is more."""
    return np.asarray(np.maximum(np.abs(points[..., 0]), np.abs(points[..., 1])))


def _halve(image: Image) -> Image:
    h, w = image.shape[0] // 2, image.shape[1] // 2
    return np.asarray(cv2.resize(image, (w, h), interpolation=cv2.INTER_AREA), dtype=np.float32)


def wood_grain(rng: np.random.Generator, size: int = 900) -> Image:
    """Streaks along x, about one unit in standard deviation, one texel a mm."""
    field = np.zeros((size, size), dtype=np.float32)
    for length, width, weight in ((60.0, 1.0, 0.5), (140.0, 4.0, 0.7), (220.0, 14.0, 0.8)):
        short = max(int(size * 4.0 / length), 8)
        noise = rng.standard_normal((size, short), dtype=np.float32)
        noise = cv2.resize(
            cv2.GaussianBlur(noise, (0, 0), sigmaX=4.0, sigmaY=width), (size, size), interpolation=cv2.INTER_CUBIC
        )
        field += weight * noise / max(float(noise.std()), 1e-9)
    # The streaks wander a little, as trees do.
    sway = cv2.resize(rng.standard_normal((10, 10), dtype=np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
    sway *= 9.0 / max(float(np.abs(sway).max()), 1e-9)
    ys, xs = np.mgrid[0:size, 0:size].astype(np.float32)
    field = cv2.remap(field, xs, ys + sway, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(field / max(float(field.std()), 1e-9), dtype=np.float32)


def _textured(points: Image, grain: Image, turned: bool, shift: float = 0.0) -> Image:
    size = grain.shape[0]
    u, v = (points[..., 1], points[..., 0]) if turned else (points[..., 0], points[..., 1])
    at = (u + size / 2 + shift).astype(np.float32), (v + size / 2).astype(np.float32)
    return np.asarray(cv2.remap(grain, *at, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT), dtype=np.float32)


def _tinted(amount: Image, colour: npt.NDArray[np.float32]) -> Image:
    """A colour (3,), as much of it as there is at each place (h, w): (h, w, 3)."""
    return np.asarray(cv2.merge([part * amount for part in colour]))


def _over(image: Image, coverage: Image, colour: npt.NDArray[np.float32]) -> None:
    # Channel by channel, and only where there is any: many times faster than all at once.
    rows, cols = np.nonzero(coverage)
    share = coverage[rows, cols]
    for k in range(3):
        plane = image[..., k]
        was = plane[rows, cols]
        plane[rows, cols] = was + share * (colour[k] - was)


def painted_wood(fine: Image, look: BoardLook, rng: np.random.Generator, scale: float, board: Board) -> Image:
    """Reflectance of wood with its marks, linear blue-green-red, at the points `fine` (h, w, 2), `scale` to a mm."""
    grain = _textured(fine, wood_grain(rng), look.grain_turned)
    image = _tinted(1 + look.grain * 0.8 * grain, linear(look.wood))
    spots = (round(2 * board.half_mm),) * 2
    wear = cv2.GaussianBlur(rng.standard_normal(spots, dtype=np.float32), (0, 0), 5.0)
    wear /= max(float(wear.std()), 1e-9)
    worn = _textured(fine, wear, False)
    keep = np.clip(1.0 - look.worn * (0.8 + 0.7 * worn), 0.0, 1.0) * 0.94
    ink, red = linear(look.lines), linear(look.discs)
    x, y = fine[..., 0], fine[..., 1]

    def stamp(box: Box, edge: Edge, colour: Ink) -> None:
        """Paints where the signed distance `edge(x, y)` is negative, inside a box in mm."""
        rows, cols = _window(fine, box)
        inside = np.clip(0.5 - edge(x[rows, cols], y[rows, cols]) * scale, 0.0, 1.0)
        part = image[rows, cols]
        _over(part, np.asarray(inside * keep[rows, cols], dtype=np.float32), colour)

    for seat in ("south", "east", "north", "west"):
        for far, near in (board.outer_line_y_mm, board.inner_line_y_mm):
            a = seat_to_board(seat, -board.line_half_length_mm, far)
            b = seat_to_board(seat, board.line_half_length_mm, near)
            box = (min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]))
            stamp(box, _box_edge(box), ink)
    for cx, cy in board.base_circles_mm:
        _disc(stamp, cx, cy, board.base_circle_diameter_mm / 2, 1.0, board.base_disc_diameter_mm / 2, ink, red)
    centre = board.centre_circle_diameter_mm / 2
    _disc(stamp, 0.0, 0.0, centre, 1.2, centre, ink, red)
    ring = board.outer_circle_diameter_mm / 2
    box = (-ring, -ring, ring, ring)
    stamp(box, _ring_edge(0.0, 0.0, ring - 0.75, ring + 0.75), ink)
    if look.rose:
        stamp(box, _rose_edge(centre, ring), red)
    if look.star:
        for half, colour in ((1.0, ink), (-1.0, red)):
            stamp(box, _star_edge(centre, ring, look.star, half), colour)
    for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        _arrow(stamp, sx, sy, board, ink)
    if look.powder:
        dust = cv2.GaussianBlur(rng.standard_normal(spots, dtype=np.float32), (0, 0), 22.0)
        dust /= max(float(dust.std()), 1e-9)
        amount = look.powder * np.clip(_textured(fine, dust, False) * 0.5 + 0.4, 0.0, 1.5)
        _over(image, np.asarray(amount, dtype=np.float32), np.full(3, 0.62, dtype=np.float32))
    return np.asarray(image, dtype=np.float32)


def _window(fine: Image, box: Box) -> tuple[slice, slice]:
    """The part of the picture that can see a box of the surface (with 3 mm to spare)."""
    coarse = fine[::8, ::8]
    near = (
        (coarse[..., 0] > box[0] - 12) & (coarse[..., 0] < box[2] + 12)
        & (coarse[..., 1] > box[1] - 12) & (coarse[..., 1] < box[3] + 12)
    )  # fmt: skip
    rows, cols = np.flatnonzero(near.any(axis=1)), np.flatnonzero(near.any(axis=0))
    if not len(rows):
        return slice(0, 0), slice(0, 0)
    return (
        slice(max(int(rows[0]) * 8 - 8, 0), int(rows[-1]) * 8 + 16),
        slice(max(int(cols[0]) * 8 - 8, 0), int(cols[-1]) * 8 + 16),
    )


def _box_edge(box: Box) -> Edge:
    x0, y0, x1, y1 = box

    def edge(px: Image, py: Image) -> Image:
        return np.asarray(np.maximum(np.maximum(x0 - px, px - x1), np.maximum(y0 - py, py - y1)))

    return edge


def _disc(stamp: Stamp, cx: float, cy: float, outer: float, line: float, inner: float, ink: Ink, red: Ink) -> None:
    """A circle's line whose outer edge is its diameter, and a filled disc inside."""
    box = (cx - outer, cy - outer, cx + outer, cy + outer)
    stamp(box, _ring_edge(cx, cy, -1.0, inner), red)
    stamp(box, _ring_edge(cx, cy, outer - line, outer), ink)


def _ring_edge(cx: float, cy: float, inner: float, outer: float) -> Edge:
    middle, half = (inner + outer) / 2, (outer - inner) / 2

    def edge(px: Image, py: Image) -> Image:
        return np.asarray(np.abs(np.hypot(px - cx, py - cy) - middle) - half)

    return edge


def _arrow(stamp: Stamp, sx: int, sy: int, board: Board, ink: Ink) -> None:
    """A diagonal arrow: its line, the head at the pocket's end, and the arch at the inner end."""
    inner, outer = board.arrow_radii_mm
    half = board.arrow_line_width_mm / 2
    root = 2**-0.5
    ends = [(sx * r * root, sy * r * root) for r in (inner, outer)]
    xs, ys = [x for x, _ in ends], [y for _, y in ends]
    box = (min(xs) - 40.0, min(ys) - 40.0, max(xs) + 40.0, max(ys) + 40.0)

    def split(px: Image, py: Image) -> tuple[Image, Image]:
        return (px * sx + py * sy) * root, (px * sy - py * sx) * root

    def line(px: Image, py: Image) -> Image:
        along, off = split(px, py)
        return np.asarray(np.maximum(np.abs(off) - half, np.maximum(inner - along, along - outer)))

    def head(px: Image, py: Image) -> Image:
        along, off = split(px, py)
        return np.asarray(np.maximum(np.abs(off) - (outer - along) * 0.32, outer - 12.0 - along))

    arch_at, arch_r = inner + 4.0, 31.75

    def arch(px: Image, py: Image) -> Image:
        along, off = split(px, py)
        turn = np.abs(np.arctan2(off, -(along - arch_at)))
        return np.asarray(np.maximum(np.abs(np.hypot(along - arch_at, off) - arch_r) - 0.7, (turn - 2.2) * arch_r))

    for edge in (line, head, arch):
        stamp(box, edge, ink)


def _rose_edge(inner: float, outer: float) -> Edge:
    def edge(px: Image, py: Image) -> Image:
        turn = np.arctan2(py, px) * 8 / (2 * pi)
        off = np.abs(turn - np.round(turn)) * 2 * pi / 8
        r = np.hypot(px, py)
        wide = 9.0 * np.sin(np.clip((r - inner) / (outer - inner), 0, 1) * pi)
        return np.asarray(np.maximum(off * r - wide, np.maximum(inner + 6 - r, r - outer + 8)))

    return edge


def _star_edge(inner: float, outer: float, points: int, half: float) -> Edge:
    """One half of each point of a star, from the middle disc out to the circle."""

    def edge(px: Image, py: Image) -> Image:
        turn = np.arctan2(py, px) * points / (2 * pi)
        nearest = np.round(turn)
        # The halves change sides from point to point, so that two painted halves never touch.
        side = half * np.where(np.mod(nearest, 2) == 0, 1.0, -1.0)
        r = np.hypot(px, py)
        off = (turn - nearest) * 2 * pi / points * r * side
        wide = inner * (pi / points) * np.clip((outer - r) / (outer - inner), 0, 1) * 1.6
        return np.asarray(np.maximum(np.maximum(off - wide, -off), np.maximum(inner - r, r - outer)))

    return edge


def _at_height(fine: Image, cam: Image, z_mm: float) -> Image:
    """Where each pixel's ray meets the plane at a height."""
    return np.asarray(fine + (cam[:2] - fine) * np.float32(z_mm / cam[2]), dtype=np.float32)


def _pockets(image: Image, fine: Image, cam: Image, look: BoardLook, board: Board) -> None:
    net, wall = linear(look.pocket), linear(look.wood) * 0.25
    bore = board.pocket_radius_mm
    for cx, cy in board.pockets_mm.values():
        rows, cols = _window(fine, (cx - bore, cy - bore, cx + bore, cy + bore))
        top = fine[rows, cols]
        inside = np.hypot(top[..., 0] - cx, top[..., 1] - cy) < bore
        low = _at_height(top, cam, -_PLY_MM)
        through = np.hypot(low[..., 0] - cx, low[..., 1] - cy) < bore
        deep = _at_height(top, cam, -_NET_DEPTH_MM)
        mesh = (np.sin(deep[..., 0] * 0.9) * np.sin(deep[..., 1] * 0.9)) ** 2
        dark = net * (0.5 + 0.9 * mesh[..., None])
        part = image[rows, cols]
        part[inside & through] = dark[inside & through]
        part[inside & ~through] = wall
        rim = np.abs(np.hypot(top[..., 0] - cx, top[..., 1] - cy) - bore - 0.4) < 0.5
        part[rim] *= 0.6


def _frame(image: Image, fine: Image, cam: Image, look: Look, rng: np.random.Generator, board: Board) -> None:
    """Frame, its inner walls and whatever stands around the board, over the surface's plane.

    Edges are found per quarter pixel; the colours between them are smooth and computed per pixel.
    """
    level = linear(look.light.colour) * look.light.level
    rough = np.ascontiguousarray(fine[::2, ::2])
    top = _at_height(rough, cam, board.frame_height_mm)
    out = _farther(top)
    shade = lamp_shade(top, look.light)
    grain = wood_grain(rng)
    ax, ay = np.abs(top[..., 0]), np.abs(top[..., 1])
    streaks = np.where(ax > ay, _textured(top, grain, True, 130.0), _textured(top, grain, False))
    mitre = np.clip(np.abs(ax - ay) / 1.2, 0.35, 1.0)
    rim = board.half_mm + board.frame_width_mm
    edge = np.clip((out - board.half_mm) / 4.0, 0.0, 1.0) * np.clip((rim - out) / 6.0, 0.4, 1)
    wood = linear(look.board.frame) * ((1 + 0.25 * streaks) * mitre * (0.75 + 0.35 * edge) * shade)[..., None] * level
    inner = linear(look.board.frame) * 0.55 * shade[..., None] * level
    floor = _at_height(rough, cam, -60.0) * np.float32(0.6)
    weave = 1 + 0.2 * _textured(floor, grain, False, 60.0)
    cloth = np.maximum(linear(look.board.around) * (weave * 0.7 * shade)[..., None] * level, 0.0)
    fine_out = _farther(_at_height(fine, cam, board.frame_height_mm))
    wall = (fine_out < board.half_mm) & (_farther(fine) >= board.half_mm)
    _paste(image, (fine_out >= board.half_mm) & (fine_out < rim), wood)
    _paste(image, wall, inner)
    _paste(image, fine_out >= rim, cloth)


def _paste(image: Image, where: npt.NDArray[np.bool_], colours: Image) -> None:
    """Sets the quarter pixels of a mask to the colours of their pixels."""
    fine = cv2.resize(colours, image.shape[1::-1], interpolation=cv2.INTER_NEAREST)
    cv2.copyTo(fine, where.view(np.uint8), image)
