"""A card of the console, or of a side, that is settled elsewhere greys, says why, and goes: never under a finger."""

from __future__ import annotations

import copy

import pytest
from playwright.sync_api import expect

from tests.web.doing import set_wall_clock, show
from tests.web.states import STAYS_MS
from tests.web.test_nothing_jumps import SHIFTED, WATCH

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LIFTED_MS = 1000
SIZES = [(390, 844), (800, 480), (1366, 768)]

ELSEWHERE = "Answered elsewhere: by a button, a player or over the network."
AT_ANOTHER = "Settled at another umpire's device."
HIT = """([x, y]) => new Promise((found) => new MutationObserver(() => {
  const next = document.querySelector('#now [data-flag]');
  if (next) found(next.contains(document.elementFromPoint(x, y)));
}).observe(document.getElementById('now'), { childList: true, attributes: true, subtree: true }))"""
"""Whether the next card takes a tap at a place in the moment in which it comes."""


@pytest.fixture
def waits():
    return ""


@pytest.fixture
def size(request):
    """Width and height of the window in px; the browser's own where a test gives none."""
    return getattr(request, "param", None)


@pytest.fixture
def card(own_window, page, size):
    """The console's question; the page's clock goes on by hand from here."""
    if size is not None:
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.clock.install()
    page.goto("/umpire")
    page.fill("#pin", "4711")
    page.click("#pin-form .btn.first")
    expect(page.locator("[data-ask]")).to_be_visible()
    page.evaluate("document.fonts.ready")
    page.locator("[data-ask] img").evaluate("image => image.decode()")
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
    return page.locator("[data-ask='14']")


def settle(table, event="answer", **more) -> None:
    """The question is open no more: another ruling has come."""
    entry = {"seq": 15, "event": event, "seat": None, "says": "x", "fouls": []} | more
    table.state["score"]["seq"] = 15
    show(table, asks=[], history=[*table.state["history"], entry])


def expect_greyed(card, why: str) -> None:
    expect(card.locator(".why-settled")).to_have_text(why)
    assert card.locator("button:enabled").count() == 0
    expect(card).to_be_visible()


def expect_next(page) -> None:
    expect(page.locator("[data-flag]")).to_be_visible()
    expect(page.locator("#now > *")).to_have_count(1)


@pytest.mark.parametrize("size", SIZES, ids=str, indirect=True)
def test_a_card_that_was_answered_elsewhere_stays_for_a_while_and_nothing_moves(page, card, table):
    before = card.bounding_box()
    page.evaluate(WATCH)
    settle(table)
    expect_greyed(card, ELSEWHERE)
    assert card.bounding_box() == before
    plate, thumbs = card.locator(".why-settled p").bounding_box(), page.locator("#thumbs").bounding_box()
    assert plate["y"] + plate["height"] <= thumbs["y"], "why it greyed is in sight"
    page.clock.run_for(STAYS_MS - 100)
    expect_greyed(card, ELSEWHERE)
    page.clock.run_for(100)
    expect_next(page)
    page.clock.resume()
    assert page.evaluate(SHIFTED) == []
    assert table.acted == []
    assert page.troubles == []


@pytest.mark.parametrize(
    ("event", "ruling", "why"),
    [
        ("correct", {"says": "x", "ruled": {"event": "correct", "void": True}}, "Overtaken: The stroke is taken back"),
        ("shot", {"says": "south plays on"}, "Overtaken: south plays on"),
    ],
)
def test_a_card_that_was_overtaken_says_by_what(page, card, table, event, ruling, why):
    settle(table, event, **ruling)
    expect_greyed(card, why)


def test_a_card_says_that_another_device_settled_it(page, card, table, client):
    client.login()
    table.answer = {"seq": 15, "event": "answer"}
    client.post("/act", {"event": "answer", "ask": 14, "choice": "black"})
    settle(table)
    expect_greyed(card, AT_ANOTHER)


def test_a_card_says_that_the_table_asks_no_more_or_that_another_match_has_begun(page, card, table):
    asks = copy.deepcopy(table.state["asks"])
    show(table, asks=[])
    expect_greyed(card, "The table no longer asks: it is settled.")
    show(table, asks=asks)
    expect(card.locator("button:enabled")).to_have_count(7)  # taken back: it is open again
    expect(card.locator(".why-settled")).to_have_count(0)
    show(table, score=table.state["score"] | {"match": "m-2"})  # whose question has the same number
    expect_greyed(card, "Another match has begun.")
    page.clock.run_for(STAYS_MS)


def test_what_this_device_answered_goes_at_once(page, card, table):
    card.locator(".btn:text-is('black')").click()
    table.wait_for_acts(1)
    settle(table)
    expect_next(page)


def test_a_card_never_goes_under_a_finger(page, card, table):
    answer = card.locator(".btn:text-is('black')").bounding_box()
    page.mouse.move(answer["x"] + 20, answer["y"] + 20)
    page.mouse.down()
    settle(table)
    expect_greyed(card, ELSEWHERE)
    page.clock.run_for(10 * STAYS_MS)
    expect_greyed(card, ELSEWHERE)
    page.mouse.up()
    page.clock.run_for(LIFTED_MS - 100)
    page.mouse.down()  # and once more
    page.mouse.up()
    page.clock.run_for(LIFTED_MS - 100)
    expect_greyed(card, ELSEWHERE)
    page.clock.run_for(100)
    expect_next(page)
    assert table.acted == []
    assert page.troubles == []


def test_a_wall_clock_that_is_set_keeps_no_card_and_takes_none_away(page, card, table):
    settle(table)
    expect_greyed(card, ELSEWHERE)
    set_wall_clock(page, -3_600_000)
    page.clock.run_for(STAYS_MS - 100)
    expect_greyed(card, ELSEWHERE)
    page.clock.run_for(100)
    expect_next(page)


def test_a_touch_that_lasts_holds_a_card_too(page, card, table):
    answer = card.locator(".btn:text-is('black')").bounding_box()
    finger = page.context.new_cdp_session(page)
    points = [{"x": answer["x"] + 20, "y": answer["y"] + 20}]
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points})
    settle(table)
    expect_greyed(card, ELSEWHERE)
    page.clock.run_for(2 * STAYS_MS)
    expect_greyed(card, ELSEWHERE)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.clock.run_for(LIFTED_MS)
    expect_next(page)
    assert table.acted == []


def test_a_tap_meant_for_a_greyed_card_never_hits_the_next_one(page, card, table):
    settle(table)
    expect_greyed(card, ELSEWHERE)
    place = card.locator(".btn:text-is('black')").bounding_box()
    page.evaluate(f"(at) => {{ window.hit = ({HIT})(at) }}", [place["x"] + 20, place["y"] + 20])
    page.clock.run_for(STAYS_MS)
    expect_next(page)
    assert page.evaluate("window.hit") is False
    page.click("[data-flag] .btn:text-is('Confirm')")  # and takes those that are meant for it
    table.wait_for_acts(1)


def test_a_card_never_goes_from_under_the_keyboard(page, card, table):
    page.keyboard.press("Tab")
    card.locator(".btn:text-is('black')").focus()
    settle(table)
    expect_greyed(card, ELSEWHERE)
    expect(card).to_be_focused()
    page.clock.run_for(10 * STAYS_MS)
    expect_greyed(card, ELSEWHERE)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.clock.run_for(1)
    expect_next(page)
    assert table.acted == []


def test_a_new_question_never_takes_the_place_of_the_one_in_hand(page, card, table):
    page.click("text=Later")
    flag = page.locator("[data-flag]")
    expect(flag.locator(".count")).to_have_text("2 of 2")
    show(table, asks=[*table.state["asks"], table.state["asks"][0] | {"ask": 16}])
    expect(flag.locator(".count")).to_have_text("3 of 3")
    flag.locator(".btn:text-is('Later')").click()
    expect(page.locator("[data-ask='16']")).to_be_visible()


def test_a_card_between_boards_never_vanishes_either(page, card, table):
    show(table, asks=[], flags=[], score=table.state["score"] | {"seq": 15, "state": "board_over"})
    expect_greyed(card, "The table no longer asks: it is settled.")
    page.clock.run_for(STAYS_MS)
    between = page.locator("#now .between")
    expect(between).to_be_visible()
    history = [*table.state["history"], {"seq": 16, "event": "next_board", "ruled": {"event": "next_board"}}]
    show(table, history=history, score=table.state["score"] | {"seq": 16, "state": "playing"})
    expect_greyed(between, "Overtaken: The next board begins")
    page.clock.run_for(STAYS_MS)
    expect(page.locator("#now .ruling")).to_be_visible()
    assert page.troubles == []


def test_a_sides_card_greys_and_says_why_too(player, table):
    question = player.locator("[data-ask]")
    history = table.state["history"]
    table.state["score"]["seq"] = 15
    show(table, asks=[], history=[*history, {"seq": 15, "event": "answer", "says": "x"}])
    expect_greyed(question, ELSEWHERE)
    expect(player.locator("#now .ruling")).to_be_visible()


def test_what_the_other_side_wants_greys_when_something_else_is_ruled(player, table, client):
    show(table, asks=[], score=table.state["score"] | {"state": "board_over"})
    address = client.post("/invite", {"side": "north"}).json["address"]
    client.cookie = ""
    joined = client.post("/join", {"code": address.partition("#")[2]})
    client.cookie = joined.headers["set-cookie"].partition(";")[0]
    assert client.post("/side/act", {"event": "next_board"}).status == 202
    wish = player.locator("[data-wants]")
    expect(wish.locator(".q")).to_have_text("Ben wants: Next board")
    score = table.state["score"] | {"seq": 15, "state": "playing"}
    show(table, score=score, history=[{"seq": 15, "event": "next_board", "ruled": {"event": "next_board"}}])
    expect_greyed(wish, "Overtaken: The next board begins")
    expect(player.locator("#now .ruling")).to_be_visible()
    assert table.acted == []
