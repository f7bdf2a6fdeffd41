"""Random rubbish at every door that needs no process, the same at each run: answered or refused, never a traceback.

`make soak` does the same for an hour to a running table (`tests/soak/test_doors.py`).
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.cli import main
from controller.commands.rule import rule_line
from controller.commands.watch import read_beams, read_start
from controller.config import load_config
from controller.events.codec import ruling_to_json
from controller.events.errors import CarromError
from controller.events.ruling import Refusal
from controller.hub.tables import Tables
from controller.mqtt.calls import CallDesk, Take
from controller.rules import begin, expectation, open_questions
from controller.rules.shelf import load_book, load_books
from controller.table.match.umpire import Umpire
from controller.vision.calibration_file import Calibration, load, save
from controller.vision.looks import looks_of
from tests.doors.hostile import EVENTS, NUMBERS, UNREADABLE, VALUES, anything, change, changed_event, hostile_toml

SEED = 20
BOOKS = load_books()


def started(rng: random.Random) -> dict[str, Any]:
    return {**EVENTS[0], "book": rng.choice(list(BOOKS))}


@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
def test_the_rules_take_or_refuse_every_line(seed: int) -> None:
    rng = random.Random(seed)
    state = begin(BOOKS)
    ruled = 0
    for number in range(3000):
        line = json.dumps(started(rng)).encode() if number % 60 == 0 else anything(rng)
        state, said = rule_line(state, line, "icf")
        # What is said must go out by every outlet: as JSON, in UTF-8, with finite numbers.
        json.dumps(ruling_to_json(said), ensure_ascii=False, allow_nan=False).encode()
        if not isinstance(said, Refusal):
            ruled += 1
            expectation(state)
            open_questions(state)
    assert ruled > 50


@pytest.mark.parametrize("seed", range(SEED, SEED + 2))
def test_a_tables_umpire_takes_previews_or_refuses(seed: int) -> None:
    rng = random.Random(seed)
    umpire = Umpire(BOOKS)
    umpire.take(dict(EVENTS[0]))
    for _ in range(400):
        event = changed_event(rng)
        json.dumps(umpire.preview(copy.deepcopy(event)), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        said = umpire.take(event)
        if isinstance(said, Refusal):
            assert said.error
        else:
            json.dumps([said.event, said.ruling], ensure_ascii=False, allow_nan=False).encode()
        umpire.questions()
        umpire.hanging()
        umpire.waiting_to_be_placed()
        umpire.info("hall-1", "m")


def test_calls_and_the_hub_answer_everything() -> None:
    rng = random.Random(SEED)
    desk, tables, taken = CallDesk(), Tables(), 0
    for number in range(2000):
        event = changed_event(rng)
        event |= {"id": rng.choice((f"c{number}", rng.choice(VALUES))), "t": rng.choice((1000.0, rng.choice(VALUES)))}
        raw = rng.choice((json.dumps(event).encode(), anything(rng)))
        said = desk.judge(raw, 1000.0)
        if isinstance(said, Take):
            taken += 1
            desk.answered(said.id, {"seq": number})
        else:
            json.dumps(dict(said.body), ensure_ascii=False, allow_nan=False).encode()
        kind = rng.choice(("score", "health", "availability", "alert/a", "alert/b", "alert", "x/y/z"))
        tables.heard(f"carrom/t{rng.randrange(5)}/{kind}", raw)
        json.dumps(tables.plain(), ensure_ascii=False, allow_nan=False).encode()
    assert taken > 20


def one_line_or_fine(read: Any) -> bool:
    try:
        read()
    except CarromError as error:
        said = str(error)
    else:
        return True
    assert "\n" not in said
    return False


def test_settings_of_rubbish(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    file = tmp_path / "carrom.toml"
    for _ in range(300):
        file.write_bytes(hostile_toml(rng))
        one_line_or_fine(lambda: load_config(file))
        one_line_or_fine(lambda: load_book(file))


def test_files_of_rubbish(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    file = tmp_path / "calibration.json"
    K = np.array(((900.0, 0, 320.0), (0, 900.0, 240.0), (0, 0, 1)))
    pose = np.diag((1.0, -1.0, -1.0)), np.array((0.0, 0.0, 1100.0))
    save(
        file,
        Calibration(CameraModel(K, np.zeros(5), *pose, (640, 480)), board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD)),
    )
    sound = json.loads(file.read_text())
    fine = 0
    for _ in range(300):
        content = copy.deepcopy(sound)
        change(content, rng)
        file.write_text(json.dumps(content))
        fine += one_line_or_fine(lambda: load(file))
        file.write_bytes(b"\n".join(anything(rng) for _ in range(3)))
        one_line_or_fine(lambda: read_beams(file))
        one_line_or_fine(lambda: read_start(file))
    assert fine < 200


OPTIONS: dict[str, tuple[str, ...]] = {
    "calibrate": (
        *("--lens=*", "--empty", "--opening", "--image", "--corners", "--south", "--size", "--squares", "--square-mm"),
        *("--marker-mm", "--dictionary", "--coin-diameter", "--coin-thickness", "--striker-diameter", "--report"),
    ),
    "detect": ("--calibration", "--size", "--http", "--source"),
    "watch": ("--calibration", "--video", "--fps", "--beams", "--start"),
    "pockets": ("--set", "--config", "--node", "--count"),
    "record": ("--config", "--seconds", "--case", "--out"),
    "demo": ("--boards", "--shots", "--seed", "--speed", "--book", "--broker", "--look", "--node"),
    "books": ("--json",),
    "rule": ("--book",),
    "replay": ("--match", "--config"),
    "export": ("--match", "--sheet", "--result", "--config"),
}
ALWAYS = {"demo": ("--http", "99999"), "pockets": ("--port", "/nowhere"), "rule": ("/nowhere",), "books": ("show", "x")}


@pytest.mark.parametrize("command", OPTIONS)
def test_options_of_rubbish(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(f"{SEED}{command}")
    for _ in range(25):
        words = [command, *ALWAYS.get(command, ())]
        for option in rng.sample(OPTIONS[command], min(2, len(OPTIONS[command]))):
            words += [option, rng.choice(NUMBERS)]
        try:
            code = main(words)
        except SystemExit as left:
            code = left.code
        assert code == 2, words
        assert "Traceback" not in capsys.readouterr().err, words


def test_the_rubbish_is_of_every_kind() -> None:
    """What the fuzzers throw holds what broke the doors once."""
    rng = random.Random(SEED)
    thrown = [anything(rng) for _ in range(3000)]
    assert all(raw in thrown for raw in UNREADABLE.values())
    assert any(b"\\ud83d" in raw for raw in thrown if raw not in UNREADABLE.values())
