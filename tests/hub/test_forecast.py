"""When what waits will begin, when the day ends, and what holds it up."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from random import Random
from statistics import median

from controller.hub.acts import Act
from controller.hub.day import Played
from controller.hub.fixtures import Fixture, named
from controller.hub.forecast import SITS, SOON, Forecast, forecast
from controller.hub.lengths import USUAL, Lengths, lengths_of
from controller.hub.rehearsal import rehearse
from controller.hub.today import House, Seen, day_of
from tests.hub.seasons import ended, heard
from tests.hub.test_calling import NOON, fixture
from tests.hub.test_pool import picked, pool

HOUR = timedelta(hours=1)
HOURLY = Lengths(HOUR)


def coming(*fixtures, online=("t1",), playing=None, acts=(), house=House(), lengths=HOURLY, now=NOON):  # noqa: B008
    seen = Seen([*fixtures], playing=playing or {}, online=online)
    return forecast(day_of(seen, acts, now, house), online, lengths, house, now)


def begins(found, *fixtures):
    """Minutes from noon to each match, None where nothing is known or it is called."""
    return [(at - NOON) // timedelta(minutes=1) if (at := found.begins.get(one.key)) else None for one in fixtures]


def knockout(size, event="Open"):
    """A draw without tables: `M1`, `M2` … and the final last."""
    left, found = [f"{event} {number}" for number in range(size)], list[Fixture]()
    while len(left) > 1:
        pairs, left = list(zip(left[::2], left[1::2], strict=True)), []
        for south, north in pairs:
            awaits = {seat: text for seat, text in (("south", south), ("north", north)) if text.startswith("winner")}
            one = Fixture({"south": south, "north": north}, event=event, id=f"{event} M{len(found) + 1}", awaits=awaits)
            found.append(one)
            left.append(f"winner {one.id}")
    return keyed(found)


def keyed(fixtures):
    return [replace(one, key=key) for key, one in named([replace(one, key="") for one in fixtures], NOON).items()]


def test_one_match_after_the_other_on_one_table_which_more_tables_would_end_sooner():
    three = pool(("Asha", "Ben"), ("Chi", "Dev"), ("Ela", "Fay"))
    found = coming(*three)
    assert begins(found, *three) == [None, 62, 122]
    assert (found.ends, found.holds) == (NOON + SITS + 3 * HOUR, "tables")
    assert coming(*three, online=("t1", "t2", "t3")).ends == NOON + SITS + HOUR
    assert coming() == Forecast()


def test_who_plays_one_match_after_the_other_holds_the_end_up_and_rests_between():
    three = pool(("Asha", "Ben"), ("Chi", "Asha"), ("Asha", "Fay"))
    house = House(rest=timedelta(minutes=10))
    found = coming(*three, online=("t1", "t2", "t3"), house=house)
    assert begins(found, *three) == [None, 72, 142]
    assert (found.holds, found.who) == ("person", "Asha")


def test_a_match_waits_for_those_that_decide_who_plays_it():
    draw = knockout(4)
    found = coming(*draw, online=("t1", "t2"))
    assert begins(found, *draw) == [None, None, 62]
    assert (found.holds, found.who) == ("match", "Open M2")


def test_a_table_that_has_most_to_play_holds_the_end_up():
    own = keyed([fixture("t1", f"A{number}", f"B{number}") for number in range(3)])
    found = coming(*own, *pool(("Asha", "Ben")), online=("t1", "t2"))
    assert (found.holds, found.who) == ("table", "t1")
    assert found.ends == NOON + SITS + 3 * HOUR


def test_nothing_begins_on_a_table_that_is_kept_for_a_match_with_a_time():
    (own,) = keyed([fixture("t1", "Gil", "Hema", "12:45")])
    (one,) = pool(("Asha", "Ben"))
    assert begins(coming(own, one), own, one) == [30, 90]


def test_of_what_is_under_way_the_rest_of_its_time_is_left_and_never_nothing():
    one, other = pool(("Asha", "Ben"), ("Chi", "Dev"))
    acts = [Act(one.key, "table", NOON.timestamp() - 40 * 60, table="t1")]
    assert begins(coming(one, other, acts=acts, playing={"t1": picked(one)}), other) == [20]
    acts = [Act(one.key, "table", NOON.timestamp() - 3 * 3600, table="t1")]
    assert begins(coming(one, other, acts=acts, playing={"t1": picked(one)}), other) == [SOON.seconds // 60]


def test_what_is_set_aside_has_no_time_and_what_waits_for_it_has_none():
    draw = knockout(4)
    found = coming(*draw, acts=[Act(draw[0].key, "aside", 0.0)], online=("t1", "t2"))
    assert begins(found, *draw) == [None, None, None]
    later = coming(*draw, acts=[Act(draw[0].key, "aside", 0.0, "2026-03-01 13:00")], online=("t1", "t2"))
    assert begins(later, *draw) == [60, None, 120]


def test_of_another_days_matches_it_says_nothing():
    today, later = pool(("Asha", "Ben"), ("Chi", "Dev"))
    later = replace(later, time="2026-03-02 10:00")
    found = coming(today, later)
    assert (found.ends, found.begins) == (NOON + SITS + HOUR, {})


def test_a_match_lasts_as_long_as_those_of_its_event_once_there_are_a_few():
    def one(event, minutes):
        end = NOON.timestamp()
        lasted = replace(ended("m", "Asha", "Ben", (25, 4)), start=end - 60 * minutes, end=end)
        return Played("t1", "t1", heard(lasted), Fixture({}, event=event))

    some = [one("Open", minutes) for minutes in (20, 30, 90)] + [one("Doubles", 80)] * 2
    lengths = lengths_of(some)
    of = {event: lengths.of(Fixture({}, event=event)) // timedelta(minutes=1) for event in ("open ", "Doubles", "")}
    assert of == {"open ": 30, "Doubles": 80, "": 80}
    assert lengths_of(some[:2]).every == USUAL
    assert lengths_of([replace(each, walkover="x") for each in some]) == Lengths()


def test_a_day_ends_when_it_was_said_to_if_every_match_lasts_as_long_as_the_others():
    off_min = []
    for seed in range(8):
        chance, house = Random(seed), House(rest=timedelta(minutes=10 * (seed % 2)))
        tables = [f"t{number}" for number in range(chance.choice([2, 3, 5, 8]))]
        names = [f"P{number}" for number in range(10)]
        rounds = [pair for _ in range(3) for pair in pairs_of(names, chance)]
        draw = keyed([*knockout(chance.choice([8, 16, 32])), *(Fixture(pair, event="Swiss") for pair in rounds)])
        went = rehearse(draw, NOON, house, (40.0, 40.0), seed, tables)
        found = coming(*draw, online=tables, house=house, lengths=Lengths(timedelta(minutes=41)), now=went.began)
        off_min.append(abs((found.ends - went.ended).total_seconds()) / 60)
    assert median(off_min) < 5
    assert max(off_min) < 60


def pairs_of(names, chance):
    chance.shuffle(names)
    return [{"south": south, "north": north} for south, north in zip(names[::2], names[1::2], strict=True)]
