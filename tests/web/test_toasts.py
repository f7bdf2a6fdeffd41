"""What is said has a lane of its own: it covers no answer, no card and no button, and moves nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.doing import resized
from tests.web.states import SMALL
from tests.web.test_nothing_jumps import SHIFTED, WATCH

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZES = [(390, 844), (800, 480), (1366, 768), (1920, 1080)]
LONG = "the queen is not on the board: say whose she is under «set score and board right». " * 3
COVERED = """() => {
  const seen = (what) => [...document.querySelectorAll(what)].filter((one) => one.checkVisibility());
  const apart = (one, other) => one.right <= other.left + 1 || other.right <= one.left + 1
    || one.bottom <= other.top + 1 || other.bottom <= one.top + 1;
  const lane = document.getElementById('toast').getBoundingClientRect();
  const toasts = seen('.toast').map((one) => one.getBoundingClientRect()).map(({ left, right, top, bottom }) =>
    ({ left, right, top: Math.max(top, lane.top), bottom: Math.min(bottom, lane.bottom) })); // it is cut off there
  return seen('.head, .tabs, .deck, .thumbs')
    .filter((one) => !toasts.every((toast) => apart(toast, one.getBoundingClientRect()))).map((one) => one.className);
}"""
"""What of the page a toast lies over."""
OUT_OF_SIGHT = """() => [...document.querySelectorAll('#now .btn')].filter((one) => {
  const { x, y, width, height, bottom } = one.getBoundingClientRect();
  return bottom > document.getElementById('deck').getBoundingClientRect().bottom
    || !one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}).map((one) => one.textContent)"""


def watched(page, size):
    resized(page, size)
    page.evaluate("document.fonts.ready")
    page.locator("[data-ask] img").evaluate("image => image.decode()")
    page.evaluate(WATCH)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_what_is_said_covers_nothing_at_the_console(console, table, size):
    watched(console, size)
    deck = console.locator("#deck").bounding_box()
    console.click("#stop")
    done, refused = console.locator("#toast .toast:not(.bad)"), console.locator("#toast .bad")
    expect(done.locator(".undo, .small")).to_be_visible()
    table.answer = {"seq": 16, "event": "answer"}
    console.click("#now .btn:text-is('black')")
    expect(done.locator(".undo")).to_be_visible()
    assert console.locator("#deck").bounding_box() == deck
    assert console.evaluate(SHIFTED) == []
    assert console.evaluate(COVERED) == console.evaluate(OUT_OF_SIGHT) == console.evaluate(SMALL) == []
    table.answer = {"seq": None, "event": "pause", "error": LONG}
    console.click("#stop")
    expect(refused).to_be_visible()
    expect(done).to_be_visible()
    assert console.evaluate(COVERED) == console.evaluate(SMALL) == []
    # The newest stands first, the other is a scroll away.
    assert [names for _, names in console.evaluate(SHIFTED) if names != ["toast"]] == []
    assert refused.bounding_box()["y"] < done.bounding_box()["y"]
    assert console.locator("#deck").bounding_box() == deck
    assert console.troubles == []


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_what_is_said_covers_nothing_on_a_sides_page(player, table, size):
    watched(player, size)
    player.click("#own")
    player.click("dialog .btn:text-is('Asha') >> nth=0")
    table.wait_for_acts(1)
    player.click("#theirs")
    player.click("dialog .btn:text-is('Ben') >> nth=0")
    expect(player.locator("#toast .toast:not(.bad)")).to_be_visible()
    assert player.evaluate(COVERED) == player.evaluate(SMALL) == []
    table.answer = {"seq": None, "event": "pause", "error": LONG}
    player.click("#stop")
    expect(player.locator("#toast .bad")).to_be_visible()
    assert player.evaluate(COVERED) == []
    assert player.troubles == []
