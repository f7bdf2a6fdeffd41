"""The umpire's console in a real browser, on a phone: one card, four buttons, and what they do in how many taps."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from controller.web import Feed, WebServer, create_app
from tests.web.doing import TAKEN_BACK, held_back, show, wait_held
from tests.web.pretend import SHOT
from tests.web.states import SMALL

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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
    console.click("text=▶ Watch")
    expect(picture).to_have_attribute("src", "/clip/40-44")
    console.click(".ask .btn:text-is('white')")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "answer", "ask": 14, "choice": "white"}


def test_who_struck_is_answered_by_name_and_the_stroke_stays_the_headline(console, table):
    seat = table.state["asks"][0] | {"about": "fact", "key": "seat", "choices": ["south", "north"]}
    show(table, asks=[seat], flags=[])
    expect(console.locator("#now .answers .btn")).to_have_text(["Asha", "Ben"])
    stroke = table.state["ruling"] | {"fouls": [], "asks": [], "turn": "north", "turn_kept": False, "dues": []}
    answer = stroke | {"seq": 15, "event": "answer", "changed": [{"seq": 14, "fields": {"turn": "north"}, "was": {}}]}
    entry = {"seq": 15, "event": "answer", "says": "x", "answered": "north"}
    history = [*table.state["history"], entry]
    show(table, asks=[], ruling=answer, stroke=stroke, history=history)
    expect(console.locator("#now .ruling h2")).to_have_text("Ruling 14 · Asha")
    expect(console.locator("#now .changed")).to_have_count(0)  # it is that stroke itself
    expect(console.locator("#history > *").first).to_have_text("15Answer: Ben")


def test_the_umpire_sees_the_rounds_time_ends_it_by_hand_and_takes_that_back(console, table):
    score, history = table.state["score"], table.state["history"]
    of_round = {"running": True, "left": 300.0, "limit": 1200.0, "over": False, "by_hand": False}
    show(table, asks=[], flags=[], score=score | {"round": of_round})
    expect(console.locator("#round")).to_have_text("Round: 5 min")
    console.click("#match .btn:text-is('End the round')")
    console.click("dialog .first")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "round_over"}
    ended = {"seq": 15, "t": 2.0, "event": "round_over", "says": "the round's time is over"}
    show(table, score=score | {"round": of_round | {"over": True}}, history=[*history, ended])
    expect(console.locator("#round")).to_have_text("Last board of the round")
    console.click("#match .btn:text-is('The round goes on')")
    console.click("dialog .first")
    table.wait_for_acts(2)
    assert table.acted[1][0] == {"event": "correct", "seq": 15, "with": TAKEN_BACK, "reason": "taken back"}
    show(table, score=score | {"round": of_round | {"left": 0.0, "by_hand": True}}, history=history)
    expect(console.locator("#round")).to_have_text("Round: end it by hand")
    expect(console.locator("#match .btn:text-is('End the round')")).to_be_visible()
    assert console.troubles == []


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
    show(table, score=table.state["score"] | {"seq": 16})
    flag.locator(".btn:text-is('Wave away')").click()
    table.wait_for_acts(3)
    assert table.acted[2][0] == {"event": "answer", "ask": "14.1", "choice": "no foul"}


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
    expect(console.locator(".between")).to_contain_text("Claim 1 on demand")
    expect(console.locator(".between")).to_contain_text("Asha may ask for 2 points more, or part of them")
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


def test_a_match_under_way_is_not_ended_unawares(console, table):
    console.click(".tab:text('Table')")
    console.click("#match >> text=New match")
    console.select_option("label:has-text('Rulebook') select", "sixes")
    console.click("text=Begin the match")
    expect(console.locator("dialog .bad")).to_contain_text("ends here, at 12 : 7")
    console.click("dialog >> text=Leave it as it is")
    assert table.acted == []


@pytest.mark.parametrize(
    ("lang", "clause", "note"),
    [
        (
            "en",
            "Ruling 13: icf-9 applies no more; Ruling 13: icf-61 (a pocketed piece of one's own keeps the turn) "
            "applies",
            "Ruling 12: what the striker met: known now; Ruling 12: Ben played, not Asha",
        ),
        (
            "hi",
            "निर्णय 13: icf-9 अब लागू नहीं; निर्णय 13: icf-61 (a pocketed piece of one's own keeps the turn) लागू है",
            "निर्णय 12: स्ट्राइकर किससे टकराया: अब पता है; निर्णय 12: Ben ने खेला, Asha ने नहीं",
        ),
    ],
    ids=["en", "hi"],
)
def test_an_answer_says_which_clause_or_fact_came_or_went_and_nothing_of_a_mere_reading(
    console, table, lang, clause, note
):
    asks = [{"ask": 11, "question": "Which piece fell in NE?", "choices": ["white", "black"]}]
    cited = {"fields": {"cites": ["icf-61"], "asks": []}, "was": {"cites": ["icf-9"], "asks": asks}}
    known = {"fields": {"unseen": [], "seat": "north"}, "was": {"unseen": ["contacts"], "seat": "south"}}
    read = {"fields": {"asks": [], "provisional": False}, "was": {"asks": asks, "provisional": True}}
    changed = [
        {"seq": seq, "says": "shot by north: other reasons", **one}
        for seq, one in ((11, read), (12, known), (13, cited))
    ]
    ruling = {"seq": 15, "event": "answer", "fouls": [], "cites": [], "changed": changed}
    show(table, asks=[], flags=[], ruling=ruling)
    console.goto(f"/umpire?lang={lang}")
    told = console.locator("#now .ruling .changed")
    expect(told.locator("li > span:first-child")).to_have_text([note, clause])
    expect(told.locator("summary")).to_contain_text("2")
    show(table, ruling=ruling | {"changed": changed[:1]})
    expect(console.locator("#now .ruling")).to_be_visible()
    expect(told).to_have_count(0)


def test_a_foul_that_is_confirmed_came_and_one_that_is_waved_away_is_none(console, table):
    raised = [
        {"clause": clause, "says": says, "status": "to confirm"}
        for clause, says in (("x-1", "a push"), ("x-2", "two hands"))
    ]
    changes = {"fields": {"fouls": [raised[0] | {"status": "ruled"}]}, "was": {"fouls": raised}}
    ruling = {"seq": 15, "event": "answer", "fouls": [], "cites": [], "changed": [{"seq": 14, "says": "x", **changes}]}
    show(table, asks=[], flags=[], ruling=ruling)
    told = console.locator("#now .ruling .changed li > span:first-child")
    expect(told).to_have_text("Stroke 14: no foul (two hands); Stroke 14: foul, a push")


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
        "changed": [{"seq": 14, "says": "x", "fields": {"turn": "north"}, "was": {"turn": "south"}}],
        "place_now": [{"piece": "white", "side": "south", "within": {}}] * 2
        + [{"piece": "queen", "side": None, "to": [0, 15.9]}],
        "take_off": [{"piece": "black", "side": "north"}],
    }
    show(table, asks=[], flags=[], to_place=[])
    ruling = console.locator("#now .ruling")
    expect(ruling.locator(".changed li")).to_have_text("Ben plays, not Asha14")
    expect(ruling.locator(".todo").first).to_have_text(
        "To be placed now: 2 white of Asha’s inside the outer circle; queen where the ring is drawn"
    )
    expect(ruling.locator(".todo").last).to_have_text("To be taken off: black of Ben’s")
    expect(ruling).not_to_contain_text("comes back")  # it may have been placed already
    queen = {"piece": "queen", "side": None, "by": None, "why": "x", "at": [0.0, 15.9], "within": None}
    ring = {"centre": [0, 0], "inner_mm": 15.9, "outer_mm": 85.0}
    white = {"piece": "white", "side": "south", "by": "north", "why": "x", "at": None, "within": ring}
    show(table, to_place=[queen, white])
    expect(ruling.locator(".laying")).to_contain_text("Ben places one white of Asha’s inside the outer circle")
    expect(ruling.locator(".todo")).to_have_text("To be taken off: black of Ben’s")  # who places what is told once


def test_a_form_that_is_refused_stays_as_it_was_filled_in_and_says_why(console, table, monkeypatch):
    monkeypatch.setattr(table, "preview", lambda _: {"error": "call: warn needs a seat. Fix: say whom"})
    console.click("#tabs >> text=Table")
    console.click("#match >> text=Another call")
    console.get_by_label("Reason").fill("shouted at the umpire")
    console.click("text=Show what changes")
    expect(console.locator("dialog [role=alert]")).to_have_text("call: warn needs a seat. Fix: say whom")
    expect(console.get_by_label("Reason")).to_have_value("shouted at the umpire")
    monkeypatch.undo()
    console.click("text=Show what changes")
    expect(console.locator("dialog")).to_have_count(1)
    console.click("dialog .btn.first")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "call", "action": "warn", "reason": "shouted at the umpire"}
    expect(console.locator("dialog")).to_have_count(0)
    assert console.troubles == []


def test_what_is_watched_and_who_is_logged_in(console, table, client):
    console.click(".tab:text('Table')")
    card = console.locator("#watched")
    expect(card.locator("summary")).to_have_text(
        "What the table rules on by itself clauses that it sees: 1, that you call: 1, that nobody watches: 1"
    )
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


def test_pieces_that_move_while_the_console_opens_do_it_no_harm(page, table):
    held = held_back(page, "**/geometry")
    page.goto("/umpire")
    page.fill("#pin", "4711")
    with page.expect_request("**/geometry"):
        page.click("#pin-form .btn.first")
    wait_held(page, held, 1)
    table.feed.push("board", {"t": 1.0, "moving": True, "pieces": []})
    show(table, score=table.state["score"] | {"state": "paused"})  # comes after it, and is shown
    expect(page.locator("#watch")).to_contain_text("Stopped")
    held[0].continue_()
    expect(page.locator("[data-ask]")).to_be_visible()
    assert page.troubles == []


def test_what_the_table_says_while_the_book_is_fetched_is_shown_whole(console, table):
    held = held_back(console, "**/clauses")
    show(table, asks=[], flags=[], book={"id": "other", "title": "Other"})
    wait_held(console, held, 1)
    show(table, score=table.state["score"] | {"state": "paused", "seq": 15})
    expect(console.locator("body")).to_have_attribute("data-seq", "15")
    console.evaluate("delete document.body.dataset.seq")  # until it is shown once more, with the book
    held.pop().continue_()
    expect(console.locator("body")).to_have_attribute("data-seq", "15")
    expect(console.locator("#stop")).to_have_text("Play")
    assert console.troubles == []


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


def test_a_phone_that_slept_or_lost_the_table_shows_what_is_now_and_acts(chromium, table, tmp_path):
    def served(port=0):
        server = WebServer(create_app(table, kept=tmp_path / "sessions.json"), table.feed, "127.0.0.1", port)
        return server, server.start()

    server, port = served()
    context = chromium.new_context(viewport={"width": 390, "height": 844}, base_url=f"http://127.0.0.1:{port}")
    phone = context.new_page()
    phone.goto("/umpire")
    phone.fill("#pin", "4711")
    phone.click("#pin-form .btn.first")
    seen = expect(phone.locator("body"))
    seen.to_have_attribute("data-seq", "14")
    # Asleep: nothing of the page runs, and what is told meanwhile is not heard.
    session = context.new_cdp_session(phone)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    table.state["score"]["seq"] = 21
    table.feed.push("state")
    session.send("Page.setWebLifecycleState", {"state": "active"})
    seen.to_have_attribute("data-seq", "21")
    # The network, or the table, is gone and comes back; nobody types the PIN again.
    server.stop()
    expect(phone.locator("#watch")).to_have_attribute("data-level", "lost")
    table.state["score"]["seq"] = 22
    table.feed = Feed()
    server, _ = served(port)
    seen.to_have_attribute("data-seq", "22")
    phone.reload()
    seen.to_have_attribute("data-seq", "22")
    phone.click("#stop")
    table.wait_for_acts(1)
    assert table.acted[0][0] == {"event": "pause"}
    context.close()
    server.stop()
