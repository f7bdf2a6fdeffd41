"""The board's painted markings as places where a line or an edge must be, and where a picture shows them to be.

Arrays in, arrays out. Each marking is sampled at points with a direction across it; across each the picture's
brightness is read, and a stroke of the right width is searched for there, dark or pale. Must not know files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import SEATS, Board, seat_to_board
from calibration.camera import CameraModel, Floats


@dataclass(frozen=True, eq=False)
class Markings:
    """Sample points of painted strokes: `xy` (N, 2) in mm on their centre lines, `across` (N, 2) unit directions
    across them, `width_mm` (N,) and `group` (N,), the number of the marking each belongs to; `names` of the groups.
    `half_mm`: half the side of the playing surface.
    """

    xy: Floats
    across: Floats
    width_mm: Floats
    group: NDArray[np.int64]
    names: tuple[str, ...]
    half_mm: float


def markings_of(board: Board, spacing_mm: float = 4.0) -> Markings:
    """Samples a board's base lines, circles and arrows."""
    parts: list[tuple[str, Floats, Floats, float]] = []
    outer = (board.outer_line_y_mm[0] + board.outer_line_y_mm[1]) / 2.0
    inner = (board.inner_line_y_mm[0] + board.inner_line_y_mm[1]) / 2.0
    reach = board.line_half_length_mm - board.base_circle_diameter_mm / 2.0 - 2.0
    for seat in SEATS:
        along = np.arange(-reach, reach + 1e-6, spacing_mm)
        for name, away, edges in (("outer", outer, board.outer_line_mm), ("inner", inner, board.inner_line_mm)):
            xy = np.array([seat_to_board(seat, float(x), away) for x in along])
            normal = np.array(seat_to_board(seat, 0.0, 1.0))
            parts.append((f"{seat} {name} base line", xy, np.tile(normal, (len(xy), 1)), edges[1] - edges[0]))
    for k, (cx, cy) in enumerate(board.base_circles_mm):
        radius = board.base_circle_diameter_mm / 2.0 - 0.4
        parts.append((f"base circle {k + 1}", *_circle(cx, cy, radius, spacing_mm), 0.8))
    # Diameters are told to the outside of the stroke.
    radius = board.outer_circle_diameter_mm / 2.0 - 0.5
    parts.append(("outer circle", *_circle(0.0, 0.0, radius, spacing_mm), 1.0))
    near, far = board.arrow_radii_mm
    for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        direction = np.array((sx, sy)) / np.sqrt(2.0)
        along = np.arange(near + 6.0, far - 18.0, spacing_mm)
        normal = np.array((-direction[1], direction[0]))
        xy = along[:, None] * direction
        parts.append((f"arrow {sx:+d}{sy:+d}", xy, np.tile(normal, (len(xy), 1)), board.arrow_line_width_mm))
    return Markings(
        np.concatenate([p[1] for p in parts]),
        np.concatenate([p[2] for p in parts]),
        np.concatenate([np.full(len(p[1]), p[3]) for p in parts]),
        np.concatenate([np.full(len(p[1]), k) for k, p in enumerate(parts)]),
        tuple(p[0] for p in parts),
        board.half_mm,
    )


@dataclass(frozen=True, eq=False)
class Measured:
    """What a picture shows at each sample: `off_mm` (N,) how far across the stroke was found, `weight` (N,) 0…1 how
    clearly, `seen` (N,) whether the sample lies in the picture.
    """

    off_mm: Floats
    weight: Floats
    seen: NDArray[np.bool_]


STEP_MM = 0.25
MARGIN_MM = 8.0
"""What lies this far beside the reach still tells how much strokes stand out here."""

BARE_MM = (7.0, 14.0)
"""How far beyond the reach a ray shows bare wood: nearer to it a stroke, and what answers beside it, may still lie."""


def measure(
    luma: NDArray[np.uint8], model: CameraModel, markings: Markings, reach_mm: float, *, bare: bool = False
) -> Measured:
    """Looks for every sample's stroke within `reach_mm` across it, in a picture (h, w) uint8.

    `bare`: how clear a stroke is counts against bare wood alone, so that sharp paint is not its own noise; without it,
    against all that lies there, so that paint of low contrast is left alone.
    """
    offsets, response, seen = responses(luma, model, markings, reach_mm + (BARE_MM[1] if bare else MARGIN_MM))
    n = len(markings.xy)
    core = response[:, np.abs(offsets) <= reach_mm + 1e-9]
    places = offsets[np.abs(offsets) <= reach_mm + 1e-9]
    # Dark on pale or pale on dark: what most of the paint is, it all is.
    peak_dark, peak_pale = core.max(1), (-core).max(1)
    strong = seen & (np.maximum(peak_dark, peak_pale) > 2.0)
    if np.count_nonzero(peak_pale[strong] > peak_dark[strong]) > np.count_nonzero(strong) / 2:
        core = -core
    best = np.clip(np.argmax(core, 1), 1, core.shape[1] - 2)
    rows = np.arange(n)
    a, b, c = core[rows, best - 1], core[rows, best], core[rows, best + 1]
    bend = np.minimum(a - 2.0 * b + c, -1e-6)
    off = places[best] + np.clip(0.5 * (a - c) / bend, -1.0, 1.0) * STEP_MM
    around = response[:, np.abs(offsets) > reach_mm + BARE_MM[0]] if bare else response
    noise = 1.4826 * float(np.median(np.median(np.abs(around), 1)[seen])) + 0.5 if seen.any() else 1.0
    clear = b / noise
    certain = np.clip((clear - 3.0) / 5.0, 0.0, 1.0) * seen
    # At the end of the reach nothing was found, only the flank of something else.
    certain *= np.abs(places[best]) < reach_mm - STEP_MM
    return Measured(off, certain, seen)


def where_seen(luma: NDArray[np.uint8], model: CameraModel, markings: Markings) -> Markings:
    """The same markings, what a picture (h, w) uint8 shows of them moved across to where it lies there."""
    measured = measure(luma, model, markings, SEEN_MM, bare=True)
    off = np.where(measured.weight > 0.2, measured.off_mm, 0.0)
    return replace(markings, xy=markings.xy + markings.across * off[:, None])


SEEN_MM = 1.5
"""No paint lies farther off a fit."""


def responses(
    luma: NDArray[np.uint8], model: CameraModel, markings: Markings, reach_mm: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """How much each place within `reach_mm` across each sample looks like its stroke, in a picture (h, w) uint8.

    Offsets (K,) in mm, grey levels (N, K), positive where it is darker than both sides, and which samples (N,) lie in
    the picture.
    """
    n = len(markings.xy)
    offsets = np.arange(-reach_mm, reach_mm + 1e-6, STEP_MM)
    px = _along(model, markings, offsets)
    ends = model.in_picture(px[:, [0, -1]].reshape(-1, 2), 2.0).reshape(n, 2)
    seen: NDArray[np.bool_] = ends[:, 0] & ends[:, 1]
    x, y = (np.ascontiguousarray(np.clip(px[:, :, k], -1e4, 1e4), dtype=np.float32) for k in (0, 1))
    profile = cv2.remap(luma, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    # Samples side by side see the same stroke: their mean is calmer than each.
    same = markings.group
    smooth = profile.copy()
    weight = np.ones((n, 1))
    for d in (1, 2):
        for shift in (d, -d):
            alike = (np.roll(same, shift) == same)[:, None]
            smooth += np.where(alike, np.roll(profile, shift, 0), 0.0)
            weight += alike
    profile = smooth / weight
    blur_mm = 0.8 / model.px_per_mm
    response = np.zeros_like(profile)
    for width in np.unique(markings.width_mm):
        mine = markings.width_mm == width
        response[mine] = stroke_response(profile[mine], float(width), blur_mm)
    return offsets, response, seen


def _along(model: CameraModel, markings: Markings, offsets: Floats) -> Floats:
    """Where each sample's line across its stroke lies in the picture: (N, offsets, 2) in px."""
    # Over a few centimetres a lens bends a line into a parabola to a thousandth of a pixel, so three points will do.
    far = float(np.abs(offsets).max())
    ends = markings.xy[:, None, :] + markings.across[:, None, :] * np.array((-far, 0.0, far))[None, :, None]
    before, at, after = np.moveaxis(model.project_plane(ends.reshape(-1, 2)).reshape(len(markings.xy), 3, 2), 1, 0)
    share = (offsets / far)[None, :, None]
    slope, bend = (after - before)[:, None] / 2.0, (after + before - 2.0 * at)[:, None] / 2.0
    places: Floats = at[:, None] + share * (slope + share * bend)
    return places


def stroke_response(profile: Floats, width_mm: float, blur_mm: float) -> Floats:
    """How much each place looks like the middle of a dark stroke `width_mm` wide: darker than both sides."""
    reach = width_mm / 2.0 + 3.0
    at = np.arange(-round(reach / STEP_MM), round(reach / STEP_MM) + 1) * STEP_MM
    soft = np.hypot(blur_mm, 0.3)
    stroke = smooth_step((at + width_mm / 2.0) / soft) - smooth_step((at - width_mm / 2.0) / soft)
    kernel = stroke - stroke.mean()
    kernel /= np.sum(kernel * stroke)
    found: Floats = -np.asarray(
        cv2.filter2D(profile, cv2.CV_64F, kernel[None, :], borderType=cv2.BORDER_REPLICATE), dtype=np.float64
    )
    return found


def smooth_step(x: Floats) -> Floats:
    """A smooth step from 0 to 1, near enough to the integral of a Gaussian."""
    rise: Floats = 1.0 / (1.0 + np.exp(-1.702 * x))
    return rise


def _circle(cx: float, cy: float, radius: float, spacing_mm: float) -> tuple[Floats, Floats]:
    count = max(int(2 * np.pi * radius / spacing_mm), 12)
    angle = np.arange(count) * 2 * np.pi / count
    across = np.stack((np.cos(angle), np.sin(angle)), 1)
    return across * radius + np.array((cx, cy)), across
