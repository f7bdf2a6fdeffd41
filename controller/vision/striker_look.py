"""What a striker at rest looks like: its size across and the colours of its rings, measured in one picture.

Rings are listed from the middle outwards, so that a striker may lie turned as it likes. Must not know players or rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import CameraModel, Floats
from controller.vision.looks import Pixels, tone

ANGLES = np.arange(0.0, 2.0 * np.pi, np.pi / 36.0)
STEP_MM = 0.25
RINGS = ((0.0, 0.25), (0.25, 0.45), (0.45, 0.65), (0.65, 0.85))
"""In shares of the radius; beyond them the rim's own light and shadow begin."""

AROUND = (1.18, 1.35)
EDGE_REACH_MM = 4.0
ASIDE = np.cos(np.radians(40.0))
"""Only rays across the line to the camera's foot tell the size: there the wall is not seen, and an error of the
centre adds on one side what it takes on the other."""

LEAST_EDGE = 0.5
"""Log steps a millimetre, summed over the rim's width, below which no rim is seen."""


@dataclass(frozen=True, eq=False)
class StrikerLook:
    """Size across in mm (None where no clear rim is seen) and tones of the rings against the wood, (rings, 3)."""

    across_mm: float | None
    rings: Floats


def striker_look(
    picture: Pixels, model: CameraModel, at_mm: tuple[float, float], across_mm: float, height_mm: float
) -> StrikerLook | None:
    """Measures the striker at a place of a picture (h, w, 3) BGR; None where it is not wholly in the picture.

    `across_mm`: about how large it is, `height_mm`: its top's height.
    """
    radius = across_mm / 2.0
    radii = np.arange(STEP_MM, AROUND[1] * radius + EDGE_REACH_MM, STEP_MM)
    unit = np.stack((np.cos(ANGLES), np.sin(ANGLES)), 1)
    points = np.array(at_mm) + unit[:, None, :] * radii[None, :, None]
    px = model.project_plane(points.reshape(-1, 2), height_mm)
    if not model.in_picture(px, 1.0).all():
        return None
    x, y = (np.ascontiguousarray(px[:, k].reshape(len(ANGLES), -1), dtype=np.float32) for k in (0, 1))
    seen = cv2.remap(picture, x, y, cv2.INTER_LINEAR).astype(np.float64)
    share = radii / radius
    around = seen[:, (share > AROUND[0]) & (share < AROUND[1])].reshape(-1, 3)
    wood = np.median(around, 0)
    rings = []
    for low, high in RINGS:
        tones = tone(seen[:, (share >= low) & (share < high)].reshape(-1, 3), wood)
        # The darker part is its own colour, the brighter may be a lamp's mirror image.
        order = np.argsort(tones.sum(1))
        rings.append(np.median(tones[order[: len(order) * 6 // 10]], 0))
    away = np.array(at_mm) - model.centre_mm[:2]
    away = away / max(float(np.hypot(*away)), 1.0)
    across = np.abs(unit @ away) < 1.0 - ASIDE if np.hypot(*away) > 0.5 else np.ones(len(ANGLES), dtype=np.bool_)
    return StrikerLook(_across(seen[across], radii, radius), np.array(rings))


def _across(seen: Floats, radii: Floats, radius: float) -> float | None:
    """The size across by the steepest common step of some rays (N, radii, 3) near the supposed rim."""
    calm = cv2.GaussianBlur(np.log(seen.mean(2) + 12.0), (0, 0), 1.6, sigmaY=0.01)
    slope = np.abs(np.gradient(calm, STEP_MM, axis=1)).mean(0)
    near = np.abs(radii - radius) < EDGE_REACH_MM / 2.0
    best = int(np.argmax(np.where(near, slope, 0.0)))
    if not 0 < best < len(radii) - 1 or slope[best] < LEAST_EDGE * float(np.median(slope[near])) + 0.03:
        return None
    a, b, c = slope[best - 1 : best + 2]
    bend = min(a - 2.0 * b + c, -1e-9)
    return float(2.0 * (radii[best] + np.clip(0.5 * (a - c) / bend, -1.0, 1.0) * STEP_MM))


def typical(looks: Sequence[StrikerLook]) -> StrikerLook:
    """The middle of several looks of one striker."""
    sizes = [look.across_mm for look in looks if look.across_mm is not None]
    return StrikerLook(float(np.median(sizes)) if sizes else None, np.median([look.rings for look in looks], 0))


def unlikeness(a: StrikerLook, b: StrikerLook) -> tuple[float, float]:
    """How two looks differ: in tone (mean over rings but the worst, as logarithms) and in size, mm."""
    each = np.sort(np.abs(a.rings - b.rings).mean(1))
    size = 0.0 if a.across_mm is None or b.across_mm is None else abs(a.across_mm - b.across_mm)
    # One ring may lie in a lamp's mirror image.
    return float(each[:-1].mean()), size
