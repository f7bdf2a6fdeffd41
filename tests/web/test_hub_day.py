"""The club's day in a browser: results, and which match a freed table calls."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from tests.web.pretend_club import SIDES, said

pytestmark = pytest.mark.browser


def test_the_days_results_say_who_gave_a_match(phone, club):
    given = [{"side": "north", "how": "forfeit", "of": "match", "game": 1, "why": "icf-143"}]
    sides = [{"name": "south", "players": ["Asha Rao"]}, {"name": "north", "players": ["Ben Kim"]}]
    club.hears("t1/result/m", said(match="m", book="icf", winner="south", sides=sides, given=given, end=time.time()))
    phone.goto("/day")
    expect(phone.locator("#results")).to_contain_text("Ben Kim forfeited (icf-143)")


def test_a_freed_table_calls_its_next_match_on_the_day_and_to_the_referee(phone, club):
    listed = [{"seats": {"south": "Ela", "north": "Fay"}, "time": "00:00", "referee": "Gita"}]
    club.hears("t1/fixtures", said(fixtures=[*listed, {"seats": {"south": "Asha Rao", "north": "Dev"}}]))
    phone.goto("/day")
    rows = phone.locator("#next tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).not_to_contain_text("called")
    club.hears("t1/score", said(t=time.time(), state="match_over", sides=SIDES))
    expect(rows.nth(0)).to_contain_text("waits for Asha Rao")
    expect(rows.nth(1)).to_contain_text("called")
    phone.goto("/referee")
    expect(phone.locator("#next")).to_contain_text("Table 1 Ela : Fay")
    assert phone.troubles == []
