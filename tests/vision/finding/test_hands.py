"""Hands that lie over the board as a picture is taken: told as hands, and light is told for none."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.words import Seat
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.scene import ArmPath
from controller.simulator.stills import random_position, still
from controller.vision.calibration_file import Calibration
from controller.vision.finding import Finding, find
from controller.vision.looks import Pixels
from tests.vision.finding.test_changes import board_points, with_light

RUDDY = (190.0, 120.0, 98.0)
GAMMA = 2.2

pytestmark = pytest.mark.slow


def found(table: Calibration, picture: Pixels) -> Finding:
    return find(picture, table.model, table.looks, DEFAULT_BOARD)


@pytest.mark.parametrize(("seat", "at"), [("south", (0.0, -150.0)), ("north", (60.0, 200.0)), ("east", (200.0, -40.0))])
@pytest.mark.parametrize("lit", [1.0, 0.45])
def test_a_bare_arm_is_told_and_where_it_comes_from(
    table: Calibration, seat: Seat, at: tuple[float, float], lit: float
) -> None:
    look = replace(LOOKS["fast"], skin=RUDDY, sleeve=RUDDY)
    stop = (*at, 20.0)
    arm = ArmPath(seat, ((-1.0, *stop), (1.0, *stop)))
    frame = still(Camera(look, 5), random_position(np.random.default_rng(1), look.pieces), (arm,))
    x, y = np.moveaxis(board_points(table.model), -1, 0)
    dimmer_to_a_side = with_light(frame.picture, lit * (1.0 - 0.0004 * (x + y)))
    assert {hand.side for hand in found(table, dimmer_to_a_side).hands} == {seat}


def test_a_lamp_mirrored_at_the_frame_is_no_hand_and_no_thing(table: Calibration) -> None:
    assert table.looks.empty is not None
    x, y = np.moveaxis(board_points(table.model), -1, 0)
    light = (table.looks.empty / 255.0) ** GAMMA
    glow = np.exp(-(((x + 180.0) / 60.0) ** 2) - ((y - 300.0) / 90.0) ** 2)
    light += 0.5 * cv2.resize(glow, table.model.size)[:, :, None]
    picture = (np.clip(light, 0.0, 1.0) ** (1.0 / GAMMA) * 255.0).astype(np.uint8)
    seen = found(table, picture)
    assert not seen.hands
    assert not seen.foreign
