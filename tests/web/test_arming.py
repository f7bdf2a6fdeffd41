"""The phone's way from a stand to a table that may umpire."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.states import SMALL
from tests.web.test_accessibility import found
from tests.web.test_sizes import WIDE

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def told(**done):
    steps = [("camera", ""), ("registration", ""), ("coin", "NE"), ("rack", ""), ("striker", "south")]
    rows = [{"what": what, "which": which, "ok": bool(done.get(what)), "says": ""} for what, which in steps]
    return {"began": 1.0, "signed": None, "by": "", "steps": rows, "missing": [r["what"] for r in rows if not r["ok"]]}


def test_each_step_is_ticked_as_it_is_seen_and_a_name_is_put_under_it(console, table):
    console.click(".tab:text('Table')")
    expect(console.locator("#match")).to_contain_text("Nobody has signed")
    console.click("#match >> text=Get the table ready")
    with table.happened:
        assert table.happened.wait_for(lambda: table.armed, 30)
    assert table.acted[0][0] == {"event": "pause"}
    assert table.armed[0][0] == "begin"
    table.state["arming"] = told(camera=True, registration=True)
    table.feed.push("state")
    step = console.locator("dialog [aria-current=step]")
    expect(step).to_contain_text("A coin through NE")
    expect(step).to_contain_text("Drop a coin into the pocket NE.")
    expect(console.locator("dialog li.laid")).to_have_count(2)
    expect(console.locator("dialog [role=status]")).to_contain_text("3 things are missing")
    table.state["arming"] = told(camera=True, registration=True, coin=True, rack=True)
    table.feed.push("state")
    expect(step).to_contain_text("The striker of Asha")
    table.state["arming"] = told(camera=True, registration=True, coin=True, rack=True, striker=True)
    table.feed.push("state")
    expect(console.locator("dialog [role=status]")).to_have_text("Everything is there.")
    console.fill("dialog input", "Meera")
    console.click("dialog >> text=Sign")
    with table.happened:
        assert table.happened.wait_for(lambda: len(table.armed) == 2, 30)
    assert table.armed[1] == ("sign", "Meera")
    table.state["arming"] |= {"signed": 1_700_000_000.0, "by": "Meera", "steps": []}
    table.feed.push("state")
    expect(console.locator("#match")).to_contain_text("Signed by Meera")


SET_UP = {
    "step": "off",
    "busy": "",
    "says": "",
    "refused": False,
    "notes": [],
    "south": "bottom",
    "grade": "club",
    "picture": 0,
    "in_force_ns": 0,
    "kept": False,
}


class SettingUp:
    """The dialog that sets the camera up, on a screen of one size."""

    def __init__(self, console, table, size):
        self.console, self.table = console, table
        console.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        table.state["arming"] = None
        self.told(kept=True)
        if size[0] < 1000:  # wider pages show every part at once
            console.click(".tab:text('Table')")
        console.click("#match >> text=Get the table ready")
        console.click("dialog >> text=Set the camera up anew")

    def told(self, **now):
        self.table.state["set_up"] = SET_UP | now
        self.table.feed.push("state")

    def fits(self):
        assert self.console.evaluate(SMALL) == []
        assert self.console.evaluate(WIDE) == []
        assert found(self.console) == []

    def asked(self, count):
        with self.table.happened:
            assert self.table.happened.wait_for(lambda: len(self.table.camera_asked) == count, 30)
        return self.table.camera_asked[-1]


@pytest.fixture(params=[(390, 844), (800, 480), (1920, 1080)], ids=["phone", "display", "hall"])
def setting_up(console, table, request):
    return SettingUp(console, table, request.param)


def test_setting_the_camera_up_stops_play_and_judges_the_empty_board(console, table, setting_up):
    expect(console.locator("dialog")).to_contain_text("A board is in play")
    setting_up.fits()
    console.click("dialog >> text=Stop play and begin")
    assert setting_up.asked(1) == ("begin", "")
    assert table.acted[-1][0] == {"event": "pause"}
    setting_up.told(step="empty")
    expect(console.locator("dialog h3")).to_have_text("1 of 2: the empty board")
    setting_up.fits()
    console.click("dialog >> text=The board is empty")
    assert setting_up.asked(2) == ("take", "empty")
    setting_up.told(step="empty", busy="still")
    expect(console.locator("dialog button.first")).to_be_disabled()
    says = "18 pieces lie on the board. Fix: take all pieces off, then tap again"
    setting_up.told(step="empty", refused=True, says=says, picture=42)
    expect(console.locator("dialog [role=alert]")).to_contain_text("18 pieces lie on the board")
    expect(console.locator("dialog [role=alert]")).not_to_contain_text("Fix")
    expect(console.locator("dialog img")).to_be_visible()
    setting_up.fits()


def test_the_opening_board_can_be_turned_and_the_new_calibration_undone(console, table, setting_up):
    setting_up.told(step="opening", picture=43, south="left")
    expect(console.locator("dialog")).to_contain_text("South sits at the left")
    console.click("dialog >> text=turn by one side")
    assert setting_up.asked(1) == ("turn", "")
    table.camera_refuses = "another device was faster: look at what is wanted now"
    console.click("dialog >> text=The pack is there")
    expect(console.locator("dialog [role=alert]")).to_contain_text("another device was faster")
    table.camera_refuses = ""
    notes = ["pieces measure 31.4 mm across"]
    setting_up.told(in_force_ns=7, kept=True, grade="match", picture=44, notes=notes)
    expect(console.locator("dialog")).to_contain_text("The new calibration is in force: grade match")
    setting_up.fits()
    console.click("dialog >> text=Undo")
    assert setting_up.asked(3) == ("undo", "")
    console.click("dialog >> text=Go on")
    expect(console.locator("dialog")).to_contain_text("Sign: this table may umpire")


def test_a_sheet_that_follows_another_stands_alone_at_once(console):
    opened = "async () => { const { openSheet } = await import('/static/sheet.mjs');"
    opened += " openSheet('one'); openSheet('two');"
    opened += " return [...document.querySelectorAll('dialog')].map((box) => box.getAttribute('aria-label')); }"
    assert console.evaluate(opened) == ["two"]


def test_a_camera_that_is_being_set_up_is_gone_on_with_and_is_no_alarm(console, table):
    table.state["set_up"] = SET_UP | {"step": "opening"}
    table.state["health"] |= {"camera": "setup"}
    table.state["score"]["armed"] = "degraded"
    table.feed.push("state")
    expect(console.locator("#watch")).to_contain_text("setting up the camera")
    console.click(".tab:text('Table')")
    console.click("text=The camera is being set up: go on")
    expect(console.locator("dialog h3")).to_have_text("2 of 2: the pack")
    console.click("dialog >> text=Leave it as it was")
    expect(console.locator("dialog")).to_have_count(0)
    assert table.camera_asked == [("cancel", "")]
