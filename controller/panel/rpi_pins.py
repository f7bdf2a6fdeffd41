"""Pins through the RPi.GPIO interface, which on today's kernels is its drop-in rpi-lgpio. Numbers are BCM's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from controller.events.errors import DeviceError


def _library() -> ModuleType:
    try:
        from RPi import GPIO
    except (ImportError, RuntimeError) as error:
        raise DeviceError(f"RPi.GPIO cannot be used here: {error}. Fix: pip install carrom-umpire[pi]") from error
    library: ModuleType = GPIO
    return library


def there_is_rpi_gpio() -> bool:
    """Whether this Python has the library. `rpi-lgpio` has no wheel for every one (lgpio: none for 3.13)."""
    return find_spec("RPi") is not None


class RpiPins:
    """`Pins` on the header of a Raspberry Pi. `library`: a stand-in for RPi.GPIO, for tests."""

    def __init__(self, library: Any = None) -> None:
        self._library = library
        self._outputs: tuple[int, ...] = ()
        self._inputs: tuple[int, ...] = ()

    def open(self, outputs: Sequence[int], inputs: Sequence[int]) -> None:
        """Takes the lines. Raises DeviceError where there is no Pi or a line is taken."""
        if self._library is None:
            self._library = _library()
        gpio = self._library
        self._outputs, self._inputs = tuple(outputs), tuple(inputs)
        try:
            gpio.setwarnings(False)
            gpio.setmode(gpio.BCM)
            for line in self._outputs:
                gpio.setup(line, gpio.OUT, initial=gpio.LOW)
            for line in self._inputs:
                gpio.setup(line, gpio.IN, pull_up_down=gpio.PUD_UP)
        except (RuntimeError, ValueError, OSError) as error:
            raise DeviceError(f"panel lines {[*self._outputs, *self._inputs]} cannot be had: {error}") from error

    def write(self, line: int, high: bool) -> None:
        """Sets an output."""
        gpio = self._library
        gpio.output(line, gpio.HIGH if high else gpio.LOW)

    def read(self) -> Mapping[int, bool]:
        """Returns which inputs are high."""
        return {line: bool(self._library.input(line)) for line in self._inputs}

    def close(self) -> None:
        """Sets the outputs low and gives the lines back."""
        if self._library is None or not (self._outputs or self._inputs):
            return
        for line in self._outputs:
            self.write(line, False)
        self._library.cleanup([*self._outputs, *self._inputs])
        self._outputs = self._inputs = ()
