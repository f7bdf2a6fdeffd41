"""`carrom detect`: what lies where in a picture, one JSON line an image."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from controller.events.errors import ConfigError
from controller.vision.calibration_file import Calibration, load
from controller.vision.finding import Finding, find
from controller.vision.looks import Pixels

HELP = "what lies where in a picture, one JSON line an image"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's options."""
    parser.add_argument("--calibration", metavar="FILE", required=True)
    parser.add_argument("images", metavar="IMAGE", nargs="+")


def run(args: argparse.Namespace) -> int:
    """Runs the command; 0, or 2 by way of CarromError."""
    calibration = load(args.calibration)
    for path in args.images:
        picture = _read(path, calibration)
        luma = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        found = find(luma, partial(np.asarray, picture), calibration.model, calibration.looks)
        print(json.dumps(line(path, found)), flush=True)
    return 0


def line(path: str, found: Finding) -> dict[str, object]:
    """What is printed for one image."""
    return {
        "image": path,
        "pieces": [
            {
                "piece": piece.piece,
                "x": piece.x_mm,
                "y": piece.y_mm,
                "u95": piece.u95_mm,
                "upright": piece.upright,
                "confidence": piece.confidence,
            }
            for piece in found.pieces
        ],
        "hidden": [[[round(x, 1), round(y, 1)] for x, y in polygon] for polygon in found.hidden],
    }


def _read(path: str, calibration: Calibration) -> Pixels:
    if not Path(path).is_file():
        raise ConfigError(f"{path}: no such picture")
    picture = cv2.imread(path, cv2.IMREAD_COLOR)
    if picture is None:
        raise ConfigError(f"{path}: cannot be read as a picture. Mend: JPEG or PNG")
    size = (picture.shape[1], picture.shape[0])
    if size != calibration.model.size:
        w, h = calibration.model.size
        raise ConfigError(
            f"{path}: is {size[0]}×{size[1]}, the calibration is for {w}×{h}. Mend: calibrate with such pictures"
        )
    return np.asarray(picture, dtype=np.uint8)
