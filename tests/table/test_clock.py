"""The simulated clock's file: read as it is written, and no harm comes of one that is cut short meanwhile."""

from __future__ import annotations

import os

import pytest

from controller.events.errors import ConfigError
from controller.simulator.clock import EPOCH_NS, ClockFile
from controller.table.machine.clock import open_clock


def test_a_clock_that_is_cut_short_stands_still_and_goes_on(tmp_path) -> None:
    file = tmp_path / "clock"
    clock = ClockFile(file)
    now_ns = open_clock(file)
    assert now_ns() == EPOCH_NS
    clock.set(EPOCH_NS + 5)
    assert now_ns() == EPOCH_NS + 5
    for size in (0, 3, 8):
        os.truncate(file, 0)
        os.truncate(file, size)
        assert now_ns() == EPOCH_NS + 5
    clock.set(EPOCH_NS + 9)
    assert now_ns() == EPOCH_NS + 9
    clock.close()


@pytest.mark.parametrize("harm", [lambda file: file.unlink(), lambda file: os.truncate(file, 3)])
def test_no_clock_is_one_line(tmp_path, harm) -> None:
    file = tmp_path / "clock"
    ClockFile(file).close()
    harm(file)
    with pytest.raises(ConfigError, match=r"no simulated clock there.*Fix: "):
        open_clock(file)
