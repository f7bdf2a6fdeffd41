"""The documented command takes off all that came."""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.stages.common import Place, take_off


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    vm.boot()
    take_off(vm, (place.folder / "before.txt").read_text())
    yield "removed: no file, user, group or package is left"
    vm.off()
