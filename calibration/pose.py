"""The camera's pose (and a little of its lens) fitted to the board's own markings, with residuals in mm.

Arrays in, model and residuals out; must not know files. The fit moves the model until the painted strokes lie where
the picture shows them, each counted across its own direction only, and outliers not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel, Floats
from calibration.markings import Markings, Measured, measure


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and how well it fits.

    `residual_mm`: robust rms across the strokes; `worst_mm`: its 95th percentile; `covered`: the share of the
    markings that were found; `in_place`: the share, even if pale, that lies within `IN_PLACE_MM` of where it should,
    of what runs along one side of the board or of what runs across it, whichever is less; `u_mm`: one standard
    deviation that pose and lens leave to a point on the board, at the worst place; `off_mm` and `weight` (N,) of the
    samples, for the report.

    Paint that hardly rises above the noise is not `covered`, and yet most of it is in place; of a board taken for a
    larger one much is covered, and little in place. A push along a line leaves that line in place: so both ways count.
    """

    model: CameraModel
    residual_mm: float
    worst_mm: float
    covered: float
    in_place: float
    u_mm: float
    off_mm: Floats
    weight: Floats


LEAST_STROKES = 40
"""Fewer samples tell of no pose."""

IN_PLACE_MM = 0.35
"""Of strokes that are searched for within 1.5 mm chance puts a quarter this near to their place."""


class FitError(ValueError):
    """The markings cannot be found where the model puts them; says why."""


def fit_pose(
    luma: NDArray[np.uint8],
    start: CameraModel,
    markings: Markings,
    *,
    reaches_mm: tuple[float, ...] = (8.0, 4.0, 2.0, 2.0, 1.5),
    lens_sigma: Floats | None = None,
    bare: bool = False,
) -> Fit:
    """Fits the pose to a picture (h, w) uint8, from `start` that is right within about the first reach.

    `lens_sigma`: how far f, cx, cy, k1, k2, p1, p2 may give way (one standard deviation each; 0 keeps one), or their
    covariance (7, 7); None keeps the whole lens. `bare` as in `measure`. Raises FitError where too
    little of the markings is found.
    """
    model = start
    measured = measure(luma, model, markings, reaches_mm[0], bare=bare)
    covariance = np.zeros((0, 0))
    for turn, reach in enumerate(reaches_mm):
        if turn:
            measured = measure(luma, model, markings, reach, bare=bare)
        if np.count_nonzero(measured.weight > 0.2) < LEAST_STROKES:
            raise FitError("hardly any of the board's markings lie where they should")
        free = lens_sigma if turn >= 2 else None
        model, covariance = _adjust(model, start, markings, measured, free)
    return fit_of(luma, model, markings, u_mm(model, covariance, markings.half_mm), reaches_mm[-1], bare=bare)


def fit_of(
    luma: NDArray[np.uint8],
    model: CameraModel,
    markings: Markings,
    u_mm: float,
    reach_mm: float = 1.5,
    *,
    bare: bool = False,
) -> Fit:
    """How well a model fits that was fitted already, `u_mm` as in `Fit`; `bare` as in `measure`."""
    measured = measure(luma, model, markings, reach_mm, bare=bare)
    good = measured.weight > 0.2
    off = np.abs(measured.off_mm[good])
    covered = float(np.count_nonzero(good)) / max(int(np.count_nonzero(measured.seen)), 1)
    residual = float(1.4826 * np.median(off)) if good.any() else float("inf")
    worst = float(np.percentile(off, 95)) if good.any() else float("inf")
    in_place = share_in_place(measured, markings)
    return Fit(model, residual, worst, covered, in_place, u_mm, measured.off_mm, measured.weight)


LENS_GIVES = np.array((0.002, 0.002, 0.002, 0.005, 0.005, 5e-4, 5e-4))
"""How far a lens that was fitted to a target may still give way to the paint, one standard deviation: f, cx and cy as
shares of f, then k1, k2, p1, p2. The model has fewer terms than lenses have."""

MOST_GIVEN_MM = 8.0
"""A lens fitted to few pictures gives way by 3.5 mm in the board's corners; more than this is another line."""


def lens_gives(model: CameraModel, lens_covariance: Floats) -> Floats:
    """How far a lens may give way to the paint: what its target's pictures left open (7, 7), and what no model has."""
    f = model.K[0, 0]
    gives: Floats = lens_covariance + np.diag((LENS_GIVES * np.array((f, f, f, 1.0, 1.0, 1.0, 1.0))) ** 2)
    return gives


def settled_on_paint(luma: NDArray[np.uint8], fit: Fit, markings: Markings, lens_covariance: Floats) -> Fit:
    """Lets the lens give way, as far as the target's pictures left it open, until the paint lies where it should.

    On one flat board lens and tilt can be separated only badly, and with them from where heights are seen:
    that stays where the lens as it was had put it. Returns `fit` where the paint does not fit better so,
    as unsure as the lens then leaves it.
    """
    gives = lens_gives(fit.model, lens_covariance)
    try:
        free = fit_pose(luma, fit.model, markings, reaches_mm=(2.0, 2.0, 1.5, 1.5), lens_sigma=gives, bare=True)
    except FitError:
        return fit
    by_mm = moved_mm(fit.model, free.model, markings.half_mm)
    if free.residual_mm >= fit.residual_mm or by_mm > MOST_GIVEN_MM:
        return replace(fit, u_mm=max(free.u_mm, by_mm / 2.0))
    eye = free.model.R @ fit.model.centre_mm + free.model.t
    return replace(free, model=replace(free.model, eye=eye))


def share_in_place(measured: Measured, markings: Markings) -> float:
    """`Fit.in_place` of what was measured without a fit, with which paint of low contrast is not even searched for."""
    near = np.abs(measured.off_mm) < IN_PLACE_MM
    across_x = np.abs(markings.across[:, 0]) > np.abs(markings.across[:, 1])
    ways = (near[measured.seen & across_x], near[measured.seen & ~across_x])
    return min(float(way.mean()) if len(way) >= LEAST_STROKES else 0.0 for way in ways)


def reregister(model: CameraModel, luma: NDArray[np.uint8], markings: Markings) -> tuple[CameraModel, Fit]:
    """Follows a camera that was nudged by up to a few mm, quickly; the lens is kept.

    Returns the model for this picture (the same object if it has not moved by more than 0.1 mm) and the fit. Raises
    FitError where the markings cannot be found: the camera was moved or the board is covered.
    """
    fit = fit_pose(luma, model, markings, reaches_mm=(4.0, 2.0, 1.5))
    return (model if moved_mm(model, fit.model, markings.half_mm) < 0.1 else fit.model), fit


def moved_mm(before: CameraModel, after: CameraModel, half_mm: float) -> float:
    """The farthest that a board's corners, `half_mm` from its axes, and its middle moved between two models."""
    spots = np.concatenate((np.zeros((1, 2)), _corners(half_mm)))
    return float(np.hypot(*(after.to_plane(before.project_plane(spots)) - spots).T).max())


def pack(model: CameraModel) -> Floats:
    """A model as numbers (13,): a small turn, the move in mm, f, cx, cy, k1, k2, p1, p2."""
    lens = (model.K[0, 0], model.K[0, 2], model.K[1, 2], *model.dist[:4])
    # The rotation is told as a small turn from the model's own: a camera that looks down has no safe vector.
    return np.concatenate((np.zeros(3), model.t, lens))


def unpack(values: Floats, like: CameraModel) -> CameraModel:
    """The model of such numbers, turned from and otherwise like another one."""
    f, cx, cy, k1, k2, p1, p2 = values[6:]
    aspect = like.K[1, 1] / like.K[0, 0]
    K = np.array(((f, 0.0, cx), (0.0, f * aspect, cy), (0.0, 0.0, 1.0)))
    turn, _ = cv2.Rodrigues(values[:3].reshape(3, 1))
    dist = np.array((k1, k2, p1, p2, like.dist[4]))
    return CameraModel(K, dist, np.asarray(turn, dtype=np.float64) @ like.R, values[3:6].copy(), like.size, like.eye)


STEPS: Floats = np.array((1e-5,) * 3 + (1e-2,) * 3 + (0.1, 0.1, 0.1, 1e-4, 1e-4, 1e-5, 1e-5))


def _adjust(
    model: CameraModel, start: CameraModel, markings: Markings, measured: Measured, lens_sigma: Floats | None
) -> tuple[CameraModel, Floats]:
    """One robust Gauss-Newton adjustment to the measured strokes; the model, and what of `pack` it leaves open."""
    good = measured.weight > 0.05
    # Where in the picture each stroke was seen does not change any more; the model must come to it.
    seen_px = model.project_plane(markings.xy[good] + markings.across[good] * measured.off_mm[good, None])
    xy, across, weight = markings.xy[good], markings.across[good], measured.weight[good]
    free, taught = _free(lens_sigma)
    values, prior = pack(model), pack(start)

    def misses(v: Floats) -> Floats:
        at = unpack(v, model).to_plane(seen_px)
        gaps: Floats = np.einsum("ij,ij->i", at - xy, across)
        return gaps

    covariance = np.zeros((len(free), len(free)))
    for _ in range(6):
        gaps = misses(values)
        scale = max(1.4826 * float(np.median(np.abs(gaps))), 0.05)
        calm = weight / (1.0 + (gaps / (2.0 * scale)) ** 2) ** 2
        design = np.empty((len(gaps), len(free)))
        for k, index in enumerate(free):
            nudged = values.copy()
            nudged[index] += STEPS[index]
            design[:, k] = (misses(nudged) - gaps) / STEPS[index]
        normal = (design * calm[:, None]).T @ design
        right = -design.T @ (calm * gaps)
        if len(taught):
            # What is known of the lens counts as so many strokes more.
            normal[6:, 6:] += SWAYED * scale**2 * taught
            right[6:] += SWAYED * scale**2 * taught @ (prior - values)[free[6:]]
        size = np.sqrt(np.maximum(np.diag(normal), 1e-12))
        step = np.linalg.solve(normal / size / size[:, None] + 1e-9 * np.eye(len(free)), right / size) / size
        values[free] += step
        covariance = np.linalg.inv(normal / size / size[:, None] + 1e-9 * np.eye(len(free))) / size / size[:, None]
        covariance *= scale**2 * (SWAYED if len(taught) else ALIKE)
        if np.abs(step / STEPS[free]).max() < 1.0:
            break
    return unpack(values, model), covariance


def _free(lens_sigma: Floats | None) -> tuple[NDArray[np.int64], Floats]:
    """Which numbers of `pack` may give way, and the information (inverse covariance) on those of the lens."""
    if lens_sigma is None:
        return np.arange(6), np.zeros((0, 0))
    covariance = np.diag(lens_sigma**2) if lens_sigma.ndim == 1 else lens_sigma
    loose = np.nonzero(np.diag(covariance) > 0)[0]
    part = covariance[np.ix_(loose, loose)]
    size = np.sqrt(np.diag(part))
    told: Floats = np.linalg.inv(part / size / size[:, None]) / size / size[:, None]
    return np.concatenate((np.arange(6), 6 + loose)), told


ALIKE = 5.0
"""Neighbouring samples share their errors: so many of them tell as much as one."""

SWAYED = 10.0
"""The same for the lens, which whole markings that are painted or lit a few hundredths of a millimetre off would sway,
and with it the corners, where no paint is: counted as 5 they lay 0.6 mm off at worst on the mean path-traced table and
0.2 mm on the simulated one, counted as 20 0.4 and 0.3 mm."""


def _corners(half_mm: float) -> Floats:
    return np.array(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))) * half_mm


def u_mm(model: CameraModel, covariance: Floats, half_mm: float) -> float:
    """One standard deviation at the worst of the corners that the covariance of the first numbers of `pack` leaves.

    Pose and lens make up for one another: only together do they tell.
    """
    spots = _corners(half_mm)
    px = model.project_plane(spots)
    values = pack(model)
    design = np.empty((4, 2, len(covariance)))
    for k in range(len(covariance)):
        nudged = values.copy()
        nudged[k] += STEPS[k]
        design[:, :, k] = (unpack(nudged, model).to_plane(px) - spots) / STEPS[k]
    return float(np.sqrt(np.einsum("nik,kl,nil->n", design, covariance, design).max()))
