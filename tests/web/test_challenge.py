"""A second look in a browser: a side challenges a stroke, all see that and the score before, the umpire decides."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.conftest import opened
from tests.web.daemon import bare_daemon
from tests.web.doing import heard, show
from tests.web.flows import Hand, let_in, start, stroke
from tests.web.test_accessibility import found


@pytest.fixture
def played(tmp_path):
    """A stroke of Asha's in which two whites fell; each side has one challenge."""
    with bare_daemon(tmp_path) as client:
        start(client, policy={"challenges": 1})
        stroke(client, "south", "white", "white")
        yield client


@pytest.mark.browser
@pytest.mark.slow
def test_an_upheld_challenge_is_public_at_once_and_not_before(chromium, played):
    with opened(chromium, played) as phone, opened(chromium, played, (1280, 720)) as display:
        let_in(phone)
        display.goto("/?display")
        left = display.locator(".sign.white")
        expect(left).to_have_text("7")
        hand = Hand(phone)
        hand.tap(".tab:text('Table')")
        hand.tap("#match >> text=Challenge")
        assert found(phone) == []
        hand.tap("dialog fieldset:has-text('Ben') >> text=what fell")
        expect(phone.locator("[data-challenge]")).to_contain_text("Ben challenges: what fell")
        expect(display.locator("#saying")).to_have_text(
            "Ben challenges: what fell. The score stands until the verdict."
        )
        expect(left).to_have_text("7")
        assert found(phone) == []
        hand.tap(".tab:text('Now')")
        phone.click("text=Say why")
        phone.fill("[data-challenge] details label:nth-of-type(1) input", "two fell in NE")
        phone.fill("[data-challenge] details label:nth-of-type(2) input", "Chitra")
        hand.tap("[data-challenge] >> text=Upheld")
        hand.tap("dialog .chip:has-text('it was black in NE')")
        expect(left).to_have_text("8")
        expect(display.locator("#saying")).to_contain_text(
            "Challenge: upheld (Chitra: two fell in NE); Challenges left: Asha 1, Ben 1"
        )
        expect(phone.locator("[data-challenge]")).to_have_count(0)
        assert hand.taps == 6
        hand.tap(".tab:text('Table')")
        assert played.get("/state").json["score"]["challenges_left"] == {"south": 1, "north": 1}
        assert (phone.troubles, display.troubles) == ([], [])


@pytest.mark.browser
def test_a_second_look_shows_first_and_near_what_is_asked_about_and_says_when_each_picture_was_taken(console, table):
    page, now = console, table.state
    challenge = {"seq": 15, "side": "south", "stroke": 14, "about": "lines", "result": None, "verdict": None}
    score = now["score"] | {"challenge": challenge, "challenges_left": {"south": 1, "north": 1}}
    show(table, score=score, asks=[], flags=[])
    card, shown = page.locator("[data-challenge]"), page.locator("[data-challenge] svg.evidence")
    expect(card.locator("output")).to_have_text("picture 2 of 5 · 0.10 s before the first motion")
    expect(shown.locator("image")).to_have_attribute("href", "/picture/41")
    expect(shown).to_have_attribute("viewBox", "60 80 200 200")
    expect(card.locator("li[data-right]")).to_have_text(
        [
            "inner base line: 0.3 ± 0.5 mm from the limit, too close to call",
            "on the arrow: 0.2 ± 0.1 mm from the limit",
            "outer base line: 4.0 ± 0.5 mm from the limit",
        ]
    )
    expect(card).to_contain_text("Of 2 pictures one was kept.")
    expect(card).to_contain_text("One picture is missing in between.")
    expect(shown.locator(".disc")).to_be_visible()
    assert found(page) == []
    card.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(card.locator("output")).to_have_text("picture 3 of 5 · 0.10 s after the first motion")
    expect(shown.locator(".disc")).to_be_hidden()
    card.locator("text=The whole board").click()
    expect(shown).to_have_attribute("viewBox", "20 0 600 360")
    assert card.locator(".beams rect").count() == 2
    show(table, score=score | {"challenge": challenge | {"seq": 16, "about": "count"}})
    expect(card.locator("output")).to_have_text("picture 4 of 5 · 0.50 s after the first motion")
    box = card.locator(".beams").bounding_box()
    card.locator(".beams").click(position={"x": box["width"] - 2, "y": 4})
    expect(shown.locator("image")).to_have_attribute("href", "/picture/44")
    for size in ((390, 844), (360, 640), (800, 480), (1920, 1080)):
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        for answer in ("Upheld", "Rejected", "Not clear"):
            expect(card.locator(f".btn:text-is('{answer}')")).to_be_in_viewport(ratio=1)
    assert page.troubles == []


@pytest.mark.browser
@pytest.mark.slow
def test_a_rejected_one_is_lost_and_in_hindi_too(chromium, played):
    with opened(chromium, played) as phone:
        let_in(phone)
        played.post("/act", {"event": "challenge", "seat": "north", "stroke": 2, "about": "lines"})
        phone.goto("/umpire?lang=hi")
        expect(phone.locator("[data-challenge]")).to_contain_text("Ben की चुनौती: रेखाएँ")
        assert played.post("/act", {"event": "shot", "seat": "south"}).json["error"].startswith("challenge 3 has no")
        heard(phone)
        phone.keyboard.press("2")
        expect(phone.locator("[data-challenge]")).to_have_count(0)
        assert played.get("/state").json["score"]["challenges_left"] == {"south": 1, "north": 0}
        phone.click(".tab >> nth=3")
        phone.click("#match >> text=चुनौती")
        expect(phone.locator("dialog fieldset")).to_have_count(1)
        assert phone.troubles == []
