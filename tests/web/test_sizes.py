"""Every page in every state at a phone's, the table display's and the hall's size: every target is large enough,
nothing is cut off sideways, and names of any length break nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.doing import show
from tests.web.states import SMALL, walked

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SIZES = [(390, 844), (800, 480), (1920, 1080)]
LONG = {
    "south": "Venkatanarasimharajuvaripeta Subramaniam Chandrasekaran",
    "north": "आशावेंकटरमनश्रीनिवासनराघवनकुलकर्णीदेशपांडेभट्टाचार्यउपाध्याय"[:60],
}
CUT = """() => [...document.querySelectorAll('body *')]
  .filter((e) => e.checkVisibility() && !e.children.length && e.textContent.trim())
  .filter((e) => !e.closest('svg, .unseen, .short, .toasts, .deck') && getComputedStyle(e).textOverflow !== 'ellipsis')
  .filter((e) => innerWidth > innerHeight || !e.closest('#saying')) // upright it ends in …
  .map((e) => [e.textContent.slice(0, 30), e.getBoundingClientRect(), document.body.classList.contains('alone')])
  .filter(([, r]) => r.width)
  .filter(([, r, alone]) => r.right > innerWidth + 1 || r.left < -1 || (alone && r.bottom > innerHeight + 1))
  .map(([text, r]) => `${text}: ${Math.round(r.left)} to ${Math.round(r.right)}, below ${Math.round(r.bottom)}`)"""
WIDE = """[...document.querySelectorAll('.panel, .sheet-body, body')].map((e) => e.scrollWidth - e.clientWidth)
  .filter((px) => px > 1)"""


def misfits(page) -> list[str]:
    """What is too small, cut off or too wide."""
    return [*page.evaluate(SMALL), *page.evaluate(CUT), *page.evaluate(WIDE)]


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=["phone", "display", "hall"])
@pytest.mark.parametrize("names", ["short", "long"])
@pytest.mark.parametrize("where", ["/", "/board", "/umpire"])
def test_nothing_is_cut_off_and_every_target_is_large_enough(own_window, page, table, where, names, size):
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.emulate_media(reduced_motion="reduce")
    if names == "long":
        for side in table.state["score"]["sides"]:
            side["seats"] = {seat: LONG[seat] for seat in side["seats"]}
            side["points"] = 129
    assert walked(page, table, where, misfits) == {}


@pytest.mark.parametrize("size", SIZES, ids=["phone", "display", "hall"])
def test_what_is_to_be_decided_is_in_sight_with_all_its_answers(console, table, size):
    console.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    thumbs = console.locator("#thumbs").bounding_box()["y"]
    for card in ("[data-ask]", "[data-flag]"):
        buttons = console.locator(f"#now {card} .buttons").last.bounding_box()
        assert buttons["y"] + buttons["height"] <= thumbs + 1
        if card == "[data-ask]":
            console.click("text=Later")


@pytest.mark.parametrize("lang", ["en", "hi"])
@pytest.mark.parametrize("clip", [None, [3, 9]], ids=["still", "clip"])
def test_on_a_small_phone_the_first_answers_are_in_sight_below_the_picture(console, table, lang, clip):
    console.set_viewport_size({"width": 360, "height": 640})
    for one in (*table.state["asks"], *table.state["flags"]):
        one |= {"picture": 42, "clip": clip}
    table.state["asks"][0] |= {
        "question": "Which of the pieces fell in NE while a hand was over the board?",
        "about": "",
    }
    show(table)
    console.goto(f"/umpire?lang={lang}")
    for card in ("[data-ask]", "[data-flag]"):
        picture = console.locator(f"#now {card} .evidence-frame")
        expect(picture).to_be_visible()
        deck = console.locator("#deck").bounding_box()
        first = console.locator(f"#now {card} > .buttons .btn").first.bounding_box()
        assert first["y"] + first["height"] <= deck["y"] + deck["height"]
        small = picture.bounding_box()["height"]
        assert small >= 90, "it can still be read"
        for large in (True, False):
            picture.locator("img, svg").click(position={"x": 20, "y": 20})
            assert (picture.bounding_box()["height"] > small + 40) is large
        if card == "[data-ask]":
            console.click(".ask h2 .btn")


@pytest.mark.parametrize("size", [*SIZES, (1366, 768)], ids=str)
def test_what_comes_next_between_boards_is_in_sight_however_long_the_match(console, table, size):
    console.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    row = {"game": 1, "winner": "south", "points": 5, "drawn": False, "why": "x", "score": {"south": 5, "north": 0}}
    table.state |= {"asks": [], "flags": [], "boards": [row | {"board": number} for number in range(1, 9)]}
    table.state["score"] |= {"state": "board_over", "seq": 15}
    table.state["ruling"]["board"] = {"number": 8, "over": True, "winner": "south", "points": 5, "on_demand": 2}
    table.feed.push("state")
    answers = console.locator("#now .between .btn")
    expect(answers).to_have_count(3)
    deck = console.locator("#deck").bounding_box()
    for one in answers.all():
        box = one.bounding_box()
        assert box["y"] + box["height"] <= deck["y"] + deck["height"]


@pytest.mark.long
@pytest.mark.parametrize("size", [*SIZES, (1366, 768)], ids=str)
@pytest.mark.parametrize("lang", ["en", "hi"])
def test_a_sides_page_fits_in_every_state(player, table, lang, size):
    player.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    player.goto(f"/player?lang={lang}")
    expect(player.locator("[data-ask] img")).to_be_visible()
    assert misfits(player) == []
    covers = """() => [...document.querySelectorAll('.toggle')].filter((one) => {
      const { bottom } = one.parentElement.getBoundingClientRect();
      return one.getBoundingClientRect().bottom > bottom + 1;
    }).length"""
    assert player.evaluate(covers) == 0
    table.state["asks"][0]["sides"] = ["north"]
    show(table, score=table.state["score"] | {"state": "board_over", "seq": 15})
    expect(player.locator("body")).to_have_attribute("data-seq", "15")
    player.click("#stop")
    undo = player.locator("[data-wants] .btn")
    expect(undo).to_be_visible()
    assert misfits(player) == []
    box, deck = undo.bounding_box(), player.locator("#deck").bounding_box()
    assert box["y"] + box["height"] <= deck["y"] + deck["height"]
    assert player.locator("#stop").get_attribute("class") == "btn first"
