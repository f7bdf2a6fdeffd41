"""Where pieces lie: the net's place, drawn to an outline of a turned piece that was painted here, as rays say it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.vision.finding.candidates import Discs
from controller.vision.finding.errors import ERRORS
from controller.vision.finding.find import lying
from controller.vision.finding.flat import flat_for
from controller.vision.finding.nets import KINDS
from controller.vision.finding.placing import Lying, placed, slant, slope_of_light
from controller.vision.looks import Looks, Pixels, looks_of
from tests.posed import model_from_pose

THICK_MM, RADIUS_MM, ROUNDING_MM = 8.0, 15.5, 1.5
AT = np.array(((250.0, -180.0), (-300.0, 40.0), (20.0, 310.0), (-40.0, -60.0)))
WOOD = 200


@pytest.fixture(scope="module")
def model() -> CameraModel:
    k = ((900.0, 0.0, 500.0), (0.0, 900.0, 500.0), (0.0, 0.0, 1.0))
    return model_from_pose(k, (0.0, 0.0), (np.pi, 0.0, 0.0), (20.0, 30.0, 1000.0), (1000, 1000))


def board(level: int = WOOD) -> Pixels:
    rng = np.random.default_rng(1)
    return np.clip(rng.normal(level, 1.5, (1000, 1000, 3)), 0, 255).astype(np.uint8)


def with_pieces(model: CameraModel, level: int, rounding_mm: float = ROUNDING_MM) -> Pixels:
    """Turned pieces: all that their edges' roundings reach, from just above the board to just below the top."""
    picture = cv2.resize(board(), None, fx=4, fy=4, interpolation=cv2.INTER_NEAREST)
    turns = np.linspace(0.0, 2.0 * np.pi, 90)
    ring = RADIUS_MM * np.stack((np.cos(turns), np.sin(turns)), 1)
    for at in AT:
        rims = [model.project_plane(at + ring, z) for z in np.linspace(rounding_mm, THICK_MM - rounding_mm, 12)]
        hull = cv2.convexHull(np.concatenate(rims).astype(np.float32))
        cv2.fillPoly(picture, [np.rint(((hull + 0.5) * 4 - 0.5) * 16).astype(np.int32)], (level,) * 3, cv2.LINE_AA, 4)
    return np.asarray(cv2.resize(picture, (1000, 1000), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def looks(model: CameraModel, **more: bool) -> Looks:
    of_board = looks_of(DEFAULT_BOARD)
    return replace(of_board, coin_thickness_mm=THICK_MM, empty=board(), empty_model=model, **more)


def seen(xy: np.ndarray, below_mm: float = 0.0, below_sd_mm: float = 0.6, sd_mm: float = 0.5) -> Lying:
    n = len(xy)
    return Lying(
        xy, np.full(n, sd_mm), np.full(n, RADIUS_MM), np.full(n, THICK_MM), np.full(n, below_mm),
        np.full(n, below_sd_mm), np.zeros(n),
    )  # fmt: skip


@pytest.mark.parametrize("rounding_mm", [0.3, 1.5, 2.5])
def test_a_plain_outline_is_followed_from_whichever_side_the_net_errs_to(
    model: CameraModel, rounding_mm: float
) -> None:
    table = looks(model)
    picture = with_pieces(model, 60, rounding_mm)
    for off in ((0.8, 0.0), (-0.8, 0.3), (0.0, -0.8)):
        found = placed(flat_for(model, table, DEFAULT_BOARD), picture, table, seen(AT + off))
        errors = np.hypot(*(found.xy - AT).T)
        assert errors.max() < 0.25, (off, errors)


def test_a_piece_that_does_not_stand_out_lies_where_the_net_and_the_outlines_height_put_it(model: CameraModel) -> None:
    table, told = looks(model), seen(AT, below_mm=1.2)
    flat = flat_for(model, table, DEFAULT_BOARD)
    found = placed(flat, with_pieces(model, WOOD + 4), table, told)
    assert found.xy == pytest.approx(AT + 1.2 * slant(flat, AT), abs=0.05)
    assert (found.shown < 0.05).all()


def test_what_is_not_known_of_the_height_is_stated_the_more_the_farther_out(model: CameraModel) -> None:
    table = looks(model)
    flat, picture = flat_for(model, table, DEFAULT_BOARD), board()
    unsure, sure = (placed(flat, picture, table, seen(AT, below_sd_mm=sd)).u95_mm for sd in (1.5, 0.0))
    more = unsure**2 - sure**2
    assert (more > 0).all()
    assert more[1] > more[3], "310 mm from below the camera and 35"


def test_an_outline_makes_a_place_surer(model: CameraModel) -> None:
    table = looks(model)
    flat = flat_for(model, table, DEFAULT_BOARD)
    plain, none = (placed(flat, picture, table, seen(AT)).u95_mm for picture in (with_pieces(model, 60), board()))
    assert (plain < none).all()


def test_where_the_net_is_unsure_of_all_a_place_is_less_sure_than_by_itself() -> None:
    alone = ERRORS.u95_mm(np.array((0.04,)), np.array((0.2,)))
    among = ERRORS.u95_mm(np.full(3, 0.04), np.array((0.2, 0.6, 0.6)))
    assert among[0] > alone[0]


def test_turned_pieces_are_seen_below_their_tops_and_sharp_ones_at_them(model: CameraModel) -> None:
    odds = np.zeros((2, len(KINDS)))
    odds[0, KINDS.index("white")] = odds[1, KINDS.index("striker")] = 1.0
    discs = Discs(AT[:2], odds, np.full(2, 0.3), np.array((RADIUS_MM, 20.65)))
    turned = looks(model)
    sharp = replace(turned, sharp_edges=True)
    assert lying(flat_for(model, turned, DEFAULT_BOARD), discs, turned).below_mm[0] == ERRORS.coin.mean_mm > 0.0
    assert lying(flat_for(model, sharp, DEFAULT_BOARD), discs, sharp).below_mm.tolist() == [0.0, 0.0]


LIGHT = np.array((0.3, -0.2))
RAYS = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
BESIDE = (LIGHT @ (np.cos(RAYS), np.sin(RAYS)) - 0.4).astype(np.float32)


def test_where_the_light_comes_from_is_what_most_pieces_show() -> None:
    beside, free = np.tile(BESIDE, (6, 1)), np.ones((6, 48), dtype=np.bool_)
    beside[0] *= -9.0
    free[1:, 10:30] = False
    beside[~free] = 5.0
    assert slope_of_light(beside, free) == pytest.approx(LIGHT * 6 / 8, abs=1e-4)
    assert slope_of_light(beside[1:2], free[1:2]) == pytest.approx(LIGHT / 3, abs=1e-4)


def test_where_too_little_of_the_board_is_seen_the_light_comes_from_nowhere() -> None:
    free = np.zeros((3, 48), dtype=np.bool_)
    free[:, :11] = True
    assert slope_of_light(np.tile(BESIDE, (3, 1)), free).tolist() == [0.0, 0.0]


def test_what_seems_to_lie_in_its_own_shade_is_put_towards_the_light(model: CameraModel) -> None:
    picture, table = with_pieces(model, 60), looks(model)
    for x, y in AT:
        shade, size = np.zeros((1000, 1000), dtype=np.float32), 30
        column, row = model.project_plane(np.array(((x + 8.0, y),)), 0.0)[0]
        cv2.circle(shade, (round(column), round(row)), size // 2 - 1, 1.0, -1)
        picture = np.where((shade > 0)[..., None] & (picture > 100), picture // 2, picture).astype(np.uint8)
    flat, plain = flat_for(model, table, DEFAULT_BOARD), seen(AT)
    before, after = (
        placed(flat, picture, table, replace(plain, shade_mm=np.array((k, k, k, 0.0)))).xy for k in (0.0, 2.0)
    )
    assert (after - before)[:, 0] == pytest.approx([moved := (after - before)[0, 0]] * 3 + [0.0])
    assert moved < -0.1
    bare = replace(table, empty=None, empty_model=None)
    flat = flat_for(model, bare, DEFAULT_BOARD)
    before, after = (placed(flat, picture, bare, replace(plain, shade_mm=np.full(4, k))).xy for k in (0.0, 2.0))
    assert (before == after).all(), "paint cannot be told from shade there"


def test_shade_looks_like_a_part_of_what_is_dark_and_cuts_off_what_is_pale(model: CameraModel) -> None:
    odds = np.eye(len(KINDS))[1:]
    discs = Discs(AT, odds, np.full(4, 0.3), np.full(4, RADIUS_MM))
    found = lying(flat_for(model, looks(model), DEFAULT_BOARD), discs, looks(model)).shade_mm
    assert found[KINDS.index("white") - 1] < 0.0 < found[KINDS.index("queen") - 1] < found[KINDS.index("black") - 1]


def test_nothing_found_is_placed_nowhere(model: CameraModel) -> None:
    table = looks(model)
    assert placed(flat_for(model, table, DEFAULT_BOARD), board(), table, seen(np.zeros((0, 2)))).xy.shape == (0, 2)
