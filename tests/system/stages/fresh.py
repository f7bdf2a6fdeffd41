"""The image, and that nothing of ours is in it."""

from __future__ import annotations

from collections.abc import Iterator

from tests.system.stages.common import Place, everything, unpack, wanted


def stage(place: Place) -> Iterator[str]:
    """See above."""
    vm = place.vm
    yield f"a fresh Debian starts in {vm.boot():.0f} s"
    for trace in ("carrom", "mosquitto"):
        found = vm.ask(f"find / -xdev -iname '*{trace}*' -not -path '/sys/*' -not -path '/usr/share/*'").text
        wanted(not found, f"nothing named {trace} is there", found)
    unpack(vm)
    (place.folder / "before.txt").write_text(everything(vm))
    vm.off()
