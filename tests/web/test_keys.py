"""Single keys press the console's buttons: what a tap could press, once, and only while they are turned on."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.doing import TAKEN_BACK, heard, resized, show, styled
from tests.web.states import SMALL, STAYS_MS
from tests.web.test_nothing_jumps import SHIFTED, WATCH

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FOUL = {"event": "answer", "ask": "14.1", "choice": "foul"}
PAUSE = {"event": "pause"}
AT_ONCE = """(keys) => {
  for (const key of keys) document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, ...key }));
}"""
"""Keys faster than anybody's, or of another layout."""


@pytest.fixture
def keyboard(console):
    expect(console.locator("#pin")).not_to_be_focused()
    heard(console)
    return console.keyboard


def later(console) -> None:
    """The question is put off, and the foul to confirm is on the card."""
    console.keyboard.press("l")
    expect(console.locator("[data-flag]")).to_be_visible()
    heard(console)


def acts(table, count: int) -> list[dict]:
    table.wait_for_acts(count)
    return [event for event, _ in table.acted]


def answered(choice: str) -> dict:
    return {"event": "answer", "ask": 14, "choice": choice}


def test_digits_answer_the_question_on_the_card(keyboard, table):
    keyboard.press("c")  # nothing is to be confirmed
    keyboard.press("9")
    keyboard.press("3")
    assert acts(table, 1) == [answered("none of these")]


def test_digits_go_through_both_players_answers(keyboard, table, console):
    table.state["asks"][0]["sides"] = ["south", "north"]
    show(table)
    expect(console.locator("[data-ask] .buttons")).to_have_count(2)
    keyboard.press("6")
    assert acts(table, 1) == [answered("white") | {"seat": "north"}]


@pytest.mark.parametrize(
    ("key", "choice"),
    [("c", "foul"), ("PageDown", "foul"), ("1", "foul"), ("2", "no foul"), ("3", "replay the stroke")],
)
def test_a_foul_is_confirmed_or_not_and_undone(keyboard, table, console, key, choice):
    later(console)
    keyboard.press(key)
    assert acts(table, 1) == [FOUL | {"choice": choice}]
    expect(console.locator("#toast .undo")).to_be_visible()
    keyboard.press("u")
    back = {"event": "correct", "seq": 15, "with": TAKEN_BACK, "reason": "taken back"}
    assert acts(table, 2)[1] == back


def test_the_only_answer_is_a_confirmation(keyboard, table, console):
    show(table, asks=[table.state["asks"][0] | {"choices": ["seen"]}])
    expect(console.locator("[data-ask] .buttons .btn")).to_have_count(1)
    keyboard.press("PageDown")
    assert acts(table, 1) == [answered("seen")]


@pytest.mark.parametrize(
    ("key", "title"),
    [("i", "Improper stroke by Asha (stroke 14)"), ("f", "Fix stroke 14 · Asha"), ("a", "Call")],
)
def test_letters_press_the_buttons_under_the_thumb(keyboard, table, console, key, title):
    keyboard.press(key)
    expect(console.locator("dialog h2")).to_contain_text(title)
    keyboard.press("Escape")
    expect(console.locator("dialog")).to_have_count(0)
    keyboard.press("s")
    assert acts(table, 1) == [PAUSE]
    show(table, score=table.state["score"] | {"state": "idle"}, asks=[], flags=[])
    expect(console.locator("#stop")).to_have_text("New match")
    expect(console.locator("#stop")).to_be_enabled()  # the table has answered to what it was before
    keyboard.press("s")
    expect(console.locator("dialog h2")).to_contain_text("New match")


def test_a_key_that_is_held_acts_once(keyboard, table):
    keyboard.down("s")
    keyboard.down("s")
    keyboard.up("s")
    keyboard.press("2")
    assert acts(table, 2) == [PAUSE, answered("white")]


def test_with_a_modifier_or_in_a_field_a_key_is_what_it_is(keyboard, table, console):
    for held in ("Control", "Alt", "Meta", "Shift"):
        keyboard.press(f"{held}+2")
    keyboard.press("a")
    search = console.locator("dialog [type=search]")
    search.press_sequentially("1sc")
    expect(search).to_have_value("1sc")
    keyboard.press("Escape")  # empties it
    keyboard.press("Escape")
    expect(console.locator("dialog")).to_have_count(0)
    console.evaluate("document.getElementById('panel-now').prepend(document.createElement('input'))")
    console.locator("#panel-now input").press_sequentially("2")
    console.locator("#panel-now input").blur()
    keyboard.press("1")
    assert acts(table, 1) == [answered("black")]


def test_space_and_enter_press_what_has_the_focus(keyboard, table, console):
    for seq, key, choice in ((15, "Space", "white"), (16, "Enter", "black")):
        console.locator(f".ask .btn:text-is('{choice}')").focus()
        keyboard.press(key)
        assert acts(table, 1).pop() == answered(choice)
        table.acted.clear()
        show(table, score=table.state["score"] | {"seq": seq})  # and the question is open again
        expect(console.locator(".ask [aria-disabled=true]")).to_have_count(0)


def test_what_is_written_on_a_key_counts_whatever_the_layout(keyboard, table, console):
    console.evaluate(AT_ONCE, [{"key": "é", "code": "Digit2"}])
    assert acts(table, 1) == [answered("white")]
    console.evaluate(AT_ONCE, [{"key": "े", "code": "KeyS"}])
    assert acts(table, 2)[1] == PAUSE
    console.evaluate(AT_ONCE, [{"key": "f", "code": "KeyY"}])
    expect(console.locator("dialog h2")).to_contain_text("Fix")


def test_a_card_that_was_settled_elsewhere_takes_no_key(own_window, keyboard, table, console):
    entry = {"seq": 15, "event": "answer", "seat": None, "says": "x", "fouls": []}
    console.evaluate(styled(f"--stays: {STAYS_MS}ms"))
    console.clock.install()
    show(table, asks=[], history=[*table.state["history"], entry])
    expect(console.locator(".settled")).to_be_visible()
    keyboard.press("1")
    keyboard.press("s")
    assert acts(table, 1) == [PAUSE]


def test_a_card_that_has_just_come_takes_no_key_meant_for_the_one_before(keyboard, table, console):
    console.evaluate(AT_ONCE, [{"key": "l"}, {"key": "c"}])
    expect(console.locator("[data-flag]")).to_be_visible()
    keyboard.press("s")
    assert acts(table, 1) == [PAUSE]
    heard(console)
    keyboard.press("c")
    assert acts(table, 2) == [PAUSE, FOUL]


def test_what_is_out_of_sight_is_shown_first(keyboard, table, console):
    console.click(".tab:text('Table')")
    answer = console.locator(".ask .btn:text-is('black')")
    expect(answer).not_to_be_in_viewport()
    keyboard.press("1")
    expect(answer).to_be_in_viewport(ratio=1)
    assert table.acted == []
    keyboard.press("1")
    assert acts(table, 1) == [answered("black")]


def test_under_a_sheet_only_the_sheet_has_keys(keyboard, table, console):
    table.differences = [{"seq": 14, "figure": "score", "was": {"south": 12}, "now": {"south": 11}}]
    later(console)
    keyboard.press("c")
    expect(console.locator("dialog .changes")).to_be_visible()
    heard(console)
    keyboard.press("s")
    keyboard.press("2")
    keyboard.press("PageDown")
    assert acts(table, 1) == [FOUL]
    expect(console.locator("dialog")).to_have_count(0)


def test_page_down_scrolls_what_has_the_focus(keyboard, table, console):
    history = [table.state["history"][0] | {"seq": seq} for seq in range(1, 60)]
    show(table, history=history)
    later(console)
    console.set_viewport_size({"width": 800, "height": 600})  # the strokes beside the card
    strokes = console.locator("#history .stroke")
    strokes.first.focus()
    keyboard.press("PageDown")
    expect(strokes.first).not_to_be_in_viewport()
    keyboard.press("c")
    assert acts(table, 1) == [FOUL]


def test_keys_are_turned_off_and_on_again_on_this_device(keyboard, table, console):
    def reopened():
        console.reload()
        expect(console.locator("[data-ask]")).to_be_visible()
        heard(console)

    expect(console.locator("[aria-keyshortcuts='2']")).to_have_text("white")
    toggle = console.get_by_role("button", name="Single keys and foot switch", pressed=True)
    toggle.press("Enter")
    for again in (lambda: None, reopened):
        again()
        expect(console.locator("#single-keys")).to_have_attribute("aria-pressed", "false")
        expect(console.locator("[aria-keyshortcuts], [data-key]")).to_have_count(0)
        keyboard.press("2")
    console.click("#single-keys")
    keyboard.press("s")
    assert acts(table, 1) == [PAUSE]
    reopened()
    keyboard.press("2")
    assert acts(table, 2)[1] == answered("white")


KEYS = """[...document.querySelectorAll('[data-key]')].filter((one) => one.checkVisibility())
  .map((one) => getComputedStyle(one, '::after').content.replace(/ .*/, ''))"""


@pytest.mark.parametrize("size", [(390, 844), (800, 480), (1366, 768)], ids=str)
def test_keys_are_shown_on_their_buttons_and_move_nothing(keyboard, table, console, size):
    resized(console, size)
    expect(console.locator("#now .btn.first")).to_be_visible()
    assert console.evaluate(KEYS) == [f'"{key}"' for key in "L1234SIFA"]
    console.evaluate("document.fonts.ready")
    console.evaluate(WATCH)
    for state in ("paused", "playing"):
        show(table, score=table.state["score"] | {"state": state})
        expect(console.locator("#stop")).to_have_text({"paused": "Play", "playing": "Stop"}[state])
    assert console.evaluate(SHIFTED) == []
    assert console.evaluate(SMALL) == []
    expect(console.get_by_role("button", name="white", exact=True).and_(console.locator(".ask .btn"))).to_be_visible()


def test_a_phone_shows_no_keys(chromium, client):
    context = chromium.new_context(
        viewport={"width": 390, "height": 844},
        base_url=f"http://127.0.0.1:{client.port}",
        has_touch=True,
        is_mobile=True,
    )
    phone = context.new_page()
    phone.goto("/umpire")
    phone.fill("#pin", "4711")
    phone.tap("#pin-form .btn.first")
    expect(phone.locator("[data-ask]")).to_be_visible()
    shown = phone.evaluate(KEYS)
    assert shown
    assert set(shown) == {"none"}
    context.close()


@pytest.mark.parametrize("size", [(390, 844), (1366, 768), (1920, 1080)], ids=str)
def test_the_first_tab_reaches_what_waits(keyboard, table, console, size):
    console.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    console.reload()
    expect(console.locator("[data-ask]")).to_be_visible()
    keyboard.press("Tab")
    expect(console.locator("[data-ask] .btn").first).to_be_focused()
    show(table, asks=[], flags=[])  # nothing waits: the panel scrolls what is read
    expect(console.locator("#panel-now")).to_have_attribute("tabindex", "0")
