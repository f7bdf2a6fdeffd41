"""Requests by the OpenAPI description at a real daemon, as stranger and as umpire, beside two hundred slow clients.

CARROM_SOAK_OPENAPI_S: how long (ten minutes by default), CARROM_SOAK_OPENAPI_SEED: which requests. At its end the table
still answers, has no part in trouble and no traceback, and its journal rules again to the same.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from collections import Counter

import pytest

from tests.table.wired import PIN, wired
from tests.web.by_schema import try_everything
from tests.web.client import Client
from tests.web.slow_clients import slow_clients

LASTS_S = float(os.environ.get("CARROM_SOAK_OPENAPI_S", "600"))
SEED = int(os.environ.get("CARROM_SOAK_OPENAPI_SEED", "23"))
EXAMPLES = 60

pytestmark = [pytest.mark.soak, pytest.mark.broker, pytest.mark.timeout(LASTS_S + 900)]


def test_whatever_is_sent_to_a_real_table_is_answered_as_described(tmp_path):
    with wired(tmp_path) as table, table.looking(), slow_clients(table.page.port, 200):
        until, answered = time.monotonic() + LASTS_S, Counter[int]()
        for number in itertools.count():
            if time.monotonic() >= until:
                break
            client = Client(table.page.port)
            told = try_everything(
                client,
                EXAMPLES,
                umpire=number % 2 == 0,
                pin=PIN,
                chance=SEED + number,
                goes_on=lambda: time.monotonic() < until,
            )
            answered.update(told)
            assert table.daemon.poll() is None, "the daemon has ended"
        print(f"\n{number} times through, {answered.total()} requests: {dict(sorted(answered.items()))}")
        assert {200, 400, 401, 403, 404, 409} <= set(answered)
        # Somebody has guessed the PIN for minutes: who has given it before is let in all the same.
        state = table.page.get("/state")
        assert state.status == 200
        assert b"part-" not in state.body
        assert "error" not in table.act({"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}})
    assert b"Traceback" not in (tmp_path / "daemon.log").read_bytes()
    again = subprocess.run(
        [sys.executable, "-m", "controller.cli", "replay", str(tmp_path / "state" / "journal.sqlite")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stdout[-2000:] + again.stderr[-2000:]
