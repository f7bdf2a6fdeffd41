"""`make test-system`: builds the image once, runs the stages, each from the disk that the one before left.

`--only STAGE` runs one from the disk that the last run of the one before left. Needs root (debootstrap),
qemu-system-x86 and debootstrap. The log goes to standard output and into the folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from tests.system.image import base_image, source_disk
from tests.system.machine import MachineError, VirtualMachine, copy_of
from tests.system.stages import STAGES, Place

FOLDER = Path.home() / ".cache/carrom-system"


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0 if every stage passed."""
    parser = argparse.ArgumentParser(prog="tests.system", description="The system test in a virtual machine.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where image, disks and log lie")
    parser.add_argument("--only", choices=tuple(STAGES), action="append", help="this stage, from the disk before it")
    args = parser.parse_args(argv)
    missing = [name for name in ("qemu-system-x86_64", "debootstrap", "mke2fs") if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        print(f"tests.system: needs root and {', '.join(missing) or 'nothing more'}. Mend: scripts/test-packages soak")
        return 2
    folder: Path = args.folder
    folder.mkdir(parents=True, exist_ok=True)
    image = base_image(folder)
    stick = source_disk(folder)
    disk, before = folder / "disk.img", image.disk
    with (folder / "log.txt").open("a", buffering=1) as log, VirtualMachine(image, disk, stick, folder) as vm:
        place = Place(vm, folder)
        for name, stage in STAGES.items():
            after = folder / f"after-{name}.img"
            if args.only and name not in args.only:
                before = after if after.exists() else before
                continue
            copy_of(before, disk)
            began = time.monotonic()
            try:
                for line in stage(place):
                    tell(log, f"{name}: {line}")
            except MachineError as error:
                tell(log, f"{name}: FAILED after {time.monotonic() - began:.0f} s of this machine: {error}")
                return 1
            tell(log, f"{name}: passed, {time.monotonic() - began:.0f} s of this machine")
            before = copy_of(disk, after)
    return 0


def tell(log: TextIO, line: str) -> None:
    """Says a line here and in the log."""
    for stream in (sys.stdout, log):
        print(line, file=stream, flush=True)


if __name__ == "__main__":
    sys.exit(main())
