"""Trains the third net, which weighs what the other two say against what is measured: minutes on one core.

Every look is shown as it was drawn and once more by another day's light. The candidates and their features are those
that the finder itself makes with the detector and the second net as they lie beside it. The same looks give the same
weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from controller.vision.finding import detector
from controller.vision.finding.candidates import candidates, places_in, tones_of
from controller.vision.finding.find import SURELY_NOTHING
from controller.vision.finding.flat import Flat, cells_log, half_log
from controller.vision.finding.weighing import features
from controller.vision.looks import Looks
from scripts.teach.lessons import SEEN, UNSEEN, in_other_light, load, misjudged, with_more
from scripts.teach.nets import Weigh, taken_up

Array = npt.NDArray[Any]

EPOCHS = 25
BATCH = 256
RATE, LAST_RATE = 3e-3, 1e-5
EPOCHS_FURTHER, RATE_FURTHER = 10, 1e-3
"""The same for a net that is trained further."""
DECAY = 0.1
JITTER = 0.2
"""Deviations by which each feature is shaken: another renderer's are a little off in all of them."""
SMOOTHING = 0.01
"""No answer is surer than this allows: sure errors on others' pictures cost the most."""
NEAR_MM, FAR_MM = 5.0, 8.0
"""A candidate so near to a piece is that piece; one farther from all is none; between them it is left out."""
IGNORED = -1


def train_weigh(training: Sequence[Path], held_out: Sequence[Path], jobs: int, upon: Path | None = None) -> Weigh:
    """Trains on looks and prints how the net does on those that are held out. `upon`: a net that is trained further."""
    torch.manual_seed(5)
    with ProcessPoolExecutor(jobs, initializer=cv2.setNumThreads, initargs=(1,)) as workers:
        shown, kept = (
            tuple(np.concatenate(part) for part in zip(*workers.map(samples, paths), strict=True))
            for paths in (training, held_out)
        )
    x, kinds = torch.from_numpy(shown[0]), torch.from_numpy(shown[1])
    net = Weigh(x.mean(0), x.std(0) + 1e-3)
    if upon is not None:
        taken_up(net, upon)
    rate, epochs = (RATE, EPOCHS) if upon is None else (RATE_FURTHER, EPOCHS_FURTHER)
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=DECAY)
    net.train()
    for epoch in range(epochs):
        for group in optimiser.param_groups:
            group["lr"] = rate * (0.5 + 0.5 * np.cos(np.pi * epoch / epochs)) + LAST_RATE
        for batch in torch.randperm(len(x)).split(BATCH):
            optimiser.zero_grad()
            shaken = x[batch] + JITTER * net.scale * torch.randn(len(batch), x.shape[1])
            said_by = net.each(shaken)
            loss = sum(nn.functional.cross_entropy(one, kinds[batch], label_smoothing=SMOOTHING) for one in said_by)
            loss.backward()
            optimiser.step()
    net.eval()
    with torch.no_grad():
        said = net(torch.from_numpy(kept[0])).argmax(1).numpy()
    wrong = np.zeros((5, 5), dtype=int)
    np.add.at(wrong, (kept[1], said), 1)
    print(f"weigh: {len(x)} shown; held out, true by said: {wrong.tolist()}", flush=True)
    return net


def samples(path: Path) -> tuple[Array, Array]:
    """Features (N, M) and classes (N,) of all candidates on a look's boards, without the opening (it gave tones)."""
    taught = load(path)
    rng = np.random.default_rng((int(path.stem), 7))
    coin, striker = 2.0 * float(taught.radii[1]), 2.0 * float(taught.radii[4])
    looks = Looks(
        coin_diameter_mm=coin,
        coin_thickness_mm=taught.flat.z_mm,
        striker_diameter_mm=striker,
        striker_thickness_mm=taught.flat.z_mm,
        tones=taught.tones,
        known=True,
        sizes_known=True,
    )
    drawn = []
    for k in range(1, len(taught.flats)):
        drawn.append(_board(taught.flat, taught.flats[k], taught.truths[k], looks))
        more = with_more(taught, taught.flats[k], taught.truths[k], rng)[:2]
        drawn.append(_board(taught.flat, *more, looks))
        for colour, truth in ((taught.flats[k], taught.truths[k]), more):
            flat, relit = in_other_light(taught, colour, truth, rng)
            drawn.append(_board(flat, relit, truth, replace(looks, tones=misjudged(taught.tones, rng))))
    return np.concatenate([one[0] for one in drawn]), np.concatenate([one[1] for one in drawn])


def _board(flat: Flat, colour: Array, truth: Array, looks: Looks) -> tuple[Array, Array]:
    half, cells = half_log(colour), cells_log(colour)
    places = places_in(
        flat, half, detector.asked(detector.shown(flat, colour, half, cells, tones_of(looks))), looks, None
    )
    asked = candidates(flat, colour, cells, places, looks, None)
    asked = asked.part(asked.discs.odds[:, 0] < SURELY_NOTHING)
    seen = features(flat, colour, asked, looks)
    kinds = _kinds(asked.discs.xy, truth)
    return seen[kinds != IGNORED], kinds[kinds != IGNORED]


def _kinds(xy: Array, truth: Array) -> Array:
    if not len(truth) or not len(xy):
        return np.zeros(len(xy), dtype=np.int64)
    gaps = np.hypot(*np.moveaxis(xy[:, None] - truth[None, :, 1:3], -1, 0))
    which, gap = truth[gaps.argmin(1)], gaps.min(1)
    piece = (gap < NEAR_MM) & (which[:, 3] >= SEEN)
    none = (gap > FAR_MM) | (which[:, 3] < UNSEEN)
    return np.where(piece, which[:, 0].astype(np.int64), np.where(none, 0, IGNORED))
