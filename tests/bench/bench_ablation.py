"""Ablation: what each pass that rewrites what the eyes told is worth, by switching it off.

The same strokes are read with every pass, without each of them, and without all. Strokes are drawn one by one
(`ablation:drawn`), played board after board without pictures (`ablation:played`), the same with eyes that err surely
(`ablation:noise`), or read again from tapes of what the eyes said of pictures (`ablation:tapes`, with
CARROM_TAPES=FOLDER as in `whole`). A pass that changes no figure, or makes one worse, has no place in the shots room.
`ablation:rules` does so with every rule and every named constant of that room (see `rules_off`); it takes long and is
not among what is run unasked. CARROM_SEED shifts every seed: a judgement wants strokes that nobody has looked at.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from calibration.board import DEFAULT_BOARD
from controller.events.match import Start
from controller.shots import machine, unique_striker
from controller.simulator.clock import EPOCH_NS
from controller.simulator.director import Setting, SimulatedTable
from controller.simulator.pieces import pieces_of
from controller.simulator.scenario import SCENARIOS
from controller.simulator.umpire import TrueUmpire
from tests.bench.figure import Figure, exact, share
from tests.bench.refereed import Outcome, Referee, Table, books
from tests.bench.rules_off import HARM
from tests.bench.tapes import played
from tests.shots.happenings import HEALTHY, Rates
from tests.shots.judged import Bench, Judged
from tests.simulator.observed import Eyesight, ObservedTable


@dataclass(frozen=True)
class Pass:
    """One pass: where the machine finds it."""

    name: str
    room: Any
    function: str


PASSES = (
    Pass("unique striker", unique_striker, "in_stroke"),
    Pass("with striker", machine, "with_striker"),
)
SCENARIOS_PLAYED = ("clean", "players", "sensors", "faults")
ROUGH = Eyesight(swapped=1e-3, as_striker=1e-3, missed=1e-3, doubled=1e-3)
"""Per piece and look: the table as it is seen by eyes that err surely and wrongly, as no calibrated ones do."""


def run(long: bool, parts: tuple[str, ...] = ()) -> Iterable[Figure]:
    """Yields the figures; `long`: four times as many strokes."""
    times, seed = 4 if long else 1, int(os.environ.get("CARROM_SEED", "0"))
    todo: dict[str, Callable[[], Iterable[Figure]]] = {
        "drawn": lambda: _compared("drawn", lambda: _drawn(seed, 1500 * times), _of_drawn),
        "played": lambda: _compared("played", lambda: _played(seed, 120 * times, Eyesight()), _of_played),
        "noise": lambda: _compared("noise", lambda: _played(seed + 50, 40 * times, ROUGH), _of_played),
        "rules": lambda: _rules(seed, 4_000 * times, 6 * times),
        "tapes": lambda: _compared("tapes", lambda: _tapes(Path(os.environ.get("CARROM_TAPES", "tapes"))), _of_played),
    }
    for part in parts or ("drawn", "played", "noise"):
        yield from todo[part]()


def _rules(seed: int, strokes: int, tries: int) -> Iterator[Figure]:
    """What each rule decides: first how many, then those that change nothing, then those that do, by how often."""
    tapes = [os.environ["CARROM_TAPES"]] if "CARROM_TAPES" in os.environ else []
    command = [sys.executable, "-m", "tests.bench.rules_off", "shots", str(seed), str(strokes), str(tries), *tapes]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    whole, *rules = map(json.loads, said)
    yield Figure("rules: units read; switches; constants", "sim", "; ".join(map(str, whole.values())))
    for way in ("on", "off", "never asked"):
        some = [one["rule"] for one in rules if one.get("always") == way]
        yield Figure(f"rules: always {way}" if way != "never asked" else f"rules: {way}", "sim", str(len(some)))
    tried = [one for one in rules if "always" not in one]
    for one in sorted(tried, key=lambda one: one["other"] + one["raised"]):
        more = ", ".join(f"{n:+d} {what}" for n, what in zip(one["harm"], HARM, strict=True) if n)
        note = f"decided so in {one['rare']}" + (f"; {more}" if more else "")
        yield Figure(f"rules: {one['rule']}", "sim", share(one["other"] + one["raised"], one["tried"]), note=note)


def _compared(
    part: str, strokes: Callable[[], list[Any]], tallied: Callable[[Sequence[Any]], dict[str, tuple[int, int]]]
) -> Iterator[Figure]:
    """Reads the strokes with every pass, and again without each that rewrote any: one that rewrites none is idle."""
    rewrote: Counter[str] = Counter()
    with _switched_off((), rewrote):
        whole = tallied(strokes())
    yield from _told(part, "with all", whole, whole)
    for one in PASSES:
        yield Figure(f"{part}: strokes that «{one.name}» rewrites", "sim", str(rewrote[one.name]))
    at_work = tuple(one for one in PASSES if rewrote[one.name])
    for off in (*((one,) for one in at_work), *((at_work,) if len(at_work) > 1 else ())):
        with _switched_off(off, Counter()):
            found = tallied(strokes())
        yield from _told(part, f"without {' and '.join(one.name for one in off)}", found, whole)


def _told(
    part: str, name: str, found: dict[str, tuple[int, int]], whole: dict[str, tuple[int, int]]
) -> Iterator[Figure]:
    for what, (k, n) in found.items():
        value = exact(k, n) if what in ("silent", "false fouls") else share(k, n)
        yield Figure(f"{part}, {name}: {what}", "sim", value, note="" if found is whole else f"{k - whole[what][0]:+d}")


@contextlib.contextmanager
def _switched_off(off: Sequence[Pass], fired: Counter[str]) -> Iterator[None]:
    """Runs without some passes, and counts what the others rewrite."""

    def counting(one: Pass) -> Callable[..., Any]:
        does = getattr(one.room, one.function)

        def told(stroke: Any, *rest: Any) -> Any:
            if one in off:
                return stroke
            rewritten = does(stroke, *rest)
            fired[one.name] += rewritten != stroke
            return rewritten

        return told

    with contextlib.ExitStack() as stack:
        for one in PASSES:
            stack.enter_context(mock.patch.object(one.room, one.function, counting(one)))
        yield


def _drawn(seed: int, count: int) -> list[Judged]:
    faulty, healthy = Bench(7000 + seed, Rates()), Bench(8000 + seed, HEALTHY)
    return [faulty.one() for _ in range(count)] + [healthy.one() for _ in range(count)]


def _played(seed: int, each: int, eyes: Eyesight) -> list[Outcome]:
    loaded, found = books(), []
    for number, (scenario, book) in enumerate((one, two) for one in SCENARIOS_PLAYED for two in ("icf", "club")):
        at = 9000 + seed + number
        setting = Setting(
            Start(book, {"south": "A", "north": "B"}, first="south"),
            scenario=SCENARIOS[scenario],
            seed=at,
            fps=60.0,
            pieces=pieces_of(DEFAULT_BOARD),
        )
        stream = ObservedTable(SimulatedTable(setting, TrueUmpire(loaded)), replace(eyes), at).play()
        found += list(Referee(stream, Table(loaded, EPOCH_NS), each).play())
    return found


def _tapes(folder: Path) -> list[Outcome]:
    loaded, found = books(), []
    for tape in sorted(folder.glob("*.tape")):
        found += list(Referee(played(tape), Table(loaded, EPOCH_NS), 1 << 30).play())
    return found


def _of_drawn(judged: Sequence[Judged]) -> dict[str, tuple[int, int]]:
    n = len(judged)
    return {
        "rulings unlike the truth's": (sum(not one.same_ruling for one in judged), n),
        "silent": (sum(one.silent for one in judged), n),
        "false fouls": (sum(bool(one.false_fouls) for one in judged), n),
        "asked": (sum(one.asked for one in judged), n),
    }


def _of_played(strokes: Sequence[Outcome]) -> dict[str, tuple[int, int]]:
    n = len(strokes)
    return {
        "missed": (sum(one.stroke.missed for one in strokes), n),
        "wrong in a fact": (sum(bool(one.stroke.wrong) for one in strokes), n),
        "rulings unlike the truth's": (sum(bool(one.stroke.ruled or one.stroke.missed) for one in strokes), n),
        "silent": (sum(one.silent for one in strokes), n),
        "false fouls": (sum(bool(one.false_fouls) for one in strokes), n),
        "asked": (sum(one.questions > 0 for one in strokes), n),
        "told about the board": (sum(bool(one.noticed_by) for one in strokes), n),
    }
