"""A camera that hangs otherwise is set up anew on the phone: a real daemon, real eyes before simulated pictures, a real
browser. What the eyes judge is `carrom calibrate`'s own; here it is about the way there and back.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from controller.commands.demo.pictures import calibrate_by_pictures
from controller.journal.journal import Journal
from controller.simulator.motion import Pose
from controller.vision.calibration_file import before, load
from tests.web.client import Client
from tests.web.hall import ELSEWHERE, LOOK, PIN, Hall, standing, until

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.long]
JUDGED_MS = 240_000
"""The eyes take two to ten seconds over a picture; much more beside other work."""


@pytest.fixture(scope="session")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The camera as it hung when the table was built."""
    return calibrate_by_pictures(LOOK, 1, tmp_path_factory.mktemp("calibrated"))


@pytest.fixture
def hall(calibrated: Path, tmp_path: Path) -> Iterator[Hall]:
    with standing(tmp_path, calibrated) as hall:
        client = hall.client
        until(lambda: hall.sees(client) == "ok")
        yield hall


@pytest.fixture
def phone(chromium, hall: Hall) -> Iterator[Page]:
    """The umpire's phone, at the sheet in which the camera is set up."""
    port = hall.client.port
    context = chromium.new_context(viewport={"width": 390, "height": 844}, base_url=f"http://127.0.0.1:{port}")
    context.set_default_timeout(JUDGED_MS)
    page = context.new_page()
    page.troubles = []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.goto("/umpire")
    page.fill("#pin", PIN)
    page.click("#pin-form .btn.first")
    page.click(".tab:text('Table')")
    page.click("#match >> text=Get the table ready")
    page.click("dialog >> text=Set the camera up anew")
    yield page
    context.close()
    assert page.troubles == []


def says(phone: Page):
    return phone.locator("dialog [role=alert]")


def title(phone: Page, text: str) -> None:
    expect(phone.locator("dialog h3")).to_contain_text(text, timeout=JUDGED_MS)


def seen_mm(hall: Hall) -> float:
    """How far off the file's camera sees the tops of pieces, on the mean."""
    grid = np.stack(np.meshgrid(np.linspace(-350, 350, 5), np.linspace(-350, 350, 5)), -1).reshape(-1, 2)
    px = hall.camera.view.project(np.concatenate((grid, np.full((25, 1), 8.0)), 1))
    return float(np.hypot(*(load(hall.file).model.to_plane(px, 8.0) - grid).T).mean())


def test_a_camera_that_was_hung_elsewhere_watches_again_and_undo_puts_the_old_one_back(hall: Hall, phone: Page):
    client, first = hall.client, hall.file.read_bytes()
    hall.hang(*ELSEWHERE)
    assert seen_mm(hall) > 20
    phone.click("dialog >> text=Begin")
    title(phone, "the empty board")
    expect(phone.locator("#watch")).to_contain_text("Setting up")
    assert not [one for one in client.get("/state").json["alerts"] if one["level"] == "fault"], "it is no fault"
    assert Client(client.port).get("/state").json["set_up"] is None, "everybody is told only that it is set up"
    phone.click("dialog >> text=The board is empty")
    title(phone, "the pack")
    expect(phone.locator("dialog img")).to_be_visible()
    expect(phone.locator("dialog")).to_contain_text("South sits at the bottom")
    assert phone.evaluate("document.querySelector('dialog img').decode().then(() => true)")
    # A phone that sleeps and loads anew is where it was, and another one sees the same and is not taken twice.
    late = client.post("/camera", {"do": "take", "step": "empty"})
    assert (late.status, late.json) == (409, {"error": "another device was faster: look at what is wanted now"})
    phone.reload()
    phone.click(".tab:text('Table')")
    phone.click("text=The camera is being set up: go on")
    title(phone, "the pack")
    hall.show(hall.rack)
    phone.click("dialog >> text=The pack is there")
    expect(phone.locator("dialog")).to_contain_text("The new calibration is in force: grade club", timeout=JUDGED_MS)
    assert seen_mm(hall) < 0.5
    assert before(hall.file).read_bytes() == first
    until(lambda: hall.sees(client) == "ok")
    client.post("/act", {"event": "resume"})
    expect(phone.locator("#watch")).to_contain_text("Watching")
    client.post("/act", {"event": "pause"})
    until(lambda: len((client.get("/state").json["board"] or {}).get("pieces", ())) == len(hall.rack))
    for piece in client.get("/state").json["board"]["pieces"]:
        assert min(np.hypot(piece["x"] - at.x_mm, piece["y"] - at.y_mm) for at in hall.rack.values()) < 2
    with Journal(hall.folder / "state" / "journal.sqlite", read_only=True) as journal:
        assert [grade for _, grade in journal.calibrations()] == ["club"]
    assert hall.stage.children["eyes"].starts == 1, "the eyes took it without being started anew"
    phone.click("dialog >> text=Undo")
    until(lambda: hall.file.read_bytes() == first)
    until(lambda: (client.get("/state").json["set_up"] or {}).get("busy") == "")


def test_pictures_that_are_not_what_is_wanted_are_refused_with_what_and_how(hall: Hall, phone: Page):
    client, first = hall.client, hall.file.read_bytes()
    hall.show(hall.rack)
    phone.click("dialog >> text=Begin")
    title(phone, "the empty board")
    phone.click("dialog >> text=The board is empty")
    expect(says(phone)).to_contain_text("pieces lie on the board", timeout=JUDGED_MS)
    expect(says(phone)).to_contain_text("take all pieces off, then tap again")
    expect(phone.locator("dialog img")).to_be_visible()
    hall.show({})
    phone.click("dialog >> text=The board is empty")
    title(phone, "the pack")
    expect(says(phone)).to_have_count(0)
    # An opening that is none: three pieces, somewhere.
    strewn = {name: Pose(-200.0 + 150.0 * k, 160.0, 0.0, 0.0) for k, name in enumerate(list(hall.rack)[:3])}
    hall.show(strewn)
    phone.click("dialog >> text=The pack is there")
    expect(says(phone)).to_contain_text("opening", timeout=JUDGED_MS)
    assert "--" not in says(phone).inner_text(), "nobody at a phone has options"
    # The south seat sits at another edge: the same picture is looked at again.
    phone.click("dialog >> text=turn by one side")
    expect(phone.locator("dialog")).to_contain_text("South sits at the left", timeout=JUDGED_MS)
    expect(phone.locator("dialog button.first")).to_be_enabled(timeout=JUDGED_MS)
    phone.click("dialog >> text=Leave it as it was")
    until(lambda: hall.sees(client) == "ok")
    assert hall.file.read_bytes() == first
    # With a board in play it is the umpire's own word that takes the camera away.
    client.post("/act", {"event": "resume"})
    assert client.get("/state").json["score"]["state"] == "playing"
    refused = client.post("/camera", {"do": "begin"})
    assert (refused.status, "a board is in play" in refused.json["error"]) == (409, True)


def test_a_power_cut_between_the_two_pictures_leaves_the_calibration_that_was(hall: Hall, phone: Page):
    first = hall.file.read_bytes()
    phone.click("dialog >> text=Begin")
    title(phone, "the empty board")
    phone.click("dialog >> text=The board is empty")
    title(phone, "the pack")
    (hall.folder / "state" / "http-port").unlink()
    for name in ("daemon", "eyes"):
        hall.stage.kill(name)
    client = hall.client
    until(lambda: hall.sees(client) == "ok")
    assert hall.file.read_bytes() == first
    until(lambda: (client.get("/state").json["set_up"] or {}).get("step") == "off")
    until(lambda: client.post("/camera", {"do": "begin"}).status == 200)
    until(lambda: (client.get("/state").json["set_up"] or {}).get("step") == "empty")
