"""`carrom replay` and `carrom export` on a recorded match, as a person calls them."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

import controller
from controller.cli import main
from controller.events.spreadsheet import as_csv, harmless
from controller.journal import Journal
from controller.rules.shelf import load_books
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire

EVENTS = [
    {
        "event": "start",
        "book": "icf",
        "seats": {"south": "Asha", "north": "Bén (2)"},
        "first": "south",
        "policy": {"points": 5, "games": 1},
        "position": {"left": {"white": 2, "black": 3}, "break_done": True, "queen": "covered", "queen_side": "south"},
    },
    {"event": "shot", "seat": "south", "t": 5.0, "elapsed": 4.0, "pocketed": [{"piece": "white", "pocket": "NE"}]},
    {"event": "call", "clause": "icf-30", "seat": "south"},
    {"event": "shot", "seat": "north", "t": 15.0, "placement": {"lines": "one"}},
    {"event": "correct", "seq": 4, "with": {"event": "shot", "seat": "north", "t": 15.0}},
    {"event": "shot", "seat": "south", "t": 25.0, "elapsed": 6.0, "pocketed": [{"piece": "white", "pocket": "SE"}]},
    {"event": "shot", "seat": "south", "t": 35.0, "pocketed": [{"piece": "white", "pocket": "SE"}]},
    {"event": "shot", "seat": "south", "t": 45.0, "pocketed": [{"piece": "white", "pocket": "SE"}]},
]


@pytest.fixture
def journal(tmp_path):
    path, umpire = tmp_path / "journal.sqlite", Umpire(load_books())
    with Journal(path, place="hall-2") as writer:
        for number, event in enumerate(EVENTS):
            taken = umpire.take(event)
            assert isinstance(taken, Taken), taken
            writer.append("m-1", taken.seq, taken.event, taken.ruling, 1_700_000_000.0 + 10 * number, "test")
    return path


def forge(path, seq, **change):
    """Changes a recorded ruling, as only a hand with a database tool could."""
    raw = sqlite3.connect(path)
    raw.execute("DROP TRIGGER events_are_kept")
    ruling = json.loads(raw.execute("SELECT ruling FROM events WHERE seq = ?", (seq,)).fetchone()[0])
    raw.execute("UPDATE events SET ruling = ? WHERE seq = ?", (json.dumps(ruling | change), seq))
    raw.commit()
    raw.close()


def test_the_same_books_give_the_same_rulings(journal, capsys):
    assert main(["replay", str(journal)]) == 0
    assert capsys.readouterr().out == "match m-1 (icf): 8 of 8 events ruled again, the same rulings\n"


def test_a_ruling_that_is_another_now_is_named(journal, capsys):
    forge(journal, 6, turn="north")
    assert main(["replay", str(journal)]) == 1
    out = capsys.readouterr().out
    assert "match m-1 (icf): event 6 (shot): turn was north, is now south" in out
    assert "1 rulings differ" in out


def test_an_event_that_can_no_longer_apply_is_said(journal, capsys):
    with Journal(journal) as writer:
        writer.append("m-1", 9, {"event": "shot", "seat": "south"}, {"seq": 9, "event": "shot"}, 1.0)
        writer.append("m-1", 10, {"event": "pause"}, {"seq": 10, "event": "pause"}, 1.0)
    assert main(["replay", str(journal)]) == 1
    assert "event 9 (shot) can no longer apply" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["replay", "nowhere.sqlite"], "there is no such journal"),
        (["replay", "."], ".: is a folder, no journal. Fix: name the file"),
        (["replay", "/"], "/: is a folder, no journal. Fix: name the file"),
        (["replay", "JOURNAL", "--match", "m-9"], "there is no match m-9. Fix: one of m-1"),
        (["export", "nowhere.sqlite", "--csv"], "there is no such journal"),
        (["export", "JOURNAL", "--csv", "--out", "/nowhere/at/all"], "Fix: name a writable file"),
    ],
)
def test_bad_input_is_one_line(journal, capsys, words, says):
    assert main([str(journal) if word == "JOURNAL" else word for word in words]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1


def test_an_empty_journal(tmp_path, capsys):
    Journal(tmp_path / "j").open().close()
    assert main(["replay", str(tmp_path / "j")]) == 2
    assert "no match is recorded" in capsys.readouterr().err


def exported(journal, capsysbinary, *words):
    assert main(["export", str(journal), *words]) == 0
    return capsysbinary.readouterr().out


def test_the_result_in_words(journal, capsysbinary):
    first, second, third = exported(journal, capsysbinary, "--result", "text").decode().splitlines()
    assert first == "Asha beat Bén (2) 6 : 0"
    assert "table hall-2" in second
    assert third == "boards: 6:0"


def test_lines_for_a_spreadsheet_show_what_stands(journal, capsysbinary):
    assert exported(journal, capsysbinary, "--csv").startswith("\ufeffseq,".encode()), "Excel shows names wrongly"
    rows = list(csv.DictReader(io.StringIO(exported(journal, capsysbinary, "--csv").decode("utf-8-sig"))))
    assert [row["event"] for row in rows] == [event["event"] for event in EVENTS]
    # The call's foul stands at its stroke and only there; what was corrected away is gone.
    assert [row["fouls"] for row in rows] == ["", "icf-30", "", "", "", "", "", ""]
    assert rows[1]["pocketed"] == "white:NE"
    assert rows[-1]["score south"] == "6"
    assert rows[3]["player"] == "Bén (2)"


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(1)", "'@SUM(1)"),
        (" =1", "' =1"),
        ("\t=1", "'\t=1"),
        ("\rx", "'\rx"),
        ("\uff1d1", "'\uff1d1"),
        ("a=1", "a=1"),
        ("", ""),
        (-1, -1),
    ],
)
def test_no_cell_is_a_formula(cell, written):
    assert harmless(cell) == written


def test_csv_is_written_in_one_place_only():
    writers = [
        file.name
        for file in Path(controller.__file__).parent.rglob("*.py")
        if re.search(r"csv\.(writer|DictWriter)|text/csv.*join", file.read_text(encoding="utf-8"))
    ]
    assert writers == ["spreadsheet.py"]


def test_a_title_that_looks_like_a_formula_is_a_text():
    assert as_csv(["=1", "b"], [{"=1": "@x", "b": -1}]) == "\ufeff'=1,b\r\n'@x,-1\r\n"


def test_names_and_reasons_that_look_like_formulas_are_exported_as_texts(tmp_path, capsysbinary):
    events = [
        EVENTS[0] | {"seats": {"south": "=1+1", "north": "@x"}},
        EVENTS[1],
        EVENTS[2] | {"reason": "+he told me"},
    ]
    path, umpire = tmp_path / "j.sqlite", Umpire(load_books())
    with Journal(path, place="hall-2") as writer:
        for event in events:
            taken = umpire.take(event)
            assert isinstance(taken, Taken), taken
            writer.append("m-1", taken.seq, taken.event, taken.ruling, 1_700_000_000.0, "test")
    rows = list(csv.DictReader(io.StringIO(exported(path, capsysbinary, "--csv").decode("utf-8-sig"))))
    assert rows[1]["player"] == "'=1+1"
    assert rows[2]["reason"] == "'+he told me"
    told = json.loads(exported(path, capsysbinary, "--json"))
    assert told["events"][2]["event"]["reason"] == "+he told me"
    assert "+he told me" in told["events"][2]["ruling"]["notes"]
    assert main(["replay", str(path)]) == 0


def test_everything_as_json(journal, capsysbinary):
    told = json.loads(exported(journal, capsysbinary, "--json"))
    assert told["result"]["winner"] == "south"
    asha, ben = told["players"]
    assert (asha["player"], asha["strokes"], asha["pocketed"], asha["fouls"], asha["seconds"]) == ("Asha", 4, 4, 1, 5.0)
    assert (ben["strokes"], ben["fouls"]) == (1, 0)
    assert len(told["events"]) == len(EVENTS)


def test_a_match_that_cannot_be_ruled_again_is_told_as_recorded(journal, capsys):
    with Journal(journal) as writer:
        last = writer.events("m-1")[-1].ruling
        writer.append("m-1", 9, {"event": "shot", "seat": "nowhere"}, last | {"seq": 9}, 1_700_000_100.0)
    assert main(["export", str(journal), "--json"]) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert "event 9 can no longer be ruled" in told["note"]
    assert "event 9 can no longer be ruled" in said.err
    assert told["result"]["score"] == {"south": 6, "north": 0}
    assert len(told["events"]) == 9


def test_the_card_is_a_picture(journal, tmp_path, capsysbinary):
    path = tmp_path / "card.png"
    assert exported(journal, capsysbinary, "--result", "png", "--out", str(path)).decode().strip() == str(path)
    card = cv2.imread(str(path))
    assert card.shape == (608, 1080, 3)
    assert len(np.unique(card.reshape(-1, 3), axis=0)) > 20


LED = {"score": {"south": 18, "north": 4}, "board": 5, "left": {"white": 2, "black": 6}, "break_done": True}
LEADER = EVENTS[0] | {
    "seats": {"south": "Asha Rao", "north": "Ben Kim"},
    "policy": {"games": 1},
    "position": EVENTS[0]["position"] | LED,
}
ENDINGS = [
    ("forfeit", "Asha Rao forfeited (icf-143)"),
    ("disqualify", "Asha Rao was disqualified (icf-143)"),
    ("concede", "Asha Rao conceded (icf-143)"),
]


def leader_gives(path, action):
    umpire = Umpire(load_books())
    with Journal(path, place="hall-2") as writer:
        for event in (LEADER, EVENTS[1], {"event": "call", "action": action, "clause": "icf-143", "seat": "south"}):
            taken = umpire.take(event)
            assert isinstance(taken, Taken), taken
            writer.append("m-1", taken.seq, taken.event, taken.ruling, 1_700_000_000.0, "test")
    return path


@pytest.mark.parametrize(("action", "says"), ENDINGS)
def test_every_result_says_who_gave_the_match(tmp_path, capsysbinary, action, says):
    journal = leader_gives(tmp_path / "j.sqlite", action)
    first, *_ = exported(journal, capsysbinary, "--result", "text").decode().splitlines()
    assert first == f"Ben Kim beat Asha Rao 4 : 18: {says}"
    *_, last = csv.DictReader(io.StringIO(exported(journal, capsysbinary, "--csv").decode("utf-8-sig")))
    assert last["says"] == f"{says}; Ben Kim wins the board, 0 points; Ben Kim wins the match"
    told = json.loads(exported(journal, capsysbinary, "--json"))
    assert [(one["side"], one["how"]) for one in told["result"]["given"]] == [("south", action)]


def test_the_card_says_who_gave_the_match(tmp_path, capsysbinary):
    cards = []
    for action in ("forfeit", "disqualify"):
        path = tmp_path / f"{action}.png"
        exported(
            leader_gives(tmp_path / f"{action}.sqlite", action), capsysbinary, "--result", "png", "--out", str(path)
        )
        cards.append(cv2.imread(str(path)))
    rows, _columns = np.nonzero((cards[0] != cards[1]).any(axis=2))
    assert rows.min() > 500, "only the line at the foot is another"


@pytest.mark.live
def test_the_sheet_says_who_gave_the_match(tmp_path, capsysbinary):
    path = tmp_path / "sheet.pdf"
    exported(leader_gives(tmp_path / "j.sqlite", "forfeit"), capsysbinary, "--sheet", "pdf", "--out", str(path))
    done = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True)
    assert "Ben Kim (winner)" in done.stdout
    assert "Asha Rao forfeited (icf-143)." in done.stdout


@pytest.mark.live
def test_the_sheet_is_a_pdf_that_readers_read(journal, tmp_path, capsysbinary):
    path = tmp_path / "sheet.pdf"
    exported(journal, capsysbinary, "--sheet", "pdf", "--out", str(path))
    assert path.read_bytes().startswith(b"%PDF-")
    done = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    for words in ("Carrom score sheet", "Bén (2)", "Asha (winner)", "icf-30", "hall-2", "Umpire", "Referee"):
        assert words in done.stdout
