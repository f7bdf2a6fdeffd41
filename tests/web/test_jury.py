"""A jury: let in by name from the club's referees' page, to one challenge of one table, and to nothing else."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from controller.web import WebServer, create_app
from controller.web.invitations import Invitations
from tests.mqtt.broker import free_port
from tests.web.client import Client
from tests.web.conftest import opened
from tests.web.doing import heard
from tests.web.pretend import RULING, PretendMatches, PretendTable
from tests.web.pretend_club import SMALL, said
from tests.web.test_accessibility import found
from tests.web.test_devices import let_in
from tests.web.test_rights import EVERYBODYS, UMPIRES, split, tried

pytestmark = pytest.mark.live
CHALLENGE = {"seq": 15, "side": "south", "stroke": 14, "about": "count", "result": None, "verdict": None}


@pytest.fixture
def challenged():
    """A table with a challenge that waits, and the codes of its jurors."""
    table, port = PretendTable(), free_port()
    table.state |= {"asks": [], "flags": []}
    table.state["score"] |= {"challenge": CHALLENGE, "challenges_left": {"south": 1, "north": 1}}
    table.answer = RULING | {"event": "verdict", "seq": 16}
    jury = Invitations(lambda: 0.0, lambda _by: True)
    app = create_app(table, past=PretendMatches(), gap_s=0.0, address=f"http://127.0.0.1:{port}", jury=jury)
    server = WebServer(app, table.feed, "127.0.0.1", port)
    yield table, Client(server.start()), lambda: jury.give("", "", "Chitra")[0]
    server.stop()


def test_a_juror_looks_and_decides_in_his_own_name_and_does_nothing_else(challenged):
    table, stranger, code = challenged
    juror = let_in(stranger, code())
    assert juror.get("/me").json | {"id": ""} == {"umpire": False, "side": None, "juror": "Chitra", "id": ""}
    for method, path in split(UMPIRES) - {("GET", "/stroke/{seq:number}")}:
        assert tried(juror, method, path).status == 401, path
    for path in ("/look/14", "/picture/41", "/stroke/14"):
        assert juror.get(path).status == 200, path
        assert stranger.get(path).status == 401, path
    assert juror.post("/jury/act", {"event": "correct", "seq": 14}).status == 403
    assert juror.post("/side/act", {"event": "pause"}).status == 401
    assert table.acted == []
    verdict = {"event": "verdict", "challenge": 15, "result": "rejected", "by": "somebody else"}
    assert juror.post("/jury/preview", verdict).status == 200
    assert juror.post("/jury/act", verdict).status == 200
    ((event, by),) = table.acted
    assert (event["by"], by.partition(":")[0]) == ("Chitra", "jury")
    assert stranger.post("/join", {"code": "x" * 22}).status == 403
    assert split(EVERYBODYS) >= {("GET", "/jury")}


@pytest.mark.browser
def test_a_jury_comes_by_its_code_looks_and_decides_at_every_size(chromium, challenged):
    table, client, code = challenged
    with opened(chromium, client) as page:
        page.goto("/jury")
        expect(page.locator("#now")).to_contain_text("This device is not let in as a jury")
        page.goto(f"/join#{code()}")
        page.click("#go")
        card = page.locator("[data-challenge]")
        expect(page.locator("#now")).to_contain_text("You decide as Chitra.")
        expect(card.locator("output")).to_have_text("picture 4 of 5 · 0.50 s after the first motion")
        assert found(page) == []
        for size in ((390, 844), (360, 640), (800, 480), (1920, 1080)):
            page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
            for answer in ("Upheld", "Rejected", "Not clear"):
                expect(card.locator(f".btn:text-is('{answer}')")).to_be_in_viewport(ratio=1)
        page.click("text=Say why")
        page.fill("details input", "two fell in NE")
        assert page.locator("details label").count() == 1, "the juror's own name is known"
        page.locator("details input").blur()
        heard(page)
        page.keyboard.press("1")
        page.click("dialog .chip >> nth=0")
        expect(page.locator("#toast .toast:visible")).to_have_count(1)
        ((event, _by),) = table.acted
        assert (event["event"], event["result"], event["challenge"]) == ("verdict", "upheld", 15)
        assert event["with"]["event"] == "shot"
        assert (event["reason"], event["by"]) == ("two fell in NE", "Chitra")
        assert page.locator(".undo").count() == 0, "taking a verdict back is the umpire's"
        table.state["score"] |= {"challenge": None}
        table.feed.push("state")
        expect(page.locator("#now")).to_contain_text("No challenge waits here.")
        assert page.troubles == []


@pytest.mark.browser
def test_a_referee_opens_a_challenge_from_the_club_by_name_and_is_told_why_not(phone, club):
    club.hears("t3/score", said(t=1.0, state="playing", challenge={"side": "south", "about": "lines"}))
    club.hears("t3/alert/challenge-3", said(level="ask", says="south challenges stroke 2: lines", t=1.0))
    phone.goto("/referee")
    card = phone.locator("[data-table=t3]")
    expect(card).to_contain_text("south challenges stroke 2: lines")
    assert card.locator("form").count() == 0, "the PIN comes first"
    phone.click("#login summary")
    phone.fill("#pin", "4711")
    phone.keyboard.press("Enter")
    club.table_says = {"error": "Ben is this match's referee. Fix: in this event another person decides"}
    card.locator("input").fill("Ben")
    card.locator("text=Look and decide").click()
    expect(card.locator("[role=alert]")).to_contain_text("another person decides")
    club.table_says = {"seq": 3, "event": "jury", "path": "/join#abc"}
    went = []
    phone.route("http://t.local:8080/**", lambda route: (went.append(route.request.url), route.fulfill(body="there")))
    card.locator("input").fill("Chitra")
    assert {"Look and decide", ""}.isdisjoint(phone.evaluate(SMALL)), "within everybody's reach"
    with phone.expect_navigation(url="http://t.local:8080/join#abc"):
        card.locator("text=Look and decide").click()
    assert [event for _, event in club.called] == [{"event": "jury", "by": name} for name in ("Ben", "Chitra")]
