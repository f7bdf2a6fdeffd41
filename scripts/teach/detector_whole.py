"""Floating-point weights of the detector that ships, to train it further: `... detector_whole OUT FOLDER`.

The weights that it was trained to are not kept, only the net of 8-bit numbers, in which each normalisation has become
part of its convolution. Here the numbers get back what they stand for, each normalisation is set to what it sees of
looks in FOLDER, so that training goes on as it ended, and what `detector_file.py` adds is taken off again.

Held against the weights that were trained, each convolution's are off by 1 % (root mean square), for 8 bits are no
more; the last one's, which are not quantised, by nothing. Against the net that ships, whose numbers between the layers
have 8 bits too, the log-odds differ by 0.26 in the mean, and another class is the likeliest in 0.014 % of the cells.
Both are printed for the pictures in FOLDER.
"""

from __future__ import annotations

import argparse
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from controller.vision.finding.detector import VIEW_STEP, VIEW_ZERO
from scripts.teach.board_lessons import sample
from scripts.teach.detector_file import ASKED, NET, NOTHING_RATHER, QUEENS_SHOWN
from scripts.teach.detector_net import CLASSES, Detector, view
from scripts.teach.detector_training import shown_of, stacked
from scripts.teach.detector_weights import meant, module_of
from scripts.teach.lessons import load
from scripts.teach.repainted import QUEEN

PICTURES = 8
"""Of each look; every other one as it was drawn."""


def convolutions(path: Path) -> dict[str, tuple[Any, Any]]:
    """Weights and offsets of each convolution of an exported net, by the module that it was."""
    graph = onnx.load(path).graph
    stored = {one.name: numpy_helper.to_array(one).copy() for one in graph.initializer}
    made = {output: node for node in graph.node for output in node.output}

    def number(name: str) -> Any:
        if name in stored:
            return stored[name]
        node = made[name]
        axis = next((int(one.i) for one in node.attribute if one.name == "axis"), 0)
        return meant(*(stored[each] for each in node.input), axis)

    return {
        module_of(node.name): (number(node.input[1]), number(node.input[2]))
        for node in graph.node
        if node.op_type == "Conv"
    }


def plain(path: Path) -> tuple[Detector, dict[str, nn.BatchNorm2d]]:
    """The net with the numbers of an exported one, and its normalisations by their convolutions, which change nothing
    but for an offset."""
    net = Detector()
    net.eval()
    told, norms = convolutions(path), {}
    mine = {name: module for name, module in net.named_modules() if isinstance(module, nn.Conv2d)}
    if told.keys() != mine.keys():
        raise ValueError(f"{path} is another net: {', '.join(sorted(told.keys() ^ mine.keys()))}")
    with torch.no_grad():
        for name, (weight, offset) in told.items():
            mine[name].weight.copy_(torch.from_numpy(weight))
            bias = mine[name].bias
            if bias is None:
                before, _, place = name.rpartition(".")
                norm = net.get_submodule(f"{before}.{int(place) + 1}")
                assert isinstance(norm, nn.BatchNorm2d)
                norm.running_var.fill_(1.0 - norm.eps)
                norms[name], bias = norm, norm.bias
            bias.copy_(torch.from_numpy(offset))
    return net, norms


def normalise(net: Detector, norms: dict[str, nn.BatchNorm2d], pictures: list[tuple[Tensor, ...]]) -> None:
    """Sets each normalisation to what it sees of pictures, and what follows it so that the net says the same."""
    sums = {name: [0.0, torch.zeros(1), torch.zeros(1)] for name in norms}

    def note(name: str, seen: Tensor) -> None:
        many, total, squares = sums[name]
        seen = seen.double()
        sums[name] = [many + seen[:, 0].numel(), total + seen.sum((0, 2, 3)), squares + (seen**2).sum((0, 2, 3))]

    hooks = [
        net.get_submodule(name).register_forward_hook(lambda _module, _given, seen, name=name: note(name, seen))
        for name in norms
    ]
    with torch.no_grad():
        for asked in pictures:
            net(*asked)
        for name, norm in norms.items():
            many, total, squares = sums[name]
            mean = total / many
            norm.running_mean.copy_(mean)
            norm.running_var.copy_((squares / many - mean**2).clamp(min=1e-6))
            norm.weight.copy_(torch.sqrt(norm.running_var + norm.eps))
            norm.bias += norm.running_mean
    for hook in hooks:
        hook.remove()


def asked_of(folder: Path) -> list[tuple[Tensor, ...]]:
    """What the net is asked of pictures of the looks in a folder."""
    rng, asked = np.random.default_rng(3), []
    for path in sorted(folder.glob("*.pickle")):
        taught = load(path)
        for k in range(min(PICTURES, len(taught.flats))):
            made = stacked([sample(taught, k, rng, plain=k % 2 == 0)])
            shown = shown_of({name: torch.from_numpy(value) for name, value in made.items()})
            asked.append((view(*shown[:-1]), *shown[-2:]))
    return asked


def unlike(net: Detector, path: Path, pictures: list[tuple[Tensor, ...]]) -> tuple[float, float]:
    """How far the net's log-odds are from those of the exported one in the mean, and in which share of cells another
    class is the likeliest."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    far, other = [], []
    for asked in pictures:
        given = {name: value.numpy() for name, value in zip(ASKED, asked, strict=True)}
        given["view"] = np.clip(np.round(given["view"] / VIEW_STEP) + VIEW_ZERO, 0, 255).astype(np.uint8)
        theirs = session.run(None, given)[0]
        with torch.no_grad():
            mine = net(*asked)[0].numpy()
        far.append(np.abs(mine - theirs)[:, :CLASSES].mean())
        other.append((mine[:, :CLASSES].argmax(1) != theirs[:, :CLASSES].argmax(1)).mean())
    return float(np.mean(far)), float(np.mean(other))


def main() -> None:
    """Does what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m scripts.teach.detector_whole", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    pictures = asked_of(arguments.folder)
    net, norms = plain(NET)
    print("log-odds off by {:.3f}, another class in {:.3%} of the cells".format(*unlike(net, NET, pictures)))
    normalise(net, norms, pictures)
    print("normalised: off by {:.3f}, another class in {:.3%}".format(*unlike(net, NET, pictures)))
    last = net.head[-1]
    assert isinstance(last, nn.Conv2d)
    assert last.bias is not None
    with torch.no_grad():
        last.bias[0] -= NOTHING_RATHER
        last.bias[QUEEN] += log(QUEENS_SHOWN)
    torch.save(net.state_dict(), arguments.out)


if __name__ == "__main__":
    main()
