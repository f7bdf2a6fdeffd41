"""`carrom statistics`: figures over matches, of those who want them, for as long as they want them."""

from __future__ import annotations

import json
import time

import pytest

from controller.cli import main
from controller.journal import Journal
from controller.rules.shelf import load_books
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire

START = {"event": "start", "book": "icf", "seats": {"south": "Asha", "north": "Ben"}, "first": "south"}
WHITE = [{"piece": "white", "pocket": "NE"}]
REST = [{"piece": "white", "x": 12.0, "y": 80.0}, {"piece": "black", "x": -12.0, "y": 80.0}]


def shot(seat, t, **more):
    return {"event": "shot", "seat": seat, "t": t, **more}


LAST_WEEK = [
    START,
    shot("south", 5.0, pocketed=WHITE, rest=REST, placement={"x": -40.0, "y": -252.6, "lines": "both"}),
    shot("south", 15.0),
    {"event": "pause"},
    shot("north", 20.0, pocketed=[{"piece": "black", "pocket": "SE"}]),
    {"event": "resume"},
    shot("north", 25.0, pocketed=[{"piece": "black", "pocket": "SE"}], placement={"lines": "one"}),
]
YESTERDAY = [
    START | {"first": "north"},
    shot("north", 5.0),
    shot("south", 15.0, pocketed=WHITE),
    {"event": "void"},
    shot("south", 35.0, placement={"x": -41.0, "y": -252.6, "lines": "both"}),
]


@pytest.fixture
def journal(tmp_path):
    path, now = tmp_path / "journal.sqlite", time.time()
    with Journal(path) as writer:
        for name, days, events in (("m-1", 7, LAST_WEEK), ("m-2", 1, YESTERDAY)):
            umpire = Umpire(load_books())
            for number, event in enumerate(events):
                taken = umpire.take(event)
                assert isinstance(taken, Taken), taken
                writer.append(name, taken.seq, taken.event, taken.ruling, now - days * 86_400 + number, "test")
    return path


def figures(journal, capsys, players, days=365):
    config = journal.with_name("carrom.toml")
    config.write_text(f"[statistics]\nplayers = {json.dumps(players)}\ndays = {days}\n")
    assert main(["statistics", str(journal), "--config", str(config)]) == 0
    return {one.pop("player"): one for one in json.loads(capsys.readouterr().out)["players"]}


def test_shares_breaks_and_maps_over_all_matches(journal, capsys):
    asha = figures(journal, capsys, ["Asha"])["Asha"]
    assert (asha["matches"], asha["strokes"], asha["pocketing_share"]) == (2, 3, 0.333)
    assert (asha["breaks"], asha["break_success"]) == (1, 1.0)
    assert asha["placements"] == [{"x": -45.0, "y": -255.0, "count": 2}]
    assert asha["ends"] == [{"x": -15.0, "y": 75.0, "count": 1}, {"x": 15.0, "y": 75.0, "count": 1}]


def test_a_foul_pockets_nothing_and_a_stroke_that_is_void_is_none(journal, capsys):
    ben = figures(journal, capsys, ["Ben"])["Ben"]
    assert (ben["strokes"], ben["pocketing_share"]) == (2, 0.0)


def test_who_does_not_want_it_is_not_counted_and_who_takes_the_name_off_is_gone(journal, capsys):
    assert set(figures(journal, capsys, ["Ben"])) == {"Ben"}
    assert set(figures(journal, capsys, ["Asha"])) == {"Asha"}


@pytest.mark.parametrize("wanted", ["Zoë Müller", "Zoe\u0308 Mu\u0308ller", "zoë müller"])
def test_a_player_is_one_whichever_keyboard_wrote_the_name(tmp_path, capsys, wanted):
    """Written into the journal as they came, by a version that did not compose them."""
    path = tmp_path / "journal.sqlite"
    with Journal(path) as writer:
        for match, name in enumerate(("Zoë Müller", "Zoe\u0308 Mu\u0308ller", "ZOË MÜLLER")):
            umpire = Umpire(load_books())
            for event in (START | {"seats": {"south": name, "north": "Ben"}}, shot("south", 1.0, pocketed=WHITE)):
                taken = umpire.take(event)
                assert isinstance(taken, Taken), taken
                writer.append(f"m-{match}", taken.seq, event, taken.ruling, time.time(), "test")
    (zoe,) = figures(path, capsys, [wanted]).values()
    assert (zoe["matches"], zoe["strokes"]) == (3, 3)


def test_old_matches_are_not_counted(journal, capsys):
    ben = figures(journal, capsys, ["Ben"], days=3)["Ben"]
    assert (ben["matches"], ben["strokes"], ben["breaks"], ben["break_success"]) == (1, 1, 1, 0.0)


def test_trial_strokes_are_no_figures(tmp_path, capsys):
    path, umpire = tmp_path / "journal.sqlite", Umpire(load_books())
    events = [START, {"event": "trial"}, shot("south", 1.0, pocketed=WHITE), {"event": "play"}, shot("south", 9.0)]
    with Journal(path) as writer:
        for event in events:
            taken = umpire.take(event)
            assert isinstance(taken, Taken), taken
            writer.append("m", taken.seq, taken.event, taken.ruling, time.time(), "test")
    asha = figures(path, capsys, ["Asha"])["Asha"]
    assert (asha["strokes"], asha["breaks"], asha["break_success"]) == (1, 1, 0.0)


@pytest.mark.parametrize("text", ["", "[statistics]\nplayers = []\n"])
def test_nobody_is_counted_who_was_not_asked(journal, capsys, text):
    config = journal.with_name("carrom.toml")
    config.write_text(text)
    assert main(["statistics", str(journal), "--config", str(config)]) == 2
    assert "Fix: name who wants to be counted" in capsys.readouterr().err
    assert main(["statistics", str(journal)]) == 2
    assert "--config" in capsys.readouterr().err
