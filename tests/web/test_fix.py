"""A stroke is put right on the phone, the latest or an earlier one: chips, a pocket and a colour, or the whole form."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.doing import TAKEN_BACK, held_back, show, wait_held
from tests.web.pretend import PIECES, SHOT
from tests.web.states import SMALL
from tests.web.test_accessibility import found

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PLAYED = {key: value for key, value in SHOT.items() if key not in ("seq", "doubts")}
LYING = set(PIECES)


def test_a_stroke_is_fixed_in_two_taps(console, table):
    console.click("#fix")
    console.click(".chip:text('it was white in NE')")
    table.wait_for_acts(1)
    fixed = PLAYED | {"pocketed": [{"piece": "white", "pocket": "NE", "t": 89}, {"piece": "striker", "pocket": "NW"}]}
    assert table.acted[0][0] == {"event": "correct", "seq": 14, "with": fixed}
    console.click("#toast .undo")
    table.wait_for_acts(2)
    assert table.acted[1][0]["with"] == TAKEN_BACK


def test_a_protest_is_made_beside_the_ruling_with_the_events_own_terms(console, table, past):
    terms = "within 30 minutes, with 500 rupees"
    table.published = [{"key": "a1", "protest": terms}, {"key": "a2", "protest": "none"}]
    table.state["score"] |= {"fixture": "a1", "match": "m-2"}
    table.feed.push("state")
    expect(console.locator("body")).to_have_attribute("data-seq", str(table.state["score"]["seq"]))
    console.click("#fix")
    console.click("dialog >> text=Protest")
    sheet = console.locator("dialog[open]").last
    expect(sheet).to_contain_text(f"The event's terms: {terms}.")
    assert found(console) == []
    assert console.evaluate(SMALL) == []
    sheet.locator("input[type=text]").fill("Asha & Ben")
    sheet.locator("input[type=checkbox]").uncheck()
    with console.expect_download() as saved:
        sheet.locator("text=Save the file").click()
    assert saved.value.suggested_filename == "protest-m-2-14.zip"
    assert past.asked == [("m-2", "protest 14 Asha & Ben False")]


def test_the_likeliest_other_readings_come_first(console):
    console.click("#fix")
    expect(console.locator(".sheet-body > .chips .chip")).to_have_text(
        [
            "it was white in NE",
            "no black in NE",
            "no striker in NW",
            "and white",
            "and black",
            "nothing fell",
            "Ben struck",
        ]
    )


def test_else_a_pocket_is_tapped_and_a_colour(console, table):
    console.click("#fix")
    console.click(".pocket.SW")
    console.click(".by-pocket .chip:text-is('queen')")
    table.wait_for_acts(1)
    assert table.acted[0][0]["with"]["pocketed"][-1] == {"piece": "queen", "pocket": "SW"}


def tap(console, x, y):
    """Taps the drawn board at a place in mm."""
    board = console.locator(".pockets svg")
    board.scroll_into_view_if_needed()
    box, side = board.bounding_box(), board.evaluate("board => board.viewBox.baseVal.width")
    console.mouse.click(box["x"] + box["width"] * (0.5 + x / side), box["y"] + box["height"] * (0.5 - y / side))


def test_a_piece_is_tapped_on_the_drawn_board_then_the_pocket_it_fell_into(console, table):
    console.click("#fix")
    tap(console, -118, 43)  # a finger hits a little beside it
    expect(console.locator(".by-pocket > p")).to_have_text("Tap where white lies, or the pocket it fell into.")
    console.click(".pocket.SW")
    table.wait_for_acts(1)
    assert table.acted[0][0]["with"]["pocketed"] == [*PLAYED["pocketed"], {"piece": "white", "pocket": "SW"}]


@pytest.mark.parametrize(
    ("where", "fell"),
    [("SW", [{"piece": "black", "pocket": "SW", "t": 89}]), ((100, -150), [])],
    ids=["pocket", "board"],
)
def test_what_is_drawn_as_fallen_is_tapped_then_where_it_is_in_truth(console, table, where, fell):
    console.click("#fix")
    console.click(".pocket.NE")
    console.click(f".pocket.{where}") if isinstance(where, str) else tap(console, *where)
    table.wait_for_acts(1)
    assert table.acted[0][0]["with"]["pocketed"] == [*fell, {"piece": "striker", "pocket": "NW"}]


def test_where_a_piece_lies_is_said_on_the_drawing_only_while_no_camera_sees_it(console, table):
    console.click("#fix")
    tap(console, -120, 40)
    tap(console, 100, -150)
    expect(console.locator(".by-pocket > p")).to_contain_text("The camera sees white where it is drawn")
    assert table.acted == []
    console.click("dialog .btn:text-is('Close')")
    table.state["health"]["camera"] = "stalled"
    table.feed.push("state")
    expect(console.locator("#watch")).to_contain_text("camera sends no pictures")
    console.click("#fix")
    tap(console, -120, 40)
    tap(console, 100, -150)
    table.wait_for_acts(1)
    event = table.acted[0][0]
    places = [(one["piece"], one["x"], one["y"]) for one in event["pieces"]]
    assert event["event"] == "placed"
    assert ("white", -120.0, 40.0) not in places
    [(_, x, y)] = [one for one in places if (one[0], *one[1:]) not in LYING]
    assert (x, y) == (pytest.approx(100, abs=3), pytest.approx(-150, abs=3))


def test_the_last_strokes_clip_is_seen_in_fix_while_its_pictures_are_kept(console, table):
    table.state["felt"] = {"seq": 14, "clip": [900, 944], "sure": 1.0, "passages": []}
    table.state["score"]["seq"] = 15
    table.feed.push("state")
    expect(console.locator("body")).to_have_attribute("data-seq", "15")
    console.click("#fix")
    console.click("dialog .clip summary")
    expect(console.locator("dialog .clip")).to_contain_text("These pictures are no longer kept.")


def test_the_last_strokes_clip_is_taken_picture_by_picture_and_magnified(console, table):
    table.state["felt"] = {"seq": 14, "clip": [40, 45], "sure": 1.0, "passages": []}
    table.state["score"]["seq"] = 15
    table.feed.push("state")
    expect(console.locator("body")).to_have_attribute("data-seq", "15")
    console.click("#fix")
    clip = console.locator("dialog .clip")
    clip.locator("summary").click()
    picture, thumb = clip.locator("img"), clip.locator("input[type=range]")
    expect(picture).to_have_attribute("src", "/clip/40-45")
    thumb.press("ArrowRight")
    expect(picture).to_have_attribute("src", "/picture/41")
    expect(clip.locator("output")).to_have_text("picture 2 of 6")
    thumb.press("End")
    expect(picture).to_have_class(re.compile("left-out"))
    thumb.press("ArrowLeft")
    expect(picture).not_to_have_class(re.compile("left-out"))
    picture.click()
    expect(picture).to_have_class(re.compile("magnified"))
    assert found(console) == []
    console.troubles.clear()  # a picture that the table has left out is asked for once


def test_only_what_reaches_further_is_asked_again_with_the_whole_difference(console, table):
    table.differences = [
        {"seq": 14, "figure": "fouls", "was": [{"clause": "icf-33", "says": "push", "status": "ruled"}], "now": []},
        {
            "seq": 15,
            "figure": "dues",
            "was": [],
            "now": [{"side": "north", "pieces": 1, "owed": 0, "why": "icf-66", "within": None}],
        },
        {"seq": 16, "figure": "score", "was": {"south": 12, "north": 7}, "now": {"south": 15, "north": 7}},
        {"seq": 16, "figure": "turn", "was": "north", "now": "south"},
    ]
    console.click("#fix")
    console.click(".chip:text('nothing fell')")
    expect(console.locator(".changes li")).to_have_text(
        ["Stroke 14: no foul (push)", "Stroke 15: Ben pays 1", "Asha: 15 points, not 12", "Asha plays, not Ben"]
    )
    expect(console.get_by_text("2 earlier rulings become others.")).to_be_visible()
    assert table.acted == []
    console.click(".btn:text-is('Leave it as it is')")
    expect(console.locator("dialog")).to_have_count(0)
    assert table.acted == []


def test_a_correction_that_only_changes_whose_turn_later_strokes_were_is_asked_again(console, table):
    later = [{"seq": 15, "event": "shot", "says": "x"}, {"seq": 16, "event": "placed", "says": "y"}]
    show(table, history=[*table.state["history"], *later])
    table.differences = [{"seq": seq, "figure": "turn", "was": "north", "now": "south"} for seq in (14, 15, 16)]
    console.click("#fix")
    console.click(".chip:text('nothing fell')")
    expect(console.get_by_text("One earlier ruling becomes another.")).to_be_visible()
    console.click(".btn:text-is('Leave it as it is')")
    expect(console.locator("dialog")).to_have_count(0)
    # Where pieces were put is only passed on.
    console.click("#fix")
    table.differences = [{"seq": seq, "figure": "turn", "was": "north", "now": "south"} for seq in (14, 16)]
    console.click(".chip:text('nothing fell')")
    table.wait_for_acts(1)


def test_a_stroke_three_back_is_fixed_while_two_more_are_played(console, table):
    console.click(".tab:text('Strokes')")
    console.click("[aria-label='Fix stroke 13']")
    expect(console.locator("dialog h2")).to_have_text("Fix stroke 13 · Asha")
    expect(console.locator("dialog p:text('as it lies now')")).to_be_visible()
    table.state["shot"]["seq"] = 16
    table.state["score"]["sides"][0]["points"] = 13
    table.feed.push("state")
    expect(console.locator("[data-points=south]")).to_have_text("13")
    console.click(".chip:text('nothing fell')")
    table.wait_for_acts(1)
    assert (table.acted[0][0]["event"], table.acted[0][0]["seq"]) == ("correct", 13)
    console.click("[aria-label='Fix stroke 12']")  # taken back meanwhile: the table says so
    expect(console.locator("#toast .bad")).to_contain_text("no stroke of that number")


def test_a_refusal_is_not_covered_by_the_answer_to_what_was_done_before(console, table):
    held = held_back(console)
    with console.expect_request("**/act"):
        console.click("#stop")
    console.click(".tab:text('Strokes')")
    console.click("[aria-label='Fix stroke 12']")
    refused = console.locator("#toast .bad")
    expect(refused).to_contain_text("no stroke of that number")
    with console.expect_response("**/act"):
        wait_held(console, held, 1)
        held[0].continue_()
    done = console.locator("#toast .toast:not(.bad)")
    expect(done).to_be_visible()
    expect(refused).to_be_visible()
    assert console.evaluate(SMALL) == []
    boxes = [toast.bounding_box() for toast in (refused, done)]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    end = console.locator("#thumbs").bounding_box()["y"]
    assert boxes[0]["y"] + boxes[0]["height"] <= end
    done.scroll_into_view_if_needed()
    box = done.bounding_box()
    assert box["y"] + box["height"] <= end


def test_an_answer_that_comes_late_leaves_the_way_back_from_what_was_done_after_it(console, table):
    held = held_back(console)
    console.click(".tab:text('Board')")
    for count, piece in enumerate(("white", "striker"), 1):
        with console.expect_request("**/act"):
            console.click(f"[data-add={piece}]")
        wait_held(console, held, count)
    for number, seq in ((1, 16), (0, 15)):
        table.answer = {"seq": seq, "event": "shot"}
        with console.expect_response("**/act"):
            held[number].continue_()
    console.unroute("**/act")
    console.click("#toast .undo")
    table.wait_for_acts(3)
    assert table.acted[2][0]["seq"] == 16


def test_everything_else_about_a_stroke_is_a_form(console, table, monkeypatch):
    monkeypatch.setitem(SHOT, "unseen", ["heading", "placement.touching", "contacts", "flags.push"])
    console.click("#fix")
    console.click("text=Everything else about the stroke")
    console.click("text=Placement and stroke")
    console.select_option("label:has-text('direction of the stroke') select", "backward")
    console.uncheck("label:has-text('elbow over the line') input")
    console.fill("label:has-text('pieces over the base line') input", "0")
    console.click("text=Correct it so")
    table.wait_for_acts(1)
    said = table.acted[0][0]["with"]
    assert (said["heading"], said["flags"], "doubts" in said) == ("backward", [], False)
    assert said["crossed_baseline"] == 0
    assert said["unseen"] == ["placement.touching", "contacts", "flags.push"]  # what a person fills in was seen


def test_what_fell_is_said_with_when_by_which_beam_and_how_surely(console, table):
    passage = {"pocket": "NE", "t": 1.234, "beams": ["upper", "lower"], "taken_for": "black"}
    strange = {"pocket": "SW", "t": 2.0, "beams": ["lower"], "taken_for": "nothing: too short"}
    felt = {"seq": 14, "sure": 0.83, "passages": [passage, strange]}
    show(table, asks=[], flags=[], felt=felt)
    expect(console.locator("#now .felt li")).to_have_text(
        [
            "black in NE after 1.2 s, felt by the upper beam, the lower beam",
            "nothing: too short in SW after 2.0 s, felt by the lower beam",
            "this reading: 83 % sure",
        ]
    )
    show(table, felt=felt | {"sure": 1.0, "passages": []})
    expect(console.locator("#now .felt")).to_have_count(0)
    show(table, felt=felt | {"seq": 13})  # of a stroke before
    expect(console.locator("#now .felt")).to_have_count(0)
    assert console.troubles == []
