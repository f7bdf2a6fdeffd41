"""Turns drawn boards into what the nets are shown and what they should answer."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from calibration.board import DEFAULT_BOARD
from controller.vision.finding.detector import asked, proposed, shown
from controller.vision.finding.flat import Flat, cells_log, empty_of, half_log
from controller.vision.finding.nets import where
from controller.vision.finding.views import (
    TOLD,
    board_view,
    in_patch,
    likenesses,
    middle_tones,
    patch_views,
    surface_log,
)
from controller.vision.looks import ANY_TONES, Look
from scripts.teach.added import added
from scripts.teach.boards import KINDS
from scripts.teach.nets import CELL_PX
from scripts.teach.otherwise import glared, hidden_by, less_clear, lit_by, mirror_image, otherwise, relit
from scripts.teach.repainted import repainted

Rng = np.random.Generator
Array = npt.NDArray[Any]

CROP = 304
THERE, GONE = 0.4, 0.62
"""How near to a piece's centre, in its radii, a patch shows that piece; from where on it shows none."""
SEEN, UNSEEN = 0.5, 0.25
IGNORED = -100
TONES_KNOWN = 0.8
USED = 0.5
"""Share of the pictures that is shown in one round."""
MORE = 0.4
"""How often hands, hard shadows or pieces on edge are added to what was drawn."""
PAINTED = 0.5
"""How often a picture is painted anew before the second net sees it."""
CUTOUTS = "cutouts"


@dataclass(frozen=True, eq=False)
class Taught:
    """One look's drawn boards, with, with a bleached and without its empty board, and the tones its opening tells.

    `covers`: what covers them, (S, n, n) at half size as `added` says it; None where that was not drawn."""

    flat: Flat
    bleached: Flat
    unknown: Flat
    flats: Array
    truths: list[Array]
    radii: Array
    tones: dict[str, Look]
    cutouts: tuple[Path, ...]
    covers: Array | None


def load(path: Path) -> Taught:
    """Reads one drawn look; hands to be laid over it lie in the folder beside its own."""
    drawn = pickle.loads(path.read_bytes())
    model: Any = SimpleNamespace(centre_mm=drawn["centre_mm"])
    scale, side, measures = drawn["scale"], drawn["side"], drawn.get("measures", DEFAULT_BOARD)
    unknown = Flat(model, measures, 8.0, scale, side, (None, None), 1.0, drawn["board"], None)
    flat = Flat(model, measures, 8.0, scale, side, (None, None), 1.0, drawn["board"], empty_of(drawn["empty"], scale))
    radii = np.array([0.0, *(drawn["coin_mm"] / 2.0,) * 3, drawn["striker_mm"] / 2.0])
    rng = np.random.default_rng(int(path.stem))
    # A lamp's mirror image on the day the board was shown empty has taken the colour out of its paint.
    bleached = replace(flat, empty=empty_of(glared(drawn["empty"], rng, always=True), scale))
    told = _told(flat, drawn["flats"][0], drawn)
    cutouts = tuple(sorted((path.parents[1] / CUTOUTS).glob("*.pickle")))
    return Taught(flat, bleached, unknown, drawn["flats"], drawn["truths"], radii, told, cutouts, drawn.get("covers"))


def _told(flat: Flat, opening: Array, drawn: dict[str, Any]) -> dict[str, Look]:
    """The classes' tones in the opening picture; what is not in the picture is as anywhere."""
    truth = drawn["truths"][0]
    rack = np.array([[*truth[:, 1:3].mean(0), 2.6 * drawn["coin_mm"]]])
    patches = patch_views(
        flat, opening, surface_log(flat, cells_log(opening), rack), truth[:, 1:3], ANY_TONES, known=False
    )
    tone = middle_tones(patches)
    told = dict(ANY_TONES)
    for kind in TOLD:
        mine = tone[truth[:, 0] == KINDS.index(kind)]
        if len(mine):
            told[kind] = Look(tuple(np.median(mine, 0)), (0.1, 0.1, 0.1))
    return told


def boards(taught: Taught, rng: Rng) -> Iterator[tuple[Array, Array, Array]]:
    """For `Where`: views (7, CROP, CROP), wished heat (2, n, n), and steps with their weight (3, n, n)."""
    for k in np.nonzero(rng.random(len(taught.flats)) < USED)[0]:
        flat, colour, truth = _one_of(taught, taught.flats[k], taught.truths[k], rng)
        view = board_view(flat, half_log(colour))[0]
        less_clear(view, rng)
        wish = _wish(flat, truth, view.shape[1] // CELL_PX)
        room = (view.shape[1] - CROP) // CELL_PX
        r, c = (int(v) for v in rng.integers(0, room + 1, 2))
        cells = CROP // CELL_PX
        part = view[:, r * CELL_PX : r * CELL_PX + CROP, c * CELL_PX : c * CELL_PX + CROP]
        mine = wish[:, r : r + cells, c : c + cells]
        yield part, mine[:2], mine[2:]


def _one_of(taught: Taught, colour: Array, truth: Array, rng: Rng) -> tuple[Flat, Array, Array]:
    """One way in which the board was shown empty, a picture of `truth` as it may look then, and its truth."""
    if rng.random() < MORE:
        colour, truth, _ = with_more(taught, colour, truth, rng)
    return *another_way(taught, colour, truth, rng), truth


def another_way(taught: Taught, colour: Array, truth: Array, rng: Rng) -> tuple[Flat, Array]:
    """One way in which the board was shown empty, or none, and a picture of `truth` as it may look then."""
    chance = rng.random()
    if chance < 0.2:
        return _mirrored(taught, colour, truth, rng)
    flat = taught.unknown if chance < 0.32 else taught.bleached if chance < 0.52 else taught.flat
    return flat, glared(relit(colour, rng), rng)


def with_more(taught: Taught, colour: Array, truth: Array, rng: Rng) -> tuple[Array, Array, Array]:
    """A picture with hands, hard shadows or pieces on edge, its truth, and what covers it since, as `added`."""
    return added(taught.flat, colour, truth, taught.radii, taught.cutouts, rng)


def in_other_light(taught: Taught, colour: Array, truth: Array, rng: Rng) -> tuple[Flat, Array]:
    """The empty board and a picture of `truth` as another day's light shows them."""
    chance = rng.random()
    if chance < 0.35:
        return _mirrored(taught, colour, truth, rng)
    return taught.bleached if chance < 0.6 else taught.flat, glared(relit(colour, rng), rng)


def _mirrored(taught: Taught, colour: Array, truth: Array, rng: Rng) -> tuple[Flat, Array]:
    """The same lamp in the lacquer of the empty board and of the one that is played on, but not in matt pieces."""
    flat = taught.flat
    assert flat.empty is not None
    # In lacquer a lamp may be as bright as the camera can show, and brighter.
    light = mirror_image(flat.side, rng) * np.float32(rng.uniform(0.7, 2.5))
    radii_px = taught.radii[truth[:, 0].astype(int)] * flat.scale
    discs = np.column_stack((flat.to_grid(truth[:, 1:3]), radii_px))
    lit = lit_by(colour, hidden_by(light, discs, rng))
    return replace(flat, empty=empty_of(lit_by(flat.empty.colour, light), flat.scale)), relit(lit, rng)


def _wish(flat: Flat, truth: Array, cells: int) -> Array:
    """Heat of coins and strikers, steps right and down in cells, weight of the steps: (5, cells, cells)."""
    wish = np.zeros((5, cells, cells), dtype=np.float32)
    rows, columns = np.mgrid[0:cells, 0:cells]
    for kind, x, y, visible in truth:
        if visible < UNSEEN:
            continue
        column, row = ((flat.to_grid(np.array([[x, y]]))[0] + 0.5) / 2.0 - 0.5) / CELL_PX
        far2 = (columns - column) ** 2 + (rows - row) ** 2
        heat = np.exp(-far2 / (2 * 0.6**2))
        nearest = far2 == far2.min()
        if visible >= SEEN:
            heat[nearest] = 1.0
        layer = 1 if KINDS[int(kind)] == "striker" else 0
        wish[layer] = np.maximum(wish[layer], heat if visible >= SEEN else np.minimum(heat, 0.6))
        near = far2 < 1.3**2
        wish[2][near], wish[3][near], wish[4][near] = (column - columns)[near], (row - rows)[near], 1.0
    return wish


def patches(taught: Taught, rng: Rng) -> Iterator[tuple[Array, Array, Array]]:
    """For `What`, a picture at a time: patches (N, 12, 40, 40), classes (N,), steps in px (N, 2)."""
    for k in np.nonzero(rng.random(len(taught.flats)) < USED)[0]:
        colour, truth = taught.flats[k], taught.truths[k]
        if rng.random() < PAINTED:
            colour, truth = repainted(taught.flat, colour, truth, taught.radii, taught.tones, rng)
        flat, colour, truth = _one_of(taught, colour, truth, rng)
        known = rng.random() < TONES_KNOWN
        tones = misjudged(taught.tones, rng) if known else ANY_TONES
        likely = _proposed(flat, colour, tones, known=known)
        likely = likely + rng.normal(0, 1.2, likely.shape)
        places = np.concatenate((_places(flat, truth, rng), likely))
        places = places[np.abs(places).max(1) < flat.measures.half_mm - 8.0]
        kinds, steps = _answers(flat, truth, places, taught.radii)
        used = kinds != IGNORED
        if not used.any():
            continue
        places, kinds, steps = places[used], kinds[used], steps[used]
        covered = np.concatenate((truth[:, 1:3], taught.radii[truth[:, 0].astype(int)][:, None]), 1)
        covered = covered[rng.random(len(covered)) > 0.08]
        false = np.concatenate((rng.uniform(-330, 330, (2, 2)), np.full((2, 1), 15.5)), 1)
        surface = surface_log(flat, cells_log(colour), np.concatenate((covered, false)))
        views = patch_views(flat, colour, surface, places, tones, known=known)
        otherwise(views, kinds, steps, taught.radii * flat.scale, rng)
        views[:, 6:9] = likenesses(views[:, 0:3], tones)
        over = rng.random(len(views)) < 0.5
        views[over] = views[over][:, :, ::-1]
        steps[over, 1] *= -1.0
        yield views, kinds, steps


def _proposed(flat: Flat, colour: Array, tones: dict[str, Look], *, known: bool) -> Array:
    """What the finder asks the second net about, (N, 2) in mm: the detector's places, or else the first net's."""
    half = half_log(colour)
    if flat.empty is not None and known:
        return proposed(flat, asked(shown(flat, colour, half, cells_log(colour), tones))).xy
    return where(flat, board_view(flat, half)).xy


def misjudged(tones: dict[str, Look], rng: Rng) -> dict[str, Look]:
    """Tones as an opening picture tells them: a little off each, and sometimes bleached by a lamp's mirror image."""
    bleached = rng.uniform(0.3, 1.0) if rng.random() < 0.35 else 1.0
    told = {}
    for kind in TOLD:
        mean = np.array(tones[kind].mean) * bleached + rng.normal(0, 0.08) + rng.normal(0, 0.03, 3)
        told[kind] = Look(tuple(mean), (0.1,) * 3)
    return told


def _places(flat: Flat, truth: Array, rng: Rng) -> Array:
    """Where to look: about every piece, beside some, on what is painted, and anywhere."""
    # Queens and strikers are few on a board; they are shown more often.
    rare = truth[truth[:, 0] >= KINDS.index("queen")]
    at = np.concatenate((truth, rare, rare))[:, 1:3]
    few = rng.normal(0, 1.4, at.shape)
    wide = rng.uniform(-6, 6, at.shape)
    about = at + np.where(rng.random((len(at), 1)) < 0.7, few, wide)
    turn, far = rng.uniform(0, 2 * np.pi, len(at)), rng.uniform(9.5, 34, len(at))
    beside = (at + np.stack((np.cos(turn), np.sin(turn)), 1) * far[:, None])[rng.random(len(at)) < 0.4]
    board = flat.measures
    painted = np.array((*board.base_circles_mm, (0.0, 0.0), *board.pockets_mm.values()))
    # The middle's paint is as large as a queen, and often as red.
    painted = np.concatenate((painted[rng.choice(len(painted), 3, replace=False)], np.zeros((1, 2))))
    painted += rng.normal(0, 3, painted.shape)
    side, along = rng.choice((-1.0, 1.0), 2), rng.uniform(-230, 230, 2)
    lines = np.array(((side[0] * 252.0, along[0]), (along[1], side[1] * 252.0)))
    return np.concatenate((about, beside, painted, lines, rng.uniform(-355, 355, (2, 2))))


def _answers(flat: Flat, truth: Array, places: Array, radii: Array) -> tuple[Array, Array]:
    kinds = np.zeros(len(places), dtype=np.int64)
    steps = np.zeros((len(places), 2))
    if not len(truth):
        return kinds, steps
    off = truth[None, :, 1:3] - places[:, None]
    gaps = np.hypot(off[..., 0], off[..., 1])
    nearest = gaps.argmin(1)
    gap, which = gaps.min(1), truth[nearest]
    share = gap / radii[1]
    steps = in_patch(flat, places, off[np.arange(len(places)), nearest])
    kinds = np.where(share < THERE, which[:, 0].astype(np.int64), np.where(share > GONE, 0, IGNORED))
    hidden = which[:, 3] < SEEN
    kinds = np.where(hidden & (share <= GONE), np.where(which[:, 3] < UNSEEN, 0, IGNORED), kinds)
    return kinds, steps
