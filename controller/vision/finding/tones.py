"""A second witness of a piece's class: its tone against those learnt of this set.

The net that names pieces goes by what surrounds them as well, and takes a matt white beside a lamp's mirror image for
a black. Light and shade change all three colours alike, so how light a tone is says less than its hue. Must not know
pictures or places.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibration.camera import Floats
from controller.vision.finding.flat import Floats32
from controller.vision.finding.nets import KINDS
from controller.vision.looks import TONE_OFFSET, Look

LIGHTER, HUE = 0.2, 0.12
"""One standard deviation of a tone from the learnt one, in logarithms: of its lightness, of each colour against it.
These and NOT_AT_ALL named the most of 4 276 pieces rightly on 75 path-traced tables that the nets had not seen."""
NOT_AT_ALL = 0.01
"""What is left to a class whose tone it is not at all: a mirror image on a piece, a chalked top, a worn one."""
EITHER = 0.1
"""The share of the net's own odds in the end. Where the two contradict each other the doubt is to be seen."""
COLOUR, SHADED, VEILED = 0.08, 0.4, 0.3
"""One standard deviation of what shade and veil leave unexplained of a top's colour, as a share of its brightness; of
the share of its own light that a top shows; of the light that a lamp adds, as a share of the wood's. On 17 looks that
no net here was trained on others named no more of 4 341 pieces rightly."""
PALER = 0.08
"""The same for a top that is darker than its share of light would have it: nothing else takes light away."""
GAMMA = 2.2
_LEAST_LIGHT, _NOISE = 1e-4, 0.02
_SHARES = (0.2, 2.5)


def unveiled(odds: Floats, tones: Floats, wood: Floats, learnt: Mapping[str, Look]) -> Floats:
    """The odds (N, 5) for `KINDS`, with how likely a queen is by the colour that a white light over the tops leaves;
    nothing and strikers stay as likely as they were, and white and black beside each other.

    A lamp in the polish adds the same to all three colours and makes a red top pink and a black one grey: what of the
    colour no white light makes stays. So a top is its class's colour, more or less of it, and some white light.
    `tones` (N, 3) against the bare wood, `wood` (N, 3) that wood's logarithms under today's light.
    """
    if not len(odds):
        return odds
    seen, board = linear(tones + wood), np.maximum(linear(wood).mean(1), _LEAST_LIGHT)
    named = [KINDS.index(kind) for kind in ("white", "black", "queen")]
    likely = np.empty((len(odds), len(named)))
    hue = apart_from_white(seen)
    spread2 = (COLOUR * (seen.mean(1) + _NOISE)) ** 2
    for k, kind in enumerate(named):
        own = linear(wood + np.array(learnt[KINDS[kind]].mean))
        own_hue = apart_from_white(own)
        prior = 1.0 / SHADED**2
        share = ((own_hue * hue).sum(1) / spread2 + prior) / ((own_hue**2).sum(1) / spread2 + prior)
        share = np.clip(share, *_SHARES)
        left = ((hue - share[:, None] * own_hue) ** 2).sum(1) / spread2
        veil = (seen - share[:, None] * own).mean(1) / board
        veil /= np.where(veil > 0.0, VEILED, PALER)
        likely[:, k] = np.exp(-0.5 * (left + ((share - 1.0) / SHADED) ** 2 + veil**2)) + NOT_AT_ALL
    # How pale a grey is says too little: white and black stay to each other as they were.
    pair = odds[:, named[:2]]
    likely[:, :2] = (pair * likely[:, :2]).sum(1, keepdims=True) / np.maximum(pair.sum(1, keepdims=True), 1e-9)
    return _both(odds, likely, named)


def linear(logarithms: Floats | Floats32) -> Floats:
    """Linear light, 0 to 1, of a picture's logarithms."""
    grey = np.clip(np.exp(logarithms) - TONE_OFFSET, 0.0, 255.0)
    return np.asarray((grey / 255.0) ** GAMMA, dtype=np.float64)


def logarithms_of(light: Floats) -> Floats:
    """A picture's logarithms where it shows so much linear light: undoes `linear`."""
    return np.asarray(np.log(255.0 * light ** (1.0 / GAMMA) + TONE_OFFSET), dtype=np.float64)


def apart_from_white(light: Floats) -> Floats:
    """What of a colour, (..., 3), no white light makes."""
    return np.asarray(light - light.mean(-1, keepdims=True), dtype=np.float64)


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
    return _both(odds, np.exp(-(level**2) / (2 * LIGHTER**2) - hue / (2 * HUE**2)) + NOT_AT_ALL, named)


def _both(odds: Floats, likely: Floats, named: list[int]) -> Floats:
    """Odds (N, 5) together with how `likely` (N, 3) what is seen is for each of the classes `named`."""
    both = odds.copy()
    coin = odds[:, named].sum(1, keepdims=True)
    told = odds[:, named] * likely
    both[:, named] = coin * (
        EITHER * odds[:, named] / np.maximum(coin, 1e-9) + (1 - EITHER) * told / told.sum(1, keepdims=True)
    )
    return np.asarray(both, dtype=np.float64)
