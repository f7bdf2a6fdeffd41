"""A nudge of the camera is felt in the small picture; noise, a lamp that dims and pieces put down are none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from controller.vision.following.registration import Nudge

SIDE = 360


def board(rng: np.random.Generator) -> np.ndarray:
    picture = np.full((SIDE, SIDE), 90, np.float32)
    picture[30:-30, 30:-30] = 170
    for inset in (60, 70):
        cv2.rectangle(picture, (inset, inset), (SIDE - inset, SIDE - inset), 60.0, 2)
    cv2.circle(picture, (180, 180), 33, 60.0, 1)
    picture += cv2.GaussianBlur(rng.normal(0, 12, picture.shape).astype(np.float32), (0, 0), 4)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 1.0), 0, 255)


def seen(picture: np.ndarray, rng: np.random.Generator, dx: float = 0.0, dy: float = 0.0) -> np.ndarray:
    moved = cv2.warpAffine(
        picture,
        np.array(((1, 0, dx), (0, 1, dy))),
        (SIDE, SIDE),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.clip(moved + rng.normal(0, 0.6, moved.shape), 0, 255).round().astype(np.uint8)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def everywhere() -> np.ndarray:
    return np.full((SIDE, SIDE), 255, np.uint8)


def test_noise_and_light_are_no_nudge(rng: np.random.Generator) -> None:
    still = board(rng)
    nudge = Nudge(seen(still, rng), everywhere(), np.zeros((SIDE, SIDE), np.uint8))
    for light in (1.0, 0.9, 1.05):
        moved = nudge.moved_px(seen(still * light, rng))
        assert moved is not None
        assert moved < 0.03


def test_the_mains_ripple_that_a_rolling_shutter_shows_is_no_nudge(rng: np.random.Generator) -> None:
    still = board(rng)
    rows = np.arange(SIDE)[:, None] / SIDE

    def rippled(phase: float) -> np.ndarray:
        return seen(still * (1.0 + 0.04 * np.sin(2.0 * np.pi * (1.2 * rows + phase))), rng)

    nudge = Nudge(rippled(0.0), everywhere(), np.zeros((SIDE, SIDE), np.uint8))
    for phase in (0.2, 0.5, 0.7):
        moved = nudge.moved_px(rippled(phase))
        assert moved is not None
        assert moved < 0.04


@pytest.mark.parametrize("shift", [(0.05, 0.0), (0.1, -0.1), (0.0, 0.4)])
def test_a_shift_of_a_fraction_of_a_pixel_is_felt(rng: np.random.Generator, shift: tuple[float, float]) -> None:
    still = board(rng)
    nudge = Nudge(seen(still, rng), everywhere(), np.zeros((SIDE, SIDE), np.uint8))
    moved = nudge.moved_px(seen(still, rng, *shift))
    assert moved is not None
    assert moved > 0.7 * np.hypot(*shift)


def test_pieces_put_down_are_no_nudge(rng: np.random.Generator) -> None:
    still = board(rng)
    nudge = Nudge(seen(still, rng), everywhere(), np.zeros((SIDE, SIDE), np.uint8))
    for at in ((60, 100), (150, 160), (250, 70), (300, 290)):
        cv2.circle(still, at, 7, 30.0, -1)
    moved = nudge.moved_px(seen(still, rng))
    assert moved is not None
    assert moved < 0.04


def test_another_picture_altogether_is_not_measured(rng: np.random.Generator) -> None:
    still = board(rng)
    nudge = Nudge(seen(still, rng), everywhere(), np.zeros((SIDE, SIDE), np.uint8))
    other = cv2.GaussianBlur(rng.uniform(0, 255, (SIDE, SIDE)).astype(np.float32), (0, 0), 2) * 3 % 255
    assert nudge.moved_px(other.astype(np.uint8)) is None
