"""Every page in every state at a phone's, the table display's and the hall's size: every target is large enough,
nothing is cut off sideways, and names of any length break nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.doing import resized, show
from tests.web.pretend import LOOK
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


ANSWERS = "[...document.querySelectorAll('#now .answers .btn')].map((one) => one.getBoundingClientRect().toJSON())"
DECK = "document.getElementById('deck').getBoundingClientRect().toJSON()"
VIEW = {"size": [640, 360], "crop": [20, 0, 600, 360], "pockets": {"NE": [[500, 20], [560, 20], [530, 50]]}}
LONG_ANSWERS = [
    {"pocketed": [{"piece": "black", "pocket": "SW"}], "off_board": []},
    {"pocketed": [{"piece": "black", "pocket": "SW"}, {"piece": "striker", "pocket": "SW"}], "off_board": []},
    {"pocketed": [{"piece": "black", "pocket": "SW"}], "off_board": ["striker"]},
    {"pocketed": [{"piece": "striker", "pocket": "SW"}], "off_board": ["black"]},
    "none of these",
    "replay the stroke",
]


def every_kind_of_card(table):
    """The cards that ask, each alone; nothing of what they are about is short."""
    shown = {"picture": 42, "clip": [40, 44]}
    piece, flag = table.state["asks"][0] | shown, table.state["flags"][0] | shown
    placed = {"view": VIEW, "drawing": LOOK["drawing"], "clearances": LOOK["clearances"]}
    board = {"ask": "board-extra", "about": "board", "key": "extra", "question": "?", "missing": [], "extra": ["black"]}
    board |= {"counts": [["black", 6, 5]], "choices": ["accept the board as it lies", "seen"], "picture": 42}
    challenge = {"seq": 15, "side": "north", "stroke": 14, "about": "lines", "result": None, "by": None, "reason": None}
    for name, asks, flags, score in (
        ("piece", [piece | {"evidence": placed, "pocket": "NE"}], [], {}),
        (
            "long answers",
            [piece | {"choices": LONG_ANSWERS, "question": "What fell, and what left the board?"}],
            [],
            {},
        ),
        ("foul", [], [flag | {"evidence": placed}], {}),
        ("sides", [piece | {"sides": ["south", "north"], "choices": ["black", "white"]}], [], {}),
        ("board", [board], [], {}),
        ("challenge", [], [], {"challenge": challenge, "challenges_left": {"south": 1, "north": 1}}),
    ):
        yield name, {"asks": asks, "flags": flags, "score": score}


@pytest.mark.parametrize("lang", ["en", "hi"])
def test_every_answer_is_in_sight_at_every_size_and_the_clip_moves_none(console, table, lang):
    console.goto(f"/umpire?lang={lang}")
    table.state["lay"] = {"pieces": [], "within_mm": 8}
    score = table.state["score"]
    for seq, (name, card) in enumerate(every_kind_of_card(table), 101):
        show(table, **card | {"score": score | card["score"] | {"seq": seq}})
        expect(console.locator("body")).to_have_attribute("data-seq", str(seq))
        expect(console.locator(".settled")).to_have_count(0)
        if (name, lang) == ("foul", "en"):
            # of three limits the one that comes off worst, not the nearest
            expect(console.locator(".measured summary")).to_have_text("Too close to call: 0.3 mm")
        if (name, lang) == ("piece", "en"):
            # near the pocket it fell into; how the striker was placed is not what is asked
            expect(console.locator("svg.evidence")).to_have_attribute("viewBox", "455 -40 150 150")
            expect(console.locator(".measured, svg.evidence .disc")).to_have_count(0)
        for size in ((390, 844), (360, 640), (800, 480), (1366, 768), (1920, 1080)):
            resized(console, size)
            before, deck = console.evaluate(ANSWERS), console.evaluate(DECK)
            assert before, name
            for box in before:
                assert deck["top"] <= box["top"] < box["bottom"] <= deck["bottom"] + 0.5, (name, size, box, deck)
            for _ in range(2 if console.locator("#now .toggle").count() else 0):
                console.click("#now .toggle")
                assert console.evaluate(ANSWERS) == before, (name, size)
            assert misfits(console) == [], (name, size)
    assert [one for one in console.troubles if not one.startswith("http")] == []  # a clip that is left ends its stream


def test_a_tap_enlarges_the_picture_over_its_card_and_one_more_puts_it_back(console, table):
    resized(console, (360, 640))
    frame = console.locator("#now .evidence-frame")
    small = frame.bounding_box()
    frame.click()
    assert frame.bounding_box()["height"] > small["height"] + 40
    frame.press("Enter")
    assert frame.bounding_box() == small


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
