"""The example of a display in the documents, as somebody would run it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from controller.commands.demo.leash import leashed
from controller.mqtt.client import Broker, TableClient
from controller.mqtt.payloads import Clock
from controller.mqtt.scoreboard import score
from tests.mqtt.beating import beating
from tests.mqtt.rulings import INFO, ruling
from tests.patience import PATIENCE_S

DISPLAY = Path(__file__).parents[2] / "docs" / "examples" / "display.py"


@pytest.fixture
def display(mosquitto):
    """Starts it; what it prints, line by line."""
    command = leashed([sys.executable, str(DISPLAY), f"127.0.0.1:{mosquitto.port}", "table1"])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        limit = threading.Timer(PATIENCE_S, program.kill)
        limit.start()
        yield program.stdout
        limit.cancel()
        program.kill()


SCORE = score(ruling(score={"south": 12, "north": 7}), INFO, 1.0, clock=Clock(running=True, left=3.0, limit=15.0))


@pytest.mark.broker
def test_a_display_of_a_few_lines_shows_the_score_and_that_the_table_is_away(mosquitto, display):
    table = TableClient(Broker("127.0.0.1", mosquitto.port), "table1")
    table.publish_score(SCORE)
    table.start()
    try:
        with beating(table):
            assert ">south 12   north 7  clock 3  queen board\n" in display
        table.stop()
        assert "table is away\n" in display
    finally:
        table.stop()


@pytest.mark.broker
@pytest.mark.slow
def test_the_display_goes_by_the_age_of_the_tables_health_too(mosquitto, display):
    table = TableClient(Broker("127.0.0.1", mosquitto.port), "table1")
    table.publish_score(SCORE)
    table.start()
    try:
        with beating(table):
            assert ">south 12   north 7  clock 3  queen board\n" in display
        # The table stays connected, and says nothing any more.
        assert "table is away\n" in display
    finally:
        table.stop()
