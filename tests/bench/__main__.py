"""`make bench`: runs the bench modules (all, or those named in ARGS) and prints their figures as they come.

Each module `bench_NAME.py` offers `run(long: bool) -> Iterable[Figure]`; some take parts, named as `NAME:part`.
Exits 0: a figure that is not reached is printed as it is, not hidden behind an exit code. ARGS="--strict" exits 1 if
any figure with a limit is missed.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from tests.bench.figure import Figure


def main() -> int:
    names = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"some of: {', '.join(names)}")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    parts: dict[str, list[str]] = {}
    for word in args.rooms or names:
        room, _, part = word.partition(":")
        parts.setdefault(room, []).extend([part] if part else [])
    unknown = set(parts) - set(names)
    if unknown:
        parser.error(f"no bench named {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    missed = 0
    for name, wanted in parts.items():
        began = time.monotonic()
        print(f"\n== {name}", flush=True)
        run = importlib.import_module(f"tests.bench.bench_{name}").run
        for figure in run(args.long, tuple(wanted)) if wanted else run(args.long):
            print(line(figure), flush=True)
            missed += figure.reached is False
        print(f"   ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"\n{missed} figures short of their limit")
    return 1 if args.strict and missed else 0


def line(figure: Figure) -> str:
    """Writes one figure on one line."""
    mark = {True: "ok   ", False: "SHORT", None: "     "}[figure.reached]
    wanted = f"  (wanted {figure.wanted})" if figure.wanted else ""
    note = f"  — {figure.note}" if figure.note else ""
    return f"{mark} [{figure.source}] {figure.name}: {figure.value}{wanted}{note}"


if __name__ == "__main__":
    sys.exit(main())
