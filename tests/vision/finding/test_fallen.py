"""Coins in the nets of pockets, seen through the holes: none of them lies on the board."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.board import DEFAULT_BOARD
from calibration.camera import Floats
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.stills import still
from controller.vision.calibration_file import Calibration
from controller.vision.finding import find
from controller.vision.finding.fallen import fallen
from controller.vision.finding.flat import Flat, flat_for
from controller.vision.looks import Pixels
from tests.bench.eyes.retouched import in_net
from tests.vision.finding.conftest import calibrated

pytestmark = pytest.mark.slow

LIES = Pose(60.0, -40.0, 0.0, 0.3)


def drawn(look: str, lies: Pose) -> tuple[Calibration, Pixels]:
    """A look's table and a picture of one white coin on it."""
    camera = Camera(LOOKS[look], 5)
    white = next(name for name in camera.look.pieces.names if camera.look.pieces.piece(name) == "white")
    return calibrated(look).made.calibration, still(camera, {white: lies}).picture


@pytest.mark.parametrize("depth_mm", [35.0, 45.0, 55.0])
def test_a_coin_in_a_net_is_no_piece_on_the_rim(depth_mm: float) -> None:
    calibration, picture = drawn("fast", LIES)
    for x, y in DEFAULT_BOARD.pockets_mm.values():
        net = (x, y, depth_mm)
        picture = in_net(picture, calibration.model, DEFAULT_BOARD, (LIES.x_mm, LIES.y_mm), net, 0.9)
    (piece,) = find(picture, calibration.model, calibration.looks, board=DEFAULT_BOARD).pieces
    assert np.hypot(piece.x_mm - LIES.x_mm, piece.y_mm - LIES.y_mm) < 2.0


RIM = DEFAULT_BOARD.pocket_centre_mm - 24.0 / np.sqrt(2.0)


@dataclass(frozen=True)
class OnRim:
    """A white coin on a pocket's rim, as the grid shows it: the picture, the empty board, the coin's disc, the hole."""

    flat: Flat
    laid: Pixels
    disc: Floats
    hole: NDArray[np.bool_]

    @property
    def empty(self) -> Pixels:
        assert self.flat.empty is not None
        return self.flat.empty.colour

    def told(self, laid: Pixels, empty: Pixels) -> bool:
        """Whether the coin is told to lie below the hole, by these two pictures."""
        assert self.flat.empty is not None
        return bool(fallen(replace(self.flat, empty=replace(self.flat.empty, colour=empty)), laid, self.disc[None])[0])


@pytest.fixture(scope="module")
def on_rim() -> OnRim:
    calibration, picture = drawn("fast", Pose(RIM, RIM, 0.0, 0.0))
    flat = flat_for(calibration.model, calibration.looks, DEFAULT_BOARD)
    laid = flat.lay(picture)
    hole = np.zeros(laid.shape[:2], np.uint8)
    # The hole lies lower than the grid's plane, so it shows a little nearer to the middle.
    column, row = np.rint(flat.to_grid(np.full((1, 2), DEFAULT_BOARD.pocket_centre_mm - 2.0))[0]).astype(int)
    cv2.circle(hole, (int(column), int(row)), round((DEFAULT_BOARD.pocket_radius_mm - 1.0) * flat.scale), 255, -1)
    return OnRim(flat, laid, np.array((RIM, RIM, calibration.looks.coin_diameter_mm / 2.0)), hole > 0)


def test_a_coin_on_the_rim_is_none_in_the_net(on_rim: OnRim) -> None:
    assert not on_rim.told(on_rim.laid, on_rim.empty)


def test_a_saturated_board_says_nothing(on_rim: OnRim) -> None:
    laid, empty = (np.where(on_rim.hole[..., None], one, 255).astype(np.uint8) for one in (on_rim.laid, on_rim.empty))
    assert not on_rim.told(laid, empty)


@pytest.mark.parametrize(("darker", "below"), [(1.0, True), (0.97, False)])
def test_where_hardly_anything_shows_in_the_hole_the_board_has_to_be_as_it_was(on_rim: OnRim, darker, below) -> None:
    """A black coin over a dark hole shows by no more than it takes from a dark board."""
    lies = np.zeros(on_rim.hole.shape, np.uint8)
    column, row = on_rim.flat.to_grid(on_rim.disc[None, :2])[0]
    cv2.circle(lies, (round(float(column)), round(float(row))), round(on_rim.disc[2] * on_rim.flat.scale), 1, -1)
    laid = np.where(lies[..., None] > 0, np.rint(on_rim.empty * darker), on_rim.empty).astype(np.uint8)
    assert on_rim.told(laid, on_rim.empty) == below


@pytest.mark.parametrize("off_mm", [4.0, 10.0])
def test_what_the_board_does_not_bear_has_fallen_however_bright_it_is(on_rim: OnRim, off_mm: float) -> None:
    at = DEFAULT_BOARD.pocket_centre_mm - off_mm / np.sqrt(2.0)
    deep = replace(on_rim, disc=np.array((at, at, on_rim.disc[2])))
    white = np.full_like(on_rim.laid, 255)
    assert deep.told(white, white)


def test_a_coin_of_the_boards_own_colour_shows_by_its_outline(on_rim: OnRim) -> None:
    laid = np.where(on_rim.hole[..., None], on_rim.laid, on_rim.empty).astype(np.uint8)
    assert on_rim.told(laid, on_rim.empty), "without an outline it is one in the net"
    column, row = on_rim.flat.to_grid(on_rim.disc[None, :2])[0]
    ring = np.zeros(laid.shape[:2], np.uint8)
    middle = (round(float(column)), round(float(row)))
    cv2.circle(ring, middle, round(on_rim.disc[2] * on_rim.flat.scale), 255, 1)
    laid[ring > 0] = laid[ring > 0] // 10 * 8
    assert not on_rim.told(laid, on_rim.empty)
