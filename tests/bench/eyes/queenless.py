"""Boards whose queen has been pocketed: of what is painted nothing may be taken for her.

Few rendered boards have no queen. So she is taken out of each still: with her shadow she gives way to what the empty
picture shows there, in the light about her.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from calibration.camera import CameraModel
from controller.events.errors import ConfigError
from controller.vision.looks import Pixels
from tests.bench.eyes.still_pictures import board_of, rig_calibration
from tests.bench.eyes.tally import finder
from tests.bench.figure import Figure, share

OUT_MM = 24.0
"""The queen, her side and most of her shadow."""
LIGHT_MM = 36.0
"""The light about her is that of the board up to here."""
ALONE_MM = 40.0
"""No other piece may lie so near: it would be cut."""

_TURNS = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
_CIRCLE = np.stack((np.cos(_TURNS), np.sin(_TURNS)), 1)


def without(picture: Pixels, empty: Pixels, model: CameraModel, x_mm: float, y_mm: float) -> Pixels:
    """A picture (h, w, 3) with the board as it was in the empty one where the queen lay."""
    masks = []
    for radius_mm in (OUT_MM, LIGHT_MM):
        mask = np.zeros(picture.shape[:2], np.uint8)
        rim = model.project_plane(_CIRCLE * radius_mm + (x_mm, y_mm), 0.0)
        cv2.fillPoly(mask, [np.rint(rim * 16.0).astype(np.int32)], 255, shift=4)
        masks.append(mask)
    ring = (masks[1] > 0) & (masks[0] == 0)
    gain = np.median((picture[ring] + 1.0) / (empty[ring] + 1.0), 0)
    soft = cv2.GaussianBlur(masks[0], (0, 0), 1.5).astype(np.float32)[:, :, None] / 255.0
    return np.asarray(np.clip(picture * (1.0 - soft) + empty * gain * soft, 0.0, 255.0), dtype=np.uint8)


def run(folder: Path) -> Iterator[Figure]:
    """Every still of a folder in which the queen lies by herself."""
    painted = count = 0
    for rig in sorted(folder.glob("rig_*_calibration")):
        letter = rig.name.split("_")[1]
        stills = sorted(folder.glob(f"still_{letter}_*.json"))
        try:
            calibration, _ = rig_calibration(rig, letter, board_of(stills[0]))
        except (ConfigError, IndexError):
            continue
        find, empty = finder(calibration, calibration.board), calibration.looks.empty
        assert empty is not None
        for path in stills:
            pieces = json.loads(path.read_text())["pieces"]
            queens = [one for one in pieces if one["class"] == "queen"]
            if len(queens) > 1:
                continue
            picture = cv2.imread(str(path.with_suffix(".jpg")))
            if queens:
                x, y = queens[0]["x_mm"], queens[0]["y_mm"]
                others = [np.hypot(one["x_mm"] - x, one["y_mm"] - y) for one in pieces if one is not queens[0]]
                if min(others, default=np.inf) < ALONE_MM:
                    continue
                picture = without(picture, empty, calibration.model, x, y)
            count += 1
            painted += any(one.piece == "queen" for one in find(picture).pieces)
    yield Figure("boards without a queen that show one", "render", share(painted, count), "none", painted == 0)
