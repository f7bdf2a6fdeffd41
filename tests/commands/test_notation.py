"""`carrom export --notation` and `carrom replay` of its files, as a person calls them; and the page about them."""

from __future__ import annotations

import dataclasses
import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from controller.cli import main
from controller.events import notation
from controller.events.notation import Notation, read_notation
from controller.events.reading import json_names
from controller.journal import Journal
from controller.rules.notation import disagreements
from controller.rules.shelf import load_books
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire
from tests.rules.test_notation import SCHEMA

PAGE = (Path(__file__).parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")
BEGAN = 1_777_640_400.0
EVENTS: list[dict[str, Any]] = [
    {
        "event": "start",
        "book": "icf",
        "seats": {"south": "Asha", "north": "Bén (2)"},
        "first": "south",
        "policy": {"points": 5, "games": 1},
        "competition": "Spring Cup",
        "position": {"left": {"white": 2, "black": 3}, "break_done": True, "queen": "covered", "queen_side": "south"},
    },
    {"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}], "reason": "a close one"},
    {"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "SE"}]},
]


def recorded(path: Path, events: list[dict[str, Any]], house: list[Path] | None = None) -> Path:
    umpire = Umpire(load_books(house or []))
    with Journal(path, place="hall-2") as writer:
        for number, event in enumerate(events):
            taken = umpire.take(event)
            assert isinstance(taken, Taken), taken
            writer.append("m-1", taken.seq, taken.event, taken.ruling, BEGAN + 10 * number, "test")
    return path


@pytest.fixture
def file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A match as a file of notation."""
    journal, out = recorded(tmp_path / "journal.sqlite", EVENTS), tmp_path / "final.carrom.json"
    assert main(["export", str(journal), "--notation", "--round", "Final", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}\n"
    return out


def test_a_match_is_written_with_its_occasion_and_ruled_again_the_same(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = read_notation(file.read_bytes())
    event = document.event
    assert (event.competition, event.round, event.table) == ("Spring Cup", "Final", "hall-2")
    assert event.began is not None
    assert datetime.fromisoformat(event.began).timestamp() == BEGAN
    assert [entry.t for _where, _board, entry in document.entries()] == [10.0, 20.0]
    assert document.result.winner == "south"
    assert "a close one" not in file.read_text(encoding="utf-8")
    assert main(["replay", str(file)]) == 0
    assert capsys.readouterr().out == f"{file} (icf): 2 entries, the same rulings\n"


def test_a_file_in_which_a_fact_was_changed_is_found(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(file.read_text().replace('"piece":"white","pocket":"NE"', '"piece":"black","pocket":"NE"'))
    assert main(["replay", str(file)]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{file} (icf): game 1 board 1 stroke 1 (event 2): cites was ")
    assert re.search(r"2 entries, \d+ values differ$", last)


def test_each_match_of_a_journal_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = recorded(tmp_path / "journal.sqlite", EVENTS)
    assert main(["journal", "export", str(journal), "--to", str(tmp_path / "all"), "--as", "carrom.json"]) == 0
    assert main(["replay", str(tmp_path / "all" / "m-1.carrom.json")]) == 0
    assert "the same rulings" in capsys.readouterr().out


def test_a_house_book_comes_with_the_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book, settings = tmp_path / "hall.toml", tmp_path / "carrom.toml"
    book.write_text('id = "our-hall"\ntitle = "Our hall"\nextends = "icf"\n[policy]\npoints = 5\n')
    settings.write_text(f'[table]\nid = "hall-2"\n[match]\nbook = "{book}"\n')
    start = {key: value for key, value in EVENTS[0].items() if key != "policy"} | {"book": str(book)}
    journal = recorded(tmp_path / "journal.sqlite", [start, *EVENTS[1:]], [book])
    out = tmp_path / "m.carrom.json"
    assert main(["export", str(journal), "--notation", "--out", str(out), "--config", str(settings)]) == 0
    assert str(tmp_path) not in out.read_text()
    assert main(["replay", str(out), "--config", str(settings)]) == 0
    assert main(["replay", str(out)]) == 2
    assert "$.start: the match cannot begin: book: there is no book 'our-hall'" in capsys.readouterr().err


def test_what_can_no_longer_be_ruled_is_not_written_as_if_it_stood(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = recorded(tmp_path / "journal.sqlite", EVENTS)
    with Journal(journal) as writer:
        writer.append("m-1", 4, {"event": "shot", "seat": "nowhere"}, {"seq": 4, "event": "shot"}, BEGAN + 30)
    assert main(["export", str(journal), "--notation"]) == 2
    *_, last = capsys.readouterr().err.splitlines()
    assert "event 4 can no longer be ruled" in last
    assert "Fix: use --json" in last


@pytest.mark.parametrize(
    ("body", "more", "says"),
    [
        ("", [], "is no JSON"),
        ('{"notation": 7}', [], "$.notation is version 7"),
        ("{}", ["--match", "m-1"], "holds one match. Fix: leave --match out"),
        (None, [], "there is no such file. Fix: name a file of carrom notation"),
    ],
)
def test_a_bad_file_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str | None, more: list[str], says: str
) -> None:
    path = tmp_path / "bad.json"
    if body is not None:
        path.write_text(body)
    assert main(["replay", str(path), *more]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert "Fix: " in err
    assert err.count("\n") == 1


def test_no_more_of_a_file_is_read_than_a_match_may_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(100 << 20)
    assert main(["replay", str(path)]) == 2
    assert "is too long; at most 16777216 bytes are taken. Fix: " in capsys.readouterr().err


def test_the_pages_example_is_a_match_that_rules_as_it_says() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.S)
    SCHEMA.validate(json.loads(example))
    assert disagreements(read_notation(example), load_books()) == ()


def fields_of(model: Any, found: set[str]) -> set[str]:
    """The JSON names of a dataclass of the notation and of all within it."""
    for hint in get_type_hints(model).values():
        for part in (hint, *get_args(hint), *(inner for one in get_args(hint) for inner in get_args(one))):
            if dataclasses.is_dataclass(part) and part.__module__ == notation.__name__:
                fields_of(part, found)
    return found | set(found.update(json_names(model).values()) or ())


def test_the_page_names_every_field() -> None:
    names = fields_of(Notation, set())
    assert len(names) > 60
    table = PAGE.partition("## Fields")[2].partition("\n## ")[0]
    assert sorted(name for name in names if f"`{name}`" not in table) == []
