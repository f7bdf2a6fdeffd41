"""The whole table, pictures and all: simulated strokes of all looks, books and faults through camera, eyes, beams,
shots and rules, in one process and in step.

200 strokes in eight parts (1 000 with --long). `ARGS="whole:icf-pale"` runs one part, `ARGS="whole:icf-pale:17"`
looks at stroke 17 of it alone, `ARGS="whole:icf-pale@511"` plays another match in its place; every stroke that was not
read as it was gets a line. `whole:demo` plays 25 strokes through the house itself: processes, sockets, serial line,
broker and pages. CARROM_TAPES=FOLDER writes down what the eyes said; `whole:tapes` reads the same strokes again, with
the shots room as it is then, at several floors of doubt.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from controller.commands.demo import play
from controller.commands.demo.house import Plan, built, open_eyes
from controller.commands.demo.show import Show
from controller.commands.demo.tally import Tally
from controller.events.errors import CarromError
from controller.shots import Limits
from controller.simulator.clock import EPOCH_NS
from tests.bench.figure import Figure, exact, share
from tests.bench.pictured import Part, pictured
from tests.bench.refereed import Outcome, Referee, Table, books
from tests.bench.tally_of import astray, figures, words
from tests.bench.tapes import played, taped

PARTS = (
    Part("icf-pale", "icf", "pale-club", "clean", 11),
    Part("club-birch", "club", "birch-match", "clean", 12),
    Part("campus-walnut", "campus", "walnut-club", "clean", 13),
    Part("world-fast", "world-point", "fast", "clean", 14),
    Part("icf-players", "icf", "pale-club", "players", 21),
    Part("classic-lacquer", "classic", "lacquer-dark", "players", 22),
    Part("icf-sensors", "icf", "pale-on-pale", "sensors", 23),
    Part("sixes-faults", "sixes", "pale-club", "faults", 24),
)
"""A quarter with beams that answer never again would measure the beams: dead ones are measured with observations."""

KEPT = (
    Part("icf-kept-red", "icf", "kept-red", "clean", 31),
    Part("icf-kept-tubes", "icf", "kept-tubes", "clean", 32),
    Part("icf-kept-sun", "icf", "kept-sun", "clean", 33),
)
"""Looks that nothing was developed with; run by name, or with --long."""

FLOORS = (0.1, 0.01, 1e-3, 1e-4)


def run(long: bool, parts: tuple[str, ...] = ()) -> Iterator[Figure]:
    """Plays the parts named, or all; yields what was wrong stroke by stroke, then the figures."""
    each = 125 if long else 25
    named = {part.name: part for part in (*PARTS, *KEPT)} | dict(_other_matches(parts))
    strokes: dict[str, list[Outcome]] = {}
    for name in parts or (*(part.name for part in PARTS), *((part.name for part in KEPT) if long else ()), "demo"):
        what, _, number = name.partition(":")
        if what == "demo":
            yield from _house(each)
        elif what == "tapes":
            yield from _tapes(Path(os.environ.get("CARROM_TAPES", "tapes")))
        elif what not in named:
            yield Figure(name, "sim", f"no such part; there are {', '.join(named)}, demo, tapes", "", False)
        else:
            found: list[Outcome] = []
            strokes[what] = found
            yield from _part(named[what], each, int(number) if number else None, found)
    if len(strokes) > 1:
        for word, wanted in (("clean", True), ("with faults", False)):
            some = [
                one for name, found in strokes.items() if (named[name].scenario == "clean") == wanted for one in found
            ]
            if some:
                yield from figures(f"all {word}", some)


def _other_matches(parts: tuple[str, ...]) -> Iterator[tuple[str, Part]]:
    """The parts asked for with a seed of their own, as NAME@SEED: the same look, book and faults in another match."""
    for name in parts:
        asked = name.partition(":")[0]
        known, _, seed = asked.partition("@")
        for part in (*PARTS, *KEPT):
            if part.name == known and seed.isdigit():
                yield asked, replace(part, seed=int(seed))


def _part(part: Part, strokes: int, only: int | None, found: list[Outcome]) -> Iterator[Figure]:
    began = time.process_time()
    stream = pictured(part, only or 1)
    tapes = os.environ.get("CARROM_TAPES")
    if tapes and only is None:
        Path(tapes).mkdir(parents=True, exist_ok=True)
        stream = taped(stream, Path(tapes) / f"{part.name}.tape")
    referee = Referee(stream, Table(books(), EPOCH_NS), strokes if only is None else 1)
    outcomes = iter(referee.play())
    while True:
        # Calibrating says things; the figures yielded here are not to be swallowed with them.
        with contextlib.redirect_stdout(io.StringIO()):
            one = next(outcomes, None)
        if one is None:
            break
        found.append(one)
        if astray(one) or only is not None:
            yield Figure(part.name, "sim", words(one))
    where = f"{part.name} ({part.book}, {part.look}, {part.scenario})"
    yield from figures(where, found)
    took = (time.process_time() - began) / max(len(found), 1)
    yield Figure(f"{where}: CPU a stroke, drawing and all", "host", f"{took:.1f} s")


def _tapes(folder: Path) -> Iterator[Figure]:
    """Silent errors against questions: the same strokes read at several floors of doubt."""
    tapes = sorted(folder.glob("*.tape"))
    if not tapes:
        yield Figure("tapes", "sim", f"none in {folder}: run the parts with CARROM_TAPES={folder}")
        return
    loaded = books()
    for floor in FLOORS:
        strokes: list[Outcome] = []
        for tape in tapes:
            table = Table(loaded, EPOCH_NS, replace(Limits(), doubt_floor=floor))
            strokes += Referee(played(tape), table, 1 << 30).play()
        silent, asked = sum(one.silent for one in strokes), sum(one.questions for one in strokes)
        n = len(strokes)
        yield Figure(f"curve, floor of a doubt {floor:g}", "sim", f"silent {exact(silent, n)}, questions {asked}/{n}")
        if floor == Limits().doubt_floor:
            yield from figures("tapes", strokes)


def _house(shots: int) -> Iterator[Figure]:
    """The house itself: every process, every wire."""
    plan = Plan(book="icf", look="pale-club", scenario="faults", seed=41, speed=None)
    tally, trouble = Tally(), ""
    try:
        with contextlib.redirect_stdout(io.StringIO()), built(plan) as house:
            open_eyes(house, plan)
            show = Show(house.board, house.ears, house.official, lambda *_: None, shots=shots, tally=tally)
            play(house, show)
    except CarromError as error:
        trouble = str(error)
    n = len(tally.strokes)
    yield Figure("demo (icf, pale-club, faults): strokes right", "sim", share(tally.agreeing, n), note=trouble)
    yield Figure("demo: silent wrong rulings", "sim", exact(tally.silent, n), "0", tally.silent == 0)
    yield Figure("demo: questions", "sim", f"{tally.questions}/{n}")
