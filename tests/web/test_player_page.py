"""A side's own page and the way in by a code, in a real browser on a phone."""

from __future__ import annotations

import contextlib
import time

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from tests.patience import PATIENCE_S
from tests.web.conftest import opened
from tests.web.states import SMALL
from tests.web.test_accessibility import found

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def read(code) -> str:
    """What a phone's camera reads of a code on the screen: it looks until it can; the dialog may be opening."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        image = cv2.imdecode(np.frombuffer(code.screenshot(), np.uint8), cv2.IMREAD_COLOR)
        # OpenCV's other detector cannot read one in a hundred of such codes; this one read 900 of 900.
        if words := cv2.QRCodeDetectorAruco().detectAndDecode(image)[0]:
            return words
    raise AssertionError("the code cannot be read")


@pytest.fixture
def other(chromium, client):
    """Another phone."""
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(opened(chromium, client))


def scan(console, button: str, phone) -> None:
    """The code is shown on the console, read by a camera, and the other phone goes where it leads."""
    console.locator("#panel-table").scroll_into_view_if_needed()
    console.locator("#pairing").get_by_role("button", name=button).click()
    code = console.locator("img.code")
    expect(code).to_be_visible()
    phone.goto(read(code))
    console.locator("dialog").get_by_role("button", name="Close").click()
    expect(phone.locator("#go")).to_be_enabled()
    assert phone.url.endswith("/join"), "the code does not stay in the browser's history"
    assert found(phone) == []
    phone.click("#go")


def test_a_second_umpires_device_comes_in_by_a_code_and_hears_of_the_firsts_acts(console, table, other):
    phone = other()
    scan(console, "Another umpire's device", phone)
    expect(phone.locator("[data-ask]")).to_be_visible()
    table.answer = {"seq": 15, "event": "pause"}
    console.click("#stop")
    table.wait_for_acts(1)
    table.state["score"] |= {"seq": 15, "state": "paused"}
    table.state["history"].append({"seq": 15, "event": "pause", "seat": None, "says": "", "ruled": {"event": "pause"}})
    table.feed.push("state")
    expect(phone.locator("#toast .toast:not(.bad)")).to_contain_text("Another umpire's device: Play is stopped")
    expect(console.locator("#stop")).to_have_text("Play")
    expect(console.locator("#toast .toast:not(.bad)")).not_to_contain_text("Another umpire's device")
    assert console.troubles == phone.troubles == []


@pytest.fixture
def sides(console, table, other):
    """Both sides' phones where the players decide, with one question open."""
    table.state["officiating"] = "players"
    table.state["flags"] = []
    table.state["asks"][0]["sides"] = ["south", "north"]
    table.feed.push("state")
    south, north = other(), other()
    scan(console, "A device for Asha", south)
    scan(console, "A device for Ben", north)
    yield south, north
    assert console.troubles == south.troubles == north.troubles == []


def test_each_side_has_its_own_buttons_and_answers_for_itself(table, sides):
    south, north = sides
    for phone in (south, north):
        expect(phone.locator("[data-ask] .buttons .btn").first).to_have_text("black")
        assert phone.evaluate(SMALL) == []
        assert found(phone) == []
        assert phone.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [
            390,
            844,
        ]
    south.click("[data-ask] .buttons >> text=black")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "answer", "ask": 14, "choice": "black", "seat": "south"}
    table.state["asks"][0]["sides"] = ["north"]
    table.feed.push("state")
    expect(south.locator("#now")).to_contain_text("Your side has answered")
    expect(north.locator("[data-ask]")).to_be_visible()


def test_what_concerns_both_sides_is_done_when_both_want_it(table, sides):
    south, north = sides
    table.state["asks"] = []
    table.state["score"] |= {"state": "board_over", "seq": 15}
    table.feed.push("state")
    expect(north.locator("#stop")).to_have_text("Next board")
    north.click("#stop")
    expect(north.locator("[data-wants]")).to_contain_text("You want: Next board")
    expect(south.locator("[data-wants]")).to_contain_text("Ben wants: Next board")
    assert found(south) == []
    south.click("[data-wants] >> text=Agree")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "next_board"}
    # The umpire's word ends the players' mode: the buttons go.
    table.state["officiating"] = "umpire"
    table.state["score"] |= {"seq": 16}
    table.feed.push("state")
    expect(south.locator("#now")).to_contain_text("In this match the umpire decides")
    expect(south.locator("#stop")).to_be_disabled()


def test_a_side_challenges_on_its_own_page_in_two_taps_whoever_decides(table, sides):
    south, north = sides
    expect(south.locator("#challenge")).to_be_hidden()
    table.state |= {"officiating": "umpire", "asks": []}
    table.state["score"] |= {"seq": 15, "challenges_left": {"south": 1, "north": 0}}
    table.feed.push("state")
    expect(south.locator("#challenge")).to_be_enabled()
    expect(north.locator("#challenge")).to_be_disabled()
    assert south.evaluate(SMALL) == []
    south.click("#challenge")
    expect(south.locator("dialog fieldset")).to_have_count(1)
    south.click("dialog >> text=a foul not called")
    table.wait_for_acts(1)
    stroke = table.state["shot"]["seq"]
    assert table.acted[0][0] == {"event": "challenge", "seat": "south", "stroke": stroke, "about": "missed_foul"}
    table.state["score"] |= {"challenge": {"seq": 16, "side": "south", "stroke": stroke, "about": "missed_foul"}}
    table.feed.push("state")
    expect(south.locator("#now")).to_contain_text("Asha challenges: a foul not called")
    expect(south.locator("#challenge")).to_be_disabled()
    assert found(south) == []


def test_a_used_code_is_said_in_a_sentence(console, other):
    phone = other()
    phone.goto("/join#used")
    phone.click("#go")
    expect(phone.locator("#says")).to_have_text("This code has been used or is too old. Ask for a new one.")


def test_own_strokes_are_told_by_hand_where_nothing_senses_the_table(player, table):
    table.state |= {"asks": [], "flags": []}
    table.state["score"] |= {"armed": "off", "turn": "south", "seq": 15}
    table.feed.push("state")
    pad = player.locator(".own-stroke")
    expect(pad).to_contain_text("nothing fell")
    for piece in ("white", "black"):
        pad.locator(f"[data-add={piece}]").click()
    pad.get_by_role("button", name="Start again").click()
    expect(pad.locator(".fallen")).to_have_count(0)
    for piece in ("white", "queen"):
        pad.locator(f"[data-add={piece}]").click()
    assert found(player) == []
    pad.get_by_role("button", name="That was the stroke").click()
    table.wait_for_acts(1)
    fell = [{"piece": "white"}, {"piece": "queen"}]
    assert table.acted[0][0] == {"event": "shot", "seat": "south", "pocketed": fell}
    table.state["score"] |= {"turn": "north", "seq": 16}
    table.feed.push("state")
    expect(pad).to_have_count(0)
    table.state["score"] |= {"turn": "south", "seq": 17, "armed": "armed"}
    table.feed.push("state")
    expect(player.locator("body")).to_have_attribute("data-seq", "17")
    expect(pad).to_have_count(0)
