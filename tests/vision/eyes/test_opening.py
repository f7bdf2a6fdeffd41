"""What opening pictures teach: also in a lamp's mirror image, in several pictures, and for sets out of measure."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS, Look
from controller.simulator.pieces import opening
from controller.simulator.stills import still
from controller.vision.learning.opening import Learnt, learn, together
from controller.vision.looks import ANY_TONES, looks_of
from tests.vision.following.simulated import model_of

LOOK = LOOKS["pale"]


def lamp(strength: float) -> Look:
    """The same table with a lamp whose mirror image lies on the rack."""
    return replace(LOOK, light=replace(LOOK.light, at_mm=(60.0, 40.0, 1400.0), reflection=strength))


@cache
def learnt(strength: float | None = None, diameter_mm: float = 31.0) -> Learnt:
    look = LOOK if strength is None else lamp(strength)
    look = replace(look, pieces=replace(look.pieces, coin_diameter_mm=diameter_mm))
    camera = Camera(look, 1)
    model = model_of(camera.view)
    looks = replace(looks_of(DEFAULT_BOARD), tones=dict(ANY_TONES), empty=still(camera, {}).picture, empty_model=model)
    picture = still(camera, opening(look.pieces, np.random.default_rng(1))).picture
    return learn(picture, cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), model, looks, board=DEFAULT_BOARD)


def level(one: Learnt, kind: str) -> float:
    return float(np.mean(one.looks.tones[kind].mean))


@pytest.mark.long
def test_a_mirror_image_on_the_rack_is_taken_out_and_told() -> None:
    clean, veiled = learnt(), learnt(0.9)
    assert clean.warnings == ()
    # The picture as it is shows the black pieces at −0.26 (median) and the queen's redness hardly at all.
    assert level(veiled, "black") < -0.32
    _, green, red = veiled.looks.tones["queen"].mean
    assert red - green > 0.15
    assert level(veiled, "white") - level(veiled, "black") > 0.3
    assert any("mirror image" in line and "Fix:" in line for line in veiled.warnings)


def test_what_is_whited_out_teaches_nothing_and_that_is_said() -> None:
    blind = learnt(4.0)
    assert not blind.looks.known
    assert blind.looks.tones == ANY_TONES
    assert any("looks are guessed" in line for line in blind.warnings)


def test_a_good_picture_among_bad_ones_counts() -> None:
    both = together([learnt(4.0), learnt()])
    assert both.looks.known
    assert level(both, "black") == pytest.approx(level(learnt(), "black"), abs=1e-3)
    assert both.warnings == ()


@pytest.mark.parametrize(("diameter_mm", "says"), [(29.0, "another set is needed"), (32.4, "measure one by calliper")])
def test_a_set_out_of_measure_is_said(diameter_mm: float, says: str) -> None:
    one = learnt(None, diameter_mm)
    assert one.spacing_mm == pytest.approx(diameter_mm, abs=0.3)
    assert any(says in line for line in one.warnings)
