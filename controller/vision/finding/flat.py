"""The board laid flat at the height of the pieces' tops, on a grid on which every coin is equally large.

Works out once per camera model where every point of the grid lies in the picture, and what the empty board shows
there. Must not know pieces' classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel
from controller.vision.grid import CELL, MARGIN_MM, Grid, laid, maps_of, maps_then, points_mm
from controller.vision.looks import TONE_OFFSET, Looks, Pixels

Floats32 = NDArray[np.float32]

COIN_PX = 13.0
"""A coin's radius on the grid."""
WOOD_MM = 62.0
"""Over how much the bare wood's colour is the median: wider than anything painted."""

LOGARITHM = np.log(np.arange(256) + TONE_OFFSET).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Empty:
    """The bare board on a grid: BGR uint8, its logarithm at half the grid's size (3, n, n), and of each cell the
    logarithms of what is there and of the bare wood around, (n, n, 3)."""

    colour: Pixels
    half_log: Floats32
    cells_log: Floats32
    wood_log: Floats32


@dataclass(frozen=True, eq=False)
class Flat(Grid):
    """The grid with the empty board on it. `board`: which pixels at half size lie on the board and in the picture."""

    board: NDArray[np.uint8]
    empty: Empty | None


def logarithm(colour: Pixels) -> Floats32:
    """Logarithms as `looks.tone` compares them."""
    return np.asarray(cv2.LUT(colour.reshape(-1, 1), LOGARITHM).reshape(colour.shape), dtype=np.float32)


def brightness(log: Floats32) -> Floats32:
    """The mean of the three colours, (...) of (..., 3)."""
    # numpy's own mean over so short a last axis takes ten times as long.
    return np.asarray((log[..., 0] + log[..., 1] + log[..., 2]) / np.float32(3.0), dtype=np.float32)


def median(values: Floats32) -> Floats32:
    """The median along the axis before the last, (..., K) of (..., N, K)."""
    # numpy's own takes several times as long for so few values, and along any axis but the last.
    ordered = np.sort(np.ascontiguousarray(np.swapaxes(values, -1, -2)), -1)
    many = ordered.shape[-1]
    return np.asarray((ordered[..., (many - 1) // 2] + ordered[..., many // 2]) / np.float32(2.0), dtype=np.float32)


def cells_log(colour: Pixels) -> Floats32:
    """Logarithms of the means over cells of CELL × CELL grid pixels."""
    n = colour.shape[0] // CELL
    return logarithm(np.asarray(cv2.resize(colour, (n, n), interpolation=cv2.INTER_AREA), dtype=np.uint8))


def halved(colour: Pixels) -> Pixels:
    """A flat picture at half the grid's size."""
    n = colour.shape[0] // 2
    return np.asarray(cv2.resize(colour, (n, n), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def half_log(colour: Pixels) -> Floats32:
    """Logarithms of a flat picture at half the grid's size, a plane for each colour: (3, n, n)."""
    small = halved(colour)
    planes = np.empty((3, *small.shape[:2]), dtype=np.float32)
    for channel, plane in enumerate(cv2.split(small)):
        cv2.LUT(plane, LOGARITHM, planes[channel])
    return planes


def empty_of(colour: Pixels, scale: float) -> Empty:
    """What is needed of an empty board laid flat."""
    n = colour.shape[0] // CELL
    small = np.asarray(cv2.resize(colour, (n, n), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    wood = cv2.medianBlur(small, round(WOOD_MM * scale / CELL) | 1)
    return Empty(colour, half_log(colour), logarithm(small), logarithm(np.asarray(wood, dtype=np.uint8)))


@lru_cache(maxsize=4)
def flat_for(model: CameraModel, looks: Looks, board: Board) -> Flat:
    """The grid for one model, one table's looks and board; kept, because building it takes tens of milliseconds."""
    z = looks.coin_thickness_mm
    scale = COIN_PX / (looks.coin_diameter_mm / 2.0)
    side = int(np.ceil(2 * (board.half_mm + MARGIN_MM) * scale / CELL / 2)) * CELL * 2
    xy = points_mm(side, scale)
    px = model.project_plane(xy, z)
    there = model.in_picture(px) & (np.abs(xy).max(1) < board.half_mm + 4.0)
    lies = np.ascontiguousarray(there.reshape(side, side)[::2, ::2].astype(np.uint8))
    maps, shrink = maps_of(px, side), model.px_per_mm / scale
    empty = None
    if looks.empty is not None and looks.empty_model is not None:
        then = maps_then(model, looks.empty_model, px, side, maps)
        empty = empty_of(laid(looks.empty, then, shrink), scale)
    return Flat(model, board, z, scale, side, maps, shrink, lies, empty)
