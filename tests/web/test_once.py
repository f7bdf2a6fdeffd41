"""What is tapped twice is done once: it greys at the first tap, and comes back if that is refused or not answered."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.doing import held_back, show, wait_held

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BLACK = "[data-ask] .btn:text-is('black')"
PICTURE = "[data-ask] .evidence-frame"
ANSWERS = "#now [data-ask] .buttons .btn"
GREY = "#now .btn[aria-disabled=true]"
TWICE = "(taps) => { for (const one of [...taps, ...taps]) one.click(); }"
"""Each of some buttons twice, faster than anybody taps."""
ANSWER_MS = 12_000
DIFFERS = {"seq": 9, "figure": "score", "was": {"south": 12}, "now": {"south": 13}}
"""What reaches further than one stroke: it is asked about first."""


def twice(page, *buttons: str) -> None:
    page.evaluate(TWICE, [page.wait_for_selector(one) for one in buttons])


def test_a_question_is_answered_once_whatever_is_tapped(console, table):
    held = held_back(console, "**/preview")
    twice(console, BLACK, "[data-ask] .btn:text-is('white')")
    expect(console.locator(GREY)).to_have_count(4)
    wait_held(console, held, 1)
    show(table, asks=[table.state["asks"][0] | {"question": "Which piece was it?"}])
    expect(console.locator("#now .q")).to_have_text("Which piece was it?")  # built anew
    expect(console.locator(GREY)).to_have_count(4)
    twice(console, *[f"{ANSWERS} >> nth={index}" for index in range(4)])
    held[0].continue_()
    table.wait_for_acts(1)
    expect(console.locator("#toast .undo")).to_be_visible()
    expect(console.locator(GREY)).to_have_count(4)  # what is shown knows nothing of the answer yet
    twice(console, BLACK)
    show(table, score=table.state["score"] | {"seq": 16})  # it was taken back at once: the question is open
    expect(console.locator(GREY)).to_have_count(0)
    assert len(held) == 1
    assert [event["choice"] for event, _ in table.acted] == ["black"]
    assert console.troubles == []


def test_answers_come_back_where_the_table_refuses(console, table):
    table.answer = {"seq": None, "event": "answer", "error": "that stroke was taken back"}
    held = held_back(console)
    twice(console, BLACK)
    wait_held(console, held, 1)
    expect(console.locator(GREY)).to_have_count(4)
    held[0].continue_()
    expect(console.locator("#toast .bad")).to_contain_text("that stroke was taken back")
    expect(console.locator(GREY)).to_have_count(0)
    assert len(table.acted) == 1


def test_answers_come_back_where_the_table_does_not_answer(own_window, page, table):
    page.clock.install()
    page.goto("/umpire")
    page.fill("#pin", "4711")
    page.click("#pin-form .btn.first")
    expect(page.locator(BLACK)).to_be_visible()
    held = held_back(page)
    twice(page, BLACK)
    wait_held(page, held, 1)
    expect(page.locator(GREY)).to_have_count(4)
    page.clock.fast_forward(ANSWER_MS)
    expect(page.locator("#toast .bad")).to_contain_text("The table cannot be reached")
    expect(page.locator(GREY)).to_have_count(0)


def test_each_player_answers_for_itself_once(console, table):
    show(table, asks=[table.state["asks"][0] | {"sides": ["south", "north"]}])
    expect(console.locator(ANSWERS)).to_have_count(8)
    twice(console, ".ask div:has(> p:text('Ben says')) .btn:text-is('black')")
    table.wait_for_acts(1)
    expect(console.locator(GREY)).to_have_count(4)
    twice(console, ".ask div:has(> p:text('Asha says')) .btn:text-is('white')")
    table.wait_for_acts(2)
    assert [event["seat"] for event, _ in table.acted] == ["north", "south"]


def test_a_foul_is_confirmed_once_and_a_refused_confirmation_stays_open(console, table):
    show(table, asks=[])
    table.differences = [DIFFERS]
    twice(console, "[data-flag] .btn:text-is('Confirm')", "[data-flag] .btn:text-is('Wave away')")
    go = console.locator("dialog .btn:text-is('Do it')")
    expect(go).to_be_focused()
    table.answer = {"seq": None, "event": "answer", "error": "the match is over"}
    twice(console, "dialog .btn.first")
    expect(console.locator("dialog [role=alert]")).to_have_text("the match is over")
    expect(go).to_be_enabled()
    table.answer = {"seq": 15, "event": "answer"}
    go.click()
    expect(console.locator("dialog")).to_have_count(0)
    assert [event["choice"] for event, _ in table.acted] == ["foul"] * 2
    assert table.previewed == [{"event": "answer", "ask": "14.1", "choice": "foul"}]


def test_a_side_answers_once(player, table):
    held = held_back(player, "**/side/act")
    twice(player, BLACK, "[data-ask] .btn:text-is('white')")
    wait_held(player, held, 1)
    expect(player.locator(GREY)).to_have_count(4)
    held[0].continue_()
    table.wait_for_acts(1)
    show(table, asks=[table.state["asks"][0] | {"sides": ["north"]}])
    expect(player.locator("#now")).to_contain_text("Your side has answered")
    assert [event["choice"] for event, _ in table.acted] == ["black"]
    assert len(held) == 1
    assert player.troubles == []


@pytest.mark.parametrize(
    ("button", "path"),
    [
        ("#stop", "/act"),
        ("[data-add=white]", "/act"),
        ("#match .btn:text-is('Time is up')", "/preview"),
        ("#pairing .btn", "/invite"),
        ("#leave", "/logout"),
    ],
)
def test_every_button_asks_the_table_once(console, button, path):
    held = held_back(console, f"**{path}")
    twice(console, button)
    wait_held(console, held, 1)
    expect(console.locator(button).first).to_have_attribute("aria-disabled", "true")
    twice(console, button)
    assert len(held) == 1
    held[0].abort()
    if path != "/logout":
        expect(console.locator(button).first).to_be_enabled()


def test_the_pin_is_said_once(page):
    held = held_back(page, "**/login")
    page.goto("/umpire")
    page.fill("#pin", "1234")
    twice(page, "#pin-form .btn.first")
    wait_held(page, held, 1)
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator("#pin-says")).to_have_text("this is not the PIN")
    expect(page.locator("#pin-form .btn.first")).to_be_enabled()


IMPROPER = {"event": "call", "clause": "icf-30", "seat": "south"}
TOUCHES = """([clientX, clientY]) => {
  const touch = { clientX, clientY, detail: 1, pointerType: 'touch', bubbles: true, cancelable: true };
  const tap = () => document.elementFromPoint(clientX, clientY).dispatchEvent(new PointerEvent('click', touch));
  tap();
  tap();
}"""
"""Two in one task: however slow the machine, the second comes at once."""
IN_SHEET = "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.tile'))"


def two_clicks(page, at: tuple[float, float]) -> None:
    page.mouse.dblclick(*at)


def two_touches(page, at: tuple[float, float]) -> None:
    page.evaluate(TOUCHES, at)


taps = pytest.mark.parametrize("two_taps", [two_clicks, two_touches])


@taps
@pytest.mark.parametrize("below", ["#stop", PICTURE])
def test_the_second_of_two_taps_never_hits_what_a_sheet_uncovered(console, table, below, two_taps):
    table.differences = []
    at = middle(console, below)
    console.click("#improper")
    expect(console.locator(".tile")).to_have_count(2)
    tile = below == "#stop"
    assert console.evaluate(IN_SHEET, at) == tile  # else beside the sheet
    two_taps(console, at)
    expect(console.locator("dialog")).to_have_count(0)
    expect(console.locator(PICTURE)).to_have_attribute("aria-pressed", "false")
    console.click("[data-ask] .btn:text-is('white')")
    table.wait_for_acts(1 + tile)
    assert [event["event"] for event, _ in table.acted] == ["call", "answer"][not tile :]
    assert table.acted[-1][0]["choice"] == "white"


@taps
def test_the_second_of_two_taps_never_hits_the_sheet_that_the_first_opened(console, table, two_taps):
    table.differences = []
    two_taps(console, middle(console, "#improper"))
    expect(console.locator("dialog .tile")).to_have_count(2)
    console.click(".tile:has-text('icf-30')")
    table.wait_for_acts(1)
    assert [event for event, _ in table.acted] == [IMPROPER]


def middle(page, button: str) -> tuple[float, float]:
    box = page.locator(button).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
