"""The demo's own page: what it breaks, in a real browser, and who may not."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from controller.commands.demo.desk import DemoDesk
from controller.simulator.breaking import BREAKAGES, Breaking
from controller.web import Feed, WebServer
from tests.web.client import Client
from tests.web.test_accessibility import found


@pytest.fixture
def desk():
    cuts = []
    breaking = Breaking()
    server = WebServer(
        DemoDesk(breaking, "http://127.0.0.1:9", "471100", lambda: cuts.append(1)).app(), Feed(), "127.0.0.1", 0
    )
    yield breaking, cuts, Client(server.start())
    server.stop()


@pytest.mark.parametrize("what", BREAKAGES)
def test_each_thing_is_broken_and_mended(desk, what):
    breaking, _, client = desk
    assert client.post("/break", {"what": what, "broken": True}).json["broken"] == [what]
    assert breaking.now == {what}
    assert client.post("/break", {"what": what, "broken": False}).json["broken"] == []


@pytest.mark.parametrize("body", [{}, {"what": "x", "broken": True}, {"what": "camera"}, {"what": ["camera"]}, [], 7])
def test_what_is_no_breakage_breaks_nothing(desk, body):
    breaking, cuts, client = desk
    assert client.post("/break", body).status == 400
    assert (breaking.now, cuts) == (frozenset(), [])


def test_another_site_breaks_nothing(desk):
    breaking, cuts, client = desk
    for what in (*BREAKAGES, "power"):
        body = {"what": what, "broken": True}
        assert client.post("/break", body, origin="http://evil.example").status == 403
    assert (breaking.now, cuts) == (frozenset(), [])


@pytest.mark.browser
def test_the_page_has_a_button_for_each_and_shows_what_is_broken(chromium, desk):
    breaking, cuts, client = desk
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(f"http://127.0.0.1:{client.port}/")
    page.click("text=Unplug the camera")
    expect(page.locator("[data-what=camera]")).to_have_text("Plug the camera in")
    expect(page.locator("#said")).to_have_text("Broken now: camera.")
    assert breaking.now == {"camera"}
    expect(page.locator("#console")).to_have_attribute("href", "http://127.0.0.1:9/umpire")
    expect(page.locator("#pin")).to_have_text("471100")
    assert found(page) == []
    page.click("text=Cut the power")
    expect(page.locator("#said")).to_have_text("Broken now: camera.")
    page.click("[data-what=camera]")
    expect(page.locator("#said")).to_have_text("Everything works.")
    assert (breaking.now, cuts, troubles) == (frozenset(), [1], [])
    context.close()
