"""What the simulator itself costs and whether its truth holds: physics, frames, scripted outcomes, observations.

Times are of the processor, so that they mean the same on a busy machine.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD
from controller.events.match import Start
from controller.rules.shelf import load_books
from controller.simulator.camera import Camera
from controller.simulator.director import Setting, SimulatedTable
from controller.simulator.happenings import Decision, FrameDue
from controller.simulator.looks import DEVELOPMENT, LOOKS
from controller.simulator.motion import Pose
from controller.simulator.physics import run as run_physics
from controller.simulator.pieces import opening, pieces_of
from controller.simulator.scenario import SCENARIOS
from controller.simulator.tour import TOUR
from controller.simulator.umpire import TrueUmpire
from tests.bench.figure import Figure, share
from tests.simulator.observed import ObservedTable

START = Start("icf", {"south": "Asha", "north": "Ben"}, "south")


def run(long: bool) -> Iterable[Figure]:
    cv2.setNumThreads(1)
    yield physics(60 if long else 15)
    yield from frames(DEVELOPMENT if long else ("pale", "birch-match"))
    yield tours(12 if long else 3)
    yield from agreement(400 if long else 60)
    yield observations(2000 if long else 150)


def physics(breaks: int) -> Figure:
    """Breaks, the dearest strokes there are."""
    pieces, spent, lasted = pieces_of(DEFAULT_BOARD), 0.0, 0.0
    for seed in range(breaks):
        rng = np.random.default_rng(seed)
        discs = [pieces.disc(name, pose) for name, pose in opening(pieces, rng).items()]
        discs.append(pieces.disc(0, Pose(float(rng.uniform(-80, 80)), -252.6, 0.0, 0.0)))
        began = time.thread_time()
        motion = run_physics(
            discs, {0: (float(rng.uniform(-200, 200)), float(rng.uniform(2200, 3600)), 0.0)}, DEFAULT_BOARD
        )
        spent += time.thread_time() - began
        lasted += motion.rest_s
    times = lasted / spent
    return Figure("break shots, times real time", "sim", f"{times:.0f} x", "10 x", times >= 10)


def frames(looks: Iterable[str]) -> Iterator[Figure]:
    """Whole strokes through the camera, JPEG included, one thread."""
    for name in looks:
        look = LOOKS[name]
        table = SimulatedTable(Setting(START, pieces=look.pieces, seed=3, fps=look.rig.fps), TrueUmpire(load_books()))
        began = time.thread_time()
        camera = Camera(look)
        made = time.thread_time() - began
        drawn, packed, size = [], [], 0
        for happening in table.play():
            if isinstance(happening, Decision):
                happening.release()
                if happening.stroke >= 3 and happening.kind == "ready":
                    break
            elif isinstance(happening, FrameDue):
                t0 = time.thread_time()
                frame = camera.take(table.reel, happening.t_s)
                t1 = time.thread_time()
                size = len(frame.jpeg(look.rig.jpeg))
                drawn.append((t1 - t0) * 1e3)
                packed.append((time.thread_time() - t1) * 1e3)
        mean = statistics.mean(drawn) + statistics.mean(packed)
        small = look.rig.lens.width == 1280
        worst = max(drawn)
        yield Figure(
            f"frame of look {name} ({look.rig.lens.width} x {look.rig.lens.height}), drawn and packed",
            "sim",
            f"{mean:.1f} ms mean (drawn {statistics.mean(drawn):.1f}, worst {worst:.0f}; JPEG {size // 1000} kB)",
            "8 ms" if small else "",
            mean <= 8 if small else None,
            note=f"the camera takes {made:.1f} s to set up",
        )


def tours(seeds: int) -> Figure:
    """How many of the tour's goals are reached, whatever the seed."""
    reached = 0
    for seed in range(seeds):
        setting = Setting(START, scenario=SCENARIOS["tour"], seed=seed, pieces=pieces_of(DEFAULT_BOARD))
        table = SimulatedTable(setting, TrueUmpire(load_books()))
        for happening in table.play():
            if isinstance(happening, Decision):
                happening.release()
                reached += happening.kind == "ruling" and bool(happening.goal)
                if happening.stroke >= 18:
                    break
    return Figure("goals of the tour reached", "sim", share(reached, seeds * len(TOUR)))


def agreement(strokes: int) -> Iterator[Figure]:
    """Pieces on the simulated board against those the engine believes there, at every stroke's end, per book."""
    for book in ("icf", "club", "sixes", "world"):
        each = 6 if book == "sixes" else 9
        setting = Setting(
            replace(START, book=book), pieces_of(DEFAULT_BOARD, each=each), scenario=SCENARIOS["faults"], seed=2
        )
        table = SimulatedTable(setting, TrueUmpire(load_books()))
        for happening in table.play():
            if isinstance(happening, Decision):
                happening.release()
                if happening.stroke >= strokes:
                    break
        yield Figure(
            f"{book}: strokes after which board and engine disagree", "sim", f"{table.repaired} in {strokes}", "0",
            table.repaired == 0,
        )  # fmt: skip


def observations(strokes: int) -> Figure:
    """The way past pictures."""
    table = SimulatedTable(
        Setting(START, scenario=SCENARIOS["faults"], seed=5, pieces=pieces_of(DEFAULT_BOARD)), TrueUmpire(load_books())
    )
    began = time.thread_time()
    for seen in ObservedTable(table, seed=5).play():
        if isinstance(seen, Decision):
            seen.release()
            if seen.stroke >= strokes:
                break
    each = (time.thread_time() - began) / strokes * 1e3
    return Figure("observation level, a stroke with its rulings", "sim", f"{each:.1f} ms")
