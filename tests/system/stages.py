"""What is lived through in the virtual machine, one stage after another; each leaves a disk that the next starts from.

A stage returns lines for the log. What does not hold raises, and the log ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.system.machine import MachineError, VirtualMachine

HOME = "/home/member"
CARROM = "/opt/carrom/.venv/bin/carrom"
CONFIG = "--config /etc/carrom/carrom.toml"
TABLE = ("carrom.service", "carrom-eyes.service", "mosquitto.service")
WATCHED = {"carrom.service": 10, "carrom-eyes.service": 5}
"""Service → its WatchdogSec."""
STEADY_S = 20
WRITTEN = (
    "/proc",
    "/sys",
    "/dev",
    "/run",
    "/tmp",
    "/var/tmp",
    "/var/log",
    "/var/cache",
    "/var/lib/apt",
    "/var/lib/systemd",
    "/var/lib/dpkg",
    "/home",
)
"""Folders that a running system writes in by itself; packages are compared by dpkg's own list."""


@dataclass(frozen=True, slots=True)
class Place:
    """The machine at work, and where what is seen of it is kept."""

    vm: VirtualMachine
    folder: Path


Stage = Callable[[Place], Iterator[str]]


def fresh(place: Place) -> Iterator[str]:
    """The image, and that nothing of ours is in it."""
    vm = place.vm
    yield f"a fresh Debian starts in {vm.boot():.0f} s"
    for trace in ("carrom", "mosquitto"):
        found = vm.ask(f"find / -xdev -iname '*{trace}*' -not -path '/sys/*' -not -path '/usr/share/*'").text
        wanted(not found, f"nothing named {trace} is there", found)
    vm.run(f"tar -xf /dev/vdb -C {HOME} && chown -R member: {HOME}")
    (place.folder / "before.txt").write_text(everything(vm))
    vm.off()


def install(place: Place) -> Iterator[str]:
    """The documented command, as a person types it; each question is answered with Enter."""
    vm = place.vm
    vm.boot()
    began = vm.uptime()
    said = vm.run("su - member -c 'cd carrom && sudo ./install'").text
    wanted("Next: carrom check" in said, "it ends with what to do next", said)
    yield f"sudo ./install: {vm.uptime() - began:.0f} s"
    yield active(vm)
    check = vm.ask(f"{CARROM} check {CONFIG}").text
    for well in ("ok    match: icf", "ok    broker: localhost:1883", "ok    broker's rights", "ok    umpire's page"):
        wanted(well in check, f"carrom check says {well}", check)
    for missing in ("fail  calibration", "fail  pocket node"):
        wanted(f"{missing}: " in check and "Mend:" in check, f"carrom check says {missing} and how to mend it", check)
    yield f"carrom check without devices: {check.count('fail  ')} failures, each with its mend"
    vm.off()


def watchdog(place: Place) -> Iterator[str]:
    """A hung daemon, and hung eyes, are started anew, and by nothing but the watchdog."""
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


def removal(place: Place) -> Iterator[str]:
    """The documented command takes off all that came."""
    vm = place.vm
    vm.boot()
    vm.run("sudo /opt/carrom/current/source/install --remove")
    left = sorted(set(everything(vm).splitlines()) - set((place.folder / "before.txt").read_text().splitlines()))
    (place.folder / "left.txt").write_text("\n".join(left))
    wanted(not left, "nothing is left", "\n".join(left[:40]))
    failed = vm.run("systemctl --failed --no-legend").text
    wanted(not failed, "no unit has failed", failed)
    yield "removed: no file, user, group or package is left"
    vm.off()


STAGES: dict[str, Stage] = {stage.__name__: stage for stage in (fresh, install, watchdog, removal)}

# what the stages have in common ---------------------------------------------------------------------------------------


def wanted(holds: bool, what: str, seen: str) -> None:
    if not holds:
        raise MachineError(f"not so: {what}. Seen: {seen[-3000:]}")


def active(vm: VirtualMachine, restarts: str = "0") -> str:
    """Waits until the services are up, each started anew so many times; returns what they say."""
    began = vm.uptime()
    vm.until(f"systemctl is-active {' '.join(TABLE)}", r"^active\nactive\nactive$", 120)
    status = vm.run("systemctl show -p StatusText --value carrom carrom-eyes").text.split("\n")
    counts = [shown(vm, service)["NRestarts"] for service in WATCHED]
    wanted(counts == [restarts] * len(WATCHED), f"each was started anew {restarts} times", str(counts))
    return f"active within {vm.uptime() - began:.0f} s: {'; '.join(line for line in status if line)}"


def shown(vm: VirtualMachine, service: str) -> dict[str, str]:
    text = vm.run(f"systemctl show -p NRestarts,MainPID,ActiveState {service}").text
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def everything(vm: VirtualMachine) -> str:
    """Every file, user, group and package of the machine, without what a running system writes by itself."""
    pruned = " -o ".join(f"-path {folder}" for folder in WRITTEN)
    lines = vm.run(f"find / \\( {pruned} \\) -prune -o -print").text
    named = "for kind in passwd group; do sed s/^/$kind:/ /etc/$kind; done"
    packages = vm.run(f"dpkg-query -W -f='package ${{Package}} ${{db:Status-Status}}\\n'; {named}").text
    return f"{lines}\n{packages}"
