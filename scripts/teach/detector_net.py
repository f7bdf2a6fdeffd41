"""The detector as a PyTorch module, and the view of the board that it is shown.

In use the view is made by `controller/vision/finding/detector.py`; a test holds the two against each other.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from controller.vision.finding.detector import CLASSES, HUE_WIDTH, PLANES, SATURATED, TONE_WIDTH


def conv(before: int, width: int, size: int = 3, step: int = 1, spread: int = 1) -> nn.Module:
    """A convolution with its normalisation and a rectifier."""
    pad = spread * (size - 1) // 2
    return nn.Sequential(
        nn.Conv2d(before, width, size, step, pad, spread, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)
    )


class Block(nn.Module):
    """Two convolutions about which the input is led."""

    def __init__(self, width: int, spread: int = 1) -> None:
        super().__init__()
        self.first = conv(width, width, spread=spread)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """Runs the block."""
        return torch.relu(x + self.second(self.first(x)))


class Detector(nn.Module):
    """From a view of the board, the tones and how steeply the camera looks to (B, 6 + 3, m, m): class logits, steps
    right and down in cells, the logarithm of their error in cells; and (B, 2, 2 m, 2 m): logits that a hand or another
    thing is over the place."""

    def __init__(self, wide: tuple[int, int, int] = (40, 80, 128)) -> None:
        super().__init__()
        a, b, c = wide
        self.eyes = nn.Sequential(conv(PLANES, 24, 3, 2), conv(24, a, 3, 2))
        self.join = conv(a + 13, a, 1)
        self.fine = Block(a)
        self.down = nn.Sequential(conv(a, b, 3, 2), Block(b), Block(b))
        self.deep = nn.Sequential(conv(b, c, 3, 2), *(Block(c, spread) for spread in (1, 2, 3, 2, 1)))
        self.up1, self.mix1 = nn.Conv2d(c, b, 1), conv(b, b)
        self.up2, self.mix2 = nn.Conv2d(b, a, 1), Block(a)
        self.head = nn.Sequential(conv(a, 2 * a), nn.Conv2d(2 * a, CLASSES + 3 + 8, 1))
        last = self.head[-1]
        assert isinstance(last, nn.Conv2d)
        assert last.bias is not None
        with torch.no_grad():
            last.bias[0] = 4.0
            last.bias[CLASSES + 3 :] = -3.0

    def forward(self, view: Tensor, told: Tensor, steep: Tensor) -> tuple[Tensor, Tensor]:
        """Runs the net."""
        x = self.eyes(view)
        flags = told[:, :, None, None].expand(-1, -1, *x.shape[2:])
        x1 = self.fine(self.join(torch.cat((x, flags, steep), 1)))
        x2 = self.down(x1)
        x3 = self.deep(x2)
        x2 = self.mix1(x2 + functional.interpolate(self.up1(x3), scale_factor=2.0, mode="nearest"))
        x1 = self.mix2(x1 + functional.interpolate(self.up2(x2), scale_factor=2.0, mode="nearest"))
        y = self.head(x1)
        return y[:, : CLASSES + 3], functional.pixel_shuffle(y[:, CLASSES + 3 :], 2)


def view(
    now: Tensor,
    empty: Tensor,
    fine: Tensor,
    fine_empty: Tensor,
    wood: Tensor,
    board: Tensor,
    light: Tensor,
    told: Tensor,
) -> Tensor:
    """(B, 20, n, n): change, paint, likeness in tone and in hue, saturation, board, fine detail now and then."""
    lit = light[:, :, None, None]
    below = functional.interpolate(wood, scale_factor=4.0, mode="bilinear", align_corners=False)
    change, paint = now - empty - lit, empty - below
    tone = change + paint
    hue = tone - tone.mean(1, keepdim=True)
    alike = []
    for k in range(3):
        mean = told[:, 3 * k : 3 * k + 3, None, None]
        flat = mean - mean.mean(1, keepdim=True)
        known = told[:, 9:10, None, None]
        alike.append(known * torch.exp(-((tone - mean) ** 2).sum(1, keepdim=True) / (2 * TONE_WIDTH**2)))
        alike.append(known * torch.exp(-((hue - flat) ** 2).sum(1, keepdim=True) / (2 * HUE_WIDTH**2)))
    burnt = (now > SATURATED).to(now.dtype).mean(1, keepdim=True)
    detail = _detail(fine), _detail(fine_empty)
    return torch.cat((change, paint, *alike, burnt, torch.ones_like(burnt), *detail), 1) * board


def _detail(grey: Tensor) -> Tensor:
    """What halving a picture (B, 1, 2 n, 2 n) loses: its steps down, across and both, (B, 3, n, n)."""
    a, b, c, d = functional.pixel_unshuffle(grey, 2).split(1, 1)
    return 2.0 * torch.cat((a + b - c - d, a - b + c - d, a - b - c + d), 1)
