"""A second look in a browser: a side challenges a stroke, all see that and the score before, the umpire decides."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.conftest import opened
from tests.web.daemon import bare_daemon
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
        hand.tap("[data-challenge] >> text=Upheld")
        hand.tap("dialog .chip:has-text('it was black in NE')")
        expect(left).to_have_text("8")
        expect(phone.locator("[data-challenge]")).to_have_count(0)
        assert hand.taps == 6
        hand.tap(".tab:text('Table')")
        assert played.get("/state").json["score"]["challenges_left"] == {"south": 1, "north": 1}
        assert (phone.troubles, display.troubles) == ([], [])


@pytest.mark.browser
@pytest.mark.slow
def test_a_rejected_one_is_lost_and_in_hindi_too(chromium, played):
    with opened(chromium, played) as phone:
        let_in(phone)
        played.post("/act", {"event": "challenge", "seat": "north", "stroke": 2, "about": "lines"})
        phone.goto("/umpire?lang=hi")
        expect(phone.locator("[data-challenge]")).to_contain_text("Ben की चुनौती: रेखाएँ")
        assert played.post("/act", {"event": "shot", "seat": "south"}).json["error"].startswith("challenge 3 has no")
        phone.keyboard.press("2")
        expect(phone.locator("[data-challenge]")).to_have_count(0)
        assert played.get("/state").json["score"]["challenges_left"] == {"south": 1, "north": 0}
        phone.click(".tab >> nth=3")
        phone.click("#match >> text=चुनौती")
        expect(phone.locator("dialog fieldset")).to_have_count(1)
        assert phone.troubles == []
