"""An event of two days on 20 tables while broker, hub and tables are killed: in the end every fixture's state and
result is right in day and season, and nothing was called once it was played. Half of the matches have a table of their
own, the others are played on the next free one.

CARROM_SOAK_KILLS: how many; CARROM_SOAK_SEED: of all that is chance. The broker keeps nothing over its kills, as after
a power cut.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random

import pytest

from controller.commands.demo.leash import leashed
from controller.commands.fixtures import topics_of
from controller.hub.fixtures import by_table
from controller.hub.fixtures_sheet import read_fixtures
from controller.hub.publishing import publish
from controller.hub.season_at import season_at
from controller.mqtt.broker import Broker
from tests.mqtt.broker import MOSQUITTO, Mosquitto, free_port
from tests.web.client import Client

KILLS = int(os.environ.get("CARROM_SOAK_KILLS", "200"))
SEED = os.environ.get("CARROM_SOAK_SEED", "1")
LONGEST_S = 600 + 4 * KILLS
TABLES = [f"table{number}" for number in range(1, 21)]
BRACKETS = 5
"""Of eight players, each day."""
POLL_S = 0.25
COME_S = 1.0
"""So long a call must stand until anybody sits down."""
BETWEEN_BROKERS_S = 15.0
"""So long at least the broker lives: a hall whose power fails all the time plays nothing."""

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(LONGEST_S + 120),
    pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed"),
]


def sheet(chance: Random) -> str:
    """Two days of knock-outs of eight."""
    lines = ["date,time,table,event,round,id,south,north"]
    for day in (datetime.now() - timedelta(days=1), datetime.now()):
        for number in range(BRACKETS):
            event = f"{day:%d}-{number}"
            people = [f"Player {number}-{one}" for one in range(8)]
            pairs = [("QF", *people[2 * one : 2 * one + 2]) for one in range(4)]
            pairs += [("SF", f"winner {event} QF1", f"winner {event} QF2")]
            pairs += [("SF", f"winner {event} QF3", f"winner {event} QF4")]
            pairs += [("F", f"winner {event} SF1", f"winner {event} SF2")]
            seen = Counter[str]()
            for name, south, north in pairs:
                seen[name] += 1
                table = chance.choice([chance.choice(TABLES), ""])
                lines.append(f"{day:%Y-%m-%d},00:01,{table},{event},{name},{event} {name}{seen[name]},{south},{north}")
    return "\n".join(lines) + "\n"


class Killed:
    """A process that is killed outright and started again."""

    def __init__(self, *command: str) -> None:
        self._command = [sys.executable, "-m", *command]
        self.start()

    def start(self) -> None:
        self.child = subprocess.Popen(
            leashed(self._command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def kill(self) -> None:
        self.child.kill()
        self.child.wait()

    def tell(self, line: str) -> None:
        with contextlib.suppress(OSError):
            self.child.stdin.write(f"{line}\n")
            self.child.stdin.flush()


class Event:
    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.chance = Random(SEED)
        self.broker = Mosquitto(folder).start()
        stack.callback(self.broker.kill)
        self.port, self.season = free_port(), folder / "season.sqlite"
        config = folder / "hub.toml"
        config.write_text(
            f'[mqtt]\nhost = "127.0.0.1"\nport = {self.broker.port}\n'
            f'[web]\nhost = "127.0.0.1"\nport = {self.port}\n[hub]\nseason = "{self.season}"\n'
        )
        self.hub = Killed("controller.cli", "hub", "--config", str(config))
        stack.callback(self.hub.kill)
        self.tables = {
            table: Killed("tests.soak.event_table", str(self.broker.port), table, str(folder)) for table in TABLES
        }
        stack.callback(lambda: [one.kill() for one in self.tables.values()])
        self.fixtures = read_fixtures(sheet(self.chance))
        publish(Broker("127.0.0.1", self.broker.port), partial(topics_of, by_table(self.fixtures)))
        self.folder = folder
        self.kills = Counter[str]()
        self.wins: dict[str, str] = {}
        """By key: the side that wins."""
        self.done: dict[str, str] = {}
        """By key: who won, as the day has shown it."""
        self.twice: list[str] = []
        self._called_since: dict[str, float] = {}
        self._broker_back = 0.0

    def day(self) -> dict | None:
        """What the hub says of the day, None while it says nothing."""
        try:
            answer = Client(self.port).get("/day/state")
            return answer.json if answer.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def people(self) -> None:
        """Whoever is called sits down and plays."""
        if (day := self.day()) is None:
            self._called_since.clear()
            return
        now = time.monotonic()
        self.done |= {row["fixture"]: row["winner"] for row in day["results"] if row["fixture"]}
        called = {one["fixture"]: one for one in day["next"] if one["stage"] == "called"}
        self._called_since = {key: self._called_since.get(key, now) for key in called}
        for key, since in self._called_since.items():
            if now - since < COME_S:
                continue
            if key in self.done:
                self.twice.append(key)
                continue
            one = called[key]
            wins = self.wins.setdefault(key, Random(f"{SEED} {key}").choice(["south", "north"]))
            told = {"key": key, **{seat: one["seats"][seat] for seat in ("south", "north")}, "wins": wins}
            self.tables[one["table"]].tell(json.dumps(told))

    def kill_one(self) -> None:
        """Kills somebody; who was killed is back at once, or a moment later."""
        now = time.monotonic()
        who = self.chance.choices(["table", "hub", "broker"], [6, 3, 1])[0]
        if who == "broker" and now - self._broker_back < BETWEEN_BROKERS_S:
            who = "table"
        self.kills[who] += 1
        away_s = self.chance.uniform(0.0, 1.0)
        one = self.broker if who == "broker" else self.hub if who == "hub" else self.tables[self.chance.choice(TABLES)]
        one.kill()
        time.sleep(away_s)
        one.start()
        if who == "broker":
            self._broker_back = time.monotonic()


def test_a_two_day_event_is_right_however_often_somebody_is_killed(tmp_path):
    with contextlib.ExitStack() as stack:
        event = Event(tmp_path, stack)
        until, next_kill = time.monotonic() + LONGEST_S, time.monotonic() + 10.0
        while len(event.done) < len(event.fixtures) or sum(event.kills.values()) < KILLS:
            assert time.monotonic() < until, (len(event.done), event.kills, event.day())
            time.sleep(POLL_S)
            event.people()
            if time.monotonic() >= next_kill and sum(event.kills.values()) < KILLS:
                event.kill_one()
                next_kill = time.monotonic() + event.chance.uniform(0.2, 2.0)
        print(f"\nkilled {dict(event.kills)}, {len(event.done)} fixtures, seed {SEED}")
        # A hub that was killed last has to be told of it all.
        while (day := event.day()) is None or day["next"] or len(day["results"]) < len(event.fixtures):
            assert time.monotonic() < until, day
            time.sleep(POLL_S)
        played = Counter(line for file in tmp_path.glob("*.played") for line in file.read_text().split())
        assert event.twice == []
        assert [key for key, times in played.items() if times > 1] == []
        shown = {row["fixture"]: row for row in day["results"] if row["fixture"]}
        assert shown.keys() == played.keys() == event.wins.keys()
        assert len(shown) == len(event.fixtures)
        for key, row in shown.items():
            assert row["winner"] == row["side 1" if event.wins[key] == "south" else "side 2"]
        # Each later round was played by those who had won.
        winners = {row["id"]: row["winner"] for row in shown.values()}
        waited = {one.id: one.awaits for one in event.fixtures if one.awaits}
        for row in shown.values():
            for seat, text in waited.get(row["id"], {}).items():
                earlier = re.fullmatch("winner (.*)", text)[1]
                assert row["side 1" if seat == "south" else "side 2"] == winners[earlier]
        kept = Counter(one.result.fixture for one in season_at(event.season).matches())
        assert {key: times for key, times in kept.items() if times != 1} == {}
        assert kept.keys() == played.keys()
