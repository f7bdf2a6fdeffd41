"""A second witness of a piece's class: its tone against those learnt of this set.

The net that names pieces goes by what surrounds them as well, and takes a matt white beside a lamp's mirror image for
a black. Light and shade change all three colours alike, so how light a tone is says less than its hue. Must not know
pictures or places.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibration.camera import Floats
from controller.vision.finding.nets import KINDS
from controller.vision.looks import Look

LIGHTER, HUE = 0.2, 0.12
"""One standard deviation of a tone from the learnt one, in logarithms: of its lightness, of each colour against it.
These and NOT_AT_ALL named the most of 4 276 pieces rightly on 75 path-traced tables that the nets had not seen."""
NOT_AT_ALL = 0.01
"""What is left to a class whose tone it is not at all: a mirror image on a piece, a chalked top, a worn one."""
EITHER = 0.1
"""The share of the net's own odds in the end. Where the two contradict each other the doubt is to be seen."""


def witnessed(odds: Floats, tones: Floats, burnt: Floats, learnt: Mapping[str, Look]) -> Floats:
    """The odds (N, 5) for `KINDS` with what the tones, (N, 3), say; nothing and strikers stay as likely as they were.

    `burnt` (N, 3): the share of a piece's top that is saturated in each colour: there the tone is at least as it is
    seen, and one that is learnt as lighter still does not contradict it.
    """
    if not len(odds):
        return odds
    named = [KINDS.index(kind) for kind in ("white", "black", "queen")]
    means = np.array([learnt[KINDS[k]].mean for k in named])
    off = tones[:, None] - means[None]
    off = np.where((burnt[:, None] > 0.5) & (off < 0.0), 0.0, off)
    level = off.mean(2)
    hue = ((off - level[..., None]) ** 2).sum(2)
    told = odds[:, named] * (np.exp(-(level**2) / (2 * LIGHTER**2) - hue / (2 * HUE**2)) + NOT_AT_ALL)
    coin, both = odds[:, named].sum(1, keepdims=True), odds.copy()
    both[:, named] = coin * (
        EITHER * odds[:, named] / np.maximum(coin, 1e-9) + (1 - EITHER) * told / told.sum(1, keepdims=True)
    )
    return np.asarray(both, dtype=np.float64)
