"""Forty strokes with all that comes and goes beside them move nothing on a page (the browser's own layout shifts)."""

from __future__ import annotations

import copy

import pytest
from playwright.sync_api import expect

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


@pytest.mark.parametrize("size", [(390, 844), (800, 480), (1366, 768)], ids=str)
@pytest.mark.parametrize("where", ["/board", "/umpire"])
def test_nothing_jumps_in_forty_strokes(page, table, where, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    table.asked, table.flagged = table.state["asks"], table.state["flags"]
    page.goto(where)
    if where == "/umpire":
        page.fill("#pin", "4711")
        page.click("#pin-form .btn.first")
    play(page, table, 1)
    page.evaluate("document.fonts.ready")
    page.evaluate(WATCH)
    for number in range(2, STROKES + 2):
        play(page, table, number)
    assert page.evaluate(SHIFTED) == []
    assert page.troubles == []
