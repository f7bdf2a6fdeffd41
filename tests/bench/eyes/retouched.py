"""Rendered stills with something drawn into them, or taken out: what no set shows often enough.

Coins in the nets of pockets: seen through the holes, they must not be taken for pieces on the board. No rendered table
has nets, so white coins of a still are drawn once more, in its empty pockets, 8 to 60 mm below the board, and what the
hole does not show of them is cut off. Boards whose queen has been pocketed: of what is painted nothing may be taken for
her. She is taken out of each still: with her shadow she gives way to what the empty picture shows there, in the light
about her.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from controller.events.errors import ConfigError
from controller.vision.calibration_file import Calibration
from controller.vision.looks import Pixels
from tests.bench.eyes.still_pictures import board_of, rig_calibration
from tests.bench.eyes.tally import finder
from tests.bench.figure import Figure, share

AT_POCKET_MM = 45.0
"""What is found so near to a pocket's centre lies at it."""
FREE_MM = 62.0
"""No piece may lie so near to a pocket that a coin is drawn into."""
OUT_MM = 24.0
"""The queen, her side and most of her shadow."""
LIGHT_MM = 36.0
"""The light about her is that of the board up to here."""
ALONE_MM = 40.0
"""No other piece may lie so near to her: it would be cut."""

_TURNS = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
_CIRCLE = np.stack((np.cos(_TURNS), np.sin(_TURNS)), 1)


def tables(folder: Path) -> Iterator[tuple[Calibration, Sequence[Path]]]:
    """The tables of a folder that can be calibrated, with the truths of their stills."""
    for rig in sorted(folder.glob("rig_*_calibration")):
        letter = rig.name.split("_")[1]
        stills = sorted(folder.glob(f"still_{letter}_*.json"))
        try:
            calibration, _ = rig_calibration(rig, letter, board_of(stills[0]))
        except (ConfigError, IndexError):
            continue
        yield calibration, stills


def disc(
    picture: Pixels, model: CameraModel, centre_mm: Sequence[float] | Floats, radius_mm: float, z_mm: float
) -> Pixels:
    """Where a picture shows a level disc: a mask (h, w), 255 there."""
    mask = np.zeros(picture.shape[:2], np.uint8)
    rim = model.project_plane(_CIRCLE * radius_mm + np.float64(centre_mm), z_mm)
    cv2.fillPoly(mask, [np.rint(rim * 16.0).astype(np.int32)], 255, shift=4)
    return mask


def in_net(
    picture: Pixels, model: CameraModel, board: Board, lies_mm: Sequence[float], net_mm: Sequence[float], light: float
) -> Pixels:
    """A picture with the coin that lies at `lies_mm` (x, y) in a net as well, at (x, y, depth), so much darker."""
    height, width = picture.shape[:2]
    radius, (x, y, depth) = board.coin_diameter_mm / 2.0, net_mm
    three = radius * np.float64(((0, 0), (1, 0), (0, 1)))
    lies = model.project_plane(three + np.float64(lies_mm), 8.5).astype(np.float32)
    below = model.project_plane(three + np.float64((x, y)), -depth).astype(np.float32)
    coin = cv2.warpAffine(picture, cv2.getAffineTransform(lies, below), (width, height))
    pocket = board.pockets_mm[board.nearest_pocket(x, y)[0]]
    seen = disc(picture, model, (x, y), radius, -depth) & disc(picture, model, pocket, board.pocket_radius_mm, 0.0)
    share_of = cv2.GaussianBlur(seen, (3, 3), 0).astype(np.float32)[:, :, None] / 255.0
    return np.asarray(picture * (1.0 - share_of) + coin * (light * share_of), dtype=np.uint8)


def nets(folder: Path) -> Iterator[Figure]:
    """Every table of a folder with every still, a coin in each pocket that no piece lies near."""
    taken = count = 0
    for calibration, stills in tables(folder):
        find, rng, board = finder(calibration, calibration.board), np.random.default_rng(7), calibration.board
        room_mm = max(0.0, board.pocket_radius_mm - board.coin_diameter_mm / 2.0)
        for path in stills:
            picture, pieces = cv2.imread(str(path.with_suffix(".jpg"))), json.loads(path.read_text())["pieces"]
            at = np.array([(one["x_mm"], one["y_mm"]) for one in pieces]).reshape(-1, 2)
            whole = [one["class"] == "white" and one["visible_fraction"] > 0.99 for one in pieces]
            whites = [xy for xy, fits in zip(at, whole, strict=True) if fits and np.abs(xy).max() < 300.0]
            free = [xy for xy in board.pockets_mm.values() if whites and np.hypot(*(at - xy).T).min() > FREE_MM]
            for x, y in free:
                depth, turn, off = rng.uniform(8.0, 60.0), rng.uniform(0.0, 2.0 * np.pi), room_mm * rng.uniform() ** 0.5
                net = (x + off * np.cos(turn), y + off * np.sin(turn), depth)
                picture = in_net(picture, calibration.model, board, rng.choice(whites), net, rng.uniform(0.35, 0.95))
            found = np.array([one.at for one in find(picture).pieces]).reshape(-1, 2)
            count += len(free)
            taken += sum(bool((np.hypot(*(found - xy).T) < AT_POCKET_MM).any()) for xy in free)
    yield Figure("coins in nets taken for pieces on the rim", "render", share(taken, count))


def without(picture: Pixels, empty: Pixels, model: CameraModel, x_mm: float, y_mm: float) -> Pixels:
    """A picture (h, w, 3) with the board as it was in the empty one where the queen lay."""
    out, light = (disc(picture, model, (x_mm, y_mm), radius_mm, 0.0) for radius_mm in (OUT_MM, LIGHT_MM))
    ring = (light > 0) & (out == 0)
    gain = np.median((picture[ring] + 1.0) / (empty[ring] + 1.0), 0)
    soft = cv2.GaussianBlur(out, (0, 0), 1.5).astype(np.float32)[:, :, None] / 255.0
    return np.asarray(np.clip(picture * (1.0 - soft) + empty * gain * soft, 0.0, 255.0), dtype=np.uint8)


def queenless(folder: Path) -> Iterator[Figure]:
    """Every still of a folder in which the queen lies by herself."""
    painted = count = 0
    for calibration, stills in tables(folder):
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
