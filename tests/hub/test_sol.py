"""A tourney that SoL has drawn: read from the archives that SoL 5.26 wrote, and given back with the tables' results."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
import yaml

from controller.cli import main
from controller.commands.fixtures import read_files, topics_of
from controller.commands.hub import Hub
from controller.commands.sheets import archive_at
from controller.config import HubSection, WebSection
from controller.events.errors import ConfigError
from controller.hub.day import Played
from controller.hub.fixtures import by_table, fixtures_from
from controller.hub.sol import as_sol
from controller.hub.sol_filled import fill, read_results
from controller.hub.tables import Tables
from controller.hub.today import day_of
from controller.mqtt.broker import Broker
from controller.mqtt.payloads import to_json
from controller.mqtt.topics import POOL
from tests.hub.seasons import ended, heard
from tests.hub.test_day import kept_fixtures, wait_for
from tests.hub.test_season_hub import keep
from tests.mqtt.broker import Mosquitto
from tests.web.client import Client

SHEETS = Path(__file__).parent / "sheets" / "sol"
FIRST, SECOND = SHEETS / "open-1.sol.gz", SHEETS / "open-2.sol"
DOUBLES, KNOCKOUT = SHEETS / "doubles-1.sol", SHEETS / "knockout-1.sol"
TABLES = ("t1", "t2", "t3", "t4")


def drawn(file, *tables):
    return read_files([file], None, tables).fixtures


def played(fixture, *games, flip=False, names=None, winner=None):
    """A result of a fixture that SoL drew. `games`: scores, the fixture's first side's first; `names`: as the table has
    them; `flip`: whether the second side sat first."""
    sides = names or [[fixture.seats[seat] for seat in side] for side in fixture.sides]
    won = sum((one > other) - (one < other) for one, other in games)
    winner = winner or {True: "south", False: "north"}[won > 0] if winner or won else None
    one = ended("m", sides[0], sides[1], games[-1], winner=winner, games=[*enumerate(games, 1)])
    one = replace(one, fixture=fixture.key or fixture.id)
    said = heard(replace(one, sides=one.sides[::-1]) if flip else one)
    return Played("t1", "t1", said, fixture)


def filled(file, *day):
    results = read_results(as_sol(day, "Club", date(2026, 12, 5)).encode())
    return fill(archive_at(file), results, file.name)


def changed(file, text):
    """The lines that are new in an archive."""
    raw = file.read_bytes()
    before = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode().splitlines()
    after = text.splitlines()
    assert len(before) == len(after)
    return [new.strip(" -") for old, new in zip(before, after, strict=True) if old != new]


def test_the_round_that_sol_drew_stands_in_the_order_of_its_boards_with_the_names_as_they_are():
    found = drawn(FIRST, "t1", "t2", "", "t4")
    assert [(one.table, one.event, one.round, *one.seats.values()) for one in found] == [
        ("t1", "Open singles", "1", "Fay No", "Dev Patil"),
        ("t2", "Open singles", "1", "Ben Kim", "Hema Yes"),
        ("", "Open singles", "1", "Asha Rao", "Gita आशा"),
        ("t4", "Open singles", "1", "Chitra De Souza", "Ela Müller"),
    ]
    assert {one.id.rpartition("-")[0] for one in found} == {"8ee66880ecf311f1992902fc00000001-1"}


def test_a_board_without_a_table_is_played_on_the_next_free_one():
    assert [one.table for one in drawn(FIRST, "t1")] == ["t1", "", "", ""]
    assert {one.table for one in drawn(FIRST)} == {""}


@pytest.mark.parametrize("with_libyaml", [True, False])
def test_the_same_match_has_the_same_id_however_the_archive_was_saved(tmp_path, monkeypatch, with_libyaml):
    text = gzip.decompress(FIRST.read_bytes()).decode()
    in_json = [json.loads(json.dumps(one, default=str)) for one in yaml.load_all(text, yaml.BaseLoader)]
    for number, raw in enumerate(
        (
            text.encode(),
            b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
            # Another board, and a name that was corrected.
            text.replace("board: 1", "board: 9").replace("lastname: Kim", "lastname: Kimm").encode(),
            text.replace("competitor1: 4, competitor2: 5", "competitor1: 5, competitor2: 4").encode(),
            json.dumps(in_json).encode(),
        )
    ):
        monkeypatch.setattr(yaml, "__with_libyaml__", with_libyaml)
        (tmp_path / f"{number}.txt").write_bytes(raw)
        assert [one.id for one in drawn(tmp_path / f"{number}.txt")] == [one.id for one in drawn(FIRST)]


def test_the_next_round_is_read_alone_once_sol_has_the_results_of_the_one_before():
    read = read_files([SECOND], None)
    assert {one.round for one in read.fixtures} == {"2"}
    assert len(read.fixtures) == 4
    assert read.over == {one.id for one in drawn(FIRST)}


def test_partners_sit_opposite_a_bye_is_no_match_and_of_two_with_one_name_the_nickname_is_shown():
    assert [[*one.seats.items()] for one in drawn(DOUBLES)] == [
        [("south", "Chitra De Souza"), ("north", "Dev Patil"), ("east", "Ela Müller"), ("west", "Fay No")],
        [("south", "Anil Kumar “Tall”"), ("north", "Anil Kumar “Small”"), ("east", "Gita आशा"), ("west", "Hema Yes")],
    ]


def test_a_closed_tourney_is_left_out_and_several_are_named(tmp_path):
    head = gzip.decompress(FIRST.read_bytes()).decode()
    other = head.partition("\n---\n")[2].replace("8ee66880", "8ee66881")
    both = tmp_path / "both.sol"
    both.write_text(f"{head}---\n{other.replace('Open singles', 'Plate')}")
    assert read_files([both], None).notes == (
        f"{both}: Open singles, round 1: 4 matches",
        f"{both}: Plate, round 1: 4 matches",
    )
    both.write_text(f"{head}---\n{other.replace('prized: false', 'prized: true')}")
    assert len(drawn(both)) == 4


WRONG = [
    (lambda raw: gzip.compress(raw)[:-30], "x.sol: is cut off (gzip). Fix: download"),
    (lambda raw: b"\x1f\x8b" + raw, "x.sol: is damaged (gzip). Fix: download"),
    (lambda _raw: gzip.compress(b"users: []\n" * 500_000), "x.sol: is too long; at most 4194304 bytes"),
    (lambda raw: raw.replace("Müller".encode(), b"M\xfcller"), "x.sol: is no valid UTF-8 at byte"),
    (lambda raw: raw.replace(b"rates: []", b"rates: " + b"[" * 5000), "is nested deeper than 12 levels"),
    (lambda raw: raw.replace(b"rates: []", b"rates: &a [1]\nx: [*a, *a]"), "an alias of more than one text"),
    (lambda raw: raw.replace(b"rates: []", b"rates: []\nrates: []"), "the key 'rates' stands twice"),
    (lambda raw: raw.replace(b"rates: []", b"rates: ]"), "is no YAML:"),
    (lambda raw: raw.replace(b"rates: []", b"? [x]\n: 1"), "a key that is no text"),
    (lambda raw: raw.replace(b"rates: []", b"rates: " + b"x" * 5000), "a text of 5000 characters"),
    (lambda raw: raw.replace(b"\nplayers:", b"\nnobody:"), "x.sol: holds no list of players"),
    (lambda raw: raw.replace(b"guid: 8ee66880", b"guid: Z"), "x.sol:28: tourney 'Open singles' has no guid"),
    (lambda raw: raw.replace(b"\nmatches:", b"\nnone:"), "x.sol:28: matches is no list of objects"),
    (lambda raw: raw.replace(b"turn: 1}", b"turn: x}", 1), "a match without round, board, sides or scores"),
    (
        lambda raw: raw.replace(b"players: [4]", b"players: [4, 1, 2]"),
        "3 players against 1. Fix: leave teams'",
    ),
    (lambda raw: raw.replace(b"lastname: No,", b"lastname: %s," % (b"x" * 70)), "south has 74 characters"),
    (lambda raw: raw.replace(b"score1: 0", b"score1: 9"), "no match without a result. Fix: draw the next round in SoL"),
]


@pytest.mark.parametrize(("damage", "says"), WRONG)
def test_what_is_wrong_with_an_archive_is_a_line_that_says_where_and_what_helps(tmp_path, monkeypatch, damage, says):
    monkeypatch.chdir(tmp_path)
    Path("x.sol").write_bytes(damage(gzip.decompress(FIRST.read_bytes())))
    with pytest.raises(ConfigError) as found:
        drawn(Path("x.sol"))
    (line,) = str(found.value).splitlines()
    assert says in line
    assert line.count("Fix: ") == 1


def test_each_match_that_is_wrong_has_its_line(tmp_path):
    text = gzip.decompress(FIRST.read_bytes()).decode()
    file = tmp_path / "x.sol"
    file.write_text(text.replace("players: [4]", "players: [99]").replace("competitor1: 2", "competitor1: 50"))
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("- {board")]
    with pytest.raises(ConfigError) as found:
        drawn(file)
    assert [line.partition(". Fix")[0] for line in str(found.value).splitlines()] == [
        f"{file}:{lines[0]}: competitor 4 names no players",
        f"{file}:{lines[1]}: competitor 50 names no players",
    ]


def test_an_objects_tag_makes_no_object(tmp_path):
    text = gzip.decompress(FIRST.read_bytes()).decode()
    file = tmp_path / "x.sol"
    file.write_text(text.replace("firstname: Fay", f"firstname: !!python/object/apply:os.mkdir [{tmp_path / 'made'}]"))
    assert drawn(file)[0].seats["south"] == "No"
    assert not (tmp_path / "made").exists()


def test_tables_of_boards_are_of_an_archive_alone(tmp_path):
    (tmp_path / "day.csv").write_text("south,north\nAsha,Ben\n")
    with pytest.raises(ConfigError, match="--tables is for an archive of SoL's"):
        drawn(tmp_path / "day.csv", "t1")


def test_a_played_round_keeps_event_and_round_when_the_next_is_published_and_is_called_no_more():
    first, second = read_files([FIRST], None, TABLES), read_files([SECOND], None, TABLES)
    stood = topics_of(by_table(first.fixtures), {})
    tables = Tables()
    for table, payload in topics_of(by_table(second.fixtures), stood, second.over).items():
        assert tables.heard(f"carrom/{table}/fixtures", payload)
    (before,) = fixtures_from("t1", stood["t1"])
    assert before.key == before.id, "a result names SoL's match when the fixture is gone"
    one = replace(ended("m1", "Fay No", "Dev Patil", (25, 11)), fixture=before.key)
    tables.heard("carrom/t1/result/m1", to_json(one))
    day = day_of(tables.seen(), [], datetime(2026, 12, 5, 12))
    assert {call.fixture.round for call in day.called} == {"2"}
    assert len(day.called) == 4
    assert [(done.fixture.event, done.fixture.round) for done in day.done] == [("Open singles", "1")]


def test_a_match_that_was_drawn_otherwise_is_gone_and_one_without_a_table_stays_where_it_was(tmp_path):
    first, second = read_files([FIRST], None), read_files([SECOND], None)
    stood = topics_of(by_table(first.fixtures), {})
    kept = fixtures_from(POOL, topics_of(by_table(second.fixtures), stood, second.over)[POOL])
    assert [(one.round, one.over) for one in kept] == [("2", False)] * 4 + [("1", True)] * 4
    assert {one.round for one in fixtures_from(POOL, topics_of(by_table(second.fixtures), stood)[POOL])} == {"2"}


def test_scores_are_written_into_sols_own_text_and_nothing_else_is_changed():
    one, two, three, four = drawn(FIRST)
    done = filled(
        FIRST,
        played(one, (25, 11)),
        played(two, (7, 25), flip=True),
        # A name was corrected at the table.
        played(three, (29, 12), names=[["Asha Rao-Sen"], ["Gita आशा"]]),
    )
    assert changed(FIRST, done.text) == [
        "{board: 1, competitor1: 4, competitor2: 5, score1: 25, score2: 11, turn: 1}",
        "{board: 2, competitor1: 2, competitor2: 7, score1: 7, score2: 25, turn: 1}",
        "{board: 3, competitor1: 6, competitor2: 8, score1: 25, score2: 12, turn: 1}",
    ]
    assert (done.written, done.open, done.notes) == (3, 1, ())
    assert four.seats["south"] == "Chitra De Souza"


def test_three_games_are_written_in_a_knockout_and_its_seeds_are_spoken_of():
    one, two, *_ = drawn(KNOCKOUT)
    done = filled(KNOCKOUT, played(one, (25, 3), (10, 25), (25, 20)), played(two, (0, 25), (4, 25)))
    assert changed(KNOCKOUT, done.text) == [
        '{board: 1, competitor1: 6, competitor2: 7, score1: 25, score2: 3, "score1_2": 10, "score2_2": 25, '
        '"score1_3": 25, "score2_3": 20, turn: 1}',
        '{board: 2, competitor1: 5, competitor2: 3, score1: 0, score2: 25, "score1_2": 4, "score2_2": 25, turn: 1}',
    ]
    assert done.notes == (
        "knockout-1.sol: Knockout: SoL exports no seeds. Fix: write them down, and type them in after loading",
    )


def test_an_archive_with_a_line_for_each_field_is_filled_too(tmp_path):
    text = KNOCKOUT.read_text()
    file = tmp_path / "lines.sol"
    lines = re.sub(r"- \{(board.*)\}", lambda match: "- " + match[1].replace(", ", "\n  "), text)
    file.write_text(lines)
    done = filled(file, played(drawn(file)[0], (25, 3), (25, 20)))
    _head, tourney = yaml.safe_load_all(done.text)
    _head, before = yaml.safe_load_all(text)
    match = {"score1": 25, "score2": 3, "score1_2": 25, "score2_2": 20}
    assert tourney == before | {"matches": [before["matches"][0] | match, *before["matches"][1:]]}


def test_what_sol_could_not_count_is_left_out_and_named():
    one, two, three, four = drawn(FIRST)
    best, tie, *_ = drawn(KNOCKOUT)
    done = filled(
        FIRST,
        played(one, (25, 3), (25, 20)),
        played(two, (25, 3), names=[["Somebody"], ["Else"]]),
        played(three, (0, 0)),
        played(replace(four, id=four.id[:-8] + "00000000"), (25, 1)),
        # Of a tourney that this archive does not hold.
        played(best, (25, 3), (25, 3)),
    )
    assert (done.written, done.open) == (0, 4)
    assert [note.partition(": ")[2] for note in done.notes] == [
        "Fay No - Dev Patil: it took 2 games, SoL's tourney has one a match. Fix: type this match into SoL",
        "Somebody - Else: SoL has drawn Ben Kim - Hema Yes. Fix: type this match into SoL",
        "Asha Rao - Gita आशा: 0 : 0 is no result to SoL. Fix: type this match into SoL",
        "Chitra De Souza - Ela Müller: SoL has drawn otherwise. Fix: download the tourney again",
    ]
    done = filled(KNOCKOUT, played(best, (25, 3)), played(tie, (25, 3), (20, 20)))
    assert done.written == 0
    assert all("nobody has won two games, and SoL's tourney is best of three" in note for note in done.notes)


def test_a_knockout_of_one_game_takes_no_draw(tmp_path):
    file = tmp_path / "k.sol"
    file.write_text(KNOCKOUT.read_text().replace("bestof3", "simple"))
    one, two, *_ = drawn(file)
    done = filled(file, played(one, (20, 20)), played(two, (25, 20)))
    assert done.written == 1
    assert "a draw, and SoL's knockout needs a winner" in done.notes[0]


def test_what_sol_has_already_stays_and_is_named_where_the_tables_have_another_result():
    fixtures = drawn(FIRST)
    same, other = played(fixtures[0], (25, 11)), played(fixtures[1], (8, 25))
    done = filled(SECOND, same, other, played(drawn(SECOND)[0], (25, 1)))
    assert (done.written, done.open) == (1, 3)
    (note,) = done.notes
    assert note.endswith(
        "Ben Kim - Hema Yes: SoL has 7 : 25, the tables 8 : 25; SoL's stays. Fix: correct it in SoL, if the tables are "
        "right"
    )
    assert changed(SECOND, done.text) == ["{board: 1, competitor1: 6, competitor2: 7, score1: 25, score2: 1, turn: 2}"]


def test_the_hubs_own_archive_has_nothing_of_such_a_tourney_that_sol_would_load():
    one, two, *_ = drawn(FIRST)
    # Of the second the fixture stands no more.
    day = [played(one, (25, 11)), replace(played(two, (7, 25)), fixture=None)]
    (head,) = json.loads(as_sol(day, "Club", date(2026, 12, 5)))
    assert [head[key] for key in ("players", "clubs", "championships")] == [[], [], []]
    assert [(each["id"], each["games"]) for each in head["drawn"]] == [(one.id, [[25, 11]]), (two.id, [[7, 25]])]


def test_the_command_writes_what_sol_loads_and_refuses_what_it_would_not(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("open.sol.gz").write_bytes(FIRST.read_bytes())
    one, two, *_ = drawn(FIRST)
    Path("results.sol").write_text(
        as_sol([played(one, (25, 11)), played(two, (25, 4), (25, 5))], "Club", date(2026, 12, 5))
    )
    assert main(["sol", "open.sol.gz", "results.sol", "--out", "back.sol.gz"]) == 0
    said = capsys.readouterr()
    assert said.out == "1 results in back.sol.gz; matches without one: 3\n"
    assert said.err.startswith("note: open.sol.gz:")
    assert b"score1: 25, score2: 11" in gzip.decompress(Path("back.sol.gz").read_bytes())
    assert main(["sol", "open.sol.gz", "results.sol", "--out", "back.sol"]) == 0
    assert Path("back.sol").read_bytes() == gzip.decompress(Path("back.sol.gz").read_bytes())
    Path("none.sol").write_text(as_sol([], "Club", date(2026, 12, 5)))
    Path("rows.json").write_text('{"results": []}')
    for archive, results, out, says in (
        ("open.sol.gz", "results.sol", "back.zip", "SoL would not load it. Fix: name a file that ends with .sol.gz"),
        ("open.sol.gz", "results.sol", "open.sol.gz", "is what SoL exported. Fix: name another file"),
        ("open.sol.gz", "none.sol", "x.sol", "has no result for a match of open.sol.gz"),
        ("open.sol.gz", "rows.json", "x.sol", "Fix: take its /day/results.sol as it is"),
        ("open.sol.gz", "nothing.sol", "x.sol", "there is no such file. Fix: take the hub's /day/results.sol"),
        ("nothing.sol", "results.sol", "x.sol", "there is no such file. Fix: name the file that SoL's Download"),
    ):
        capsys.readouterr()
        assert main(["sol", archive, results, "--out", out]) == 2
        assert says in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "back.sol",
        "back.sol.gz",
        "none.sol",
        "open.sol.gz",
        "results.sol",
        "rows.json",
    ]


def test_a_round_is_checked_with_the_boards_tables(capsys):
    assert main(["fixtures", str(FIRST), "--check", "--tables", "t1,t2,t3"]) == 0
    assert capsys.readouterr().out == "4 fixtures on 3 tables, 1 of them for the next free one (not published)\n"


@pytest.mark.broker
def test_a_round_is_published_from_sols_archive_and_comes_back_for_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    broker = Mosquitto(tmp_path).start()
    Path("secretary.toml").write_text(f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\n')
    Path("open.sol.gz").write_bytes(FIRST.read_bytes())
    publish = ["fixtures", "open.sol.gz", "--tables", "table1,table2", "--config", "secretary.toml"]
    try:
        assert main(publish) == 0
        assert kept_fixtures(broker.port) == {"table1": 1, "table2": 1, POOL: 2}
        with Hub(Broker("127.0.0.1", broker.port), WebSection(host="127.0.0.1", port=0), HubSection()) as hub:
            client = Client(hub.port)
            wait_for(lambda: len(client.get("/day/state").json["next"]) == 4)
            (first,) = (one for one in client.get("/day/state").json["next"] if one["table"] == "table1")
            one = replace(ended("m1", "Fay No", "Dev Patil", (25, 11)), fixture=first["fixture"])
            keep(broker, {"carrom/table1/result/m1": to_json(one)})
            wait_for(lambda: client.get("/day/state").json["results"])
            Path("results.sol").write_bytes(client.get("/day/results.sol").body)
        assert main(["sol", "open.sol.gz", "results.sol", "--out", "back.sol.gz"]) == 0
        (line,) = changed(FIRST, gzip.decompress(Path("back.sol.gz").read_bytes()).decode())
        assert line == "{board: 1, competitor1: 4, competitor2: 5, score1: 25, score2: 11, turn: 1}"
        # SoL has all results of the first round, and has drawn the second.
        Path("open.sol.gz").write_bytes(SECOND.read_bytes())
        assert main(publish) == 0
        assert kept_fixtures(broker.port) == {"table1": 2, "table2": 2, POOL: 4}
    finally:
        broker.kill()
