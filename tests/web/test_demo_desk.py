"""The demo's own page: what it breaks, in a real browser, and who may not."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from calibration.board import DEFAULT_BOARD
from calibration.measures import measures_of
from controller.commands.demo.desk import DemoDesk
from controller.commands.demo.sight import traces
from controller.events.beams import BeamEdge
from controller.simulator.breaking import BREAKAGES, Breaking
from controller.web import Feed, WebServer
from tests.web.client import Client
from tests.web.pretend import PretendTable
from tests.web.test_accessibility import found


class Inside:
    """What is seen of a table that is not there."""

    newest: int | None = 41

    def __init__(self):
        table = PretendTable()
        self.picture = lambda: table.picture(41)
        rim = [[100.0, 100.0], [110.0, 100.0], [110.0, 110.0]]
        self.told = lambda: {
            "picture": self.newest,
            "over": {
                "size": [640, 360],
                "crop": [0, 0, 640, 360],
                "lines": [[[0, 0], [640, 360]]],
                "pieces": [{"piece": "white", "path": rim}] * 2,
            },
            "traces": {p: {"upper": [[2.0, 1.9]] if p == "NE" else [], "lower": []} for p in ("NW", "NE", "SW", "SE")},
            "seconds": 10.0,
            "state": table.state,
        }


@pytest.fixture
def desk():
    cuts = []
    breaking = Breaking()
    server = WebServer(
        DemoDesk(
            breaking, "http://127.0.0.1:9", "471100", lambda: cuts.append(1), Inside(), measures_of(DEFAULT_BOARD)
        ).app(),
        Feed(),
        "127.0.0.1",
        0,
    )
    yield breaking, cuts, Client(server.start())
    server.stop()


@pytest.mark.live
@pytest.mark.parametrize("what", BREAKAGES)
def test_each_thing_is_broken_and_mended(desk, what):
    breaking, _, client = desk
    assert client.post("/break", {"what": what, "broken": True}).json["broken"] == [what]
    assert breaking.now == {what}
    assert client.post("/break", {"what": what, "broken": False}).json["broken"] == []


@pytest.mark.live
@pytest.mark.parametrize("body", [{}, {"what": "x", "broken": True}, {"what": "camera"}, {"what": ["camera"]}, [], 7])
def test_what_is_no_breakage_breaks_nothing(desk, body):
    breaking, cuts, client = desk
    assert client.post("/break", body).status == 400
    assert (breaking.now, cuts) == (frozenset(), [])


@pytest.mark.live
def test_another_site_breaks_nothing(desk):
    breaking, cuts, client = desk
    for what in (*BREAKAGES, "power"):
        body = {"what": what, "broken": True}
        assert client.post("/break", body, origin="http://evil.example").status == 403
    assert (breaking.now, cuts) == (frozenset(), [])


@pytest.mark.browser
@pytest.mark.parametrize("size", [(390, 844), (800, 480), (1920, 1080)])
def test_left_what_the_camera_sees_and_each_pockets_trace_right_what_is_understood(chromium, desk, size):
    _, _, client = desk
    context = chromium.new_context(viewport=dict(zip(("width", "height"), size, strict=True)))
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{client.port}/")
    expect(page.locator(".camera path.white")).to_have_count(2)
    expect(page.locator(".camera image")).to_have_attribute("href", "/now.jpg?41")
    expect(page.locator(".trace")).to_have_count(4)
    expect(page.locator(".trace .broken")).to_have_count(1)
    expect(page.locator("#understood .p.white")).to_have_count(4)
    expect(page.locator("#says")).to_contain_text("Asha pays 1")
    left, right = (page.locator(one).bounding_box() for one in (".camera", "#understood svg"))
    assert (left["x"] + left["width"] <= right["x"]) is (size[0] >= 800)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    context.close()


@pytest.mark.browser
def test_until_there_is_a_picture_the_page_says_that_the_camera_is_being_set_up(chromium, desk, monkeypatch):
    monkeypatch.setattr(Inside, "newest", None)
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{desk[2].port}/")
    expect(page.locator("#says")).to_contain_text("Asha pays 1")
    expect(page.locator("#camera")).to_have_text("The camera is being set up…")
    monkeypatch.setattr(Inside, "newest", 41)
    expect(page.locator(".camera image")).to_have_attribute("href", "/now.jpg?41")
    context.close()


def test_a_trace_is_when_each_beam_was_broken_of_late():
    def edge(ago_s, beam, blocked, seq):
        return BeamEdge(int((100.0 - ago_s) * 1e9), "NE", beam, blocked, "boot", seq, 100)

    edges = [
        edge(30.0, "upper", True, 1),
        edge(29.9, "upper", False, 2),
        edge(12.0, "lower", True, 3),
        edge(8.0, "lower", False, 4),
        edge(2.0, "upper", True, 5),
    ]
    assert traces(edges, int(100e9)) == {"upper": [[2.0, 0.0]], "lower": [[10.0, 8.0]]}


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
    expect(page.locator("#said")).to_have_text("Broken now: the camera is unplugged.")
    assert breaking.now == {"camera"}
    expect(page.locator("#console")).to_have_attribute("href", "http://127.0.0.1:9/umpire")
    expect(page.locator("#pin")).to_have_text("471100")
    expect(page.locator(".simulated")).to_have_text("Simulated")
    assert found(page) == []
    page.click("text=Cut the power")
    expect(page.locator("#said")).to_have_text("Broken now: the camera is unplugged.")
    page.click("[data-what=camera]")
    expect(page.locator("#said")).to_have_text("Everything works.")
    assert (breaking.now, cuts, troubles) == (frozenset(), [1], [])
    context.close()
