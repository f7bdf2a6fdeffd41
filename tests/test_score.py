"""The scorer of detectors: what is right, missed, false, misnamed or left out, and what is no answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.eyes.score import main, score

TRUTH = [("white", 10.0, 20.0, 1.0), ("queen", -100.0, 0.0, 1.0), ("black", 200.0, 50.0, 0.3)]


def line(name: str, *pieces: tuple[str, float, float], hidden: object = ()) -> str:
    found = [{"piece": piece, "x": x, "y": y} for piece, x, y in pieces]
    return json.dumps({"image": f"any/{name}.jpg", "pieces": found, "hidden": hidden})


RIGHT = (("white", 10.5, 20.0), ("queen", -100.0, 0.0))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    truth = [{"class": kind, "x_mm": x, "y_mm": y, "visible_fraction": seen} for kind, x, y, seen in TRUTH]
    for name in ("still_T1_00", "still_T1_01"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"pieces": truth}))
    return tmp_path


def test_boards_told_right_are_counted_and_a_piece_mostly_covered_counts_neither_way(folder: Path) -> None:
    told = [line("still_T1_00", *RIGHT), line("still_T1_01", *RIGHT, ("black", 200.0, 50.0))]
    tally = score(folder, told)
    assert (tally.right, tally.boards, tally.total, tally.hidden) == (2, 2, 4, 0)
    assert max(tally.errors) == 0.5


@pytest.mark.parametrize(
    ("pieces", "counts"),
    [
        (RIGHT[:1], (1, 0, 0)),
        ((*RIGHT, ("black", 0.0, -200.0)), (0, 1, 0)),
        ((RIGHT[0], ("white", -100.0, 0.0)), (0, 0, 1)),
        ((RIGHT[0], ("queen", -100.0, 9.0)), (1, 1, 0)),
    ],
)
def test_one_fault_makes_a_board_wrong(
    folder: Path, pieces: tuple[tuple[str, float, float], ...], counts: tuple[int, int, int]
) -> None:
    tally = score(folder, [line("still_T1_00", *pieces), line("still_T1_01", *RIGHT)])
    assert (tally.missed, tally.false, tally.misnamed) == counts
    assert (tally.right, tally.boards) == (1, 2)


def test_a_picture_without_an_answer_is_a_wrong_board(folder: Path) -> None:
    tally = score(folder, [line("still_T1_00", *RIGHT)])
    assert (tally.right, tally.boards) == (1, 2)


def test_what_is_called_hidden_is_left_out_and_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    around = [[[-120, -20], [-80, -20], [-80, 20], [-120, 20]]]
    answers = folder / "answers"
    told = [line("still_T1_00", RIGHT[0], hidden=around), line("still_T1_01", *RIGHT)]
    answers.write_text("\n".join(told))
    assert main([str(folder), str(answers)]) == 0
    said = capsys.readouterr().out
    assert "left out as hidden   1 of 4" in said
    assert "whole boards right   2/2" in said


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (["no JSON"], "answer 1 is none"),
        (['{"image": "still_T1_00.jpg"}'], "answer 1 is none"),
        ([line("still_T1_00"), line("still_T1_00")], "answer 2: still_T1_00 has one already"),
    ],
)
def test_what_is_no_answer_is_named(folder: Path, told: list[str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        score(folder, told)
