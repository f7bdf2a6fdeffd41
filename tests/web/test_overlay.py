"""The strip to lie over a film: transparent but for itself, and all of it to be read."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from tests.web.test_accessibility import found
from tests.web.test_scoreboard import LONG

pytestmark = [pytest.mark.browser, pytest.mark.slow]
FOUR = {
    "south": {"south": "Chandrasekaran Venkateswaran", "north": "தமிழ்ச்செல்வி"},
    "north": {"east": "ചന്ദ്രശേഖരൻ", "west": "W" * 30},
}
PARTS = ".who .mark:not(.off), .in-one-line .fit, .points .fit, .sign i, .where span, #clock, #saying"
STRIP = """(parts) => {
  const boxes = [...document.querySelectorAll(parts)].map((part) =>
    [part.className || part.id || part.textContent, part.getBoundingClientRect()]).filter(([, { width }]) => width);
  const out = ({ left, top, right, bottom }) => left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
  const over = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]) > 1;
  const found = boxes.filter(([, box]) => out(box)).map(([name]) => `${name} is outside`);
  for (const [index, [one, a]] of boxes.entries()) for (const [other, b] of boxes.slice(index + 1)) {
    if (over(a, b, 'left', 'right') && over(a, b, 'top', 'bottom')) found.push(`${one} on ${other}`);
  }
  const saying = document.querySelector('#saying');
  if (saying.scrollHeight > saying.clientHeight + 2) found.push('the sentence is cut');
  return found;
}"""


CORNERS = [(5, 5), (640, 20), (1275, 5), (640, 300), (5, 400)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_overlay_covers_nothing_of_a_film_but_its_strip(page, table, scheme):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme=scheme)
    page.goto("/overlay")
    expect(page.locator("[data-points=south]")).to_have_text("12")
    picture = cv2.imdecode(np.frombuffer(page.screenshot(omit_background=True), np.uint8), cv2.IMREAD_UNCHANGED)
    assert [picture[y, x, 3] for x, y in CORNERS] == [0] * len(CORNERS)
    assert picture[680, 200, 3] == 255


@pytest.mark.parametrize("names", [{}, LONG, FOUR], ids=["short", "long", "four"])
def test_all_of_the_overlay_is_within_it_and_nothing_lies_on_another(page, table, names):
    for side in table.state["score"]["sides"]:
        side |= {"seats": names.get(side["name"], side["seats"]), "points": 29, "owed": 2, "games": 1}
    for size in ({"width": 1920, "height": 1080}, {"width": 1280, "height": 720}):
        page.set_viewport_size(size)
        page.goto("/overlay")
        expect(page.locator("[data-points=north]")).to_have_text("29")
        assert page.evaluate(STRIP, PARTS) == []
    assert found(page) == []


def test_what_is_wrong_stands_on_the_overlay_and_a_table_that_watches_says_nothing(page, table):
    page.goto("/overlay")
    expect(page.locator("[data-points=south]")).to_have_text("12")
    watch = page.locator("#watch")
    expect(watch).to_be_hidden()
    table.state["health"]["simulated"] = True
    table.feed.push("state")
    expect(watch.locator(".simulated")).to_be_visible()
    expect(watch.locator("b")).to_be_hidden()
    table.state["score"]["state"] = "paused"
    table.feed.push("state")
    expect(watch.locator("b")).to_be_visible()
    expect(watch.locator("b")).to_contain_text("Stopped")
