"""Hands with a forearm and a sleeve as triangle meshes in mm: joints bent at random about poses that players take.

A hand is the level of a distance field, so that fingers grow out of the palm as flesh does. It points along -x, its
arm along x, and touches z = 0. Arrays in and out; must not know a renderer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from skimage.measure import marching_cubes

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

VOXEL_MM = 2.0
MELT_MM = 5.0
"""Over so much two neighbouring parts of a body run into each other."""
FINGERS = (
    # Knuckle's place across the palm, the three bones' lengths, radius at the knuckle.
    (-29.0, (42.0, 25.0, 21.0), 9.3),
    (-9.5, (46.0, 29.0, 22.0), 9.3),
    (10.0, (43.0, 27.0, 22.0), 8.9),
    (28.0, (34.0, 20.0, 19.0), 7.8),
)
POSES: dict[str, tuple[tuple[float, float], ...]] = {
    # How far each finger bends at the knuckle and at the next joint, in degrees: index, middle, ring, little.
    "flat": ((5, 8), (5, 8), (5, 8), (8, 10)),
    "relaxed": ((25, 40), (30, 45), (35, 50), (40, 50)),
    "fist": ((75, 95), (80, 100), (80, 100), (80, 95)),
    "point": ((10, 12), (75, 95), (80, 100), (80, 95)),
    "flick": ((55, 70), (40, 80), (60, 80), (50, 70)),
    "pinch": ((50, 45), (45, 45), (35, 30), (25, 20)),
    "two": ((15, 20), (15, 25), (75, 95), (80, 95)),
}


@dataclass(frozen=True, eq=False)
class Flesh:
    """A mesh: `corners` (N, 3) mm, `faces` (M, 3), `normals` (N, 3), `shade` (N, 3): a factor of the skin's colour."""

    corners: Array
    faces: npt.NDArray[np.int64]
    normals: Array
    shade: Array


def hand(rng: Rng) -> tuple[Flesh, Flesh]:
    """A hand with its forearm, and the sleeve about that: (skin, sleeve)."""
    size = float(rng.uniform(0.85, 1.12))
    bones, nails = _skeleton(rng)
    bend, roll, pitch = rng.normal(0, 0.25), rng.normal(0, 0.35), rng.normal(-0.05, 0.15)
    wrist, elbow = np.array((48.0, 0.0, 0.0)), np.array((330.0, 330.0 * np.tan(bend), rng.uniform(10.0, 90.0)))
    arm = [(wrist, wrist + (elbow - wrist) * 0.15, 25.0, 27.0), (wrist + (elbow - wrist) * 0.15, elbow, 27.0, 42.0)]
    turn = _turned(roll, pitch)
    mirrored = np.array((1.0, rng.choice((-1.0, 1.0)), 1.0))
    bones = [(a @ turn.T * mirrored, b @ turn.T * mirrored, ra, rb) for a, b, ra, rb in bones]
    nails = [(a @ turn.T * mirrored, up @ turn.T * mirrored) for a, up in nails]
    parts = [(a * size, b * size, ra * size, rb * size) for a, b, ra, rb in [*bones, *arm]]
    lowest = min(min(a[2] - ra, b[2] - rb) for a, b, ra, rb in parts[:-2])
    down = np.array((0.0, 0.0, lowest))
    parts = [(a - down, b - down, ra, rb) for a, b, ra, rb in parts]
    corners, faces, normals = _surface(parts, MELT_MM * size)
    shade = _complexion(corners, parts, [(a * size - down, up) for a, up in nails], rng)
    cuff = float(rng.uniform(0.05, 1.0))
    a, b = parts[-2][0], parts[-1][1]
    thick = float(rng.uniform(4.0, 16.0))
    tube = [(a + (b - a) * cuff, a + (b - a) * max(cuff + 0.2, 1.3), 27.0 * size + thick, 44.0 * size + 1.5 * thick)]
    sleeve = _surface(tube, 1.0, folds=_folds(rng, float(rng.uniform(0.0, 4.0))))
    return Flesh(corners, faces, normals, shade), Flesh(*sleeve, np.ones((len(sleeve[0]), 3)))


def _skeleton(rng: Rng) -> tuple[list[tuple[Array, Array, float, float]], list[tuple[Array, Array]]]:
    """Bones as (from, to, radius, radius) about a palm at the origin, and each nail's place with what is up there."""
    pose = POSES[str(rng.choice(list(POSES)))]
    bones, nails = [], []
    # The palm: a fan of thick bones from the wrist to the knuckles.
    for (across, lengths, radius), bent in zip(FINGERS, pose, strict=True):
        knuckle = np.array((-38.0 + 0.12 * abs(across + 9.0), across, 2.0 - 0.08 * abs(across)))
        bones.append((np.array((44.0, across * 0.55, 0.0)), knuckle, 14.0, 11.5))
        aside = across * 0.004 + rng.normal(0, 0.07)
        first = np.radians(bent[0] + rng.normal(0, 9))
        second = np.radians(np.clip(bent[1] + rng.normal(0, 10), 0, 110))
        down, at = float(first), knuckle
        for k, (length, more) in enumerate(zip(lengths, (second, 0.6 * second, 0.0), strict=True)):
            way = np.array((-np.cos(down) * np.cos(aside), np.cos(down) * np.sin(aside), -np.sin(down)))
            end = at + way * length
            bones.append((at, end, radius * (1.0, 0.93, 0.86)[k], radius * (0.95, 0.88, 0.74)[k]))
            if k == 2:
                up = np.array((-np.sin(down), 0.0, np.cos(down)))
                nails.append((end + up * radius * 0.62 - way * 3.0, up))
            at, down = end, down + float(more)
    out, low = rng.uniform(0.2, 1.0), rng.uniform(0.1, 0.8)
    ways = [np.array((-0.75, -0.9 * out, -low)), np.array((-1.0, -0.5 * out, -0.5 * low)), np.array((-1.0, 0.1, -0.2))]
    at = np.array((22.0, -26.0, -3.0))
    for way, length, wide in zip(ways, (42.0, 30.0, 25.0), ((14.0, 11.0), (10.5, 9.8), (9.8, 8.2)), strict=True):
        end = at + way / np.linalg.norm(way) * length
        bones.append((at, end, *wide))
        at = end
    return bones, nails


def _turned(roll: float, pitch: float) -> Array:
    """About the arm's own axis, then the fingers down or up."""
    c, s = np.cos(roll), np.sin(roll)
    p, q = np.cos(pitch), np.sin(pitch)
    return np.array(((p, 0.0, -q), (0.0, 1.0, 0.0), (q, 0.0, p))) @ np.array(
        ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))
    )


def _surface(
    parts: list[tuple[Array, Array, float, float]], melt: float, folds: Array | None = None
) -> tuple[Array, npt.NDArray[np.int64], Array]:
    """The level 0 of the distance to rounded cones that run into each other: corners, faces, normals."""
    ends = np.array([(*a, *b) for a, b, _, _ in parts]).reshape(-1, 3)
    wide = max(max(ra, rb) for *_, ra, rb in parts) + melt + 8.0
    low, high = ends.min(0) - wide, ends.max(0) + wide
    axes = [np.arange(lo, hi, VOXEL_MM) for lo, hi in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
    total = np.zeros(points.shape[:3])
    for a, b, ra, rb in parts:
        reach = max(ra, rb) + 5.0 * melt
        box = tuple(
            slice(*np.searchsorted(axis, (min(a[i], b[i]) - reach, max(a[i], b[i]) + reach)))
            for i, axis in enumerate(axes)
        )
        near = points[box]
        way = b - a
        along = np.clip((near - a) @ way / (way @ way), 0.0, 1.0)
        far = np.linalg.norm(near - a - along[..., None] * way, axis=-1) - (ra + (rb - ra) * along)
        total[box] += np.exp(-np.clip(far / melt, -30.0, 5.0)) - np.exp(-5.0)
    field = -melt * np.log(np.maximum(total, np.exp(-5.0)))
    if folds is not None:
        field = field + np.sin(points @ folds[:3, 0] + 2.0 * np.sin(points @ folds[:3, 1])) * folds[3, 0]
    corners, faces, normals, _ = marching_cubes(field, 0.0, spacing=(VOXEL_MM,) * 3, gradient_direction="ascent")
    return corners + low, faces[:, ::-1].astype(np.int64), -normals.astype(np.float64)


def _folds(rng: Rng, deep_mm: float) -> Array:
    """Two directions of cloth's folds (columns) in rad/mm, and their depth."""
    ways = rng.normal(0, 0.12, (3, 2))
    return np.concatenate((ways, np.full((1, 2), deep_mm)))


def _complexion(
    corners: Array, parts: list[tuple[Array, Array, float, float]], nails: list[tuple[Array, Array]], rng: Rng
) -> Array:
    """Skin is not of one colour: blotches, darker creases over the joints, redder tips, paler nails, (N, 3)."""
    tone = np.zeros(len(corners))
    for _ in range(4):
        way = rng.normal(0, rng.uniform(0.03, 0.2), 3)
        tone += rng.normal(0, 0.05) * np.sin(corners @ way + rng.uniform(0, 6.3))
    crease = float(rng.uniform(0.0, 0.35))
    for a, b, ra, _ in parts[:-2]:
        way = (b - a) / np.linalg.norm(b - a)
        along = (corners - a) @ way
        near = np.linalg.norm(corners - a, axis=1) < ra * 1.5
        for at in (-2.2, 0.0, 2.2):
            tone -= near * crease * 0.4 * np.exp(-(((along - at) / 0.8) ** 2))
    shade = np.exp(tone)[:, None] * np.ones(3)
    pale = float(rng.uniform(1.0, 1.6))
    for at, up in nails:
        off = corners - at
        flat = off - np.outer(off @ up, up)
        nail = np.clip(1.6 - np.linalg.norm(flat, axis=1) / 4.5, 0.0, 1.0) * (np.linalg.norm(off, axis=1) < 8.0)
        shade *= 1.0 + (nail * (pale - 1.0))[:, None] * (1.0, 0.95, 0.95)
        shade *= 1.0 + (0.12 * np.exp(-((np.linalg.norm(off, axis=1) / 14.0) ** 2)))[:, None] * (1.0, -0.5, -0.5)
    return shade
