"""What the nets are shown: patches turned away from the camera, light that drops out, steps that lead back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.vision.finding.flat import Flat, cells_log, flat_for, half_log, median
from controller.vision.finding.views import (
    PATCH,
    board_view,
    in_patch,
    middle_tones,
    on_board,
    patch_views,
    surface_log,
    tones_at,
)
from controller.vision.looks import ANY_TONES, Looks, looks_of
from tests.posed import model_from_pose

SIZE = (800, 800)


@dataclass(frozen=True)
class Table:
    model: CameraModel
    looks: Looks
    flat: Flat
    empty: np.ndarray


@pytest.fixture(scope="module")
def table() -> Table:
    # Straight down from 1 m, north up in the picture; a bare brown board.
    model = model_from_pose(
        ((950.0, 0, 399.5), (0, 950.0, 399.5), (0, 0, 1)), (), (np.pi, 0.0, 0.0), (0.0, 0.0, 1000.0), SIZE
    )
    empty = np.full((800, 800, 3), (90, 140, 190), dtype=np.uint8)
    looks = replace(looks_of(DEFAULT_BOARD), tones=ANY_TONES, sizes_known=True, empty=empty, empty_model=model)
    return Table(model, looks, flat_for(model, looks, DEFAULT_BOARD), empty)


def with_disc(table: Table, x: float, y: float, colour: tuple[int, int, int], radius: float = 15.5) -> np.ndarray:
    """The empty board with a flat disc whose top is at the height of a coin's."""
    picture = table.empty.copy()
    rows, columns = np.mgrid[0:800, 0:800]
    at = table.model.to_plane(np.stack((columns.ravel(), rows.ravel()), 1).astype(float), 8.0).reshape(800, 800, 2)
    picture[np.hypot(at[..., 0] - x, at[..., 1] - y) < radius] = colour
    return picture


def test_a_coin_is_equally_large_whatever_its_size() -> None:
    model = model_from_pose(
        ((950.0, 0, 399.5), (0, 950.0, 399.5), (0, 0, 1)), (), (np.pi, 0.0, 0.0), (0.0, 0.0, 1000.0), SIZE
    )
    small, large = (
        flat_for(model, replace(looks_of(DEFAULT_BOARD), coin_diameter_mm=d), DEFAULT_BOARD) for d in (26.0, 32.0)
    )
    assert small.scale * 13.0 == pytest.approx(large.scale * 16.0)


def test_a_step_on_the_board_and_back_in_the_patch_is_the_same(table: Table) -> None:
    rng = np.random.default_rng(1)
    xy, step = rng.uniform(-300, 300, (50, 2)), rng.uniform(-6, 6, (50, 2))
    assert np.allclose(on_board(table.flat, xy, in_patch(table.flat, xy, step)), step)


@pytest.mark.parametrize("at", [(200.0, 0.0), (-150.0, 150.0), (0.0, -250.0)])
def test_away_from_the_camera_is_the_first_axis_of_every_patch(table: Table, at: tuple[float, float]) -> None:
    """A disc farther out than the patch's middle lies to the right in it."""
    out = np.array(at) / np.hypot(*at) * 8.0
    laid = table.flat.lay(with_disc(table, at[0] + out[0], at[1] + out[1], (20, 20, 20)))
    surface = surface_log(table.flat, cells_log(laid), np.array([[*at, 25.0]]))
    patch = patch_views(table.flat, laid, surface, np.array([at]), ANY_TONES, known=False)[0]
    rows, columns = np.nonzero(patch[:3].mean(0) < -0.8)
    step = 8.0 * table.flat.scale
    assert columns.mean() - (PATCH - 1) / 2 == pytest.approx(step, abs=0.4)
    assert rows.mean() - (PATCH - 1) / 2 == pytest.approx(0.0, abs=0.4)


def test_a_dimmer_and_warmer_lamp_changes_nothing(table: Table) -> None:
    picture = with_disc(table, 60.0, 40.0, (60, 60, 150))
    dimmed = (picture * np.array((0.6, 0.7, 0.8))).astype(np.uint8)
    covered = np.array([[60.0, 40.0, 15.5]])
    shown = []
    for seen in (picture, dimmed):
        laid = table.flat.lay(seen)
        surface = surface_log(table.flat, cells_log(laid), covered)
        shown.append(patch_views(table.flat, laid, surface, covered[:, :2], ANY_TONES, known=False))
    # The offset before the logarithm keeps a little of the light.
    assert np.abs(shown[0][:, :6] - shown[1][:, :6]).max() < 0.15
    assert np.abs(shown[0][:, :3]).max() > 0.4


def test_the_tones_at_places_are_those_in_the_middle_of_their_patches(table: Table) -> None:
    xy = np.array([[60.0, 40.0], [-210.0, 150.0], [0.0, 0.0]])
    laid = table.flat.lay(with_disc(table, 60.0, 40.0, (60, 60, 150)))
    surface = surface_log(table.flat, cells_log(laid), np.array([[60.0, 40.0, 15.5]]))
    patches = patch_views(table.flat, laid, surface, xy, ANY_TONES, known=False)
    tones = tones_at(table.flat, laid, surface, xy)
    assert np.allclose(tones, middle_tones(patches), atol=1e-6)
    assert np.ptp(tones[:, 0]) > 0.3
    assert tones_at(table.flat, laid, surface, xy[:0]).shape == (0, 3)


def test_the_empty_board_shows_no_change(table: Table) -> None:
    view = board_view(table.flat, half_log(table.flat.lay(table.empty)))
    assert np.abs(view[0, :3]).max() < 0.05
    assert view[0, 6].max() == 1.0


def test_without_an_empty_board_that_is_said(table: Table) -> None:
    flat = replace(table.flat, empty=None)
    laid = flat.lay(with_disc(table, 0.0, 0.0, (20, 20, 20)))
    assert board_view(flat, half_log(laid))[0, 6].max() == 0.0
    surface = surface_log(flat, cells_log(laid), np.array([[0.0, 0.0, 15.5]]))
    patch = patch_views(flat, laid, surface, np.zeros((1, 2)), ANY_TONES, known=True)[0]
    assert patch[10].max() == 0.0
    assert patch[11].min() == 1.0
    assert patch[:3, 20, 20].mean() < -0.8


@pytest.mark.parametrize("many", [1, 4, 7])
def test_the_median_lies_along_the_axis_before_the_last(many: int) -> None:
    values = np.random.default_rng(3).normal(size=(2, 5, many, 3)).astype(np.float32)
    assert np.array_equal(median(values), np.median(values, 2))
