"""The installer is interrupted in three places, then `--remove` is typed: nothing is left.

Twice the power is cut while Debian's packages are unpacked: Python's own, without which the installer cannot run, and
the broker's. Then it is killed while it makes the program's environment.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.machine import VirtualMachine
from tests.system.stages.common import HOME, Place, take_off, unpacked, wanted

UNIT = "typed"
REMOVE = f"su - member -c 'cd {HOME}/carrom && sudo ./install --remove'"
HALF = "unpacked|half-installed|half-configured|triggers"


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm, before = unpacked(place)
    for package in ("python3-minimal", "mosquitto"):
        begin(vm)
        state = vm.until(f"dpkg-query -W -f='${{db:Status-Status}}' {package} 2>&1", HALF, 300, pause_s=0.1)
        vm.cut()
        vm.boot()
        begun = vm.ask("dpkg --audit").text.count("\n ")
        yield f"power cut while {package} was {state}: {begun} packages half there"
        take_off(vm, before, REMOVE)
        yield "then --remove: no file, user, group or package is left"
    begin(vm)
    vm.until("ls -d /opt/carrom/versions/*/venv/lib/python3*/site-packages/pip 2>&1", "^/opt", 300)
    vm.run(f"systemctl kill -s KILL {UNIT}")
    wanted(not vm.ask("ls /opt/carrom/versions/*/complete").text.startswith("/"), "it was not done", "")
    take_off(vm, before, REMOVE)
    yield "killed while it made the program's environment, then --remove: no file, user, group or package is left"
    vm.off()


def begin(vm: VirtualMachine) -> None:
    """Starts the installer; all its processes are in one unit, so that they can be killed together."""
    at = f"--working-directory={HOME}/carrom --uid=member"
    vm.run(f"systemd-run -q --collect --unit={UNIT} {at} sudo ./install --yes")
