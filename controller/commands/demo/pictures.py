"""The demo's calibration: what a volunteer would do with camera and calliper, given to `carrom calibrate`."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Callable
from pathlib import Path

import cv2

from controller.commands import calibrate
from controller.simulator.looks import Look
from controller.simulator.stills import calibration_set
from controller.vision.calibration_file import told_making

LENS_PICTURES = 8


def calibrate_by_pictures(
    look: Look, seed: int, folder: Path, board: str = "international", tell: Callable[[str], object] = lambda says: None
) -> Path:
    """Calibrates a look's camera over a preset's board into `folder/calibration.json`. `tell` hears each step.

    Raises ConfigError if that fails.
    """
    out = folder / "calibration.json"

    def making(says: str) -> None:
        told_making(out, says)
        tell(says)

    pictures = calibration_set(look, seed, LENS_PICTURES, making)
    place = folder / "calibration"
    place.mkdir(exist_ok=True)
    for number, picture in enumerate(pictures.lens):
        cv2.imwrite(str(place / f"lens-{number:02d}.png"), picture)
    cv2.imwrite(str(place / "empty.png"), pictures.empty)
    cv2.imwrite(str(place / "opening.png"), pictures.opening)
    parser = argparse.ArgumentParser()
    calibrate.add_arguments(parser)
    words = ["--lens", str(place / "lens-*.png"), "--empty", str(place / "empty.png")]
    words += ["--opening", str(place / "opening.png"), "--out", str(out), "--board", board]
    # What a volunteer reads off a calliper.
    words += ["--coin-thickness", f"{look.pieces.coin_thickness_mm:.1f}"]
    words += ["--striker-thickness", f"{look.pieces.striker_thickness_mm:.1f}"]
    # The simulated camera draws pieces as cylinders.
    words += ["--sharp-edges"]
    # Its figures are for who builds a table; whoever watches a demo hears that the camera is ready.
    with contextlib.redirect_stdout(io.StringIO()):
        calibrate.run(parser.parse_args(words))
    return out
