"""The documented command takes off all that came."""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.stages.common import REMOVE, Place, documented, everything, wanted


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    vm.boot()
    vm.run(documented(REMOVE))
    left = sorted(set(everything(vm).splitlines()) - set((place.folder / "before.txt").read_text().splitlines()))
    (place.folder / "left.txt").write_text("\n".join(left))
    wanted(not left, "nothing is left", "\n".join(left[:40]))
    failed = vm.run("systemctl --failed --no-legend").text
    wanted(not failed, "no unit has failed", failed)
    yield "removed: no file, user, group or package is left"
    vm.off()
