"""The shots room at the observation level: drawn strokes with what eyes and beams say of them, faults included.

The strokes are drawn (`tests/shots/happenings.py`), not simulated by physics: what is measured is the reading of
observations, not the making of them. Each is ruled on beside the truth by icf, club, campus, classic and world.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from controller.shots import Limits
from tests.bench.figure import Figure, share, wilson
from tests.shots.happenings import HEALTHY, Rates
from tests.shots.judged import FACTS, Bench, Judged

STROKES_A_BOARD = 30
"""Strokes of a usual board: questions are wanted by the board."""

FLOORS = (0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4)


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures; `long`: four times as many strokes."""
    times = 4 if long else 1
    faulty = _judge(11, 4000 * times, Rates())
    yield from _facts("faults", faulty)
    yield from _silence("faults", faulty)
    healthy = _judge(12, 6000 * times, HEALTHY)
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
    yield Figure("false fouls in clean strokes", "sim", share(false, len(clean)), "0", false == 0)
    yield from _speed()
    yield from _curve(600 * times)
    yield from _render()


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
        f"rest, {sum(one.too_close for one in differ)} too close to call and noted",
    )
    silent = sum(one.silent for one in judged)
    yield Figure(f"{name}: silent wrong rulings", "sim", share(silent, len(judged)), "0", silent == 0)
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
