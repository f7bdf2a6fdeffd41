"""Reads strokes with each rule of a package held on or off, and each constant nudged. A process of its own.

`python -m tests.bench.rules_off shots SEED STROKES TRIES [FOLDER]`: so many strokes are drawn one by one with three
rates of faults and played in matches of other boards, friction and restitution; with FOLDER its window tapes are read,
too. `python -m tests.bench.rules_off following TRIES FOLDER` explains the motion windows of those tapes and rules on
them. First everything is read as the package is; then what a rule decided in its rarer way, TRIES of it at most, with
the rule held the other way. One JSON object a line: what a rule is, in how many units it decided so (`rare`), how many
were tried, how many of them came out otherwise (`other`) or not at all (`raised`), and by how much silent rulings,
false fouls, questions and rulings unlike the truth's are more (`harm`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any

from tests.bench.switches import Switchboard

BOARD = Switchboard()
PACKAGES = {"shots": "controller.shots", "following": "controller.vision.following"}
WINDOWS_TRIED = 60
"""Explaining a window again is cheap beside ruling on its tape."""
BY = (0.7, 1.3)
"""What a constant is multiplied by: a figure that hangs on it notices, or it need not be there."""
A_MATCH = 14
HARM = ("silent", "fouls", "asked", "unlike")
"""What is counted of strokes."""
Line = dict[str, Any]
Tried = Callable[[str, list[Any]], Line]


@dataclass(frozen=True)
class Unit:
    """A drawn stroke, the first strokes of a match, or a tape. `kind`: its rates of faults, `match` or `tape`."""

    kind: str
    seed: int


@dataclass(frozen=True)
class Came:
    """What came out: all that was told, and how many strokes were silent, falsely fouled, and questions."""

    told: str
    harm: tuple[int, int, int, int]


class Strokes:
    """Reads units. Made once the switches are installed."""

    def __init__(self, tapes: Sequence[Path] = ()) -> None:
        from tests.bench import refereed
        from tests.shots import judged
        from tests.shots.happenings import HEALTHY, Rates

        books = judged.load_books()
        judged.load_books = lambda: books
        ten = {one.name: min(0.3, 10 * getattr(Rates(), one.name)) for one in fields(Rates)}
        self.rates = {"faults": Rates(), "healthy": HEALTHY, "ten times the faults": Rates(**ten)}
        self._judged, self._refereed, self._books = judged, refereed, books
        self.tapes = [Tape(one, refereed, books) for one in tapes]

    def read(self, unit: Unit) -> Came:
        """Reads one unit as the package is now."""
        if unit.kind == "tape":
            return self.tapes[unit.seed].read()
        if unit.kind == "match":
            return self._match(unit.seed)
        one = self._judged.Bench(unit.seed, self.rates[unit.kind]).one()
        told = repr((one.shot, one.asked, one.same_ruling, one.false_fouls, one.refused, one.again))
        return Came(told, (int(one.silent), int(bool(one.false_fouls)), int(one.asked), int(not one.same_ruling)))

    def _match(self, seed: int) -> Came:
        from calibration.presets import PRESETS
        from controller.events.match import Start
        from controller.simulator.clock import EPOCH_NS
        from controller.simulator.director import Setting, SimulatedTable
        from controller.simulator.physics import Material
        from controller.simulator.pieces import pieces_of
        from controller.simulator.scenario import SCENARIOS
        from controller.simulator.umpire import TrueUmpire
        from tests.bench.bench_ablation import ROUGH
        from tests.simulator.observed import Eyesight, ObservedTable

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
        return _came(self._refereed.Referee(stream, table, A_MATCH).play())


def _came(played: Any) -> Came:
    strokes = list(played)
    told = repr([(one.said, one.ruling, one.questions, one.noticed_by) for one in strokes])
    harm = (
        sum(one.silent for one in strokes),
        sum(bool(one.false_fouls) for one in strokes),
        sum(one.questions for one in strokes),
        sum(bool(one.stroke.ruled or one.stroke.missed) for one in strokes),
    )
    return Came(told, harm)


class Tape:
    """A tape of motion windows: each explained once, as the code is; ruled on as often as wanted."""

    def __init__(self, file: Path, refereed: Any, books: Any) -> None:
        from calibration.presets import PRESETS
        from controller.vision.following.motion_window import MotionWindow
        from tests.bench.parity import windows
        from tests.bench.tapes import played

        (part,) = windows(int(file.name[:4]), int(file.name[:4]) + 1)
        self.board = PRESETS[part.board]
        self._refereed, self._books = refereed, books
        self._stream = list(played(file))
        self.windows = {at: one for at, one in enumerate(self._stream) if isinstance(one, MotionWindow)}
        self._strokes: dict[int, str | None] = {}

    def explain(self, at: int) -> str | None:
        """Explains the window at a place of the stream: a line of the wire, or None for no stroke."""
        from controller.events.wire import observation_to_line
        from controller.vision.following.stroke import stroke_of

        stroke = stroke_of(self.windows[at], self.board)
        return observation_to_line(stroke) if stroke is not None else None

    def read(self, instead: dict[int, str | None] | None = None) -> Came:
        """Rules on the strokes, some of them explained otherwise."""
        from controller.simulator.clock import EPOCH_NS

        for at in self.windows.keys() - self._strokes.keys():
            self._strokes[at] = self.explain(at)
        table = self._refereed.Table(self._books, EPOCH_NS, board=self.board)
        stream = self._stream_of(self._strokes | (instead or {}))
        return _came(self._refereed.Referee(stream, table, 1 << 30).play())

    def _stream_of(self, strokes: dict[int, str | None]) -> Iterator[Any]:
        from controller.events.wire import observation_from_line

        for at, one in enumerate(self._stream):
            if at not in self.windows:
                yield one
            elif (line := strokes[at]) is not None:
                yield observation_from_line(line)


def shots_ablated(seed: int, strokes: int, tries: int, tapes: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yields a line for each switch and constant of shots."""
    BOARD.install(PACKAGES["shots"])
    reads, rng = Strokes(tapes), Random(seed)
    units = [Unit(kind, 10_000_000 + seed + n) for kind in reads.rates for n in range(strokes // 4)]
    units += [Unit("match", 20_000_000 + seed + n) for n in range(strokes // 4 // A_MATCH)]
    units += [Unit("tape", n) for n in range(len(tapes))]
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
        other, harm, raised = 0, [0] * len(HARM), 0
        for unit in chosen:
            try:
                now = reads.read(unit)
            except Exception:
                raised += 1
                continue
            other += now.told != came[unit].told
            harm = _more(harm, now, came[unit])
        return {"rule": name, "rare": len(some), "tried": len(chosen), "other": other, "raised": raised, "harm": harm}

    yield {"units": len(units), "switches": len(BOARD.switches), "constants": len(used)}
    yield from _each(decided, used, tried)


def following_ablated(tries: int, tapes: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yields a line for each switch and constant by which following explains a motion window."""
    BOARD.install(PACKAGES["following"])
    reads, rng = Strokes(tapes), Random(0)
    windows = [(tape, at) for tape in reads.tapes for at in tape.windows]
    as_it_is: dict[Any, str | None] = {}
    decided: dict[tuple[int, bool], list[Any]] = {}
    used: dict[tuple[str, str], list[Any]] = {}
    for tape, at in windows:
        BOARD.reset()
        as_it_is[tape, at] = tape.explain(at)
        for way, counted in ((True, BOARD.on), (False, BOARD.off)):
            for number in counted:
                decided.setdefault((number, way), []).append((tape, at))
        for constant in BOARD.used:
            used.setdefault(constant, []).append((tape, at))
    came = {tape: tape.read() for tape in reads.tapes}

    def tried(name: str, some: list[Any]) -> dict[str, Any]:
        chosen = rng.sample(some, min(WINDOWS_TRIED, len(some)))
        harm, raised, instead = [0] * len(HARM), 0, dict[Any, dict[int, str | None]]()
        for tape, at in chosen:
            try:
                now = tape.explain(at)
            except Exception:
                raised += 1
                continue
            if now != as_it_is[tape, at]:
                instead.setdefault(tape, {})[at] = now
        held, scaled = dict(BOARD.held), dict(BOARD.scaled)
        BOARD.held.clear()
        BOARD.scaled.clear()
        ruled = 0
        for tape in list(instead)[:tries]:
            now_came = tape.read(instead[tape])
            ruled += now_came.told != came[tape].told
            harm = _more(harm, now_came, came[tape])
        BOARD.held.update(held)
        BOARD.scaled.update(scaled)
        other = sum(map(len, instead.values()))
        said = {"rule": name, "rare": len(some), "tried": len(chosen), "other": other, "raised": raised}
        return said | {"harm": harm, "tapes": min(tries, len(instead)), "ruled": ruled}

    yield {"units": len(windows), "switches": len(BOARD.switches), "constants": len(used)}
    yield from _each(decided, used, tried)


def _more(harm: list[int], now: Came, before: Came) -> list[int]:
    return [had + a - b for had, a, b in zip(harm, now.harm, before.harm, strict=True)]


def _each(
    decided: dict[tuple[int, bool], list[Any]], used: dict[tuple[str, str], list[Any]], tried: Tried
) -> Iterator[Line]:
    """Holds each switch the other way and scales each constant, one after the other."""
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


def main(words: list[str]) -> None:
    """Prints the lines of one package."""
    match words:
        case ["shots", seed, strokes, tries, *folder]:
            lines = shots_ablated(int(seed), int(strokes), int(tries), _tapes(*folder))
        case ["following", tries, folder]:
            lines = following_ablated(int(tries), _tapes(folder))
        case _:
            sys.exit(__doc__)
    for line in lines:
        print(json.dumps(line), flush=True)


def _tapes(*folders: str) -> list[Path]:
    return sorted(tape for folder in folders for tape in Path(folder).glob("*.windows"))


if __name__ == "__main__":
    main(sys.argv[1:])
