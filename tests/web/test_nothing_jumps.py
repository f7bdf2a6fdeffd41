"""Forty strokes with all that comes and goes beside them move nothing on a page (the browser's own layout shifts)."""

from __future__ import annotations

import copy

import pytest
from playwright.sync_api import expect

from tests.web.doing import resized
from tests.web.pretend import RULING

pytestmark = [pytest.mark.browser, pytest.mark.slow]
STROKES = 40

WATCH = """() => {
  window.seen = [];
  window.watched = new PerformanceObserver((list) => window.seen.push(...list.getEntries()));
  window.watched.observe({ type: 'layout-shift' });
}"""
SHIFTED = """async () => {
  for (let turn = 0; turn < 2; turn += 1) await new Promise(requestAnimationFrame);
  window.seen.push(...window.watched.takeRecords());
  return window.seen.map(({ value, sources }) => [value, sources.map(({ node }) => node?.id || node?.className)]);
}"""


def play(page, table, number: int) -> None:
    """One stroke: the clock stops, pieces run, the ruling is told, the clock runs out to its last seconds."""
    state = table.state
    score = state["score"]
    table.feed.push("clock", {"running": False, "left": 15.0, "limit": 15.0})
    table.feed.push("board", {"t": number + 2.0, "moving": True, "pieces": []})
    south, north = score["sides"]
    south["points"], south["owed"], north["queen"] = number, number % 3, [None, "pending", "covered"][number % 3]
    score["turn"] = ["south", "north"][number % 2]
    score["provisional"] = [[], ["turn", "left.black"], ["score.south"]][number % 3]
    ruling = copy.deepcopy(RULING) | {"seq": 20 + number, "fouls": [], "asks": []}
    if number % 3 == 0:
        ruling |= {"dues": [], "returned": [], "provisional": False, "turn_kept": True, "turn": score["turn"]}
    elif number % 3 == 1:
        ruling["fouls"] = [{"clause": "icf-130a", "says": "striker touches one base line only", "status": "ruled"}]
    score["seq"] = ruling["seq"]
    state["ruling"] = ruling
    state["asks"] = [ask | {"ask": number} for ask in table.asked] if number % 4 == 0 else []
    state["flags"] = copy.deepcopy(table.flagged) if number % 5 == 0 else []
    table.feed.push("state")
    expect(page.locator("[data-points=south]")).to_have_text(str(number))
    for left in (15.0, 4.0):
        table.feed.push("clock", {"running": True, "left": left, "limit": 15.0})
        expect(page.locator("#clock")).to_have_text(f"{left:.0f} s")


ALERTS = [
    {"id": "beam-ne", "level": "fault", "says": "the NE beam is dirty; wipe its lens", "t": 1.0},
    {"id": "other", "level": "warning", "says": "a seat plays another striker than the one it began with", "t": 2.0},
    {"id": "disk", "level": "fault", "says": "the disk is full; " * 12, "t": 3.0},
]


@pytest.mark.parametrize("size", [(390, 844), (800, 480), (1366, 768), (1920, 1080)], ids=str)
def test_alerts_come_and_go_and_the_table_panel_stays_where_it_is(console, table, size):
    expect(console.locator("[data-ask] img")).to_be_visible()  # by then the umpire's own stream is heard
    resized(console, size)
    if console.locator("#tabs").is_visible():
        console.click(".tab:text('Table')")
        expect(console.locator(".tab:text('Table')")).to_have_attribute("aria-current", "true")
    expect(console.locator("#match")).to_be_in_viewport()
    console.evaluate("document.fonts.ready")
    places = "[...document.querySelectorAll('#panel-table > *')].map((one) => one.getBoundingClientRect().toJSON())"
    before = console.evaluate(places)
    console.evaluate(WATCH)
    for number in (0, 1, 3, 2, 0, 3):
        table.state["alerts"] = ALERTS[:number]
        table.feed.push("state")
        expect(console.locator("#alerts .alert")).to_have_count(number)
        assert console.evaluate(places) == before
    assert console.evaluate(SHIFTED) == []
    assert console.troubles == []


@pytest.mark.long
@pytest.mark.parametrize("size", [(390, 844), (800, 480), (1366, 768)], ids=str)
@pytest.mark.parametrize("where", ["/board", "/umpire"])
def test_nothing_jumps_in_forty_strokes(page, table, where, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    table.asked, table.flagged = table.state["asks"], table.state["flags"]
    page.goto(where)
    if where == "/umpire":
        page.fill("#pin", "4711")
        page.click("#pin-form .btn.first")
        expect(page.locator("[data-ask] img")).to_be_visible()  # by then the umpire's own stream is heard
    play(page, table, 1)
    page.evaluate("document.fonts.ready")
    page.evaluate(WATCH)
    for number in range(2, STROKES + 2):
        play(page, table, number)
    assert page.evaluate(SHIFTED) == []
    assert page.troubles == []
