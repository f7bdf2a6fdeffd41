"""The shots room at the observation level: what eyes and beams say of strokes, faults included.

Half of the strokes are drawn (`tests/shots/happenings.py`), each on a position of its own; half are played by the
simulator's players, board after board, with every fault they and the sensors have, under every rulebook
(`tests/simulator/observed.py`). All are ruled on beside the truth. What is measured is the reading of
observations, not the making of them. `shots:drawn`, `shots:played`, `shots:noise`, `shots:render` run one part.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from calibration.board import DEFAULT_BOARD
from controller.events.match import Start
from controller.shots import Limits
from controller.simulator.clock import EPOCH_NS
from controller.simulator.director import Setting, SimulatedTable
from controller.simulator.pieces import pieces_of
from controller.simulator.scenario import SCENARIOS, Scenario
from controller.simulator.umpire import TrueUmpire
from tests.bench.figure import Figure, exact, share, wilson
from tests.bench.refereed import Outcome, Referee, Table, books
from tests.bench.tally_of import figures
from tests.shots.happenings import HEALTHY, Rates
from tests.shots.judged import FACTS, Bench, Judged
from tests.simulator.observed import Eyesight, ObservedTable

STROKES_A_BOARD = 30
"""Strokes of a usual board: questions are wanted by the board."""

FLOORS = (0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4)


def run(long: bool, parts: tuple[str, ...] = ()) -> Iterable[Figure]:
    """Yields the figures; `long`: four times as many strokes."""
    times = 4 if long else 1
    todo: dict[str, Callable[[int], Iterable[Figure]]] = {
        "drawn": _drawn,
        "played": _played,
        "noise": _noise,
        "render": lambda _times: _render(),
    }
    for part in parts or tuple(todo):
        if part in todo:
            yield from todo[part](times)
        else:
            yield Figure(part, "sim", f"no such part; there are {', '.join(todo)}", "", False)


def _drawn(times: int) -> Iterable[Figure]:
    faulty = _judge(11, 2000 * times, Rates())
    yield from _facts("faults", faulty)
    yield from _silence("faults", faulty)
    healthy = _judge(12, 3000 * times, HEALTHY)
    yield from _facts("healthy", healthy)
    yield from _silence("healthy", healthy)
    asked = sum(one.asked for one in healthy)
    boards = len(healthy) / STROKES_A_BOARD
    low, high = wilson(asked, len(healthy))
    yield Figure(
        "healthy sensors: questions a board of 30 strokes",
        "sim",
        f"{asked / boards:.3f} [{low * STROKES_A_BOARD:.3f}, {high * STROKES_A_BOARD:.3f}]",
        "at most 0.2",
        asked / boards <= 0.2,
    )
    clean = [one for one in healthy if not set(one.happening.faults) & _FOULS]
    false = sum(bool(one.false_fouls) for one in clean)
    yield Figure("false fouls in clean strokes", "sim", exact(false, len(clean)), "0", false == 0)
    yield from _speed()
    yield from _curve(300 * times)


PLAYED = (
    ("clean", 1500), ("players", 1500), ("sensors", 800), ("faults", 600), ("dead-beam", 300), ("beginners", 300),
)  # fmt: skip
BOOKS = ("icf", "club", "classic", "campus", "world-point", "world-family", "world-team", "sixes")


def _played(times: int) -> Iterable[Figure]:
    """Matches of the simulator's players, seen and felt without pictures."""
    loaded = books()
    everything: list[Outcome] = []
    for scenario, count in PLAYED:
        found: list[Outcome] = []
        for number, book in enumerate(BOOKS):
            found += _match(loaded, book, SCENARIOS[scenario], 100 + number, count * times // len(BOOKS), Eyesight())
        everything += found
        yield from figures(f"played, {scenario}", found)
    yield from figures("played, all", everything)
    clean = [one for one in everything if not one.faults]
    false = sum(bool(one.false_fouls) for one in clean)
    yield Figure("played, strokes with no fault: false fouls", "sim", exact(false, len(clean)), "0", false == 0)


NOISE: dict[str, dict[str, float]] = {
    "coins of another colour": {"swapped": 1.0},
    "coin and striker mixed up": {"as_striker": 1.0},
    "pieces missed": {"missed": 1.0},
    "shadows taken for pieces": {"doubled": 1.0},
    "places up to 4 mm off": {"astray": 1.0},
}
RATES = (1e-4, 1e-3, 4e-3)
"""Per piece and look; the whole table has been seen between the first and the last of these."""


def _noise(times: int) -> Iterable[Figure]:
    """Silent errors against questions when the eyes err surely and wrongly, half of the time until a piece moves."""
    loaded = books()
    for name, shares in NOISE.items():
        for rate in RATES:
            eyes = replace(Eyesight(), **{what: share * rate for what, share in shares.items()})
            found = _match(loaded, "icf", SCENARIOS["players"], 300, 150 * times, eyes)
            found += _match(loaded, "club", SCENARIOS["clean"], 301, 150 * times, eyes)
            n = len(found)
            silent, false = sum(one.silent for one in found), sum(bool(one.false_fouls) for one in found)
            asked, noticed = sum(one.questions for one in found), sum(bool(one.noticed_by) for one in found)
            yield Figure(
                f"{name}, {rate:g} a piece and look",
                "sim",
                f"silent {exact(silent, n)}, false fouls {false}, questions {asked}, told about the board {noticed}",
                "silent 0",
                silent == 0,
            )


def _match(loaded: Any, book: str, scenario: Scenario, seed: int, strokes: int, eyes: Eyesight) -> list[Outcome]:
    pieces = pieces_of(DEFAULT_BOARD, each=6) if book == "sixes" else pieces_of(DEFAULT_BOARD)
    seats: dict[Any, str] = {"south": "A", "north": "B"}
    if book == "world-team":
        seats = {"south": "A", "east": "B", "north": "C", "west": "D"}
    setting = Setting(Start(book, seats, first="south"), pieces, scenario=scenario, seed=seed, fps=60.0)
    stream = ObservedTable(SimulatedTable(setting, TrueUmpire(loaded)), eyes, seed).play()
    return list(Referee(stream, Table(loaded, EPOCH_NS), strokes).play())


_FOULS = {"bad placement", "backward", "moving before", "slip"}


def _judge(seed: int, count: int, rates: Rates, limits: Limits | None = None) -> list[Judged]:
    bench = Bench(seed, rates, limits)
    return [bench.one() for _ in range(count)]


def _facts(name: str, judged: list[Judged]) -> Iterable[Figure]:
    for fact in FACTS:
        right = [one.agrees[fact] for one in judged]
        known = [value for value in right if value is not None]
        unseen = len(right) - len(known)
        doubted = sum(bool(one.doubts) for one in judged if one.agrees[fact] is False)
        yield Figure(
            f"{name}: {fact} right",
            "sim",
            share(sum(known), len(known)),
            note=f"{unseen} unseen, {doubted} of the wrong ones were in doubt",
        )


def _silence(name: str, judged: list[Judged]) -> Iterable[Figure]:
    doubts = Counter(fact.split(".")[0] for one in judged for fact in one.doubts)
    words = ", ".join(f"{fact} {count}" for fact, count in doubts.most_common())
    yield Figure(
        f"{name}: strokes with doubts", "sim", share(sum(bool(one.doubts) for one in judged), len(judged)), note=words
    )
    yield Figure(f"{name}: asked", "sim", share(sum(one.asked for one in judged), len(judged)))
    differ = [one for one in judged if not one.same_ruling]
    yield Figure(
        f"{name}: rulings that differ from the truth's",
        "sim",
        share(len(differ), len(judged)),
        note=f"{sum(one.asked for one in differ)} asked, {sum(one.noticed for one in differ)} noticed at the next "
        f"rest, {sum(one.too_close for one in differ)} too close to call and noted, "
        f"{sum(one.unwatched for one in differ)} said to be unseen",
    )
    silent = sum(one.silent for one in judged)
    yield Figure(f"{name}: silent wrong rulings", "sim", exact(silent, len(judged)), "0", silent == 0)
    needless = sum(one.noticed and one.same_ruling and not one.happening.faults and not one.void for one in judged)
    yield Figure(
        f"{name}: words to the umpire with nothing wrong", "sim", share(needless, len(judged)), "0", needless == 0
    )


def _speed() -> Iterable[Figure]:
    """How long one reading of a stroke takes: part of the 100 ms from the last frame to the ruling."""
    bench, took = Bench(13, Rates()), []
    for _ in range(150):
        began = time.perf_counter()
        bench.one()
        took.append(time.perf_counter() - began)
    took.sort()
    yield Figure(
        "drawing, reading, ruling twice and a rest of 6 s, 95th percentile",
        "host",
        f"{1000 * took[int(0.95 * len(took))]:.0f} ms",
        "well below 100 ms",
        took[int(0.95 * len(took))] < 0.1,
    )


def _curve(count: int) -> Iterable[Figure]:
    """Silent errors against questions: the floor below which a reading is no doubt any more is moved."""
    rates = replace(Rates(), silent_beam_a_fall=0.01, vanished_unknown_a_fall=0.1, no_track_a_fall=0.05, off_board=0.05)
    for floor in FLOORS:
        judged = _judge(14, count, rates, replace(Limits(), doubt_floor=floor))
        silent, asked = sum(one.silent for one in judged), sum(one.asked for one in judged)
        yield Figure(
            f"curve, ten times the faults, floor of a doubt {floor:g}",
            "sim",
            f"silent {share(silent, count)}, asked {share(asked, count)}",
        )


def _render() -> Iterable[Figure]:
    """The rendered stroke of the sample through `carrom calibrate` and `carrom watch`."""
    renders = Path(os.environ.get("RENDERS", "../shared/renders"))
    truth = renders / "seq_A_0" / "gt.json"
    if not truth.is_file():
        yield Figure("carrom watch on seq_A_0", "render", f"{renders} is missing: not measured")
        return
    events = {event["type"]: event for event in json.loads(truth.read_text())["events"]}
    with TemporaryDirectory() as folder:
        shot = _watched(renders, Path(folder))
    if shot is None:
        yield Figure("carrom watch on seq_A_0", "render", "no shot came out", "one shot", False)
        return
    fell = [(one["piece"], one.get("pocket")) for one in shot.get("pocketed", ())]
    wanted = (events["pocketed"]["class"], events["pocketed"]["pocket"])
    yield Figure("seq_A_0: what fell where", "render", f"{fell}", f"{[wanted]}", fell == [wanted])
    if fell == [wanted]:
        late = abs(shot["pocketed"][0]["t"] - events["pocketed"]["t_s"])
        yield Figure(
            "seq_A_0: time of fall off by (camera alone)", "render", f"{1000 * late:.0f} ms", "50 ms", late <= 0.05
        )
    late = abs(shot["t"] - events["flick"]["t_s"])
    yield Figure("seq_A_0: time of stroke off by", "render", f"{1000 * late:.0f} ms", "50 ms", late <= 0.05)
    yield Figure("seq_A_0: who struck", "render", shot["seat"], "south", shot["seat"] == "south")
    first = (shot.get("contacts") or [{"with": "not seen"}])[0]["with"]
    yield Figure("seq_A_0: first contact", "render", first, "white", first == "white")


def _watched(renders: Path, folder: Path) -> dict | None:
    from controller.cli import main

    rig, calibration = renders / "rig_A_calibration", folder / "calibration.json"
    words = ["--lens", f"{rig}/calib_A_charuco_*.jpg", "--empty", f"{rig}/calib_A_empty.jpg"]
    words += ["--opening", f"{rig}/calib_A_opening.jpg", "--out", str(calibration)]
    out = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        if main(["calibrate", *words]) != 0:
            return None
    with redirect_stdout(out):
        main(["watch", "--calibration", str(calibration), "--video", str(renders / "seq_A_0"), "--fps", "30"])
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    return next((line for line in lines if line.get("event") == "shot"), None)
