"""Tables and times: a plan that can be played passes, and each rule finds what breaks it."""

from __future__ import annotations

import pytest

from tests.draws.checking.drawn import Draw, knockout, right

TIMES = {"QF": "09:00", "SF": "09:50", "F": "10:40"}


def planned() -> Draw:
    draw = knockout(8, tables=["t1", "t2", "t3", "t4"], start="09:00", minutes=40, rest_minutes=10)
    used: dict[str, int] = {}
    for line in draw.fixtures:
        used[line["round"]] = used.get(line["round"], 0) + 1
        line.update(time=TIMES[line["round"]], table=f"t{used[line['round']]}", date="2026-11-29")
    return draw


def test_a_plan_that_can_be_played_passes():
    draw = planned()
    assert right(draw) == []
    assert "rest: everybody rests 10 minutes" in draw.proof().proved
    draw.event.pop("tables")
    assert right(draw) == []


def test_a_second_day_is_later():
    draw = planned()
    draw.line("F").update(time="09:00", date="2026-11-30")
    assert right(draw) == []


@pytest.mark.parametrize(
    ("rule", "breaks"),
    [
        ("tables", lambda draw: draw.line("QF-1").update(table="t9")),
        ("times", lambda draw: draw.line("QF-1").update(time="08:00")),
        ("times", lambda draw: draw.line("QF-1").update(table="t2")),
        ("times", lambda draw: draw.line("F").update(time="10:00")),
        ("times", lambda draw: draw.line("SF-1").update(time="09:30")),
        ("rest", lambda draw: draw.line("SF-1").update(time="09:45")),
        ("rest", lambda draw: draw.event.update(rest_minutes=15)),
        ("times", lambda draw: draw.line("QF-2").update(south="P1", time="09:20", table="t3")),
        ("rest", lambda draw: draw.line("QF-2").update(south="P1", time="09:45", table="t3")),
    ],
)
def test_what_breaks_a_rule_is_found_by_that_rule(rule, breaks):
    draw = planned()
    breaks(draw)
    assert rule in draw.rules(), right(draw)
