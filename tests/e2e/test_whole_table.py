"""The whole table, end to end: real processes, real pictures, real bytes, a real broker, a real browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

from tests.e2e.conftest import standing
from tests.e2e.interrupted import InterruptedShow, perform
from tests.web.conftest import ARGS

SCHEMAS = Path(__file__).parents[2] / "controller" / "events" / "schemas"


class Listener:
    """Hears everything below a table's topics, over MQTT 5, with what was retained."""

    def __init__(self, port: int) -> None:
        self.heard: list[tuple[str, bytes, bool]] = []
        self.news = threading.Condition()
        self.client = paho.Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
        self.client.on_message = self._message
        self.client.on_connect = lambda client, *_: client.subscribe(
            "carrom/demo/#", options=SubscribeOptions(qos=1, retainAsPublished=True)
        )
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def _message(self, _client: object, _data: object, message: paho.MQTTMessage) -> None:
        with self.news:
            self.heard.append((message.topic.removeprefix("carrom/demo/"), message.payload, message.retain))
            self.news.notify_all()

    def bodies(self, topic: str) -> list[dict]:
        with self.news:
            return [json.loads(body) for name, body, _ in self.heard if name == topic and body]

    def stop(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@dataclass(frozen=True)
class Watched:
    """Three strokes, as a browser and a client of the broker had them. `texts`: the page's, before and after;
    `failures`: what went wrong in it."""

    show: InterruptedShow
    heard: Listener
    texts: tuple[str, str]
    failures: list[str]
    picture: Path


@pytest.fixture(scope="module")
def watched(calibration: Path, tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Two who watch cost no more strokes than one."""
    from playwright.sync_api import sync_playwright

    folder = tmp_path_factory.mktemp("watched")
    # The picture in the README is this one; it is written there only when asked for.
    asked = os.environ.get("CARROM_PICTURES")
    picture = Path(asked) / "demo.png" if asked else folder / "demo.png"
    with standing(calibration, folder, seed=7) as stands, sync_playwright() as driver:
        listener = Listener(stands.broker.port)
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=ARGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        failures: list[str] = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(stands.url)
        page.wait_for_selector("svg circle")
        before = page.inner_text("body")
        show = perform(stands, shots=3)
        page.wait_for_function("before => document.body.innerText !== before", arg=before)
        after = page.inner_text("body")
        page.screenshot(path=str(picture))
        browser.close()
        listener.stop()
    return Watched(show, listener, (before, after), failures, picture)


@pytest.mark.broker
@pytest.mark.slow
def test_a_table_is_heard_by_any_client_as_the_formats_say(watched: Watched) -> None:
    listener = watched.heard
    assert len(watched.show.tally.strokes) == 3
    names = [topic for topic, _, _ in listener.heard]
    for topic in ("score", "shot", "ruling", "health", "board", "alert"):
        assert topic in names, f"nothing was heard on {topic}"
        schema = json.loads((SCHEMAS / f"mqtt-{topic}.json").read_text())
        for body in listener.bodies(topic):
            jsonschema.validate(body, schema)
    retained = {topic: kept for topic, _, kept in listener.heard}
    assert retained["score"]
    assert retained["availability"]
    assert retained["score/turn"]
    assert not retained["shot"]
    assert not retained["ruling"]
    shots = [body for body in listener.bodies("ruling") if body["event"] == "shot"]
    assert all(ruling["cites"] or ruling["fouls"] for ruling in shots), "a ruling cites its clauses"


@pytest.mark.live
@pytest.mark.slow
def test_the_demo_ends_by_itself_with_a_summary_and_no_silent_error() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "controller.cli",
            "demo",
            *["--headless", "--shots", "6", "--speed", "max", "--seed", "7"],
        ],
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for says in (
        "6 strokes were played;",
        "Nothing went wrong without being noticed.",
        "No foul was called that was none.",
    ):
        assert says in done.stdout
    assert "http://127.0.0.1:" in done.stdout


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize(
    "after", ["Ctrl-C ends it.", "The camera is ready"], ids=["while it is set up", "while it is played"]
)
def test_ctrl_c_ends_the_demo_and_everything_it_started(after: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "controller.cli",
        "demo",
        "--headless",
        "--seed",
        "7",
        "--keep",
        str(tmp_path / "k"),
    ]
    demo = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert demo.stdout is not None
    for line in demo.stdout:
        if line.startswith(after):
            break
    demo.send_signal(signal.SIGINT)
    said, complained = demo.communicate(timeout=120)
    assert demo.returncode in (0, 130)
    assert "Traceback" not in complained
    if demo.returncode == 0:
        assert "0 strokes were played until you stopped it" in said
    assert processes_that_name(str(tmp_path)) == []


def processes_that_name(text: str) -> list[str]:
    """Returns the command lines that hold a text."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            # It ended while we looked.
            continue
        if text in command:
            found.append(command)
    return found


@pytest.mark.browser
@pytest.mark.slow
def test_a_browser_sees_the_score_change(watched: Watched) -> None:
    assert watched.failures == []
    assert watched.texts[0] != watched.texts[1]
    assert watched.picture.stat().st_size > 20_000
