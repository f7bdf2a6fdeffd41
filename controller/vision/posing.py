"""Where the camera hangs, from one picture of the board and what is known of the lens; faults are reported and shown.

Between the fits of `calibration/` and the guided calibration. Must not know files or cameras.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot

import cv2
import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from calibration.evidence import LEAST_SHARE, Evidence, drawn_to_paint, evidence_for
from calibration.markings import markings_of
from calibration.measured import Measured, believed, out_of_ratio, told_apart
from calibration.measuring import MeasureError, Survey, measure_board, seen_size
from calibration.pose import Fit, FitError, fit_of, fit_pose, lens_gives, moved_mm, settled_on_paint
from calibration.presets import PRESETS
from calibration.report import draw_missing
from calibration.search import CLICKED_PX, COARSE_MM, Found, NotFoundError, find_board, pose_from_corners
from calibration.target import Lens
from controller.events.errors import ConfigError
from controller.vision.looks import Pixels

WORST_FIT_MM = 0.6
"""Paint that lies farther off than this, on the whole, is another board's; its lines are not called."""

DOUBTED_RATIO = 0.004
"""Of all lines together, 2 mm at a corner. Tables given rightly show 0.15 % at most; one with lines of low contrast and
shaded cushions, its corners 3.5 mm off, showed 0.65 %."""

UNSURE_U95_MM = 1.5
"""At a corner, 95 %: as far off a calibration is a wrong one."""

REACHES_OUT_PX = 3.0

FOCAL_SHARE = 0.85
"""Of the picture's longer side: the focal length of most cameras that see a whole board from a metre."""

Tell = Callable[[str], None]


class RefusedError(ConfigError):
    """Pictures that no calibration can be made from, with a picture of what was found in them and what was missing."""

    def __init__(self, says: str, report: Pixels) -> None:
        super().__init__(says)
        self.report = report


@dataclass(frozen=True, eq=False)
class Posed:
    """The camera above a board. `fit`: None where it rests on a person's corners alone; `measured`: what the picture
    gave of the board's measures, None where it was not asked or gave nothing; `lines_seen`: whether most of the paint
    is seen, or only the base circles that tell where the board is; `lens_agrees`: whether the lens may be of this
    camera; `board_doubt`: why this is hardly the board that was given, or not to be seen well, "" where it is;
    `elsewhere`: whether its lines lie elsewhere than usually on a board of its side; `unsure`: whether its corners may
    be far off.
    """

    model: CameraModel
    fit: Fit | None
    measured: Measured | None = None
    lines_seen: bool = True
    lens_agrees: bool = True
    board_doubt: str = ""
    elsewhere: bool = False
    unsure: bool = False


def pose_for(
    picture: Pixels,
    lens: Lens | None,
    board: Board,
    south: str,
    corners: Floats | None,
    says: list[str],
    tell: Tell,
    *,
    measuring: bool = False,
) -> Posed:
    """The camera above a board in a picture (h, w, 3) BGR. `measuring`: the board is empty and is to be measured.

    Raises RefusedError where no board is found and no corners were given, ConfigError for absurd corners.
    """
    h, w = picture.shape[:2]
    if corners is not None:
        _check_corners(corners, (w, h))
    by_hand = None if corners is None else _by_corners_alone(corners, lens, board, (w, h))
    sigma = None
    if lens is not None:
        K, dist = lens.K, lens.dist
    elif by_hand is not None:
        K, dist = by_hand.K, by_hand.dist
        sigma = np.array((0.2 * K[0, 0], 0.01 * w, 0.01 * w, 0.1, 0.0, 0.0, 0.0))
    else:
        focal = FOCAL_SHARE * max(w, h)
        K, dist = np.array(((focal, 0, (w - 1) / 2), (0, focal, (h - 1) / 2), (0, 0, 1.0))), np.zeros(5)
        sigma = np.array((0.3 * focal, 0.01 * w, 0.01 * w, 0.15, 0.0, 0.0, 0.0))
    try:
        found = find_board(picture, K, dist, board, south, sigma, corners_px=corners, tell=tell)
    except NotFoundError as error:
        if by_hand is None:
            raise _refused(picture, board, error) from error
        found = None
    if found is not None and by_hand is None:
        _check_whole(picture, found, board)
    if found is not None and by_hand is not None:
        most = 1.5 * CLICKED_PX / by_hand.px_per_mm
        if found.fit.residual_mm > WORST_FIT_MM or moved_mm(by_hand, found.fit.model, board.half_mm) > most:
            found = None
    if found is None:
        assert by_hand is not None
        says.append(
            "the pose rests on the four corners alone (the board's markings are not the usual ones or not seen): "
            "positions are good to about 3 mm, and no line is called"
        )
        return Posed(by_hand, None)
    luma, mine = _luma(picture), list[str]()
    agrees = lens is None or _lens_agrees(luma, found.fit, lens, board, mine)
    if lens is None or not measuring:
        settled = _settled(luma, found.fit, lens, board, board, measuring=False)
    else:
        tell("measuring the markings")
        settled = _settled(luma, found.fit, lens, board, board, measuring=agrees)
        if not (agrees and settled.sound) and (again := _elsewhere(luma, found.fit, lens, board)) is not None:
            settled, agrees, mine = again, True, []
    says += (*mine, *settled.says)
    fit, evidence, lines_seen = settled.fit, settled.evidence, settled.evidence.share >= LEAST_SHARE
    missing = [name for name, lost in zip(settled.names, evidence.visible & ~evidence.found, strict=True) if lost]
    if missing:
        says.append(f"not seen in their places: {', '.join(missing)}")
    doubt = ""
    if not lines_seen:
        doubt = (
            "the board is found by its base circles; most of its lines are not seen, and none is called. Fix: more "
            "light, a camera that shows the lines, or the lines drawn over"
        )
        says.append(doubt)
    elif fit.residual_mm > WORST_FIT_MM:
        says.append(
            f"the markings lie {fit.residual_mm:.1f} mm off the measures that this board is said to have: no line is "
            "called. Fix: the board's true measures, or a sharper picture"
        )
    elif lens is not None and measuring and agrees and evidence.circles < LEAST_CIRCLES_SEEN:
        doubt = _doubt(luma, fit.model, board)
        says.append(doubt)
    elif settled.measured is not None and abs(settled.measured.one_ratio) > DOUBTED_RATIO:
        doubt = (
            f"{out_of_ratio(settled.measured.one_ratio)}: the side is another than {2 * board.half_mm:g} mm, or the "
            "cushions are misread, and no line is called. Fix: light without a shadow along the cushions, or the true "
            "side; if that is right, the lines' measures into [board]"
        )
        says.append(doubt)
    elif not settled.edges_agree:
        doubt = (
            "cushions and pockets do not lie where the markings say, so the corners are hardly known and no line is "
            "called. Fix: more light, a sharper picture, faded lines drawn over, or the true measures in [board]"
        )
        says.append(doubt)
    unsure = lens is not None and 2.0 * fit.u_mm > UNSURE_U95_MM
    if unsure:
        says.append(
            f"the corners may lie {2.0 * fit.u_mm:.1f} mm off (95 %), for paint and cushions are seen too badly: the "
            "grade is one lower. Fix: more light, a sharper picture, faded lines drawn over, or more lens pictures"
        )
    return Posed(fit.model, fit, settled.measured, lines_seen, agrees, doubt, settled.elsewhere, unsure)


@dataclass(frozen=True, eq=False)
class _Settled:
    """A camera above a board that is taken to be so, and what speaks for it; `names`: of the markings in `evidence`.

    `elsewhere`: whether the lines lie elsewhere than usually on a board of that side; `edges_agree`: whether the camera
    by paint alone and, where that was needed, the one by cushions and pockets as well put the corners in one place,
    within both errors (95 %).
    """

    fit: Fit
    measured: Measured | None
    evidence: Evidence
    names: tuple[str, ...]
    says: tuple[str, ...]
    elsewhere: bool = False
    edges_agree: bool = True

    @property
    def sound(self) -> bool:
        return self.fit.residual_mm <= WORST_FIT_MM and self.evidence.circles >= LEAST_CIRCLES_SEEN


def _settled(luma: Pixels, fit: Fit, lens: Lens | None, board: Board, told: Board, *, measuring: bool) -> _Settled:
    """The camera settled on the paint of the board, measured first if that is asked for; `told`: what it is given
    as, which may differ from what its lines are searched by."""
    says: list[str] = []
    survey = _surveyed(luma, fit, lens, board, says) if lens is not None and measuring else None
    measured = None if survey is None else _believed(survey, told, says)
    if measured is not None and measured.board != board:
        board = measured.board
        fit = fit_again(luma, fit, board)
    if lens is not None:
        fit = settled_on_paint(luma, fit, markings_of(board), lens.covariance)
    edges_agree = True
    if 2.0 * fit.u_mm > UNSURE_U95_MM and survey is not None and measured is not None and not measured.doubt:
        # Where there is no paint cushions and pockets hold the camera.
        held = fit_of(luma, survey.camera, markings_of(board), survey.u_mm, bare=True)
        apart_mm = moved_mm(fit.model, held.model, board.half_mm)
        edges_agree = apart_mm <= 2.0 * hypot(fit.u_mm, held.u_mm)
        fit = held if edges_agree else fit
    coarse = markings_of(board, COARSE_MM)
    evidence = evidence_for(luma, fit.model, coarse)
    return _Settled(fit, measured, evidence, coarse.names, tuple(says), edges_agree=edges_agree)


def _elsewhere(luma: Pixels, fit: Fit, lens: Lens, told: Board) -> _Settled | None:
    """The same camera above a board of that side whose lines lie elsewhere than given; None where it is no such one."""
    model, board = seen_size(luma, fit.model, told)
    if abs(board.line_half_length_mm / told.line_half_length_mm - 1.0) < NEAR:
        return None
    try:
        settled = _settled(
            luma, fit_pose(luma, model, markings_of(board), bare=True), lens, board, told, measuring=True
        )
    except FitError:
        return None
    measured = settled.measured
    if measured is None or "line_half_length_mm" not in measured.mm or not settled.sound:
        return None
    if not _lens_agrees(luma, settled.fit, lens, measured.board, []):
        return None
    lines = "; ".join(f"{name} = {measured.mm[name]}" for name in measured.differs)
    fix = (
        f"the lines lie elsewhere than usually on a board of {2 * told.half_mm:g} mm: they are taken as measured, and "
        f"the grade is one lower. Fix: if that is its side, write into [board] {lines}, and calibrate again"
    )
    return replace(settled, says=(*settled.says, fix), elsewhere=True)


NEAR = 0.0125
"""Of the distance from the middle, 3 mm at a base line: lines that lie so near are measured where they were given.
What speaks against the board then is another matter, such as the lens of another camera."""

LEAST_CIRCLES_SEEN = 5
"""Of eight, most. Of 14 drawn tables given rightly, twelve show six or more and two, with rings too pale to be
seen, one; where lines were taken for another board's up to four are in place, in soft pictures none or one."""

DISPLACED_MM = 25.0
"""So far, at the corners, is searched from a pose that was fitted to another board's lines."""


def _doubt(luma: Pixels, model: CameraModel, board: Board) -> str:
    """Says that this is hardly the board that was given, and whether one that ships may be there instead."""
    # Of those that ship, each a drawing of the others in another size, one stands for all.
    name, shipped = next(iter(PRESETS.items()))
    coarse = markings_of(shipped, COARSE_MM)
    start = model.posed(model.R, model.t * (shipped.half_mm / board.half_mm))
    there = drawn_to_paint(luma, start, coarse, shipped.half_mm, off_mm=DISPLACED_MM)
    fits = shipped != board and evidence_for(luma, there, coarse).circles >= LEAST_CIRCLES_SEEN
    fix = f"--board {name}, or the one of its size" if fits else "its true measures in [board], or a sharper picture"
    return (
        f"most base circles are not seen where a board of {2 * board.half_mm:g} mm as this one is said to be has them: "
        f"no line is called. Fix: {fix}"
    )


OTHER_LENS_MM = 0.25
"""A lens of another camera is reported where the markings lie so much farther off with it than with any lens. Lenses of
their own cameras leave up to 0.18 mm on drawn tables, for they have more terms than the model, and 0.01 on path-traced
ones. Of 38 pairs of other cameras ten leave more: a flat board looks alike through many lenses."""


def _lens_agrees(luma: Pixels, fit: Fit, lens: Lens, board: Board, says: list[str]) -> bool:
    """Says whether the markings lie where they should about as well as with the lens left quite open.

    A board that is not as given is off with either.
    """
    fit = settled_on_paint(luma, fit, markings_of(board), lens.covariance)
    f, w = fit.model.K[0, 0], luma.shape[1]
    gives = np.array((0.3 * f, 0.02 * w, 0.02 * w, 0.05, 0.05, 0.003, 0.003))
    try:
        free = fit_pose(
            luma, fit.model, markings_of(board), reaches_mm=(3.0, 2.0, 2.0, 1.5, 1.5), lens_sigma=gives, bare=True
        )
    except FitError:
        return True
    if fit.residual_mm <= free.residual_mm + OTHER_LENS_MM:
        return True
    says.append(
        f"the lens pictures are hardly of this camera: with that lens the markings lie {fit.residual_mm:.2f} mm off, "
        f"with another {free.residual_mm:.2f} mm, so no line is called. Fix: take them with this camera, with the "
        "same size, zoom and focus"
    )
    return False


def _surveyed(luma: Pixels, fit: Fit, lens: Lens, board: Board, says: list[str]) -> Survey | None:
    try:
        return measure_board(luma, fit.model, board, lens_gives(fit.model, lens.covariance))
    except MeasureError as error:
        says.append(f"the markings are not measured: {error}; they are taken to be as the board is said to have them")
        return None


def _believed(survey: Survey, told: Board, says: list[str]) -> Measured:
    """What the markings measure, which is reported where it is not what was given."""
    measured = believed(survey.measures, told)
    if measured.doubt:
        says.append(
            f"the markings are not measured: no board has what is seen ({measured.doubt}); "
            "they are taken to be as the board is said to have them"
        )
    for line in told_apart(measured, told):
        says.append(f"measured: {line}; used from now on")
    return measured


def fit_again(luma: Pixels, fit: Fit, board: Board) -> Fit:
    """The same camera over a board whose markings are known better now; as it was where that fits no better."""
    markings = markings_of(board)

    def fitted(model: CameraModel) -> Fit:
        try:
            return fit_pose(luma, model, markings, reaches_mm=(4.0, 2.0, 2.0, 1.5), bare=True)
        except FitError:
            return fit

    again = fitted(fit.model)
    if again.residual_mm > LOOSE_MM:
        coarse = markings_of(board, COARSE_MM)
        drawn = drawn_to_paint(luma, fit.model, coarse, board.half_mm, off_mm=ASKEW_MM)
        again = min(again, fitted(drawn), key=lambda one: one.residual_mm)
    return again


LOOSE_MM, ASKEW_MM = 0.4, 10.0
"""Boards given rightly fit to 0.02 to 0.32 mm, table R with lines given 5 mm wrong to 0.58: the pose was fitted between
such lines, and the true ones lie farther off than a fit reaches."""


def _refused(picture: Pixels, board: Board, error: NotFoundError) -> RefusedError:
    text = f"{error}. Fix: the whole board in the picture, empty and in focus, or its inner corners with --corners"
    markings = markings_of(board, COARSE_MM)
    found = None if error.evidence is None else error.evidence.found
    return RefusedError(text, draw_missing(picture, error.model, board, markings, found, [str(error)]))


def _check_whole(picture: Pixels, found: Found, board: Board) -> None:
    """A board that reaches out of the picture cannot be umpired, however well its markings fit."""
    square = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64) * board.half_mm
    model = found.fit.model
    inside = model.in_picture(model.project_plane(square), -REACHES_OUT_PX)
    if not inside.all():
        out = ", ".join(name for name, there in zip(("NW", "NE", "SE", "SW"), inside, strict=True) if not there)
        text = f"the board reaches out of the picture at {out}"
        report = draw_missing(picture, model, board, markings_of(board, COARSE_MM), found.evidence.found, [text])
        raise RefusedError(f"{text}. Fix: turn or raise the camera until the whole board is in the picture", report)


def _check_corners(corners: Floats, size: tuple[int, int]) -> None:
    turn = np.roll(corners, -1, 0) - corners
    after = np.roll(turn, -1, 0)
    bends = turn[:, 0] * after[:, 1] - turn[:, 1] * after[:, 0]
    if not (bends > 0).all() or np.hypot(*turn.T).min() < 0.1 * min(size):
        raise ConfigError(
            "--corners: these are not the corners of a board, clockwise in the picture. Fix: NW NE SE SW, in px"
        )


def _by_corners_alone(corners: Floats, lens: Lens | None, board: Board, size: tuple[int, int]) -> CameraModel:
    try:
        if lens is not None:
            return pose_from_corners(corners, board.half_mm, lens.K, lens.dist, size)
        return _guess_focal(corners, board.half_mm, size)
    except FitError as error:
        raise ConfigError(f"--corners: {error}. Fix: NW NE SE SW, in px") from error


def _guess_focal(corners: Floats, half_mm: float, size: tuple[int, int]) -> CameraModel:
    """The focal length that makes four corners a square best, near what cameras have."""
    usual = 0.95 * max(size)
    square = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1)), dtype=np.float64) * half_mm
    best: tuple[float, CameraModel] | None = None
    for factor in np.exp(np.linspace(-0.7, 1.0, 35)):
        K = np.array(((usual * factor, 0, (size[0] - 1) / 2), (0, usual * factor, (size[1] - 1) / 2), (0, 0, 1.0)))
        try:
            model = pose_from_corners(corners, half_mm, K, np.zeros(5), size)
        except FitError:
            continue
        miss = np.hypot(*(model.project_plane(square) - corners).T)
        # Corners are clicked to about 0.4 % of the picture; most cameras lie within 40 % of the usual one.
        cost = float(np.sum((miss / (0.004 * max(size))) ** 2) + (np.log(factor) / 0.4) ** 2)
        if best is None or cost < best[0]:
            best = (cost, model)
    if best is None:
        raise FitError("the corners are not those of a square seen from above")
    return best[1]


def _luma(picture: Pixels) -> Pixels:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
