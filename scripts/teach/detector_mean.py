"""The mean of a detector's weights before and after further training: `... ONE OTHER OUT FOLDER`.

Trained further it does better on what it was shown, and less well on what it was not; the mean of both weights keeps
most of either (Wortsman et al., Robust fine-tuning of zero-shot models, 2022). What each normalisation expects is
measured anew on looks in FOLDER.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn

from scripts.teach.board_lessons import samples
from scripts.teach.detector_net import Detector, view
from scripts.teach.detector_training import shown_of, stacked
from scripts.teach.detector_weights import halfway

PICTURES = 8
"""Of each look, changed as in training."""


def mean(one: Path, other: Path, folder: Path) -> dict[str, torch.Tensor]:
    """The mean weights of two files of the same net."""
    first, second = (torch.load(path, map_location="cpu") for path in (one, other))
    net = Detector()
    net.load_state_dict(halfway(first, second))
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.reset_running_stats()
            module.momentum = None
    net.train()
    rng = np.random.default_rng(1)
    for path in sorted(folder.glob("*.pickle")):
        made = stacked(samples(path, rng, PICTURES))
        shown = shown_of({name: torch.from_numpy(value) for name, value in made.items()})
        with torch.no_grad():
            net(view(*shown[:-1]), *shown[-2:])
    return net.state_dict()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.teach.detector_mean", description=__doc__)
    for name in ("one", "other", "out", "folder"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    torch.save(mean(arguments.one, arguments.other, arguments.folder), arguments.out)
