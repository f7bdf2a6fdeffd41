"""axe finds nothing on any page in any state, light and dark, in each language; the keyboard reaches all of it.

`axe/axe.min.js` is axe-core 4.14.1 (Mozilla Public License 2.0), for this test only.
"""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]
AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text("utf-8")
RUN = "() => axe.run().then(({violations}) => violations.map(({id, nodes}) => [id, ...nodes.map((one) => one.html)]))"


def found(page) -> list:
    """What axe finds. The page forbids scripts that are not its own; the browser's own door is not the page's."""
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": AXE})
    return page.evaluate(RUN)


def in_every_state(table):
    """The states of a table, each with its name."""
    whole = copy.deepcopy(table.state)
    yield "questions"
    table.state |= {"asks": [], "flags": []}
    yield "playing"
    table.state["health"] = whole["health"] | {"camera": "stalled", "journal": "full"}
    table.state["score"]["armed"] = "degraded"
    yield "blind"
    table.state["score"] |= {"armed": "off", "state": "paused"}
    yield "stopped"
    table.state |= copy.deepcopy({name: whole[name] for name in ("health", "score", "ruling")}) | {
        "asks": [],
        "flags": [],
    }
    table.state["score"]["state"] = "board_over"
    table.state["ruling"]["board"] = {"number": 2, "over": True, "winner": "south", "points": 5, "on_demand": 1}
    table.state["boards"] = [
        {
            "game": 1,
            "board": 1,
            "winner": "south",
            "points": 5,
            "drawn": False,
            "why": "x",
            "score": {"south": 5, "north": 0},
        }
    ]
    yield "between boards"
    table.state["score"] |= {"state": "match_over", "winner": "south"}
    yield "match over"
    table.state["score"] |= {"state": "idle", "sides": [], "turn": None, "last": None}
    table.state |= {"ruling": None, "shot": None, "history": [], "boards": [], "to_place": [], "board": None}
    yield "idle"


@pytest.mark.parametrize(
    ("where", "scheme"), [("/", "light"), ("/board", "dark"), ("/umpire", "light"), ("/umpire", "dark")]
)
def test_axe_finds_nothing_on_any_page_in_any_state(page, table, where, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{where}?lang={'hi' if scheme == 'dark' else 'en'}")
    if where == "/umpire":
        expect(page.locator("#pin")).to_be_visible()
        assert found(page) == []
        page.fill("#pin", "4711")
        page.click("#pin-form .btn.first")
        expect(page.locator("[data-ask]")).to_be_visible()
    troubles = {}
    for seq, name in enumerate(in_every_state(table), 1):
        table.state["score"]["seq"] = 100 + seq
        table.feed.push("state")
        expect(page.locator("body")).to_have_attribute("data-seq", str(100 + seq))
        if said := found(page):
            troubles[name] = said
    assert troubles == {}


def test_axe_finds_nothing_in_any_sheet(console):
    sheets = ["#improper", "#fix", "#call"]
    troubles = {}
    for opener in sheets:
        console.click(opener)
        for summary in console.locator("dialog summary").all():
            summary.click()
        if said := found(console):
            troubles[opener] = said
        console.keyboard.press("Escape")
    for tab, opener in [
        ("Board", "#rescue"),
        ("Table", "#match >> text=New match"),
        ("Table", "#match >> text=Another call"),
    ]:
        console.click(f".tab:text('{tab}')")
        console.click(opener)
        if said := found(console):
            troubles[opener] = said
        console.keyboard.press("Escape")
    assert troubles == {}


def test_the_keyboard_does_all_of_it(console, table):
    console.focus("#fix")
    console.keyboard.press("Enter")
    expect(console.locator("dialog")).to_be_visible()
    for _ in range(12):
        if console.evaluate(
            "document.activeElement.matches('.chip') && document.activeElement.innerText.includes('white')"
        ):
            break
        console.keyboard.press("Tab")
    console.keyboard.press("Enter")
    table.wait_for_acts(1)
    assert table.acted[0][0]["with"]["pocketed"][0]["piece"] == "white"
