"""`carrom season` as a club's secretary types it; bad input is one line."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime

import pytest

from controller.cli import main
from controller.hub.season import FORGOTTEN
from controller.hub.season_file import SeasonFile
from controller.journal import Journal
from controller.rules.shelf import load_books
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire
from tests.commands.test_journal import EVENTS
from tests.hub.seasons import DAY_S, NOON, ended, filled, heard, slammed


@pytest.fixture
def hub(tmp_path):
    """A hub's configuration whose season has five matches."""
    filled(tmp_path / "season.sqlite")
    file = tmp_path / "hub.toml"
    file.write_text(f'[hub]\nseason = "{tmp_path / "season.sqlite"}"\n')
    return file


def day(number):
    return f"{datetime.fromtimestamp(NOON + number * DAY_S):%Y-%m-%d}"


def said(capsys, hub, *words):
    assert main(["season", *map(str, words), "--config", str(hub)]) == 0
    return capsys.readouterr().out


def refused(capsys, hub, *words):
    assert main(["season", *map(str, words), "--config", str(hub)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "Fix: " in line
    return line


def test_the_standings_are_shown_in_words_and_for_machines_and_of_a_period(hub, capsys):
    head, first, second, third, word, count = said(capsys, hub, "standings").splitlines()
    assert head.split() == ["player", "played", "won", "drawn", "lost", "given", "boards", "points", "rating"]
    assert first.split() == ["1", "asha", "rao", "3", "2", "1", "0", "0", "3:0", "40:25", "1135?"]
    assert first.index("1135") + 4 == len(head), "the figures stand below the title, the sign beside them"
    assert word == "? provisional: not sure yet"
    assert second.split()[:3] == ["2", "Ben", "Kim"]
    assert third.split()[:2] == ["3", "आशा"]
    assert count == "4 matches, 1 not counted"
    found = json.loads(said(capsys, hub, "standings", "--from", day(1), "--to", day(1), "--json"))
    assert [(one["player"], one["won"], one["place"]) for one in found] == [("Ben Kim", 1, 1), ("आशा", 0, 2)]
    assert [one["rating"]["provisional"] for one in found] == [True, True]
    assert found[0]["rating"]["shown"] > 1000 > found[1]["rating"]["shown"], "of the period's matches alone"


def test_a_rating_is_shown_without_a_sign_once_it_is_sure_and_not_at_all_before_a_match_is_rated(hub, tmp_path, capsys):
    even = [
        ended(f"r{n}", "Asha Rao", "Ben Kim", (25, 3), winner=("south", "north")[n % 2], day=5 + n) for n in range(40)
    ]
    given = ended("g", "Chi", "Ben Kim", (25, 3), given="north", day=60)
    SeasonFile(tmp_path / "season.sqlite").put(("t1", heard(one)) for one in (*even, given))
    lines = {line.split()[1]: line.split()[-1] for line in said(capsys, hub, "standings").splitlines()[1:5]}
    assert lines["Asha"].isdigit()
    assert lines["Ben"].isdigit()
    assert lines["Chi"] == "25:3"
    assert lines["आशा"].endswith("?")
    told = json.loads(said(capsys, hub, "person", "Asha Rao"))["standing"]
    assert (str(told["rating"]["shown"]), told["rating"]["provisional"]) == (lines["Asha"], False)
    assert "rating" not in said(capsys, hub, "head-to-head", "Asha Rao", "Ben Kim")


def test_two_players_are_shown_with_their_matches(hub, capsys):
    lines = said(capsys, hub, "head-to-head", "ben kim", "Asha Rao").splitlines()
    assert [line.split()[:3] for line in lines[1:3]] == [["1", "asha", "rao"], ["2", "Ben", "Kim"]]
    assert lines[3:] == [
        f"{day(0)}  t1  Asha Rao 25 : Ben Kim 4",
        f"{day(3)}  t1  asha  rao 3 : Ben Kim 9",
        "2 matches",
    ]
    told = json.loads(said(capsys, hub, "head-to-head", "Ben Kim", "आशा", "--json"))
    assert [one["match"] for one in told["matches"]] == ["m2"]


def test_slams_are_a_ledger_of_the_matches_that_count(hub, tmp_path, capsys):
    assert said(capsys, hub, "slams") == "0 slams\n"
    pairs = ended("s1", ("Asha", "Ben"), ("Chi", "Dev"), (25, 3), day=7)
    played = [
        ("t2", slammed(pairs, "north", "black")),
        ("t1", slammed(ended("s2", "Ben Kim", "आशा", (25, 20), day=6), "south", "white")),
        ("t1", slammed(ended("s3", "South", "North", (25, 20), day=6), "south", "white")),
    ]
    SeasonFile(tmp_path / "season.sqlite").put((table, heard(one, table)) for table, one in played)
    lines = [
        f"{day(6)}  white slam  Ben Kim against आशा  (t1 s2, game 1, board 1)",
        f"{day(7)}  black slam  Chi & Dev against Asha & Ben  (t2 s1, game 1, board 1)",
    ]
    assert said(capsys, hub, "slams").splitlines() == [*lines, "2 slams"]
    assert said(capsys, hub, "slams", "--from", day(7)).splitlines() == [lines[1], "1 slams"]
    (first, _) = json.loads(said(capsys, hub, "slams", "--json"))["slams"]
    assert (first["players"], first["colour"], first["match"]) == ("Ben Kim", "white", "s2")
    said(capsys, hub, "export", tmp_path / "season.csv")
    rows = {row["match"]: row for row in csv.DictReader(io.StringIO((tmp_path / "season.csv").read_text("utf-8-sig")))}
    assert [rows[one]["slams"] for one in ("s2", "m1")] == ["white: Ben Kim (game 1, board 1)", ""]
    said(capsys, hub, "strike", "s2", "a friendly")
    said(capsys, hub, "forget", "Chi")
    assert [line.split("  ")[2] for line in said(capsys, hub, "slams").splitlines()[:-1]] == [
        "(forgotten) & Dev against Asha & Ben"
    ]


def test_the_season_is_exported_for_spreadsheets_and_programs(hub, tmp_path, capsys):
    said(capsys, hub, "export", tmp_path / "season.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "season.csv").read_text("utf-8-sig"))))
    assert [(row["match"], row["side 2"], row["winner"], row["counted"]) for row in rows][1:3] == [
        ("m2", "आशा", "Ben Kim", "yes"),
        ("m3", "आशा", "", "yes"),
    ]
    assert rows[3]["ended by"] == "Ben Kim forfeited (icf-143)"
    said(capsys, hub, "export", tmp_path / "season.json")
    matches = json.loads((tmp_path / "season.json").read_text("utf-8"))["matches"]
    assert [(one["match"], one["counted"], len(one["replaced"])) for one in matches][-1] == ("m5", False, 0)


def test_a_journals_matches_are_taken_in_that_the_hub_had_missed(hub, tmp_path, capsys):
    with Journal(tmp_path / "journal.sqlite", place="t8") as journal:
        for number, match in enumerate(("j-first", "j-second", "j-third", "j-not-over")):
            umpire = Umpire(load_books())
            for seq, event in enumerate(EVENTS[: 1 if match == "j-not-over" else 2]):
                taken = umpire.take(event)
                assert isinstance(taken, Taken), taken
                journal.append(match, taken.seq, taken.event, taken.ruling, NOON + 100 * number + seq, "test")
    # Kept as its table published it: a journal's names are not shown instead.
    short = ended("j-third", "A.", "B.", (6, 0))
    SeasonFile(tmp_path / "season.sqlite").put([("t8", heard(short, "t8"))])
    line = f"{tmp_path / 'journal.sqlite'}: 2 matches were missing"
    assert said(capsys, hub, "refill", tmp_path / "journal.sqlite").splitlines() == [line]
    assert said(capsys, hub, "refill", tmp_path / "journal.sqlite").splitlines() == [line.replace(": 2 ", ": 0 ")]
    told = json.loads(said(capsys, hub, "person", "Ben"))
    assert [(one["table"], one["match"], one["end"]) for one in told["matches"]] == [
        ("t8", "j-first", NOON + 1),
        ("t8", "j-second", NOON + 101),
    ]
    assert json.loads(said(capsys, hub, "head-to-head", "आशा", "Ben", "--json"))["standings"][0]["won"] == 2


def test_a_season_is_made_from_journals_where_no_hub_has_made_one(hub, tmp_path, capsys):
    (tmp_path / "season.sqlite").unlink()
    assert "there is no such season" in refused(capsys, hub, "standings")
    assert "no match is recorded" in refused(capsys, hub, "refill", empty_journal(tmp_path))


def empty_journal(tmp_path):
    with Journal(tmp_path / "empty.sqlite", place="t8"):
        return tmp_path / "empty.sqlite"


def test_all_that_is_kept_of_a_person_is_shown_and_forgotten(hub, tmp_path, capsys):
    told = json.loads(said(capsys, hub, "person", "ASHA RAO"))
    assert (told["name"], told["standing"]["played"]) == ("asha  rao", 3)
    assert [one["match"] for one in told["matches"]] == ["m1", "m3", "m4"]
    before = json.loads(said(capsys, hub, "standings", "--json"))
    assert said(capsys, hub, "forget", "Asha Rao").startswith(f"3 matches: {FORGOTTEN} stands in the name's place.")
    after = json.loads(said(capsys, hub, "standings", "--json"))
    strip = lambda rows: [{key: one[key] for key in one if key != "place"} for one in rows]  # noqa: E731
    assert strip(after) == strip(before)[1:]
    assert "nobody in the season is called Asha Rao" in refused(capsys, hub, "forget", "Asha Rao")
    assert b"asha" not in (tmp_path / "season.sqlite").read_bytes().lower()


def test_two_names_are_merged_and_a_match_is_struck_and_both_are_taken_back(hub, tmp_path, capsys):
    assert said(capsys, hub, "merge", "ben kim", "आशा") == (
        "Ben Kim counts as आशा. Take it back: carrom season split 'Ben Kim'\n"
    )
    assert "Ben Kim" not in said(capsys, hub, "standings")
    assert "one player already" in refused(capsys, hub, "merge", "आशा", "Ben Kim")
    assert said(capsys, hub, "split", "Ben Kim") == "Ben Kim counts alone\n"
    assert "merged with nobody" in refused(capsys, hub, "split", "Ben Kim")
    assert "t1 m1 does not count" in said(capsys, hub, "strike", "m1", "a friendly")
    assert said(capsys, hub, "standings").splitlines()[-1] == "3 matches, 2 not counted"
    said(capsys, hub, "export", tmp_path / "all.json")
    (struck,) = [one for one in json.loads((tmp_path / "all.json").read_text())["matches"] if one["struck"]]
    assert (struck["match"], struck["struck"], struck["counted"]) == ("m1", "a friendly", False)
    assert "counts again" in said(capsys, hub, "restore", "t1/m1")
    assert "was not struck" in refused(capsys, hub, "restore", "m1")
    assert "no match in the season is m77" in refused(capsys, hub, "strike", "m77", "why")
    assert "did you mean Ben Kim?" in refused(capsys, hub, "merge", "Ben Kin", "आशा")


@pytest.mark.parametrize("action", ["person", "forget", "head-to-head"])
def test_a_name_is_matched_whole_and_the_nearest_are_shown(hub, capsys, action):
    more = ["Ben Kim"] if action == "head-to-head" else []
    before = SeasonFile(hub.parent / "season.sqlite").matches()
    assert refused(capsys, hub, action, "Asha Ra", *more).endswith("called Asha Ra. Fix: did you mean asha  rao?")
    assert "carrom season standings lists the names" in refused(capsys, hub, action, "Xyz", *more)
    assert SeasonFile(hub.parent / "season.sqlite").matches() == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["head-to-head", "Ben Kim"], "takes two names, not 1 words"),
        (["forget", "Asha", "Rao"], "takes one name, not 2 words. Fix: quote a name"),
        (["standings", "Ben"], "takes no name"),
        (["refill"], "takes journals"),
        (["export", "season.xls"], "season.xls: the ending says which kind of file it is. Fix: one of .csv, .json"),
        (["export", "/nowhere/season.csv"], "/nowhere/season.csv: cannot be written"),
        (["refill", "/nowhere/journal.sqlite"], "/nowhere/journal.sqlite: there is no such journal"),
    ],
)
def test_what_cannot_be_done_is_one_line(hub, capsys, words, says):
    assert says in refused(capsys, hub, *words)


def test_a_hub_that_keeps_no_season_is_named(tmp_path, capsys):
    (tmp_path / "hub.toml").write_text("")
    assert "hub.toml: hub.season names nothing" in refused(capsys, tmp_path / "hub.toml", "standings")


def test_a_day_that_is_none_says_how_one_is_written(hub, capsys):
    with pytest.raises(SystemExit) as left:
        main(["season", "standings", "--config", str(hub), "--from", "1.9.2026"])
    assert left.value.code == 2
    assert "'1.9.2026' is no day. Fix: write it as 2026-09-01" in capsys.readouterr().err
