"""Camera and node are pulled out and put back while the table runs: each is missed, said, and taken up again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from controller.simulator.camera import Camera
from controller.simulator.pieces import opening
from controller.simulator.stills import still
from tests.system.stages.at_table import LOOK, await_said, devices, heard, show
from tests.system.stages.common import Place, shown, unpack, up, wanted

TIMES = 2


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    vm.boot()
    up(vm)
    unpack(vm)
    with devices(vm) as line, heard(vm) as ears:
        picture = still(Camera(LOOK, 1), opening(LOOK.pieces, np.random.default_rng(1))).picture
        show(line, picture, 0.0)
        for what in ("camera", "node"):
            line.plug(what)
        await_said("armed", lambda: ears.armed == "armed", ears)
        yield "camera and node plugged in: the table is armed"
        before = [shown(vm, service) for service in ("carrom.service", "carrom-eyes.service")]
        for what in ("camera", "node"):
            for _ in range(TIMES):
                began = vm.uptime()
                line.pull(what)
                await_said(f"{what} away", lambda: ears.armed == "degraded", ears)
                noticed = vm.uptime() - began
                began = vm.uptime()
                line.plug(what)
                await_said(f"{what} back", lambda: ears.armed == "armed", ears)
                back = vm.uptime() - began
                yield f"{what} pulled out: said within {noticed:.1f} s; put back: in use within {back:.1f} s"
        after = [shown(vm, service) for service in ("carrom.service", "carrom-eyes.service")]
        wanted(before == after, "no service was started anew for it", f"{before} {after}")
    vm.off()
