"""What a drawn board had not: hands, hard shadows, lamps mirrored in lacquer and pieces on their edge, laid over flat
pictures, with their truth.

Hands are the cutouts that `scripts.teach.traced.cutouts` made. Flat pictures and arrays in and out; must not know how
they were drawn.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from controller.vision.finding.flat import Flat
from scripts.teach.otherwise import hidden_by, mirror_image

Rng = np.random.Generator
Array = npt.NDArray[Any]

HANDS, SECOND = 0.5, 0.1
"""How often a hand is laid over a picture, and another one over that."""
SHADES = 0.4
EDGES = 0.35
"""How often hard shadows fall, and how often pieces stand on their edge."""
SPOTS = 0.35
"""How often a lamp is mirrored that the empty board did not show. Matt pieces do not mirror it: beside it they seem
darker than they are."""
FLESH, THING, ON_EDGE = 1, 2, 3
"""What covers a place: a hand or its sleeve, something else, a piece on its edge."""
COVERED = 0.5
GAMMA = 2.2
REACH_MM = 330.0
NEAR_A_PIECE = 0.6
"""How often a hand is at a piece, as players' hands are."""
STAND_MM = 20.0
"""So far in mm from others' edges stands a piece on its edge."""
_AROUND = np.array(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))
PER_MM = 1.5
PALM_PX = (225.0, 240.0)
"""A cutout's scale, and where on it the palm is; both as `cutouts` draws them."""


def added(
    flat: Flat, colour: Array, truth: Array, radii_mm: Array, cutouts: Sequence[Path], rng: Rng
) -> tuple[Array, Array, Array]:
    """A flat picture (side, side, 3) uint8 with more on it than was drawn, its truth (N, 4): what is covered since
    is less visible, and what covers it since, (side, side) uint8: FLESH, ON_EDGE or 0. `radii_mm`: each class's."""
    covers = np.zeros(colour.shape[:2], dtype=np.uint8)
    light = (colour.astype(np.float32) / 255.0) ** GAMMA
    if rng.random() < EDGES:
        light = _on_edge(flat, light, covers, truth, radii_mm, rng)
    if rng.random() < SHADES:
        light = _shade(light, rng)
    if rng.random() < SPOTS:
        light = _spot(flat, light, truth, radii_mm, rng)
    hands = int(rng.random() < HANDS) + int(rng.random() < SECOND)
    for _ in range(hands if cutouts else 0):
        cutout = _read(cutouts[int(rng.integers(len(cutouts)))])
        light, truth = _hand(flat, light, covers, truth, radii_mm, cutout, rng)
    seen = np.clip(light, 0.0, 1.0) ** (1.0 / GAMMA) * 255.0
    grain = rng.standard_normal(seen.shape, dtype=np.float32) * np.float32(rng.uniform(0.3, 3.5))
    seen += cv2.GaussianBlur(grain, (0, 0), float(rng.uniform(0.4, 0.9))) * 2.0
    lit = np.clip(seen, 0, 255).astype(np.uint8)
    _, data = cv2.imencode(".jpg", lit, (cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(75, 97))))
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8), truth, covers


@lru_cache(maxsize=64)
def _read(path: Path) -> dict[str, Array]:
    cutout: dict[str, Array] = pickle.loads(path.read_bytes())
    return cutout


def _hand(
    flat: Flat, light: Array, marked: Array, truth: Array, radii_mm: Array, cutout: dict[str, Array], rng: Rng
) -> tuple[Array, Array]:
    """The light and the truth with a hand over them, which is marked in `marked`."""
    x, y = rng.uniform(-REACH_MM, REACH_MM, 2)
    if len(truth) and rng.random() < NEAR_A_PIECE:
        x, y = truth[int(rng.integers(len(truth))), 1:3] + rng.normal(0, 45, 2)
    turn = float(np.arctan2(y, x) + rng.normal(0, 0.5))
    here, along = flat.to_grid(np.array(((x, y), (x + np.cos(turn), y + np.sin(turn)))))
    # A hand is nearer to the camera than the board.
    size = flat.scale / PER_MM * float(rng.uniform(1.0, 1.08))
    way = (along - here) / np.linalg.norm(along - here) * size
    over = float(rng.choice((-1.0, 1.0)))
    matrix = np.array(((way[0], -way[1] * over), (way[1], way[0] * over)))
    warp = np.column_stack((matrix, here - matrix @ PALM_PX)).astype(np.float32)
    side = (light.shape[1], light.shape[0])

    def laid(part: Array, border: int) -> Array:
        beyond = [border] * 3
        turned = cv2.warpAffine(part, warp, side, flags=cv2.INTER_AREA, borderValue=beyond)
        return np.asarray(turned, dtype=np.float32) / np.float32(255.0)

    covers = laid(cutout["covers"], 0)[:, :, None]
    marked[covers[:, :, 0] > COVERED] = FLESH
    skin, shadow = laid(cutout["skin"], 0) ** 2, laid(cutout["shadow"], 255)
    if rng.random() < 0.5:
        sigma = float(rng.uniform(0.4, 1.0))
        covers = cv2.GaussianBlur(covers, (0, 0), sigma)[:, :, None]
        skin, shadow = cv2.GaussianBlur(skin, (0, 0), sigma), cv2.GaussianBlur(shadow, (0, 0), sigma)
    # What light falls there is told by the wood about, whose own brightness nobody knows.
    about = cv2.GaussianBlur(cv2.resize(light, (64, 64), interpolation=cv2.INTER_AREA).max(2), (0, 0), 8.0)
    falls = cv2.resize(about, side)[:, :, None] / np.float32(np.exp(rng.uniform(np.log(0.35), np.log(0.9))))
    tint = np.exp(rng.normal(0, 0.06, 3)).astype(np.float32)
    light = light * shadow * (1.0 - covers) + covers * skin * falls * tint
    hidden = np.array([_mean_within(covers[:, :, 0], flat, row[1:3], 0.85 * radii_mm[int(row[0])]) for row in truth])
    truth = truth.copy()
    if len(truth):
        truth[:, 3] *= 1.0 - hidden
    return np.asarray(light, dtype=np.float32), truth


def _mean_within(share: Array, flat: Flat, xy: Array, radius_mm: float) -> float:
    column, row = flat.to_grid(xy[None])[0]
    reach = int(np.ceil(radius_mm * flat.scale))
    r, c = round(float(row)), round(float(column))
    part = share[max(r - reach, 0) : r + reach + 1, max(c - reach, 0) : c + reach + 1]
    return float(part.mean()) if part.size else 0.0


def _shade(light: Array, rng: Rng) -> Array:
    """Somebody stands before a window, or a lamp's frame is in the way: hard or soft edges, one light less."""
    side, share = light.shape[0], np.zeros(light.shape[:2], dtype=np.float32)
    for _ in range(int(rng.integers(1, 4))):
        turn, at = rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 0.9, 2) * side
        along, across = np.array((np.cos(turn), np.sin(turn))), np.array((-np.sin(turn), np.cos(turn)))
        long, wide = 2.0 * side, side * float(rng.choice((rng.uniform(0.02, 0.12), rng.uniform(0.2, 0.8))))
        if rng.random() < 0.4:
            long = side * float(rng.uniform(0.1, 0.6))
        corners = at + _AROUND @ np.array((along * long / 2, across * wide / 2))
        corners += rng.normal(0, 0.04 * side, (4, 2))
        mask = np.zeros(light.shape[:2], dtype=np.uint8)
        cv2.fillPoly(mask, [np.round(corners * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        soft = float(np.exp(rng.uniform(np.log(0.7), np.log(16.0))))
        share = np.maximum(share, cv2.GaussianBlur(mask, (0, 0), soft).astype(np.float32) / np.float32(255.0))
    left = np.exp(rng.uniform(np.log(0.08), np.log(0.7)) + rng.normal(0, 0.1, 3)).astype(np.float32)
    return np.asarray(light * (1.0 - share[:, :, None] * (1.0 - left)), dtype=np.float32)


def _spot(flat: Flat, light: Array, truth: Array, radii_mm: Array, rng: Rng) -> Array:
    """A lamp's mirror image in the lacquer, up to more than a camera can show: it adds to the board, not to pieces."""
    glow = mirror_image(flat.side, rng)
    glow *= np.float32(np.exp(rng.uniform(np.log(0.1), np.log(2.5)))) / max(float(glow.max()), 1e-6)
    if rng.random() < 0.5:
        # A lamp's glass has an edge: bright up to it.
        glow = np.minimum(glow, np.float32(rng.uniform(0.3, 0.8)) * glow.max())
    discs = np.column_stack((flat.to_grid(truth[:, 1:3]), radii_mm[truth[:, 0].astype(int)] * flat.scale))
    tint = np.exp(rng.normal(0, 0.08, 3)).astype(np.float32)
    return np.asarray(light + hidden_by(glow, discs, rng)[:, :, None] * tint, dtype=np.float32)


def _on_edge(flat: Flat, light: Array, over: Array, truth: Array, radii_mm: Array, rng: Rng) -> Array:
    """One or two pieces more, on their edge: a wall as long as a piece is wide, leaning away from the camera's foot."""
    for _ in range(int(rng.integers(1, 3))):
        row = truth[int(rng.integers(len(truth)))] if len(truth) else np.zeros(4)
        x, y = rng.uniform(-REACH_MM, REACH_MM, 2)
        radius, thick = float(radii_mm[int(row[0])]), float(rng.uniform(6.5, 10.0))
        if (
            not row[0]
            or (np.hypot(truth[:, 1] - x, truth[:, 2] - y) < radii_mm[truth[:, 0].astype(int)] + STAND_MM).any()
        ):
            continue
        colour = _tone(flat, light, row, 0.8 * radius) * np.exp(rng.normal(-0.15, 0.3))
        foot = np.asarray(flat.model.centre_mm)
        turn = float(rng.uniform(0, np.pi))
        along, across = np.array((np.cos(turn), np.sin(turn))), np.array((-np.sin(turn), np.cos(turn)))
        shadow_at, shadow = np.array((x, y)) + rng.normal(0, 0.3, 2) * radius, float(rng.uniform(0.4, 0.95))
        _paint(flat, light, shadow_at, along, across, radius, thick * 1.5, shadow)
        for z in np.linspace(0.0, 2.0 * radius, 12):
            half = np.sqrt(max(radius**2 - (z - radius) ** 2, 0.0)) + 0.5
            lean = (np.array((x, y)) - foot[:2]) * (z - flat.z_mm) / (foot[2] - z)
            lit = colour * np.float32(0.55 + 0.45 * z / (2 * radius))
            _paint(flat, light, np.array((x, y)) + lean, along, across, half, thick, lit)
            cv2.fillPoly(over, [_bar(flat, np.array((x, y)) + lean, along, across, half, thick)], ON_EDGE, shift=4)
    return light


def _tone(flat: Flat, light: Array, row: Array, radius_mm: float) -> Array:
    column, line = flat.to_grid(row[None, 1:3])[0]
    reach = max(1, int(radius_mm * flat.scale / 1.5))
    r, c = round(float(line)), round(float(column))
    part = light[max(r - reach, 0) : r + reach + 1, max(c - reach, 0) : c + reach + 1]
    return np.asarray(np.median(part.reshape(-1, 3), 0) if part.size else np.full(3, 0.2), dtype=np.float32)


def _paint(
    flat: Flat, light: Array, at: Array, along: Array, across: Array, half_mm: float, thick_mm: float, colour: Any
) -> None:
    """Lays a bar of a colour, or of a share of the light below (a number), into the picture."""
    bar = _bar(flat, at, along, across, half_mm, thick_mm)
    low, high = np.maximum(bar.min(0) // 16 - 2, 0), bar.max(0) // 16 + 3
    part = light[low[1] : high[1], low[0] : high[0]]
    if not part.size:
        return
    mask = np.zeros(part.shape[:2], dtype=np.uint8)
    cv2.fillPoly(mask, [bar - 16 * low.astype(np.int32)], 255, cv2.LINE_AA, 4)
    share = mask.astype(np.float32)[:, :, None] / np.float32(255.0)
    new = part * np.float32(colour) if np.ndim(colour) == 0 else colour
    part[:] = part * (1.0 - share) + share * new


def _bar(flat: Flat, at: Array, along: Array, across: Array, half_mm: float, thick_mm: float) -> Array:
    """A bar's corners on the grid, in sixteenths of a pixel."""
    corners = at + _AROUND @ np.array((along * half_mm, across * thick_mm / 2))
    return np.round(flat.to_grid(corners) * 16).astype(np.int32)
