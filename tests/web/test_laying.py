"""Pieces that are laid on the board, ticked one after another as the camera sees them; and what is done by hand with
board and seats."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LAY = {
    "pieces": [{"piece": "queen", "x": 0.0, "y": 0.0}]
    + [{"piece": piece, "x": x, "y": y} for x, piece in ((-100.0, "white"), (100.0, "black")) for y in (-50.0, 50.0)],
    "within_mm": 8.0,
}


@pytest.fixture
def quiet(console, table):
    """The console with nothing to decide."""
    show(table, asks=[], flags=[], to_place=[])
    expect(console.locator("#now .ruling")).to_be_visible()
    return console


def show(table, **changes):
    table.state.update(changes)
    table.feed.push("state")


def other_book(console, table):
    """The page has heard of another book, with its clauses and calls."""
    table.state["book"] = {"id": "other", "title": "Other"}
    with console.expect_response("**/clauses"), console.expect_response("**/calls"):
        show(table)
    expect(console.locator("#call")).to_be_enabled()


def lies(table, *pieces):
    """The camera sees these, at rest."""
    table.state["board"] = {
        "t": 2.0,
        "moving": False,
        "pieces": [dict(zip(("piece", "x", "y"), p, strict=True)) for p in pieces],
    }
    table.feed.push("board", table.state["board"])


def of(lay):
    return [(one["piece"], one["x"], one["y"]) for one in lay["pieces"]]


def test_returned_and_paid_pieces_are_ticked_one_after_another(quiet, table):
    ring = {"centre": [0, 0], "inner_mm": 15.9, "outer_mm": 85.0}
    table.state["ruling"] |= {"left": {"white": 3, "black": 0, "queen": 1}}
    show(
        table,
        to_place=[
            {"piece": "queen", "side": None, "why": "x", "at": [0.0, 0.0], "within": None},
            {"piece": "white", "side": "south", "why": "x", "at": None, "within": ring},
            {"piece": "white", "side": "south", "why": "x", "at": None, "within": ring},
        ],
    )
    count, missing = quiet.locator("#now .count-laid"), quiet.locator("#now .laying li:not(.laid)")
    lies(table, ("white", 200.0, 0.0))
    expect(count).to_have_text("0 of 3 in place")
    lies(table, ("white", 200.0, 0.0), ("queen", 40.0, 0.0))
    expect(missing).to_have_count(3)  # not on her spot
    lies(table, ("white", 200.0, 0.0), ("queen", 3.0, 4.0))
    expect(count).to_have_text("1 of 3 in place")
    expect(quiet.locator("#now .tick")).to_have_count(1)
    lies(table, ("white", 200.0, 0.0), ("queen", 3.0, 4.0), ("white", 50.0, 0.0))
    expect(count).to_have_text("2 of 3 in place")
    expect(missing).to_contain_text("inside the outer circle")
    expect(quiet.locator("#b-rings .ring-due").first).to_be_attached()
    lies(table, ("white", 200.0, 0.0), ("queen", 3.0, 4.0), ("white", 50.0, 0.0), ("white", -50.0, 0.0))
    expect(missing).to_have_count(0)
    show(table, to_place=[])
    expect(count).to_have_count(0)


def test_after_a_power_cut_every_piece_is_a_ghost_until_it_is_seen_in_place(quiet, table):
    table.state["lay"] = LAY
    moved = {
        "ask": "board-moved",
        "question": "white lies 30 mm off",
        "about": "board",
        "choices": ["accept the board as it lies", "seen"],
    }
    first, second, *rest = of(LAY)
    lies(table, first, ("white", -100.0, 10.0), *rest)
    show(table, asks=[moved])
    expect(quiet.locator("#now .count-laid")).to_have_text("4 of 5 in place")
    expect(quiet.locator("#now .ghost:not(.laid)")).to_have_count(1)
    expect(quiet.locator("#now .tick")).to_have_count(4)
    lies(table, first, second, *rest)
    expect(quiet.locator("#now .count-laid")).to_have_text("5 of 5 in place")
    # A piece of another colour on its spot is not it.
    lies(table, first, ("black", *second[1:]), *rest)
    expect(quiet.locator("#now .count-laid")).to_have_text("4 of 5 in place")


def counted(key, missing, extra, *counts):
    """The question about a board that differs from the score in its count."""
    about = {"ask": f"board-{key}", "question": "?", "about": "board", "key": key, "choices": ["seen"]}
    return about | {"missing": missing, "extra": extra, "counts": [list(one) for one in counts]}


def test_a_count_that_differs_is_one_sentence_with_the_pieces_ringed_in_the_drawing(quiet, table):
    table.state["lay"] = LAY
    first, second, *rest = of(LAY)
    lies(table, first, ("black", 7.0, 70.0), *rest)
    show(table, asks=[counted("wrong_piece", ["white"], ["black"], ("white", 1, 2), ("black", 3, 2))])
    asked = quiet.locator("#now .asked")
    expect(asked).to_have_text("1 white lies here, the score says 2; 3 black lie here, the score says 2")
    rings = quiet.locator("#now .odd")
    places = "(all) => all.map((one) => [one.cx.baseVal.value, one.cy.baseVal.value])"
    expect(rings).to_have_count(2)
    assert rings.evaluate_all(places) == [list(second[1:]), [7.0, 70.0]]
    expect(quiet.locator("#now :is(.tick, .count-laid)")).to_have_count(0)
    lies(table, first, second, ("black", 7.0, 70.0), *rest)
    expect(rings).to_have_count(1)


def test_the_hall_sees_where_a_missing_piece_lay(page, table):
    asked = counted("missing", ["white", "queen"], [], ("white", 1, 2), ("queen", 0, 1))
    table.state |= {"asks": [asked], "to_place": [], "lay": LAY}
    page.goto("/board")
    expect(page.locator("#board .ghost")).to_have_count(3)
    lies(table, *of(LAY)[:2])
    expect(page.locator("#board .ghost")).to_have_count(1)
    expect(page.locator("#board .tick")).to_have_count(0)


def done(console, name):
    console.click(".tab:text('Table')")
    console.click("#match >> text=Board and seats")
    console.click(f"dialog [data-do={name}]")


def test_pieces_are_put_back_by_hand_and_play_goes_on_from_what_is_seen(quiet, table):
    table.state["lay"] = LAY
    lies(table, *of(LAY)[:2])
    show(table)
    done(quiet, "restore")
    expect(quiet.locator("dialog .count-laid")).to_have_text("2 of 5 in place")
    lies(table, *of(LAY), ("striker", 0.0, 250.0))
    quiet.click("dialog >> text=All in place: play on")
    table.wait_for_acts(1)
    event = table.acted[0][0]
    assert event["event"] == "placed"
    assert event["pieces"] == LAY["pieces"]


def test_a_reshuffle_stops_play_and_lays_what_is_left_about_the_queen(quiet, table):
    table.clauses = lambda: {"club-66": "a reshuffle is offered"}
    table.state["ruling"] |= {"left": {"white": 4, "black": 2, "queen": 1}}
    table.state["health"]["camera"] = "none"
    other_book(quiet, table)
    done(quiet, "reshuffle")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "pause"}
    expect(quiet.locator("dialog .ghost")).to_have_count(7)
    quiet.click("dialog >> text=play on")
    table.wait_for_acts(3)
    placed, resumed = (event for event, _ in table.acted[1:3])
    assert resumed == {"event": "resume"}
    kinds = [one["piece"] for one in placed["pieces"]]
    assert (kinds.count("white"), kinds.count("black"), kinds.count("queen")) == (4, 2, 1)
    apart = [
        ((a["x"] - b["x"]) ** 2 + (a["y"] - b["y"]) ** 2) ** 0.5
        for n, a in enumerate(placed["pieces"])
        for b in placed["pieces"][:n]
    ]
    assert min(apart) >= table.geometry()["coin_diameter_mm"]


def test_where_the_book_knows_no_neutral_formation_no_reshuffle_is_offered(quiet):
    quiet.click(".tab:text('Table')")
    quiet.click("#match >> text=Board and seats")
    expect(quiet.locator("dialog [data-do=ends]")).to_be_visible()
    expect(quiet.locator("dialog [data-do=reshuffle]")).to_have_count(0)


@pytest.mark.parametrize(
    ("seats", "name", "then"),
    [
        ({"south": "Asha", "north": "Ben"}, "ends", {"north": "Asha", "south": "Ben"}),
        (
            {"south": "Asha", "east": "Chitra", "north": "Ben", "west": "Dev"},
            "round",
            {"east": "Asha", "north": "Chitra", "west": "Ben", "south": "Dev"},
        ),
    ],
)
def test_ends_are_changed_by_hand_after_a_look(quiet, table, seats, name, then):
    pairs = [("south", "north"), ("east", "west")]
    for side, own in zip(
        table.state["score"]["sides"], [("south",), ("north",)] if len(seats) == 2 else pairs, strict=True
    ):
        side["seats"] = {seat: seats[seat] for seat in own}
    show(table)
    done(quiet, name)
    quiet.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "seats", "seats": then}


def test_a_board_is_replayed_by_the_clause_that_says_so(quiet, table):
    calls = table.calls()
    calls[2] |= {"does": "replay_board"}
    table.calls = lambda: calls
    other_book(quiet, table)
    done(quiet, "replay-board")
    quiet.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "void", "clause": "icf-140"}


def test_the_winner_of_a_toss_breaks_the_next_board(quiet, table):
    table.state["score"]["state"] = "board_over"
    show(table)
    done(quiet, "toss")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "next_board", "first": "south"}


@pytest.mark.parametrize(
    ("tap", "event"),
    [
        ("Uphold", {"event": "call", "clause": "icf-50", "seat": "south"}),
        (
            "Reject",
            {"event": "call", "action": "wave_off", "clause": "icf-50", "seat": "south", "reason": "time appeal"},
        ),
    ],
)
def test_a_time_appeal_shows_the_recorded_times(quiet, table, tap, event):
    timed = {"clause": "icf-50", "says": "late", "about": "stroke", "consequence": "x", "does": "foul", "time": True}
    table.calls = lambda: [timed]
    for entry, elapsed in zip(table.state["history"], (7.0, None, 15.9), strict=True):
        entry["elapsed"] = elapsed
    table.differences = []
    table.state["felt"] = {"seq": 14, "clip": [40, 44], "sure": 1.0, "passages": []}
    other_book(quiet, table)
    quiet.click(".tab:text('Table')")
    quiet.click("#match >> text=Time appeal")
    clip = quiet.locator("dialog .clip")
    clip.locator("summary").click()
    expect(clip.locator("img")).to_have_attribute("src", "/clip/40-44")
    rows = quiet.locator("dialog .times tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_have_text("14Asha15.9 sover time")
    expect(rows.nth(1)).to_have_text("12Asha7.0 s")
    quiet.click(f"dialog .btn:has-text('{tap}')")
    if tap == "Uphold":
        quiet.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert table.acted[0][0] == event
