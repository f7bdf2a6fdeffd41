"""Books as files and as lists: the command that reads them, errors with file and line, what follows from a clause."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller.events.codec import event_from_json
from controller.events.errors import ConfigError
from controller.rules import apply, begin, call_list, expectation, reference, watched
from controller.rules.shelf import load_books
from tests.rules.scenes import BOOKS, shot, start

# --- the command -----------------------------------------------------------------------------------------------------


def carrom(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "controller.cli", *words],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.live
def test_carrom_rule_answers_every_line_and_never_stops() -> None:
    lines = ["nonsense", "[1]", json.dumps(shot()), json.dumps(start("icf")), '{"event": "shot", "seat": "\\ud800"}']
    lines += [json.dumps(shot("W")), json.dumps(start("club")), json.dumps(shot("B"))]
    done = carrom("rule", text="\n".join(lines) + "\n")
    out = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert len(out) == len(lines)
    assert [one.get("error") is not None for one in out] == [True, True, True, False, True, False, False, False]
    assert [one["seq"] for one in out[3:]] == [1, 2, 3, 1, 2]
    assert [one["event"] for one in out[:3]] == ["", "", "shot"]


@pytest.mark.live
def test_house_books_work_where_a_book_id_works(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('id = "house"\ntitle = "House rules"\nextends = "icf"\n[policy]\npoints = 11\n')
    begin_ = json.dumps({**start("icf"), "book": str(file), "tournament": True})
    casual = {k: v for k, v in start("icf").items() if k != "book"}
    done = carrom("rule", "--book", str(file), text=f"{begin_}\n{json.dumps(casual)}\n")
    tournament, plain = (json.loads(line) for line in done.stdout.splitlines())
    assert "tournament" in tournament["error"]
    assert plain["turn"] == "south"
    shown = carrom("books", "show", str(file), "--json")
    policy = {row["key"]: row["value"] for row in json.loads(shown.stdout)["policy"]}
    assert (policy["points"], policy["boards"]) == (11, 8)


@pytest.mark.live
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('id = "house"\nextends = "icf"\n[policy]\npointz = 3\n', ":4: policy.pointz"),
        ('id = "house"\nextends = "icf"\n[policy]\npoints = "x"\n', ":4: policy.points"),
        ('id = "house"\nextends = "nobody"\n', "extends"),
        (
            'id = "house"\nextends = "icf"\n\n[[clause]]\nid = "icf-1"\nkind = "magic"\nsays = "abc"\n',
            ":6: clause.0.kind",
        ),
        ('id = "house"\nextends = "icf"\nshoes = 3\n', ":3: shoes"),
        ('id = "house"\nextends = "icf"\n[roles]\nking = "icf-20"\n', ":4: roles.king"),
        ('id = "icf"\nextends = "icf"\n', "id"),
        ('id = "House"\nextends = "icf"\n', ":1: id: must be of small letters a-z, figures and - alone. Fix:"),
        (
            'id = "house"\nextends = "icf"\n\n[[clause]]\nid = "House 1"\n',
            ":5: clause.0.id: must be a book's id, - and a",
        ),
        ('id = "house"\n', "title"),
        ("id = \n", "TOML"),
    ],
)
def test_errors_in_a_house_book_name_file_key_and_line(tmp_path: Path, text: str, named: str) -> None:
    file = tmp_path / "house.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_books([file])
    assert str(file) in str(caught.value)
    assert named in str(caught.value)
    assert "Fix:" in str(caught.value)
    done = carrom("books", "show", str(file))
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


# --- one description, many uses --------------------------------------------------------------------------------------


@pytest.mark.parametrize("book", BOOKS.values(), ids=lambda book: book.id)
def test_calls_steps_and_setup_appear_with_their_consequence(book: Any) -> None:
    calls = {item.clause: item for item in call_list(book)}
    shown = {row["id"]: row for row in reference(book)}
    for clause in book.clauses.values():
        if clause.kind in ("call", "flag"):
            assert calls[clause.id].consequence == clause.consequence
            assert calls[clause.id].then
        elif clause.kind == "steps":
            assert shown[clause.id]["steps"] or shown[clause.id]["then"]
        elif clause.kind == "setup":
            assert shown[clause.id]["check"] or shown[clause.id]["says"]


def test_what_is_watched_follows_from_what_the_sensors_can() -> None:
    without = {one.clause: one for one in watched(BOOKS["icf"], ["pocketed", "clock", "beams"])}
    assert (without["icf-130b"].how, without["icf-72a"].how, without["icf-33"].how) == ("on call", "watched", "on call")
    assert without["icf-130b"].missing == ("placement.circle", "placement.arrow")
    full = {one.clause: one for one in watched(BOOKS["icf"], ["pocketed", "placement", "flags"])}
    assert (full["icf-130b"].how, full["icf-33"].how, full["icf-34"].how) == ("watched", "watched", "on call")


def test_the_expectation_tells_the_table_what_comes_next() -> None:
    state = begin(BOOKS)
    for event in (start("icf"), shot("W"), shot("S", rest=[{"piece": "white", "x": 1.0, "y": 2.0}])):
        state, _ = apply(state, event_from_json(event))
    expected = expectation(state)
    assert expected.turn == "north"
    assert dict(expected.on_board) == {"white": 9, "black": 9, "queen": 1}
    assert [(one.piece, one.by, one.within) for one in expected.to_place] == [
        ("white", "north", ((0.0, 0.0), 15.9, 85.0))
    ]
    assert dict(expected.colours) == {"south": "white", "north": "black"}
    assert not expected.opening
    assert {"placement.lines", "pocketed"} <= expected.needs
    assert expected.circle_in_order == ("clear", "covered")
