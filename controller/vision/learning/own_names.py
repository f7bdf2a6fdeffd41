"""What this table's own pieces are called: samples from pictures of which it is known how many of each lie there.

In the opening arrangement it is known where each class lies; on a scattered board only how many of each there are: the
names are given out so that together they are likeliest, the head is fitted to them, and names them again. Must not
know files or cameras.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import CameraModel
from controller.vision.finding.find import DiscFeatures, disc_features
from controller.vision.finding.nets import fingerprint
from controller.vision.learning.opening import Learnt
from controller.vision.looks import Looks, Pixels
from controller.vision.naming_head import NAMES, Head, Samples, counted, fitted, gathered, misnamed

SCATTERED = (9, 9, 1, 1)
"""How many of `NAMES` lie on a scattered board: the whole set and one striker."""

SAME_MM = 8.0
ROUNDS = 3
"""Names, head and names again: after three rounds none changes any more."""


def own_names(
    openings: Sequence[tuple[Pixels, Learnt]],
    scattered: Sequence[Pixels],
    model: CameraModel,
    looks: Looks,
    board: Board,
) -> tuple[Looks, tuple[str, ...]]:
    """The looks with a head fitted to these pictures (BGR), where it is better than none, and what is to be reported.

    `openings`: with what was learnt from each. A scattered board that does not show just as many discs as it should is
    left out: something was missed there, or taken for a piece.
    """
    plain = replace(looks, head=None)
    racked = [
        _of_opening(disc_features(picture, model, plain, board), learnt)
        for picture, learnt in openings
        if learnt.looks.known
    ]
    seen = [disc_features(picture, model, plain, board) for picture in scattered]
    whole = [one for one in seen if len(one.xy) == sum(SCATTERED)]
    says = []
    if len(whole) < len(seen):
        counts = ", ".join(str(len(one.xy)) for one in seen if len(one.xy) != sum(SCATTERED))
        says.append(
            f"{len(seen) - len(whole)} of {len(seen)} scattered boards are left out: {counts} pieces are seen there, "
            f"{sum(SCATTERED)} should be. Fix: all nineteen coins and one striker, and nobody's hand over the board"
        )
    nets = fingerprint()
    samples = gathered(racked)
    head = fitted(samples, nets)
    for _ in range(ROUNDS if whole else 0):
        samples = gathered([*racked, *(_by_count(one, head) for one in whole)])
        head = fitted(samples, nets)
    before, after = misnamed(None, samples), misnamed(head, samples)
    gained = f"now {after}" if head is not None else "nothing would be gained, so they are left as they are"
    says.append(
        f"this table's own names: {len(samples.names)} pieces, of which the nets alone misname {before}; {gained}"
    )
    return replace(looks, head=head), tuple(says)


def other_nets(looks: Looks) -> str:
    """What to report where the head was fitted on other nets than these and is not used, "" where all is well."""
    if looks.head is None or looks.head.nets == fingerprint():
        return ""
    return (
        "this table's own names were learnt with other nets than these and are not used. "
        "Fix: make the calibration anew from the same pictures with `carrom calibrate`"
    )


def _of_opening(one: DiscFeatures, learnt: Learnt) -> Samples:
    """The pieces that are found where the arrangement lies, called as they lie in it."""
    gaps = np.hypot(*np.moveaxis(one.xy[:, None] - learnt.places[None], -1, 0))
    names = np.array([NAMES.index(name) for name in learnt.classes], dtype=np.int64)
    return _samples(one, names[gaps.argmin(1)], (gaps.min(1) < SAME_MM) & ~one.left)


def _by_count(one: DiscFeatures, head: Head | None) -> Samples:
    """The pieces of a scattered board by the likeliest names; a queen on paint is counted, and no head names her."""
    shares = one.shares
    if head is not None:
        shares = np.where(one.left[:, None], shares, head.named(shares, one.tones, one.burnt))
    return _samples(one, counted(shares, SCATTERED), ~one.left)


def _samples(one: DiscFeatures, names: NDArray[np.int64], which: NDArray[np.bool_]) -> Samples:
    picture = np.zeros(np.count_nonzero(which), dtype=np.int64)
    return Samples(one.shares[which], one.tones[which], one.burnt[which], names[which], picture)
