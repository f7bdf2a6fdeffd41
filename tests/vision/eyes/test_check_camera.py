"""What `carrom check` says of simulated cameras: each thing that is wrong is said, and nothing of one that is right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.commands.check_camera import Looked, hangs_where_it_hung, pictures_fit, rate_fits
from controller.config import Config
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS, Look
from controller.simulator.scene import Reel
from controller.vision.quality import band_means, surface_mask
from tests.vision.following.simulated import model_of

pytestmark = pytest.mark.slow

# Sharper than the requirement's least px/mm, so that only what a test spoils is wrong.
FINE = LOOKS["birch-match"]
_models: dict[str, CameraModel] = {}


@cache
def looked(look: Look, times: int = 8) -> tuple[Looked, CameraModel]:
    """What a simulated camera sees (the last picture, read-only), and the camera as it truly is."""
    camera = Camera(look, 1)
    model = (
        _models.setdefault("fine", model_of(camera.view)) if look.rig.lens == FINE.rig.lens else model_of(camera.view)
    )
    surface = surface_mask(model, DEFAULT_BOARD)
    at = [k / look.rig.fps for k in range(times)]
    taken = [cv2.cvtColor(camera.take(Reel(), t).picture, cv2.COLOR_BGR2GRAY) for t in at]
    taken[-1].flags.writeable = False
    bands = tuple(band_means(picture, surface) for picture in taken)
    return Looked(tuple(round(t * 1e9) for t in at), taken[-1], bands, "simulated"), model


def said(look: Look) -> list[str]:
    seen, model = looked(look)
    return [f"{found.state}: {found.says}" for found in pictures_fit(seen, model, DEFAULT_BOARD)]


def with_rig(**changes: object) -> Look:
    return replace(FINE, rig=replace(FINE.rig, **changes))


def with_light(**changes: object) -> Look:
    return replace(FINE, light=replace(FINE.light, **changes))


def test_a_camera_in_order_is_one_line() -> None:
    (line,) = said(FINE)
    assert line.startswith("ok: 1.")
    assert "0.00% white" in line


SPOILT = {
    "out of focus": with_rig(blur_px=2.2),
    "of the surface is white": with_light(reflection=40.0),
    "the board is dark": with_light(level=0.02),
    "the light flickers by": with_light(flicker=0.5),
    "px/mm on the surface are too few": with_rig(lens=replace(FINE.rig.lens, focal_px=600.0)),
}


DRAWN_ANEW = {"of the surface is white", "the light flickers by", "px/mm on the surface are too few"}


@pytest.mark.parametrize(
    "wrong", [pytest.param(one, marks=pytest.mark.long) if one in DRAWN_ANEW else one for one in SPOILT]
)
def test_what_is_wrong_is_said(wrong: str) -> None:
    lines = said(SPOILT[wrong])
    assert any(wrong in line and line.startswith("warn") and "Fix:" in line for line in lines), lines


def test_a_dark_board_is_not_told_to_be_out_of_focus() -> None:
    seen, model = looked(FINE)
    dark = replace(seen, luma=(seen.luma * 0.1).astype(np.uint8))
    lines = [found.says for found in pictures_fit(dark, model, DEFAULT_BOARD)]
    assert any("is dark" in line for line in lines)
    assert not any("focus" in line for line in lines), lines


def test_flicker_under_a_rolling_shutter_shows_as_bands() -> None:
    rolling = replace(with_light(flicker=0.5), rig=replace(FINE.rig, rolling_s=0.012))
    assert any("flickers" in line for line in said(rolling))


def test_a_white_base_line_is_said_even_if_the_surface_is_fine() -> None:
    seen, model = looked(FINE, 1)
    luma = seen.luma.copy()
    x, y = np.rint(model.project_plane(np.array(((30.0, -237.5),)))[0]).astype(int)
    cv2.circle(luma, (int(x), int(y)), 4, 255, -1)
    lines = [found.says for found in pictures_fit(replace(seen, luma=luma), model, DEFAULT_BOARD)]
    assert len(lines) == 1
    assert "of base lines and circles are white" in lines[0]


def rates() -> Iterator[tuple[float, str]]:
    yield from ((60.0, "ok"), (50.0, "ok"), (30.0, "warn"))


@pytest.mark.parametrize(("fps", "state"), list(rates()))
def test_too_few_pictures_a_second_are_said(fps: float, state: str) -> None:
    times = tuple(round(k * 1e9 / fps) for k in range(20))
    seen = Looked(times, np.zeros((4, 4), np.uint8), (), "simulated")
    found = rate_fits(seen, Config.model_validate({"camera": {"kind": "mjpeg", "fps": 60}}), "4 × 4")
    assert found.state == state
    assert f"{fps:.1f} a second" in found.says


def dropping(times_ms: list[int]) -> Looked:
    return Looked(tuple(t * 1_000_000 for t in times_ms), np.zeros((4, 4), np.uint8), (), "simulated")


def test_pictures_that_are_missing_between_others_are_counted_and_said() -> None:
    config = Config.model_validate({"camera": {"kind": "v4l2", "fps": 50}})
    whole = list(range(0, 4000, 20))
    few = [t for t in whole if t not in (400, 420, 1000)]
    assert (dropping(whole).dropped, dropping(few).dropped) == (0, 3)
    assert rate_fits(dropping(whole), config, "4 × 4").state == "ok"
    found = rate_fits(dropping(few), config, "4 × 4")
    assert found.state == "warn"
    assert "3 more were dropped. Fix: a USB port of its own" in found.says
    one = rate_fits(dropping([t for t in whole if t != 400]), config, "4 × 4")
    assert one.state == "ok", "one in two hundred is no habit"


def test_a_camera_that_was_moved_is_said() -> None:
    seen, model = looked(FINE, 1)
    assert hangs_where_it_hung(seen.luma, model, DEFAULT_BOARD).state == "ok"
    nudged = model.posed(model.R, model.t + np.array((2.5, 0.0, 0.0)))
    found = hangs_where_it_hung(seen.luma, nudged, DEFAULT_BOARD)
    assert (found.state, "moved by 2." in found.says, "Fix:" in found.says) == ("warn", True, True)
    covered = hangs_where_it_hung(np.full_like(seen.luma, 90), model, DEFAULT_BOARD)
    assert (covered.state, "hands and cloths" in covered.says) == ("warn", True)


@pytest.mark.parametrize("pushed_mm", [(40.0, 0.0), (80.0, -25.0), (115.0, -50.0), (0.0, 100.0), (-25.0, 60.0)])
def test_a_camera_that_was_pushed_far_is_not_told_to_be_followed(pushed_mm: tuple[float, float]) -> None:
    seen, model = looked(FINE, 1)
    pushed = model.posed(model.R, model.t + np.array((*pushed_mm, 0.0)))
    found = hangs_where_it_hung(seen.luma, pushed, DEFAULT_BOARD)
    assert found.state == "warn"
    assert "not where they were" in found.says, found
