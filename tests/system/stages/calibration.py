"""A camera is plugged in, and somebody calibrates it as the build guide says: does what is asked, looks at `check`."""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.stages.at_table import LOOK, devices, show
from tests.system.stages.common import CALIBRATE, CARROM, CONFIG, Place, active, documented, unpack, up, wanted
from tests.vision.volunteer import Volunteer

SAID = "/tmp/calibrate.log"


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    vm.boot()
    up(vm)
    unpack(vm)
    command = documented(CALIBRATE)
    with devices(vm, "camera") as line:
        named = vm.until("readlink -f /dev/carrom/camera", "^/dev/video", 20)
        yield f"a USB camera: {named}, by the udev rule /dev/carrom/camera"
        volunteer, shown = Volunteer(LOOK), 0
        show(line, volunteer.frame(), shown)
        began = vm.uptime()
        # A terminal would show each line at once; a file has to be told to.
        typed = command.replace("sudo ", "sudo PYTHONUNBUFFERED=1 PYTHONFAULTHANDLER=1 ", 1)
        vm.run(f"( nohup {typed} > {SAID} 2>&1 < /dev/null; echo ended $? >> {SAID} ) &")
        while not volunteer.done.is_set():
            said = vm.until(f"tail -n +{len(volunteer.said) + 1} {SAID}", r"\S", 600)
            for one in said.splitlines():
                volunteer.hears(one)
                if one.startswith("→"):
                    shown += 1
                    show(line, volunteer.frame(), shown)
                if one.startswith("ended "):
                    volunteer.done.set()
        wanted(volunteer.said[-1] == "ended 0", "it ends well", "\n".join(volunteer.said))
        asked = sum(one.startswith("→") for one in volunteer.said)
        yield f"{command}: {vm.uptime() - began:.0f} s, {asked} pictures asked for: {volunteer.said[-2].strip()}"
        check = vm.ask(f"{CARROM} check {CONFIG} | grep -i calibration").text
        wanted("ok    calibration" in check, "carrom check says ok calibration", check)
        # The eyes waited for the file, and take it up by themselves.
        yield active(vm)
    vm.off()
