"""Which match a fixture is: the one for which it was picked at a table, or which the desk says; never a guess."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from controller.events.errors import EventError, UnreadableError
from controller.hub.acts import Act
from controller.hub.day import as_rows
from controller.hub.desk import act_of
from controller.hub.fixtures import by_table, first_published, fixtures_from, payload_of
from controller.hub.fixtures_sheet import read_fixtures
from controller.hub.progress import named_anew
from controller.hub.season_at import season_at
from controller.hub.today import Seen, day_of
from controller.mqtt.payloads import to_json
from tests.hub.seasons import ended, heard
from tests.hub.test_calling import NOON, TABLES, plays

HEAD = "time,table,round,south,north\n"
CSV = HEAD + "09:30,t1,1,Asha Rao,Ben Kim\n11:00,t2,2,Asha Rao,Ben Kim\n"


def published(text=CSV, stood=None, now_s=None):
    """The fixtures as they come back from their tables' topics."""
    listed = by_table(read_fixtures(text))
    dated = first_published(listed, stood or {}, NOON.timestamp() if now_s is None else now_s)
    return [one for table, some in dated.items() for one in fixtures_from(table, to_json(payload_of(some)))]


def topics(fixtures):
    return {table: to_json(payload_of(some)) for table, some in by_table(fixtures).items()}


def match(name, fixture, table="t1", who=("Asha Rao", "Ben Kim"), after_s=600):
    """A match that ended after noon; `fixture`: its key, "" where names were typed, None from an older table."""
    one = replace(ended(name, *who, (25, 4)), fixture=fixture, end=NOON.timestamp() + after_s)
    return table, heard(one, table)


def day(fixtures, *results, acts=(), playing=None):
    return day_of(Seen(fixtures, results, playing=playing or {}, online=TABLES), acts, NOON + timedelta(hours=1))


def bound(found):
    """The rounds that are played, with their matches."""
    return {one.fixture.round: one.result.match for one in found.done if one.fixture is not None}


def decided(found, fixture, **what):
    act = act_of({"fixture": fixture.key, **what}, found, NOON)
    assert isinstance(act, Act), act
    return act


@pytest.mark.parametrize("table", ["t1", "t2", "t3"])
def test_a_match_is_the_fixture_that_was_picked_for_it_wherever_it_is_played(table):
    first, second = fixtures = published()
    assert bound(day(fixtures, match("m", second.key, table))) == {"2": "m"}
    other = match("m", first.key, table, who=("A. Rao", "Benjamin Kim"))
    assert bound(day(fixtures, other)) == {"1": "m"}, "a name that was typed otherwise"


def test_a_warm_up_of_the_same_pair_closes_nothing_and_the_desk_may_say_what_it_was():
    first, second = fixtures = published()
    found = day(fixtures, match("warm-up", ""))
    assert bound(found) == {}
    (played,) = found.done
    assert found.may_be(played) == [first.key, second.key]
    assert found.may_be(day(fixtures, match("m", "", who=("Asha Rao", "Dev"))).done[0]) == []
    act = decided(found, second, what="played", table="t1", match="warm-up")
    assert bound(day(fixtures, match("warm-up", ""), acts=[act])) == {"2": "warm-up"}
    assert bound(day(fixtures, acts=[act])) == {"2": "warm-up"}, "also when the broker has forgotten it"


def test_a_match_that_was_taken_for_a_fixture_is_taken_away_from_it():
    first, second = fixtures = published()
    both = (match("m1", first.key), match("m2", first.key))
    found = day(fixtures, *both)
    assert bound(found) == {"1": "m1"}
    act = decided(found, first, what="open")
    opened = day(fixtures, both[0], acts=[act])
    assert bound(opened) == {}
    assert opened.unkept == []
    assert [call.fixture.round for call in opened.called if call.stage == "called"] == ["1"]
    assert opened.may_be(opened.done[0]) == [first.key, second.key]
    anew = day(fixtures, *both, acts=[act])
    assert bound(anew) == {"1": "m2"}
    again = decided(opened, second, what="played", table="t1", match="m1")
    assert bound(day(fixtures, *both, acts=[act, again])) == {"1": "m2", "2": "m1"}


@pytest.mark.parametrize("then", [{"what": "aside", "until": ""}, {"what": "here"}])
def test_it_stays_away_whatever_the_desk_decides_about_the_fixture_then(then):
    first, _second = fixtures = published()
    one = match("m1", first.key)
    acts = [*day(fixtures, one).unkept, decided(day(fixtures, one), first, what="open")]
    acts = [*acts[1:], decided(day(fixtures, one, acts=acts), first, **then)]
    assert bound(day(fixtures, one, acts=acts)) == {}
    forgotten = day(fixtures, acts=acts[:1])
    assert [played.result.match for played in forgotten.done] == ["m1"], "it can be bound again"
    assert bound(
        day(fixtures, one, acts=[*acts, decided(forgotten, first, what="played", table="t1", match="m1")])
    ) == {"1": "m1"}


def test_a_match_whose_fixture_was_published_anew_under_a_corrected_name_is_offered():
    old, _ = published()
    corrected = published(CSV.replace("09:30,t1,1,Asha Rao", "09:30,t1,1,Asha Row"))
    found = day(corrected, match("m", old.key))
    assert bound(found) == {}
    assert corrected[0].key in found.may_be(found.done[0])


def test_what_cannot_be_bound_is_said():
    first, second = fixtures = published()
    found = day(fixtures, match("m1", first.key), match("m2", ""))

    def refused(fixture, **what):
        return act_of({"fixture": fixture.key, **what}, found, NOON)

    assert refused(second, what="open") == "no match was played for it"
    assert refused(second, what="played", table="t1", match="m1") == "it belongs to another fixture"
    assert refused(second, what="played", table="t1", match="m3") == "no such match was played"
    assert "is played" in refused(first, what="played", table="t1", match="m2")


def test_a_table_of_an_earlier_version_names_no_fixture_and_players_say_which_it_was():
    fixtures = published()
    assert bound(day(fixtures, match("m", None, "t2"))) == {"2": "m"}


@pytest.mark.parametrize(("picked", "stages"), [(0, ["playing", "held"]), ("", ["waits", "held"])])
def test_a_fixture_is_played_once_it_was_picked_at_a_table(picked, stages):
    fixtures = published()
    key = fixtures[picked].key if picked != "" else ""
    score = plays("Asha Rao", "Ben Kim").model_copy(update={"fixture": key})
    found = day(fixtures, playing={"t1": score})
    assert [call.stage for call in found.called] == stages


LATER = "time,table,id,round,south,north\n09:30,t1,SF1,1,Asha Rao,Ben Kim\n11:00,t1,F,2,winner SF1,Dev\n"


def test_who_goes_on_from_a_draw_the_desk_says_and_takes_back():
    first, last = fixtures = published(LATER)
    table, draw = match("m", first.key)
    drawn = (table, draw.model_copy(update={"winner": None}))
    found = day(fixtures, drawn)
    assert found.drawn(found.done[0])
    alone = day([first], drawn)
    assert not alone.drawn(alone.done[0]), "nobody goes on from a match that none waits for"
    assert named_anew(found) == []
    act = decided(found, first, what="played", winner="north")
    for results in ([drawn], []):
        told = day(fixtures, *results, acts=[act])
        assert [one.seats["south"] for _, one in named_anew(told)] == ["Ben Kim"]
        assert told.unkept == []
        assert [row["winner"] for row in as_rows(told.done)] == [""], "it stays drawn"
    undo = decided(day(fixtures, drawn, acts=[act]), first, what="played", winner="")
    assert named_anew(day(fixtures, drawn, acts=[undo])) == []
    assert bound(day(fixtures, drawn, acts=[undo])) == {"1": "m"}
    won = day(fixtures, (table, draw))
    assert named_anew(day(fixtures, drawn, acts=won.unkept)) == [], "a table that corrects a win to a draw"
    corrected = day(fixtures, (table, draw), acts=[act])
    assert [one.seats["south"] for _, one in named_anew(corrected)] == ["Asha Rao"], "the table has a winner now"
    body = {"fixture": first.key, "what": "played", "winner": "north"}
    assert act_of(body, corrected, NOON) == "it has a winner"
    assert act_of({**body, "fixture": last.key}, found, NOON) == "no match was played for it"
    with pytest.raises(UnreadableError, match="needs a winner, one of its sides"):
        act_of({**body, "winner": "east"}, found, NOON)


@pytest.mark.parametrize("kept", [True, False])
def test_a_match_whose_end_was_taken_back_is_played_on(kept):
    first, _second = fixtures = published()
    over = day(fixtures, match("m", first.key))
    score = plays("Asha Rao", "Ben Kim").model_copy(update={"fixture": first.key, "match": "m"})
    found = day(fixtures, match("m", first.key), acts=over.unkept if kept else (), playing={"t1": score})
    assert found.done == []
    assert found.called[0].stage == "playing"
    other = score.model_copy(update={"match": "m2", "fixture": ""})
    assert bound(day(fixtures, match("m", first.key), playing={"t1": other})) == {"1": "m"}


def test_a_key_stays_when_a_match_gets_another_time_or_table_and_when_the_same_is_published_again():
    before = published()
    moved = published(
        HEAD + "12:30,t5,1,Asha Rao,Ben Kim\n11:00,t2,2,Asha Rao,Ben Kim\n", topics(before), NOON.timestamp() + 3600
    )
    assert [one.key for one in moved] == [one.key for one in before]
    assert [one.key for one in published()] == [one.key for one in before], "a broker that has forgotten all"
    assert len({one.key for one in before}) == 2


@pytest.mark.parametrize(("day", "days", "same"), [("", 1, True), ("", 7, False), ("2026-03-08 ", 7, True)])
def test_a_sheet_without_days_is_another_weeks_after_a_week(day, days, same):
    sheet = HEAD + f"{day}09:30,t1,1,Asha Rao,Ben Kim\n"
    (before,) = published(sheet)
    (later,) = published(sheet, topics([before]), NOON.timestamp() + days * 86_400)
    assert (later.key == before.key) is same


def test_the_same_pair_in_the_same_round_has_two_keys_and_each_keeps_its_own():
    twice = HEAD + "09:30,t1,1,Asha,Ben\n11:00,t1,1,Asha,Ben\n"
    before = published(twice)
    assert len({one.key for one in before}) == 2
    assert [one.key for one in published(twice, topics(before))] == [one.key for one in before]
    later = published(twice + "12:00,t1,1,Asha,Ben\n", topics(before))
    assert [one.key for one in later[:2]] == [one.key for one in before]
    assert len({one.key for one in later}) == 3


def test_the_second_of_two_desks_is_told_what_the_first_decided(tmp_path):
    first, second = fixtures = published()
    store, found = season_at(tmp_path / "season.sqlite"), day(fixtures)
    one = decided(found, first, what="walkover", winner="south", reason="ill")
    other = decided(found, first, what="walkover", winner="north", reason="ill")
    assert store.decide(one, found.acts.get(first.key))
    with pytest.raises(EventError, match=r"another desk was faster: a walkover was given to Asha Rao \(ill\)"):
        store.decide(other, found.acts.get(first.key))
    assert not store.decide(one, found.acts.get(first.key)), "a second tap"
    assert [act.result.winner for act in store.acts()] == ["south"]
    seen = day(fixtures, acts=store.acts())
    undo = decided(seen, first, what="undone")
    assert store.decide(undo, seen.acts.get(first.key))
    with pytest.raises(EventError, match="what was decided was taken back"):
        store.decide(decided(seen, second, what="aside", until=""), seen.acts[first.key])
    assert datetime.fromtimestamp(one.at_s) == NOON
