"""The documented command, as a person types it; each question is answered with Enter."""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.stages.common import CARROM, CONFIG, INSTALL, Place, active, documented, type_install, wanted


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    vm.boot()
    began = vm.uptime()
    command = documented(INSTALL)
    said = type_install(vm).text
    wanted("Next: carrom check" in said, "it ends with what to do next", said)
    yield f"{command}: {vm.uptime() - began:.0f} s"
    yield active(vm)
    check = vm.ask(f"{CARROM} check {CONFIG}").text
    for well in ("ok    match: icf", "ok    broker: localhost:1883", "ok    broker's rights", "ok    umpire's page"):
        wanted(well in check, f"carrom check says {well}", check)
    for missing in ("fail  calibration", "fail  pocket node"):
        wanted(f"{missing}: " in check and "Fix:" in check, f"carrom check says {missing} and how to fix it", check)
    yield f"carrom check without devices: {check.count('fail  ')} failures, each with its fix"
    vm.off()
