"""What counts as change: a lamp's flicker and bands do not, a piece that moved does."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from controller.vision.following.background import Background

ROWS, COLUMNS = 360, 370


def scene() -> np.ndarray:
    rng = np.random.default_rng(3)
    flat = cv2.GaussianBlur(rng.normal(150, 12, (ROWS, COLUMNS)), (0, 0), 4)
    picture = np.clip(flat, 0, 255).astype(np.uint8)
    cv2.circle(picture, (100, 100), 6, 40, -1)
    return picture


def everywhere() -> np.ndarray:
    return np.full((ROWS, COLUMNS), 255, np.uint8)


@pytest.mark.parametrize("periods", [0.0, 1.2, 2.5])
def test_flicker_is_no_change_but_a_piece_is(periods: float) -> None:
    still = scene()
    plate = Background(still, everywhere())
    rows = np.arange(ROWS) / ROWS
    ripple = 1.0 + 0.05 * np.sin(2 * np.pi * periods * rows + 1.0)
    now = still.copy()
    cv2.circle(now, (250, 250), 6, 40, -1)
    lit = np.clip(now * ripple[:, None], 0, 255).astype(np.uint8)
    changed = plate.changed(plate.difference(plate.level(lit)))
    cv2.circle(changed, (250, 250), 9, 0, -1)
    assert cv2.countNonZero(changed) < 0.002 * changed.size
    piece = plate.changed(plate.difference(plate.level(lit)))[245:256, 245:256]
    assert cv2.countNonZero(piece) > 80


def test_a_hand_over_whole_bands_is_not_taken_for_the_lamp() -> None:
    still = scene()
    plate = Background(still, everywhere())
    now = still.copy()
    now[200:280] = 60
    changed = plate.changed(plate.difference(plate.level(now)))
    assert cv2.countNonZero(changed[205:275]) > 0.95 * changed[205:275].size
    assert cv2.countNonZero(changed[:190]) == 0


def test_the_board_below_a_piece_is_taken_from_when_it_was_bare() -> None:
    bare = scene()
    plate = Background(bare, everywhere())
    plate.rest(bare, np.zeros_like(bare))
    lying = bare.copy()
    cv2.circle(lying, (250, 250), 6, 30, -1)
    covered = np.zeros_like(bare)
    cv2.circle(covered, (250, 250), 9, 255, -1)
    plate.rest(lying, covered)
    mask = np.full((21, 21), 255, np.uint8)
    assert plate.uncover((240, 240, 261, 261), mask)
    assert cv2.countNonZero(plate.changed(plate.difference(bare))) == 0


def test_below_a_piece_that_always_lay_there_only_a_guess_is_had() -> None:
    lying = scene()
    covered = np.zeros_like(lying)
    cv2.circle(covered, (100, 100), 9, 255, -1)
    plate = Background(lying, everywhere())
    plate.rest(lying, covered)
    assert not plate.uncover((94, 94, 107, 107), np.full((13, 13), 255, np.uint8))
    assert abs(int(plate.scene[100, 100]) - 150) < 25
