"""Writes a trained detector beside the finder: `python -m scripts.teach.detector_file WEIGHTS FOLDER`.

Its convolutions are quantised to 8 bits, by what they see of looks in FOLDER: half the time, a quarter of the size. So
is the view, in steps that stay the same, and the net takes it as these 8 bits: they are made where it is made.
The view that it was trained on goes beside the tests, which hold the one that is made in use against it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import Tensor, nn

from controller.vision.finding.detector import PLANES, VIEW_STEP, VIEW_ZERO
from scripts.teach.board_lessons import sample
from scripts.teach.detector_net import Detector, view
from scripts.teach.detector_training import shown_of, stacked
from scripts.teach.lessons import load
from scripts.teach.repainted import QUEEN

REPOSITORY = Path(__file__).parents[2]
NET = REPOSITORY / "controller" / "vision" / "finding" / "detector.onnx"
VIEW = REPOSITORY / "tests" / "vision" / "finding" / "detector_view.onnx"
LOOKS, PICTURES = 8, (0, 2, 5)
"""So many looks, and which pictures of each, say how large numbers in the net get."""
QUEENS_SHOWN = 1.55
"""So many times as many queens as boards have are expected by what was learnt: 1.7 a board instead of 0.7 were shown to
one half of the mean (`detector_mean.py`), so the root of that. The log-odds of a queen are lowered by its logarithm."""
NOTHING_RATHER = 0.7
"""By how much the log-odds of nothing are raised. With 1.1 the detector by itself misses as many pieces of 46 tables as
it sees where none are; its odds there are likeliest as they are, with 0."""
SIDE = 336
AXES = {2 * SIDE: "d", SIDE: "n", SIDE // 4: "m"}
SHOWN = {
    "now": (1, 3, SIDE, SIDE),
    "empty": (1, 3, SIDE, SIDE),
    "fine": (1, 1, 2 * SIDE, 2 * SIDE),
    "fine_empty": (1, 1, 2 * SIDE, 2 * SIDE),
    "wood": (1, 3, SIDE // 4, SIDE // 4),
    "board": (1, 1, SIDE, SIDE),
    "light": (1, 3),
    "told": (1, 11),
}
"""What `view` takes, in its order."""
ASKED = {"view": (1, PLANES, SIDE, SIDE), "told": (1, 11), "steep": (1, 2, SIDE // 4, SIDE // 4)}
"""What the net takes before it is quantised."""


class Seen(CalibrationDataReader):  # type: ignore[misc]
    """What the net is shown while its numbers are measured."""

    def __init__(self, folder: Path) -> None:
        self._all = self._pictures(folder)

    def get_next(self) -> dict[str, Any] | None:
        """The next picture."""
        return next(self._all, None)

    @staticmethod
    def _pictures(folder: Path) -> Iterator[dict[str, Any]]:
        rng = np.random.default_rng(1)
        for path in sorted(folder.glob("*.pickle"))[:LOOKS]:
            taught = load(path)
            for k in PICTURES:
                made = stacked([sample(taught, k, rng, plain=k != PICTURES[-1])])
                shown = shown_of({name: torch.from_numpy(value) for name, value in made.items()})
                asked = view(*shown[:-1]), *shown[-2:]
                yield {name: value.numpy() for name, value in zip(ASKED, asked, strict=True)}


class View(nn.Module):
    """`view` as a module."""

    def forward(self, *shown: Tensor) -> Tensor:
        """Runs it."""
        return view(*shown)


def exported(module: nn.Module, shapes: dict[str, tuple[int, ...]], outputs: tuple[str, ...], path: Path) -> None:
    """Writes a module as ONNX, for boards of any size."""
    torch.onnx.export(
        module,
        tuple(torch.zeros(shape) for shape in shapes.values()),
        str(path),
        input_names=list(shapes),
        output_names=list(outputs),
        dynamic_axes={name: {2: AXES[s[2]], 3: f"{AXES[s[2]]}w"} for name, s in shapes.items() if len(s) == 4},
        dynamo=False,
    )


def take_bytes(path: Path) -> None:
    """Has a quantised net take its view as the 8 bits that it makes of it first, unsigned."""
    net = onnx.load(path)
    (first,) = (node for node in net.graph.node if node.op_type == "QuantizeLinear" and node.input[0] == "view")
    for node in net.graph.node:
        node.input[:] = ["view" if name == first.output[0] else name for name in node.input]
    net.graph.node.remove(first)
    (view,) = (one for one in net.graph.input if one.name == "view")
    view.type.tensor_type.elem_type = onnx.TensorProto.UINT8
    onnx.save(net, path)


def write(weights: Path, folder: Path) -> None:
    """Writes the net and its manifest."""
    net = Detector()
    net.load_state_dict(torch.load(weights, map_location="cpu"))
    net.eval()
    last = net.head[-1]
    assert isinstance(last, nn.Conv2d)
    assert last.bias is not None
    with torch.no_grad():
        last.bias[0] += NOTHING_RATHER
        last.bias[QUEEN] -= log(QUEENS_SHOWN)
    exported(View(), SHOWN, ("view",), VIEW)
    with tempfile.TemporaryDirectory() as made:
        whole, ready = Path(made) / "whole.onnx", Path(made) / "ready.onnx"
        exported(net, ASKED, ("said", "maps"), whole)
        quant_pre_process(whole, ready, skip_symbolic_shape=True)
        quantize_static(
            ready,
            NET,
            Seen(folder),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["Conv", "Add", "Relu", "Resize"],
            # Its numbers are log-odds, offsets and errors themselves: eight bits are too coarse for them.
            nodes_to_exclude=["/head/head.1/Conv"],
            extra_options={
                "TensorQuantOverrides": {
                    "view": [{"scale": np.float32(VIEW_STEP), "zero_point": np.uint8(VIEW_ZERO)}],
                }
            },
        )
        take_bytes(NET)
    manifest = {
        "weights_sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
        "net_sha256": hashlib.sha256(NET.read_bytes()).hexdigest(),
        "versions": {name: version(name) for name in ("torch", "onnx", "onnxruntime", "numpy")},
    }
    NET.with_suffix(".json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.teach.detector_file", description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    write(arguments.weights, arguments.folder)
