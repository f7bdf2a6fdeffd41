"""The season's page in a browser: who stands where, on a phone too, in Hindi, and what axe finds."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from controller.hub.season_file import SeasonFile
from tests.hub.seasons import SEASON, ended, filled, slammed
from tests.web.client import Client
from tests.web.pretend_club import SMALL
from tests.web.test_accessibility import found

LONG = slammed(
    ended("m6", "Venkatanarasimharajuvaripeta Ramanathan-Subrahmanyam", "Ben Kim", (25, 4), day=5), "south", "white"
)


WIDTHS = """() => [document.documentElement, ...document.querySelectorAll('section, td')]
  .filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"""


@pytest.mark.browser
def test_the_seasons_page_is_found_from_the_hubs_top_and_read_on_a_phone_in_both_languages(phone, club, tmp_path):
    phone.goto("/")
    phone.get_by_role("link", name="Season").click()
    expect(phone.locator("#standings")).to_have_text("This club keeps no season ([hub] season).")
    club.tells(filled(tmp_path / "season.sqlite", (*SEASON, ("t1", LONG))))
    rows = phone.locator("#standings > table tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.first.locator("td")).to_have_text(
        ["1", "asha  rao", "3", "2", "1", "0", "0", "3 : 0", "40 : 25", "1135 ?"]
    )
    expect(phone.locator("#count")).to_have_text("5 matches count. ? provisional: not sure yet.")
    expect(phone.locator("#slams td")).to_have_text(
        [re.compile("2026"), LONG.sides[0].players[0], "white slam", "Ben Kim", "t1", "Game 1, board 1"]
    )
    for language, won in (("en", "Won"), ("hi", "जीते")):
        phone.goto(f"/season?lang={language}")
        expect(rows).to_have_count(4)
        head = phone.locator("#standings > table").get_by_role("columnheader", name=won, exact=True)
        assert head.bounding_box()["x"] == rows.first.locator("td").nth(3).bounding_box()["x"]
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


@pytest.mark.live
def test_only_a_referee_puts_the_season_right_and_what_is_none_is_refused_with_its_reason(club, tmp_path):
    filled(tmp_path / "season.sqlite")
    anybody, referee = club.client, Client(club.client.port)
    act = {"what": "merge", "name": "आशा", "into": "Ben Kim"}
    assert (anybody.get("/season/amend").status, anybody.post("/season/amend", act).status) == (401, 401)
    referee.login()
    for body in ({}, {"what": "merge", "name": "Asha"}, {"what": "strike", "match": 3, "why": "x"}, {"what": "forget"}):
        assert referee.post("/season/amend", body).status == 400
    for body, says in (
        ({"what": "merge", "name": "Nobody", "into": "Ben Kim"}, "nobody in the season is called Nobody"),
        ({"what": "strike", "match": "m1", "why": " "}, "needs a reason"),
        ({"what": "strike", "match": "m9", "why": "x"}, "no match in the season is m9"),
        ({"what": "split", "name": "Ben Kim"}, "merged with nobody"),
    ):
        refused = referee.post("/season/amend", body)
        assert (refused.status, says in refused.json["error"]) == (409, True)
    assert referee.post("/season/amend", act).status == 200
    may = referee.get("/season/amend").json
    assert (may["merged"], [one["match"] for one in may["latest"]][:2]) == ([["आशा", "Ben Kim"]], ["t1/m5", "t1/m4"])


WORDS = {
    "en": (
        "Put right",
        "Two names, one player",
        "Do not count",
        "no: a friendly",
        "Undo",
        "counts as Ben Kim",
    ),
    "hi": ("सुधारें", "दो नाम, एक खिलाड़ी", "न गिनें", "नहीं: a friendly", "वापस लें", "अब Ben Kim के नाम से"),
}


@pytest.mark.browser
@pytest.mark.parametrize("lang", WORDS)
def test_a_secretary_merges_two_names_and_strikes_a_match_and_takes_both_back(phone, club, tmp_path, lang):
    title, merge, strike, struck, undo, merged = WORDS[lang]
    club.tells(filled(tmp_path / "season.sqlite"))
    phone.goto(f"/season?lang={lang}")
    part = phone.locator("#amend")
    expect(phone.locator("#standings tbody tr")).to_have_count(3)
    expect(part).to_have_text("")
    phone.get_by_text(title).click()
    phone.fill("#pin", "4711")
    phone.press("#pin", "Enter")
    part.get_by_role("button", name=merge).click()
    sheet = phone.locator("dialog")
    sheet.locator("input").nth(0).fill("आशा")
    sheet.locator("input").nth(1).fill("Nobody")
    sheet.get_by_role("button", name=merge).click()
    expect(sheet.get_by_role("alert")).to_contain_text("nobody in the season is called Nobody")
    sheet.locator("input").nth(1).fill("ben kim")
    assert found(phone) == []
    sheet.get_by_role("button", name=merge).click()
    expect(part).to_contain_text(merged)
    row = part.locator("tbody tr").nth(1)
    row.get_by_role("button", name=strike).click()
    sheet.locator("input").fill("a friendly")
    sheet.get_by_role("button", name=strike).click()
    expect(row).to_contain_text(struck)
    assert found(phone) == []
    assert phone.evaluate(SMALL) == []
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    store = SeasonFile(tmp_path / "season.sqlite")
    assert store.amendments().struck == {("t1", "m4"): "a friendly"}
    row.get_by_role("button", name=undo).click()
    expect(row).not_to_contain_text(struck)
    part.locator("li").get_by_role("button", name=undo).click()
    expect(part).not_to_contain_text(merged)
    assert (store.amendments().struck, store.amendments().players) == ({}, {})
    assert phone.troubles == []
