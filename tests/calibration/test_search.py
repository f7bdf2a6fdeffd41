"""Finding the board by itself, on boards that are drawn without any code of the search."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD, Board
from calibration.camera import CameraModel
from calibration.discs import corners_by_discs, corners_by_pockets, discs_in
from calibration.evidence import LEAST_SHARE, as_before, drawn_to_paint, evidence_for
from calibration.markings import markings_of
from calibration.pose import moved_mm
from calibration.search import NotFoundError, find_board
from tests.calibration.test_camera import _drawn, _model

pytestmark = pytest.mark.slow

SQUARE = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1))) * 370.0
BOARD = Board()


def turned(degrees: float) -> CameraModel:
    """The test's camera, turned about the board."""
    angle = np.radians(degrees)
    spin = np.array(((np.cos(angle), -np.sin(angle), 0), (np.sin(angle), np.cos(angle), 0), (0, 0, 1)))
    model = _model()
    return model.posed(model.R @ spin, model.t)


def grained(luma: np.ndarray) -> np.ndarray:
    """The picture with strong grain, uneven light and a white lamp upon it, in colour (BGR)."""
    rng = np.random.default_rng(2)
    rough = cv2.GaussianBlur(rng.normal(0, 1, luma.shape), (0, 0), sigmaX=1.5, sigmaY=40)
    h, w = luma.shape
    y, x = np.mgrid[0:h, 0:w]
    lit = luma * (0.6 + 0.5 * x / w) + 8.0 * rough / rough.std()
    lit += 400.0 * np.exp(-0.5 * ((x - 500) ** 2 + (y - 300) ** 2) / 45.0**2)
    return cv2.cvtColor(np.clip(lit, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)


def test_a_turned_board_with_pale_lines_grain_and_glare_is_found_by_itself() -> None:
    model = turned(-7.0)
    picture = grained(_drawn(model, pale_paint=True))
    told: list[str] = []
    found = find_board(picture, model.K, model.dist, BOARD, "bottom", tell=told.append)
    assert moved_mm(model, found.fit.model, DEFAULT_BOARD.half_mm) < 0.5
    assert found.evidence.share > 0.85
    assert told, "whoever waits is told what goes on"


def test_corners_some_pixels_off_lead_to_the_same_fit() -> None:
    model = _model()
    picture = grained(_drawn(model))
    fits = []
    for seed in (1, 2):
        off = np.random.default_rng(seed).uniform(-10, 10, (4, 2))
        corners = model.project_plane(SQUARE) + off
        found = find_board(picture, model.K, model.dist, BOARD, "bottom", corners_px=corners)
        assert found.way == "the corners"
        fits.append(found.fit.model)
    assert moved_mm(*fits, DEFAULT_BOARD.half_mm) < 0.02
    assert moved_mm(model, fits[0], DEFAULT_BOARD.half_mm) < 0.5


def test_corners_say_where_south_is() -> None:
    model = _model()
    corners = np.roll(model.project_plane(SQUARE), 1, 0)
    found = find_board(grained(_drawn(model)), model.K, model.dist, BOARD, "bottom", corners_px=corners)
    assert np.abs(found.fit.model.project_plane(SQUARE) - corners).max() < 2.0


def test_paint_draws_a_pose_that_is_thirty_pixels_off() -> None:
    model = _model()
    away = model.posed(model.R, model.t + np.array((38.0, -20.0, 10.0)))
    assert np.hypot(*(away.project_plane(SQUARE) - model.project_plane(SQUARE)).T).max() > 30.0
    drawn = drawn_to_paint(_drawn(model), away, markings_of(BOARD, 9.0), 370.0, off_mm=45.0)
    assert moved_mm(model, drawn, DEFAULT_BOARD.half_mm) < 1.5


def test_a_board_whose_lines_lie_millimetres_elsewhere_is_the_board_all_the_same() -> None:
    model = _model()
    other = replace(BOARD, outer_line_mm=(100.0, 105.0), inner_line_mm=(133.3, 134.8))
    found = find_board(grained(_drawn(model)), model.K, model.dist, other, "bottom")
    assert found.evidence.share > LEAST_SHARE
    # The lines are told 3 mm wider apart than they are, and the corners follow what is told.
    assert moved_mm(model, found.fit.model, DEFAULT_BOARD.half_mm) < 4.0


def test_a_larger_square_is_not_taken_for_the_board() -> None:
    model = _model()
    markings = markings_of(BOARD, 9.0)
    # The outer lines where the inner ones should be: most wrong fits look like this.
    wrong = model.posed(model.R, model.t * np.array((1.0, 1.0, 237.45 / 266.0)))
    luma = _drawn(model)
    assert evidence_for(luma, model, markings).share > 0.9
    assert evidence_for(luma, wrong, markings).share < LEAST_SHARE - 0.2


@pytest.mark.long
def test_a_board_whose_base_circles_have_all_faded_is_found_by_its_lines() -> None:
    model = turned(4.0)
    luma = _drawn(model)
    worn = np.zeros_like(luma)
    for place in model.project_plane(np.array(BOARD.base_circles_mm)):
        middle = tuple(int(v) for v in np.rint(place))
        cv2.circle(worn, middle, round(19.0 * model.px_per_mm), 255, -1)
    luma = cv2.GaussianBlur(cv2.inpaint(luma, worn, 3.0, cv2.INPAINT_TELEA), (0, 0), 0.8)
    picture = cv2.cvtColor(luma, cv2.COLOR_GRAY2BGR)
    found = find_board(picture, model.K, model.dist, BOARD, "bottom")
    names = markings_of(BOARD, 9.0).names
    circles = [seen for name, seen in zip(names, found.evidence.found, strict=True) if name.startswith("base circle")]
    assert len(circles) == 8
    assert sum(circles) <= 1
    assert moved_mm(model, found.fit.model, BOARD.half_mm) < 0.5


def test_eight_base_circles_are_the_board_though_nobody_sees_its_lines() -> None:
    model = turned(9.0)
    picture = np.full((model.size[1], model.size[0], 3), (120, 170, 200), dtype=np.uint8)
    for x, y in BOARD.base_circles_mm:
        for radius, colour in ((15.9, (60, 60, 60)), (15.1, (120, 170, 200)), (12.7, (40, 40, 200))):
            _disc(picture, model, x, y, radius, colour)
    luma = cv2.cvtColor(cv2.GaussianBlur(picture, (0, 0), 0.8), cv2.COLOR_BGR2GRAY)
    markings = markings_of(BOARD, 9.0)
    here = evidence_for(luma, model, markings)
    assert here.share < LEAST_SHARE
    assert here.is_board
    aside = model.posed(model.R, model.t + np.array((9.0, 0.0, 0.0)))
    assert not evidence_for(luma, aside, markings).is_board


def test_the_same_board_is_told_by_what_an_earlier_picture_showed_of_it() -> None:
    model, markings = _model(), markings_of(BOARD, 9.0)
    luma = _drawn(model)
    before = evidence_for(luma, model, markings)
    covered = luma.copy()
    x, y = (int(v) for v in model.project_plane(np.zeros((1, 2)))[0])
    cv2.circle(covered, (x, y), round(95 * model.px_per_mm), 60, -1)
    assert as_before(evidence_for(covered, model, markings), before)
    aside = model.posed(model.R, model.t + np.array((6.0, 0.0, 0.0)))
    assert not as_before(evidence_for(luma, aside, markings), before)


def test_discs_alone_tell_the_pose() -> None:
    model = turned(14.0)
    h, w = model.size[1], model.size[0]
    picture = np.full((h, w, 3), (120, 170, 200), dtype=np.uint8)
    for x, y in BOARD.base_circles_mm:
        _disc(picture, model, x, y, 12.7, (40, 40, 200))
    for x, y in BOARD.pockets_mm.values():
        _disc(picture, model, x, y, 22.25, (20, 20, 20))
    rng = np.random.default_rng(4)
    for x, y in zip(rng.uniform(30, w - 30, 25), rng.uniform(30, h - 30, 25), strict=True):
        cv2.circle(picture, (round(x), round(y)), 10, (40, 40, 200), -1, cv2.LINE_AA)
    best = corners_by_discs(discs_in(picture), model.K, model.dist, BOARD)[0]
    assert np.hypot(*(np.roll(best, _first(best, model), 0) - model.project_plane(SQUARE)).T).max() < 8.0


def test_four_pockets_alone_tell_the_pose() -> None:
    model = turned(11.0)
    picture = _pocketed(model, (20, 20, 20))
    rng = np.random.default_rng(5)
    for x, y in rng.uniform(-250, 250, (5, 2)):
        _disc(picture, model, x, y, 20.0, (60, 90, 120))
    discs = discs_in(picture)
    assert not corners_by_discs(discs, model.K, model.dist, BOARD)
    best = corners_by_pockets(discs, model.K, model.dist, BOARD)[0]
    assert np.hypot(*(np.roll(best, _first(best, model), 0) - model.project_plane(SQUARE)).T).max() < 8.0


def test_corners_of_four_colours_are_no_pockets() -> None:
    model = _model()
    picture = _pocketed(model, (20, 20, 20), (250, 250, 250), (40, 40, 220), (220, 60, 40))
    assert not corners_by_pockets(discs_in(picture), model.K, model.dist, BOARD)


def _pocketed(model: CameraModel, *colours: tuple[int, int, int]) -> np.ndarray:
    """Plain wood with a disc of these colours in turn where each pocket is."""
    picture = np.full((model.size[1], model.size[0], 3), (120, 170, 200), dtype=np.uint8)
    for k, (x, y) in enumerate(BOARD.pockets_mm.values()):
        _disc(picture, model, x, y, 22.25, colours[k % len(colours)])
    return picture


def _disc(picture: np.ndarray, model: CameraModel, x: float, y: float, radius: float, colour: tuple[int, ...]) -> None:
    angle = np.linspace(0, 2 * np.pi, 40)
    rim = model.project_plane(np.stack((x + radius * np.cos(angle), y + radius * np.sin(angle)), 1))
    cv2.fillPoly(picture, [np.rint(rim).astype(np.int32)], colour, cv2.LINE_AA)


def _first(corners: np.ndarray, model: CameraModel) -> int:
    true = model.project_plane(SQUARE)
    return min(range(4), key=lambda k: float(np.hypot(*(np.roll(corners, k, 0) - true).T).max()))


@pytest.mark.long
def test_pictures_without_a_board_are_refused_with_what_came_nearest() -> None:
    model = _model()
    rng = np.random.default_rng(0)
    blank = rng.normal(120, 3, (720, 1280, 3)).astype(np.uint8)
    with pytest.raises(NotFoundError):
        find_board(blank, model.K, model.dist, BOARD, "bottom")
    # A plain board of the right shape, frame and pockets, but no paint on it.
    bare = np.full((720, 1280, 3), 60, dtype=np.uint8)
    cv2.fillPoly(bare, [np.rint(model.project_plane(SQUARE)).astype(np.int32)], (150, 190, 210), cv2.LINE_AA)
    with pytest.raises(NotFoundError) as caught:
        find_board(bare, model.K, model.dist, BOARD, "bottom")
    assert caught.value.model is not None
    assert caught.value.evidence is not None
