"""Hands and forearms over the board: shapes in the picture that hide what is below and cast a soft shadow.

Drawn on the finished 8-bit picture; knows no pieces.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import seat_to_board
from controller.simulator.lens import View
from controller.simulator.looks import Look
from controller.simulator.pieces import to_seat
from controller.simulator.scene import ArmPose

Picture = npt.NDArray[np.uint8]
_SHIFT = 4

# Outlines in the seat's own view, mm: x to the player's right, y towards the player, fingertip at the origin.
_HAND = np.array(
    (
        (-7, 2), (-8, 22), (-11, 45), (-24, 44), (-30, 52), (-36, 74), (-45, 84), (-47, 104), (-38, 128), (-32, 158),
        (30, 158), (34, 128), (38, 104), (39, 82), (35, 62), (24, 48), (11, 44), (8, 22), (7, 2), (3, -3), (-3, -3),
    ),
    dtype=np.float64,
)  # fmt: skip
_FOREARM_WIDTH_MM = (64.0, 96.0)
_SLEEVE_FROM_MM = 210.0


@dataclass(frozen=True)
class ArmShape:
    """An arm's outlines in px, and its bounding box (x0, y0, x1, y1), shadow included."""

    skin: npt.NDArray[np.float64]
    sleeve: npt.NDArray[np.float64]
    shadow: npt.NDArray[np.float64]
    lines: tuple[npt.NDArray[np.float64], ...]
    box: tuple[int, int, int, int]


def outline_mm(arm: ArmPose) -> npt.NDArray[np.float64]:
    """The whole arm's outline on the board in mm, from the fingertip to beyond the frame."""
    hand, sleeve = _parts(arm)
    return np.concatenate((hand[:10], sleeve[1:3], hand[10:]))


def shape(arm: ArmPose, view: View, look: Look) -> ArmShape:
    """Projects an arm: the fingers near the surface, the forearm rising towards its player."""
    hand, sleeve = _parts(arm)
    tip = np.array(to_seat(arm.seat, arm.x_mm, arm.y_mm))

    def raised(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        back = np.clip((points @ np.array(seat_to_board(arm.seat, 0.0, 1.0))) - tip[1], 0.0, 500.0)
        heights = arm.z_mm + 12.0 + np.minimum(back, 120.0) * 0.35 + np.maximum(back - 120.0, 0.0) * 0.12
        return np.concatenate((points, heights[:, None]), axis=1)

    skin3, sleeve3 = raised(hand), raised(sleeve)
    whole = raised(outline_mm(arm))
    lamp = np.array(look.light.at_mm)
    fall = whole[:, 2:3] / (lamp[2] - whole[:, 2:3])
    dark = np.concatenate((whole[:, :2] + (whole[:, :2] - lamp[:2]) * fall, np.zeros((len(whole), 1))), axis=1)
    skin, over, shadow = view.project(skin3), view.project(sleeve3), view.project(dark)
    creases = tuple(view.project(raised(_place(arm, np.array(line)))) for line in _CREASES)
    every = np.concatenate((skin, over, shadow))
    lo, hi = np.floor(every.min(axis=0)) - 12, np.ceil(every.max(axis=0)) + 12
    w, h = view.lens.width, view.lens.height
    box = (int(np.clip(lo[0], 0, w)), int(np.clip(lo[1], 0, h)), int(np.clip(hi[0], 0, w)), int(np.clip(hi[1], 0, h)))
    return ArmShape(skin, over, shadow, creases, box)


_OUT_OF_SIGHT_MM = 790.0
"""So far from the middle of the board the sleeve leads: beyond any frame, and what a camera shows beside it."""

_CREASES = (
    ((-9.0, 30.0), (-14.0, 62.0)),
    ((10.0, 34.0), (14.0, 66.0)),
    ((24.0, 52.0), (25.0, 74.0)),
    ((-4.0, 14.0), (4.0, 14.0)),
)


def _parts(arm: ArmPose) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    _, away = to_seat(arm.seat, arm.x_mm, arm.y_mm)
    end = max(_OUT_OF_SIGHT_MM - away, _SLEEVE_FROM_MM + 60.0)
    near, far = _FOREARM_WIDTH_MM
    sleeve = np.array(
        ((-near / 2 - 4, _SLEEVE_FROM_MM), (-far / 2, end), (far / 2, end), (near / 2 + 4, _SLEEVE_FROM_MM)),
        dtype=np.float64,
    )
    wrist = np.array(((-near / 2, _SLEEVE_FROM_MM + 10), (near / 2, _SLEEVE_FROM_MM + 10)))
    hand = np.concatenate((_HAND[:10], wrist, _HAND[10:]))
    return _place(arm, hand), _place(arm, sleeve)


def _place(arm: ArmPose, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    local = points * np.array((-1.0 if arm.left else 1.0, 1.0))
    local = local + np.array((arm.slant, 0.0)) * local[:, 1:2]
    right, back = np.array(seat_to_board(arm.seat, 1.0, 0.0)), np.array(seat_to_board(arm.seat, 0.0, 1.0))
    return np.asarray(np.array((arm.x_mm, arm.y_mm)) + local[:, :1] * right + local[:, 1:] * back)


def mask(polygon: npt.NDArray[np.float64], box: tuple[int, int, int, int], soften_px: float) -> npt.NDArray[np.float32]:
    """Coverage (0 to 1) of a polygon within a box of the picture."""
    x0, y0, x1, y1 = box
    canvas = np.zeros((y1 - y0, x1 - x0), dtype=np.uint8)
    points = np.round((polygon - np.array((x0, y0))) * (1 << _SHIFT)).astype(np.int32)
    cv2.fillPoly(canvas, [points], 255, cv2.LINE_AA, _SHIFT)
    if soften_px > 0.3:
        canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), soften_px), dtype=np.uint8)
    return canvas.astype(np.float32) * np.float32(1 / 255)


def draw(
    picture: Picture, arm: ArmShape, look: Look, px_per_mm: float, smear_px: float = 0.0
) -> npt.NDArray[np.float32]:
    """Draws an arm into the picture and returns its coverage within `arm.box`."""
    x0, y0, x1, y1 = arm.box
    if x1 <= x0 or y1 <= y0:
        return np.zeros((max(y1 - y0, 0), max(x1 - x0, 0)), dtype=np.float32)
    edge = 0.8 + smear_px / 3.0
    skin = mask(arm.skin, arm.box, edge)
    sleeve = mask(arm.sleeve, arm.box, edge)
    shadow = mask(arm.shadow, arm.box, 14.0 * px_per_mm) * np.float32(min(look.light.shadow * 0.8, 0.5))
    # Round limbs: darker towards their edges, from a wide blur of their own outline.
    body = cv2.GaussianBlur(np.maximum(skin, sleeve), (0, 0), 9.0 * px_per_mm)
    relief = np.clip(0.45 + 0.6 * body, 0.0, 1.05)
    part = picture[y0:y1, x0:x1]
    work = part.astype(np.float32)
    work *= (1 - shadow)[..., None]
    bright = 0.8 + 0.2 * look.light.level
    for area, colour in ((skin, look.skin), (sleeve, look.sleeve)):
        work += area[..., None] * (relief[..., None] * (np.array(colour[::-1], dtype=np.float32) * bright) - work)
    np.clip(work, 0, 255, out=work)
    part[:] = work.astype(np.uint8)
    for line in arm.lines:
        points = np.round((line) * (1 << _SHIFT)).astype(np.int32)
        dark = tuple(float(c) * 0.55 for c in look.skin[::-1])
        cv2.polylines(picture, [points], False, dark, max(1, round(1.2 * px_per_mm)), cv2.LINE_AA, _SHIFT)
    return np.maximum(skin, sleeve)
