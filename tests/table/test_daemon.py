"""The daemon as a process: from a beam and a stroke to broker and page, and out again when it is asked to end."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from controller.journal.journal import Journal
from tests.mqtt.broker import MOSQUITTO
from tests.table.wired import wired

needs_broker = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed")


@needs_broker
@pytest.mark.broker
@pytest.mark.slow
def test_a_stroke_goes_from_the_eyes_to_journal_broker_and_page(tmp_path) -> None:
    with wired(tmp_path) as table, table.looking():
        start = {"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}, "first": "south"}
        table.act(start | {"position": {"turn": "south", "break_done": True}})
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
        assert state["shot"]["seat"] == "south"
        assert state["score"]["turn"] == "north"
        assert {"watched", "on call"} <= {row["how"] for row in state["watched"]}
        table.daemon.send_signal(signal.SIGTERM)
        assert table.daemon.wait(20) == 0
        with Journal(tmp_path / "state" / "journal.sqlite", read_only=True) as journal:
            entries = journal.events(journal.latest_match())
        assert [entry.event["event"] for entry in entries] == ["start", "shot"]
        assert table.ear.texts("carrom/wired/availability")[-1] == "offline"


@needs_broker
@pytest.mark.broker
@pytest.mark.slow
def test_a_second_daemon_on_the_same_journal_is_one_line(tmp_path) -> None:
    with wired(tmp_path):
        command = [sys.executable, "-m", "controller.cli", "run", "--config", str(tmp_path / "carrom.toml")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    (line,) = [one for one in done.stderr.splitlines() if "Mend:" in one]
    assert "another carrom is writing it" in line
    assert "Traceback" not in done.stderr
