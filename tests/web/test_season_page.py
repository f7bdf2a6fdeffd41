"""The season's page in a browser: who stands where, on a phone too, in Hindi, and what axe finds."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from controller.hub.season_file import SeasonFile
from tests.hub.seasons import SEASON, ended, filled, slammed
from tests.web.pretend_club import SMALL
from tests.web.test_accessibility import found

LONG = slammed(
    ended("m6", "Venkatanarasimharajuvaripeta Ramanathan-Subrahmanyam", "Ben Kim", (25, 4), day=5), "south", "white"
)


WIDTHS = """() => [document.documentElement, ...document.querySelectorAll('section, .hub-season td')]
  .filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"""


@pytest.mark.browser
def test_the_seasons_page_is_found_from_the_hubs_top_and_read_on_a_phone_in_both_languages(phone, club, tmp_path):
    phone.goto("/")
    phone.get_by_role("link", name="Season").click()
    expect(phone.locator("#standings")).to_have_text("This club keeps no season ([hub] season).")
    club.tells(filled(tmp_path / "season.sqlite", (*SEASON, ("t1", LONG))))
    rows = phone.locator("#standings tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.first.locator("td")).to_have_text(
        ["1", "asha  rao", "3", "2", "1", "0", "0", "3 : 0", "40 : 25", "1135 ?"]
    )
    expect(phone.get_by_text("? provisional: not sure yet.")).to_be_visible()
    expect(phone.locator("#count")).to_have_text("5 matches count.")
    expect(phone.locator("#slams td")).to_have_text(
        [re.compile("2026"), LONG.sides[0].players[0], "white slam", "Ben Kim", "t1", "Game 1, board 1"]
    )
    for language, won in (("en", "Won"), ("hi", "जीते")):
        phone.goto(f"/season?lang={language}")
        expect(rows).to_have_count(4)
        assert rows.first.locator("td").nth(3).get_attribute("data-title") == won
        assert phone.evaluate(WIDTHS) == []
        assert phone.evaluate("document.documentElement.scrollWidth") == 390
        assert phone.evaluate(SMALL) == []
        assert found(phone) == []
    phone.set_viewport_size({"width": 1280, "height": 800})
    expect(phone.get_by_role("columnheader", name="जीते")).to_be_visible()
    assert phone.troubles == []


@pytest.mark.browser
def test_the_page_says_that_the_file_cannot_be_read(phone, club, tmp_path):
    (tmp_path / "season.sqlite").write_text("a letter")
    club.tells(SeasonFile(tmp_path / "season.sqlite"))
    phone.goto("/season")
    expect(phone.get_by_role("alert")).to_have_text("The season cannot be read or written; the hub's log says why.")
    expect(phone.locator("#standings")).to_have_text("")
