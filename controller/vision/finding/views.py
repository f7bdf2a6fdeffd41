"""What the nets are shown: the whole board small, and a patch about each place where a piece may lie.

Everything is a logarithm against the empty board or the bare wood under today's light, so that a lamp's strength and
colour drop out. A patch is turned so that its first axis points away from the camera: walls and what they hide lie on
the same side in every patch. The same code feeds the nets when they learn. Must not know what the nets answer.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.vision.finding.flat import COIN_PX, Flat, Floats32, brightness, logarithm, median
from controller.vision.grid import CELL
from controller.vision.looks import Look, Pixels

PATCH = 40
"""Side of a patch in grid pixels: a striker and a little of its neighbours."""
TOLD = ("white", "black", "queen")
"""The classes whose tones the net is given."""
TONE_WIDTH = 0.3
MIDDLE = slice(14, 26)
"""The pixels of a patch that lie well inside a coin."""
BOARD_CHANNELS, PATCH_CHANNELS = 7, 12
SATURATED = 250

_AT = np.arange(PATCH) - (PATCH - 1) / 2.0
_ALONG, _ACROSS = np.meshgrid(_AT, _AT)
_WIDE = len(_AT[MIDDLE])


def board_view(flat: Flat, half: Floats32) -> Floats32:
    """The whole board at half size, (1, 7, n, n): change from the empty board, the picture itself, whether known.

    `half` (3, n, n): the picture as from `half_log`.
    """
    mask = flat.board.astype(np.float32)
    # A sample of the board's pixels is enough for a median.
    some = flat.board[4::8, 4::8] > 0
    view = np.zeros((1, BOARD_CHANNELS, *mask.shape), dtype=np.float32)
    if flat.empty is not None:
        for channel in range(3):
            _about_median(cv2.subtract(half[channel], flat.empty.half_log[channel]), some, mask, view[0, channel])
        view[0, 6] = mask
    for channel in range(3):
        _about_median(half[channel], some, mask, view[0, 3 + channel])
    return view


def _about_median(plane: Floats32, some: NDArray[np.bool_], mask: Floats32, out: Floats32) -> None:
    sample = plane[4::8, 4::8][some]
    middle = np.float32(np.median(sample)) if len(sample) else np.float32(0.0)
    np.multiply(plane - middle, mask, out=out)


def surface_log(flat: Flat, now: Floats32, covered: Floats) -> Floats32:
    """Logarithm of the bare wood under today's light, one value a cell, (n, n, 3).

    `now`: the picture as from `cells_log`; `covered` (M, 3): x, y and radius in mm of all that hides the surface.
    """
    n = now.shape[0]
    bare = np.ones((n, n), dtype=np.uint8)
    places = (flat.to_grid(covered[:, :2]) + 0.5) / CELL - 0.5
    for (column, row), radius in zip(places, covered[:, 2], strict=True):
        reach = max(round((radius + 3.0) * flat.scale / CELL), 1)
        cv2.circle(bare, (round(column), round(row)), reach, 0, -1)
    edge = int(np.ceil(20.0 * flat.scale / CELL))
    bare[:edge] = bare[-edge:] = 0
    bare[:, :edge] = bare[:, -edge:] = 0
    value = now if flat.empty is None else cv2.subtract(now, flat.empty.cells_log)
    known = value[bare > 0]
    middle = median(known) if len(known) else np.zeros(3, dtype=np.float32)
    # A hand or a lamp's mirror image is no light: values far from the board's middle count little.
    odd = brightness(np.abs(value - middle)) / np.float32(0.5)
    weight = bare / (1.0 + odd**4)
    both = np.dstack((value * weight[:, :, None], weight)).astype(np.float32)
    near = cv2.GaussianBlur(both, (0, 0), 24.0 * flat.scale / CELL)
    wide = cv2.GaussianBlur(both, (0, 0), 80.0 * flat.scale / CELL)
    total = near + np.float32(0.02) * wide
    smooth = (total[:, :, :3] + 1e-4 * middle) / (total[:, :, 3:] + 1e-4)
    return np.asarray(smooth if flat.empty is None else smooth + flat.empty.wood_log, dtype=np.float32)


def patch_views(
    flat: Flat, colour: Pixels, surface: Floats32, xy: Floats, tones: Mapping[str, Look], *, known: bool
) -> Floats32:
    """Patches about N places in mm, (N, 12, PATCH, PATCH).

    Channels: the tone (3), the change from the empty board (3), how like the given tones it is (3), how steeply the
    camera looks, whether the empty board and whether the tones are known. `surface` as from `surface_log`.
    """
    n = len(xy)
    view = np.zeros((n, PATCH_CHANNELS, PATCH, PATCH), dtype=np.float32)
    if not n:
        return view
    columns, rows = _places(flat, xy)
    shape = (n * PATCH, PATCH)
    columns, rows = columns.reshape(shape), rows.reshape(shape)
    seen = logarithm(_sampled(colour, columns, rows)).reshape(n, PATCH, PATCH, 3)
    tone = seen - _below(surface, columns, rows).reshape(n, PATCH, PATCH, 3)
    view[:, 0:3] = tone.transpose(0, 3, 1, 2)
    if flat.empty is not None:
        bare = logarithm(_sampled(flat.empty.colour, columns, rows)).reshape(n, PATCH, PATCH, 3)
        wood = _below(flat.empty.wood_log, columns, rows)
        view[:, 3:6] = (tone - bare + wood.reshape(n, PATCH, PATCH, 3)).transpose(0, 3, 1, 2)
        view[:, 10] = 1.0
    told_tones(view, tones, known=known)
    steep = np.hypot(*(xy - flat.model.centre_mm[:2]).T) / flat.model.centre_mm[2]
    view[:, 9] = steep[:, None, None]
    return view


def told_tones(views: Floats32, tones: Mapping[str, Look], *, known: bool) -> None:
    """Writes into patches (N, 12, PATCH, PATCH) what they are given of the classes' tones."""
    views[:, 6:9] = likenesses(views[:, 0:3], tones)
    views[:, 11] = float(known)


def tones_at(flat: Flat, colour: Pixels, surface: Floats32, xy: Floats) -> Floats:
    """What `middle_tones` says of the patches about N places in mm, (N, 3), without cutting out whole ones."""
    if not len(xy):
        return np.zeros((0, 3))
    columns, rows = (part.reshape(-1, _WIDE) for part in _places(flat, xy, MIDDLE))
    seen, below = logarithm(_sampled(colour, columns, rows)), _below(surface, columns, rows)
    return np.asarray(median((seen - below).reshape(len(xy), -1, 3)), dtype=np.float64)


def middle_tones(views: Floats32) -> Floats:
    """The tone in the middle of N patches, (N, 3)."""
    return np.asarray(np.median(views[:, :3, MIDDLE, MIDDLE], (2, 3)), dtype=np.float64)


def middle_changes(views: Floats32) -> Floats:
    """The change from the empty board in the middle of N patches, (N, 3)."""
    return np.asarray(np.median(views[:, 3:6, MIDDLE, MIDDLE], (2, 3)), dtype=np.float64)


def tops(flat: Flat, colour: Pixels, surface: Floats32, xy: Floats) -> tuple[Floats, Floats]:
    """Of N pieces' tops: the tone in their middle, (N, 3), and the share that is saturated in each colour, (N, 3)."""
    centre = flat.to_grid(xy)
    columns, rows = (
        (centre[:, k, None, None] + middle[MIDDLE, MIDDLE]).reshape(-1, _WIDE).astype(np.float32)
        for k, middle in enumerate((_ALONG, _ACROSS))
    )
    seen = _sampled(colour, columns, rows)
    tone = (logarithm(seen) - _below(surface, columns, rows)).reshape(len(xy), -1, 3)
    burnt = (seen >= SATURATED).reshape(len(xy), -1, 3).mean(1)
    return np.asarray(median(tone), dtype=np.float64), np.asarray(burnt, dtype=np.float64)


def likenesses(tone: Floats32, tones: Mapping[str, Look]) -> Floats32:
    """How like the given classes' tones the tone of each pixel is, 0 to 1: (N, 3, h, w) of (N, 3, h, w)."""
    alike = np.empty_like(tone)
    for k, kind in enumerate(TOLD):
        blue, green, red = (tone[:, c] - np.float32(tones[kind].mean[c]) for c in range(3))
        alike[:, k] = np.exp((blue * blue + green * green + red * red) * np.float32(-0.5 / TONE_WIDTH**2))
    return alike


def away(flat: Flat, xy: Floats) -> Floats:
    """Unit vectors on the board that point away from below the camera, (N, 2); east where it is straight above."""
    off = xy - flat.model.centre_mm[:2]
    far = np.hypot(*off.T)
    return np.where(far[:, None] > 1e-6, off / np.maximum(far, 1e-6)[:, None], (1.0, 0.0))


def on_board(flat: Flat, xy: Floats, step_px: Floats) -> Floats:
    """Steps in patches, (N, 2) in px along and across, as steps on the board in mm."""
    u = away(flat, xy)
    along, across = step_px[:, :1], step_px[:, 1:]
    return (along * u + across * np.stack((-u[:, 1], u[:, 0]), 1)) / flat.scale


def in_patch(flat: Flat, xy: Floats, step_mm: Floats) -> Floats:
    """Steps on the board in mm, (N, 2), as steps in the patches about `xy` in px: undoes `on_board`."""
    u = away(flat, xy)
    along = (step_mm * u).sum(1)
    across = step_mm[:, 1] * u[:, 0] - step_mm[:, 0] * u[:, 1]
    return np.stack((along, across), 1) * flat.scale


def _places(flat: Flat, xy: Floats, part: slice = slice(None)) -> tuple[Floats32, Floats32]:
    """Grid columns and rows of a square `part` of the patches about N places."""
    along, across = _ALONG[part, part], _ACROSS[part, part]
    u = away(flat, xy)
    centre = flat.to_grid(xy)
    # Rows of the grid count southwards.
    columns = centre[:, 0, None, None] + u[:, 0, None, None] * along - u[:, 1, None, None] * across
    rows = centre[:, 1, None, None] - u[:, 1, None, None] * along - u[:, 0, None, None] * across
    return columns.astype(np.float32), rows.astype(np.float32)


def _below(cells: Floats32, columns: Floats32, rows: Floats32) -> Floats32:
    """One value a cell, read at grid columns and rows."""
    at = (columns + 0.5) / CELL - 0.5, (rows + 0.5) / CELL - 0.5
    return np.asarray(cv2.remap(cells, *at, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.float32)


def _sampled(colour: Pixels, columns: Floats32, rows: Floats32) -> Pixels:
    return np.asarray(
        cv2.remap(colour, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
    )


__all__ = ["COIN_PX", "PATCH", "away", "board_view", "in_patch", "on_board", "patch_views", "surface_log"]
