"""What makers and years put on a board: names, flowers, stars, rings, dots, knots, stains. Drawn on its wood in mm.

Paint lies under everything that is played, so whatever is drawn here is also in the picture of the empty board. Must
not know pieces or light.
"""

from __future__ import annotations

from math import cos, pi, sin

import cv2
import numpy as np
import numpy.typing as npt

from controller.simulator.marks import linear

Rng = np.random.Generator
Texture = npt.NDArray[np.float32]

FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
)
LETTERS = "ABCDEFGHIJKLMNOPRSTUVWY"
NAMED, ADORNED, STAINED = 0.6, 0.55, 0.4
"""How many boards carry a name, artwork about the middle, knots and stains."""


def adorn(wood: Texture, texels_per_mm: float, rng: Rng) -> Texture:
    """Returns a board's reflectance (n, n, 3), linear blue-green-red, with what one maker printed on it."""
    if rng.random() < ADORNED:
        wood = _about_the_middle(wood, texels_per_mm, rng)
    if rng.random() < STAINED:
        for _ in range(int(rng.integers(1, 7))):
            wood = _stain(wood, texels_per_mm, rng)
    if rng.random() < NAMED:
        ink = _ink(rng)
        name = "".join(rng.choice(list(LETTERS), int(rng.integers(3, 11))))
        for _ in range(int(rng.integers(1, 5))):
            wood = _printed(wood, texels_per_mm, name, ink, rng)
    return wood


def _ink(rng: Rng) -> npt.NDArray[np.float32]:
    colours = (
        (30, 28, 28),
        (190, 30, 36),
        (24, 40, 120),
        (200, 160, 70),
        (240, 236, 224),
        tuple(rng.uniform(15, 245, 3)),
    )
    return linear(colours[int(rng.integers(len(colours)))])


def _laid_over(wood: Texture, mask: npt.NDArray[np.uint8], ink: npt.NDArray[np.float32], share: float) -> Texture:
    weight = (mask.astype(np.float32) * np.float32(share / 255.0))[:, :, None]
    return np.asarray(wood * (1.0 - weight) + ink * weight, dtype=np.float32)


def _place(rng: Rng) -> tuple[float, float]:
    """Names are printed about the middle, between circle and lines, beside the lines, in the corners."""
    far, turn = (
        float(rng.choice((rng.uniform(20, 80), rng.uniform(100, 230), rng.uniform(280, 350)))),
        rng.uniform(0, 2 * pi),
    )
    return float(np.clip(far * cos(turn) * 1.2, -350, 350)), float(np.clip(far * sin(turn) * 1.2, -350, 350))


def _printed(wood: Texture, per_mm: float, name: str, ink: npt.NDArray[np.float32], rng: Rng) -> Texture:
    high_mm, font = float(rng.uniform(6, 30)), FONTS[int(rng.integers(len(FONTS)))]
    thick = max(1, round(high_mm * per_mm * float(rng.uniform(0.06, 0.2))))
    size = high_mm * per_mm / 22.0
    (wide, high), under = cv2.getTextSize(name, font, size, thick)
    label = np.zeros((high + under + 2 * thick, wide + 2 * thick), dtype=np.uint8)
    cv2.putText(label, name, (thick, high + thick), font, size, 255, thick, cv2.LINE_AA)
    if rng.random() < 0.4:
        # A badge: the name in an oval or a box.
        around = np.zeros((2 * label.shape[0], round(1.3 * label.shape[1])), dtype=np.uint8)
        middle = around.shape[1] // 2, around.shape[0] // 2
        filled = rng.random() < 0.5
        cv2.ellipse(
            around, middle, (middle[0] - thick, middle[1] - thick), 0, 0, 360, 255, -1 if filled else thick, cv2.LINE_AA
        )
        top, left = (around.shape[0] - label.shape[0]) // 2, (around.shape[1] - label.shape[1]) // 2
        part = around[top : top + label.shape[0], left : left + label.shape[1]]
        part[:] = np.where(label > 0, 255 - part if filled else np.maximum(part, label), part)
        label = around
    x, y = _place(rng)
    n = wood.shape[0]
    turn = float(rng.choice((0.0, 0.0, 90.0, 180.0, 270.0, rng.uniform(0, 360))))
    move = cv2.getRotationMatrix2D((label.shape[1] / 2, label.shape[0] / 2), turn, 1.0)
    move[:, 2] += np.array((n / 2 + x * per_mm - label.shape[1] / 2, n / 2 + y * per_mm - label.shape[0] / 2))
    mask = np.asarray(cv2.warpAffine(label, move, (n, n)), dtype=np.uint8)
    return _laid_over(wood, mask, ink, float(rng.uniform(0.5, 1.0)))


def _about_the_middle(wood: Texture, per_mm: float, rng: Rng) -> Texture:
    """A flower or star of filled petals, coloured rings, a ring of dots: whatever fills the centre circles."""
    n = wood.shape[0]
    centre = n // 2, n // 2
    for _ in range(int(rng.integers(1, 4))):
        mask, sort = np.zeros((n, n), dtype=np.uint8), rng.random()
        outer = float(rng.uniform(18, 84)) * per_mm
        if sort < 0.5:
            count, inner, bend = (
                int(rng.integers(4, 13)),
                outer * float(rng.uniform(0.15, 0.7)),
                float(rng.uniform(0.5, 4)),
            )
            angle = np.linspace(0, 2 * pi, 720, endpoint=False)
            far = inner + (outer - inner) * np.abs(np.cos(angle * count / 2)) ** bend
            edge = np.stack((centre[0] + far * np.cos(angle), centre[1] + far * np.sin(angle)), 1)
            cv2.fillPoly(mask, [np.round(edge * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        elif sort < 0.75:
            cv2.circle(mask, centre, round(outer), 255, max(1, round(float(rng.uniform(1, 9)) * per_mm)), cv2.LINE_AA)
        else:
            many, dot = int(rng.integers(6, 24)), max(1, round(float(rng.uniform(2, 9)) * per_mm))
            for k in range(many):
                at = centre[0] + outer * cos(2 * pi * k / many), centre[1] + outer * sin(2 * pi * k / many)
                cv2.circle(mask, (round(at[0]), round(at[1])), dot, 255, -1, cv2.LINE_AA)
        wood = _laid_over(wood, mask, _ink(rng), float(rng.uniform(0.3, 1.0)))
    return wood


def _stain(wood: Texture, per_mm: float, rng: Rng) -> Texture:
    """A knot, a ring that a glass left, a drop of oil: round and dark, of a coin's size and less."""
    n = wood.shape[0]
    mask = np.zeros((n, n), dtype=np.uint8)
    at = tuple(int(v) for v in rng.integers(0, n, 2))
    axes = tuple(max(2, round(float(v) * per_mm)) for v in rng.uniform(2, 24, 2))
    ring = rng.random() < 0.3
    cv2.ellipse(mask, at, axes, float(rng.uniform(0, 180)), 0, 360, 255, round(2 * per_mm) if ring else -1, cv2.LINE_AA)
    soft = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.3, 4.0)) * per_mm)
    dark = np.asarray(wood * np.float32(rng.uniform(0.3, 0.9)), dtype=np.float32)
    weight = (soft.astype(np.float32) / np.float32(255.0))[:, :, None]
    return np.asarray(wood * (1 - weight) + dark * weight, dtype=np.float32)
