"""Learns a set's looks from one picture of the opening arrangement, where it is known how nineteen pieces lie.

The pieces lie on a hexagonal lattice round the queen: its place, turn and spacing are found, then each class's tone
and rim are read off. A lamp's mirror image brightens what lies in it; how much is known by the black pieces, which
are all as dark as the darkest of them. Must not know files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from controller.events.errors import ConfigError
from controller.vision.learning.candidates import edges_of, votes_for
from controller.vision.learning.ground import Ground, Slopes, ground_for
from controller.vision.learning.outline import (
    BEYOND_MM,
    INSIDE_MM,
    UNIT,
    Rim,
    along_rays,
    fit_outlines,
)
from controller.vision.learning.surface import tones_of
from controller.vision.looks import Look, Looks, Pixels

LATTICE = np.array(
    [(0.0, 0.0)]
    + [(np.cos(a), np.sin(a)) for a in np.radians(np.arange(0, 360, 60))]
    + [(2.0 * np.cos(a), 2.0 * np.sin(a)) for a in np.radians(np.arange(0, 360, 60))]
    + [(np.sqrt(3.0) * np.cos(a), np.sqrt(3.0) * np.sin(a)) for a in np.radians(np.arange(30, 360, 60))]
)
"""The nineteen places in units of one diameter, the queen first, then the ring of six."""

MAKERS_MM = 0.8
"""By so much the laws let a set differ from the usual one, either way."""
TOLERANCE_MM = 0.7
LEAST_CONTRAST = 0.15
"""Between the darkest light and the brightest dark piece, as logarithms."""

VEILED = 0.1
"""A black piece brighter than the darkest by more than this lies in a mirror image; without one they differ by 0.03."""

MOST_PALE_BLACK = -0.5
"""Tone of black pieces that is too pale for any paint: even the darkest of them lies in a mirror image."""

GAMMA = 2.2


@dataclass(frozen=True, eq=False)
class Learnt:
    """What an opening picture gave: the looks, where the pieces lay (19, 2) in mm, their classes, and doubts.

    `foreign`: hardly any of them is named rightly, with all that was learnt here.
    """

    looks: Looks
    places: Floats
    classes: tuple[str, ...]
    spacing_mm: float
    warnings: tuple[str, ...]
    foreign: bool = False


def learn(picture: Pixels, luma: Pixels, model: CameraModel, looks: Looks, board: Board) -> Learnt:
    """Learns from the opening arrangement, BGR and luma of the same picture.

    `looks` brings the sizes supposed so far and the empty board, if there is one. Raises ConfigError if no opening
    arrangement is found.
    """
    ground = ground_for(model, looks, board)
    slopes = ground.fresh_slopes(ground.lay(luma))
    places, spacing = _lattice(ground, slopes, looks.coin_diameter_mm)
    rims: dict[str, Rim] = {}
    classes = _classes(_tones(ground, picture, places, spacing))
    radius = spacing / 2.0
    for _ in range(4):
        # First with any outline, then with what that taught: each pass places the lattice better. The lattice as a
        # whole is better known than any one piece in it.
        rims = {kind: _rim(ground, slopes, places, classes, kind, radius) for kind in set(classes)}
        single = places.copy()
        for kind in set(classes):
            mine = [i for i, name in enumerate(classes) if name == kind]
            fitted = fit_outlines(ground, slopes, places[mine], np.full(len(mine), radius), rims[kind], wide=False)
            single[mine] = fitted.xy
        places, spacing = _regular(single)
        radius = spacing / 2.0
    tones = _tones(ground, picture, places, spacing)
    classes = _classes(tones)
    tones = _unveiled(tones, classes, places)
    told = _contrast(classes, tones) >= LEAST_CONTRAST
    learnt = {kind: _look(tones, classes, kind, rims[kind]) for kind in ("white", "black", "queen")} if told else {}
    found = replace(
        looks,
        coin_diameter_mm=round(spacing, 2),
        tones={**looks.tones, **learnt},
        known=told,
        sizes_known=True,
    )
    return Learnt(found, places, classes, spacing, _warnings(classes, spacing, tones, board.coin_diameter_mm))


def together(several: Sequence[Learnt]) -> Learnt:
    """What several opening pictures gave: the middle of each figure. The places are those of the first."""
    first = several[0]
    usable = [one for one in several if one.looks.known] or list(several)
    tones = dict(first.looks.tones)
    for kind in usable[0].looks.tones:
        each = [one.looks.tones[kind] for one in usable]
        middle = {
            name: tuple(float(v) for v in np.median([getattr(look, name) for look in each], 0))
            for name in ("mean", "spread", "signed", "either")
            if len({len(getattr(look, name)) for look in each}) == 1
        }
        tones[kind] = replace(each[0], **middle)  # type: ignore[arg-type]
    spacing = float(np.median([one.spacing_mm for one in several]))
    looks = replace(
        first.looks,
        coin_diameter_mm=round(spacing, 2),
        tones=tones,
        known=any(one.looks.known for one in several),
    )
    # A trouble of one picture is none if another one shows it rightly.
    said = tuple(line for line in first.warnings if all(line in one.warnings for one in several))
    return Learnt(looks, first.places, first.classes, spacing, said, all(one.foreign for one in several))


def _look(tones: Floats, classes: tuple[str, ...], kind: str, rim: Rim) -> Look:
    mine = tones[[i for i, name in enumerate(classes) if name == kind]]
    mean = np.median(mine, 0)
    # One odd piece of nine shall not widen its colour: the median deviation, as one standard deviation.
    spread = np.maximum(1.4826 * np.median(np.abs(mine - mean), 0), 0.06) if len(mine) > 1 else np.full(3, 0.15)
    return Look(
        tuple(float(round(v, 4)) for v in mean),  # type: ignore[arg-type]
        tuple(float(round(v, 4)) for v in spread),  # type: ignore[arg-type]
        tuple(float(round(v, 4)) for v in rim.signed),
        tuple(float(round(v, 4)) for v in rim.either),
    )


def _unveiled(tones: Floats, classes: tuple[str, ...], places: Floats) -> Floats:
    """The tones without what a lamp's mirror image adds, (19, 3).

    It adds light, the same to a light and to a dark piece beside each other; on a dark one it is what is seen most.
    """
    black = np.array([i for i, name in enumerate(classes) if name == "black"])
    light = np.exp(GAMMA * tones)
    level = tones[black].mean(1)
    own = light[black[np.argsort(level)[:2]]].mean(0)
    veil = np.maximum(light[black] - own, 0.0)
    worst = float(level.max() - np.sort(level)[:2].mean())
    if worst < VEILED:
        return tones
    gaps = np.hypot(*np.moveaxis(places[:, None] - places[black][None], -1, 0))
    weight = 1.0 / (gaps + 4.0) ** 3
    added = (weight @ veil) / weight.sum(1, keepdims=True)
    clear: Floats = np.log(np.maximum(light - added, 0.02 * light)) / GAMMA
    return clear


def _contrast(classes: tuple[str, ...], tones: Floats) -> float:
    level = tones.mean(1)
    white = [level[i] for i, name in enumerate(classes) if name == "white"]
    black = [level[i] for i, name in enumerate(classes) if name == "black"]
    return float(min(white) - max(black))


def _lattice(ground: Ground, slopes: Slopes, diameter: float) -> tuple[Floats, float]:
    """Where the nineteen pieces lie, by votes of their outlines: (19, 2) in mm and the spacing."""
    field = votes_for(edges_of(slopes, ground.seen), diameter / 2.0 * ground.scale, 1.6)
    field = np.minimum(field, 0.35)
    best, place = -1.0, (0.0, 0.0, 0.0, diameter)
    steps = ((6.0, 14.0, 3.0, 30.0, 0.5, 1.0), (1.0, 3.0, 0.5, 3.0, 0.25, 0.5), (0.5, 0.5, 0.25, 0.5, 0.1, 0.2))
    for step, reach, turn_step, turn_reach, size_step, size_reach in steps:
        x0, y0, turn0, size0 = place
        for x in np.arange(x0 - reach, x0 + reach + 1e-6, step if step < 2 else 2.0):
            for y in np.arange(y0 - reach, y0 + reach + 1e-6, step if step < 2 else 2.0):
                turns = np.radians(np.arange(turn0 - turn_reach, turn0 + turn_reach + 1e-6, turn_step))
                sizes = np.arange(size0 - size_reach, size0 + size_reach + 1e-6, size_step)
                cos, sin = np.cos(turns)[:, None], np.sin(turns)[:, None]
                unit = np.stack(
                    (LATTICE[:, 0] * cos - LATTICE[:, 1] * sin, LATTICE[:, 0] * sin + LATTICE[:, 1] * cos), 2
                )
                spots = unit[:, None] * sizes[None, :, None, None] + np.array((x, y))
                grid = np.rint(ground.to_grid(spots.reshape(-1, 2))).astype(np.int64)
                score = field[grid[:, 1], grid[:, 0]].reshape(len(turns), len(sizes), 19).mean(2)
                k = int(np.argmax(score))
                if score.flat[k] > best:
                    best = float(score.flat[k])
                    place = (x, y, float(np.degrees(turns[k // len(sizes)])), float(sizes[k % len(sizes)]))
    if best < 0.05:
        raise ConfigError(
            "the opening picture shows no opening arrangement in the middle of the board. "
            "Fix: set up all nineteen pieces, touching, and take the picture again (or leave --opening out)"
        )
    x, y, turn, size = place
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    places = LATTICE @ np.array(((cos, sin), (-sin, cos))) * size + np.array((x, y))
    return places, size


def _regular(places: Floats) -> tuple[Floats, float]:
    """The lattice that fits nineteen single places best: (19, 2) in mm and the spacing."""
    # The similarity that takes the lattice to the places, by complex least squares.
    here = LATTICE[:, 0] + 1j * LATTICE[:, 1]
    there = places[:, 0] + 1j * places[:, 1]
    weight = np.ones(len(here))
    factor, fit = 1.0 + 0.0j, there
    for _ in range(5):
        total = weight.sum()
        mean_here, mean_there = (weight * here).sum() / total, (weight * there).sum() / total
        a, b = here - mean_here, there - mean_there
        factor = (weight * np.conj(a) * b).sum() / (weight * np.abs(a) ** 2).sum()
        fit = mean_there + factor * a
        weight = 1.0 / (1.0 + (np.abs(there - fit) / 0.4) ** 2)
    return np.stack((fit.real, fit.imag), 1), float(np.abs(factor))


def _tones(ground: Ground, picture: Pixels, places: Floats, spacing: float) -> Floats:
    radius = np.full(len(places), spacing / 2.0)
    rack = np.array([[*places[0], 2.6 * spacing]])
    return tones_of(ground, ground.lay(picture), places, radius, rack)


def _classes(tones: Floats) -> tuple[str, ...]:
    """The queen lies in the middle; of the others the nine brighter are white."""
    level = tones.mean(1)
    order = np.argsort(level[1:]) + 1
    names = ["queen"] + ["white"] * 18
    for i in order[:9]:
        names[int(i)] = "black"
    return tuple(names)


def _rim(ground: Ground, slopes: Slopes, places: Floats, classes: tuple[str, ...], kind: str, radius: float) -> Rim:
    """The mean rim of one class; rays that run into a neighbour count little."""
    mine = places[[i for i, name in enumerate(classes) if name == kind]]
    rays = along_rays(ground, slopes, mine, radius - INSIDE_MM, radius + BEYOND_MM).astype(np.float64)
    outside = mine[:, None] + UNIT[None] * (radius + 3.5)
    gaps = np.sort(np.hypot(*np.moveaxis(outside[:, :, None] - places[None, None], -1, 0)), 2)[:, :, 1]
    weight = np.where(gaps > radius + 1.0, 1.0, 0.15)[:, :, None]
    signed = (rays * weight).sum((0, 1)) / weight.sum()
    either = (np.abs(rays) * weight).sum((0, 1)) / weight.sum()
    signed = np.where(np.abs(signed) > 0.1, signed, 0.0)
    either = either - either.mean()
    answer = float((((rays @ signed) + np.abs(rays) @ either) * weight[:, :, 0]).sum() / (weight.sum()))
    scale = max(answer, 1e-3)
    return Rim(signed / scale, either / scale, "top")


def _warnings(classes: tuple[str, ...], spacing: float, tones: Floats, usual_mm: float) -> tuple[str, ...]:
    said = []
    darkest = float(np.median([tones[i].mean() for i, name in enumerate(classes) if name == "black"]))
    low, high = usual_mm - MAKERS_MM, usual_mm + MAKERS_MM
    if not low - TOLERANCE_MM <= spacing <= high + TOLERANCE_MM:
        said.append(
            f"pieces measure {spacing:.1f} mm across; this board's are {low:.1f} to {high:.1f} mm, "
            f"{TOLERANCE_MM} mm more or less is measured at best: another set is needed, or the board's size is wrong"
        )
    elif not low - 0.2 <= spacing <= high + 0.2:
        said.append(
            f"pieces measure {spacing:.1f} mm across; the laws allow {low} to {high} mm: measure one by calliper"
        )
    ring = classes[1:7]
    if not all(a != b for a, b in zip(ring, (*ring[1:], ring[0]), strict=True)):
        said.append("the six pieces round the queen do not alternate in colour: is the rack right?")
    if _contrast(classes, tones) < LEAST_CONTRAST:
        said.append(
            "light and dark pieces can hardly be told apart in the opening picture, their looks are guessed. "
            "Fix: more light, no lamp's mirror image on the pieces, and the picture again"
        )
    elif darkest > MOST_PALE_BLACK:
        said.append(
            "a lamp's mirror image lies on the opening arrangement; what it adds was taken out as well as it can be. "
            "Fix: move the lamp and take the opening picture again"
        )
    return tuple(said)
