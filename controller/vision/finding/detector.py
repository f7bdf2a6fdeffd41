"""One net sees the whole board laid flat and says where pieces lie, what they are, and what hides the board.

Must not know what becomes of its answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import Floats
from controller.vision.finding.flat import Flat, Floats32, cells_log, empty_of, grey_log
from controller.vision.finding.nets import run
from controller.vision.finding.views import TOLD
from controller.vision.grid import points_mm
from controller.vision.looks import Look, Pixels

CELL_PX = 4
"""Pixels of the board at half size to a cell of the answer."""
MAP_PX = 4
"""Pixels of the grid to one of the maps of what hides the board."""
STEP = 4
"""Cells by which what the net is shown may be longer: its levels are halved twice."""
CLASSES = 6
UPRIGHT = 5
TONE_WIDTH, HUE_WIDTH = 0.3, 0.12
"""Logarithms by which a likeness to a class's tone, and to its hue, falls off."""
SATURATED = 5.57
"""The logarithm of 250 grey levels."""
PLANES = 20
LEAST = 0.3
"""Likelihood from which on a cell votes for a piece."""
SPREAD = 1.41
"""Standard deviations of a Laplacian to its mean error."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What the net is shown of one board, n pixels wide at half size and m = n / CELL_PX cells.

    `now`, `empty` (1, 3, n, n): logarithms of the picture and of the empty board; `fine`, `fine_empty`
    (1, 1, 2 n, 2 n): of their grey values on the grid; `wood` (1, 3, m, m): of the bare wood; `board` (1, 1, n, n):
    what lies on the board; `light` (1, 3): how much lighter it is than when the board lay empty; `told` (1, 11): the
    tones of white, black and queen, whether they are known, and whether the empty board is; `steep` (1, 2, m, m): how
    far aside the camera's ray comes in, right and down.
    """

    now: Floats32
    empty: Floats32
    fine: Floats32
    fine_empty: Floats32
    wood: Floats32
    board: Floats32
    light: Floats32
    told: Floats32
    steep: Floats32


def shown(flat: Flat, laid: Pixels, now: Floats32, tones: Mapping[str, Look] | None) -> Shown:
    """What the net is shown of a picture on the grid, `laid` and `now` as from `half_log`; `tones`: those that the
    classes have on this table, where they are known."""
    cells, fine = cells_log(laid), grey_log(laid)
    there = flat.board[CELL_PX // 2 :: CELL_PX, CELL_PX // 2 :: CELL_PX] > 0
    there = there[: cells.shape[0], : cells.shape[1]]
    if flat.empty is None:
        fine_empty, empty, wood, light = fine, now, empty_of(laid, flat.scale).wood_log, np.zeros(3, np.float32)
    else:
        fine_empty, empty, wood = flat.empty.grey_log, flat.empty.half_log, flat.empty.wood_log
        change = (cells - flat.empty.cells_log)[there]
        light = np.median(change, 0).astype(np.float32) if len(change) else np.zeros(3, np.float32)
    told = np.zeros(11, dtype=np.float32)
    if tones is not None:
        told[:9], told[9] = np.concatenate([tones[kind].mean for kind in TOLD]), 1.0
    told[10] = flat.empty is not None
    return Shown(
        now[None],
        empty[None],
        fine[None, None],
        fine_empty[None, None],
        np.ascontiguousarray(wood.transpose(2, 0, 1))[None],
        flat.board[None, None].astype(np.float32),
        light[None],
        told[None],
        _steep(flat, cells.shape[0])[None],
    )


def _steep(flat: Flat, cells: int) -> Floats32:
    foot = np.asarray(flat.model.centre_mm)
    xy = points_mm(cells, flat.scale / 2.0 / CELL_PX)
    off = ((xy - foot[:2]) / foot[2]).reshape(cells, cells, 2)
    return np.stack((off[..., 0], -off[..., 1])).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Answer:
    """What the net says of a board of m cells: `odds` (6, m, m) of none, the four of `KINDS` and a piece on its edge;
    `steps` (2, m, m) right and down to the piece's middle and `error` (m, m), in cells; `hand` and `thing`
    (2 m, 2 m): how likely each lies over the place."""

    odds: Floats32
    steps: Floats32
    error: Floats32
    hand: Floats32
    thing: Floats32


def asked(see: Shown) -> Answer:
    """Asks the net."""
    m = see.wood.shape[2]
    more = -m % STEP
    view, steep = (
        np.pad(value, ((0, 0), (0, 0), (0, n * more), (0, n * more))) if more else value
        for value, n in ((view_of(see), CELL_PX), (see.steep, 1))
    )
    said, maps = run("detector", {"view": view, "told": see.told, "steep": steep})
    said, maps = said[0, :, :m, :m], maps[0, :, : 2 * m, : 2 * m]
    odds = np.exp(said[:CLASSES] - said[:CLASSES].max(0))
    hand, thing = 1.0 / (1.0 + np.exp(-maps))
    error = np.exp(np.clip(said[CLASSES + 2], -4.0, 2.0))
    return Answer(odds / odds.sum(0), said[CLASSES : CLASSES + 2], error, hand, thing)


def view_of(see: Shown) -> Floats32:
    """What the net's first layer sees, (1, PLANES, n, n), zero where no board is: the change (3) and the paint (3),
    how like the tones of white, black and queen each point is in tone and in hue (6), what is saturated (1), the board
    (1), and what halving the picture and the empty board loses (6).

    The same as `view` in `scripts/teach/detector_net.py`, in a sixth of the time that ONNX Runtime takes for it.
    """
    now, empty = see.now[0], see.empty[0]
    n = now.shape[1]
    view = np.empty((1, PLANES, n, n), dtype=np.float32)
    change, paint, alike = view[0, 0:3], view[0, 3:6], view[0, 6:12].reshape(6, -1)
    np.subtract(now, empty, out=change)
    change -= see.light[0][:, None, None]
    for k, below in enumerate(see.wood[0]):
        cv2.subtract(empty[k], cv2.resize(below, (n, n), interpolation=cv2.INTER_LINEAR), dst=paint[k])
    tone = (change + paint).reshape(3, -1)
    means = see.told[0, :9].reshape(3, 3)
    hues = means - means.mean(1, keepdims=True)
    # Squared distances to all six at once: |a|² − 2 a·b + |b|², where a hue's square is its tone's less the grey part.
    square, grey = np.einsum("ij,ij->j", tone, tone), tone.mean(0)
    apart = np.stack((means, hues), 1).reshape(6, 3)
    np.einsum("ij,jp->ip", apart * np.float32(2.0), tone, out=alike)
    alike -= (apart * apart).sum(1)[:, None]
    alike[0::2] -= square
    alike[1::2] -= square - 3.0 * grey * grey
    alike *= np.array([0.5 / TONE_WIDTH**2, 0.5 / HUE_WIDTH**2] * 3, dtype=np.float32)[:, None]
    np.exp(alike, out=alike)
    alike *= see.told[0, 9]
    np.sum(now > SATURATED, 0, dtype=np.float32, out=view[0, 12])
    view[0, 12] /= np.float32(3.0)
    view[0, 13] = 1.0
    _detail(see.fine[0, 0], view[0, 14:17])
    _detail(see.fine_empty[0, 0], view[0, 17:20])
    view *= see.board
    return view


def _detail(grey: Floats32, lost: Floats32) -> None:
    """Writes what halving a picture (2 n, 2 n) loses: its steps down, across and both, (3, n, n)."""
    both, down = grey[0::2] + grey[1::2], grey[0::2] - grey[1::2]
    np.add(down[:, 0::2], down[:, 1::2], out=lost[0])
    np.subtract(both[:, 0::2], both[:, 1::2], out=lost[1])
    np.subtract(down[:, 0::2], down[:, 1::2], out=lost[2])
    lost *= np.float32(2.0)


@dataclass(frozen=True, eq=False)
class Detected:
    """Places (N, 2) in mm on the grid's plane, `odds` (N, 6), one standard deviation (N,) in mm, likeliest first."""

    xy: Floats
    odds: Floats
    spread_mm: Floats


def detected(flat: Flat, answer: Answer, radius_mm: float) -> Detected:
    """Where cells agree that a piece lies: what votes for a middle within half a coin's radius is one piece."""
    there = 1.0 - answer.odds[0]
    rows, columns = np.nonzero(there > LEAST)
    votes = np.stack((columns + answer.steps[0, rows, columns], rows + answer.steps[1, rows, columns]), 1)
    xy = flat.to_mm((votes + 0.5) * CELL_PX * 2.0 - 0.5)
    odds, error = answer.odds[:, rows, columns].T.astype(np.float64), answer.error[rows, columns]
    per_cell = CELL_PX * 2.0 / flat.scale
    left = np.ones(len(xy), dtype=np.bool_)
    found = []
    for i in np.argsort(odds[:, 0] + 0.1 * error):
        if not left[i]:
            continue
        mine = left & (np.hypot(*(xy - xy[i]).T) < radius_mm / 2.0)
        left &= ~mine
        weight = (1.0 - odds[mine, 0]) / error[mine] ** 2
        weight /= weight.sum()
        found.append((weight @ xy[mine], weight @ odds[mine], SPREAD * per_cell * float(weight @ error[mine])))
    if not found:
        return Detected(np.zeros((0, 2)), np.zeros((0, CLASSES)), np.zeros(0))
    return Detected(*(np.array(part) for part in zip(*found, strict=True)))
