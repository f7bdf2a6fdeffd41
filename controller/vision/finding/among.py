"""What white and black look like among the pieces that lie there, on a table whose tones nobody has learnt.

One patch alone cannot tell a set's browner white from another's greyer black: among their like they differ. Must
not know where anything lies.
"""

from __future__ import annotations

import numpy as np

from calibration.camera import Floats
from controller.vision.finding.nets import KINDS
from controller.vision.looks import ANY_TONES, Look

FEW = 1.5
"""A class of which less than so many pieces are believed in is not known from them."""
APART = 0.3
"""A white that is not paler than black by this (logarithms) was not distinguished from it."""
SPREAD = 0.25
"""How far pieces of one class differ in tone, about."""
TURNS = 6

_WHITE, _BLACK, _QUEEN = (KINDS.index(kind) for kind in ("white", "black", "queen"))


def tones_among(tones: Floats, odds: Floats) -> dict[str, Look] | None:
    """Returns the tones of the classes among N pieces, or None where white and black cannot be distinguished by them.

    `tones` (N, 3) in logarithms against the wood, `odds` (N, 5) for `KINDS` as each piece alone suggests. The middle of
    each class and what belongs to it are found in turns, beginning with what was suggested.
    """
    suggested = odds[:, [_WHITE, _BLACK]] + 1e-3
    coin = odds[:, _WHITE] + odds[:, _BLACK]
    share = suggested / suggested.sum(1, keepdims=True)
    means = np.zeros((2, 3))
    for _ in range(TURNS):
        weight = share * coin[:, None]
        total = weight.sum(0)
        if (total < FEW).any():
            return None
        means = weight.T @ tones / total[:, None]
        off = ((tones[:, None] - means[None]) ** 2).sum(2)
        likely = np.log(suggested) - off / (2 * SPREAD**2)
        share = np.exp(likely - likely.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
    if means[0].mean() < means[1].mean() + APART:
        return None
    found = dict(ANY_TONES)
    for kind, mean in zip(("white", "black"), means, strict=True):
        found[kind] = Look((float(mean[0]), float(mean[1]), float(mean[2])), (SPREAD, SPREAD, SPREAD))
    queen = odds[:, _QUEEN].argmax() if len(odds) else 0
    if odds[queen, _QUEEN] > 0.9:
        blue, green, red = tones[queen]
        found["queen"] = Look((float(blue), float(green), float(red)), (SPREAD, SPREAD, SPREAD))
    return found
