"""Pins through libgpiod v2, the chip found by its label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.events.errors import DeviceError

PI_HEADER = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""The chip of a Raspberry Pi's header: models 5, 4, and older. Its lines are numbered as the header's (BCM) are."""


def _library() -> Any:
    try:
        import gpiod
    except ImportError as error:
        raise DeviceError("the gpiod package is missing. Fix: pip install carrom-umpire[pi]") from error
    return gpiod


class GpiodPins:
    """`Pins` on the chip that has one of these labels. `library`: a stand-in for gpiod, for tests; `devices`: where
    chips are."""

    def __init__(self, labels: Sequence[str], library: Any = None, devices: Sequence[str] | None = None) -> None:
        self._labels = labels
        self._library = library
        self._devices = devices
        self._request: Any = None
        self._outputs: tuple[int, ...] = ()
        self._inputs: tuple[int, ...] = ()

    def open(self, outputs: Sequence[int], inputs: Sequence[int]) -> None:
        """Takes the lines. Raises DeviceError if there is no such chip or a line is taken."""
        if self._library is None:
            self._library = _library()
        gpiod = self._library
        line = gpiod.line
        self._outputs, self._inputs = tuple(outputs), tuple(inputs)
        config = {}
        if self._outputs:
            config[self._outputs] = gpiod.LineSettings(
                direction=line.Direction.OUTPUT, output_value=line.Value.INACTIVE
            )
        if self._inputs:
            config[self._inputs] = gpiod.LineSettings(direction=line.Direction.INPUT, bias=line.Bias.PULL_UP)
        try:
            self._request = gpiod.request_lines(self._chip(), consumer="carrom-panel", config=config)
        except (OSError, ValueError) as error:
            raise DeviceError(f"panel lines {[*self._outputs, *self._inputs]} cannot be had: {error}") from error

    def _chip(self) -> str:
        devices = self._devices or sorted(str(path) for path in Path("/dev").glob("gpiochip*"))
        for device in devices:
            try:
                with self._library.Chip(device) as chip:
                    if chip.get_info().label in self._labels:
                        return device
            except OSError:
                continue  # a chip that is not ours to open is not ours to use
        raise DeviceError(
            f"no GPIO chip with the label {' or '.join(self._labels)}. Fix: set its label as [pockets] chip and "
            'panel.kind = "gpiod"'
        )

    def write(self, line: int, high: bool) -> None:
        """Sets an output."""
        value = self._library.line.Value
        try:
            self._request.set_value(line, value.ACTIVE if high else value.INACTIVE)
        except OSError as error:
            raise DeviceError(f"panel line {line} cannot be set: {error}") from error

    def read(self) -> Mapping[int, bool]:
        """Returns which inputs are high."""
        if not self._inputs:
            return {}
        active = self._library.line.Value.ACTIVE
        try:
            values = self._request.get_values(self._inputs)
        except OSError as error:
            raise DeviceError(f"panel lines {list(self._inputs)} cannot be read: {error}") from error
        return {line: value is active for line, value in zip(self._inputs, values, strict=True)}

    def close(self) -> None:
        """Sets the outputs low and gives the lines back."""
        if self._request is None:
            return
        for line in self._outputs:
            self.write(line, False)
        self._request.release()
        self._request = None
