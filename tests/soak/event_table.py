"""A table of the soaked event, in a process of its own that may be killed: it plays what it is told to, and goes on
with what its file has when it is started again, as the daemon goes on with its journal.

`python -m tests.soak.event_table PORT TABLE FOLDER`; each line on its standard input is a fixture to play, as JSON.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from random import Random

from controller.mqtt.broker import Broker
from controller.mqtt.client import TableClient
from controller.mqtt.payloads import Health
from controller.mqtt.scoreboard import MatchInfo, result, score
from controller.table.process.daemon import HEALTH_SECONDS
from tests.mqtt.rulings import ruling

LASTS_S = (2.0, 8.0)


class EventTable:
    def __init__(self, port: int, table: str, folder: Path) -> None:
        self._table, self._file = table, folder / f"{table}.json"
        self._client = TableClient(Broker("127.0.0.1", port), table, announce=False)
        self._match = json.loads(self._file.read_text()) if self._file.exists() else None
        self._lock = threading.Lock()

    def run(self) -> None:
        self._publish()
        self._client.start()
        threading.Thread(target=self._told, daemon=True).start()
        while True:
            self._client.publish_health(Health(time.time(), "armed", "ok", "ok", "up", "ok"))
            until = time.monotonic() + HEALTH_SECONDS
            while time.monotonic() < until:
                time.sleep(0.1)
                self._play_on()

    def _told(self) -> None:
        for line in sys.stdin:
            fixture = json.loads(line)
            with self._lock:
                if self._match is not None and self._match["ended"] is None:
                    continue
                began = time.time()
                lasts = Random(f"{fixture['key']}").uniform(*LASTS_S)
                self._keep({**fixture, "began": began, "ends": began + lasts, "ended": None})
                self._publish()

    def _play_on(self) -> None:
        with self._lock:
            if self._match is not None and self._match["ended"] is None and time.time() >= self._match["ends"]:
                self._keep({**self._match, "ended": time.time()})
                with self._file.with_suffix(".played").open("a") as played:
                    played.write(f"{self._match['key']}\n")
                self._publish()

    def _keep(self, match: dict) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(match))
        fresh.replace(self._file)
        self._match = match

    def _publish(self) -> None:
        """Written down first, then said."""
        if self._match is None:
            return
        one, over = self._match, self._match["ended"] is not None
        sides = {"south": {"south": one["south"]}, "north": {"north": one["north"]}}
        info = MatchInfo(self._table, f"m-{one['began']}", "icf", sides, fixture=one["key"])
        last = ruling(seq=9, match_over=over, winner=one["wins"] if over else None)
        self._client.publish_score(score(last if over else ruling(seq=2), info, time.time()))
        if over:
            history = [(one["began"], {}, ruling(seq=1)), (one["ended"], {}, last)]
            self._client.publish_result(result(info, history))


if __name__ == "__main__":
    EventTable(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])).run()
