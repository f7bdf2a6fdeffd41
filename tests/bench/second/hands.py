"""Hands: chains of capsules with a sleeve, that come over the frame, hold, place, flick, shove, and leave.

A hand is posed by where its fingertips are and from where its arm comes; the fingers bend by themselves. Knows times
and places in mm, neither MuJoCo nor pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.board import Board, seat_to_board

Floats = npt.NDArray[np.float64]
SKIN, SLEEVE = 0, 1

UPPER_MM, LOWER_MM = 46.0, 42.0
"""A finger's two bones; the last joint is left straight."""
PALM_MM, WRIST_UP_MM = 84.0, 52.0
FOREARM_MM, SLEEVE_FROM_MM = 330.0, 70.0
ELBOW_MM = 480.0
"""So far behind the frame is a player's elbow."""
AWAY_MM = 420.0
"""So far behind the frame's edge a hand waits, out of the picture."""


@dataclass(frozen=True)
class Hand:
    """A hand at one moment: its fingertips' place (x, y, z), from which elbow, how open.

    `whose`: 0 or 1. `thumb`: 1 where the thumb is at its left, −1 at its right.
    """

    tip_mm: tuple[float, float, float]
    elbow_mm: tuple[float, float, float]
    curl: float
    pinch_mm: float
    whose: int = 0
    thumb: float = 1.0

    def capsules(self) -> Floats:
        """What it is made of: (N, 9): two ends (x, y, z each) in mm, radius, skin or sleeve, whose."""
        tip, elbow = np.array(self.tip_mm), np.array(self.elbow_mm)
        ahead = tip - elbow
        ahead[2] = 0.0
        ahead /= np.linalg.norm(ahead)
        left, up = np.array((-ahead[1], ahead[0], 0.0)) * self.thumb, np.array((0.0, 0.0, 1.0))
        wrist = tip - ahead * (PALM_MM + 62.0) + up * WRIST_UP_MM
        arm = elbow - wrist
        arm /= np.linalg.norm(arm)
        rows: list[tuple[Floats, Floats, float, int]] = [
            (wrist, wrist + arm * (SLEEVE_FROM_MM + 20.0), 27.0, SKIN),
            (wrist + arm * SLEEVE_FROM_MM, wrist + arm * FOREARM_MM, 43.0, SLEEVE),
        ]
        for number in range(4):
            aside = left * (27.0 - 18.0 * number)
            knuckle = wrist + ahead * PALM_MM + aside + up * (4.0 - 3.0 * abs(number - 1.5))
            rows.append((wrist + aside * 0.7 + ahead * 14.0, knuckle, 14.0, SKIN))
            if number == 0:
                end = tip
            else:
                # The others stand off the board, more or less rolled in.
                end = knuckle + ahead * (52.0 - 34.0 * self.curl - 5.0 * number) - up * (22.0 + 12.0 * self.curl)
                end[2] = max(end[2], 22.0)
            joint = _bent(knuckle, end)
            rows += [(knuckle, joint, 9.5, SKIN), (joint, end, 8.0, SKIN)]
        thumb = wrist + left * 32.0 + ahead * 26.0
        thumb_tip = tip + left * self.pinch_mm - ahead * 8.0
        joint = _bent(thumb, thumb_tip)
        rows += [(thumb, joint, 12.0, SKIN), (joint, thumb_tip, 9.5, SKIN)]
        return np.array([(*a, *b, radius, what, self.whose) for a, b, radius, what in rows])


def _bent(root: Floats, end: Floats) -> Floats:
    """Where the middle joint lies of two bones from root to end; what lies too far is reached for."""
    across = end - root
    far = float(np.linalg.norm(across))
    along = across / max(far, 1e-6)
    reach = min(far, UPPER_MM + LOWER_MM - 0.1)
    part = (UPPER_MM**2 - LOWER_MM**2 + reach**2) / (2.0 * max(reach, 1.0))
    high = np.sqrt(max(UPPER_MM**2 - part**2, 0.0))
    up = np.array((0.0, 0.0, 1.0)) - along * along[2]
    up /= max(float(np.linalg.norm(up)), 1e-6)
    return np.asarray(root + along * part + up * high)


@dataclass(frozen=True)
class Key:
    """At a time the fingertips are there, so curled and so pinched."""

    t_s: float
    tip_mm: tuple[float, float, float]
    curl: float = 0.5
    pinch_mm: float = 30.0


@dataclass(frozen=True)
class Visit:
    """One hand's visit: keys in order of time, from an elbow; before the first and after the last it is away.

    `follows`: from its time on the tip is where a callable says, until the callable says None (a shove, a push).
    """

    keys: tuple[Key, ...]
    elbow_mm: tuple[float, float, float]
    whose: int = 0
    thumb: float = 1.0
    follows: Callable[[float], tuple[float, float, float] | None] | None = None

    def at(self, t_s: float) -> Hand | None:
        """The hand at a time; None while it is away."""
        if not self.keys[0].t_s <= t_s <= self.keys[-1].t_s:
            return None
        times = [key.t_s for key in self.keys]
        after = min(int(np.searchsorted(times, t_s, side="right")), len(times) - 1)
        a, b = self.keys[after - 1], self.keys[after]
        part = (t_s - a.t_s) / max(b.t_s - a.t_s, 1e-9)
        part = part * part * (3.0 - 2.0 * part)
        tip = np.array(a.tip_mm) + (np.array(b.tip_mm) - a.tip_mm) * part
        forced = self.follows(t_s) if self.follows is not None else None
        if forced is not None:
            tip = np.array(forced)
        # The elbow goes along with the hand a little.
        elbow = np.array(self.elbow_mm) + 0.45 * (tip - self.elbow_mm) * (1, 1, 0)
        return Hand(
            (float(tip[0]), float(tip[1]), float(tip[2])),
            (float(elbow[0]), float(elbow[1]), float(elbow[2])),
            a.curl + (b.curl - a.curl) * part,
            a.pinch_mm + (b.pinch_mm - a.pinch_mm) * part,
            self.whose,
            self.thumb,
        )


def elbow(board: Board, seat: str, aside_mm: float) -> tuple[float, float, float]:
    """Where a player's elbow is."""
    x, y = seat_to_board(seat, aside_mm, board.half_mm + board.frame_width_mm + ELBOW_MM)
    return (x, y, 190.0)


def away(board: Board, seat: str, aside_mm: float) -> tuple[float, float, float]:
    """Where a hand's tips are when it is out of the picture."""
    x, y = seat_to_board(seat, aside_mm, board.half_mm + board.frame_width_mm + AWAY_MM)
    return (x, y, 120.0)
