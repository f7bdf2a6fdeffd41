"""What the stages have in common: the place they work in, and what is asked of the machine again and again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.system.machine import MachineError, Said, VirtualMachine

HOME = "/home/member"
CARROM = "/opt/carrom/.venv/bin/carrom"
PYTHON = "/opt/carrom/.venv/bin/python"
SETTINGS = "/etc/carrom/carrom.toml"
CONFIG = f"--config {SETTINGS}"
JOURNAL = "/var/lib/carrom/journal.sqlite"
TABLE = ("carrom.service", "carrom-eyes.service", "mosquitto.service")
INSTALL = "sudo ./install"
CALIBRATE = "sudo carrom calibrate"
REMOVE = "sudo /opt/carrom/current/source/install --remove"
ARE_UP = "systemctl is-active carrom"
"""What the build guide's commands begin with; `documented` has the rest."""
WATCHED = {"carrom.service": 10, "carrom-eyes.service": 5}
"""Service → its WatchdogSec."""
GUIDE = Path(__file__).parents[3] / "docs/build.md"
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


def wanted(holds: bool, what: str, seen: str) -> None:
    """Raises MachineError with what was seen where something does not hold."""
    if not holds:
        raise MachineError(f"not so: {what}. Seen: {seen[-3000:]}")


def documented(start: str) -> str:
    """Returns the command of the build guide that reads so, else the first that starts so. Raises MachineError."""
    said = re.findall(r"`([^`\n]+)`|^ *(sudo [^`\n]+)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    commands = [str(inline or block).strip() for inline, block in said]
    for command in sorted(commands, key=lambda command: command != start):
        if command.startswith(start):
            return command
    raise MachineError(f"{GUIDE.name} has no command that starts with `{start}`")


def active(vm: VirtualMachine, restarts: str = "0") -> str:
    """Waits until the services are up, each started anew so many times; returns what they say."""
    began = vm.uptime()
    up(vm)
    status = vm.run("systemctl show -p StatusText --value carrom carrom-eyes").text.split("\n")
    counts = [shown(vm, service)["NRestarts"] for service in WATCHED]
    log = vm.run(f"journalctl --no-pager -b -o short-monotonic -n 30 {' '.join(f'-u {one}' for one in WATCHED)}").text
    wanted(counts == [restarts] * len(WATCHED), f"each was started anew {restarts} times", f"{counts} {log}")
    return f"active within {vm.uptime() - began:.0f} s: {'; '.join(line for line in status if line)}"


def up(vm: VirtualMachine) -> None:
    """Waits until the services say that they are active, with the command of the build guide."""
    said = documented(ARE_UP)
    vm.until(said, "^" + r"\n".join(["active"] * len(TABLE)) + "$", 120)


def shown(vm: VirtualMachine, service: str) -> dict[str, str]:
    """Returns what systemd says of a service."""
    text = vm.run(f"systemctl show -p NRestarts,MainPID,ActiveState {service}").text
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def everything(vm: VirtualMachine) -> str:
    """Every file, user, group and package of the machine, without what a running system writes by itself."""
    pruned = " -o ".join(f"-path {folder}" for folder in WRITTEN)
    lines = vm.run(f"find / \\( {pruned} \\) -prune -o -print").text
    named = "for kind in passwd group; do sed s/^/$kind:/ /etc/$kind; done"
    packages = vm.run(f"dpkg-query -W -f='package ${{Package}} ${{db:Status-Status}}\\n'; {named}").text
    return f"{lines}\n{packages}"


def unpack(vm: VirtualMachine) -> None:
    """The stick's program, as it stands, in the member's home."""
    vm.run(f"rm -rf {HOME}/carrom && tar -xf /dev/vdb -C {HOME} && chown -R member: {HOME}")


def unpacked(place: Place) -> tuple[VirtualMachine, str]:
    """Starts the machine and unpacks the program; returns it and `everything` of before the install."""
    place.vm.boot()
    unpack(place.vm)
    return place.vm, everything(place.vm)


def type_install(vm: VirtualMachine, options: str = "", answers: Mapping[str, str] | None = None) -> Said:
    """Types the documented command as the member does, in the unpacked copy. Raises MachineError if it fails."""
    return vm.run(f"su - member -c 'cd carrom && {documented(INSTALL)}{options}'", answers=answers)


def take_off(vm: VirtualMachine, before: str, command: str | None = None) -> None:
    """Removes all with the documented command, or this one. `before`: `everything` of before the install.

    Raises MachineError where anything is left, or gone that was there.
    """
    vm.run(command or documented(REMOVE))
    old, new = set(before.splitlines()), set(everything(vm).splitlines())
    seen = f"left {sorted(new - old)[:40]}, gone {sorted(old - new)[:40]}"
    wanted(old == new, "nothing is left and nothing is gone", seen)
    failed = vm.run("systemctl --failed --no-legend").text
    wanted(not failed, "no unit has failed", failed)


def asked_journal(vm: VirtualMachine, query: str) -> str:
    """Asks the journal as its owner, so that no file beside it becomes somebody else's."""
    ask = f'import sqlite3; print(*sqlite3.connect("{JOURNAL}").execute("{query}").fetchone())'
    return vm.run(f"runuser -u carrom -- python3 -c {shlex.quote(ask)}").text
