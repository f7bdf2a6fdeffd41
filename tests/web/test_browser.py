"""A real browser: the scoreboard follows the table, the umpire answers, corrects and stops, on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.web.pretend import SHOT

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 30_000


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium, client):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, base_url=f"http://127.0.0.1:{client.port}")
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    opened = context.new_page()
    opened.troubles = []
    opened.on("pageerror", lambda error: opened.troubles.append(str(error)))
    opened.on("requestfailed", lambda request: opened.troubles.append(request.url))
    yield opened
    context.close()


@pytest.fixture
def console(page: Page):
    page.goto("/umpire")
    page.fill("#pin", "4711")
    page.click("text=Open the console")
    expect(page.locator("[data-ask]")).to_be_visible()
    return page


def test_the_scoreboard_follows_the_table(page, table):
    page.goto("/")
    expect(page.locator("[data-points=south]")).to_have_text("12")
    expect(page.locator("#b-pieces circle.p")).to_have_count(11)
    expect(page.locator("[data-side=north] .doubt")).to_have_count(2)  # left and turn hang on a question
    expect(page.locator("#ruling li.flag")).to_have_count(0)  # flagged, not confirmed: the umpire's alone
    expect(page.locator("#ruling li.cite").first).to_contain_text("pocketing the striker: one piece of the side is due")
    table.state["score"]["sides"][0]["points"] = 15
    table.state["score"]["provisional"] = []
    table.feed.push("state")
    expect(page.locator("[data-points=south]")).to_have_text("15")
    expect(page.locator(".doubt")).to_have_count(1)  # the history's
    table.feed.push("board", {"t": 2.0, "moving": True, "pieces": [{"piece": "queen", "x": 0, "y": 0}]})
    expect(page.locator("#b-pieces circle.p")).to_have_count(1)
    table.feed.push("clock", {"running": True, "left": 4.2, "limit": 15.0})
    expect(page.locator("#clock")).to_have_text("5 s")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.troubles == []


def test_a_stroke_is_shown_until_the_next_though_pieces_were_put_back(page, table):
    table.state["stroke"] = dict(table.state["ruling"])
    table.state["ruling"] = {"seq": 15, "event": "placed", "fouls": [], "cites": []}
    page.goto("/")
    expect(page.locator("#ruling h2")).to_contain_text("Ruling 14")
    expect(page.locator("#ruling li.cite").first).to_contain_text("pocketing the striker")
    expect(page.locator("#says")).to_contain_text(table.state["history"][-1]["says"])
    table.state["ruling"] = {"seq": 16, "event": "pause", "fouls": [], "cites": []}
    table.feed.push("state")
    expect(page.locator("#ruling h2")).to_contain_text("Ruling 16")


def test_the_history_says_what_fell(page, table):
    page.goto("/")
    row = page.locator("#history div", has_text="south plays on")
    expect(row.locator(".piece-dot")).to_have_count(2)
    expect(row.locator(".fallen:has(.piece-dot.white)")).to_have_text("NE")
    expect(row.locator(".piece-dot.queen")).to_be_visible()


def test_names_are_text_whatever_they_say(page, table):
    table.state["score"]["sides"][0]["seats"] = {"south": "<img src=x onerror=alert(1)>"}
    page.goto("/")
    expect(page.locator("[data-side=south] .who")).to_contain_text("<img")
    assert page.locator("[data-side=south] img").count() == 0
    assert page.troubles == []


def test_a_lost_line_is_shown_and_found_again(page, table):
    page.goto("/")
    expect(page.locator("[data-points=south]")).to_have_text("12")
    page.context.set_offline(True)
    table.feed.close()
    expect(page.locator("#lost")).to_be_visible()
    expect(page.locator("#lost")).to_contain_text("No connection to the table")


def test_who_is_logged_in_is_listed_and_ended(console, client):
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
    expect(page.locator("#console")).to_be_hidden()
    page.fill("#pin", "1234")
    page.click("text=Open the console")
    expect(page.locator("#pin-says")).to_have_text("this is not the PIN")
    expect(page.locator("#console")).to_be_hidden()


def test_a_question_is_answered_with_its_picture_in_view(console, table):
    picture = console.locator("[data-ask] img")
    expect(picture).to_have_attribute("src", "/picture/41")
    picture.evaluate("image => image.decode()")  # fails for a picture that is none
    console.click("text=Play the stroke")
    expect(picture).to_have_attribute("src", "/clip/40-44")
    console.click(".ask .btn:text-is('white')")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "answer", "ask": 14, "choice": "white"}
    table.state["asks"] = []
    table.feed.push("state")
    expect(console.locator("[data-ask]")).to_have_count(0)


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


def test_a_flag_is_confirmed_after_its_consequence_was_shown_or_waved_away(console, table):
    flag = console.locator("[data-flag=icf-30]")
    expect(flag).to_contain_text("the elbow may not cross the extended line")
    expect(flag.locator("img")).to_have_attribute("src", "/picture/42")
    flag.locator(".btn:text-is('Confirm')").click()
    expect(console.locator("dialog .diff tbody tr")).to_have_text(["left: white43", "turnnorthsouth"])
    assert table.acted == []
    console.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "answer", "ask": "14.1", "choice": "foul"}
    assert table.previewed == [table.acted[0][0]]
    flag.locator(".btn:text-is('Wave away')").click()
    table.wait_for_acts(2)
    assert table.acted[1][0] == {"event": "answer", "ask": "14.1", "choice": "no foul"}


def test_a_flag_of_an_earlier_stroke_still_waits(console, table):
    table.state["ruling"] = {"seq": 15, "event": "placed", "fouls": []}
    table.state["asks"] = []
    table.feed.push("state")
    expect(console.locator(".ask")).to_have_count(1)
    expect(console.locator("[data-flag=icf-30]")).to_be_visible()


def test_the_last_stroke_is_corrected_from_a_filled_form(console, table):
    console.click("text=Correct it")
    first = console.locator("#fix .row").nth(0)
    expect(first.locator("select").nth(0)).to_have_value("black")
    first.locator("select").nth(0).select_option("white")
    console.locator("#fix .row").nth(1).locator("button").click()  # no striker fell
    console.uncheck("text=elbow over the line")
    console.click("#fix >> text=Show what changes")
    expect(console.locator("dialog .diff .now").first).to_have_text("3")
    console.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {
        "event": "correct",
        "seq": 14,
        "with": {
            "event": "shot",
            "seat": "south",
            "t": 88.2,
            "placement": {"x": -40, "y": -252.6, "lines": "both"},
            "pocketed": [{"piece": "white", "pocket": "NE", "t": 89}],
            "flags": [],
        },
    }
    expect(console.locator("#fix")).to_contain_text("Correct it")


def test_what_a_person_fills_in_was_seen(console, table, monkeypatch):
    monkeypatch.setitem(SHOT, "unseen", ["heading", "placement.touching", "contacts", "flags.push"])
    console.click("text=Correct it")
    console.click("text=Placement and stroke")
    console.locator("#fix label.field").filter(has_text=re.compile("^Struckforward")).locator("select").select_option(
        "backward"
    )
    console.click("#fix >> text=Show what changes")
    console.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert table.acted[0][0]["with"]["heading"] == "backward"
    assert table.acted[0][0]["with"]["unseen"] == ["placement.touching", "contacts", "flags.push"]


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
    table.feed.push("state")
    ruling = console.locator("#ruling")
    expect(ruling.locator(".changed li")).to_have_text("14shot by south: turn north, not south")
    expect(ruling.locator(".todo").first).to_have_text(
        "To be placed now: 2 white (Asha) inside the outer circle; 1 queen at 0.0, 15.9 mm"
    )
    expect(ruling.locator(".todo").last).to_have_text("To be taken off: 1 black (Ben)")
    expect(ruling).not_to_contain_text("back on the board")  # it may have been placed already


def test_a_form_left_open_corrects_the_stroke_it_was_opened_for(console, table):
    console.click("text=Correct it")
    expect(console.locator("#fix h2")).to_have_text("Correct stroke 14")
    table.state["shot"]["seq"] = 16
    table.state["score"]["sides"][0]["points"] = 13
    table.feed.push("state")
    expect(console.locator("[data-points=south]")).to_have_text("13")
    console.click("#fix >> text=Show what changes")
    console.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert (table.acted[0][0]["event"], table.acted[0][0]["seq"]) == ("correct", 14)


def test_any_stroke_of_the_history_is_corrected(console, table):
    console.click("[aria-label='Correct stroke 13']")
    expect(console.locator("#fix h2")).to_have_text("Correct stroke 13")
    console.click("#fix >> text=Show what changes")
    console.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert table.acted[0][0]["seq"] == 13
    console.click("[aria-label='Correct stroke 12']")  # taken back meanwhile: the table says so
    expect(console.locator("#said")).to_contain_text("no stroke of that number")


def test_a_second_match_begins_from_the_page(console, table):
    table.state["score"]["state"] = "match_over"
    table.feed.push("state")
    console.click("text=New match")
    console.select_option("text=Breaks", "north")
    console.fill("label:has-text('south') input", "Chitra")
    console.click("text=Begin the match")
    expect(console.locator("dialog")).to_contain_text("begins at 0 : 0")
    console.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    seats = {"south": "Chitra", "north": "Ben"}
    begun = {"event": "start", "book": "icf", "seats": seats, "first": "north"}
    assert table.acted[0][0] == begun | {"policy": {"points": 15}, "tournament": True}


def test_a_match_under_way_is_not_ended_unawares(console, table):
    console.click("text=New match")
    console.select_option("text=Rulebook", "sixes")
    console.click("text=Begin the match")
    expect(console.locator("dialog .bad")).to_contain_text("ends here, at 12 : 7")
    console.click("dialog >> text=Leave it as it is")
    assert table.acted == []


def test_a_stroke_by_hand_makes_it_a_scoreboard_without_sensors(console, table):
    console.click("text=Enter one by hand")
    console.click("#fix fieldset:has(legend:text('Fell')) >> text=Add a piece")
    console.locator("#fix .row select").nth(0).select_option("queen")
    console.locator("#fix .row select").nth(1).select_option("SE")
    console.click("#fix >> text=Show what changes")
    console.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "shot", "seat": "north", "pocketed": [{"piece": "queen", "pocket": "SE"}]}


def test_the_books_calls(console, table):
    console.fill("#calls input", "hands")
    expect(console.locator("#calls .one")).to_have_count(1)
    expect(console.locator("#calls .one")).to_contain_text("the stroke is fouled")
    console.click("#calls .one >> text=Ben")
    console.click("dialog >> text=Do it")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "call", "clause": "icf-32", "seat": "north"}


def test_what_is_watched_right_now_is_listed(console, table):
    card = console.locator("#watched")
    expect(card.locator("summary")).to_have_text("Watched now 1 watched, 1 on call, 1 not watched")
    card.locator("summary").click()
    expect(card.locator("[data-how=watched] li")).to_have_text("icf-66the striker fell")
    expect(card.locator("[data-how='not watched'] li")).to_contain_text("(not seen: two hands)")
    table.state["watched"] = table.state["watched"][:1]
    table.feed.push("state")
    expect(card.locator("summary")).to_have_text("Watched now 1 watched, 0 on call, 0 not watched")
    expect(card.locator("li")).to_be_visible()  # it stays open
    assert console.evaluate("document.documentElement.scrollWidth") <= 390


def test_stop_and_play(console, table):
    console.click("#stop:text('Stop')")
    table.wait_for_acts(1)
    table.state["score"]["state"] = "paused"
    table.feed.push("state")
    console.click("#stop:text('Play')")
    table.wait_for_acts(2)
    assert [event for event, _ in table.acted] == [{"event": "pause"}, {"event": "resume"}]


def test_what_the_table_refuses_is_shown(console, table):
    table.answer = {"seq": 15, "event": "pause", "error": "the match is over"}
    console.click("#stop")
    expect(console.locator("#said")).to_have_text("the match is over")
    expect(console.locator("#said")).to_have_class(re.compile("bad"))


def test_the_hall_sees_names_and_points(page, table):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto("/board")
    expect(page.locator("[data-points=north]")).to_have_text("7")
    assert page.evaluate("document.documentElement.scrollHeight") <= 720
    box = page.locator("[data-points=south]").bounding_box()
    assert box["height"] > 80
    assert page.troubles == []


@pytest.mark.parametrize("where", ["/", "/board"])
def test_every_page_says_what_is_wrong_and_what_is_not_saved(page, table, where):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(where)
    expect(page.locator("#alerts .alert")).to_have_text(["the NE beam is dirty; wipe its lens"])
    expect(page.locator("[data-saved=no]")).to_have_count(0)
    table.state["ruling"]["saved"] = False
    table.state["history"][-1]["saved"] = False
    table.feed.push("state")
    expect(page.locator("[data-saved=no]").first).to_have_text("told, not yet saved")
    expect(page.locator("#history [data-saved=no]")).to_have_count(1 if where == "/" else 0)
    assert page.troubles == []


def test_the_hall_has_room_for_four(page, table):
    one = table.state["score"]["sides"][0]
    names = {"south": "Asha", "east": "Chandrasekaran Venkatesh", "north": "Ben", "west": "Dee"}
    table.state["score"]["sides"] = [one | {"name": seat, "seats": {seat: who}} for seat, who in names.items()]
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto("/board")
    expect(page.locator(".side")).to_have_count(4)
    boxes = [page.locator(f"[data-side={seat}]").bounding_box() for seat in names]
    strip, foot = page.locator("#strip").bounding_box(), page.locator("#ruling").bounding_box()
    assert min(box["y"] for box in boxes) >= strip["y"] + strip["height"]
    assert max(box["y"] + box["height"] for box in boxes) <= foot["y"]
    assert all(page.locator(f"[data-points={seat}]").bounding_box()["height"] > 80 for seat in names)
