"""What is lived through in the virtual machine, one stage after another; each leaves a disk that the next starts from.

A stage is a module whose `stage` returns lines for the log. What does not hold raises, and the log ends there.
"""

from __future__ import annotations

from tests.system.stages import (
    calibration,
    devices,
    fresh,
    install,
    match,
    power_cuts,
    removal,
    upgrade,
    watchdog,
)
from tests.system.stages.common import Place, Stage

__all__ = ["STAGES", "Place", "Stage"]

STAGES: dict[str, Stage] = {
    module.__name__.rpartition(".")[2]: module.stage
    for module in (fresh, install, watchdog, calibration, devices, match, power_cuts, upgrade, removal)
}
