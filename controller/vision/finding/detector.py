"""One net sees the whole board laid flat and says where pieces lie, what they are, and what hides the board.

Must not know what becomes of its answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats
from controller.vision.finding.flat import Flat, Floats32, cells_log, empty_of, grey_log
from controller.vision.finding.nets import MOST_PLACES, Places, run
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
BAND = 32
"""Rows of the view that are made at once."""
LEAST = 0.3
"""Likelihood from which on a cell votes for a piece."""
LEAST_PROPOSED = 0.02
"""Likelihood from which on a place is asked about. On own path-traced tables, by which it was chosen, and on others a
quarter of it finds the same; with 0.05 three more of 4 658 pieces are missed."""
HEAT, HEAT_LESS = 0.3, 1.0
"""Logits of the first net, which the third learnt to weigh, are about the first times those of the detector. The second
is taken off, for its odds count once more in the end: chosen on the own tables and on an empty board under 36
hard shadows, on which four false pieces are left of ten, and nine of two nets' places before."""
SPREAD = 1.41
"""Standard deviations of a Laplacian to its mean error."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What the net is shown of one board, n pixels wide at half size and m = n / CELL_PX cells.

    `now`, `empty` (1, 3, n, n): logarithms of the picture and of the empty board; `fine`, `fine_empty`
    (1, 1, 2 n, 2 n): of their grey values on the grid; `wood` (1, 3, m, m): of the bare wood; `board` (1, 1, n, n):
    what lies on the board; `bare` (6, n, n): the empty board as from `bare_of`; `light` (1, 3): how much lighter it is
    than when the board lay empty; `told` (1, 11): the tones of white, black and queen, whether they are known, and
    whether the empty board is; `steep` (1, 2, m, m): how far aside the camera's ray comes in, right and down.
    """

    now: Floats32
    empty: Floats32
    fine: Floats32
    fine_empty: Floats32
    wood: Floats32
    board: Floats32
    bare: Floats32
    light: Floats32
    told: Floats32
    steep: Floats32


def shown(flat: Flat, laid: Pixels, now: Floats32, tones: Mapping[str, Look] | None) -> Shown:
    """What the net is shown of a picture on the grid, `laid` and `now` as from `half_log`; `tones`: those that the
    classes have on this table, where they are known."""
    cells, fine, board = cells_log(laid), grey_log(laid), flat.board.astype(np.float32)
    there = flat.board[CELL_PX // 2 :: CELL_PX, CELL_PX // 2 :: CELL_PX] > 0
    there = there[: cells.shape[0], : cells.shape[1]]
    if flat.empty is None:
        fine_empty, empty, wood, light = fine, now, empty_of(laid, flat.scale).wood_log, np.zeros(3, np.float32)
        bare = bare_of(empty, wood, fine_empty, board)
    else:
        fine_empty, empty, wood, bare = flat.empty.grey_log, flat.empty.half_log, flat.empty.wood_log, _bare(flat)
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
        board[None, None],
        bare,
        light[None],
        told[None],
        _steep(flat, cells.shape[0])[None],
    )


def bare_of(empty: Floats32, wood: Floats32, fine_empty: Floats32, board: Floats32) -> Floats32:
    """The paint (3) and what halving the empty board loses (3), (6, n, n), zero where no board is: the same in all
    pictures of one calibration. `wood` (m, m, 3); the others as in `Shown`, without their first axes of 1."""
    bare = np.empty((6, *board.shape), dtype=np.float32)
    for k, below in enumerate(cv2.split(wood)):
        bare[k] = empty[k] - cv2.resize(below, board.shape, interpolation=cv2.INTER_LINEAR)
    _detail(fine_empty, bare[3:])
    bare *= board
    return bare


@lru_cache(maxsize=4)
def _bare(flat: Flat) -> Floats32:
    assert flat.empty is not None
    return bare_of(flat.empty.half_log, flat.empty.wood_log, flat.empty.grey_log, flat.board.astype(np.float32))


@lru_cache(maxsize=4)
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
    steep = np.pad(see.steep, ((0, 0), (0, 0), (0, more), (0, more)))
    said, maps = run("detector", {"view": view_of(see, CELL_PX * (m + more)), "told": see.told, "steep": steep})
    said, maps = said[0, :, :m, :m], maps[0, :, : 2 * m, : 2 * m]
    odds = np.exp(said[:CLASSES] - said[:CLASSES].max(0))
    hand, thing = 1.0 / (1.0 + np.exp(-maps))
    error = np.exp(np.clip(said[CLASSES + 2], -4.0, 2.0))
    return Answer(odds / odds.sum(0), said[CLASSES : CLASSES + 2], error, hand, thing)


def view_of(see: Shown, side: int) -> Floats32:
    """What the net's first layer sees, (1, PLANES, side, side), zero where no board is: the change (3) and the paint
    (3), how like the tones of white, black and queen each point is in tone and in hue (6), what is saturated (1), the
    board (1), and what halving the picture and the empty board loses (6).

    The same as `view` in `scripts/teach/detector_net.py`, in a tenth of the time that ONNX Runtime takes for it.
    """
    means = see.told[0, :9].reshape(3, 3)
    hues = means - means.mean(1, keepdims=True)
    apart = np.stack((means, hues), 1).reshape(6, 3)
    own = (apart * apart).sum(1)[:, None]
    fall = np.array([0.5 / TONE_WIDTH**2, 0.5 / HUE_WIDTH**2] * 3, dtype=np.float32)[:, None]
    n = see.board.shape[2]
    view = np.zeros((1, PLANES, side, side), dtype=np.float32)
    # Band by band, for what is worked on then stays in the processor's cache.
    for top in range(0, n, BAND):
        rows = slice(top, min(top + BAND, n))
        now, board, bare, out = see.now[0, :, rows], see.board[0, 0, rows], see.bare[:, rows], view[0, :, rows, :n]
        tone = now - see.empty[0, :, rows]
        tone -= see.light[0][:, None, None]
        np.multiply(tone, board, out=out[0:3])
        out[3:6], out[13], out[17:20] = bare[:3], board, bare[3:]
        tone += bare[:3]
        tone = tone.reshape(3, -1)
        # To all six at once: 2 a·b − |a|² − |b|², where a hue's square is its tone's less the grey part.
        square, grey = np.einsum("ij,ij->j", tone, tone), tone.mean(0)
        alike = np.einsum("ij,jp->ip", apart * np.float32(2.0), tone)
        alike -= own
        alike[0::2] -= square
        alike[1::2] -= square - 3.0 * grey * grey
        alike *= fall
        np.exp(alike, out=alike)
        np.multiply(alike.reshape(6, *board.shape), board * see.told[0, 9], out=out[6:12])
        np.multiply(np.sum(now > SATURATED, 0, dtype=np.float32), board / np.float32(3.0), out=out[12])
        _detail(see.fine[0, 0, 2 * top : 2 * rows.stop], out[14:17])
        out[14:17] *= board
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


def proposed(flat: Flat, answer: Answer) -> Places:
    """Where something may lie, the likeliest first: all that is likelier than what is about it, however little."""
    coin, striker = answer.odds[1:4].sum(0), answer.odds[4]
    there = coin + striker
    rows, columns = np.nonzero((there >= cv2.dilate(there, np.ones((3, 3), np.uint8))) & (there > LEAST_PROPOSED))
    best = np.argsort(-there[rows, columns])[:MOST_PLACES]
    rows, columns = rows[best], columns[best]
    odds = np.clip(np.stack((coin[rows, columns], striker[rows, columns]), 1), 1e-4, 1.0 - 1e-3)
    heat = np.asarray(HEAT * np.log(odds / (1.0 - odds)) - HEAT_LESS, dtype=np.float32)
    return Places(_middles(flat, answer, rows, columns), heat)


def _middles(flat: Flat, answer: Answer, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Floats:
    """The middles of pieces, (N, 2) in mm, for which N cells vote."""
    votes = np.stack((columns + answer.steps[0, rows, columns], rows + answer.steps[1, rows, columns]), 1)
    return flat.to_mm((votes + 0.5) * CELL_PX * 2.0 - 0.5)


def detected(flat: Flat, answer: Answer, radius_mm: float) -> Detected:
    """Where cells agree that a piece lies: what votes for a middle within half a coin's radius is one piece."""
    there = 1.0 - answer.odds[0]
    rows, columns = np.nonzero(there > LEAST)
    xy = _middles(flat, answer, rows, columns)
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
