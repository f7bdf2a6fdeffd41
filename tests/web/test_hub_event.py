"""The page of a drawn event in a browser: the bracket with what is called where, on a phone, in Hindi too."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from controller.commands.draw.page import Events
from tests.draws.test_event_page import drawn
from tests.web.client import Client
from tests.web.conftest import opened
from tests.web.pretend_club import SMALL, PretendClub, said
from tests.web.test_accessibility import found


@pytest.fixture
def events(tmp_path):
    drawn(tmp_path / "events" / "open", "knockout", count=4)
    drawn(tmp_path / "events" / "youth", "groups", name="Youth")
    one = PretendClub(tmp_path / "season.sqlite", Events(tmp_path / "events"))
    yield one
    one.server.stop()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("lang", "called", "winner", "third"),
    [
        ("en", "Table 2 · called", "winner of SF1", "Third place"),
        ("hi", "Table 2 · बुलाया गया", "SF1 का विजेता", "तीसरा स्थान"),
    ],
)
def test_a_bracket_says_who_plays_where_and_who_has_won(chromium, events, lang, called, winner, third):
    with opened(chromium, events.client) as phone:
        phone.goto(f"/event?event=open&lang={lang}")
        final = phone.locator("[data-match=F]")
        expect(final).to_contain_text(winner)
        expect(phone.locator("#shown")).to_contain_text(third)
        first = phone.locator("[data-match=SF1] bdi").all_inner_texts()
        seats = dict(zip(("south", "north"), first, strict=True))
        fixture = {"seats": seats, "event": "Open", "id": "SF1", "key": "a1"}
        events.hears("t2/fixtures", said(fixtures=[fixture]))
        events.hears("t2/score", said(t=time.time(), state="idle"))
        expect(phone.locator("[data-match=SF1]")).to_contain_text(called)
        sides = [
            {"name": seat, "players": [name], "points": 25 - 9 * (seat == "north")} for seat, name in seats.items()
        ]
        ended = said(match="m1", book="icf", winner="south", sides=sides, end=time.time(), start=1.0, fixture="a1")
        events.hears("t2/result/m1", ended)
        expect(phone.locator("[data-match=SF1] .won")).to_have_text(f"{first[0]}25")
        expect(final).to_contain_text(first[0])
        assert found(phone) == []
        assert phone.evaluate(SMALL) == []
        assert phone.evaluate("document.documentElement.scrollWidth") == 390
        phone.get_by_role("link", name="Youth").click()
        expect(phone.locator(".draw-cross")).to_have_count(2)
        assert found(phone) == []
        assert phone.evaluate("document.documentElement.scrollWidth") == 390
        assert phone.troubles == []


@pytest.mark.live
def test_only_a_referee_reads_why_an_event_cannot_be_shown(events, tmp_path, club):
    assert club.client.get("/event/state").json["shown"] is None
    assert events.client.get("/event/state?event=none").status == 404
    (tmp_path / "events" / "open" / "entries.csv").write_text("who\n")
    referee = Client(events.client.port)
    referee.login()
    for client, says in ((events.client, 0), (referee, 2)):
        shown = client.get("/event/state").json["shown"]
        assert (shown["trouble"], len(shown["says"])) == (True, says)
