"""How much a picture speaks for a camera model: one robust likelihood of all paint, and the search that raises it.

Arrays in, numbers out. Each marking counts as a whole: the mean, along it, of how far the brightness across it stands
out from its own surroundings, softly limited. Glare, wear, grain and a name printed over a line so cost a part of one
marking and never outvote the others; a line may be dark or pale, each by itself. Must not know files, nor where a
first guess came from.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel, Floats
from calibration.markings import STEP_MM, Markings, responses
from calibration.pose import STEPS, pack, unpack

CLIP = 3.0
"""No sample counts more than this many of its own surroundings' deviations: one glint must not outweigh a line."""

AROUND_MM = 12.0
"""A marking must stand out among what lies this far to both sides: less than half the way to the next line."""

BESIDE_MM = 2.5
"""Boards differ from the laws by millimetres: a marking this far from its place is the marking."""

STANDS_OUT = 1.7
"""Of `CLIP` at most: what a marking reaches in its place. By chance, at the best wrong pose, one in a hundred does."""

_CORNERS = np.array(((-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)))


@dataclass(frozen=True, eq=False)
class Evidence:
    """What speaks for a model. Per marking, (M,): `place_mm` where across it the picture shows it, `clear` how far it
    stands out there (0 to CLIP), `visible` whether most of it lies in the picture, `found`. `share`: of the visible
    markings those found, by their length, of what holds the board one way or the other, whichever is less. `score`:
    mean of `clear`. `circles`: how many of the base circles are found.

    By length, because a long line is where it is by no chance, and because eight thin rings of three centimetres, which
    fade first, must not outvote all lines. The base lines alone are less than half of it: four long edges of anything
    are no board.
    """

    place_mm: Floats
    clear: Floats
    visible: NDArray[np.bool_]
    found: NDArray[np.bool_]
    share: float
    score: float
    circles: int

    @property
    def is_board(self) -> bool:
        """Whether so much is in place that it is this board and nothing else."""
        return self.share >= LEAST_SHARE or self.circles >= LEAST_CIRCLES


LEAST_SHARE = 0.65
"""With fewer of the markings in place, by their length, it is no board. At the best wrong poses 45 % are in place:
a board taken for a larger or smaller one has its arrows in place and half its lines."""

LEAST_CIRCLES = 7
"""Of eight base circles, each of them there by chance at one wrong pose of a hundred: red discs are seen where thin
lines of the wood's own brightness are not."""

STAYED, STAYED_MM = 0.5, 1.5
"""So many of the markings that one picture shows another one shows as well, so near to the same place: of the same
board, whatever lies on it and however worn it is."""


def as_before(now: Evidence, before: Evidence) -> bool:
    """Whether two pictures show the same board in the same place, by what the earlier one shows of it."""
    there = before.visible & before.found
    stayed = there & now.found & (np.abs(now.place_mm - before.place_mm) < STAYED_MM)
    return bool(np.count_nonzero(stayed) >= STAYED * max(int(np.count_nonzero(there)), 1))


def evidence_for(luma: NDArray[np.uint8], model: CameraModel, markings: Markings) -> Evidence:
    """Weighs a model against a picture (h, w) uint8."""
    offsets, profile, seen = _standing_out(luma, model, markings, AROUND_MM)
    count = len(markings.names)
    place, clear, visible = np.zeros(count), np.zeros(count), np.zeros(count, dtype=np.bool_)
    near = np.abs(offsets) <= BESIDE_MM
    for k in range(count):
        mine = markings.group == k
        visible[k] = np.count_nonzero(seen[mine]) >= 0.6 * np.count_nonzero(mine)
        if visible[k]:
            mean = np.abs(profile[mine & seen].mean(0))[near]
            place[k], clear[k] = offsets[near][int(np.argmax(mean))], float(mean.max())
    found = visible & (clear >= STANDS_OUT)
    length = np.bincount(markings.group, minlength=count).astype(np.float64)
    ways = [(length * (way & visible), found) for way in _ways(markings)]
    share = min(float(way[seen].sum() / max(way.sum(), 1.0)) for way, seen in ways)
    small = np.array([name.startswith("base circle") for name in markings.names])
    score = float(clear[visible].mean()) if visible.any() else 0.0
    return Evidence(place, clear, visible, found, share, score, int(np.count_nonzero(found & small)))


def _ways(markings: Markings) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which markings hold the board along x, and which along y: straight ones one way, circles and arrows both."""
    along = np.zeros((len(markings.names), 2))
    for k in range(len(markings.names)):
        along[k] = np.abs(markings.across[markings.group == k]).mean(0)
    return along[:, 0] > 0.3, along[:, 1] > 0.3


def drawn_to_paint(
    luma: NDArray[np.uint8],
    start: CameraModel,
    markings: Markings,
    half_mm: float,
    *,
    off_mm: float,
    lens_sigma: Floats | None = None,
    seed: int = 0,
) -> CameraModel:
    """The pose near `start` (within about `off_mm` at the board's corners) for which the paint speaks most.

    Coarse to fine: the response is read once about the start, each pose shifts every sample across its stroke by a
    known amount, so that thousands of poses are weighed at once; the best tell where to look closer (cross-entropy
    method). `lens_sigma` as in `fit_pose`. The same inputs give the same answer.
    """
    rng = np.random.default_rng(seed)
    model = start
    spread = off_mm
    while True:
        model = _closer(luma, model, markings, half_mm, spread, lens_sigma, rng)
        if spread <= 1.5:
            return model
        spread = max(spread / 3.0, 1.5)


def _closer(
    luma: NDArray[np.uint8],
    model: CameraModel,
    markings: Markings,
    half_mm: float,
    off_mm: float,
    lens_sigma: Floats | None,
    rng: np.random.Generator,
) -> CameraModel:
    reach = 1.8 * off_mm + 2.0
    offsets, profile, seen = _standing_out(luma, model, markings, reach)
    if not seen.any():
        return model
    free = np.arange(6) if lens_sigma is None else np.array((*range(6), 6, 9))
    values = pack(model)
    steps = STEPS[free]
    spots = np.concatenate((markings.xy, _CORNERS * half_mm))
    px = model.project_plane(spots)
    moved = np.empty((len(spots), 2, len(free)))
    for k, index in enumerate(free):
        nudged = values.copy()
        nudged[index] += steps[k]
        # Where the paint would be seen to lie if the camera were there instead.
        moved[:, :, k] = (spots - unpack(nudged, model).to_plane(px)) / steps[k]
    shift = np.einsum("nik,ni->nk", moved[:-4], markings.across)
    # Directions in which poses differ, each scaled to move the corners by the same amount.
    _, size, turn = np.linalg.svd(moved[-4:].reshape(8, -1), full_matrices=False)
    basis = turn.T / np.maximum(size, 1e-9) * np.sqrt(4.0)
    if lens_sigma is not None:
        # A lens that is guessed may give way by its own spread and no more.
        most = np.concatenate((np.full(6, np.inf), lens_sigma[[0, 3]]))
        basis /= np.maximum(np.abs(basis * off_mm).T / most, 1.0).max(1)
    apart = shift @ basis
    mean, deviation = np.zeros(len(free)), np.full(len(free), off_mm / 1.5)
    starts = np.concatenate(([0], np.nonzero(np.diff(markings.group))[0] + 1))
    counts = np.add.reduceat(seen.astype(np.float64), starts)
    weight = np.where(counts > 0, 1.0 / np.maximum(counts, 1.0), 0.0)
    firsts = np.arange(len(markings.xy)) * len(offsets)
    best = mean
    for soft in (off_mm / 3.0, off_mm / 4.0, off_mm / 6.0, off_mm / 9.0):
        blurred = cv2.GaussianBlur(profile, (0, 0), sigmaX=max(soft, 0.3) / STEP_MM, sigmaY=1e-3)
        tried = np.concatenate((mean[None], mean + deviation * rng.standard_normal((MOST_TRIED, len(free)))))
        blurred[~seen] = 0.0
        score = np.empty(len(tried))
        for at in range(0, len(tried), 500):
            column = tried[at : at + 500] @ apart.T
            for block in range(0, len(column), BLOCK):
                part = column[block : block + BLOCK]
                part -= offsets[0]
                part /= STEP_MM
                np.clip(np.rint(part, out=part), 0, len(offsets) - 1, out=part)
                value = blurred.ravel().take(part.astype(np.int64) + firsts)
                each = np.add.reduceat(value, starts, axis=1) * weight
                score[at + block : at + block + len(part)] = np.abs(each).sum(1)
        order = np.argsort(-score)[:ELITE]
        mean = np.average(tried[order], axis=0, weights=score[order] - score[order[-1]] + 1e-9)
        deviation = np.maximum(1.2 * tried[order].std(0), 0.02)
        best = tried[order[0]]
    values[free] += basis @ best
    return unpack(values, model)


MOST_TRIED = 2000
ELITE = 40
BLOCK = 50
"""So many poses at a time stay in a processor's cache."""


def _standing_out(
    luma: NDArray[np.uint8], model: CameraModel, markings: Markings, reach_mm: float
) -> tuple[Floats, NDArray[np.float32], NDArray[np.bool_]]:
    """How far each place across each sample stands out, in deviations of what lies about it, limited to ± CLIP."""
    offsets, response, seen = responses(luma, model, markings, reach_mm)
    noise = 1.4826 * np.median(np.abs(response), 1, keepdims=True) + 0.7
    return offsets, np.clip(response / noise, -CLIP, CLIP).astype(np.float32), seen
