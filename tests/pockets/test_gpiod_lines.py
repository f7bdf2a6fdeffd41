"""The line source on libgpiod: what it asks the kernel for, and how it takes an answer. The kernel is a stand-in."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import gpiod
import pytest

from controller.events.errors import DeviceError
from controller.pockets import gpiod_lines
from controller.pockets.gpio_port import LineEdge
from controller.pockets.gpiod_lines import GpiodLines, find_chip


class Kernel:
    """gpiod's own enums and settings over a chip that is not there."""

    line, LineSettings, EdgeEvent = gpiod.line, gpiod.LineSettings, gpiod.EdgeEvent

    def __init__(self) -> None:
        self.asked = None
        self.events: list[SimpleNamespace] = []
        self.gone = False

    def request_lines(self, device, consumer, config, event_buffer_size):
        self.asked = (device, config, event_buffer_size)
        return self

    def wait_edge_events(self, timeout):
        assert isinstance(timeout, timedelta)
        if self.gone:
            raise OSError(19, "No such device")
        return bool(self.events)

    def read_edge_events(self):
        events, self.events = self.events, []
        return events

    def get_values(self, lines):
        return [gpiod.line.Value.ACTIVE if line % 2 else gpiod.line.Value.INACTIVE for line in lines]

    def release(self): ...


@pytest.fixture
def kernel(monkeypatch):
    kernel = Kernel()
    monkeypatch.setitem(__import__("sys").modules, "gpiod", kernel)
    monkeypatch.setattr(gpiod_lines, "find_chip", lambda library, label: "/dev/gpiochip4")
    return kernel


def test_it_asks_for_both_edges_undebounced_on_the_monotonic_clock(kernel):
    lines = GpiodLines("pinctrl-rp1", [4, 5])
    lines.open()
    device, config, buffer = kernel.asked
    (settings,) = config.values()
    assert (device, tuple(config), buffer) == ("/dev/gpiochip4", ((4, 5),), 256)
    assert settings.edge_detection is gpiod.line.Edge.BOTH
    assert settings.event_clock is gpiod.line.Clock.MONOTONIC
    assert settings.bias is gpiod.line.Bias.PULL_UP
    assert settings.debounce_period == timedelta(0)
    assert lines.levels() == {4: False, 5: True}


def test_edges_carry_the_kernels_time_and_number(kernel):
    lines = GpiodLines("pinctrl-rp1", [4])
    lines.open()
    assert lines.wait(0) == ()
    rising, falling = gpiod.EdgeEvent.Type.RISING_EDGE, gpiod.EdgeEvent.Type.FALLING_EDGE
    for number, kind in enumerate((rising, falling), 1):
        kernel.events.append(
            SimpleNamespace(line_offset=4, event_type=kind, timestamp_ns=number * 10, global_seqno=number)
        )
    assert lines.wait(0) == [LineEdge(4, True, 10, 1), LineEdge(4, False, 20, 2)]


def test_a_chip_that_goes_away_is_a_device_error(kernel):
    lines = GpiodLines("pinctrl-rp1", [4])
    lines.open()
    kernel.gone = True
    with pytest.raises(DeviceError, match="is gone"):
        lines.wait(0)
    lines.close()
    lines.close()


def test_a_missing_chip_is_named_with_the_way_out():
    with pytest.raises(DeviceError, match="no GPIO chip with the label nobody") as error:
        find_chip(gpiod, "nobody")
    assert "Fix:" in str(error.value)
