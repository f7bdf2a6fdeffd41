"""The club's tables: rows from messages."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from controller.hub.tables import Tables
from controller.hub.today import day_of
from controller.mqtt.topics import SILENT_S


def order(tables):
    return [(row["table"], row["lamp"]) for row in tables.plain()]


def test_whose_question_is_oldest_comes_first():
    tables = Tables()
    for table in ("a", "b", "c", "d", "e"):
        tables.heard(f"carrom/{table}/availability", b"online")
    tables.heard("carrom/a/availability", b"offline")
    tables.heard("carrom/b/score", b'{"state": "playing"}')
    tables.heard("carrom/c/alert/beam", b'{"level": "fault", "says": "dirty", "t": 50}')
    tables.heard("carrom/d/alert/ask-2", b'{"level": "ask", "says": "Which piece fell?", "t": 200}')
    tables.heard("carrom/e/alert/ask-7", b'{"level": "ask", "says": "Whose stroke?", "t": 100}')
    assert order(tables) == [("e", "ask"), ("d", "ask"), ("c", "fault"), ("b", "fine"), ("a", "off")]
    assert tables.plain()[0]["since"] == 100
    assert tables.heard("carrom/e/alert/ask-7", b"")
    assert order(tables) == [("d", "ask"), ("c", "fault"), ("b", "fine"), ("e", "fine"), ("a", "off")]


def test_tables_and_their_fixtures_stand_in_the_order_of_their_numbers():
    tables = Tables()
    for table in ("t10", "t2", "hall-1", "t1"):
        tables.heard(f"carrom/{table}/availability", b"online")
        tables.heard(f"carrom/{table}/fixtures", b'{"fixtures": [{"seats": {"south": "A", "north": "B"}}]}')
    wanted = ["hall-1", "t1", "t2", "t10"]
    assert [table for table, _ in order(tables)] == wanted
    assert [one.table for one in tables.fixtures()] == wanted


def test_a_match_goes_on_while_its_end_is_challenged_and_its_result_does_not_count():
    tables = Tables()
    tables.heard("carrom/a/availability", b"online")
    seats = {"south": "Asha", "north": "Ben"}
    sides = [{"name": seat, "seats": {seat: name}} for seat, name in seats.items()]
    score = {"state": "match_over", "seq": 9, "match": "m1", "sides": sides, "challenge": {"side": "north"}}
    tables.heard("carrom/a/score", json.dumps(score).encode())
    players = [{"name": seat, "players": [name]} for seat, name in seats.items()]
    result = {"match": "m1", "winner": "south", "sides": players}
    tables.heard("carrom/a/result/m1", json.dumps(result).encode())
    tables.heard("carrom/a/fixtures", json.dumps({"fixtures": [{"seats": seats}]}).encode())
    now = datetime(2026, 3, 1)

    def day():
        found = day_of(tables.seen(), (), now)
        return [one.stage for one in found.called], [one.result.winner for one in found.done]

    assert (tables.under_way(), day()) == ({("a", "m1")}, (["playing"], []))
    tables.heard("carrom/a/score", json.dumps(score | {"challenge": None}).encode())
    assert (tables.under_way(), day()) == (set(), ([], ["south"]))


def test_a_question_of_which_everybody_hears_only_the_number_lights_the_lamp_too():
    tables = Tables()
    tables.heard("carrom/a/availability", b"online")
    tables.heard("carrom/a/score", b'{"state": "playing", "asks": 1}')
    assert order(tables) == [("a", "ask")]


@pytest.mark.parametrize("wrong_s", [0, -10_800, 1_000_000])
def test_a_table_that_went_away_says_when_it_was_heard_last(wrong_s):
    """By the hub's clock, whatever the table's says."""
    tables = Tables(160.0)
    for kind, t in (("score", 100), ("health", 160)):
        tables.heard(f"carrom/a/{kind}", json.dumps({"t": 2_000_000 + t + wrong_s, "state": "playing"}).encode())
    tables.heard("carrom/a/availability", b"offline")
    assert [(row["lamp"], row["since"]) for row in tables.plain()] == [("off", 160)]


def test_a_question_goes_on_waiting_when_the_tables_clock_is_set():
    tables = Tables(1000.0)
    tables.heard("carrom/a/health", b'{"t": 100, "armed": "armed"}')
    tables.heard("carrom/a/alert/ask-2", b'{"level": "ask", "says": "Which piece fell?", "t": 90}')
    tables.passed(1004.0)
    tables.heard("carrom/a/health", b'{"t": 900104, "armed": "armed"}')
    (row,) = tables.plain()
    assert (row["since"], row["waiting"][0]["t"]) == (990, 990)


def test_a_broker_that_is_lost_cuts_every_table_off_and_forgets_none():
    tables = Tables()
    for table in "ab":
        tables.heard(f"carrom/{table}/availability", b"online")
        tables.heard(f"carrom/{table}/score", b'{"t": 100, "state": "playing"}')
    mark, _ = tables.since(-1)
    tables.lost()
    assert [(tile["lamp"], tile["cut"], tile["since"]) for tile in tables.plain()] == [("off", True, 100)] * 2
    assert {tile["table"] for tile in tables.since(mark)[1]} == {"a", "b"}


def test_what_a_table_has_lost_is_on_its_tile_and_the_time_alone_is_no_news():
    tables = Tables()
    tables.heard("carrom/a/availability", b"online")
    whole = {"t": 100, "armed": "armed", "camera": "ok", "node": "up", "beams": "ok", "journal": "ok", "seen": 99}
    assert tables.heard("carrom/a/health", json.dumps(whole).encode())
    assert not tables.heard("carrom/a/health", json.dumps(whole | {"t": 102, "seen": 101}).encode())
    assert tables.heard(
        "carrom/a/health",
        json.dumps(whole | {"t": 104, "armed": "degraded", "camera": "stalled", "seen": 103}).encode(),
    )
    (tile,) = tables.plain()
    lost = {"camera": "stalled", "node": "up", "beams": "ok", "journal": "ok", "seen": 103, "simulated": False}
    assert tile["health"] == lost


HEALTH = b'{"t": 100, "armed": "armed"}'


def test_a_table_whose_health_stays_out_is_away_though_it_says_online_and_back_with_the_next():
    tables = Tables(100.0)
    tables.heard("carrom/a/availability", b"online")
    tables.heard("carrom/b/availability", b"online")
    tables.heard("carrom/a/score", b'{"t": 90, "state": "playing"}')
    tables.heard("carrom/a/health", HEALTH)
    assert not tables.passed(100.0 + SILENT_S)
    assert tables.passed(101.0 + SILENT_S)
    assert not tables.passed(102.0 + SILENT_S)
    assert [(tile["table"], tile["lamp"], tile["since"]) for tile in tables.plain()] == [
        ("b", "fine", None),  # it has never said how it is: nothing to go by but its availability
        ("a", "off", 100),
    ]
    assert tables.playing() == {}
    # The table's own clock is no matter: this one stands.
    assert tables.heard("carrom/a/health", HEALTH).tile
    assert ("a", "fine") in order(tables)
    assert not tables.passed(2 * SILENT_S)


def test_what_a_broker_has_kept_is_a_sign_of_life_only_if_it_is_newer():
    tables = Tables()
    tables.heard("carrom/a/health", HEALTH)
    tables.passed(SILENT_S + 1)
    for kept, lamp in ((HEALTH, "off"), (b'{"t": 99}', "off"), (b'{"t": 102, "armed": "armed"}', "unknown")):
        tables.anew()
        tables.anew()
        tables.heard("carrom/a/availability", b"online", retained=True)
        tables.heard("carrom/a/health", kept, retained=True)
        assert order(tables) == [("a", lamp)]


def kept(tables, t=100):
    """All that the broker keeps of a table, as the hub hears it after `found`."""
    tables.heard("carrom/a/health", json.dumps({"t": t, "armed": "armed"}).encode(), retained=True)
    tables.heard("carrom/a/availability", b"online", retained=True)
    tables.heard("carrom/a/score", b'{"t": 90, "state": "playing", "asks": 1}', retained=True)
    tables.heard("carrom/a/score/clock", b"15", retained=True)


def test_a_hub_that_has_just_started_takes_no_table_for_there_before_its_next_health():
    for t in (0, 100, 9e9):  # the table's own clock is no matter
        tables = Tables(500.0)
        kept(tables, t)
        (tile,) = tables.plain()
        assert (tile["lamp"], tile["online"], tile["cut"], tile["since"]) == ("unknown", False, False, None)
        assert (tables.playing(), tables.plain()[0]["clock"]) == ({}, None)
        assert not tables.passed(500.0 + SILENT_S)
        assert order(tables) == [("a", "unknown")]
        assert tables.passed(501.0 + SILENT_S)
        assert order(tables) == [("a", "off")]
        assert tables.heard("carrom/a/health", b'{"t": 1, "armed": "armed"}').tile
        assert order(tables) == [("a", "ask")]


def test_a_table_that_is_there_is_at_no_time_away_after_the_hubs_start():
    tables, seen = Tables(), []
    for topic, payload in (("health", HEALTH), ("availability", b"online"), ("score", b'{"state": "playing"}')):
        tables.heard(f"carrom/a/{topic}", payload, retained=True)
        seen += [lamp for _, lamp in order(tables)]
    tables.passed(1.0)
    assert tables.heard("carrom/a/health", b'{"t": 102, "armed": "armed"}').tile
    assert [*seen, order(tables)[0][1]] == ["unknown"] * 3 + ["fine"]
    assert not tables.passed(2.0 + SILENT_S - 1.0)


def test_a_table_that_is_awaited_is_away_where_its_last_will_or_its_bridge_says_so():
    for topic, payload in (("availability", b"offline"), ("link", b"0")):
        tables = Tables()
        kept(tables)
        tables.heard(f"carrom/a/{topic}", payload, retained=True)
        assert order(tables) == [("a", "off")]


def test_a_connection_that_breaks_for_a_moment_greys_no_table_that_was_heard():
    tables = Tables()
    kept(tables)
    tables.heard("carrom/a/health", b'{"t": 102, "armed": "armed"}')
    tables.passed(SILENT_S - 1)
    tables.lost()
    tables.anew()
    kept(tables, 110)
    assert order(tables) == [("a", "ask")]
    assert not tables.passed(SILENT_S + 3), "it spoke while nobody listened"
    assert tables.passed(2 * SILENT_S)


def test_who_is_awaited_is_awaited_no_longer_because_the_connection_broke_again_and_again():
    tables = Tables()
    for now in range(SILENT_S + 1):
        tables.passed(float(now))
        tables.anew()
        kept(tables, 100 + now)
        assert order(tables) == [("a", "unknown")]
    assert tables.passed(SILENT_S + 1.0)
    assert order(tables) == [("a", "off")]


def test_a_will_that_comes_late_holds_until_the_next_health():
    tables = Tables()
    tables.heard("carrom/a/availability", b"online")
    tables.heard("carrom/a/availability", b"offline")
    tables.heard("carrom/a/health", HEALTH, retained=True)
    assert order(tables) == [("a", "off")]
    assert tables.heard("carrom/a/health", b'{"t": 102, "armed": "armed"}')
    assert order(tables) == [("a", "fine")]


def clocked(t, **clock):
    return json.dumps({"t": t, "state": "playing", "turn": "south", "clock": clock}).encode()


def test_a_stroke_clock_is_told_by_when_it_runs_out_and_ends_with_its_table():
    tables = Tables(500.0)
    tables.heard("carrom/a/availability", b"online")
    tables.heard("carrom/a/health", b'{"t": 100, "armed": "armed"}')
    running = {"running": True, "limit": 15.0}
    assert tables.heard("carrom/a/score", clocked(100, **running, left=15.0, ends=115.0)).tile
    # By our clock, which is 400 s ahead; that time has passed is no news.
    assert tables.plain()[0]["clock"] == {"ends": 515.0, "left": 15.0}
    assert not tables.heard("carrom/a/score", clocked(102, **running, left=13.0, ends=115.0))
    assert tables.heard("carrom/a/score", clocked(103, **running, left=12.0)).tile
    assert tables.plain()[0]["clock"] == {"ends": None, "left": 12.0}
    assert tables.heard("carrom/a/availability", b"offline").tile
    assert tables.plain()[0]["clock"] is None
    tables.heard("carrom/a/availability", b"online")
    assert tables.heard("carrom/a/score", clocked(104, running=False, limit=15.0)).tile
    assert tables.plain()[0]["clock"] is None


def rounded(t, **clock):
    score = {"t": t, "state": "playing", "seq": 3, "round": {"limit": 1200.0, **clock}}
    return json.dumps(score).encode()


def test_a_rounds_clock_is_told_by_when_it_runs_out_and_stands_in_a_pause():
    tables = Tables(500.0)
    tables.heard("carrom/a/availability", b"online")
    tables.heard("carrom/a/health", b'{"t": 100, "armed": "armed"}')
    assert tables.heard("carrom/a/score", rounded(100, running=True, left=600.0, ends=700.0)).tile
    assert tables.plain()[0]["round"] == {"ends": 1100.0, "left": 600.0}
    assert not tables.heard("carrom/a/score", rounded(102, running=True, left=598.0, ends=700.0))
    assert tables.heard("carrom/a/score", rounded(103, running=False, left=597.0)).tile
    assert tables.plain()[0]["round"] == {"ends": None, "left": 597.0}
    for ended in ({"over": True}, {"by_hand": True}):
        assert tables.heard("carrom/a/score", rounded(104, running=True, left=0.0, ends=700.0, **ended)).tile
        assert tables.plain()[0]["round"] is None
    assert tables.heard("carrom/a/score", rounded(105, running=True, left=5.0, ends=110.0)).tile
    assert tables.heard("carrom/a/availability", b"offline").tile
    assert tables.plain()[0]["round"] is None


def test_what_has_changed_since_a_mark_is_told_alone_and_all_where_tables_have_gone():
    tables = Tables()
    for table in "abc":
        tables.heard(f"carrom/{table}/availability", b"online")
    mark, whole = tables.since(-1)
    assert (whole, tables.since(mark)) == (None, (mark, []))
    for table, board in (("c", 2), ("a", 5), ("c", 3)):
        tables.heard(f"carrom/{table}/score", json.dumps({"state": "playing", "board": board}).encode())
    assert not tables.heard("carrom/b/board", b'{"pieces": []}').tile
    later, changed = tables.since(mark)
    assert {tile["table"]: tile["board"] for tile in changed} == {"a": 5, "c": 3}
    assert tables.since(later) == (later, [])
    tables.anew()
    tables.heard("carrom/b/availability", b"online")
    again, none = tables.since(later)
    assert none is None
    assert tables.since(again) == (again, [])


def test_a_board_larger_than_any_message_is_left_out():
    tables = Tables()
    tables.heard("carrom/a/board", b'{"pieces": [{"piece": "queen", "x": 0, "y": 1}]}')
    assert not tables.heard("carrom/a/board", b"[" + b" " * 1024 * 1024)
    assert tables.one("a")["board"]["pieces"][0]["piece"] == "queen"


def test_what_the_days_sheet_hangs_on_is_told_apart():
    tables = Tables()
    sheet = b'{"fixtures": [{"seats": {"south": "Asha", "north": "Ben"}}]}'
    named = {"state": "playing", "sides": [{"name": "south", "seats": {"south": "Asha"}}]}
    assert tables.heard("carrom/a/health", HEALTH).day
    assert tables.heard("carrom/a/fixtures", sheet).day
    assert tables.heard("carrom/a/score", json.dumps(named).encode()).day
    assert not tables.heard("carrom/a/score", json.dumps(named | {"board": 2}).encode()).day
    assert tables.heard("carrom/a/result/m", b'{"match": "m", "end": 5}').day


def test_a_table_or_result_for_which_there_is_no_place_is_named(monkeypatch):
    monkeypatch.setattr("controller.hub.tables.MOST_TABLES", 2)
    monkeypatch.setattr("controller.hub.tables.MOST_RESULTS", 1)
    tables = Tables()
    for table in "abc":
        tables.heard(f"carrom/{table}/availability", b"online")
    for match in ("m-1", "m-2"):
        tables.heard(f"carrom/a/result/{match}", json.dumps({"match": match}).encode())
    assert [tile["table"] for tile in tables.plain()] == ["a", "b"]
    assert tables.left_out == {"c", "a/result/m-2"}
    assert tables.heard("carrom/a/result/m-1", b"")
    assert tables.heard("carrom/a/result/m-2", b'{"match": "m-2"}').day
    assert tables.left_out == {"c"}


def test_a_table_whose_bridge_fell_is_away_though_it_says_online():
    tables = Tables()
    tables.heard("carrom/a/availability", b"online")
    tables.heard("carrom/a/score", b'{"t": 100, "state": "playing"}')
    assert tables.heard("carrom/a/link", b"0")
    (tile,) = tables.plain()
    assert (tile["lamp"], tile["online"], tile["cut"], tile["since"]) == ("off", False, True, 100)
    assert tables.playing() == {}
    assert tables.heard("carrom/a/link", b"1")
    assert [(tile["lamp"], tile["cut"]) for tile in tables.plain()] == [("fine", False)]


def test_what_is_flagged_and_not_confirmed_is_for_referees():
    tables = Tables()
    for table in ("a", "b"):
        tables.heard(f"carrom/{table}/availability", b"online")
        tables.heard(f"carrom/{table}/score", b'{"state": "playing"}')
    tables.heard("carrom/a/alert/ask-2", b'{"level": "ask", "says": "Which piece?", "t": 50, "picture": 4}')
    assert tables.heard("carrom/b/umpire/alert/ask-3", b'{"level": "ask", "says": "Elbow?", "t": 20, "picture": 5}')
    assert [(tile["table"], tile["lamp"], tile["since"]) for tile in tables.plain()] == [
        ("a", "ask", 50),
        ("b", "fine", None),
    ]
    assert [(tile["table"], tile["lamp"], tile["since"]) for tile in tables.plain(referee=True)] == [
        ("b", "ask", 20),
        ("a", "ask", 50),
    ]
    assert "Elbow" not in json.dumps([tables.plain(), tables.one("b")])
    assert tables.one("b", referee=True)["waiting"][0]["picture"] == 5
    assert tables.one("a")["waiting"][0]["picture"] is None
    tables.heard("carrom/b/umpire/alert/ask-3", b"")
    assert [tile["lamp"] for tile in tables.plain(referee=True)] == ["ask", "fine"]


def test_a_table_that_goes_on_as_before_is_not_told_again():
    tables = Tables(160.0)
    tables.heard("carrom/a/availability", b"online")
    tables.heard("carrom/a/health", b'{"t": 160, "armed": "armed"}')
    assert not tables.heard("carrom/a/health", b'{"t": 162, "armed": "armed"}')
    assert tables.heard("carrom/a/health", b'{"t": 164, "armed": "degraded"}')
    tables.passed(166.0)
    assert not tables.heard("carrom/a/health", b'{"t": 166, "armed": "degraded"}')
    tables.heard("carrom/a/availability", b"offline")
    assert [(row["armed"], row["since"]) for row in tables.plain()] == [("degraded", 166)]


def test_a_table_is_called_by_its_name():
    tables = Tables()
    tables.heard("carrom/t7/health", b'{"name": "By the window", "page": "http://t7.local:8080"}')
    assert tables.plain()[0]["title"] == "By the window"
    assert tables.one("t7")["page"] == "http://t7.local:8080"
    assert tables.one("t8") is None


def history(*seqs):
    rulings = [{"seq": seq, "event": "shot", "at": float(seq), "says": f"stroke {seq}"} for seq in seqs]
    return json.dumps({"t": 1.0, "match": "m", "rulings": rulings}).encode()


def test_a_tables_own_page_has_its_board_and_its_last_rulings_in_words():
    tables = Tables()
    tables.heard("carrom/a/board", b'{"t": 1, "pieces": [{"piece": "queen", "x": 0, "y": 1.5}]}')
    tables.heard("carrom/a/history", history(7, 8))
    one = tables.one("a")
    assert one["board"]["pieces"] == [{"piece": "queen", "x": 0.0, "y": 1.5}]
    assert [(ruling["seq"], ruling["says"], ruling["at"]) for ruling in one["rulings"]] == [
        (8, "stroke 8", 8.0),
        (7, "stroke 7", 7.0),
    ]
    assert tables.heard("carrom/a/history", history(8, 9)).own
    assert [ruling["seq"] for ruling in tables.one("a")["rulings"]] == [9, 8]
    assert not tables.heard("carrom/a/history", history(8, 9))


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("score", b'{"sides": 5}'),
        ("score", b'{"sides": [{"name": ["x"]}]}'),
        ("score", b'{"t": "soon", "state": {}}'),
        ("score", b'{"last": {"says": ' + b'"' + b"x" * 5000 + b'"}}'),
        ("health", b'{"name": 7.5, "t": null}'),
        ("board", b'{"pieces": [{"piece": "queen", "x": "here"}]}'),
        ("history", b'{"rulings": [{"seq": "first"}]}'),
        ("history", history(*range(99))),
        ("alert/a", b'{"level": [], "says": 1}'),
        ("umpire/alert/a", b'{"level": "ask", "picture": "first"}'),
        ("link", b'{"0": 0}'),
        ("result/m", b'{"match": "m", "sides": "both"}'),
    ],
)
def test_what_one_table_sends_amiss_touches_no_other_and_not_itself(kind, payload):
    tables = Tables()
    for table in ("a", "b"):
        tables.heard(f"carrom/{table}/availability", b"online")
        tables.heard(f"carrom/{table}/score", b'{"state": "playing", "board": 3}')
    before = tables.plain()
    assert not tables.heard(f"carrom/a/{kind}", payload).tile
    assert tables.plain() == before
    assert tables.one("a")["board"] == tables.one("b")["board"]


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("carrom/a/score", b"\xff"),
        ("carrom/a/score", b"[1]"),
        ("carrom/a/other", b"{}"),
        ("carrom", b"online"),
        ("homeassistant/a/availability", b"online"),
    ],
)
def test_what_cannot_be_read_changes_nothing(topic, payload):
    tables = Tables()
    tables.heard("carrom/a/availability", b"online")
    before = tables.plain()
    assert not tables.heard(topic, payload)
    assert tables.plain() == before


@pytest.mark.parametrize(
    ("names", "seq", "begun"),
    [(("South", "North"), 1, False), (("South", "North"), 2, True), (("Asha", "North"), 1, True)],
    ids=["nobody", "a stroke", "a name"],
)
def test_a_match_that_nobody_has_begun_is_none(names, seq, begun):
    """A table that starts has one by its configuration, on the board before anybody has come."""
    tables = Tables()
    sides = [{"name": seat, "seats": {seat: name}} for seat, name in zip(("south", "north"), names, strict=True)]
    score = {"seq": seq, "state": "playing", "sides": sides}
    for topic, payload in (("availability", b"online"), ("health", b'{"t": 1}'), ("score", json.dumps(score).encode())):
        tables.heard(f"carrom/t1/{topic}", payload)
    assert list(tables.playing()) == (["t1"] if begun else [])
    assert [tile["state"] for tile in tables.plain()] == ["playing" if begun else "idle"]


def test_what_a_broker_keeps_comes_at_once_and_the_rest_it_has_forgotten():
    tables = Tables(100.0)
    listed = b'{"fixtures": [{"seats": {"south": "Asha", "north": "Ben"}}]}'
    for table in ("t1", "t2", "t3"):
        tables.heard(f"carrom/{table}/fixtures", listed)
    assert tables.forgotten() == {}
    tables.passed(200.0)
    tables.anew()
    tables.heard("carrom/t1/fixtures", listed, retained=True)
    tables.heard("carrom/t2/fixtures", b'{"fixtures": []}', retained=True)
    tables.passed(204.0)
    assert tables.forgotten() == {}
    tables.passed(205.0)
    assert list(tables.forgotten()) == ["t3"]
    tables.anew()
    tables.passed(300.0)
    assert sorted(tables.forgotten()) == ["t1", "t3"]
    tables.heard("carrom/t3/fixtures", b"")
    assert list(tables.forgotten()) == ["t1"]
