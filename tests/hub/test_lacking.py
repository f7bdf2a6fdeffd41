"""What a table lacks for its match: a referee, where the sheet names them; a display, where there should be one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.hub.lacking import lacking
from controller.hub.tables import Tables
from controller.mqtt.payloads import Health, to_json
from tests.hub.test_calling import fixture, plays
from tests.hub.test_desk import day


def lacks(found, undisplayed=()):
    return [lacking(call, found, undisplayed) for call in found.called]


def test_a_referee_is_missing_before_a_match_whose_event_names_its_referees():
    first = replace(fixture("t1", "Asha", "Ben", referee="Gita"), event="Open")
    second, third = (replace(fixture(table, "Chi", "Dev"), event="open ") for table in ("t1", "t2"))
    other = replace(fixture("t3", "Ela", "Fay"), event="Juniors")
    assert lacks(day(first, second, third, other)) == [[], [], ["referee"], []], "the second is not next yet"
    assert lacks(day(first, third, playing={"t2": plays("Chi", "Dev")})) == [[], []], "somebody has begun it"
    assert lacks(day(first, replace(third, time="18:00"))) == [[], ["referee"]]
    assert lacks(day(third, other)) == [[], []]


def test_a_display_is_missing_where_a_match_is_played_or_next():
    fixtures = fixture("t1", "Asha", "Ben"), fixture("t1", "Chi", "Dev"), fixture("t2", "Ela", "Fay")
    assert lacks(day(*fixtures), {"t1"}) == [["display"], [], []]
    assert lacks(day(*fixtures, playing={"t1": plays("Asha", "Ben")}), {"t1"}) == [["display"], [], []]


@pytest.mark.parametrize(("display", "told"), [("none", {"t1"}), ("on", set()), (None, set())])
def test_a_table_says_whether_its_display_is_there(display, told):
    tables = Tables()
    tables.heard("carrom/t1/availability", b"online")
    tables.heard("carrom/t1/health", to_json(Health(1.0, "armed", "ok", "ok", "up", "ok", display=display)))
    assert tables.undisplayed() == told
    tables.heard("carrom/t1/availability", b"offline")
    assert tables.undisplayed() == set()
