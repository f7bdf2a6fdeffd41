"""The example of a display in the documents, as somebody would run it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from controller.commands.demo.leash import leashed
from controller.mqtt.client import Broker, TableClient
from controller.mqtt.payloads import Clock
from controller.mqtt.scoreboard import score
from tests.mqtt.rulings import INFO, ruling
from tests.patience import PATIENCE_S

DISPLAY = Path(__file__).parents[2] / "docs" / "examples" / "display.py"


@pytest.mark.broker
def test_a_display_of_a_few_lines_shows_the_score_and_that_the_table_is_away(mosquitto):
    table = TableClient(Broker("127.0.0.1", mosquitto.port), "table1")
    clock = Clock(running=True, left=3.0, limit=15.0)
    table.publish_score(score(ruling(score={"south": 12, "north": 7}), INFO, 1.0, clock=clock))
    table.start()
    assert table.wait_for(lambda state: state.connected, PATIENCE_S)
    command = leashed([sys.executable, str(DISPLAY), f"127.0.0.1:{mosquitto.port}", "table1"])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as display:
        try:
            whole = ("north", "clock", "queen board")
            line = next(line for line in display.stdout if all(word in line for word in whole))
            assert ">south 12   north 7" in line
            table.stop()
            assert "table is away" in next(line for line in display.stdout if "away" in line)
        finally:
            display.kill()
            table.stop()
