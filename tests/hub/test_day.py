"""Fixtures typed once, results gathered from the tables, and the day's files."""

from __future__ import annotations

import csv
import io
import json
import threading
import time
from dataclasses import replace
from datetime import UTC, date, datetime

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.cli import main
from controller.events.errors import ConfigError
from controller.events.ruling import Given
from controller.hub import day
from controller.hub.calling import calls
from controller.hub.fixtures import by_table, named, payload_of
from controller.hub.fixtures_sheet import read_fixtures
from controller.hub.publishing import publish
from controller.hub.sol import as_sol
from controller.hub.tables import Tables
from controller.mqtt.broker import Broker
from controller.mqtt.client import TableClient
from controller.mqtt.payloads import FinalBoard, FinalSide, Result, to_json
from tests.mqtt.broker import Mosquitto
from tests.patience import PATIENCE_S

CSV = """time,table,event,round,book,south,north,referee
9:30,t1,Open,1,icf,Asha Rao,Ben Kim,Chi
10:15,t1,Open,1,icf,Dev,Ela,Chi
09:30,t2,Open,1,icf,Fay,=Gil(),
"""


def result(match, players, points, end=1000.0, games=None):
    sides = tuple(
        FinalSide(name, tuple(names), scored, 1 if k == 0 else 0)
        for k, (name, names, scored) in enumerate(zip(("south", "north"), players, points, strict=True))
    )
    boards = games or ((1, points),)
    return Result(
        match=match,
        table="t1",
        book="icf",
        winner="south",
        score={"south": points[0], "north": points[1]},
        games={"south": 1, "north": 0},
        sides=sides,
        boards=tuple(
            FinalBoard(game, 1, "south", 5, False, None, {"south": one, "north": other})
            for game, (one, other) in boards
        ),
        start=100.0,
        end=end,
    )


def with_fixtures(*results):
    tables = Tables()
    for table, fixtures in by_table(read_fixtures(CSV)).items():
        assert tables.heard(f"carrom/{table}/fixtures", to_json(payload_of(fixtures)))
    for table, one in results:
        assert tables.heard(f"carrom/{table}/result/{one.match}", to_json(one))
    return tables


def done(tables):
    return day.played(tables.results(), named(tables.fixtures(), datetime(2026, 3, 1)), tables.titles())


def test_what_was_typed_comes_back_from_the_tables_topics_by_time():
    listed = [(one.time, one.table, one.seats["south"]) for one in with_fixtures().fixtures()]
    assert listed == [("09:30", "t1", "Asha Rao"), ("09:30", "t2", "Fay"), ("10:15", "t1", "Dev")]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("9:30", "09:30"),
        ("9:30:00", "09:30"),
        ("9:30 PM", "21:30"),
        ("12:05 am", "00:05"),
        ("2026-11-29 9:30", "2026-11-29 09:30"),
        ("2026-11-29T09:30:00", "2026-11-29 09:30"),
        ("29.11.2026 09:30", "2026-11-29 09:30"),
        ("1.2.2026 9:30", "2026-02-01 09:30"),
        ("29/11/2026 09:30:00", "2026-11-29 09:30"),
        ("11/29/2026 9:30 AM", "2026-11-29 09:30"),
        ("29-11-2026 09:30", "2026-11-29 09:30"),
        ("5/5/2026 09:30", "2026-05-05 09:30"),
        ("2028-02-29 09:30", "2028-02-29 09:30"),
        ("", ""),
    ],
)
def test_a_time_is_read_as_a_spreadsheet_saves_it_where_it_means_one(typed, meant):
    (fixture,) = read_fixtures(f"table,time,south,north\nt1,{typed},A,B\n")
    assert fixture.time == meant


def test_a_table_whose_fixtures_are_cleared_has_none():
    tables = with_fixtures()
    assert tables.heard("carrom/t1/fixtures", b"")
    assert [one.table for one in tables.fixtures()] == ["t2"]


@pytest.mark.parametrize("payload", [b"{", b"[]", b'{"fixtures": [1]}', b'{"fixtures": [{"seats": {}}]}'])
def test_fixtures_that_cannot_be_read_leave_what_was_known(payload):
    tables = with_fixtures()
    assert not tables.heard("carrom/t1/fixtures", payload)
    assert len(tables.fixtures()) == 3


@pytest.mark.parametrize("between", [";", "\t"])
def test_spreadsheets_write_other_separators_and_a_mark_before_the_text(between):
    assert read_fixtures("\ufeff" + CSV.replace(",", between)) == read_fixtures(CSV)


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\r\ntable;south;north\r\nt1;Asha;Ben\r\n",
        "\ufeffsep=;\r\ntable;south;north\r\nt1;Asha;Ben\r\n",
        "SEP=\t\ntable\tsouth\tnorth\nt1\tAsha\tBen",
        '"sep=|",,\r\ntable|south|north\r\nt1|Asha|Ben\r\n',
        "\r\nsep=,\r\n\r\ntable,south,north\r\nt1,Asha,Ben\r\n",
        "table,south,north,,\r\nt1,Asha,Ben,,\r\n",
        "table;south;north;;\r\nt1;Asha;Ben\r\n;;;;\r\n",
        ",table,,south,north\n,t1,,Asha,Ben\n",
        "\r\n \r\ntable;south;north\r\nt1;Asha;Ben\r\n",
        ";;;\r\n\r\ntable;south;north;\r\nt1;Asha;Ben;\r\n",
    ],
)
def test_what_spreadsheets_add_to_a_file_is_left_out(text):
    (one,) = read_fixtures(text)
    assert (one.table, one.seats) == ("t1", {"south": "Asha", "north": "Ben"})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("sep=;\n", "is empty"),
        ("sep=;\n\ntable;south;north;\nT1;A;B;\n", ":4: table 'T1' must be of small letters"),
        ("table,south,north\nt1,Rao, Asha,Ben\n", ":2: 'Ben' stands in no named column"),
        ("table,south,north,,\nt1,A,B,,C\n", ":2: 'C' stands in no named column"),
        ("table,south,north,,south\n", "a column stands twice"),
        ("table,south\n", "no column 'north'"),
        ("table,south,north\nT 1,A,B\n", ":2: table 'T 1' must be of small letters"),
        ("table,south,north\nt1,A\n", ":2: 1 players"),
        ("table,south,north,east\nt1,A,B,C\n", ":2: 3 players"),
        *(
            (f"table,time,south,north\nt1,{wrong},A,B\n", f":2: time '{wrong}'")
            for wrong in (
                "25:00",
                "13:00 PM",
                "9h30",
                "2026-02-30 09:30",
                "31.04.2026 09:30",
                "2025-02-29 09:30",
                "11/12/2026 09:30",
                "05-04-2026 09:30",
                "29.11.26 09:30",
                "46355.39",
            )
        ),
        (f"table,south,north\nt1,{'A' * 61},B\n", "at most 60"),
        ("table,south,north\nt1,A\u202eB,C\n", "turns the direction"),
        ("table,south,north\nt1,A,B\nt1,A,\u3164\n", ":3: north needs at least one character that can be seen"),
        ("table,south,north,referee\nt1,A,B,\u2800\u2800\n", ":2: referee needs at least one character"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line_with_its_line_number(text, says):
    with pytest.raises(ConfigError, match=r"Fix: ") as raised:
        read_fixtures(text, "day.csv")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_result_belongs_to_the_fixture_of_its_table_and_players_whoever_sat_where():
    tables = with_fixtures(("t1", result("m2", (["Ela"], ["Dev"]), (25, 9))))
    (one,) = done(tables)
    assert (one.fixture.time, one.fixture.round) == ("10:15", "1")
    left = calls(tables.fixtures(), [one.fixture], {}, (), datetime(2026, 3, 1))
    assert [call.fixture.seats["south"] for call in left] == ["Asha Rao", "Fay"]


COMPOSED, APART = "Zoë Müller", "Zoe\u0308 Mu\u0308ller"


@pytest.mark.parametrize(("typed", "played"), [(COMPOSED, APART), (APART, COMPOSED), (APART, "zoë  müller")])
def test_a_player_is_one_whichever_keyboard_wrote_the_name(typed, played):
    (fixture,) = read_fixtures(f"table,south,north\nt1,{typed},Ben\n")
    assert fixture.seats["south"] == COMPOSED
    tables = Tables()
    tables.heard("carrom/t1/availability", b"online")
    tables.heard("carrom/t1/fixtures", json.dumps({"fixtures": [{"seats": {"south": typed, "north": "Ben"}}]}).encode())
    score = {
        "state": "playing",
        "sides": [{"name": "south", "seats": {"south": played}}, {"name": "north", "seats": {"north": "Ben"}}],
    }
    tables.heard("carrom/t1/score", json.dumps(score).encode())
    (call,) = calls(tables.fixtures(), [], tables.playing(), tables.online(), datetime(2026, 3, 1))
    assert call.stage == "playing"
    for number, name in enumerate((played, typed)):
        tables.heard(
            f"carrom/t1/result/m{number}", to_json(result(f"m{number}", ([name], ["Ben"]), (25, 4), end=number))
        )
    first, _second = done(tables)
    assert first.fixture is not None
    head, *tourneys = json.loads(as_sol(done(tables), "Club", date(2026, 3, 1)))
    assert len(head["players"]) == 2
    assert {one["competitor1"] for tourney in tourneys for one in tourney["matches"]} == {1}
    alone = json.loads(as_sol([day.Played("t1", "t1", first.result)], "Club", date(2026, 3, 8)))
    assert alone[0]["players"][0]["guid"] == head["players"][0]["guid"], "SoL adds no second one next week"


def test_the_same_pair_twice_has_two_fixtures():
    text = CSV + "11:00,t1,Open,2,icf,Dev,Ela,Chi\n"
    fixtures = read_fixtures(text)
    tables = with_fixtures()
    tables.heard("carrom/t1/fixtures", to_json(payload_of(by_table(fixtures)["t1"])))
    for number in (1, 2):
        one = result(f"m{number}", (["Dev"], ["Ela"]), (25, number), end=number)
        tables.heard(f"carrom/t1/result/m{number}", to_json(one))
    assert [one.fixture.round for one in done(tables)] == ["1", "2"]


def test_the_csv_has_a_line_a_match_and_no_formula():
    tables = with_fixtures(("t2", result("m3", (["Fay"], ["=Gil()"]), (25, 3))))
    text = day.as_csv(day.as_rows(done(tables), UTC))
    assert text.startswith("\ufeffevent,"), "Excel shows names wrongly"
    (line,) = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    assert (line["side 1"], line["side 2"], line["points 1"], line["winner"]) == ("Fay", "'=Gil()", "25", "Fay")
    assert (line["start"], line["event"]) == ("1970-01-01 00:01", "Open")


def test_the_archive_for_the_tournament_manager_names_players_once_and_matches_by_their_places():
    tables = with_fixtures(
        ("t1", result("m1", (["Asha Rao"], ["Ben Kim"]), (25, 4), end=1)),
        ("t1", result("m2", (["Dev"], ["Ela"]), (25, 9), end=2)),
        ("t2", result("m3", (["Fay"], ["=Gil()"]), (29, 3), end=3)),
    )
    head, tourney = json.loads(as_sol(done(tables), "Carrom club", date(2026, 3, 1)))
    names = [(one["firstname"], one["lastname"]) for one in head["players"]]
    assert names[:3] == [("Asha", "Rao"), ("Ben", "Kim"), ("Dev", "Dev")]
    assert (tourney["description"], tourney["date"], len(tourney["competitors"])) == ("Open", "2026-03-01", 6)
    assert [(one["turn"], one["board"], one["competitor1"], one["score1"]) for one in tourney["matches"]] == [
        (1, 1, 1, 25),
        (1, 2, 3, 25),
        (1, 3, 5, 25),
    ]
    again = json.loads(as_sol(done(tables), "Carrom club", date(2026, 3, 8)))
    assert [one["guid"] for one in again[0]["players"]] == [one["guid"] for one in head["players"]]
    assert again[1]["guid"] != tourney["guid"]


def test_three_games_are_told_apart_and_doubles_are_pairs():
    games = ((1, (25, 3)), (2, (10, 25)), (3, (25, 20)))
    tables = Tables()
    tables.heard("carrom/t1/result/m", to_json(result("m", (["Asha", "Ben"], ["Chi", "Dev"]), (25, 20), games=games)))
    _, tourney = json.loads(as_sol(done(tables), "Club", date(2026, 3, 1)))
    (match,) = tourney["matches"]
    assert (match["score1"], match["score2_2"], match["score1_3"]) == (25, 25, 25)
    assert (tourney["matcheskind"], tourney["championship"]) == ("bestof3", 2)
    assert [len(one["players"]) for one in tourney["competitors"]] == [2, 2]


def given(side="south", how="forfeit", of="match", game=1):
    return Given(side, how, of, game, "icf-143b")


def ended(winner, *games, given=()):
    """A match between Asha and Ben. `games`: the score of each as the boards have it."""
    one = result("m", (["Asha"], ["Ben"]), games[-1], games=tuple(enumerate(games, 1)))
    return replace(one, winner=winner, given=given)


def in_sol(match):
    tables = Tables()
    assert tables.heard("carrom/t1/result/m", to_json(match))
    _, tourney = json.loads(as_sol(done(tables), "Club", date(2026, 3, 1)))
    (found,) = tourney["matches"]
    tails = [tail for tail in ("", "_2", "_3") if f"score1{tail}" in found]
    return [(found[f"score1{tail}"], found[f"score2{tail}"]) for tail in tails]


@pytest.mark.parametrize(
    ("match", "scores"),
    [
        (ended("north", (18, 4), given=[given()]), [(18, 25)]),
        (ended("north", (25, 24), given=[given(how="disqualify")]), [(24, 25)]),
        (ended("south", (18, 4), given=[given("north")]), [(18, 4)]),
        (ended("south", (0, 0), given=[given("north")]), [(25, 0)]),
        # Said by a table that does not say how it ended.
        (ended("north", (18, 4)), [(18, 25)]),
        (ended("north", (25, 10), (3, 0), given=[given(game=2)]), [(25, 10), (3, 25), (0, 25)]),
        (ended("north", (25, 10), given=[given(game=2)]), [(25, 10), (0, 25), (0, 25)]),
        (ended("north", (25, 10), (7, 25), (20, 2), given=[given(game=3)]), [(25, 10), (7, 25), (20, 25)]),
        (ended("north", (20, 10), (7, 25), given=[given(of="game")]), [(20, 25), (7, 25)]),
        (ended("south", (20, 10), (25, 7), (25, 3), given=[given(of="game")]), [(20, 25), (25, 7), (25, 3)]),
        # Games of more than SoL's 25, and more of them than three.
        (ended("south", (29, 26)), [(25, 24)]),
        (ended("north", (29, 27), (20, 29), (26, 29)), [(25, 24), (20, 25), (24, 25)]),
        (ended("north", (25, 1), (25, 2), (3, 25), (4, 25), (5, 25)), [(25, 2), (4, 25), (5, 25)]),
        (ended("north", (25, 1), (25, 2), (9, 0), given=[given(game=3)]), [(25, 2), (0, 25), (0, 25)]),
        (ended("south", (25, 1), (25, 2), (25, 3)), [(25, 1), (25, 2), (25, 3)]),
    ],
)
def test_who_won_the_match_wins_in_sol_too(match, scores):
    assert in_sol(match) == scores
    wins = [sum(score[side] > score[1 - side] for score in scores) for side in (0, 1)]
    assert max(wins) == wins[0 if match.winner == "south" else 1]
    assert wins[0] != wins[1]


@pytest.mark.parametrize(
    ("match", "says"),
    [
        (ended("north", (18, 4), given=[given()]), "Asha forfeited (icf-143b)"),
        (ended("north", (18, 4), given=[given(how="disqualify")]), "Asha was disqualified (icf-143b)"),
        (ended("north", (2, 4), given=[given(how="concede")]), "Asha conceded (icf-143b)"),
        (ended("south", (20, 10), (25, 7), (25, 3), given=[given(of="game")]), "Asha forfeited in game 1 (icf-143b)"),
        (ended("south", (25, 4)), ""),
    ],
)
def test_the_days_results_say_who_gave_a_match(match, says):
    tables = Tables()
    tables.heard("carrom/t1/result/m", to_json(match))
    (row,) = day.as_rows(done(tables), UTC)
    assert row["ended by"] == says
    (line,) = csv.DictReader(io.StringIO(day.as_csv([row]).removeprefix("\ufeff")))
    assert line["ended by"] == says


def test_a_table_that_does_not_say_how_its_match_ended_is_told_by_the_score():
    board = {
        "game": 1,
        "board": 5,
        "winner": "north",
        "points": 0,
        "why": "icf-143",
        "score": {"south": 18, "north": 4},
    }
    told = json.loads(to_json(ended("north", (18, 4)))) | {"boards": [board]}
    del told["given"]
    tables = Tables()
    assert tables.heard("carrom/t1/result/m", json.dumps(told).encode())
    (row,) = day.as_rows(done(tables), UTC)
    assert (row["winner"], row["ended by"]) == ("Ben", "Asha forfeited or was disqualified (icf-143)")


@pytest.mark.broker
def test_a_file_is_published_to_its_tables_and_clears_the_others(tmp_path, capsys):
    broker = Mosquitto(tmp_path).start()
    try:
        config = tmp_path / "hub.toml"
        config.write_text(f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\n')
        file = tmp_path / "day.csv"
        for text, wanted in ((CSV, {"t1": 2, "t2": 1}), ("table,south,north\nt2,A,B\n", {"t2": 1})):
            file.write_text(text)
            assert main(["fixtures", str(file), "--config", str(config)]) == 0
            assert kept_fixtures(broker.port) == wanted
        assert capsys.readouterr().out.splitlines() == ["3 fixtures on 2 tables", "1 fixtures on 1 tables"]
    finally:
        broker.kill()
    assert main(["fixtures", str(file), "--config", str(config)]) == 2
    assert "cannot be reached" in capsys.readouterr().err


def kept_fixtures(port):
    """How many fixtures the broker keeps for each table: what it sends up to the answer of a message of our own."""
    client = paho.Client(CallbackAPIVersion.VERSION2)
    tables, last = Tables(), threading.Event()

    def on_message(_client, _data, message):
        if message.topic == "carrom/x/last":
            last.set()
        tables.heard(message.topic, message.payload)

    client.on_message = on_message
    client.connect("127.0.0.1", port)
    client.loop_start()
    client.subscribe("carrom/#", 1)
    client.publish("carrom/x/last", b"1", 1)
    assert last.wait(PATIENCE_S)
    client.disconnect()
    client.loop_stop()
    return {table: len(fixtures) for table, fixtures in tables.listed().items() if fixtures}


@pytest.mark.broker
def test_a_table_hears_its_fixtures_kept_and_new(tmp_path):
    broker = Mosquitto(tmp_path).start()
    secretary = paho.Client(CallbackAPIVersion.VERSION2)
    client = TableClient(Broker("127.0.0.1", broker.port), "t1")
    payloads = {table: to_json(payload_of(one)) for table, one in by_table(read_fixtures(CSV)).items()}
    try:
        publish(Broker("127.0.0.1", broker.port), lambda _stood: payloads)
        client.start()
        wait_for(lambda: len(client.fixtures) == 2)
        secretary.connect("127.0.0.1", broker.port)
        secretary.loop_start()
        secretary.publish("carrom/t1/fixtures", b"rubbish", 1, retain=True)
        secretary.publish("carrom/t1/fixtures", payloads["t2"], 1, retain=True)
        wait_for(lambda: [one.seats["south"] for one in client.fixtures] == ["Fay"])
    finally:
        client.stop()
        secretary.disconnect()
        secretary.loop_stop()
        broker.kill()


def wait_for(condition):
    until, tick = time.monotonic() + PATIENCE_S, threading.Event()
    while not condition():
        assert time.monotonic() < until
        tick.wait(0.01)
