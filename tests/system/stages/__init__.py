"""What is lived through in the virtual machine, one stage after another; each leaves a disk that the next starts from.

A stage is a module whose `stage` returns lines for the log. What does not hold raises, and the log ends there.
"""

from __future__ import annotations

from tests.system.stages import (
    calibration,
    devices,
    foreign_broker,
    fresh,
    install,
    interrupted,
    kiosk_alone,
    match,
    power_cuts,
    removal,
    upgrade,
    watchdog,
)
from tests.system.stages.common import Place, Stage

__all__ = ["STAGES", "Place", "Stage", "stages_of", "upon"]

CHAIN = (fresh, install, watchdog, calibration, devices, match, power_cuts, upgrade, removal)
APART = (foreign_broker, kiosk_alone, interrupted)
"""Each starts from the fresh machine."""
NEWER = (fresh, install, calibration, devices, match, removal)
"""What is lived through on Debian 13, too."""
STAGES: dict[str, Stage] = {module.__name__.rpartition(".")[2]: module.stage for module in (*CHAIN, *APART)}


def stages_of(debian: str) -> list[str]:
    """Returns the names of this Debian's stages, in their order."""
    wanted = [module.stage for module in (NEWER if debian == "13" else (*CHAIN, *APART))]
    return [name for name, stage in STAGES.items() if stage in wanted]


def upon(name: str, debian: str) -> str:
    """Returns the stage whose disk this one starts from, empty for the first."""
    names = stages_of(debian)
    at = names.index(name)
    apart = STAGES[name] in [module.stage for module in APART]
    return names[0] if apart else names[at - 1] if at else ""
