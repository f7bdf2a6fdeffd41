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
from controller.vision.finding.flat import LOGARITHM, Empty, Flat, Floats32, empty_of, median
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
CHANGE, PAINT, ALIKE, BURNT, BOARD = slice(0, 3), slice(3, 6), slice(6, 12), 12, slice(13, 14)
DETAIL, DETAIL_BEFORE = slice(14, 17), slice(17, 20)
"""The planes of the view, as in `view_of`."""
VIEW_STEP, VIEW_ZERO = 0.032453053, 127
"""The net's first layer has eight bits: what a level of the view stands for, and the level of zero."""
BAND = 48
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


Bytes = NDArray[np.uint8]

_OF_THREE = np.round(VIEW_ZERO + np.minimum(np.arange(256), 3) / (3.0 * VIEW_STEP)).astype(np.uint8)
"""What is shown where so many of three colours are saturated."""


@dataclass(frozen=True, eq=False)
class Bare:
    """What the net is shown of the empty board, the same in all pictures of one calibration.

    n pixels wide at half size, m = n / CELL_PX cells. `view` (1, PLANES, side, side): as from `view_of`, of a picture
    in which nothing is to be seen, and longer than n by what `STEP` needs; `log` (3, n, n): logarithms of the empty
    board, `paint` (3, n, n): less those of the bare wood, `wood` (m, m, 3); `on` (n, n): 255 on the board, 0 beside
    it; `steep` (1, 2, m, m): how far aside the camera's ray comes in, right and down.
    """

    view: Bytes
    log: Floats32
    paint: Floats32
    wood: Floats32
    on: Bytes
    steep: Floats32


@dataclass(frozen=True, eq=False)
class Shown:
    """What the net is shown of one board.

    `view` (1, PLANES, side, side) as from `view_of`; `light` (3,): how much lighter the board is than when it lay
    empty; `told` (1, 11): the tones of white, black and queen, whether they are known, and whether the empty board is;
    `bare`: the empty board, or the picture itself in its place.
    """

    view: Bytes
    light: Floats32
    told: Floats32
    bare: Bare


def shown(flat: Flat, laid: Pixels, now: Floats32, cells: Floats32, tones: Mapping[str, Look] | None) -> Shown:
    """What the net is shown of a picture on the grid: `laid`, `now` as from `half_log`, `cells` as from `cells_log`;
    `tones`: those that the classes have on this table, where they are known."""
    if flat.empty is None:
        bare, light = bare_of(flat, empty_of(laid, flat.scale)), np.zeros(3, np.float32)
    else:
        bare, there = _bare(flat), flat.board[CELL_PX // 2 :: CELL_PX, CELL_PX // 2 :: CELL_PX] > 0
        change = (cells - flat.empty.cells_log)[there[: cells.shape[0], : cells.shape[1]]]
        light = median(change) if len(change) else np.zeros(3, np.float32)
    told = np.zeros(11, dtype=np.float32)
    if tones is not None:
        told[:9], told[9] = np.concatenate([tones[kind].mean for kind in TOLD]), 1.0
    told[10] = flat.empty is not None
    return Shown(view_of(laid, now, light, told, bare), light, told[None], bare)


def bare_of(flat: Flat, empty: Empty) -> Bare:
    """What the net is shown of an empty board, or of a picture instead of one."""
    n, cells = flat.board.shape[0], empty.wood_log.shape[0]
    below = [cv2.resize(plane, (n, n), interpolation=cv2.INTER_LINEAR) for plane in cv2.split(empty.wood_log)]
    paint, on = empty.half_log - np.stack(below), flat.board * np.uint8(255)
    view = np.full((1, PLANES, *(CELL_PX * (cells + -cells % STEP),) * 2), VIEW_ZERO, dtype=np.uint8)
    out = view[0, :, :n, :n]
    _in_levels(paint.copy(), out[PAINT])
    _in_levels(np.ones((1, n, n), dtype=np.float32), out[BOARD])
    _detail(empty.colour, out[DETAIL_BEFORE])
    _on_board(out, on)
    return Bare(view, empty.half_log, paint, empty.wood_log, on, _steep(flat, cells)[None])


@lru_cache(maxsize=4)
def _bare(flat: Flat) -> Bare:
    assert flat.empty is not None
    return bare_of(flat, flat.empty)


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
    m = see.bare.steep.shape[2]
    more = see.view.shape[2] // CELL_PX - m
    steep = np.pad(see.bare.steep, ((0, 0), (0, 0), (0, more), (0, more)))
    said, maps = run("detector", {"view": see.view, "told": see.told, "steep": steep})
    said, maps = said[0, :, :m, :m], maps[0, :, : 2 * m, : 2 * m]
    odds = np.exp(said[:CLASSES] - said[:CLASSES].max(0))
    hand, thing = 1.0 / (1.0 + np.exp(-maps))
    error = np.exp(np.clip(said[CLASSES + 2], -4.0, 2.0))
    return Answer(odds / odds.sum(0), said[CLASSES : CLASSES + 2], error, hand, thing)


def view_of(laid: Pixels, now: Floats32, light: Floats32, told: Floats32, bare: Bare) -> Bytes:
    """What the net's first layer sees, (1, PLANES, side, side), in steps of VIEW_STEP about VIEW_ZERO, zero where no
    board is: the change (3) and the paint (3), how like the tones of white, black and queen each point is in tone and
    in hue (6), what is saturated (1), the board (1), and what halving the picture and the empty board loses (6).

    The same as `view` in `scripts/teach/detector_net.py`, in eight bits. `laid`, `now`, `light` (3,) and `told` (11,)
    as in `shown`.
    """
    means = told[:9].reshape(3, 3)
    hues = means - means.mean(1, keepdims=True)
    apart = np.stack((means, hues), 1).reshape(6, 3)
    own = (apart * apart).sum(1)[:, None]
    fall = np.array([0.5 / TONE_WIDTH**2, 0.5 / HUE_WIDTH**2] * 3, dtype=np.float32)[:, None]
    view, n = bare.view.copy(), now.shape[1]
    # Band by band, for what is worked on then stays in the processor's cache.
    for top in range(0, n, BAND):
        rows = slice(top, min(top + BAND, n))
        out = view[0, :, rows, :n]
        tone = now[:, rows] - bare.log[:, rows]
        tone -= light[:, None, None]
        _in_levels(tone.copy(), out[CHANGE])
        if told[9]:
            tone += bare.paint[:, rows]
            tone = tone.reshape(3, -1)
            # To all six at once: 2 a·b − |a|² − |b|², where a hue's square is its tone's less the grey part.
            square, grey = np.einsum("ij,ij->j", tone, tone), tone.mean(0)
            alike = np.einsum("ij,jp->ip", apart * np.float32(2.0), tone)
            alike -= own
            alike[0::2] -= square
            alike[1::2] -= square - 3.0 * grey * grey
            alike *= fall
            np.exp(alike, out=alike)
            _in_levels(alike.reshape(6, -1, n), out[ALIKE])
        burnt = (now[:, rows] > SATURATED).view(np.uint8)
        cv2.LUT(burnt[0] + burnt[1] + burnt[2], _OF_THREE, dst=out[BURNT])
        _detail(laid[2 * top : 2 * rows.stop], out[DETAIL])
        _on_board(out, bare.on[rows])
    return view


def _detail(colour: Pixels, out: Bytes) -> None:
    """Writes what halving the logarithms of a picture's grey values (2 m, 2 n) loses: its steps down, across and both,
    (3, m, n)."""
    grey = cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY)
    left, right = cv2.split(grey.reshape(len(grey), -1, 2))
    (a, c), (b, d) = ([cv2.LUT(part[k::2], LOGARITHM) for k in (0, 1)] for part in (left, right))
    down, beside = cv2.subtract(a, c), cv2.subtract(b, d)
    lost = np.stack((cv2.add(down, beside), cv2.subtract(cv2.add(a, c), cv2.add(b, d)), cv2.subtract(down, beside)))
    lost *= np.float32(2.0)
    _in_levels(lost, out)


def _in_levels(planes: Floats32, out: Bytes) -> None:
    """Writes planes (N, m, n) in steps of VIEW_STEP about VIEW_ZERO, and takes them for its work."""
    planes /= np.float32(VIEW_STEP)
    np.rint(planes, out=planes)
    for plane, levels in zip(planes, out, strict=True):
        cv2.add(plane, VIEW_ZERO, dst=levels, dtype=cv2.CV_8U)


def _on_board(planes: Bytes, on: Bytes) -> None:
    """Sets planes (N, n, n) to zero where no board is."""
    planes &= on
    planes |= ~on & np.uint8(VIEW_ZERO)


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
