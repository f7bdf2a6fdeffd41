"""Lines of a GPIO chip through libgpiod v2. The chip is found by its label: its number changed with a kernel update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

from controller.events.errors import DeviceError
from controller.pockets.gpio_port import LineEdge

BUFFER = 256
"""Edges the kernel keeps for us; its own choice of 16 a line is soon full when beams bounce."""


def find_chip(gpiod: ModuleType, label: str) -> str:
    """Returns the device of the chip with that label. Raises DeviceError naming the labels there are."""
    labels = []
    for device in sorted(Path("/dev").glob("gpiochip*")):
        try:
            with gpiod.Chip(str(device)) as chip:
                found = chip.get_info().label
        except OSError as error:
            labels.append(f"{device.name} ({error.strerror})")
            continue
        if found == label:
            return str(device)
        labels.append(found)
    there = ", ".join(labels) or "none at all"
    raise DeviceError(f"no GPIO chip with the label {label}; there is {there}. Fix: set [pockets] chip")


class GpiodLines:
    """A `LineSource` on real lines: both edges, pull-ups, no debounce, the monotonic clock."""

    def __init__(self, label: str, lines: Sequence[int]) -> None:
        self._label = label
        self._wanted = tuple(lines)
        self._request: Any = None
        self._gpiod: Any = None

    def open(self) -> None:
        """Asks for the lines. Raises DeviceError if there is no such chip or another program has a line."""
        try:
            import gpiod
        except ImportError as error:
            raise DeviceError("the gpiod package is missing. Fix: pip install carrom-umpire[pi]") from error
        self._gpiod = gpiod
        device = find_chip(gpiod, self._label)
        line = gpiod.line
        settings = gpiod.LineSettings(
            direction=line.Direction.INPUT,
            edge_detection=line.Edge.BOTH,
            bias=line.Bias.PULL_UP,
            event_clock=line.Clock.MONOTONIC,
            debounce_period=timedelta(0),
        )
        try:
            self._request = gpiod.request_lines(
                device, consumer="carrom", config={self._wanted: settings}, event_buffer_size=BUFFER
            )
        except (OSError, ValueError) as error:
            raise DeviceError(f"{device}: lines {list(self._wanted)} cannot be had: {error}") from error

    def wait(self, timeout_s: float) -> Sequence[LineEdge]:
        """Returns the edges that came, at most after `timeout_s`."""
        rising = self._gpiod.EdgeEvent.Type.RISING_EDGE
        try:
            if not self._request.wait_edge_events(timedelta(seconds=timeout_s)):
                return ()
            return [
                LineEdge(event.line_offset, event.event_type is rising, event.timestamp_ns, event.global_seqno)
                for event in self._request.read_edge_events()
            ]
        except OSError as error:
            raise DeviceError(f"the GPIO chip {self._label} is gone: {error}") from error

    def levels(self) -> Mapping[int, bool]:
        """Returns which lines are high."""
        active = self._gpiod.line.Value.ACTIVE
        try:
            values = self._request.get_values(self._wanted)
        except OSError as error:
            raise DeviceError(f"the GPIO chip {self._label} is gone: {error}") from error
        return {line: value is active for line, value in zip(self._wanted, values, strict=True)}

    def close(self) -> None:
        """Gives the lines back."""
        if self._request is not None:
            self._request.release()
            self._request = None
