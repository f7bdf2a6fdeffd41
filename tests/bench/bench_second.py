"""Strokes of a second, independent simulator (`tests/bench/second`: MuJoCo moves and draws them) through `carrom
calibrate` and `carrom watch`.

Two strokes of each validation table; with --long 25 of each table, those kept back too. `ARGS="second:3"` takes table
3, `second:3:17` its stroke 17 alone; `second:foreign` the strokes in STROKES (default ../shared/strokes).
CARROM_SECOND=FOLDER keeps what was judged, so that a run that was broken off goes on, and the pictures of what went
wrong on validation tables; those of tables kept back are never kept.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2

from controller.events.errors import CarromError
from tests.bench.figure import Figure, exact, share
from tests.bench.second.judged import Judged, calibrated, from_line, judged

SOURCE = "second"
FIX = ".venv/bin/pip install --require-hashes -r requirements-second.lock, apt install libegl1 libgl1-mesa-dri"


def run(long: bool, parts: tuple[str, ...] = ()) -> Iterator[Figure]:
    """Draws, watches and judges; yields a line for each stroke that went wrong, then the figures."""
    cv2.setNumThreads(1)
    if parts == ("foreign",):
        yield from _foreign(Path(os.environ.get("STROKES", "../shared/strokes")))
        return
    try:
        from tests.bench.second.tables import KEPT, VALIDATION
    except ImportError as error:
        yield Figure("second", SOURCE, "not measured", note=f"{error}. Fix: {FIX}")
        return
    each = 25 if long else 2
    wanted = [(seed, number) for seed in (*VALIDATION, *(KEPT if long else ())) for number in range(1, each + 1)]
    if parts:
        wanted = [pair for part in parts for pair in _named(part, each)]
    kept = os.environ.get("CARROM_SECOND")
    with TemporaryDirectory() as scratch:
        found: list[Judged] = []
        refused: dict[int, str] = {}
        for one in _all(wanted, Path(kept or scratch), refused):
            found.append(one)
            if wrong(one):
                yield Figure(f"stroke {one.id} ({one.kind})", SOURCE, words(one))
        tables = {seed for seed, _ in wanted}
        yield Figure(
            "tables calibrated", SOURCE, share(len(tables) - len(refused), len(tables)), note=str(refused or "")
        )
        validation = [one for one in found if int(one.id.partition("-")[0]) in VALIDATION]
        back = [one for one in found if one not in validation]
        for name, some in (("validation", validation), ("kept back", back)):
            if some:
                yield from figures(name, some)


def _named(part: str, each: int) -> list[tuple[int, int]]:
    seed, _, number = part.partition(":")
    return [(int(seed), int(number))] if number else [(int(seed), at) for at in range(1, each + 1)]


def _all(wanted: Sequence[tuple[int, int]], folder: Path, refused: dict[int, str]) -> Iterator[Judged]:
    """Judges strokes, five of each table in turn, so that a run that is broken off has some of each."""
    from tests.bench.second.record import Studio, write_stroke, write_table
    from tests.bench.second.tables import VALIDATION, table

    file = folder / "judged.jsonl"
    done = {one.id: one for one in map(from_line, file.read_text().splitlines())} if file.is_file() else {}
    studios: dict[int, Any] = {}
    for seed, number in sorted(wanted, key=lambda pair: ((pair[1] - 1) // 5, pair)):
        name = f"{seed}-{number:03d}"
        if name in done:
            yield done[name]
            continue
        if seed in refused:
            continue
        made = table(seed)
        rig = folder / f"rig_{seed}_calibration"
        try:
            if not (rig / "table.json").is_file():
                write_table(made, folder)
            calibration = calibrated(rig)
        except CarromError as error:
            refused[seed] = str(error)
            continue
        if seed not in studios:
            # One at a time: each holds textures and buffers of its own.
            studios.clear()
            studios[seed] = Studio(made)
        stroke = write_stroke(made, number, folder, studio=studios[seed])
        one = judged(stroke, calibration)
        with file.open("a") as out:
            out.write(one.line() + "\n")
        if not (wrong(one) and seed in VALIDATION):
            shutil.rmtree(stroke)
        yield one


def _foreign(folder: Path) -> Iterator[Figure]:
    found = []
    with TemporaryDirectory() as scratch:
        for stroke in sorted(folder.glob("stroke_*")):
            rig = json.loads((stroke / "truth.json").read_text())["rig"]
            place = Path(scratch) / rig
            if not place.is_dir():
                shutil.copytree(folder / f"rig_{rig}_calibration", place)
            one = judged(stroke, calibrated(place))
            found.append(one)
            if wrong(one):
                yield Figure(f"stroke {one.id} ({one.kind})", "foreign", words(one))
    yield from figures("foreign", found, "foreign")


def wrong(one: Judged) -> bool:
    """Says whether there is anything to tell of a stroke."""
    return bool(one.wrong or one.ruled or one.extra or one.silent or one.board or one.flags_said != one.flags_earned)


def words(one: Judged) -> str:
    """One line about a stroke that was not told as it was."""
    parts = [
        ("wrong", one.wrong), ("ruled otherwise", one.ruled), ("false foul", one.false_fouls), ("board", one.board),
        ("asked", one.questions), ("unseen", one.unseen),
    ]  # fmt: skip
    said = [f"{name}: {', '.join(what)}" for name, what in parts if what]
    if one.fell != one.fell_said:
        said.append(f"fell {'+'.join(one.fell) or '-'}, said {'+'.join(one.fell_said) or '-'}")
    if one.flags_said != one.flags_earned:
        said.append(f"flags {'+'.join(one.flags_said) or '-'}, earned {'+'.join(one.flags_earned) or '-'}")
    if one.extra:
        said.append(f"{one.extra} told that were none")
    if one.silent:
        said.append("SILENT")
    return "; ".join(said)


def figures(name: str, found: Sequence[Judged], source: str = SOURCE) -> Iterator[Figure]:
    """The figures of some strokes, and of what was none."""
    strokes, none = [one for one in found if one.stroke], [one for one in found if not one.stroke]
    n = len(strokes)
    kinds = Counter(one.kind for one in found)
    says = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    yield Figure(f"{name}: strokes told", source, share(sum(not one.missed for one in strokes), n), note=says)
    yield Figure(f"{name}: right in every fact", source, share(sum(not one.wrong for one in strokes), n))
    facts = Counter(fact for one in strokes for fact in one.wrong)
    for fact, count in facts.most_common():
        yield Figure(f"{name}: {fact} wrong", source, f"{count}/{n}")
    yield Figure(f"{name}: who struck", source, share(sum(one.seat_right and not one.missed for one in strokes), n))
    fell = sum(one.fell == one.fell_said and not one.missed for one in strokes)
    yield Figure(f"{name}: what fell, and where", source, share(fell, n))
    silent = sum(one.silent for one in found)
    yield Figure(f"{name}: silent wrong rulings", source, exact(silent, len(found)), "0", silent == 0)
    false = sum(bool(one.false_fouls) for one in strokes)
    yield Figure(f"{name}: strokes with a false foul", source, exact(false, n), "0", false == 0)
    asked = sum(bool(one.questions) for one in strokes)
    yield Figure(f"{name}: strokes asked about", source, share(asked, n))
    unseen = Counter(fact for one in strokes for fact in one.unseen)
    told = ", ".join(f"{fact} {count}" for fact, count in unseen.most_common())
    yield Figure(
        f"{name}: strokes with something named as unseen",
        source,
        share(sum(bool(o.unseen) for o in strokes), n),
        note=told,
    )
    if none:
        yield Figure(f"{name}: no strokes, none told", source, share(sum(not one.extra for one in none), len(none)))
    said = Counter(flag for one in strokes for flag in one.flags_said)
    earned = Counter(flag for one in strokes for flag in one.flags_earned)
    right = Counter(flag for one in strokes for flag in set(one.flags_said) & set(one.flags_earned))
    each = "; ".join(f"{flag} {right[flag]}/{said[flag]} of {earned[flag]}" for flag in sorted({*said, *earned}))
    yield Figure(
        f"{name}: flags right of those said; of those earned",
        source,
        f"{sum(right.values())}/{said.total()}; {sum(right.values())}/{earned.total()}",
        note=each,
    )
    whole = sum(not one.board for one in found)
    yield Figure(f"{name}: boards in the end found whole", source, share(whole, len(found)))
