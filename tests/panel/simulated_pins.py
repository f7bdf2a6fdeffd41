"""Pins that are not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class SimulatedPins:
    """A test examines `outputs` and presses with `hold` and `release`."""

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
