"""Standings from matches, and the file that keeps each match once, whatever is read, refused or killed."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from controller.events.errors import CarromError, ConfigError, DeviceError, EventError
from controller.hub import season, season_file, season_server, season_store
from controller.hub.amendments import Amendment
from controller.hub.season import FORGOTTEN, between, standings
from controller.hub.season_at import season_at
from controller.hub.season_file import SeasonFile
from tests.hub.seasons import DAY_S, NOON, SEASON, ended, filled, heard


def figures(matches):
    return {one.player: (one.place, one.played, one.won, one.drawn, one.lost, one.given) for one in standings(matches)}


def kept(*results):
    return [season.Kept("t1", heard(one)) for one in results]


def test_the_standings_are_of_who_won_drew_and_lost_how_much(place):
    found = standings(filled(place).matches())
    assert [(one.place, one.player) for one in found] == [(1, "asha  rao"), (2, "Ben Kim"), (3, "आशा")]
    asha, ben, other = found
    assert (asha.played, asha.won, asha.drawn, asha.lost, asha.given) == (3, 2, 1, 0, 0)
    assert (asha.points_for, asha.points_against, asha.boards_for, asha.boards_against) == (40, 25, 3, 0)
    assert (ben.won, ben.lost, ben.given, ben.points_for, ben.points_against) == (1, 2, 1, 38, 48)
    assert (other.drawn, other.lost, other.boards_against) == (1, 1, 2)


@pytest.mark.parametrize(
    ("level", "first"),
    [
        # By wins, then boards, then the points' difference, then points.
        ((ended("1", "A", "C", (5, 5), winner=None), ended("2", "D", "B", (5, 5))), "D"),
        ((ended("1", "A", "C", (9, 4), games=((1, (5, 4)), (1, (9, 4)))), ended("2", "B", "D", (25, 0))), "A"),
        ((ended("1", "A", "C", (25, 9)), ended("2", "B", "D", (25, 0))), "B"),
        ((ended("1", "A", "C", (20, 4)), ended("2", "B", "D", (25, 9))), "B"),
    ],
)
def test_who_is_level_is_parted_by_boards_then_points(level, first):
    assert standings(kept(*level))[0].player == first


def test_between_whom_nothing_decides_the_place_is_one():
    found = standings(kept(ended("1", "B", "D", (25, 0)), ended("2", "A", "C", (25, 0))))
    assert [(one.place, one.player) for one in found] == [(1, "A"), (1, "B"), (3, "C"), (3, "D")]


def test_points_are_of_all_games_and_a_pairs_of_both():
    games = ((1, (25, 3)), (2, (10, 25)), (3, (4, 2)), (3, (25, 20)))
    found = standings(kept(ended("1", ("A", "B"), ("C", "D"), (25, 20), games=games)))
    assert {(one.player, one.points_for, one.points_against) for one in found} == {
        ("A", 60, 48), ("B", 60, 48), ("C", 48, 60), ("D", 48, 60),
    }  # fmt: skip


TWO_SIDES = ended("1", "Asha", "Ben", (25, 0))


@pytest.mark.parametrize(
    ("match", "yes"),
    [
        (TWO_SIDES, True),
        (ended("1", "Asha", "Ben", (9, 9), winner=None), True),
        (ended("1", "South", "Ben", (25, 0)), False),
        (ended("1", "Asha", "NORTH", (25, 0)), False),
        (ended("1", "Asha", "asha", (25, 0)), False),
        (ended("1", [], "Ben", (25, 0)), False),
        (ended("1", FORGOTTEN, FORGOTTEN, (25, 0)), True),
        (replace(TWO_SIDES, sides=TWO_SIDES.sides + ended("1", "Chi", "Dev", (25, 0)).sides[:1]), False),
        (ended("1", "Asha", "Ben", (25, 0), winner="west"), False),
    ],
)
def test_a_match_without_names_or_two_sides_does_not_count(match, yes):
    assert season.Kept("t1", heard(match)).counts is yes


def test_two_players_met_where_they_sat_on_different_sides():
    games = kept(
        ended("1", ("A", "B"), ("C", "D"), (25, 0)),
        ended("2", ("A", "C"), ("B", "D"), (25, 0)),
        ended("3", "B", "A", (1, 0)),
    )
    assert [one.result.match for one in between(games, "a", "B")] == ["2", "3"]


def test_a_result_that_is_read_again_is_one_and_a_correction_takes_its_place(place):
    file = filled(place)
    again = [(table, heard(one)) for table, one in SEASON]
    assert file.put(again) == 0
    assert file.put([("t9", again[0][1])]) == 0, "the same match, heard from another table"
    corrected = heard(replace(ended("m1", "Asha Rao", "Ben Kim", (4, 25), winner="north"), end=NOON + 60))
    assert season_at(place).put([("t1", corrected)]) == 1
    assert file.put(again) == 0, "what another broker still keeps is older"
    (first,) = [one for one in file.matches() if one.result.match == "m1"]
    assert (first.table, first.result, first.replaced) == ("t1", corrected, (again[0][1],))
    assert len(file.matches()) == len(SEASON)


def test_no_table_corrects_what_another_played(place, caplog):
    file = filled(place)
    before = file.matches()
    forged = heard(replace(ended("m1", "Asha Rao", "Ben Kim", (4, 25), winner="north"), end=NOON + 60), "t2")
    assert file.put([("t2", forged)]) == 0
    assert file.matches() == before
    assert "match m1 was played on table t1: what table t2 publishes of it is left out" in caplog.text


def test_two_tables_that_began_in_the_same_moment_have_two_matches(place):
    file = filled(place)
    assert file.put([("t2", heard(ended("m1", "Chi", "Dev", (25, 1))))]) == 1
    assert figures(file.matches())["Chi"] == (2, 1, 1, 0, 0, 0)
    assert figures(file.matches())["asha  rao"][1] == 3


def test_what_is_only_missing_does_not_change_what_is_kept(place):
    file = filled(place)
    later = heard(ended("m1", "Asha Patil Rao", "Ben Kim", (25, 5), day=9))
    fresh = heard(ended("m9", "Chi", "Ben Kim", (25, 5)))
    assert file.put([("t1", later), ("t1", fresh)], missing_only=True) == 1
    assert "Asha Patil Rao" not in season.known(file.matches()).values()


NAMES = ["Asha Rao", "आशा", 'Zoë "Z" O\'Neil', "王小明", "Ünal & Söhne", "🙂 Smiley"]


@pytest.mark.parametrize("name", NAMES)
def test_of_a_forgotten_name_no_byte_is_left_and_the_others_stand_as_before(place, connect, raw, name):
    chance = random.Random(4)
    file = filled(place, [("t1", ended(f"m{n}", *chance.sample(NAMES, 2), (25, n % 25), day=n)) for n in range(60)])
    file.put([("t1", heard(ended("m0", name, "Chi", (25, 0), day=90)))])
    file.put([("t1", heard(ended("m0", "Dev", "Chi", (25, 0), day=91)))])
    before, said = figures(file.matches()), json.dumps(name, ensure_ascii=False)[1:-1].encode()
    count = len(season.of_player(file.matches(), name))
    with connect(place) as reader:  # As a hub has it: a file's log stays when the forgetting ends.
        reader.execute("ANALYZE")
        assert said in raw(place)
        assert file.forget(name) == count > 15
        assert said not in raw(place)
    after = figures(file.matches())
    assert before.keys() - after.keys() == {name}
    assert {player: one[1:] for player, one in before.items() if player != name} == {
        player: one[1:] for player, one in after.items()
    }


def test_a_forgotten_name_does_not_come_back_with_what_the_broker_still_keeps(place):
    file = filled(place)
    assert file.forget("ASHA RAO") == 3
    assert file.put([("t1", heard(one)) for _table, one in SEASON]) == 0
    assert file.put([("t7", heard(SEASON[0][1]))]) == 0
    assert list(season.known(file.matches()).values()) == ["Ben Kim", "आशा", "South", "North"]
    assert file.forget("asha rao") == 0


def places(store):
    return [(one.player, one.played, one.won) for one in season.standings(store.matches())]


def test_two_names_that_are_one_player_count_together_until_that_is_taken_back(place):
    store = filled(place)
    before = places(store)
    store.amend(*store.amendments().merging("Ben Kim", "आशा"))
    # Who met himself has no match.
    assert places(store) == [("asha  rao", 3, 2), ("आशा", 3, 0)]
    # What comes later under the name counts too, and what was published stays as it was.
    store.put([("t2", heard(ended("m9", "BEN  KIM", "Chitra", (25, 0), day=9), "t2"))])
    assert places(store)[0][:2] == ("asha  rao", 3)
    assert ("आशा", 4, 1) in places(store)
    store.put([("t2", heard(ended("m9", "BEN  KIM", "Chitra", (25, 3), day=9), "t2"))])
    assert store.take_back("player", "ben kim")
    assert not store.take_back("player", "ben kim")
    assert {name for name, *_ in places(store)} == {"asha  rao", "BEN  KIM", "आशा", "Chitra"}
    assert [one for one in places(store) if one[0] == "आशा"] == [one for one in before if one[0] == "आशा"]


def test_who_was_merged_goes_along_when_the_player_is_merged_again(place):
    store = filled(place)
    for name, into in (("Ben Kim", "आशा"), ("आशा", "Asha Rao")):
        store.amend(*store.amendments().merging(name, into))
    assert places(store) == [], "everybody is one"
    with pytest.raises(EventError, match="one player already"):
        store.amendments().merging("asha rao", "BEN KIM")


def test_a_struck_match_counts_for_nothing_until_it_is_restored(place):
    store = filled(place)
    before = places(store)
    store.amend(Amendment("match", "m1", "t1", "a friendly"))
    (struck,) = [one for one in store.matches() if one.struck]
    assert (struck.result.match, struck.struck, struck.counts) == ("m1", "a friendly", False)
    assert {name: played for name, played, _ in places(store)}["asha  rao"] == 2
    # Its table publishes it again, corrected: it stays struck.
    store.put([("t1", heard(ended("m1", "Asha Rao", "Ben Kim", (25, 9)), "t1"))])
    assert [one.struck for one in store.matches() if one.result.match == "m1"] == ["a friendly"]
    assert store.take_back("match", "m1", "t1")
    assert [one[:2] for one in places(store)] == [one[:2] for one in before]


def test_with_a_player_all_names_are_forgotten_that_were_merged(place, raw):
    store = filled(place)
    store.amend(*store.amendments().merging("Ben Kim", "आशा"), Amendment("match", "m3", "t1", "ben kim was ill"))
    assert store.forget("Ben Kim") == 4
    assert "आशा".encode() not in raw(place)
    assert b"Ben Kim" not in raw(place)
    assert b"ben kim" not in raw(place)
    assert [one.struck for one in store.matches() if one.struck] == [season.FORGOTTEN]
    assert store.amendments().players == {}


def test_who_reads_holds_the_forgetting_up_and_it_says_so(place, connect, raw, monkeypatch):
    monkeypatch.setattr(season_file, "BUSY_S", 0.0)
    monkeypatch.setattr(season_server, "HELD_S", 0.01)
    file = filled(place)
    with connect(place) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM matches").fetchall()
        with pytest.raises(DeviceError, match=r"another program reads .* stop that one and say it again"):
            file.forget("Asha Rao")
        assert b"Asha Rao" in raw(place)
    file.forget("Asha Rao")
    assert b"Asha Rao" not in raw(place)


KILLED = """
import sys
from controller.config import HubSection
from controller.hub.season_at import season_at
from tests.hub.seasons import ended, heard

def slowly():
    for number in range(50):
        yield "t1", heard(ended(f"k{number}", "Asha", "Ben", (25, number)))
    print("in the middle", flush=True)
    sys.stdin.read()

season_at(HubSection(season=sys.argv[1]).season).put(slowly())
"""


@pytest.mark.live
def test_who_is_killed_in_the_middle_of_a_write_leaves_the_season_whole(place, connect):
    file = filled(place)
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert child.stdout.readline() == b"in the middle\n"
    child.kill()
    child.communicate()
    assert len(file.matches()) == len(SEASON)
    assert file.put(("t1", heard(ended(f"k{n}", "Asha", "Ben", (25, n)))) for n in range(50)) == 50
    if isinstance(place, Path):
        with connect(place) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


TWO = """
import sys
from controller.config import HubSection
from controller.hub.season_at import season_at
from tests.hub.seasons import ended, heard

sys.stdin.readline()
file = season_at(HubSection(season=sys.argv[1]).season)
for number in range(20):
    file.put([("t1", heard(ended(f"k{number}", "Asha", "Ben", (25, 3))))])
"""


@pytest.mark.live
def test_two_hubs_on_one_season_keep_each_match_once(place, tmp_path):
    hubs = [
        subprocess.Popen(
            [sys.executable, "-c", TWO, str(place)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        for _ in range(2)
    ]
    for one in hubs:
        one.stdin.write(b"\n")
        one.stdin.flush()
    assert [one.communicate()[1] for one in hubs] == [b"", b""]
    assert len(season_at(place).matches()) == 20
    assert list(tmp_path.glob("*.new")) == []


def test_who_makes_the_file_in_the_same_moment_finds_the_others(tmp_path, monkeypatch):
    file, really = SeasonFile(tmp_path / "s.sqlite"), season_file.os.link

    def link(fresh, path):
        monkeypatch.undo()
        filled(tmp_path / "other.sqlite").path.rename(path)
        really(fresh, path)

    monkeypatch.setattr(season_file.os, "link", link)
    assert file.put([("t1", heard(ended("m9", "Chi", "Dev", (25, 1))))]) == 1
    assert len(file.matches()) == len(SEASON) + 1


def with_pragma(monkeypatch, pragma):
    """Each connection is opened with this."""
    really = sqlite3.connect

    def connect(*where, **how):
        connection = really(*where, **how)
        connection.execute(pragma)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect)


@pytest.mark.parametrize(
    ("pragma", "says"),
    [("PRAGMA max_page_count = 6", "make room on the disk"), ("PRAGMA query_only = 1", "let this user")],
)
def test_a_disk_that_is_full_or_cannot_be_written_costs_nothing_that_was_kept(tmp_path, monkeypatch, pragma, says):
    file = filled(tmp_path / "s.sqlite")
    more = [("t1", heard(ended(f"k{number}", "Asha", "Ben", (25, 3)))) for number in range(100)]
    with monkeypatch.context() as patched:
        with_pragma(patched, pragma)
        with pytest.raises(DeviceError, match=says) as raised:
            file.put(more)
        assert str(file.path) in str(raised.value)
        assert len(file.matches()) == len(SEASON)
    assert file.put(more) == 100


def folder(path):
    path.mkdir()


def journal(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE matches(match)")


def newer(path):
    filled(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (folder, "is no file"),
        (lambda path: path.write_bytes(b"a letter, " * 500), "is no season, or is damaged"),
        (lambda path: path.write_bytes(b""), "is no season, or is damaged"),
        (journal, "is no season, or is damaged"),
        (newer, "is of a newer carrom"),
    ],
)
def test_a_file_that_is_no_season_is_one_line_and_is_left_as_it_is(tmp_path, make, says):
    path = tmp_path / "s.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    for does in (
        lambda: SeasonFile(path).put(()),
        lambda: SeasonFile(path).matches(),
        lambda: SeasonFile(path).forget("A"),
    ):
        with pytest.raises(ConfigError, match=f"{says}.*Fix: ") as raised:
            does()
        assert str(path) in str(raised.value)
        assert "\n" not in str(raised.value)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_file_that_was_cut_short_or_holds_what_nobody_wrote_is_one_line(tmp_path):
    file = filled(tmp_path / "s.sqlite", [("t1", ended(f"m{n}", "Asha", "Ben", (25, 3))) for n in range(50)])
    with sqlite3.connect(file.path) as connection:
        connection.execute("UPDATE matches SET result = '{}' WHERE id = 7")
    connection.close()
    file.path.write_bytes(file.path.read_bytes()[:8192])
    with pytest.raises(ConfigError, match=r"is no season, or is damaged.*Fix: put it back from a copy"):
        file.matches()


def test_one_damaged_match_is_left_out_by_name_until_its_table_publishes_it_again(place, connect):
    file = filled(place)
    with connect(place) as connection:
        connection.execute("UPDATE matches SET result = '{}' WHERE match = 'm2'")
    said = []
    assert [one.result.match for one in file.matches(said.append)] == ["m1", "m3", "m4", "m5"]
    (line,) = said
    assert "match m2 of table t2 is damaged and left out. Fix: carrom season refill with that table's journal" in line
    again = heard(SEASON[1][1], "t2")
    assert file.put([("t1", again)], missing_only=True) == 1, "another table's is another match"
    assert file.put([("t2", again)], missing_only=True) == 1
    assert [one.table for one in file.matches(said.append) if one.result.match == "m2"] == ["t2", "t1"]
    assert said == [line]


def test_a_damaged_match_of_somebody_forgotten_does_not_come_back(place, connect):
    file = filled(place)
    file.forget("Ben Kim")
    with connect(place) as connection:
        connection.execute("UPDATE matches SET result = '{}' WHERE match = 'm1'")
    assert file.put([("t1", heard(SEASON[0][1]))]) == 0
    assert "Ben Kim" not in season.known(file.matches(lambda _says: None)).values()


@pytest.mark.parametrize("where", ["nowhere/s.sqlite", "/proc/s.sqlite"])
def test_a_file_that_cannot_be_made_says_where(tmp_path, where):
    with pytest.raises(CarromError, match=r"s\.sqlite: .*Fix: let this user write the file and its folder"):
        SeasonFile(tmp_path / where).put(())


def test_somebody_who_makes_matches_up_does_not_fill_the_disk(place, monkeypatch):
    file = filled(place)
    monkeypatch.setattr(season_store, "MOST_RESULTS", len(SEASON))
    with pytest.raises(DeviceError, match="holds 5 results"):
        file.put([("t1", heard(ended("m9", "A", "B", (25, 0))))])


def test_the_period_is_of_the_matches_ends():
    matches = kept(*(one for _table, one in SEASON))
    assert [one.result.match for one in season.within(matches, NOON + DAY_S, NOON + 3 * DAY_S)] == ["m2", "m3"]
