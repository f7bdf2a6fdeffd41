"""Whole flows at a real daemon in a real browser: how many taps they take, and that what they say is what is ruled."""

from __future__ import annotations

import contextlib

import pytest
from playwright.sync_api import expect

from tests.web import flows
from tests.web.client import Client
from tests.web.conftest import opened
from tests.web.daemon import bare_daemon
from tests.web.flows import Hand, let_in, says, start, stroke

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SHORT = '[match]\nbook = "icf"\npolicy = {points = 5, games = 1}\n'
LAST_WHITE = {"left": {"white": 1, "black": 3}, "break_done": True, "queen": "covered", "queen_side": "south"}
FIX_TAPS = 2


@pytest.fixture
def umpire(tmp_path):
    with bare_daemon(tmp_path, SHORT) as client:
        yield client


@pytest.fixture
def console(chromium, umpire):
    """The umpire's phone; `umpire` has its session from now on, so that its strokes are no other device's."""
    with opened(chromium, umpire) as page:
        umpire.cookie = let_in(page)
        yield Hand(page)


def score(client: Client) -> dict:
    return client.get("/state").json["score"]


def test_fix_is_two_taps_and_the_ruling_is_the_corrected_one(console, umpire):
    start(umpire)
    seq = stroke(umpire, "south", "white")
    console.shows(seq)
    assert score(umpire)["turn"] == "south"
    flows.fixed(console, seq + 1)
    assert console.taps == FIX_TAPS
    assert umpire.get("/stroke/2").json["pocketed"] == [{"piece": "black", "pocket": "NE"}]
    assert {side["colour"]: side["left"] for side in score(umpire)["sides"]} == {"white": 9, "black": 8}


def test_a_stroke_three_back_is_corrected_while_two_more_are_played(console, umpire):
    start(umpire)
    first = stroke(umpire, "south", "white")
    seq = stroke(umpire, "south")
    console.shows(seq)
    flows.opened_three_back(console, first)
    stroke(umpire, "north", "black")
    seq = stroke(umpire, "north")
    console.shows(seq)
    expect(console.page.locator("dialog h2")).to_contain_text(f"Fix stroke {first}")
    console.tap(".chip:has-text('and white')")
    console.tap("dialog .btn.first:text-is('Do it')")  # what was played since is ruled on anew
    console.shows(seq + 1)
    assert len(umpire.get(f"/stroke/{first}").json["pocketed"]) == 2
    assert {side["colour"]: side["left"] for side in score(umpire)["sides"]} == {"white": 7, "black": 8}


def test_rescue_sets_everything_right_in_one_sheet(console, umpire):
    start(umpire)
    seq = stroke(umpire, "south", "white")
    console.shows(seq)
    flows.rescued(console, seq + 1)
    now = score(umpire)
    assert (now["turn"], now["queen"], now["queen_side"]) == ("north", "covered", "south")
    sides = {side["name"]: (side["points"], side["colour"], side["left"]) for side in now["sides"]}
    assert sides == {"south": (3, "black", 7), "north": (0, "white", 8)}


def test_a_match_that_was_given_says_so_wherever_its_result_stands(console, umpire):
    flows.begun(console)
    says(umpire, {"event": "call", "action": "forfeit", "clause": "icf-143", "seat": "north"})
    expect(console.page.locator("#now .says")).to_have_text("Ben forfeited; Asha wins the match")
    console.tap(".tab:text('Table')")
    console.tap("#past summary")
    console.page.locator("#matches [data-match]").nth(0).click()
    expect(console.page.locator("dialog .says")).to_have_text("Ben forfeited; Asha wins the match")


def test_from_the_lobby_to_the_result_and_a_second_match(console, umpire):
    flows.begun(console)
    assert score(umpire)["state"] == "playing"
    says(umpire, {"event": "set", "position": LAST_WHITE})
    console.tap(".tab:text('Board')")
    console.tap("[data-add=white]")
    expect(console.page.locator("#now .says")).to_have_text("Asha wins the match")
    first = score(umpire)["match"]
    console.tap("#stop:text('New match')")
    console.tap(".btn:text-is('Friendly game')")
    expect(console.page.locator("#stop")).to_have_text("Stop")
    assert score(umpire)["match"] != first
    assert score(umpire)["state"] == "playing"
    # The first one stands in the list, with its sheet.
    console.tap(".tab:text('Table')")
    console.tap("#past summary")
    rows = console.page.locator("#matches [data-match]")
    expect(rows).to_have_count(3)  # the friendly game, this one, and the one that the configuration began
    expect(rows.nth(1)).to_contain_text("Asha – Ben")
    expect(rows.nth(1)).not_to_contain_text("not over")
    rows.nth(1).click()
    expect(console.page.locator("dialog .says")).to_have_text("Asha wins the match")
    with console.page.expect_download() as sheet:
        console.page.get_by_text("Score sheet (PDF)").click()
    assert sheet.value.path().read_bytes().startswith(b"%PDF")


def by_hand(hand: Hand, name: str) -> None:
    """Something of *Board and seats*, after a look at what it changes."""
    hand.tap(".tab:text('Table')")
    hand.tap("#match >> text=Board and seats")
    hand.tap(f"dialog [data-do={name}]")
    hand.tap("dialog >> text=Do it")


def test_a_stroke_and_a_board_are_replayed_and_ends_are_changed_by_hand(console, umpire):
    start(umpire, position={"left": {"white": 5, "black": 5}, "break_done": True})
    console.shows(stroke(umpire, "south", "white"))
    by_hand(console, "replay-stroke")
    console.shows(3)
    assert [side["left"] for side in score(umpire)["sides"]] == [5, 5]
    by_hand(console, "replay-board")
    console.shows(4)
    assert [side["left"] for side in score(umpire)["sides"]] == [9, 9]
    by_hand(console, "ends")
    console.shows(5)
    now = score(umpire)
    assert [side["seats"] for side in now["sides"]] == [{"north": "Asha"}, {"south": "Ben"}]
    assert now["turn"] == "north"


def test_a_time_appeal_is_upheld_from_the_recorded_times(console, umpire):
    start(umpire)
    console.shows(stroke(umpire, "south", elapsed=14.2))
    console.tap(".tab:text('Table')")
    console.tap("#match >> text=Time appeal")
    expect(console.page.locator("dialog .times tr")).to_contain_text("14.2 s")
    console.tap("dialog >> text=Uphold")
    console.tap("dialog >> text=Do it")
    console.shows(3)
    assert score(umpire)["sides"][0]["owed"] == 1


def answered(hand: Hand, choice: str) -> None:
    """A side's answer to the question in its card; it counts once the card has gone."""
    card = hand.page.locator("[data-ask]")
    expect(card).to_be_visible()
    name = card.get_attribute("data-ask")
    hand.tap(f"[data-ask='{name}'] .btn:text-is('{choice}')")
    expect(hand.page.locator(f"[data-ask='{name}']")).to_have_count(0)


def agreed(one: Hand, other: Hand) -> None:
    """What one wants, the other agrees to; both see that it is done."""
    expect(other.page.locator("[data-wants]")).to_be_visible()
    other.tap("[data-wants] >> text=Agree")
    for hand in (one, other):
        expect(hand.page.locator("[data-wants]")).to_have_count(0)


def last_white(umpire, south_has):
    """South pockets its last piece of a board that began with so many points; returns the stroke's number."""
    position = {**LAST_WHITE, "left": {"white": 1, "black": 1}, "queen": "covered", "queen_side": "north"}
    position |= {"score": {"south": south_has, "north": 0}, "turn": "south", "white": "south"}
    says(umpire, {"event": "set", "position": position})
    return stroke(umpire, "south", "white")


def test_two_players_decide_a_whole_match_on_their_own_phones(chromium, console, umpire):
    flows.begun(console, decides="players")
    with contextlib.ExitStack() as stack:
        south, north = (Hand(stack.enter_context(opened(chromium, umpire))) for _ in range(2))
        for side, hand in (("south", south), ("north", north)):
            hand.page.goto(umpire.post("/invite", {"side": side}).json["address"].partition(str(umpire.port))[2])
            hand.tap("#go:enabled")
            expect(hand.page.locator("#stop")).to_be_enabled()
        # They agree on what fell.
        doubt = {"fact": "pocketed.0.piece", "choices": [["white", 0.6], ["black", 0.4]]}
        stroke(umpire, "south", "white", doubts=[doubt])
        for hand in (south, north):
            answered(hand, "white")
        assert score(umpire)["asks"] == 0
        # They differ about a push: what is in order stands.
        pushed = stroke(umpire, "south", flags=["push"])
        answered(south, "no foul")
        answered(north, "foul")
        ruled = next(one for one in umpire.get("/state").json["history"] if one["seq"] == pushed)
        assert ruled["fouls"] == []
        # A stroke is taken back when both want it.
        gone = stroke(umpire, "north", "black")
        for hand in (south, north):
            hand.shows(gone)
        south.tap("#back")
        agreed(south, north)
        assert {side["colour"]: side["left"] for side in score(umpire)["sides"]} == {"white": 8, "black": 9}
        # A board ends, both want the next one; the second one ends the match.
        for board, south_has in ((1, 0), (2, 4)):
            seq = last_white(umpire, south_has)
            for hand in (south, north):
                hand.shows(seq)
            if board == 1:
                north.tap("#stop:text('Next board')")
                agreed(north, south)
                expect(south.page.locator("#stop")).to_have_text("Stop")
        for hand in (south, north):
            expect(hand.page.locator("#now")).to_contain_text("Asha wins the match")
            expect(hand.page.locator("#stop")).to_be_disabled()
    assert score(umpire)["winner"] == "south"
