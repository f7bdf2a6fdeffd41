"""A league's nodes and lines fail while its tables play: no ruling is lost or doubled at any hub, 30 s after it every
tile is right, and a minute after it every node has kept every result.

CARROM_SOAK_FAULT_S: how long a node or a venue's line is away, in seconds. Everything is on this machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from controller.commands.hub import Hub
from controller.config import WebSection
from controller.mqtt.broker import Broker
from controller.mqtt.client import TableClient
from controller.mqtt.nodes import kept_by
from controller.mqtt.scoreboard import history, result, score
from controller.table.desk.audience import RECENT
from tests.mqtt.beating import beating
from tests.mqtt.line import Line
from tests.mqtt.made_league import NATS, NODES, MadeLeague, Member, hall_of
from tests.mqtt.rulings import INFO, ruling
from tests.patience import PATIENCE_S
from tests.web.client import Client

FAULT_S = float(os.environ.get("CARROM_SOAK_FAULT_S", "60"))
STROKE_S = 1.0
RIGHT_S = 30.0
KEPT_S = 60.0
"""Within so long every node has what one of them confirmed and did not keep: each table publishes it again."""
LOOK_S = 0.25
MATCH = 5
"""So many strokes a match has."""
VENUES = {"aundh": ("aundh-1", "aundh-2"), "karve": ("karve-1",)}
TABLES = [table for tables in VENUES.values() for table in tables]
pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(900 + 4 * FAULT_S),
    pytest.mark.skipif(NATS is None, reason="nats-server is not installed"),
]


class Witness(Hub):
    """A hub that notes which rulings it receives, and how long it receives none."""

    def __init__(self, broker):
        self.rulings, self.longest_gap_s, self._last_s = set(), 0.0, time.monotonic()
        super().__init__(broker, WebSection(host="127.0.0.1", port=0))

    def _heard(self, topic, payload, retained):
        if topic.endswith("/history"):
            now = time.monotonic()
            self.longest_gap_s, self._last_s = max(self.longest_gap_s, now - self._last_s), now
            table = topic.split("/")[1]
            self.rulings |= {(table, one["seq"]) for one in json.loads(payload)["rulings"]}
        super()._heard(topic, payload, retained)

    def points(self):
        """What the tiles of the tables that are there show."""
        tiles = Client(self.port).get("/tables").json
        return {
            tile["table"]: max((side["points"] for side in tile["sides"]), default=-1)
            for tile in tiles
            if tile["online"]
        }

    def page(self, table):
        """The rulings on a table's own page, the oldest first."""
        return [one["seq"] for one in Client(self.port).get(f"/tables/{table}/state").json["rulings"]][::-1]


class Show:
    """The league, its halls and hubs; the tables play until `pause`."""

    def __init__(self, folder, stack):
        self.league = MadeLeague(folder)
        stack.callback(self.league.kill)
        self.league.start()
        # The first who comes has the nodes elect.
        Member(self.league, NODES[0], "desk").close()
        self.leader, self.line = self.league.leader(), Line(self.league.port)
        stack.callback(self.line.cut)
        self.clients = {}
        # One hall at the node that is to fail, one at another.
        firsts = (self.leader, NODES[self.leader == NODES[0]])
        for (venue, tables), first in zip(VENUES.items(), firsts, strict=True):
            (folder / venue).mkdir()
            hall = hall_of(self.league, folder / venue, venue, tables, first, self.line.port)
            stack.callback(hall.kill)
            hall.start()
            for table in tables:
                client = TableClient(Broker("127.0.0.1", hall.port, table, hall.password(table)), table)
                client.start()
                stack.callback(client.stop)
                stack.enter_context(beating(client))
                self.clients[table] = client
        self.hubs = [stack.enter_context(Witness(self.league.broker("hall", node))) for node in NODES]
        self.seqs, self._resting, self._ended = dict.fromkeys(TABLES, 0), set(), threading.Event()
        self._guard = threading.Lock()
        player = threading.Thread(target=self._play)
        player.start()
        stack.callback(player.join)
        stack.callback(self._ended.set)

    def _play(self):
        while not self._ended.wait(STROKE_S):
            with self._guard:
                for table, client in self.clients.items():
                    if table not in self._resting:
                        self.seqs[table] += 1
                        self._stroke(client, self.seqs[table])
                        if self.seqs[table] % MATCH == 0:
                            self._result(client, table, self.seqs[table])

    def _stroke(self, client, seq):
        now = time.time()
        told = [ruling(seq=one, score={"south": one, "north": 0}) for one in range(max(1, seq - RECENT + 1), seq + 1)]
        client.publish_score(score(told[-1], INFO, now))
        client.publish_history(history(INFO, [(now, one, INFO) for one in told], now))

    def _result(self, client, table, seq):
        """A match of a few strokes."""
        now, info = time.time(), replace(INFO, table=table, match=f"m-{seq}")
        client.publish_result(result(info, [(now, {}, ruling(seq=1)), (now, {}, ruling(seq=2, match_over=True))]))

    def results(self):
        """The topics of all results."""
        ends = {table: range(MATCH, last + 1, MATCH) for table, last in self.seqs.items()}
        return {f"carrom/{table}/result/m-{seq}" for table, some in ends.items() for seq in some}

    def missing(self):
        """The results that a node has not kept, by node."""
        kept = {node: kept_by(self.league.broker("hall", node)) for node in NODES}
        return {node: sorted(self.results() - one.keys()) for node, one in kept.items()}

    def rest(self, *tables):
        """These tables make no stroke any more."""
        with self._guard:
            self._resting |= set(tables)

    def wrong(self):
        """The tables that a hub does not show as they are, with what it shows."""
        with self._guard:
            # The last stroke may be on its way.
            least = {table: seq - (table not in self._resting) for table, seq in self.seqs.items()}
        shown = [(number, hub.points()) for number, hub in enumerate(self.hubs)]
        most = dict(self.seqs)
        return {
            (number, table, points.get(table))
            for number, points in shown
            for table in TABLES
            if not least[table] <= points.get(table, -1) <= most[table]
        }

    def until_all_hear(self):
        """Returns each table's last ruling so far: from now on every hub hears all."""
        self.until_right()
        for hub in self.hubs:
            _until(lambda hub=hub: {table for table, _ in hub.rulings.copy()} == set(TABLES), "a ruling of each table")
            hub.longest_gap_s = 0.0
        with self._guard:
            return dict(self.seqs)

    def until_right(self):
        _until(lambda: not self.wrong(), "the right tiles")


def _until(condition, what):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(LOOK_S)


def away(show, begin, end):
    """Something is away for a while. One table makes its last stroke in the midst of it, one at the end."""
    begin()
    time.sleep(FAULT_S / 2)
    show.rest("aundh-2")
    time.sleep(FAULT_S / 2)
    show.rest("karve-1")
    end()


def killed(show):
    away(show, lambda: show.league.kill(show.leader), lambda: show.league.start_again(show.leader))


def frozen(show):
    node = show.league.children[show.leader]
    away(show, lambda: node.send_signal(signal.SIGSTOP), lambda: node.send_signal(signal.SIGCONT))


def cut(show):
    away(show, show.line.cut, show.line.restore)


def restarted(show):
    for node in NODES:
        show.league.children[node].terminate()
        show.league.children[node].wait()
        show.league.start_again(node)
        _until(lambda node=node: show.league.is_healthy(node), f"{node} to catch up")
    show.rest("aundh-2", "karve-1")


@pytest.mark.parametrize("fault", [killed, frozen, cut, restarted])
def test_no_ruling_is_lost_or_doubled_and_each_tile_is_right(fault, tmp_path):
    with contextlib.ExitStack() as stack:
        show = Show(tmp_path, stack)
        begun = show.until_all_hear()
        fault(show)
        healed = right = time.monotonic()
        wrong = set()
        while time.monotonic() < healed + RIGHT_S:
            if wrong := show.wrong():
                right = time.monotonic()
            time.sleep(LOOK_S)
        show.rest(*TABLES)
        show.until_right()
        stopped, missing = time.monotonic(), show.missing()
        while any(missing.values()) and time.monotonic() < stopped + KEPT_S:
            missing = show.missing()
        kept_s = time.monotonic() - stopped
        said = {(table, seq) for table, last in show.seqs.items() for seq in range(begun[table] + 1, last + 1)}
        print(f"\n{fault.__name__}: {len(said)} rulings, tiles right {right - healed:.1f} s after healing")
        for node, hub in zip(NODES, show.hubs, strict=True):
            lost = sorted(said - hub.rulings)
            print(f"hub at {node}: longest gap {hub.longest_gap_s:.1f} s, {len(lost)} lost {lost}")
        print(f"of {len(show.results())} results a node lacks {missing} after {kept_s:.0f} s")
        assert not any(missing.values())
        assert not wrong
        for hub in show.hubs:
            assert hub.rulings >= said
            for table, last in show.seqs.items():
                assert hub.page(table) == list(range(max(1, last - RECENT + 1), last + 1))
