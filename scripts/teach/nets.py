"""The two nets the finder runs, as PyTorch modules, and how they become files.

`Where` sees the whole board small and says in which cells a coin or a striker lies; `What` sees a patch about such a
place and says what it is, how far beside the patch's middle it lies, and how sure that is.
"""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from controller.vision.finding.views import BOARD_CHANNELS, PATCH, PATCH_CHANNELS

CELL_PX = 4
"""Pixels of the small board to a cell of the answer."""


class Where(nn.Module):
    """(B, 7, h, w) to (B, 4, h / 4, w / 4): coin and striker as logits, and how far off the cell they lie, in cells."""

    def __init__(self) -> None:
        super().__init__()
        widths = (12, 16, 32, 32, 32)
        layers: list[nn.Module] = [nn.Conv2d(BOARD_CHANNELS, widths[0], 5, 2, 2), nn.ReLU()]
        for before, width, step in zip(widths, widths[1:], (1, 2, 1, 1), strict=False):
            layers += [nn.Conv2d(before, width, 3, step, 1), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.Conv2d(widths[-1], 4, 1))
        self.expect_little()

    def expect_little(self) -> None:
        """Begins with the expectation that hardly any cell holds a piece; otherwise the first steps learn only that."""
        last = self.body[-1]
        assert isinstance(last, nn.Conv2d)
        assert last.bias is not None
        with torch.no_grad():
            last.bias[:2] = -4.0

    def forward(self, boards: Tensor) -> Tensor:
        """Runs the net."""
        answer: Tensor = self.body(boards)
        return answer


class What(nn.Module):
    """(N, 12, 40, 40) to (N, 8): logits of nothing and the four classes, two steps in px, the log of their error."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(PATCH_CHANNELS, 24, 5, 2, 2),
            nn.ReLU(),
            nn.Conv2d(24, 32, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(32, 48, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(48, 48, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(48, 64, 3, 2, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(64 * (PATCH // 8) ** 2, 64),
            nn.ReLU(),
            nn.Linear(64, 8),
        )

    def forward(self, patches: Tensor) -> Tensor:
        """Runs the net."""
        answer: Tensor = self.body(patches)
        return answer


class Seen(nn.Module):
    """A `What` as it is written to a file: its answer, and the (N, 64) that its last layer goes by."""

    def __init__(self, net: What) -> None:
        super().__init__()
        # The same name as in the net: by it `taken_up` knows the weights again.
        self.body = net.body

    def forward(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Runs the net."""
        seen: Tensor = self.body[:-1](patches)
        return self.body[-1](seen), seen


class Weigh(nn.Module):
    """(N, M) features to (N, 5): logits of nothing and the four classes. `mean`, `scale` (M,): of the training's.

    Several small nets that begin differently, and their mean: each errs elsewhere.
    """

    def __init__(self, mean: Tensor, scale: Tensor, width: int = 48, count: int = 4) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.bodies = nn.ModuleList(
            nn.Sequential(
                nn.Linear(len(mean), width),
                nn.ReLU(),
                nn.Dropout(0.2),
                nn.Linear(width, width),
                nn.ReLU(),
                nn.Dropout(0.2),
                nn.Linear(width, 5),
            )
            for _ in range(count)
        )

    def each(self, features: Tensor) -> list[Tensor]:
        """What each of them answers. What lies five deviations off and more is no farther off."""
        near = ((features - self.mean) / self.scale).clamp(-5.0, 5.0)
        return [body(near) for body in self.bodies]

    def forward(self, features: Tensor) -> Tensor:
        """Runs the net."""
        return torch.stack(self.each(features)).mean(0)


def taken_up(net: nn.Module, path: Path) -> None:
    """Gives a net the weights of a file that `save` wrote. Raises RuntimeError where they are another net's."""
    written = onnx.load(path).graph.initializer
    net.load_state_dict({tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in written})


def save(net: nn.Module, example: Tensor, path: Path, *, many: bool) -> None:
    """Writes a net as ONNX. `many`: its first axis may have any length."""
    written = Seen(net) if isinstance(net, What) else net
    names = ["y", "seen"] if isinstance(net, What) else ["y"]
    axes = {name: {0: "n"} if many else {2: "h", 3: "w"} for name in ("x", *names)}
    written.eval()
    torch.onnx.export(
        written, (example,), str(path), input_names=["x"], output_names=names, dynamic_axes=axes, dynamo=False
    )
