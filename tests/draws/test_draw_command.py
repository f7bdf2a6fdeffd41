"""`carrom draw` from the list of entries to the last table, for each system; and how it refuses wrong files."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from controller.cli import main
from controller.hub.fixtures_sheet import read_fixtures

SYSTEMS = {
    "knockout": "third_place = true\nconsolation = true\n",
    "double": "",
    "groups": 'groups = 2\nthen = "knockout"\n',
    "round_robin": "",
    "swiss": "rounds = 3\n",
    "ties": "",
}
NINE = [f"Player {number},Team {(number - 1) // 3},{number if number < 3 else ''}\n" for number in range(1, 10)]
ENTRIES = "".join(["name,club,seeding\n", *NINE])


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(system="knockout", more="", entries=ENTRIES):
    Path("EVENT.toml").write_text(f'name = "Open"\nsystem = "{system}"\n{more}', encoding="utf-8")
    Path("entries.csv").write_text(entries, encoding="utf-8")


def make(*more):
    return main(["draw", "make", "EVENT.toml", "--entries", "entries.csv", "--out", "fixtures.csv", *more])


def go_on(*more):
    files = ["--fixtures", "fixtures.csv", "--results", "results.csv"]
    return main(["draw", "next", "EVENT.toml", "--entries", "entries.csv", *files, "--out", "fixtures.csv", *more])


def table(*more):
    files = ["--fixtures", "fixtures.csv", "--results", "results.csv"]
    return main(["draw", "table", "EVENT.toml", "--entries", "entries.csv", *files, *more])


def check():
    files = ["--fixtures", "fixtures.csv", "--results", "results.csv"]
    return main(["draw", "check", "EVENT.toml", "--entries", "entries.csv", *files])


def lines():
    with Path("fixtures.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write_results(results):
    text = "id,winner,boards_south,boards_north\n" + "".join(f"{key},{won},2,1\n" for key, won in results.items())
    Path("results.csv").write_text(text, encoding="utf-8")


def refused(capsys, *says):
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == len(says), printed
    for line, says_so in zip(printed, says, strict=True):
        assert line.startswith(f"carrom draw: {says_so}"), line
        assert "Fix: " in line


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_event_is_played_from_its_entries_to_its_table(system, capsys):
    write(system, SYSTEMS[system] + 'tables = ["t1", "t2"]\nstart = "2026-11-29 09:30"\n')
    assert make("--seed", "5", "--sheet", "draw.pdf") == 0
    assert Path("EVENT.toml").read_text(encoding="utf-8").startswith("seed = 5\nname = ")
    assert "seed = 5" in capsys.readouterr().out
    assert Path("draw.pdf").read_bytes().startswith(b"%PDF")
    results: dict[str, str] = {}
    for _ in range(60):
        named = [one for one in lines() if not one["south"].startswith(("winner ", "loser "))]
        results |= {one["id"]: one["south"] for one in named if not one["north"].startswith(("winner ", "loser "))}
        write_results(results)
        assert go_on("--sheet", "draw.pdf") == 0
        read_fixtures(Path("fixtures.csv").read_text(encoding="utf-8"))
        can_be_played = re.findall(r"^(\S+): (.*) – .*$", capsys.readouterr().out, re.M)
        if not can_be_played:
            break
        results |= dict(can_be_played)
    assert len(results) >= len(lines()) - 1
    assert check() == 0
    assert "results: " in capsys.readouterr().out
    assert table("--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["system"], found["seed"]) == (system, 5)
    assert sum(len(one["rows"]) for one in found["tables"]) >= (3 if system == "ties" else 9)
    if found["order"]:
        first = found["tables"][0]["rows"]
        assert [*first[0]["values"]][-1] in ("lot", "matches")
        assert first[0]["won"] >= first[-1]["won"]
    assert table() == 0
    assert found["tables"][0]["rows"][0]["name"] in capsys.readouterr().out


def test_a_seed_is_drawn_once_and_repeats_the_draw(capsys):
    write()
    assert make() == 0
    drawn, text = lines(), Path("EVENT.toml").read_text(encoding="utf-8")
    seed = re.match(r"seed = (\d+)\n", text)[1]
    assert make() == 0
    assert (lines(), Path("EVENT.toml").read_text(encoding="utf-8")) == (drawn, text)
    write()
    assert make("--seed", seed) == 0
    assert lines() == drawn
    capsys.readouterr()
    assert make("--seed", str(int(seed) + 1)) == 2
    refused(capsys, f"EVENT.toml:1: seed = {seed}, --seed is {int(seed) + 1}")


def test_nothing_is_written_where_something_is_wrong(capsys):
    write(entries="name\nAsha\nasha\n")
    assert make() == 2
    assert sorted(path.name for path in Path().iterdir()) == ["EVENT.toml", "entries.csv"]
    assert "seed" not in Path("EVENT.toml").read_text(encoding="utf-8")
    refused(capsys, "entries.csv:3: 'asha' stands in line 2 too")


def test_the_hubs_results_are_taken_as_they_are(capsys):
    write("round_robin", entries="name\nAsha\nBen\nDev\n")
    make("--seed", "1")
    by_players = {frozenset((one["south"], one["north"])): one for one in lines()}
    head = "event,round,table,title,match,book,start,end,side 1,side 2,points 1,points 2,games 1,games 2,winner,"
    day = [
        "Open,,t1,,m1,icf,,,Asha,Ben,25,9,1,0,Asha,5,,",
        "Open,,t1,,m2,icf,,,Dev,Asha,7,7,0,0,,5,,",
        "Other,,t1,,m3,icf,,,Eve,Fay,7,7,0,0,Fay,5,,",
        ",,t1,,m4,icf,,,Dev,Gil,7,7,0,0,Gil,5,,",
    ]
    Path("results.csv").write_text("\n".join([head + "boards played,referee,ended by", *day]), encoding="utf-8")
    capsys.readouterr()
    assert table("--json") == 0
    rows = json.loads(capsys.readouterr().out)["tables"][0]["rows"]
    assert {(one["name"], one["values"]["matches"], one["values"]["points"]) for one in rows} == {
        ("Asha", 1.5, 16), ("Dev", 0.5, 0), ("Ben", 0, -16),
    }  # fmt: skip
    # As JSON, where each result has its id.
    one = by_players[frozenset(("Asha", "Ben"))]
    told = {"event": "Open", "id": one["id"], "side 1": "Ben", "side 2": "Asha", "points 1": 25, "points 2": 0}
    Path("results.csv").write_text(json.dumps({"results": [told | {"winner": "Ben"}]}), encoding="utf-8")
    assert table("--json") == 0
    rows = json.loads(capsys.readouterr().out)["tables"][0]["rows"]
    assert (rows[0]["name"], rows[0]["values"]["points"]) == ("Ben", 25)
    assert check() == 0


def test_a_name_that_a_spreadsheet_takes_for_a_formula_comes_back(capsys):
    write(entries="name\n=Asha\nBen\n")
    assert make("--seed", "1") == 0
    write_results({"F": "=Asha"})
    assert table() == 0
    assert "=Asha" in capsys.readouterr().out


def test_pairs_are_named_by_either_partner_or_by_both(capsys):
    write(entries="name,partner\nAsha,Ben\nDev,Ela\nFay,Gil\nHari,Ida\n")
    make("--seed", "1")
    first, second = lines()[:2]
    assert {(one["south"], one["north"]) for one in lines()[:2]} <= {
        ("Asha", "Ben"), ("Dev", "Ela"), ("Fay", "Gil"), ("Hari", "Ida"),
    }  # fmt: skip
    write_results({first["id"]: first["west"], second["id"]: f"{second['south']} & {second['north']}"})
    capsys.readouterr()
    assert go_on() == 0
    both = {f"{first['east']} / {first['west']}", f"{second['south']} / {second['north']}"}
    assert {*capsys.readouterr().out.splitlines()[1].partition(": ")[2].split(" – ")} == both


EVENTS = {
    'system = "knock"': "EVENT.toml:2: system must be one of knockout, double, groups, round_robin, swiss, ties, not",
    "system = 3": "EVENT.toml:2: system must be one of",
    'system = "swiss"': "EVENT.toml:2: a Swiss event has no rounds",
    'system = "groups"': "EVENT.toml:2: does not say how many groups",
    'system = "groups"\ngroups = 5': "EVENT.toml:3: 5 groups are more than 9 entries make",
    'system = "groups"\ngroups = 3\nthen = "knockout"\nqualify = 4': "EVENT.toml:5: qualify 4 is more than the 3",
    'system = "groups"\ngroups = 1\nthen = "knockout"\nqualify = 1': "EVENT.toml:5: one alone makes no knock-out",
    'system = "swiss"\nrounds = 10': "EVENT.toml:3: 10 rounds are more than 9 can play without meeting twice",
    'system = "double"\nsede = 3': "EVENT.toml:3: unknown key sede. Fix: seed is known",
    'system = "double"\nminutes = 0': "EVENT.toml:3: minutes must be a whole number of at least 1, not 0",
    'system = "double"\nthird_place = 1': "EVENT.toml:3: third_place must be true or false, not 1",
    'system = "double"\ntables = []': "EVENT.toml:3: tables must be a list of at least one, not []",
    'system = "double"\ntables = ["a", "a"]': "EVENT.toml:3: tables names one twice",
    'system = "double"\ntables = ["A"]': "EVENT.toml:3: tables must be of small letters",
    'system = "double"\norder = ["match"]': "EVENT.toml:3: order must be one of matches",
    'system = "double"\nstart = "9:30"': "EVENT.toml:3: start is no time: '9:30'",
    'system = "double"\nstart = "09:75"': "EVENT.toml:3: start is no time: '09:75'",
    'system = "double"\nlate_points = 0.3': "EVENT.toml:3: late_points must be 0, 0.5, 1 and so on, not 0.3",
    'system = "double"\n[rounds.F]\nbest = 3': "EVENT.toml:4: unknown key rounds.F.best. Fix: best_of is known",
    'system = "double"\n[rounds]\nF = 3': "EVENT.toml:4: [rounds] F is no table",
    'system = "double"\n[rounds]\ncount = 0': "EVENT.toml:4: count must be a whole number",
    'system = "double"\nbook = ""': "EVENT.toml:3: book must be a text, not ''",
    'system = "double': "EVENT.toml: is no TOML",
}


@pytest.mark.parametrize("text", EVENTS)
def test_an_event_that_is_wrong_is_refused_with_its_line(text, capsys):
    write()
    Path("EVENT.toml").write_text(f'name = "Open"\n{text}\n', encoding="utf-8")
    assert make("--seed", "1") == 2
    refused(capsys, EVENTS[text])


LISTS = {
    "name\nAsha\n": ["entries.csv: 1 entries are there, and a draw has 2 to 1024"],
    "name,seeding\nAsha,1\nBen,1\nasha,x\n": [
        "entries.csv:3: seeding 1 stands in line 2 too",
        "entries.csv:4: seeding 'x' is no whole number from 1",
    ],
    "name,partner\nAsha,Ben\nDev,\nElla,ella\nFay,Ben\n": [
        "entries.csv:3: 'Dev' has no partner, line 2 is otherwise",
        "entries.csv:4: 'Ella' is his own partner",
        "entries.csv:5: 'Ben' stands in line 2 too",
    ],
    "name,state\nAsha,gone\nBen,late 0\n": [
        "entries.csv:2: state 'gone' is unknown",
        "entries.csv:3: state 'late 0' is unknown",
    ],
    "name,rating\nAsha,high\nBen,nan\n": [
        "entries.csv:2: rating 'high' is no number",
        "entries.csv:3: rating 'nan' is no number",
    ],
    "name,club\nAsha,a\n,b\nBen,c\n": ["entries.csv:3: has no name"],
    "name\nbye\nwinner SF1\nBen\n": [
        "entries.csv:2: name 'bye' is no player's name",
        "entries.csv:3: name 'winner SF1' is no player's name",
    ],
    "name,sede\nAsha,1\n": ["entries.csv:1: unknown column 'sede'"],
    "name,name\nAsha,1\n": ["entries.csv:1: column 'name' stands twice"],
    "club\nAsha\n": ["entries.csv:1: no column 'name'"],
    "name\nAsha,Ben\nDev\n": ["entries.csv:2: 'Ben' stands in no named column"],
    "": ["entries.csv: is empty"],
    f"name\n{'a' * 61}\nBen\n": ["entries.csv:2: name"],
}


@pytest.mark.parametrize("text", LISTS)
def test_a_list_that_is_wrong_is_refused_with_all_its_lines(text, capsys):
    write(entries=text)
    assert make("--seed", "1") == 2
    refused(capsys, *LISTS[text])


def test_a_team_event_says_who_has_no_team(capsys):
    write("ties", entries="name,club,partner\nAsha,,\nBen,a,Dev\n")
    assert make("--seed", "1") == 2
    refused(capsys, "entries.csv:2: 'Asha' has no team", "entries.csv:3: a team's player has a partner")


RESULTS = {
    "id,winner\nSF9,Asha\n": ["results.csv:2: no match has the id 'SF9'"],
    "id,winner\nF,Asha\n": ["results.csv:2: F cannot have a result yet: 'winner SF1' is open"],
    "id,winner\nSF1,Zoe\nSF2,draw\n": [
        "results.csv:2: 'Zoe' did not play SF1 (",
        "results.csv:3: SF2 is drawn, and somebody has to go on",
    ],
    "id,winner\nSF1,{0}\nSF1,{0}\n": ["results.csv:3: SF1 has a result in line 2 too"],
    "id,winner\n,{0}\n": ["results.csv:2: has no id"],
    "id,winner,points_south\nSF1,{0},many\n": ["results.csv:2: points_south 'many' is no whole number"],
    "event,side 1,side 2,winner\nOpen,Asha,Zoe,Asha\n": ["results.csv:2: Asha – Zoe is nobody's match of this event"],
    "id\nSF1\n": ["results.csv:1: no column 'winner'"],
    '{{"results": 3}}': ["results.csv: has no list of results"],
    "{{": ["results.csv: is no JSON"],
}


@pytest.mark.parametrize("text", RESULTS)
def test_results_that_are_wrong_are_refused_with_all_their_lines(text, capsys):
    write(entries="name\nAsha\nBen\nDev\nEla\n")
    make("--seed", "1")
    Path("results.csv").write_text(text.format(lines()[0]["south"]), encoding="utf-8")
    capsys.readouterr()
    assert table() == 2
    refused(capsys, *RESULTS[text])


FIXTURES = {
    "id,south,north\nF,Asha,Zoe\n": ["fixtures.csv:2: 'Zoe' is no entry"],
    "id,south,north\nF,Asha,Ben\nf,Asha,Ben\n": ["fixtures.csv:3: id 'f' stands twice"],
    "id,south,north\n,Asha,Ben\nF,Asha,\n": [
        "fixtures.csv:2: has no id",
        "fixtures.csv:3: a seat is empty",
    ],
    "id,south,north\nF,winner SF1,Ben\n": ["fixtures.csv:2: 'winner SF1' names no match above"],
    "id,south,north,east,west\nF,Asha,Ben,Dev,Ela\n": ["fixtures.csv:2: 'Asha / Ben' is no entry"],
}


@pytest.mark.parametrize("text", FIXTURES)
def test_fixtures_that_are_wrong_are_refused_with_all_their_lines(text, capsys):
    write(more="seed = 1\n", entries="name\nAsha\nBen\nDev\nEla\n")
    Path("fixtures.csv").write_text(text, encoding="utf-8")
    write_results({})
    assert table() == 2
    refused(capsys, *FIXTURES[text])


def test_an_event_without_a_seed_has_no_table_yet(capsys):
    write("round_robin", entries="name\nAsha\nBen\n")
    Path("fixtures.csv").write_text("id,round,south,north\n1-1,1,Asha,Ben\n", encoding="utf-8")
    write_results({})
    assert table() == 2
    refused(capsys, "EVENT.toml:1: has no seed")


def test_files_that_are_not_there_are_named(capsys):
    assert make() == 2
    refused(capsys, "EVENT.toml: there is no such file")
    write()
    Path("entries.csv").unlink()
    assert make() == 2
    refused(capsys, "entries.csv: there is no such file")
    assert make("--seed", "-1") == 2


def test_a_round_that_lacks_results_names_them(capsys):
    write("swiss", "rounds = 3\n", "name\nAsha\nBen\nDev\nEla\n")
    make("--seed", "1")
    write_results({"1-1": "draw"})
    capsys.readouterr()
    assert go_on() == 2
    refused(capsys, "results.csv: no result of 1-2")
