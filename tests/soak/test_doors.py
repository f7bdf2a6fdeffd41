"""Rubbish at all doors of a running table at once: HTTP, MQTT, hub, the eyes' socket, the command line.

CARROM_SOAK_DOORS_S: how long (an hour by default), CARROM_SOAK_DOORS_SEED: which rubbish. All through it a proper call
is ruled on and saved; at its end every part is alive, no log has a traceback, the memory is flat, and the journal
rules again to the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from controller.commands.demo.leash import leashed
from controller.journal.journal import Journal
from tests.doors.hostile import EVENTS, NUMBERS, UNREADABLE, VALUES, anything, changed_event, hostile_toml
from tests.table.wired import Wired, wired
from tests.web.client import Client

LASTS_S = float(os.environ.get("CARROM_SOAK_DOORS_S", "3600"))
SEED = int(os.environ.get("CARROM_SOAK_DOORS_SEED", "20"))
PULSE_S = 5.0
WARM = 0.3
"""By this share of the time whatever is cached or remembered has filled up; from then on the memory is flat."""

GROWS_BY = 1.1
GROWS_BY_KB = 8 * 1024
ANSWER_S = 60.0
WAIT = "calls wait already"
CALLED_AGAIN = 5
"""As somebody would whose call found too many others waiting."""

pytestmark = [pytest.mark.soak, pytest.mark.broker, pytest.mark.timeout(LASTS_S + 900)]


@dataclass
class Run:
    """What goes on: until when, what was thrown and answered, what went wrong."""

    table: Wired
    hub: Client
    until: float = field(default_factory=lambda: time.monotonic() + LASTS_S)
    done: threading.Event = field(default_factory=threading.Event)
    thrown: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    edges: int = 0
    called_again: int = 0
    threw: set[str] = field(default_factory=set)

    def goes_on(self) -> bool:
        return not self.done.is_set() and time.monotonic() < self.until

    def fail(self, what: str) -> None:
        self.wrong.append(what)
        self.done.set()


# -- the throwers, one thread each


def by_http(run: Run, rng: random.Random) -> None:
    """The umpire's own doors with a session, and everybody's."""
    page = Client(run.table.page.port)
    page.cookie = run.table.page.cookie
    paths = (
        "/state",
        "/me",
        "/calls",
        "/clauses",
        "/book/clauses",
        "/books",
        "/geometry",
        "/picture/",
        "/clip/1-",
        "/stroke/",
        "/static/",
    )
    while run.goes_on():
        if rng.random() < 0.7:
            path = rng.choice(("/act", "/act", "/preview", "/login"))
            answer = page.post(path, anything(rng), **rng.choice(({}, {}, {}, {"origin": "http://["}, {"host": "[::"})))
        else:
            path = rng.choice(paths)
            path += rng.choice(("", "1", "-1", "%00", "9" * 20, "9" * 5000, "%ff", "..%2f", "%ed%a0%bd", "a" * 300))
            answer = page.get(path)
        run.thrown[f"http {answer.status}"] += 1
        if answer.status >= 500 and answer.status != 503:
            run.fail(f"{path[:60]}: {answer.status} {answer.body[:200]!r}")


def by_broken_http(run: Run, rng: random.Random) -> None:
    """Bytes that are no request, and clients that leave in the middle of one; at the table's pages and the hub's."""
    head = b"POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n"
    while run.goes_on():
        port = rng.choice((run.table.page.port, run.hub.port))
        cut = head[: rng.randrange(len(head))]
        raw = rng.choice((head + b'{"pin": ', cut, anything(rng), b"\0" * 99, b"GET /\xff\r\n\r\n"))
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), ANSWER_S) as link:
            link.sendall(raw)
            if rng.random() < 0.3:
                link.shutdown(socket.SHUT_WR)
                link.settimeout(ANSWER_S)
                link.recv(100)
        run.thrown["http broken off"] += 1
        run.done.wait(0.05)


def by_mqtt(run: Run, rng: random.Random) -> None:
    """Calls, well-formed and not, and whatever other tables could say to the hub."""
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.connect("127.0.0.1", run.table.broker.port, 60)
    client.loop_start()
    answer = Properties(PacketTypes.PUBLISH)
    answer.ResponseTopic = "carrom/wired/reply/rubbish"
    while run.goes_on():
        if rng.random() < 0.6:
            event = changed_event(rng) | {"id": uuid.UUID(int=rng.getrandbits(128)).hex, "t": time.time()}
            if rng.random() < 0.3:
                event[rng.choice(("id", "t"))] = rng.choice(VALUES)
            raw = rng.choice((json.dumps(event).encode(), anything(rng)))
            client.publish("carrom/wired/call", raw, properties=answer)
            run.thrown["calls"] += 1
        else:
            kind = rng.choice(("score", "health", "availability", f"alert/{rng.randrange(300)}", "result/1"))
            raw = rng.choice((anything(rng), b"online", b"{}", b'{"says": "\\u202e", "level": []}'))
            client.publish(f"carrom/t{rng.randrange(900)}/{kind}", raw[:100_000])
            run.thrown["to the hub"] += 1
        run.done.wait(0.02)
    client.loop_stop()
    client.disconnect()


def by_eyes(run: Run, rng: random.Random) -> None:
    """Lines on the eyes' socket that are no observations."""
    while run.goes_on():
        raw = rng.choice(list(UNREADABLE.values())).replace(b"\n", b" ")
        lines = (
            raw[:60_000],
            b'{"kind": "moving"}',
            b'{"kind": ["moving"]}',
            b'{"kind": "board", "t_ns": 1e999}',
            b"\xff",
        )
        with run.table._guard:
            run.table.eyes.sendall(rng.choice(lines) + b"\n")
        run.thrown["to the eyes' socket"] += 1
        run.done.wait(0.05)


def by_beams(run: Run, rng: random.Random) -> None:
    """Beams as the node feels them: none may be lost beside all that."""
    blocked = False
    while run.goes_on():
        blocked = not blocked
        run.table.node.beam("NE", "upper", blocked, time.monotonic_ns())
        run.edges += 1
        run.done.wait(0.2)


def by_rule(run: Run, rng: random.Random) -> None:
    """One `carrom rule` that hears lines all the time: one answer a line."""
    command = [sys.executable, "-m", "controller.cli", "rule"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as rule:
        assert rule.stdin is not None
        assert rule.stdout is not None
        assert rule.stderr is not None
        while run.goes_on():
            line = anything(rng).replace(b"\n", b" ").replace(b"\r", b" ")
            if not line.strip() or len(line) > 200_000:
                continue
            rule.stdin.write(line + b"\n")
            rule.stdin.flush()
            said = rule.stdout.readline()
            if not said.startswith(b"{"):
                run.fail(f"carrom rule said {said!r} to {line[:200]!r}")
            run.thrown["lines to carrom rule"] += 1
            run.done.wait(0.005)
        rule.stdin.close()
        complaint = rule.stderr.read().decode(errors="replace")
        if rule.wait(ANSWER_S) != 0 or complaint:
            run.fail(f"carrom rule ended with {rule.returncode}: {complaint[-500:]}")


def by_commands(run: Run, rng: random.Random) -> None:
    """Commands with files and options of rubbish: one line and 2, or an answer; never a traceback or a signal."""
    folder = run.table.folder
    while run.goes_on():
        file = folder / "rubbish"
        file.write_bytes(rng.choice((anything(rng), hostile_toml(rng), rng.randbytes(200), b"")))
        what = rng.choice((str(file), rng.choice(NUMBERS) or "-"))
        words = rng.choice(
            (
                ["rule", what],
                ["books", "show", what],
                ["replay", what],
                ["export", what, "--json"],
                ["detect", "--calibration", what, str(file)],
                ["watch", "--calibration", str(file), "--video", what, "--beams", what],
                ["calibrate", "--image", what, "--corners", "1,1 9,1 9,9 1,9", "--out", str(folder / "out.json")],
                ["support", "--config", what, "--out", str(folder / "s.tar.gz")],
                ["replay", str(folder / "state" / "journal.sqlite"), "--match", what],
            )
        )
        command = [sys.executable, "-m", "controller.cli", *(word.replace("\0", "") for word in words)]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=300, check=False)
        if done.returncode not in (0, 1, 2) or b"Traceback" in done.stderr:
            run.fail(f"{words}: {done.returncode} {done.stderr[-800:].decode(errors='replace')}")
        run.thrown["commands"] += 1


THROWERS = (by_http, by_broken_http, by_mqtt, by_eyes, by_beams, by_rule, by_commands)


# -- the pulse


def pulse(run: Run, number: int) -> None:
    """A proper match is begun by a call and by the page; the hub shows the table; no part is in trouble."""
    table = run.table
    answer = {"error": WAIT}
    for attempt in range(CALLED_AGAIN):
        if WAIT not in answer.get("error", ""):
            break
        run.done.wait(attempt)
        reply = f"carrom/wired/reply/p{number}-{attempt}"
        call = EVENTS[0] | {"id": f"pulse-{number}-{attempt}", "t": time.time()}
        table.ear.publish("carrom/wired/call", call, reply=reply)
        answer = json.loads(table.ear.wait_for(reply))
        run.called_again += attempt > 0
    said = table.act(EVENTS[0] | {"reason": f"pulse {number}"})
    state = table.page.get("/state")
    if "error" in answer or "error" in said:
        run.fail(f"pulse {number}: {answer.get('error')}; {said.get('error')}")
    if state.status != 200 or b"part-" in state.body:
        run.fail(f"pulse {number}: {state.status} {state.body[:600]!r}")
    rows = {row["table"]: row for row in run.hub.get("/tables").json}
    if not rows.get("wired", {}).get("online"):
        run.fail(f"pulse {number}: the hub does not show the table")
    with table.ear.said:
        del table.ear.heard[:]


def kilobytes(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1])


@contextlib.contextmanager
def hub_of(table: Wired) -> Iterator[tuple[subprocess.Popen[str], Client, Path]]:
    """A hub at the same broker, as a process."""
    file, log = table.folder / "hub.toml", table.folder / "hub.log"
    file.write_text(f'[mqtt]\nhost = "127.0.0.1"\nport = {table.broker.port}\n[web]\nhost = "127.0.0.1"\nport = 0\n')
    command = leashed([sys.executable, "-m", "controller.cli", "hub", "--config", str(file)])
    with log.open("w") as errors:
        hub = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert hub.stdout is not None
        found = re.search(r":(\d+)/", hub.stdout.readline())
        assert found is not None, log.read_text()
        try:
            page = Client(int(found[1]))
            # Health that the broker had kept may be of any age: the hub waits for the table's next one.
            with contextlib.closing(page.tiles()) as tiles:
                next(rows for rows in tiles if [row["online"] for row in rows] == [True])
            yield hub, page, log
        finally:
            hub.terminate()
            hub.wait(30)


def test_rubbish_at_all_doors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")  # as the units have it
    with wired(tmp_path) as table, table.looking(), hub_of(table) as (hub, hub_page, hub_log):
        run = Run(table, hub_page)
        sizes, stuck = _thrown(run, hub)
        table.daemon.send_signal(signal.SIGTERM)
        code = table.daemon.wait(30)
    log = (tmp_path / "daemon.log").read_text(errors="replace")
    print(*run.wrong, sep="\n")
    assert not run.wrong
    assert stuck == []
    assert {name.__name__ for name in THROWERS} == run.threw
    assert code == 0
    assert "Traceback" not in log, log[log.index("Traceback") - 300 :][:3000]
    assert "Traceback" not in hub_log.read_text(errors="replace")
    _hold_their_memory(sizes)
    with Journal(tmp_path / "state" / "journal.sqlite", read_only=True) as journal:
        felt = len(journal.edges())
    assert felt >= run.edges
    code, said = _replayed(tmp_path / "state" / "journal.sqlite")
    assert code == 0, said


def _thrown(run: Run, hub: subprocess.Popen[str]) -> tuple[list[tuple[float, int, int]], list[str]]:
    """Throws until the run is over. Returns the sizes (seconds, daemon and hub in kilobytes), and who is stuck."""
    threads = [
        threading.Thread(target=_throw, args=(thrower, run), name=thrower.__name__, daemon=True) for thrower in THROWERS
    ]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    sizes: list[tuple[float, int, int]] = []
    number = 0
    while run.goes_on():
        pulse(run, number)
        number += 1
        assert run.table.daemon.poll() is None, "the daemon has ended"
        assert hub.poll() is None, "the hub has ended"
        sizes.append((time.monotonic() - began, kilobytes(run.table.daemon.pid), kilobytes(hub.pid)))
        run.done.wait(PULSE_S)
    run.done.set()
    for thread in threads:
        thread.join(300)
    stuck = [thread.name for thread in threads if thread.is_alive()]
    if not run.wrong:
        run.done.clear()
        pulse(run, number)
    print(f"\n{time.monotonic() - began:.0f} s, {number} pulses, {run.called_again} called again")
    print(f"thrown: {dict(sorted(run.thrown.items()))}")
    print("daemon, hub in MB: " + ", ".join(f"{t:.0f} s {a / 1024:.0f} {b / 1024:.0f}" for t, a, b in _some(sizes)))
    return sizes, stuck


def _hold_their_memory(sizes: Sequence[tuple[float, int, int]]) -> None:
    for which in (1, 2):
        warm = max(size[which] for size in sizes if size[0] <= sizes[-1][0] * WARM)
        assert sizes[-1][which] <= warm * GROWS_BY + GROWS_BY_KB, sizes


def _replayed(journal: Path) -> tuple[int, str]:
    """Returns the exit status of a replay of the whole journal, and the end of what it said."""
    again = subprocess.run(
        [sys.executable, "-m", "controller.cli", "replay", str(journal)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return again.returncode, again.stdout[-2000:] + again.stderr[-2000:]


def _throw(thrower: Callable[[Run, random.Random], None], run: Run) -> None:
    try:
        thrower(run, random.Random(f"{SEED}{thrower.__name__}"))
        run.threw.add(thrower.__name__)
    except Exception as error:
        run.fail(f"{thrower.__name__}: {error!r}")


def _some(sizes: list[Any]) -> list[Any]:
    step = max(1, len(sizes) // 8)
    return sizes[::step]
