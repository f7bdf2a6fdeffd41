"""The lines a panel hangs on: a handful of outputs and inputs, whatever drives them. Knows no lamp and no button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class Pins(Protocol):
    """Outputs and inputs by number. Raises DeviceError from any call if the hardware cannot be used."""

    def open(self, outputs: Sequence[int], inputs: Sequence[int]) -> None:
        """Takes the lines: outputs start low, inputs with a pull-up."""

    def write(self, line: int, high: bool) -> None:
        """Sets an output."""

    def read(self) -> Mapping[int, bool]:
        """Returns which inputs are high."""

    def close(self) -> None:
        """Sets the outputs low and gives the lines back. May be called twice, and without `open`."""
