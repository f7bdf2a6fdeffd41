"""The daemon as a process: from a beam and a stroke to broker and page, and out again when it is asked to end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import sys
import time

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.commands.demo.leash import leashed
from controller.events.observation import EyesHealth
from controller.journal.journal import Journal
from controller.table.desk.desk import Request
from controller.table.process.daemon import finish
from tests.mqtt.broker import free_port
from tests.patience import PATIENCE_S
from tests.table.kit import run, scene
from tests.table.wired import wired
from tests.web.client import Client
from tests.web.hall import until

START = {"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}, "first": "south"}


@pytest.mark.broker
@pytest.mark.slow
def test_a_match_is_begun_by_a_call_over_the_broker(tmp_path) -> None:
    with wired(tmp_path) as table, table.looking():
        before = table.page.get("/state").json["score"]["match"]
        heard = len(table.ear.heard)
        reply = "carrom/wired/reply/club"
        table.ear.publish("carrom/wired/call", START | {"id": "one", "t": time.time()}, reply=reply)
        assert json.loads(table.ear.wait_for(reply))["event"] == "start"
        score, _ = table.until("score", lambda body: body["match"] != before, heard)
        assert [side["seats"] for side in score["sides"]] == [{"south": "A"}, {"north": "B"}]
        table.until("health", lambda body: body["broker_at"] == f"127.0.0.1:{table.broker.port}")


@pytest.mark.broker
@pytest.mark.slow
def test_a_table_says_whether_its_display_is_there(tmp_path) -> None:
    with wired(tmp_path, "display = true\n") as table:
        table.until("health", lambda body: body["display"] == "none")
        heard, stream = len(table.ear.heard), table.page.stream("/events?display")
        next(stream)
        table.until("health", lambda body: body["display"] == "on", heard)
        stream.close()


@pytest.mark.broker
@pytest.mark.slow
def test_who_takes_the_tables_place_at_the_broker_stands_as_a_warning(tmp_path) -> None:
    with wired(tmp_path) as table:
        stranger = paho.Client(CallbackAPIVersion.VERSION2, client_id="carrom-wired", protocol=5)
        stranger.connect("127.0.0.1", table.broker.port)
        stranger.loop_start()
        try:
            told, _ = table.until("alert/broker-taken", lambda body: True)
        finally:
            stranger.disconnect()
            stranger.loop_stop()
        assert (told["level"], "does another carrom use the table id wired?" in told["says"]) == ("warning", True)
        assert "as this table" in table.page.get("/state").json["health"]["says"]


@pytest.mark.broker
@pytest.mark.slow
def test_a_stroke_goes_from_the_eyes_to_journal_broker_and_page(tmp_path) -> None:
    with wired(tmp_path) as table, table.looking():
        table.act(START | {"position": {"turn": "south", "break_done": True}})
        table.rest()
        heard = len(table.ear.heard)
        table.node.beam("NE", "upper", True, time.monotonic_ns())
        fell, _ = table.until("alert", lambda body: body["says"] == "fell: NE", heard)
        assert fell["level"] == "info"
        table.node.beam("NE", "upper", False, time.monotonic_ns())
        table.table.now = time.monotonic_ns() - 3 * 10**9
        stroke, _ = table.table.stroke(())
        table.say(stroke)
        ruling, _ = table.until("ruling", lambda body: body["event"] == "shot", heard)
        assert ruling["saved"] is True
        assert ruling["turn"] == "north"
        state = table.page.get("/state").json
        # The test's broker takes anybody's word: that stands as a warning, tried by the daemon itself.
        told, _ = table.until("umpire/alert/broker-open", lambda body: True)
        assert told["level"] == "warning"
        assert told["says"].startswith("anybody may write on the broker: carrom/wired/call ")
        assert state["shot"]["seat"] == "south"
        assert state["score"]["turn"] == "north"
        assert {"watched", "on call"} <= {row["how"] for row in state["watched"]}
        table.daemon.send_signal(signal.SIGTERM)
        assert table.daemon.wait(PATIENCE_S) == 0
        with Journal(tmp_path / "state" / "journal.sqlite", read_only=True) as journal:
            entries = journal.events(journal.latest_match())
        assert [entry.event["event"] for entry in entries] == ["start", "shot"]
        assert table.ear.texts("carrom/wired/availability")[-1] == "offline"


@pytest.mark.broker
@pytest.mark.slow
def test_eyes_that_are_gone_stay_gone_whatever_they_said_last(tmp_path) -> None:
    with wired(tmp_path) as table, table.looking():
        table.act(START | {"position": {"turn": "south", "break_done": True}})
        table.rest()
        table.table.now = time.monotonic_ns() - 3 * 10**9
        stroke, _ = table.table.stroke(())
        heard = len(table.ear.heard)
        now = time.monotonic_ns()
        # While the stroke is being written down they hang up: their last words are looked at after that.
        table.say(stroke, *(EyesHealth(now + number, "ok", now, "match", fps=float(number)) for number in range(50)))
        table.eyes.close()
        gone, _ = table.until("health", lambda body: body["camera"] == "away", heard)
        assert gone["armed"] == "degraded"
        # Whatever was said before has been taken in by the time this is answered.
        assert table.act({"event": "pause"})["event"] == "pause"
        health = table.page.get("/state").json["health"]
        assert (health["camera"], health["armed"]) == ("away", "degraded")


@pytest.mark.broker
@pytest.mark.slow
def test_a_second_daemon_on_the_same_journal_is_one_line(tmp_path) -> None:
    with wired(tmp_path):
        command = [sys.executable, "-m", "controller.cli", "run", "--config", str(tmp_path / "carrom.toml")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, "the other may be just ending: it is tried again"
    (line,) = [one for one in done.stderr.splitlines() if "Fix:" in one]
    assert "another carrom is writing it" in line
    assert "Traceback" not in done.stderr


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


@pytest.mark.live
def test_a_table_whose_card_cannot_be_written_starts_and_says_so(tmp_path) -> None:
    state, port = tmp_path / "state", free_port()
    state.write_text("no folder can be made here")
    (tmp_path / "pin").write_text("314159")
    (tmp_path / "carrom.toml").write_text(
        f'[table]\nid = "worn"\nruntime = "{tmp_path / "run"}"\nstate = "{state}"\n[camera]\nkind = "none"\n'
        f'[pockets]\nkind = "none"\n[mqtt]\nenabled = false\n'
        f'[web]\nhost = "127.0.0.1"\nport = {port}\npin_file = "{tmp_path / "pin"}"\n'
    )
    command = [sys.executable, "-m", "controller.cli", "run", "--config", str(tmp_path / "carrom.toml")]
    with subprocess.Popen(leashed(command), stderr=subprocess.DEVNULL) as daemon:
        page = Client(port)
        until(lambda: answers(port))
        page.login("314159")
        assert "cannot be written" in page.get("/state").json["health"]["journal"]
        assert page.post("/act", {"event": "pause"}).json["saved"] is False
        state.unlink()
        until(lambda: page.get("/state").json["health"]["journal"] == "ok")
        assert page.post("/act", {"event": "resume"}).json["saved"] is True
        daemon.terminate()
        assert daemon.wait(PATIENCE_S) == 0
    with Journal(state / "journal.sqlite", read_only=True) as journal:
        events = [entry.event["event"] for entry in journal.events(journal.latest_match())]
    assert events == ["start", "pause", "resume"]


def test_what_has_come_in_is_still_ruled_on_when_the_daemon_ends(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            loop = asyncio.get_running_loop()
            work, ticks = loop.create_task(at.desk.work()), loop.create_task(at.desk.tick())
            asked = [Request({"event": word}, "web:1", loop.create_future()) for word in ("pause", "resume") * 3]
            for request in asked:
                at.desk.inbox.put_nowait(request)
            await finish(at.desk, work, ticks)
            assert all(request.answer.done() for request in asked)
            at.desk.scribe.stop()
            assert [entry.event["event"] for entry in at.entries] == ["start", *(one.event["event"] for one in asked)]
            # A slow disk has one told early, and again once it is saved.
            assert {ruling["seq"] for ruling in at.heard.of("ruling")} == set(range(2, len(asked) + 2))

    run(story())
