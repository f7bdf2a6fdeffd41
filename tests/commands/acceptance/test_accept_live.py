"""The acceptance tied together: an emulated node on its port, drawn pictures, the phone's page over HTTP."""

from __future__ import annotations

import io
import json
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from calibration.board import DEFAULT_BOARD
from controller.cli import main
from controller.commands.accept import conduct
from controller.commands.acceptance.page import Page
from controller.commands.acceptance.plan import steps_of
from controller.commands.acceptance.sensors import Looker, beams_of
from controller.commands.acceptance.session import LOOKS, Acceptance, Button, Guidance
from controller.config import load_config
from controller.events.beams import Beam
from controller.events.errors import DeviceError
from controller.events.words import Pocket
from controller.simulator.node import EmulatedNode
from controller.vision.calibration_file import save
from controller.vision.sources.frame import Frame
from tests.commands.acceptance.drawn_table import drawn_table
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.live

MS = 1_000_000
MM = DEFAULT_BOARD.striker_diameter_mm
PLAN = steps_of(DEFAULT_BOARD, (MM, MM), 1.0, beams=True)
SHORT = [PLAN[0], PLAN[1], *[step for step in PLAN if step.pocket in ("NE", "SW")], PLAN[-1]]
"""One placement and two pockets."""


@pytest.fixture
def page() -> Iterator[Page]:
    page = Page(DEFAULT_BOARD, "127.0.0.1", 0)
    page.served.start()
    yield page
    page.served.stop()


def asked(url: str, *, post: bool = False) -> bytes:
    request = urllib.request.Request(url, method="POST" if post else "GET")
    with urllib.request.urlopen(request, timeout=30) as answer:
        body: bytes = answer.read()
    return body


def accepted(folder: Path, page: Page, lost: str = "") -> Acceptance:
    """A person drops what is asked for and presses on the phone; the beams of pocket `lost` miss a coin."""
    node = EmulatedNode(time.monotonic_ns)
    node.start()
    file = folder / "carrom.toml"
    file.write_text(
        f'[table]\nstate = "{folder}"\nruntime = "{folder}"\n[pockets]\nport = "{node.port}"\n[camera]\nkind = "none"\n'
    )
    table, acceptance, numbers = drawn_table(), Acceptance(SHORT, {}), iter(range(1_000_000))
    waiting, falling = {"for": -1}, deque[tuple[int, Pocket, Beam, bool]]()
    ends = time.monotonic() + PATIENCE_S

    def tell(said: Guidance) -> None:
        page.tell(said)
        page.show(acceptance)
        step = acceptance.step
        if said.kind == "do" and step is not None and step.pocket is not None:
            waiting["for"] = 5 - (step.pocket == lost)
            first = time.monotonic_ns()
            falling.extend(
                (first + (coin * 400 + after) * MS, step.pocket, beam, blocked)
                for coin in range(waiting["for"])
                for after, beam, blocked in (
                    (0, "upper", True), (8, "lower", True), (14, "upper", False), (22, "lower", False)
                )
            )  # fmt: skip
        if acceptance.step is not None and acceptance.coins == waiting["for"]:
            waiting["for"] = -1
            asked(f"{page.url}done", post=True)

    def newest() -> Frame | None:
        assert time.monotonic() < ends, acceptance.step
        while falling and falling[0][0] <= time.monotonic_ns():
            at_ns, *edge = falling.popleft()
            node.beam(*edge, at_ns)
        step = acceptance.step
        if step is None or step.kind == "coins":
            return None
        picture = table.dark() if step.kind == "lamps off" else table.picture(step.spots)
        number = next(numbers)
        return Frame(number, number, bgr=picture)

    def pressed() -> Button | None:
        return None if page.pressed.empty() else page.pressed.get()

    try:
        with beams_of(load_config(file)) as beams:
            conduct(acceptance, Looker(table.calibration), newest, beams, pressed, tell, lambda: None)
    finally:
        node.stop()
    return acceptance


def test_a_node_pictures_and_a_phone_make_an_acceptance(tmp_path: Path, page: Page) -> None:
    acceptance = accepted(tmp_path, page)
    assert set(acceptance.measured) == {step.id for step in SHORT}
    assert [one.counted.counted for one in acceptance.measured.values() if one.counted] == [5, 5]
    assert all(one.tries == 1 for one in acceptance.measured.values())
    state = json.loads(asked(f"{page.url}state.json"))
    assert (state["at"], state["do"]) == ("", "")
    assert b"Acceptance of the table" in asked(page.url)


def test_a_coin_that_the_beams_missed_fails_its_pocket(tmp_path: Path, page: Page) -> None:
    counted = accepted(tmp_path, page, lost="SW").measured["coins SW"]
    assert (counted.tries, counted.counted and counted.counted.counted) == (2, 4)


def test_who_does_not_know_the_word_gets_and_presses_nothing(page: Page) -> None:
    root = page.url.rsplit("/", 2)[0]
    for path, post in (("/", False), ("/state.json", False), ("/done", True), ("/wrong/done", True)):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            asked(root + path, post=post)
    assert page.pressed.empty()


@pytest.mark.slow
@pytest.mark.long
def test_the_whole_command_on_a_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, films = drawn_table(), tmp_path / "film"
    films.mkdir()
    looks = 0
    for step in steps_of(DEFAULT_BOARD, (41.3, 41.2), 199.8 / 200, beams=False):
        picture = table.dark() if step.kind == "lamps off" else table.picture(step.spots)
        shown = films / f"{looks:06}.jpg"
        cv2.imwrite(str(shown), picture, (cv2.IMWRITE_JPEG_QUALITY, 95))
        for other in range(1, LOOKS):
            (films / f"{looks + other:06}.jpg").hardlink_to(shown)
        looks += LOOKS
    save(tmp_path / "calibration.json", table.calibration)
    file = tmp_path / "carrom.toml"
    file.write_text(
        f'[table]\nstate = "{tmp_path}"\nruntime = "{tmp_path}"\n[pockets]\nkind = "none"\n[mqtt]\nenabled = false\n'
        f'[camera]\nkind = "folder"\npath = "{films}"\nshutter = "global"\n'
        f'calibration = "{tmp_path}/calibration.json"\n'
        '[web]\nhost = "127.0.0.1"\n'
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("what is no key\n"))
    words = ["accept", "--config", str(file), "--control", "199.8", "--strikers", "41.3", "41.2", "--http", "0"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "grade club; 80 placements" in said
    assert "not match: this table has no beams" in said
    made = Path(said.strip().splitlines()[-2])
    assert main(["accept", "--config", str(file), "--verify", str(made)]) == 0
    assert made.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert not (tmp_path / "acceptance" / "progress.json").exists()


def test_a_port_that_is_taken_is_said(page: Page) -> None:
    port = int(page.url.split(":")[2].split("/")[0])
    with pytest.raises(DeviceError, match="choose another --http"):
        Page(DEFAULT_BOARD, "127.0.0.1", port)
