"""What is done to a detector's weights where numbers alone are needed: means, and what 8 bits stand for.

Must not know the framework that trains them: these hold for its arrays as for NumPy's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def halfway(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The mean of two nets' arrays by name. Raises ValueError where they are not of the same net."""
    shapes = [{name: tuple(value.shape) for name, value in net.items()} for net in (one, other)]
    if shapes[0] != shapes[1]:
        unlike = sorted(name for name, _ in shapes[0].items() ^ shapes[1].items())
        raise ValueError(f"the weights are of two different nets: {', '.join(dict.fromkeys(unlike))}")
    return {name: 0.5 * (value + other[name]) for name, value in one.items()}


def meant(stored: npt.NDArray[Any], step: npt.NDArray[Any], zero: npt.NDArray[Any], axis: int) -> npt.NDArray[Any]:
    """The numbers that integers stand for. `step`, `zero`: one for all, or one for each channel along `axis`."""
    if step.size > 1:
        shape = [1] * stored.ndim
        shape[axis] = -1
        step, zero = step.reshape(shape), zero.reshape(shape)
    return (stored.astype(np.float64) - zero.astype(np.float64)) * step.astype(np.float64)


def module_of(node: str) -> str:
    """The module whose convolution a node of the exported net is: `/fine/first/first.0/Conv` is `fine.first.0`."""
    steps = node.strip("/").split("/")[:-1]
    # What lies in a sequence is named after it, and after all sequences about that.
    return ".".join(a for a, b in zip(steps, (*steps[1:], ""), strict=True) if not b.startswith(f"{a}."))
