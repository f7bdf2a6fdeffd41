"""The demo's calibration: what a volunteer would do with camera and calliper, given to `carrom calibrate`."""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2

from controller.commands import calibrate
from controller.simulator.looks import Look
from controller.simulator.stills import calibration_set

LENS_PICTURES = 8


def calibrate_by_pictures(look: Look, seed: int, folder: Path, board: str = "international") -> Path:
    """Calibrates a look's camera over a preset's board into `folder/calibration.json`.

    Raises ConfigError if that fails.
    """
    pictures = calibration_set(look, seed, LENS_PICTURES)
    place = folder / "calibration"
    place.mkdir(exist_ok=True)
    for number, picture in enumerate(pictures.lens):
        cv2.imwrite(str(place / f"lens-{number:02d}.png"), picture)
    cv2.imwrite(str(place / "empty.png"), pictures.empty)
    cv2.imwrite(str(place / "opening.png"), pictures.opening)
    out = folder / "calibration.json"
    parser = argparse.ArgumentParser()
    calibrate.add_arguments(parser)
    words = ["--lens", str(place / "lens-*.png"), "--empty", str(place / "empty.png")]
    words += ["--opening", str(place / "opening.png"), "--out", str(out), "--board", board]
    # What a volunteer reads off a calliper.
    words += ["--coin-thickness", f"{look.pieces.coin_thickness_mm:.1f}"]
    words += ["--striker-thickness", f"{look.pieces.striker_thickness_mm:.1f}"]
    # The simulated camera draws pieces as cylinders.
    words += ["--sharp-edges"]
    calibrate.run(parser.parse_args(words))
    return out
