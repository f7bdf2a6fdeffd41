"""axe finds nothing on any page in any state, light and dark, in each language; the keyboard reaches all of it.

`axe/axe.min.js` is axe-core 4.14.1 (Mozilla Public License 2.0), for this test only.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.states import walked

pytestmark = [pytest.mark.browser, pytest.mark.slow]
AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text("utf-8")
RUN = "() => axe.run().then(({violations}) => violations.map(({id, nodes}) => [id, ...nodes.map((one) => one.html)]))"


def found(page) -> list:
    """What axe finds. The page forbids scripts that are not its own; the browser's own door is not the page's."""
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": AXE})
    return page.evaluate(RUN)


@pytest.mark.long
@pytest.mark.parametrize(
    ("where", "scheme"), [("/", "light"), ("/board", "dark"), ("/umpire", "light"), ("/umpire", "dark")]
)
def test_axe_finds_nothing_on_any_page_in_any_state(own_window, page, table, where, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    lang = "hi" if scheme == "dark" else "en"
    assert walked(page, table, where, found, f"?lang={lang}") == {}


def test_axe_finds_nothing_in_any_sheet(console, table):
    table.state |= {"lay": {"pieces": [{"piece": "white", "x": 12.0, "y": 80.5}], "within_mm": 8.0}}
    step = {"what": "coin", "which": "NE", "ok": False, "says": "blind"}
    table.state["arming"] = {
        "began": 1.0,
        "signed": None,
        "by": "",
        "steps": [step, step | {"ok": True}],
        "missing": ["x"],
    }
    table.state["history"][0]["elapsed"] = 9.0
    table.feed.push("state")
    sheets = ["#improper", "#fix", "#call"]
    troubles = {}
    for opener in sheets:
        console.click(opener)
        console.wait_for_selector("dialog[open]")  # what a sheet shows may have to be asked for first
        for summary in console.locator("dialog summary").all():
            summary.click()
        if said := found(console):
            troubles[opener] = said
        console.keyboard.press("Escape")
    for tab, opener in [
        ("Board", "#rescue"),
        ("Table", "#match >> text=New match"),
        ("Table", "#match >> text=Another call"),
        ("Table", "#match >> text=Board and seats"),
        ("Table", "#match >> text=Time appeal"),
        ("Table", "#match >> text=Get the table ready"),
    ]:
        console.click(f".tab:text('{tab}')")
        console.click(opener)
        console.wait_for_selector("dialog[open]")
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
