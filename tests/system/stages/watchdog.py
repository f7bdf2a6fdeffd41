"""A hung daemon, and hung eyes, are started anew, and by nothing but the watchdog."""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.stages.common import WATCHED, Place, active, shown, wanted

STEADY_S = 20


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    vm.boot()
    yield active(vm)
    for service, limit in WATCHED.items():
        before = shown(vm, service)
        vm.run(f"sleep {STEADY_S}")
        steady = shown(vm, service)
        wanted(before == steady, f"{service} runs steadily for {STEADY_S} s", f"{before} {steady}")
        vm.run(f"kill -STOP {steady['MainPID']}")
        since = vm.uptime()
        vm.until(f"systemctl show -p NRestarts {service}", f"NRestarts={int(steady['NRestarts']) + 1}$", 120)
        after = shown(vm, service)
        wanted(after["MainPID"] != steady["MainPID"], f"{service} has a new process", str(after))
        log = vm.run(f"journalctl --no-pager -o cat -u {service} -n 30").text
        wanted("Watchdog timeout" in log, "systemd says that it was the watchdog", log)
        wanted("Failed with result 'watchdog'" in log, "its result is watchdog", log)
        yield f"{service} halted: watchdog ({limit} s), running anew after {vm.uptime() - since:.0f} s"
    yield active(vm, "1")
    vm.off()
