"""The lobby on the umpire's console: a match begun by its fixture, by typed names, or as a friendly game."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.doing import held_back, show, wait_held

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def free(table, *published):
    """No match is under way, and these fixtures stand on the table's topic."""
    table.published = [*published]
    table.state["score"] |= {"state": "idle", "sides": [], "turn": None}
    show(table, asks=[], flags=[], ruling=None, shot=None)


def test_a_fixture_that_the_club_published_is_picked_in_the_lobby(console, table):
    seats = {"south": "Dev", "north": "Ela", "east": "Fay", "west": "Gita"}
    open_1 = {"time": "10:15", "event": "Open", "round": "1", "book": "icf", "referee": "", "seats": seats, "key": "a1"}
    free(table, open_1)
    console.click("#now >> text=New match")
    console.select_option("label:has-text('Fixture') select", label="10:15 · Dev – Ela – Fay – Gita · Open 1")
    console.click("text=Begin the match")
    table.wait_for_acts(1)
    said = table.acted[0][0]
    assert said["seats"] == seats
    # What the score sheet asks for; nobody named a referee.
    assert {name: said.get(name) for name in ("competition", "round", "referee", "fixture")} == {
        "competition": "Open",
        "round": "1",
        "referee": None,
        "fixture": "a1",
    }


@pytest.mark.parametrize(
    ("typed", "taps", "fixture"),
    [("dev", True, "a1"), ("Dev", False, None), ("Devi", None, None)],
    ids=["one tap", "another match", "other names"],
)
def test_names_that_were_typed_are_offered_as_their_fixture_and_never_taken_for_it(
    console, table, typed, taps, fixture
):
    free(table, {"time": "10:15", "event": "Open", "seats": {"south": "Dev", "north": "Ela"}, "key": "a1"})
    console.click("#now >> text=New match")
    console.fill("label:has-text('North') input", "Ela")
    console.fill("label:has-text('South') input", typed)
    console.keyboard.press("Tab")
    offer = console.get_by_role("button", name="It is 10:15 · Dev – Ela · Open")
    expect(offer).to_have_count(int(taps is not None))
    if taps:
        offer.click()
        expect(offer).to_have_count(0)
    console.click("text=Begin the match")
    table.wait_for_acts(1)
    assert table.acted[0][0].get("fixture") == fixture


def test_a_fixture_that_was_picked_is_none_of_it_once_all_its_players_are_others(console, table):
    free(table, {"time": "10:15", "event": "Open", "seats": {"south": "Dev", "north": "Ela"}, "key": "a1"})
    console.click("#now >> text=New match")
    console.select_option("label:has-text('Fixture') select", label="10:15 · Dev – Ela · Open")
    console.fill("label:has-text('South') input", "Fay")
    console.fill("label:has-text('North') input", "Gita")
    console.click("text=Begin the match")
    table.wait_for_acts(1)
    assert "fixture" not in table.acted[0][0]
    assert "competition" not in table.acted[0][0]


@pytest.mark.parametrize(
    ("lang", "new", "says"),
    [
        ("en", "New match", "11:00 · winner of SF1 – Dev · not known yet"),
        ("hi", "नया मैच", "11:00 · SF1 का विजेता – Dev · अभी तय नहीं"),
    ],
)
def test_a_fixture_whose_players_are_not_known_yet_cannot_be_picked(console, table, lang, new, says):
    later = {"time": "11:00", "seats": {"south": "Winner SF1", "north": "Dev"}, "awaits": {"south": "Winner SF1"}}
    known = {**later, "time": "12:00", "seats": {"south": "Ela", "north": "Dev"}}
    free(table, later, known)
    console.goto(f"/umpire?lang={lang}")
    console.get_by_role("button", name=new).first.click()
    options = console.locator("dialog option", has_text="Dev")
    expect(options).to_have_text([says, "12:00 · Ela – Dev"])
    expect(options.first).to_have_attribute("disabled", "")
    expect(options.last).not_to_have_attribute("disabled", "")


def test_a_friendly_game_is_one_tap_and_doubles_two_more_names(console, table):
    free(table)
    console.click("#now >> text=New match")
    console.click(".btn:text-is('Friendly game')")
    table.wait_for_acts(1)
    seats = {"south": "South", "north": "North"}
    assert table.acted[0][0] == {"event": "start", "book": "icf", "seats": seats, "first": "south"}
    console.click("#now >> text=New match")
    console.click(".chip:text('Doubles')")
    for seat in ("South", "East", "North", "West"):
        console.fill(f"dialog label:has-text('{seat}') input", seat[0])
    console.click("text=Begin the match")
    table.wait_for_acts(2)
    assert table.acted[1][0]["seats"] == {"south": "S", "east": "E", "north": "N", "west": "W"}


GIVEN = {"time": "", "seats": {"south": "Dev", "north": "Ela"}, "key": "p1", "pool": True}
OTHER = {"time": "", "seats": {"south": "Fay", "north": "Gita"}, "key": "a1", "pool": False}


def test_the_match_that_the_table_was_given_is_begun_in_one_tap(console, table):
    free(table, OTHER, GIVEN)
    console.click("#now >> text=New match")
    expect(console.locator("label:has-text('South') input")).to_have_value("Dev")
    console.click("text=Begin the match")
    table.wait_for_acts(1)
    said = table.acted[0][0]
    assert (said["seats"], said["fixture"]) == (GIVEN["seats"], "p1")


def test_what_somebody_types_before_the_fixtures_come_stays(console, table):
    free(table, GIVEN)
    held = held_back(console, "**/fixtures")
    console.click("#now >> text=New match")
    console.fill("label:has-text('South') input", "Hari")
    wait_held(console, held, 1)
    held.pop().continue_()
    expect(console.locator("label:has-text('Fixture') option")).to_have_count(2)
    expect(console.locator("label:has-text('South') input")).to_have_value("Hari")
    assert console.troubles == []
