"""The clip of a foul that stands, in slow motion: large, once, and again when whoever umpires says so."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.test_accessibility import found

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def told(page, table, replays):
    """The pages are told of a ruling, with these clips."""
    seq = table.state["score"]["seq"] = table.state["score"]["seq"] + 1
    table.state["replays"] = replays
    table.feed.push("state")
    expect(page.locator("body")).to_have_attribute("data-seq", str(seq))


@pytest.mark.parametrize("where", ["/board", "/stream", "/overlay"])
def test_a_foul_that_stands_is_replayed_large_and_for_five_seconds_at_least(own_window, page, table, where):
    earlier = {"seq": 12, "clip": [40, 41]}
    table.state["replays"] = [earlier]
    page.clock.install()
    page.set_viewport_size({"width": 800, "height": 480})
    page.goto(where)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
    replay = page.locator("#replay")
    told(page, table, [earlier])
    expect(replay).to_be_hidden()  # it was ruled before anybody looked here
    told(page, table, [earlier, {"seq": 15, "clip": [40, 44]}])
    expect(replay.locator("img")).to_have_attribute("src", "/clip/40-44")
    box = replay.bounding_box()
    assert box["width"] >= (300 if where == "/overlay" else 800)
    assert box["height"] >= (150 if where == "/overlay" else 300)
    table.feed.push("board", {"t": 3.0, "moving": True, "pieces": []})  # a hand puts back what was fouled for
    expect(page.locator("#b-pieces").first.locator("circle")).to_have_count(0)
    page.clock.run_for(4_900)
    expect(replay).to_be_visible()
    page.clock.run_for(200)
    expect(replay).to_be_hidden()
    assert [url for url in page.troubles if "/clip/" not in url] == []  # that one was hung up


def test_the_next_stroke_ends_a_long_replay(own_window, page, table):
    page.clock.install()
    page.goto("/board")
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
    told(page, table, [])
    told(page, table, [{"seq": 15, "clip": [40, 44 + 300]}])
    page.clock.run_for(6_000)
    expect(page.locator("#replay")).to_be_visible()
    table.feed.push("board", {"t": 3.0, "moving": True, "pieces": []})
    expect(page.locator("#b-pieces").first.locator("circle")).to_have_count(0)
    page.clock.run_for(1)
    expect(page.locator("#replay")).to_be_hidden()


def test_a_replay_is_accessible(page, table):
    page.goto("/board")
    told(page, table, [])
    told(page, table, [{"seq": 15, "clip": [40, 44 + 300]}])
    expect(page.locator("#replay")).to_be_visible()
    assert found(page) == []


def test_no_replay_is_shown_on_a_phone(page, table):
    page.goto("/")
    told(page, table, [])
    told(page, table, [{"seq": 15, "clip": [40, 44]}])
    expect(page.locator("#replay")).to_be_hidden()


def test_who_umpires_has_a_replay_shown_again(console, chromium, client, table):
    told(console, table, [{"seq": 14, "clip": [40, 44]}])
    hall = chromium.new_page(base_url=f"http://127.0.0.1:{client.port}")
    hall.goto("/board")
    expect(hall.locator("body")).to_have_attribute("data-seq", "15")
    console.click("#fix")
    console.click(".btn:text-is('Show the replay in the hall again')")
    expect(hall.locator("#replay img")).to_have_attribute("src", "/clip/40-44")
    hall.close()


def test_of_a_stroke_without_a_foul_that_stands_no_replay_is_offered_or_shown(console, client, table):
    console.click("#fix")
    expect(console.locator("dialog .btn:text-is('Take the stroke back')")).to_be_visible()
    expect(console.locator("dialog .btn:text-is('Show the replay in the hall again')")).to_have_count(0)
    client.login()
    assert client.post("/replay", {"seq": 14}).status == 409
