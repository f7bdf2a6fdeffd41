"""Brightness across markings, and where in it a stroke or an edge lies, and how wide it is. Arrays in, arrays out.

A profile is the mean along a short piece of a marking. Must not know boards, nor what the marking is called.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel, Floats
from calibration.markings import smooth_step, stroke_response

STEP_MM = 0.25
LEAST_CLEAR = 4.0
"""Deviations of what lies about it by which a stroke or an edge must stand out."""

FIRST = 0.5
"""An edge half as strong as the strongest within reach is an edge; the first one is the one that is wanted."""

BARE_MM = (7.0, 14.0)
"""How far beyond the reach bare wood begins, and how far it is read: nearer to it the edge may still lie."""

EDGE_MM = 1.5
"""So much on either side tells of an edge: less than half the way from a cushion's foot to its top as it is seen."""


def read_across(
    luma: NDArray[np.uint8], model: CameraModel, xy: Floats, across: Floats, reach_mm: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Mean brightness across S pieces of P places each, `xy` and `across` (S, P, 2), in a picture (h, w) uint8.

    Offsets (K,) in mm, as far as `BARE_MM` beyond the reach, profiles (S, K), and which pieces (S,) lie in the picture.
    """
    count, places = xy.shape[:2]
    far = round((reach_mm + BARE_MM[1]) / STEP_MM)
    offsets = np.arange(-far, far + 1, dtype=np.float64) * STEP_MM
    spots = xy[:, :, None] + across[:, :, None] * offsets[None, None, :, None]
    px = model.project_plane(spots.reshape(-1, 2))
    seen = np.asarray(model.in_picture(px, 2.0).reshape(count, -1).all(1))
    x, y = (np.clip(px[:, k], -1e4, 1e4).astype(np.float32).reshape(count * places, -1) for k in (0, 1))
    value = cv2.remap(luma, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    return offsets, _linear(value).reshape(count, places, -1).mean(1), seen


def stroke_places(
    offsets: Floats, profiles: Floats, width_mm: float, blur_mm: float, reach_mm: float
) -> tuple[Floats, Floats]:
    """Where strokes `width_mm` wide lie across (S,) in mm, and how clearly (S,): 0 where none is found.

    Dark or pale: what most of the pieces are, they all are.
    """
    return _peaks(offsets, stroke_response(profiles, width_mm, blur_mm), reach_mm, first=False)


def edge_places(offsets: Floats, profiles: Floats, reach_mm: float, *, first: bool) -> tuple[Floats, Floats]:
    """The same for edges; `first`: the first from within that is no mere shade, not the strongest."""
    half = round(EDGE_MM / STEP_MM)
    kernel = np.concatenate((np.full(half, -1.0), (0.0,), np.full(half, 1.0))) / half
    steps = cv2.filter2D(profiles, cv2.CV_64F, kernel[None, :], borderType=cv2.BORDER_REPLICATE)
    return _peaks(offsets, np.asarray(steps, dtype=np.float64), reach_mm, first=first)


def _peaks(offsets: Floats, response: Floats, reach_mm: float, *, first: bool) -> tuple[Floats, Floats]:
    inside = np.abs(offsets) <= reach_mm + 1e-9
    core, places = response[:, inside], offsets[inside]
    if not len(core):
        return np.zeros(0), np.zeros(0)
    if np.median(core.max(1)) < np.median((-core).max(1)):
        core = -core
    bare = np.abs(offsets) > reach_mm + BARE_MM[0]
    noise = 1.4826 * float(np.median(np.abs(response[:, bare]))) + 0.5
    best = np.argmax(core, 1)
    if first:
        top = (core[:, 1:-1] >= core[:, :-2]) & (core[:, 1:-1] >= core[:, 2:])
        strong = top & (core[:, 1:-1] >= FIRST * core.max(1, keepdims=True))
        best = np.where(strong.any(1), np.argmax(strong, 1) + 1, best)
    rows = np.arange(len(core))
    clear = core[rows, best] / noise
    # At the end of the reach nothing was found, only the flank of something else.
    clear[(best < 2) | (best > len(places) - 3)] = 0.0
    best = np.clip(best, 1, len(places) - 2)
    a, b, c = core[rows, best - 1], core[rows, best], core[rows, best + 1]
    bend = np.minimum(a - 2.0 * b + c, -1e-6)
    off = places[best] + np.clip(0.5 * (a - c) / bend, -1.0, 1.0) * STEP_MM
    return off, np.where(clear >= LEAST_CLEAR, clear, 0.0)


def stroke_width(
    luma: NDArray[np.uint8],
    model: CameraModel,
    xy: Floats,
    across: Floats,
    width_mm: float,
    paint: tuple[float, float] | None,
) -> tuple[float, float, float] | None:
    """How wide a straight stroke of S pieces (`xy`, `across`: (S, P, 2)) is, about `width_mm`; None if not seen.

    Width in mm, how soft its edges are (one standard deviation, mm) and how much darker it is than the wood (share).
    `paint`: softness and darkness where they are known: a stroke of a pixel's width shows only both together.
    """
    reach = width_mm / 2.0 + WOOD_MM
    offsets, profiles, seen = read_across(luma, model, xy, across, 1.5)
    profiles = profiles[seen]
    if len(profiles) < 3:
        return None
    off, clear = stroke_places(offsets, profiles, width_mm, 0.8 / model.px_per_mm, 1.5)
    if np.count_nonzero(clear) < 3:
        return None
    half = round(reach / STEP_MM)
    fine = np.arange(-half, half + 1, dtype=np.float64) * STEP_MM
    aligned = [np.interp(fine + o, offsets, row) for o, row in zip(off[clear > 0], profiles[clear > 0], strict=True)]
    # Each against its own wood: light is uneven along the board.
    wood = [float(np.median(row[np.abs(fine) > width_mm / 2.0 + WOOD_MM / 2.0])) for row in aligned]
    level = np.median([row / max(w, 1.0) for row, w in zip(aligned, wood, strict=True)], 0)
    softs = np.arange(0.25, 1.3, 0.1) / model.px_per_mm if paint is None else np.array((paint[0],))
    widths = np.arange(0.4, 2.0 * width_mm + 1.0, 0.05)
    tried = np.stack([_box(fine, widths[:, None], float(soft)) for soft in softs])
    which, at = divmod(int(np.argmin(_misfits(fine, level, tried, None if paint is None else paint[1]))), len(widths))
    if paint is not None:
        return float(widths[at]), float(softs[which]), paint[1]
    design = np.stack((np.ones_like(fine), fine, tried[which, at]), 1)
    return float(widths[at]), float(softs[which]), -float(np.linalg.lstsq(design, level, rcond=None)[0][2])


def _misfits(fine: Floats, level: Floats, strokes: Floats, dark: float | None) -> Floats:
    """What each stroke (..., K) on wood that grows evenly darker leaves unexplained of a profile (K,), squared and
    summed: (...). `dark`: how much darker the strokes are; None: as fits best."""
    wood = np.linalg.qr(np.stack((np.ones_like(fine), fine), 1))[0]
    bare, rest = level - wood @ (wood.T @ level), strokes - strokes @ wood @ wood.T
    if dark is None:
        by: Floats = (rest @ bare / np.maximum((rest**2).sum(-1), 1e-12))[..., None]
    else:
        by = np.array(-dark)
    left: Floats = ((bare - by * rest) ** 2).sum(-1)
    return left


def _linear(grey: Floats) -> Floats:
    """Light from grey levels: a soft camera mixes light, and grey levels make dark strokes in it look narrow."""
    return np.asarray(255.0 * (np.maximum(grey, 0.0) / 255.0) ** GAMMA)


GAMMA = 2.2
WOOD_MM = 4.0
"""So much wood beside a stroke is examined."""


def _box(at: Floats, width: float | Floats, soft: float) -> Floats:
    """A stroke with soft edges, or one for each width (N, 1): 1 inside."""
    box: Floats = smooth_step((at + width / 2.0) / soft) - smooth_step((at - width / 2.0) / soft)
    return box


def stroke_ends(
    luma: NDArray[np.uint8], model: CameraModel, quarters: tuple[tuple[int, int], ...], ends_mm: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Where strokes along the diagonals begin and end, as distances from the middle, with one standard deviation each.

    All four together, against the wood beside them; None where they do not stand out.
    """
    found = []
    for end, inward in ((ends_mm[0], 1.0), (ends_mm[1], -1.0)):
        along = end + inward * np.arange(-END_MM, END_MM + 1e-6, STEP_MM)
        rows = []
        for sx, sy in quarters:
            way = np.array((sx, sy)) / 2**0.5
            aside = np.array((-way[1], way[0]))
            spots = along[:, None] * way
            rays = [spots + aside * beside for beside in (0.0, -BESIDE_MM, BESIDE_MM)]
            px = model.project_plane(np.concatenate(rays))
            if not model.in_picture(px, 2.0).all():
                continue
            x, y = (px[:, k].astype(np.float32).reshape(3, -1) for k in (0, 1))
            on, *wood = cv2.remap(luma, x, y, cv2.INTER_LINEAR).astype(np.float64)
            rows.append(on / np.maximum(np.mean(wood, 0), 1.0) - 1.0)
        if len(rows) < 2:
            return None
        each = [_onset(along, row) for row in rows]
        places = np.array([place for place in each if place is not None])
        if len(places) < 2:
            return None
        spread = 1.4826 * float(np.median(np.abs(places - np.median(places))))
        found.append((float(np.median(places)), max(spread, STEP_MM) / len(places) ** 0.5))
    (near, u_near), (far, u_far) = found
    # An arrow is finer than a pixel before it ends, and its other end lies in its arch.
    return (near, far), (float(np.hypot(u_near, BLUNT_MM)), float(np.hypot(u_far, BLUNT_MM)))


END_MM, BESIDE_MM, BLUNT_MM = 12.0, 6.5, 1.2
LEAST_STEP = 0.04
"""Of the wood's brightness: strokes of less contrast have no certain end."""


def _onset(along: Floats, row: Floats) -> float | None:
    """Where, from without, a stroke's contrast first reaches half of what it has farther in."""
    inside = float(np.median(row[len(row) * 2 // 3 :]))
    outside = float(np.median(row[: len(row) // 4]))
    if abs(inside - outside) < LEAST_STEP:
        return None
    share = (row - outside) / (inside - outside)
    beyond = np.nonzero(share > 0.5)[0]
    # The last place from within at which it is still below.
    below = np.nonzero(share[: len(row) * 2 // 3] < 0.5)[0]
    if not len(beyond) or not len(below):
        return None
    k = int(below[-1])
    part = (0.5 - share[k]) / max(share[k + 1] - share[k], 0.5 - share[k])
    return float(along[k] + part * (along[k + 1] - along[k]))
