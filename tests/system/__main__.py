"""`make test-system`: builds each Debian's image once, runs the stages, each upon the disk that the one before left.

`--debian 13` is that one alone; `--only STAGE` runs one upon what the last run of the one before left; `--from STAGE`
that one and those after it. A stage's disk is a layer of its own, so that none is copied. Needs root (debootstrap),
qemu-system-x86, qemu-utils and debootstrap. The log goes to standard output and into the Debian's folder.
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

from tests.system.image import SUITES, base_image, source_disk
from tests.system.machine import MachineError, VirtualMachine, layer
from tests.system.stages import STAGES, Place, stages_of, upon

FOLDER = Path.home() / ".cache/carrom-system"
PORTS = (1883, 8080)
"""The table's broker and its pages."""


def main(argv: Sequence[str] | None = None) -> int:
    """Returns 0 if every stage passed."""
    parser = argparse.ArgumentParser(prog="tests.system", description="The system test in a virtual machine.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where images, disks and logs lie")
    parser.add_argument("--debian", choices=tuple(SUITES), help="on this Debian alone")
    parser.add_argument("--only", choices=tuple(STAGES), action="append", help="this stage, upon the one before it")
    parser.add_argument("--from", choices=tuple(STAGES), dest="first", help="this stage and those after it")
    args = parser.parse_args(argv)
    needed = ("qemu-system-x86_64", "qemu-img", "debootstrap", "mke2fs")
    missing = [name for name in needed if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        print(f"tests.system: needs root and {', '.join(missing) or 'nothing more'}. Fix: scripts/test-packages soak")
        return 2
    failed = False
    for debian in [args.debian] if args.debian else SUITES:
        names = stages_of(debian)
        later = names[names.index(args.first) if args.first in names else 0 :]
        failed |= not lived_through(debian, args.folder, [name for name in args.only or later if name in names])
    return int(failed)


def lived_through(debian: str, root: Path, chosen: Sequence[str]) -> bool:
    """Runs these stages on one Debian, up to the first that fails. Returns whether all passed."""
    folder = root / f"debian{debian}"
    folder.mkdir(parents=True, exist_ok=True)
    image = base_image(folder, SUITES[debian])
    stick = source_disk(folder)
    with (folder / "log.txt").open("a", buffering=1) as log:
        tell(log, f"Debian {debian}, begun {time.strftime('%Y-%m-%d %H:%M')}: {', '.join(chosen)}")
        for name in chosen:
            below = upon(name, debian)
            before = disk(folder, below) if below else image.disk
            if not before.exists():
                tell(log, f"{name}: {before} is not there. Fix: run the stage before it")
                return False
            began = time.monotonic()
            with VirtualMachine(image, layer(before, disk(folder, name)), stick, folder, PORTS) as vm:
                try:
                    for line in STAGES[name](Place(vm, folder)):
                        tell(log, f"{name}: {line}")
                except MachineError as error:
                    tell(log, f"{name}: FAILED after {time.monotonic() - began:.0f} s of this machine: {error}")
                    return False
            tell(log, f"{name}: passed, {time.monotonic() - began:.0f} s of this machine")
    return True


def disk(folder: Path, name: str) -> Path:
    """Where a stage's disk lies."""
    return folder / f"{name}.qcow2"


def tell(log: TextIO, line: str) -> None:
    """Says a line here and in the log."""
    for stream in (sys.stdout, log):
        print(line, file=stream, flush=True)


if __name__ == "__main__":
    sys.exit(main())
