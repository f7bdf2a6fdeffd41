"""The page of a drawn event in a browser: the bracket with what is called where, on a phone, in Hindi too."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import expect

from tests.draws.test_event_page import drawn
from tests.web.client import Client
from tests.web.conftest import opened
from tests.web.pretend_club import SMALL, PretendClub, said
from tests.web.test_accessibility import found


@pytest.fixture
def events(tmp_path):
    drawn(tmp_path / "events" / "open", "knockout", count=4)
    drawn(tmp_path / "events" / "youth", "groups", name="Youth")
    one = PretendClub(tmp_path / "season.sqlite", tmp_path / "events")
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


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "events").mkdir()
    one = PretendClub(tmp_path / "season.sqlite", tmp_path / "events")
    yield one
    one.server.stop()


def as_referee(page, path):
    page.goto(path)
    page.locator("#login summary").click()
    page.fill("#pin", "4711")
    page.locator("#pin-form button").click()
    expect(page.locator("#desk h2")).to_be_visible()


@pytest.mark.browser
def test_an_event_of_eight_is_played_from_its_entries_to_its_prizes(chromium, desk):
    players = ["Asha", "Ben", "Chitra", "Dev", "Eve", "Fay", "Gil", "Hari"]
    with opened(chromium, desk.client) as laptop, opened(chromium, desk.client) as phone:
        laptop.set_viewport_size({"width": 1280, "height": 800})
        as_referee(laptop, "/event")
        laptop.get_by_role("button", name="New event").click()
        laptop.get_by_label("Name of the event").fill("Open")
        laptop.get_by_role("button", name="Create").click()
        expect(laptop.locator("#name")).to_have_text("Open")
        for player in players:
            laptop.get_by_role("button", name="Add an entry").click()
            laptop.get_by_label("Player", exact=True).fill(player)
            laptop.get_by_role("button", name="Do it").click()
            expect(laptop.locator("#desk li").filter(has_text=player)).to_be_visible()
        # Another desk, on a phone: one is not here yet, and comes.
        as_referee(phone, "/event?event=open")
        phone.locator("#desk li").filter(has_text="Hari").get_by_role("button", name="Not here yet").click()
        expect(laptop.locator("summary").filter(has_text="7 of 8")).to_be_visible()
        laptop.locator("#desk li").filter(has_text="Hari").get_by_role("button", name="Here").click()
        expect(phone.locator("summary").filter(has_text="8 of 8")).to_be_visible()
        assert found(phone) == []
        assert phone.evaluate("document.documentElement.scrollWidth") == 390
        assert phone.evaluate(SMALL) == []
        laptop.get_by_role("button", name="Draw", exact=True).click()
        expect(laptop.locator("#trial")).to_contain_text("7 new matches")
        assert not desk.read(lambda tables: tables.seen().fixtures)
        assert found(laptop) == []
        laptop.get_by_role("button", name="Do it").click()
        expect(phone.locator("[data-match=QF1]")).to_be_visible()
        # One withdraws: who was to play them goes on.
        south, north = laptop.locator("[data-match=QF1] bdi").all_inner_texts()
        laptop.locator("summary").filter(has_text="8 of 8").click()
        laptop.locator("#desk li").filter(has_text=south).get_by_role("button", name="Withdraw").click()
        expect(laptop.locator("#trial")).to_contain_text(f"QF1: {north} wins without playing")
        laptop.get_by_role("button", name="Do it").click()
        expect(phone.locator("[data-match=QF1] .won")).to_contain_text(north)
        expect(phone.locator("[data-match=SF1] bdi").first).to_have_text(north)
        for match in ("QF2", "QF3", "QF4", "SF1", "SF2", "F"):
            sides = phone.locator(f"[data-match={match}] bdi").all_inner_texts()
            plays(desk, match, sides)
            expect(phone.locator(f"[data-match={match}] .won")).to_contain_text(sides[0])
        expect(phone.locator(".draw-prizes li").first).to_have_text(sides[0])
        expect(laptop.locator(".draw-prizes li")).to_have_count(4)
        assert (laptop.troubles, phone.troubles) == ([], [])


def plays(club, match, names):
    """A match that the first of both wins."""
    fixture = next(one for one in club.read(lambda tables: tables.seen().fixtures) if one.id == match)
    sides = [
        {"name": seat, "players": [name], "points": 25 * (seat == "south")}
        for seat, name in zip(("south", "north"), names, strict=True)
    ]
    now = time.time()
    result = said(match=match, book="icf", winner="south", sides=sides, end=now, start=now - 900, fixture=fixture.key)
    club.hears(f"t1/result/{match}", result)


@pytest.mark.browser
def test_what_is_refused_at_the_desk_is_said_there(chromium, desk):
    with opened(chromium, desk.client) as phone:
        as_referee(phone, "/event?lang=hi")
        phone.get_by_role("button", name="नई प्रतियोगिता").click()
        phone.get_by_label("प्रतियोगिता का नाम").fill("ओपन")
        phone.get_by_label("पद्धति").select_option("swiss")
        phone.get_by_role("button", name="बनाएँ").click()
        expect(phone.locator("#name")).to_have_text("ओपन")
        phone.get_by_role("button", name="ड्रॉ निकालें").click()
        expect(phone.locator("dialog")).to_contain_text("0 entries are there")
        assert found(phone) == []


@pytest.mark.live
def test_only_a_referee_has_the_desk(desk, club):
    assert desk.client.post("/event/act", {"what": "new", "name": "Open", "system": "swiss"}).status == 401
    assert "desk" not in desk.client.get("/event/state").json
    referee = Client(desk.client.port)
    referee.login()
    assert referee.post("/event/act", {"what": "new", "name": "Open", "system": "swiss"}).status == 409
    made = referee.post("/event/act", {"what": "new", "name": "Open", "system": "double"}).json
    assert referee.get("/event/state").json["desk"]["version"] == made["version"]
    assert referee.post("/event/act", {"event": "open", "what": "draw", "version": "old"}).status == 409
    assert referee.post("/event/act", {"event": "none", "what": "draw"}).status == 400
    other = Client(club.client.port)
    other.login()
    assert other.post("/event/act", {"what": "new"}).status == 404
