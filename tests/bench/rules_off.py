"""Reads strokes with each rule of the shots room held on or off, and each constant nudged. A process of its own.

`python -m tests.bench.rules_off SEED STROKES TRIES`: so many strokes are read as the room is, drawn one by one with
three rates of faults and played in matches of other boards, friction and restitution; then those in which a rule
decided in its rarer way, TRIES of them at most, are read with the rule held the other way. One JSON object a line: what
a rule is, in how many strokes or matches it decided so (`rare`), how many were tried, how many of them came
out otherwise (`other`) or not at all (`raised`), and by how much silent rulings, false fouls and questions are more
(`harm`). What the eyes err in is only drawn here: a rule for them wants pictures before it is judged.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from random import Random
from typing import Any

from tests.bench.switches import Switchboard

BOARD = Switchboard()
ROOM = "controller.shots"
BY = (0.7, 1.3)
"""What a constant is multiplied by: a figure that hangs on it notices, or it need not be there."""
A_MATCH = 14
BOOKS = ("icf", "club", "campus", "classic", "world-point")


@dataclass(frozen=True)
class Unit:
    """A stroke that is drawn, or the first strokes of a match. `kind`: its rates of faults, or `match`."""

    kind: str
    seed: int


@dataclass(frozen=True)
class Came:
    """What came out: all that was told, and how many strokes were silent, falsely fouled, and questions."""

    told: str
    harm: tuple[int, int, int]


class Strokes:
    """Reads units. Made once the switches are installed."""

    def __init__(self) -> None:
        from tests.bench import refereed
        from tests.shots import judged
        from tests.shots.happenings import HEALTHY, Rates

        books = judged.load_books()
        judged.load_books = lambda: books
        ten = {one.name: min(0.3, 10 * getattr(Rates(), one.name)) for one in fields(Rates)}
        self.rates = {"faults": Rates(), "healthy": HEALTHY, "ten times the faults": Rates(**ten)}
        self._judged, self._refereed, self._books = judged, refereed, books

    def read(self, unit: Unit) -> Came:
        """Reads one unit as the room is now."""
        if unit.kind == "match":
            return self._match(unit.seed)
        one = self._judged.Bench(unit.seed, self.rates[unit.kind]).one()
        told = repr((one.shot, one.asked, one.same_ruling, one.false_fouls, one.refused, one.again))
        return Came(told, (int(one.silent), int(bool(one.false_fouls)), int(one.asked)))

    def _match(self, seed: int) -> Came:
        from calibration.presets import PRESETS
        from controller.events.match import Start
        from controller.simulator.clock import EPOCH_NS
        from controller.simulator.director import Setting, SimulatedTable
        from controller.simulator.observed import Eyesight, ObservedTable
        from controller.simulator.physics import Material
        from controller.simulator.pieces import pieces_of
        from controller.simulator.scenario import SCENARIOS
        from controller.simulator.umpire import TrueUmpire
        from tests.bench.bench_ablation import ROUGH

        rng, boards = Random(seed), list(PRESETS.values())
        board = boards[seed // 2 % len(boards)] if seed % 2 else boards[0]
        setting = Setting(
            Start(
                rng.choice(("icf", "club", "campus", "classic", "world-point")), {"south": "A", "north": "B"}, "south"
            ),
            pieces_of(board),
            Material(surface_friction=rng.uniform(0.05, 0.13), piece_restitution=rng.uniform(0.65, 0.93)),
            SCENARIOS[rng.choice(("clean", "players", "sensors", "faults", "dead-beam", "beginners"))],
            seed,
            60.0,
        )
        eyes = ROUGH if rng.random() < 0.3 else Eyesight()
        stream = ObservedTable(SimulatedTable(setting, TrueUmpire(self._books)), eyes, seed).play()
        table = self._refereed.Table(self._books, EPOCH_NS, board=board)
        strokes = list(self._refereed.Referee(stream, table, A_MATCH).play())
        told = repr([(one.said, one.ruling, one.questions, one.noticed_by) for one in strokes])
        harm = (
            sum(one.silent for one in strokes),
            sum(bool(one.false_fouls) for one in strokes),
            sum(one.questions for one in strokes),
        )
        return Came(told, harm)


def ablated(seed: int, strokes: int, tries: int) -> Iterator[dict[str, Any]]:
    """Yields a line for each switch and constant."""
    BOARD.install(ROOM)
    reads, rng = Strokes(), Random(seed)
    units = [Unit(kind, 10_000_000 + seed + n) for kind in reads.rates for n in range(strokes // 4)]
    units += [Unit("match", 20_000_000 + seed + n) for n in range(strokes // 4 // A_MATCH)]
    came: dict[Unit, Came] = {}
    decided: dict[tuple[int, bool], list[Unit]] = {}
    used: dict[tuple[str, str], list[Unit]] = {}
    for unit in units:
        BOARD.reset()
        came[unit] = reads.read(unit)
        for way, counted in ((True, BOARD.on), (False, BOARD.off)):
            for number in counted:
                decided.setdefault((number, way), []).append(unit)
        for constant in BOARD.used:
            used.setdefault(constant, []).append(unit)

    def tried(name: str, some: list[Unit]) -> dict[str, Any]:
        chosen = rng.sample(some, min(tries, len(some)))
        other, harm, raised = 0, [0, 0, 0], 0
        for unit in chosen:
            try:
                now = reads.read(unit)
            except Exception:
                raised += 1
                continue
            other += now.told != came[unit].told
            harm = [before + a - b for before, a, b in zip(harm, now.harm, came[unit].harm, strict=True)]
        return {"rule": name, "rare": len(some), "tried": len(chosen), "other": other, "raised": raised, "harm": harm}

    yield {"units": len(units), "switches": len(BOARD.switches), "constants": len(used)}
    for number, switch in enumerate(BOARD.switches):
        on, off = decided.get((number, True), []), decided.get((number, False), [])
        if not on or not off:
            yield {"rule": str(switch), "always": "off" if off else "on" if on else "never asked"}
            continue
        rarer = len(on) < len(off)
        BOARD.held[number] = not rarer
        yield tried(str(switch), on if rarer else off)
        BOARD.held.clear()
    for constant, some in sorted(used.items()):
        for by in BY:
            BOARD.scaled[constant] = by
            yield tried(f"{constant[0].rpartition('.')[2]}.{constant[1]} × {by:g}", some)
            BOARD.scaled.clear()


if __name__ == "__main__":
    for line in ablated(*map(int, sys.argv[1:4])):
        print(json.dumps(line), flush=True)
