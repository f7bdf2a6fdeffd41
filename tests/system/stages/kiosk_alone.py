"""A screen alone: browser and compositor come, no umpire and no broker. This machine has no screen to show it on."""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.stages.common import Place, take_off, type_install, unpacked, wanted

PAGE = "http://table1.local:8080/"
ALONE = " --no-table --kiosk"
UNIT = "carrom-kiosk.service"


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm, before = unpacked(place)
    said = vm.ask(f"su - member -c 'cd carrom && sudo ./install{ALONE}'")
    wanted(said.code == 2, "without a page it is refused", said.text)
    wanted("Fix: --kiosk --page" in said.text.splitlines()[-1], "and told in one line how to fix it", said.text)
    yield f"sudo ./install{ALONE}: refused, {said.text.splitlines()[-1]}"
    began = vm.uptime()
    said = type_install(vm, f"{ALONE} --page {PAGE}")
    yield f"sudo ./install{ALONE} --page {PAGE}: {vm.uptime() - began:.0f} s"
    wanted(vm.run(f"systemctl is-enabled {UNIT}").text == "enabled", "it starts with the machine", said.text)
    for absent in ("/etc/mosquitto", "/opt/carrom/.venv/bin/carrom", "/etc/carrom/carrom.toml"):
        wanted(bool(vm.ask(f"test -e {absent}").code), f"no {absent}", said.text)
    vm.until(f"systemctl is-active {UNIT}", "^active$", 60)
    shown = vm.run(f"systemctl show -p User,StandardInput,Result,NRestarts {UNIT}; cat /etc/carrom/kiosk.env").text
    wanted(f"CARROM_PAGE={PAGE}" in shown, "it shows the page that was named", shown)
    yield f"{UNIT} is enabled with that page, and active; what a screen would show is not looked at"
    take_off(vm, before)
    yield "removed: no file, user, group or package is left"
    vm.off()
