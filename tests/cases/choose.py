"""Chooses cases: of many that were cut, those that are read worse as soon as a rule decides otherwise.

    python -m tests.cases.choose CUT LINES PACKAGE    which cases fail without which rule: one JSON object a line
    python -m tests.cases.choose CUT LINES take COUNT OUT    copies those that together protect the most rules

Every rule of `following` and `shots` is a switch (`tests/bench/switches.py`), every constant has a scale. A rule is
held the other way, and the cases in which it decided the rarer way are read again. PACKAGE: `following` or `shots`.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.bench.switches import Switchboard

BOARD = Switchboard()
PACKAGES = {"shots": "controller.shots", "following": "controller.vision.following"}
BY = (0.7, 1.3)
"""What a constant is multiplied by."""
TRIED = 20
"""So many cases in which a rule decided the rarer way are read again."""
ENOUGH = 4
"""Cases that fail without a rule, after which no more are looked for."""
LONGEST_S = 10.0
"""Who needs longer without a rule cannot do without it."""


class Cut:
    """A case as it was cut, explained once as the packages are."""

    def __init__(self, file: Path) -> None:
        from tests.cases.reader import Recorded, name_of

        self.name = name_of(file)
        self._recorded = Recorded(file.read_bytes(), self.name)
        self._lines = self._recorded.lines()
        self._case = self._recorded.case(self._lines)

    def worse(self, following: bool) -> bool:
        """Whether it is read worse than is wanted of it as `following` is now, or else `shots`."""
        from controller.table.evidence.case import play
        from tests.cases.cut import BOOKS

        signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
        try:
            lines = self._recorded.lines() if following else self._lines
            if following and lines == self._lines:
                return False
            case = self._recorded.case(lines) if following else self._case
            return not play(case, BOOKS).as_good_as(case.want)
        except Exception:
            return True
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _too_long(*_: Any) -> None:
    raise TimeoutError


def protects(cut: Path, package: str) -> Iterator[dict[str, Any]]:
    """Yields for each rule of a package which cases fail without it."""
    BOARD.install(PACKAGES[package])
    signal.signal(signal.SIGALRM, _too_long)
    rng = Random(0)
    cases = [Cut(file) for file in sorted(cut.glob("*.json.gz"))]
    rng.shuffle(cases)
    decided: dict[tuple[int, bool], list[Cut]] = {}
    used: dict[tuple[str, str], list[Cut]] = {}
    for case in cases:
        BOARD.reset()
        case.worse(package == "following")
        for way, counted in ((True, BOARD.on), (False, BOARD.off)):
            for number in counted:
                decided.setdefault((number, way), []).append(case)
        for constant in BOARD.used:
            used.setdefault(constant, []).append(case)

    def failing(some: list[Cut]) -> list[str]:
        found: list[str] = []
        for case in some[:TRIED]:
            if case.worse(package == "following"):
                found.append(case.name)
            if len(found) == ENOUGH:
                break
        return found

    for number, switch in enumerate(BOARD.switches):
        on, off = decided.get((number, True), []), decided.get((number, False), [])
        for way, some, other in ((True, on, off), (False, off, on)):
            if some and len(some) <= max(len(other), len(cases) // 2):
                BOARD.held[number] = not way
                rule = f"{switch} {'off' if way else 'on'}"
                yield {"rule": rule, "rare": len(some), "fails": failing(some)}
                BOARD.held.clear()
    for constant, some in sorted(used.items()):
        for by in BY:
            BOARD.scaled[constant] = by
            rule = f"{constant[0].rpartition('.')[2]}.{constant[1]} × {by:g}"
            yield {"rule": rule, "rare": len(some), "fails": failing(some)}
            BOARD.scaled.clear()


def take(cut: Path, lines: Path, count: int, out: Path) -> None:
    """Copies the cases that protect the most: each time the one that fails without most rules not yet protected.

    Where all are protected by fewer, stretches without a stroke are added by lot: what is wrongly told is protected by
    no rule alone.
    """
    from tests.cases.reader import name_of

    protected: dict[str, set[str]] = {}
    for line in map(json.loads, lines.read_text().splitlines()):
        for name in line["fails"]:
            protected.setdefault(name, set()).add(line["rule"])
    rest, done = dict(protected), set[str]()
    out.mkdir(parents=True, exist_ok=True)
    taken: list[str] = []
    while rest and len(taken) < count:
        taken.append(max(sorted(rest), key=lambda one: (len(rest[one] - done), len(rest[one]))))
        done |= rest.pop(taken[-1])
    idle = sorted({name_of(file) for file in cut.glob("*-before.json.gz")} - protected.keys())
    taken += Random(0).sample(idle, min(len(idle), count - len(taken)))
    for name in taken:
        shutil.copyfile(cut / f"{name}.json.gz", out / f"{name}.json.gz")
    print(f"{len(done)} of {len(set().union(*protected.values()))} rules protected")


def main(words: list[str]) -> None:
    """Does what is asked for."""
    match words:
        case [cut, lines, "take", count, out]:
            take(Path(cut), Path(lines), int(count), Path(out))
        case [cut, lines, package]:
            with Path(lines).open("w") as file:
                for line in protects(Path(cut), package):
                    print(json.dumps(line), file=file, flush=True)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
