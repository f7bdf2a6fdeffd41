"""The umpire's console in a real browser, on a phone: one card, four buttons, and what they do in how many taps."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.pretend import SHOT

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TAKEN_BACK = {"event": "set", "position": {}}
PLAYED = {key: value for key, value in SHOT.items() if key not in ("seq", "doubts")}
SMALL = """() => [...document.querySelectorAll('button, a, input, select, summary')].filter((e) => e.checkVisibility())
  .map((e) => [e.textContent || e.type, (e.closest('label') ?? e).getBoundingClientRect()])
  .filter(([, r]) => r.width && (r.height < 43.5 || r.width < 43.5))
  .map(([name, r]) => `${name} ${r.width}×${r.height}`)"""


def held_back(console):
    """Acts do not reach the table until they are sent on."""
    held = []

    def hold(route):
        held.append(route)

    console.route("**/act", hold)
    return held


def show(table, **changes):
    table.state.update(changes)
    table.feed.push("state")


def test_the_screen_stands_still(console, table):
    for size in [(390, 844), (800, 480), (1920, 1080)]:
        console.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        expect(console.locator("#thumbs .btn")).to_have_text(["Stop", "Improper stroke", "Fix", "Call"])
        assert console.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        ) == list(size)
        thumbs = console.locator("#thumbs").bounding_box()
        assert thumbs["y"] + thumbs["height"] == size[1]
        assert console.evaluate(SMALL) == []
    before = console.locator("[data-ask]").bounding_box()
    table.answer = {"seq": None, "event": "pause", "error": "the match is over"}
    console.click("#stop")
    expect(console.locator("#toast .bad")).to_contain_text("the match is over")
    assert console.locator("[data-ask]").bounding_box() == before  # a notice moves nothing
    assert console.troubles == []


def test_questions_are_a_queue_with_a_count(console, table):
    expect(console.locator("#now > *")).to_have_count(1)
    expect(console.locator("#now .count")).to_have_text("1 of 2")
    expect(console.locator("#tabs .count")).to_have_text("2")
    console.click("text=Later")
    expect(console.locator("[data-flag=icf-30]")).to_be_visible()
    expect(console.locator("#now .count")).to_have_text("2 of 2")
    show(table, asks=[])
    expect(console.locator("#now .count")).to_have_count(0)
    show(table, flags=[])
    expect(console.locator("#now .ruling h2")).to_have_text("Ruling 14 · Asha")


def test_a_question_is_answered_with_its_picture_in_view(console, table):
    picture = console.locator("[data-ask] img")
    expect(picture).to_have_attribute("src", "/picture/41")
    picture.evaluate("image => image.decode()")  # fails for a picture that is none
    console.click("text=Play the stroke")
    expect(picture).to_have_attribute("src", "/clip/40-44")
    console.click(".ask .btn:text-is('white')")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "answer", "ask": 14, "choice": "white"}


def test_answers_are_said_in_words(console, table):
    queen = {"piece": "queen", "pocket": "SW", "t": 3.1}
    choices = [
        {"pocketed": [{"piece": "white", "pocket": "NE", "t": 3.0}, queen], "off_board": []},
        {"pocketed": [], "off_board": ["black"]},
        [queen],
        [],
        True,
    ]
    table.state["asks"][0]["choices"] = choices
    table.feed.push("state")
    expect(console.locator("[data-ask] .btn:not(.small)")).to_have_text(
        [
            "white in NE, queen in SW; nothing left the board",
            "nothing fell; off the board: black",
            "queen in SW",
            "nothing",
            "yes",
        ]
    )
    console.click(".ask .btn:text-is('nothing fell; off the board: black')")
    table.wait_for_acts(1)
    assert table.acted[0][0]["choice"] == choices[1], "what is said back is the choice itself"


def test_players_answer_each_for_themselves(console, table):
    table.state["asks"][0]["sides"] = ["south", "north"]
    table.feed.push("state")
    console.click(".ask div:has(> p:text('Ben says')) .btn:text-is('black')")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "answer", "ask": 14, "choice": "black", "seat": "north"}


def test_a_flag_is_confirmed_in_one_tap_undone_in_one_or_waved_away(console, table):
    show(table, asks=[])
    flag = console.locator("[data-flag=icf-30]")
    expect(flag.locator(".q")).to_contain_text("Foul by Asha: the elbow may not cross the extended line")
    flag.locator(".btn:text-is('Confirm')").click()
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "answer", "ask": "14.1", "choice": "foul"}
    console.click("#toast .undo")
    table.wait_for_acts(2)
    assert table.acted[1][0] == {"event": "correct", "seq": 15, "with": TAKEN_BACK, "reason": "taken back"}
    expect(console.locator("#toast .undo")).to_have_count(0)
    flag.locator(".btn:text-is('Wave away')").click()
    table.wait_for_acts(3)
    assert table.acted[2][0] == {"event": "answer", "ask": "14.1", "choice": "no foul"}


def test_a_stroke_is_fixed_in_two_taps(console, table):
    console.click("#fix")
    console.click(".chip:text('it was white in NE')")
    table.wait_for_acts(1)
    fixed = PLAYED | {"pocketed": [{"piece": "white", "pocket": "NE", "t": 89}, {"piece": "striker", "pocket": "NW"}]}
    assert table.acted[0][0] == {"event": "correct", "seq": 14, "with": fixed}
    console.click("#toast .undo")
    table.wait_for_acts(2)
    assert table.acted[1][0]["with"] == TAKEN_BACK


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
    assert table.acted == []
    console.click(".btn:text-is('Leave it as it is')")
    expect(console.locator("dialog")).to_have_count(0)
    assert table.acted == []


def test_a_stroke_three_back_is_fixed_while_two_more_are_played(console, table):
    console.click(".tab:text('Strokes')")
    console.click("[aria-label='Fix stroke 13']")
    expect(console.locator("dialog h2")).to_have_text("Fix stroke 13 · Asha")
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
        held[0].continue_()
    done = console.locator("#toast .toast:not(.bad)")
    expect(done).to_be_visible()
    expect(refused).to_be_visible()
    assert console.evaluate(SMALL) == []
    boxes = [toast.bounding_box() for toast in (refused, done)]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert boxes[1]["y"] + boxes[1]["height"] <= console.locator("#thumbs").bounding_box()["y"]


def test_an_answer_that_comes_late_leaves_the_way_back_from_what_was_done_after_it(console, table):
    held = held_back(console)
    console.click(".tab:text('Board')")
    for count, piece in enumerate(("white", "striker"), 1):
        with console.expect_request("**/act"):
            console.click(f"[data-add={piece}]")
        assert len(held) == count
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
    console.click("text=Correct it so")
    table.wait_for_acts(1)
    said = table.acted[0][0]["with"]
    assert (said["heading"], said["flags"], "doubts" in said) == ("backward", [], False)
    assert said["unseen"] == ["placement.touching", "contacts", "flags.push"]  # what a person fills in was seen


def test_an_improper_stroke_is_called_in_two_taps(console, table):
    console.click("#improper")
    expect(console.locator("dialog h2")).to_have_text("Improper stroke by Asha (stroke 14)")
    tile = console.locator(".tile", has_text="both hands were used")
    expect(tile.locator(".then")).to_have_text("the stroke is fouled")
    tile.click()
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "call", "clause": "icf-32", "seat": "south"}
    expect(console.locator("#toast .undo")).to_be_visible()


def test_what_is_called_most_comes_first(console, table):
    console.click("#call")
    expect(console.locator(".tile .clause").first).to_have_text("icf-30")
    console.fill("input[type=search]", "hands")
    expect(console.locator(".tile")).to_have_count(1)
    console.click(".tile >> text=Ben")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "call", "clause": "icf-32", "seat": "north"}
    console.click("#call")
    expect(console.locator(".tile .clause").first).to_have_text("icf-32")


def test_scoring_by_hand_is_one_tap_and_undone_in_one(console, table):
    console.click(".tab:text('Board')")
    for piece, fell in [("white", [{"piece": "white"}]), ("striker", [{"piece": "striker"}]), ("miss", [])]:
        console.click(f"[data-add={piece}]")
        table.wait_for_acts(1)
        assert table.acted.pop()[0] == {"event": "shot", "seat": "north", "pocketed": fell}
        console.click("#toast .undo")
        table.wait_for_acts(1)
        assert table.acted.pop()[0] == {"event": "correct", "seq": 15, "with": TAKEN_BACK, "reason": "taken back"}
    console.click("text=and, same stroke")
    console.click("[data-add=queen]")
    table.wait_for_acts(1)
    assert table.acted.pop()[0]["with"]["pocketed"] == [*SHOT["pocketed"], {"piece": "queen"}]
    console.click("text=Undo last stroke")
    table.wait_for_acts(1)
    assert table.acted.pop()[0] == {"event": "void"}


def test_a_rescue_says_only_what_it_changes(console, table):
    console.click(".tab:text('Board')")
    console.click("#rescue")
    console.click("[aria-label='more: Points of Asha']")
    console.click("[aria-label='less: Left on the board: black']")
    console.select_option("label:has-text('To play') select", "south")
    console.select_option("label:has-text('Who is white') select", "north")
    console.select_option("label:has-text('queen') select", "board")
    console.fill("label:has-text('Reason') input", "the lamp fell")
    console.click("text=Play on from here")
    table.wait_for_acts(1)
    position = {"score": {"south": 13}, "left": {"black": 5}, "turn": "south", "white": "north", "queen": "board"}
    assert table.acted[0][0] == {"event": "set", "position": position, "reason": "the lamp fell"}


def test_from_lobby_to_result_and_a_second_match(console, table):
    show(table, asks=[], flags=[])
    score = table.state["score"]
    score["state"] = "board_over"
    table.state["ruling"]["board"] = {"number": 2, "over": True, "winner": "south", "points": 5, "on_demand": 2}
    table.feed.push("state")
    expect(console.locator(".between .says")).to_have_text("Asha wins the board with 5 points")
    expect(console.locator(".between")).to_contain_text("Claim 2 on demand")
    console.click("#stop:text('Next board')")  # where Stop was: always in sight
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "next_board"}
    score |= {"state": "match_over", "winner": "south"}
    table.feed.push("state")
    expect(console.locator(".between .says")).to_have_text("Asha wins the match")
    console.click("#stop:text('New match')")
    console.select_option("label:has-text('Won the toss') select", "north")
    console.fill("label:has-text('South') input", "Chitra")
    console.click("text=Begin the match")
    table.wait_for_acts(2)
    assert table.acted[1][0] == {
        "event": "start",
        "book": "icf",
        "seats": {"south": "Chitra", "north": "Ben"},
        "toss": {"winner": "north", "choice": "break"},
        "policy": {"points": 15},
        "tournament": True,
    }


def test_a_fixture_that_the_club_published_is_picked_in_the_lobby(console, table):
    seats = {"south": "Dev", "north": "Ela", "east": "Fay", "west": "Gita"}
    table.published = [{"time": "10:15", "event": "Open", "round": "1", "book": "icf", "referee": "", "seats": seats}]
    table.state["score"] |= {"state": "idle", "sides": [], "turn": None}
    show(table, asks=[], flags=[], ruling=None, shot=None)
    console.click("#now >> text=New match")
    console.select_option("label:has-text('Fixture') select", label="10:15 · Dev – Ela – Fay – Gita · Open 1")
    console.click("text=Begin the match")
    table.wait_for_acts(1)
    said = table.acted[0][0]
    assert said["seats"] == seats
    # What the score sheet asks for; nobody named a referee.
    assert {name: said.get(name) for name in ("competition", "round", "referee")} == {
        "competition": "Open",
        "round": "1",
        "referee": None,
    }


def test_a_friendly_game_is_one_tap_and_doubles_two_more_names(console, table):
    table.state["score"] |= {"state": "idle", "sides": [], "turn": None}
    show(table, asks=[], flags=[], ruling=None, shot=None)
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


def test_a_match_under_way_is_not_ended_unawares(console, table):
    console.click(".tab:text('Table')")
    console.click("#match >> text=New match")
    console.select_option("label:has-text('Rulebook') select", "sixes")
    console.click("text=Begin the match")
    expect(console.locator("dialog .bad")).to_contain_text("ends here, at 12 : 7")
    console.click("dialog >> text=Leave it as it is")
    assert table.acted == []


def test_stop_and_play(console, table):
    console.click("#stop:text('Stop')")
    table.wait_for_acts(1)
    table.state["score"]["state"] = "paused"
    table.feed.push("state")
    expect(console.locator("#watch")).to_contain_text("Stopped")
    console.click("#stop:text('Play')")
    table.wait_for_acts(2)
    assert [event for event, _ in table.acted] == [{"event": "pause"}, {"event": "resume"}]


def test_a_call_says_what_it_changed_and_what_lies_to_be_placed_now(console, table):
    table.state["ruling"] = {
        "seq": 15,
        "event": "call",
        "fouls": [],
        "cites": [],
        "returned": [{"piece": "white", "side": "south", "why": "icf-66", "to": None}],
        "changed": [{"seq": 14, "says": "shot by south: turn north, not south", "fields": {}, "was": {}}],
        "place_now": [{"piece": "white", "side": "south", "within": {}}] * 2
        + [{"piece": "queen", "side": None, "to": [0, 15.9]}],
        "take_off": [{"piece": "black", "side": "north"}],
    }
    show(table, asks=[], flags=[])
    ruling = console.locator("#now .ruling")
    expect(ruling.locator(".changed li")).to_contain_text("shot by south: turn north, not south")
    expect(ruling.locator(".todo").first).to_have_text(
        "To be placed now: 2 white (Asha) inside the outer circle; queen at 0.0, 15.9 mm"
    )
    expect(ruling.locator(".todo").last).to_have_text("To be taken off: black (Ben)")
    expect(ruling).not_to_contain_text("comes back")  # it may have been placed already


def test_what_is_watched_and_who_is_logged_in(console, table, client):
    console.click(".tab:text('Table')")
    card = console.locator("#watched")
    expect(card.locator("summary")).to_have_text("Watched now 1 watched, 1 on call, 1 not watched")
    card.locator("summary").click()
    expect(card.locator("[data-how='not watched'] li")).to_contain_text("(not seen: two hands)")
    client.login()
    console.click("text=Who is logged in")
    expect(console.locator("[data-session]")).to_have_count(2)
    console.click("text=End all others")
    expect(console.locator("[data-session]")).to_have_count(1)
    assert client.get("/me").json == {"umpire": False}
    console.click("#leave")
    expect(console.locator("#login")).to_be_visible()


def test_the_pin_is_asked_and_a_wrong_one_is_said(page):
    page.goto("/umpire")
    expect(page.locator("#deck")).to_be_hidden()
    page.fill("#pin", "1234")
    page.click("#pin-form .btn.first")
    expect(page.locator("#pin-says")).to_have_text("this is not the PIN")
    expect(page.locator("#deck")).to_be_hidden()


def test_who_comes_from_the_hub_for_a_picture_is_asked_for_the_pin_first(page):
    see = "/picture/41"  # a clip would never end loading
    there = re.compile(rf"^http://[^/]+{see}$")
    page.goto(see)
    assert page.url.endswith(f"/umpire?see={see}")
    page.fill("#pin", "4711")
    with page.expect_response(there) as shown:
        page.click("#pin-form .btn.first")
    assert shown.value.status == 200
    page.wait_for_url(there)
    page.goto("/")
    page.evaluate("see => location.assign(`/umpire?see=${see}`)", see)
    page.wait_for_url(there)  # and not a second time


@pytest.mark.parametrize(
    "see", ["//evil.example/picture/1", "https://evil.example/", "/logout", "/picture/1/../../act"]
)
def test_no_other_address_is_followed(page, see):
    page.goto(f"/umpire?see={see}")
    page.fill("#pin", "4711")
    page.click("#pin-form .btn.first")
    expect(page.locator("[data-ask]")).to_be_visible()


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
