"""Two states of the code, stroke by stroke: the same input is read by each, all that comes out is written down.

    python -m tests.bench.parity make FOLDER [KIND [FIRST AFTER]]   films and tapes of fixed seeds, once
    python -m tests.bench.parity write FOLDER OUT [KIND]  reads them with the code as it is: one JSON object a stroke
    python -m tests.bench.parity compare BEFORE AFTER     what differs, by stroke, and what it did to the ruling

`drawn` strokes are drawn one by one, `tapes` are matches at the level of observations, `films` are pictures. A film
keeps what the finder answered, so that only following and telling are run again: pictures on boards of several
measures, friction 0.05 to 0.13 and restitution 0.65 to 0.93, with every fault the players and the sensors have.
`windows` are of as many kinds and keep the motion windows alone: some 10 s to make a stroke, 0.1 s to explain it again.
`breaks` are windows of opening strokes, one a table, their detections late by 20 to 400 ms. Both are
made only where asked for, those of numbers FIRST to AFTER; `blind` and `blind breaks` read them without their beams.
The seeds are no other bench's.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import pickle
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import asdict, is_dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from calibration.presets import PRESETS
from controller.events.codec import event_to_json
from controller.events.match import Start
from controller.events.observation import StrokeSeen
from controller.events.wire import observation_to_line
from controller.simulator.clock import EPOCH_NS
from controller.simulator.director import Setting, SimulatedTable
from controller.simulator.physics import Material
from controller.simulator.pieces import pieces_of
from controller.simulator.scenario import SCENARIOS
from controller.simulator.umpire import TrueUmpire
from controller.vision.calibration_file import Calibration, load
from controller.vision.following.eyes import A, Q, at_once
from controller.vision.sources.frame import Frame
from tests.bench.bench_ablation import ROUGH
from tests.bench.pictured import LATE_MS, LateAnswers, Part, calibration_of, eyes_of, filmed, followed, windowed
from tests.bench.refereed import Outcome, Referee, Table, books
from tests.bench.tally_of import fate
from tests.bench.tapes import BEAMS, explained, played, taped
from tests.shots import judged
from tests.shots.happenings import HEALTHY, Rates
from tests.simulator.observed import Eyesight, ObservedTable

A_MATCH = 14
MATCHES = 150
DRAWN = 1200
A_FILM = 6
A_WINDOWS = 14
A_BREAK = 1
SEED = 31_000_000
LOOKS = (
    ("pale-club", "clean"), ("birch-match", "players"), ("walnut-club", "faults"), ("lacquer-dark", "sensors"),
    ("pale-on-pale", "beginners"), ("kept-red", "faults"), ("kept-tubes", "sensors"), ("kept-sun", "clean"),
    ("kept-mirror", "beginners"), ("kept-honey", "players"), ("kept-slate", "sensors"), ("mirror", "faults"),
    ("pale", "sensors"), ("pale-on-pale", "faults"),
)  # fmt: skip


def films() -> Iterator[Part]:
    """What is filmed: each look on the next of the boards that ship, on its own stuff."""
    boards = [name for name in PRESETS if name != "home-24-inch"]
    for number, (look, scenario) in enumerate(LOOKS):
        rng = Random(SEED + number)
        book = ("icf", "club", "campus", "classic")[number % 4]
        board = boards[number // 2 % len(boards)] if number % 2 else "international"
        yield Part(f"{number:02d}-{look}", book, look, scenario, SEED + number, board, _material(rng))


def _material(rng: Random) -> Material:
    return Material(surface_friction=rng.uniform(0.05, 0.13), piece_restitution=rng.uniform(0.65, 0.93))


def windows(first: int, after: int) -> Iterator[Part]:
    """What is filmed for its motion windows: each look with each scenario, board and book in turn."""
    looks, scenarios = [look for look, _ in LOOKS], ("clean", "players", "faults", "sensors", "beginners")
    for number in range(first, after):
        rng = Random(SEED + 5000 + number)
        look, scenario = looks[number % len(looks)], scenarios[number // len(looks) % len(scenarios)]
        board = rng.choice([name for name in PRESETS if name != "home-24-inch"])
        book = rng.choice(("icf", "club", "campus", "classic"))
        name = f"{number:04d}-{look}"
        yield Part(name, book, look, scenario, SEED + 5000 + number, board, _material(rng))


def breaks(first: int, after: int) -> Iterator[Part]:
    """What is filmed for its opening strokes: looks of *club* and *match* cameras, boards and kinds of wood.

    Half of them as the cheapest camera sees them that is fast enough: there following exchanges most pieces.
    """
    others = ("birch-match", "walnut-club", "mirror", "kept-red", "kept-sun")
    scenarios = ("clean", "tour", "tour", "players", "sensors")
    for number in range(first, after):
        rng = Random(SEED + 9000 + number)
        look = others[number // 2 % len(others)] if number % 2 else "pale-club"
        scenario = rng.choice(scenarios)
        board = rng.choice([name for name in PRESETS if name != "home-24-inch"]) if number % 4 > 1 else "international"
        book = rng.choice(("icf", "club", "campus", "classic"))
        yield Part(f"{number:04d}-{look}", book, look, scenario, SEED + 9000 + number, board, _material(rng))


KINDS = {"windows": (windows, A_WINDOWS), "breaks": (breaks, A_BREAK)}
"""What motion windows are taped of: which tables, and how many strokes of each."""


def make(folder: Path, only: str = "", first: str = "0", after: str = "0") -> None:
    """Makes the tapes and films that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    loaded, presets = books(), list(PRESETS.values())
    for n in range(MATCHES if only in ("", "tapes") else 0):
        tape, seed = folder / f"{n:03d}.tape", SEED + 1000 + n
        if tape.exists():
            continue
        rng = Random(seed)
        board = presets[n // 2 % len(presets)] if n % 2 else presets[0]
        book = rng.choice(("icf", "club", "campus", "classic", "world-point"))
        setting = Setting(
            Start(book, {"south": "A", "north": "B"}, "south"),
            pieces_of(board),
            _material(rng),
            SCENARIOS[rng.choice(("clean", "players", "sensors", "faults", "dead-beam", "beginners"))],
            seed,
            60.0,
        )
        eyes = ROUGH if rng.random() < 0.3 else Eyesight()
        stream = ObservedTable(SimulatedTable(setting, TrueUmpire(loaded)), eyes, seed).play()
        _finish(tape, lambda part, stream=stream, board=board: _watch(taped(stream, part), board, A_MATCH))
    for part in films() if only in ("", "films") else ():
        film = folder / f"{part.name}.film"
        if not film.exists():
            began = time.process_time()
            with _answers(folder / f"{part.name}.answers") as ask, contextlib.redirect_stdout(io.StringIO()):
                eyes, board = eyes_of(part, ask, _calibration(folder, part)), PRESETS[part.board]
                _finish(film, lambda file, part=part, eyes=eyes, board=board: _watch(
                    followed(taped(filmed(part), file), eyes), board, A_FILM))  # fmt: skip
            print(f"{film.name}: {time.process_time() - began:.0f} s", flush=True)

    if only in KINDS:
        parts, strokes = KINDS[only]
        for part in parts(int(first), int(after)):
            _tape_windows(folder / f"{part.name}.{only}", part, strokes, late=only == "breaks")


def _tape_windows(tape: Path, part: Part, strokes: int, *, late: bool) -> None:
    if tape.exists():
        return
    began, board = time.process_time(), PRESETS[part.board]
    answers = LateAnswers(Random(part.seed).choice(LATE_MS) * 1_000_000)
    with contextlib.redirect_stdout(io.StringIO()):
        film, eyes = filmed(part), eyes_of(part, answers.ask if late else at_once)
        stream = windowed(answers.clocked(film), eyes)
        _finish(tape, lambda file: _watch(explained(taped(stream, file), board), board, strokes))
    print(f"{tape.name}: {time.process_time() - began:.0f} s", flush=True)


def _calibration(folder: Path, part: Part) -> Calibration:
    """The calibration that a film was made with: who changes how it is made must not shift what is followed."""
    place = folder / f"{part.name}.calibrated"
    if not (place / "calibration.json").exists():
        place.mkdir(exist_ok=True)
        calibration_of(part.look, part.seed, part.board, place)
    return load(place / "calibration.json")


def _finish(file: Path, does: Callable[[Path], object]) -> None:
    part = file.with_suffix(".part")
    does(part)
    part.rename(file)


def _watch(stream: Iterator[Any], board: Any, strokes: int) -> list[Outcome]:
    return list(Referee(stream, Table(books(), EPOCH_NS, board=board), strokes).play())


@contextlib.contextmanager
def _answers(file: Path) -> Iterator[Any]:
    """Yields who answers what the follower asks: from the file if it was asked before, else by doing the work.

    Strokes are always explained anew: that is what is held against another state of the code.
    """
    known: dict[str, Any] = pickle.loads(file.read_bytes()) if file.exists() else {}
    had = len(known)

    def ask(work: Callable[Q, A]) -> Callable[Q, Future[A]]:
        if work.__name__ == "explanation":
            return at_once(work)

        def asked(*args: Q.args, **kwargs: Q.kwargs) -> Future[A]:
            said = [one.number if isinstance(one, Frame) else one for one in args]
            key = hashlib.sha1((work.__name__ + repr([_plain(one) for one in said])).encode()).hexdigest()
            if key not in known:
                known[key] = at_once(work)(*args, **kwargs).result()
            answer: Future[A] = Future()
            answer.set_result(known[key])
            return answer

        return asked

    yield ask
    if len(known) > had:
        file.write_bytes(pickle.dumps(known))


def _plain(one: Any) -> Any:
    """What tells a question from another: numbers to a millionth."""
    if is_dataclass(one):
        return [_plain(getattr(one, name)) for name in one.__dataclass_fields__]
    if hasattr(one, "tolist"):
        return _plain(one.tolist())
    if isinstance(one, list | tuple):
        return [_plain(part) for part in one]
    return round(one, 6) if isinstance(one, float) else repr(one)


def write(folder: Path, out: Path, kinds: tuple[str, ...]) -> None:
    """Reads everything with the code as it is."""
    with out.open("w") as file:
        for kind in kinds:
            began, n = time.monotonic(), 0
            for line in READ[kind](folder):
                file.write(json.dumps(line, sort_keys=True, default=repr) + "\n")
                n += line.get("fate") is not None
            print(f"{kind}: {n} strokes in {time.monotonic() - began:.0f} s", flush=True)


def _drawn(_folder: Path) -> Iterator[dict[str, Any]]:
    loaded = judged.load_books()
    judged.load_books = lambda: loaded
    ten = {name: min(0.3, 10 * value) for name, value in asdict(Rates()).items()}
    for kind, rates in (("faults", Rates()), ("healthy", HEALTHY), ("ten times", Rates(**ten))):
        for n in range(DRAWN // 3):
            one = judged.Bench(SEED + 2000 + n, rates).one()
            yield {
                "at": f"drawn {kind} {n}",
                "shot": event_to_json(one.shot),
                "fate": "silent" if one.silent else "asked" if one.asked else "same" if one.same_ruling else "known",
                "false_fouls": one.false_fouls,
                "told": one.again,
            }


def _tapes(folder: Path) -> Iterator[dict[str, Any]]:
    presets = list(PRESETS.values())
    for tape in sorted(folder.glob("*.tape")):
        n = int(tape.stem)
        board = presets[n // 2 % len(presets)] if n % 2 else presets[0]
        yield from _outcomes(f"tape {tape.stem}", _watch(played(tape), board, 1 << 30))


def _films(folder: Path) -> Iterator[dict[str, Any]]:
    for part in films():
        film = folder / f"{part.name}.film"
        if not film.exists():
            continue
        strokes: list[StrokeSeen] = []
        with _answers(folder / f"{part.name}.answers") as ask, contextlib.redirect_stdout(io.StringIO()):
            stream = followed(played(film), eyes_of(part, ask, _calibration(folder, part)))
            found = _watch(_noted(stream, strokes), PRESETS[part.board], 1 << 30)
        for seen in strokes:
            yield {"at": f"film {part.name} seen {seen.began_ns}", "seen": json.loads(observation_to_line(seen))}
        yield from _outcomes(f"film {part.name}", found)


def _windows(kind: str, folder: Path, without: tuple[type, ...] = ()) -> Iterator[dict[str, Any]]:
    for tape in sorted(folder.glob(f"*.{kind}")):
        (part,) = KINDS[kind][0](int(tape.name[:4]), int(tape.name[:4]) + 1)
        board = PRESETS[part.board]
        stream = (one for one in played(tape) if not isinstance(one, without))
        yield from _outcomes(f"{kind} {part.name}", _watch(explained(stream, board), board, 1 << 30))


READ: dict[str, Callable[[Path], Iterator[dict[str, Any]]]] = {
    "drawn": _drawn,
    "tapes": _tapes,
    "films": _films,
    "windows": partial(_windows, "windows"),
    "blind": partial(_windows, "windows", without=BEAMS),
    "breaks": partial(_windows, "breaks"),
    "blind breaks": partial(_windows, "breaks", without=BEAMS),
}


def _noted(stream: Iterator[Any], strokes: list[StrokeSeen]) -> Iterator[Any]:
    for one in stream:
        if isinstance(one, StrokeSeen):
            strokes.append(one)
        yield one


def _outcomes(name: str, found: list[Outcome]) -> Iterator[dict[str, Any]]:
    for one in found:
        yield {
            "at": f"{name} stroke {one.number}",
            "shot": one.said,
            "ruling": one.ruling,
            "told": one.noticed_by,
            "fate": fate(one) if one.stroke.ruled or one.stroke.missed else "asked" if one.questions else "same",
            "false_fouls": one.false_fouls,
            "wrong": one.stroke.wrong,
            "missed": one.stroke.missed,
        }


def compare(before: Path, after: Path) -> int:
    """Prints what differs; returns how many strokes do."""
    olds, news = (_by_name(path) for path in (before, after))
    differ = 0
    for name in sorted({*olds, *news}):
        old, new = olds.get(name), news.get(name)
        if old == new:
            continue
        differ += 1
        if old is None or new is None:
            print(f"{name}: {'only after' if old is None else 'only before'}")
            continue
        for what in sorted({*old, *new} - {"at"}):
            for path, a, b in _apart(old.get(what), new.get(what), what):
                print(f"{name}: {path}: {_short(a)} → {_short(b)}")
    for title, some in (("before", olds), ("after", news)):
        strokes = [one for one in some.values() if "fate" in one]
        fates = Counter(one["fate"] for one in strokes)
        false = sum(bool(one["false_fouls"]) for one in strokes)
        print(f"{title}: {len(strokes)} strokes, {dict(sorted(fates.items()))}, false fouls {false}")
    print(f"{differ} differ")
    return differ


def _apart(a: Any, b: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted({*a, *b}):
            yield from _apart(a.get(key), b.get(key), f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for k, (one, two) in enumerate(zip(a, b, strict=True)):
            yield from _apart(one, two, f"{path}[{k}]")
    elif a != b:
        yield path, a, b


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 160 else text[:157] + "…"


def _by_name(path: Path) -> dict[str, dict[str, Any]]:
    return {one["at"]: one for one in map(json.loads, path.read_text().splitlines())}


def main(words: list[str]) -> int:
    """Does what is asked for."""
    match words:
        case ["make", folder, *only]:
            make(Path(folder), *only)
        case ["write", folder, out, *kinds]:
            write(Path(folder), Path(out), tuple(kinds) or ("drawn", "tapes", "films"))
        case ["compare", before, after]:
            return int(compare(Path(before), Path(after)) > 0)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
