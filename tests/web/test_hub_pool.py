"""The day's page where matches have no table of their own: which table each was given, and what the desk changes."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from tests.web.pretend_club import SMALL, PretendClub, said
from tests.web.test_accessibility import found

PAIRS = (("Ela", "Fay"), ("Gita", "Hari"), ("Ela", "Indu"))
WORDS = {
    "en": ("any", "waits for Ela (Table 1)", "Another table", "Set aside", "set aside", "Undo", "next free table"),
    "hi": ("कोई भी", "Ela की प्रतीक्षा (Table 1)", "दूसरी मेज़", "टालें", "अलग रखी गई", "वापस लें", "अगली खाली मेज़"),
}


def free(club, *tables):
    for table in tables:
        club.hears(f"{table}/score", said(t=time.time(), state="idle"))


@pytest.mark.browser
@pytest.mark.parametrize("lang", WORDS)
def test_the_desk_moves_a_match_to_another_table_and_sets_a_table_aside(phone, club, lang):
    any_table, held, another, aside, is_aside, undo, queues = WORDS[lang]
    listed = [{"seats": {"south": one, "north": other}, "key": f"{one}-{other}"} for one, other in PAIRS]
    club.hears("_pool/fixtures", said(fixtures=listed))
    free(club, "t1", "t2", "t3")
    club.gives()
    phone.goto(f"/day?lang={lang}")
    rows, tables = phone.locator("#next tbody tr"), phone.locator("#tables li")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("Table 1")
    expect(rows.nth(1)).to_contain_text("Table 2")
    expect(rows.nth(2)).to_contain_text(held)
    expect(rows.nth(2)).to_contain_text(any_table)
    expect(tables).to_have_count(0)
    phone.click("#login summary")
    phone.fill("#pin", "4711")
    phone.press("#pin", "Enter")
    expect(tables).to_have_count(8)
    rows.nth(0).locator("[data-fixture]").click()
    choice = phone.locator("dialog fieldset", has_text=another)
    assert found(phone) == []
    choice.get_by_role("button", name="Table 3").click()
    expect(rows.nth(0)).to_contain_text("Table 3")
    for table in (0, 1):
        tables.nth(table).get_by_role("button", name=aside).click()
        expect(tables.nth(table)).to_contain_text(is_aside)
    club.gives()
    expect(rows.nth(1)).to_contain_text(queues)
    assert found(phone) == []
    assert phone.evaluate(SMALL) == []
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    tables.nth(1).get_by_role("button", name=undo).click()
    expect(tables.nth(1)).not_to_contain_text(is_aside)
    club.gives()
    expect(rows.nth(1)).to_contain_text("Table 2")
    assert phone.troubles == []


@pytest.mark.live
def test_without_a_season_a_copy_on_a_tables_topic_says_where_a_match_was_called():
    club = PretendClub()
    try:
        listed = [{"seats": {"south": one, "north": other}, "key": f"{one}-{other}"} for one, other in PAIRS]
        club.hears("_pool/fixtures", said(fixtures=listed))
        free(club, "t1", "t2")
        club.hears("t2/fixtures", said(fixtures=[listed[1] | {"pool": True}]))
        found = club.client.get("/day/state").json["next"]
        assert [(one["stage"], one["table"]) for one in found] == [("queues", ""), ("called", "t2"), ("queues", "")]
    finally:
        club.server.stop()


@pytest.mark.browser
def test_the_hall_and_the_referee_say_where_a_match_was_called(phone, club):
    club.hears("_pool/fixtures", said(fixtures=[{"seats": {"south": "Ela", "north": "Fay"}, "key": "1"}]))
    phone.goto("/day")
    expect(phone.locator("#next")).to_contain_text("next free table")
    free(club, "t3")
    club.gives()
    phone.goto("/referee")
    expect(phone.locator("#next")).to_contain_text("Table 3 Ela : Fay")
    assert phone.troubles == []
