"""What the system test types stands in the build guide, and nothing is typed that only begins like it."""

from __future__ import annotations

import pytest

from tests.system.machine import MachineError
from tests.system.stages.common import ARE_UP, CALIBRATE, INSTALL, REMOVE, documented


def test_a_command_that_reads_just_so_is_taken_before_a_longer_one() -> None:
    assert documented(INSTALL) == INSTALL
    assert documented(CALIBRATE) == CALIBRATE
    assert documented(REMOVE) == REMOVE


def test_a_longer_command_is_typed_whole() -> None:
    assert documented(ARE_UP) == "systemctl is-active carrom carrom-eyes mosquitto"


def test_what_is_not_in_the_guide_is_not_typed() -> None:
    with pytest.raises(MachineError, match="has no command"):
        documented("sudo rm")
