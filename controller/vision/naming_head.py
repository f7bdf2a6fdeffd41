"""This table's own names: a light head upon the nets' answers, fitted to boards of which it is known what lies there.

The nets were trained on other tables. What they say of this one is weighed anew by each piece's tone, by as much as
this table's own pieces ask for: with few of them little, with none nothing. Values in, values out; no pixels, no files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats

NAMES = ("white", "black", "queen", "striker")
FEATURES = 4
"""The tone in blue, green and red, and the most that is saturated in any of them."""

LEAST_ODDS = 1e-4
LEAST_SCALE = 0.05
FARTHEST = 3.0
"""A tone farther off than this, in deviations of the training pieces, says no more: a new lamp is no new class."""

LOOSE = 1.0
"""One standard deviation of a weight before training; with it and the two below the fewest pieces of
path-traced tables were misnamed (seeds of the nets' data set that no net had been trained on)."""

TRUST, TRUST_SPREAD = 0.6, 0.3
"""What the nets' log-odds count before training: on a foreign set they are surer than they should be."""

TURNS = 40
FOLDS = 5
LEAST_SAMPLES = 12

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Samples:
    """Pieces of this table: the nets' shares of `NAMES` (N, 4), tones (N, 3), saturated shares (N, 3), and what each
    is, an index of `NAMES` (N,), with the picture it was in (N,)."""

    shares: Floats
    tones: Floats
    burnt: Floats
    names: Ints
    picture: Ints

    def part(self, which: NDArray[np.bool_]) -> Samples:
        """Some of them."""
        return Samples(*(getattr(self, name)[which] for name in ("shares", "tones", "burnt", "names", "picture")))


def gathered(several: Sequence[Samples]) -> Samples:
    """All of them, each part's pictures counted as one."""
    parts = [(*_parts(one), np.full(len(one.names), k, dtype=np.int64)) for k, one in enumerate(several)]
    if not parts:
        return Samples(
            np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(0, np.int64)
        )
    return Samples(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _parts(samples: Samples) -> tuple[Floats, Floats, Floats, Ints]:
    return samples.shares, samples.tones, samples.burnt, samples.names


@dataclass(frozen=True, eq=False)
class Head:
    """`nets`: fingerprint of the nets it was fitted on. `mean`, `scale` (4,) of the features; `weights` (5, 4), the
    last row added as it is; `trust`: what the nets' log-odds count; `taught`: of which of `NAMES` it saw pieces (4,).
    """

    nets: str
    mean: Floats
    scale: Floats
    weights: Floats
    trust: float
    taught: NDArray[np.bool_]

    def named(self, shares: Floats, tones: Floats, burnt: Floats) -> Floats:
        """The shares of `NAMES` (N, 4) as this table has them. A class of which it saw no piece keeps its own."""
        mine = self.taught
        if np.count_nonzero(mine) < 2 or not len(shares):
            return shares
        score = self.trust * _log(shares) + _design(tones, burnt, self.mean, self.scale) @ self.weights
        among = _softmax(score[:, mine])
        named = shares.copy()
        named[:, mine] = among * shares[:, mine].sum(1, keepdims=True)
        return named


def fitted(samples: Samples, nets: str) -> Head | None:
    """The head that these pieces speak for, None where they are too few, or where it would not be better.

    It is held against pieces that it was not fitted to: each picture is left out in turn (of one picture each fifth of
    its pieces), and it must not misname more of them than the nets alone do.
    """
    if len(samples.names) < LEAST_SAMPLES:
        return None
    fold = samples.picture
    if len(np.unique(fold)) < 2:
        fold = np.arange(len(samples.names)) % FOLDS
    before = after = 0
    for k in np.unique(fold):
        out = samples.part(fold == k)
        before += misnamed(None, out)
        after += misnamed(_fit(samples.part(fold != k), nets), out)
    return None if after > before else _fit(samples, nets)


def misnamed(head: Head | None, samples: Samples) -> int:
    """How many pieces whose names are known a head (None: the nets alone) calls by another."""
    shares = samples.shares if head is None else head.named(samples.shares, samples.tones, samples.burnt)
    return int(np.count_nonzero(shares.argmax(1) != samples.names))


def counted(shares: Floats, counts: Sequence[int]) -> Ints:
    """The likeliest names (N,) of N pieces of which so many of each of `NAMES` are there; their sum must be N.

    From any assignment on, two pieces' names are exchanged as long as that makes all of them likelier.
    """
    if sum(counts) != len(shares):
        raise ValueError(f"{len(shares)} pieces for {sum(counts)} names")
    said = _log(shares)
    names = np.repeat(np.arange(len(NAMES), dtype=np.int64), counts)
    if not len(names):
        return names
    rows = np.arange(len(names))
    while True:
        here = said[rows, names]
        gain = said[:, names] + said[:, names].T - here[:, None] - here[None, :]
        i, j = np.unravel_index(int(gain.argmax()), gain.shape)
        if gain[i, j] <= 1e-9:
            return names
        names[[i, j]] = names[[j, i]]


def _log(shares: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(shares, LEAST_ODDS)), dtype=np.float64)


def _softmax(score: Floats) -> Floats:
    odds = np.exp(score - score.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True), dtype=np.float64)


def _design(tones: Floats, burnt: Floats, mean: Floats, scale: Floats) -> Floats:
    plain = np.concatenate((tones, burnt.max(1, keepdims=True)), 1)
    near = np.clip((plain - mean) / scale, -FARTHEST, FARTHEST)
    return np.concatenate((near, np.ones((len(near), 1))), 1)


def _fit(samples: Samples, nets: str) -> Head:
    """Logistic regression about the nets' own log-odds, every weight held near nothing (maximum a posteriori)."""
    plain = np.concatenate((samples.tones, samples.burnt.max(1, keepdims=True)), 1)
    mean, scale = plain.mean(0), np.maximum(plain.std(0), LEAST_SCALE)
    taught = np.bincount(samples.names, minlength=len(NAMES)) > 0
    classes = np.nonzero(taught)[0]
    weights, trust = np.zeros((FEATURES + 1, len(NAMES))), TRUST
    if len(classes) < 2:
        return Head(nets, mean, scale, weights, trust, taught)
    design, said = _design(samples.tones, samples.burnt, mean, scale), _log(samples.shares)[:, classes]
    said -= said.max(1, keepdims=True)
    wish = (samples.names[:, None] == classes[None, :]).astype(np.float64)
    rows, many = design.shape[1], len(classes)
    # One column for each weight of each class, and one for the trust: what a small step of each does to the scores.
    steps = np.zeros((len(design), many, rows * many + 1))
    for c in range(many):
        steps[:, c, c * rows : (c + 1) * rows] = design
    steps[:, :, -1] = said
    held = np.concatenate((np.full(rows * many, LOOSE**-2), (TRUST_SPREAD**-2,)))
    start = np.concatenate((np.zeros(rows * many), (TRUST,)))
    values = start.copy()

    def cost(at: Floats) -> tuple[float, Floats]:
        odds = _softmax(steps @ at)
        apart = at - start
        return float(-np.log(np.maximum((odds * wish).sum(1), 1e-12)).sum() + 0.5 * (held * apart * apart).sum()), odds

    now, odds = cost(values)
    for _ in range(TURNS):
        slope = np.einsum("nc,ncp->p", odds - wish, steps) + held * (values - start)
        mean_step = np.einsum("nc,ncp->np", odds, steps)
        bend = np.einsum("nc,ncp,ncq->pq", odds, steps, steps, optimize=True) - mean_step.T @ mean_step + np.diag(held)
        step = np.linalg.solve(bend, slope)
        share = 1.0
        after, there = cost(values - step)
        while after > now and share > 1e-3:
            share /= 2.0
            after, there = cost(values - share * step)
        if after > now:
            break
        values, gained, now, odds = values - share * step, now - after, after, there
        if gained < 1e-6:
            break
    weights[:, classes] = values[:-1].reshape(many, rows).T
    return Head(nets, mean, scale, weights, float(max(values[-1], 0.0)), taught)
