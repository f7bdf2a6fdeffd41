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


class SimulatedPins:
    """Pins that are not there: a test or the demo looks at `outputs` and presses with `hold` and `release`."""

    def __init__(self) -> None:
        self.outputs: dict[int, bool] = {}
        self._inputs: dict[int, bool] = {}
        self.written: list[tuple[int, bool]] = []

    def open(self, outputs: Sequence[int], inputs: Sequence[int]) -> None:
        """Takes the lines."""
        self.outputs = dict.fromkeys(outputs, False)
        self._inputs = dict.fromkeys(inputs, True)

    def write(self, line: int, high: bool) -> None:
        """Sets an output and remembers that it was set."""
        if line not in self.outputs:
            raise KeyError(line)
        self.outputs[line] = high
        self.written.append((line, high))

    def read(self) -> Mapping[int, bool]:
        """Returns which inputs are high."""
        return dict(self._inputs)

    def hold(self, line: int) -> None:
        """Presses a button, which pulls its line low."""
        self._inputs[line] = False

    def release(self, line: int) -> None:
        """Lets it go."""
        self._inputs[line] = True

    def close(self) -> None:
        """Sets the outputs low."""
        for line in self.outputs:
            self.outputs[line] = False
