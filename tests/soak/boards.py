"""A table whose daemon, journal, broker, serial line and pages are real and whose eyes are simulated: board after
board, as fast as the daemon rules, with something going wrong all along.

Who plays and what is seen comes from a process of its own, so that the match does not wait for the simulator. Whoever
umpires answers what is asked and puts right what differs, by the page's own doors.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import multiprocessing
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

from controller.commands.demo.ears import Ears
from controller.commands.demo.leash import leashed
from controller.commands.demo.official import Official
from controller.events.beams import BeamEdge, BeamHealth
from controller.events.codec import event_to_json, ruling_to_json
from controller.events.errors import PeerError
from controller.events.observation import EyesHealth, StrokeSeen
from controller.events.wire import observation_to_line
from controller.simulator.clock import ClockFile
from controller.simulator.happenings import Decision, TrueRuling
from controller.simulator.node import EmulatedNode
from controller.simulator.players import Skill
from controller.simulator.scenario import SCENARIOS
from tests.e2e.interrupted import FIGURES
from tests.mqtt.broker import Mosquitto
from tests.simulator.observed import Eyesight
from tests.soak.flat import Measured
from tests.table.observed import simulated, start_event
from tests.table.wired import connected
from tests.web.client import Client

PIN = "471147"
AHEAD = 4000
"""So many things seen are kept ready: some ten strokes."""
RULED_S = 30.0
"""A stroke that nobody has ruled on by then was missed, and is entered by hand; one that is only late would count twice
then."""
PATIENCE_TRIES = 8
"""So many times a page that does not answer in a quarter of a minute is asked again: the machine may be busy."""
LATE_S, LATE_NS = 1.0, 250_000_000
"""A ruling that has not come after so long lets so much of the table's time go by, far less than lies between two
strokes; eight of them are what a stroke waits for beams at most."""
WHOLE_S = 300.0
EDGES_S = 1.0
STEP_NS = 5_000_000
VIEWERS = 10
PLAYERS = (Skill(0.12), Skill(0.2))
"""Two good players: a board is over after some twenty strokes."""


def told(seed: int, queue: Queue[Any]) -> None:
    """Writes what is seen, felt and true into the queue, for ever; an error last of all, should there be one."""
    try:
        _told(seed, queue)
    except Exception as error:
        queue.put(error)


def _told(seed: int, queue: Queue[Any]) -> None:
    scenario = replace(SCENARIOS["faults"], skills=PLAYERS)
    for seen in simulated(scenario, seed, Eyesight()):
        if isinstance(seen, TrueRuling):
            continue
        if isinstance(seen, Decision):
            seen.release()
            final = seen.final or seen.ruling
            shot = None if seen.shot is None else event_to_json(seen.shot)
            queue.put((seen.kind, shot, None if final is None else ruling_to_json(final)))
        else:
            queue.put(seen)


@dataclass
class Counts:
    """What happened in all: strokes, how many were missed, answered and put right, what went wrong when."""

    strokes: int = 0
    missed: int = 0
    answered: int = 0
    put_right: int = 0
    matches: int = 1
    faults: Counter[str] = field(default_factory=Counter)


class LongTable:
    """The table. `measured` has a line for each board that is over, `misses` one for each stroke that was missed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        self.counts = Counts()
        self.measured: list[Measured] = []
        self.misses: list[str] = []
        self._ruled_ms: list[float] = []
        self._page_ms: list[float] = []
        self._latest = 0
        self._boots = itertools.count(0x6000)

    # -- building

    @contextlib.contextmanager
    def standing(self) -> Iterator[LongTable]:
        """Builds it up, and takes it down."""
        with contextlib.ExitStack() as stack:
            folder = self.folder
            # Forked before there is any thread: a spawned process has a helper beside it that never ends.
            context = multiprocessing.get_context("fork")
            self.queue: Queue[Any] = context.Queue(AHEAD)
            teller = context.Process(target=told, args=(self.seed, self.queue), daemon=True)
            teller.start()
            stack.callback(teller.join)
            stack.callback(teller.kill)
            self.broker = Mosquitto(folder).start()
            stack.callback(self.broker.kill)
            self.clock = ClockFile(folder / "clock")
            stack.callback(self.clock.close)
            self.node = self._new_node(0x51D2)
            stack.callback(self._unplug)
            for name in ("run", "state"):
                (folder / name).mkdir()
            (folder / "pin").write_text(PIN)
            (folder / "carrom.toml").write_text(
                f'[table]\nid = "soak"\nruntime = "{folder / "run"}"\nstate = "{folder / "state"}"\n'
                f'[match]\nbook = "icf"\nfirst = "south"\nseats = {{ south = "Asha", north = "Ben" }}\n'
                f'[pockets]\nport = "{folder / "node"}"\n'
                f'[mqtt]\nhost = "127.0.0.1"\nport = {self.broker.port}\nopen = true\n'
                f'[web]\nhost = "127.0.0.1"\nport = 0\npin_file = "{folder / "pin"}"\n'
                f'[clock]\nfile = "{folder / "clock"}"\n'
            )
            log = stack.enter_context((folder / "daemon.log").open("wb"))
            command = [sys.executable, "-m", "controller.cli", "run", "--config", str(folder / "carrom.toml")]
            self.daemon = subprocess.Popen(leashed(command), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            stack.callback(self._end)
            self.ears = Ears("127.0.0.1", self.broker.port, "soak", "5")
            self.ears.start()
            stack.callback(self.ears.stop)
            assert self.ears.wait_online(WHOLE_S), (folder / "daemon.log").read_text()[-2000:]
            port = int((folder / "state" / "http-port").read_text())
            self.official = Official(f"http://127.0.0.1:{port}", PIN)
            self.page = Client(port)
            self.eyes = connected(folder / "run" / "eyes.sock")
            stack.callback(self._hang_up)
            for _ in range(VIEWERS):
                stack.enter_context(self._viewer(port))
            yield self

    def _new_node(self, boot: int) -> EmulatedNode:
        """A node at the far end of the cable, which always has the same name, as udev gives it."""
        node = EmulatedNode(self.clock.now_ns, boot=boot)
        name = self.folder / "node"
        name.unlink(missing_ok=True)
        name.symlink_to(node.port)
        node.start()
        return node

    def _unplug(self) -> None:
        self.node.stop()

    def _hang_up(self) -> None:
        self.eyes.close()

    def _end(self) -> None:
        self.daemon.terminate()
        try:
            self.daemon.wait(20)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            self.daemon.wait()

    @contextlib.contextmanager
    def _viewer(self, port: int) -> Iterator[None]:
        """A page that is open all the time and reads all it is told."""
        link = socket.create_connection(("127.0.0.1", port))
        link.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        done = threading.Event()

        def read() -> None:
            with contextlib.suppress(OSError):
                while not done.is_set() and link.recv(65536):
                    pass

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()
            thread.join()

    # -- playing

    def play(self, boards: int, trouble: Callable[[LongTable, int], None]) -> None:
        """Plays so many boards; `trouble` is called with the board's number where something may go wrong."""
        began, over = time.monotonic(), False
        played: dict[str, Any] = {}
        sent = time.perf_counter()
        for seen in iter(self.queue.get, None):
            if isinstance(seen, Exception):
                raise seen
            if isinstance(seen, BeamEdge):
                self.clock.set(seen.t_ns)
                self.node.beam(seen.pocket, seen.beam, seen.blocked, seen.t_ns)
            elif isinstance(seen, BeamHealth):
                # The real node says by itself how it is.
                continue
            elif isinstance(seen, tuple):
                kind, shot, truth = seen
                if kind == "ruling":
                    self._ruled(sent)
                    played = shot
                elif kind == "ready":
                    self._put_right(played, truth)
                    # A board that is over is so until the first stroke of the next.
                    if truth["board"]["over"] and not over:
                        self._measure(time.monotonic() - began)
                        if len(self.measured) >= boards:
                            return
                    over = truth["board"]["over"]
                    trouble(self, len(self.measured))
                elif kind == "over":
                    self.counts.matches += 1
                    self.official.act(start_event())
                    over = False
            else:
                if isinstance(seen, StrokeSeen):
                    self._edges_are_safe(seen.t_ns)
                    # What is heard from here on is about this stroke.
                    while self.ears.stroke() is not None:
                        pass
                    sent = time.perf_counter()
                self.clock.set(seen.t_ns)
                self._say(observation_to_line(seen))

    def _say(self, line: str) -> None:
        self.eyes.sendall(line.encode() + b"\n")

    def _edges_are_safe(self, until_ns: int) -> None:
        """Lets time go on until the daemon has every edge, as it would while a stroke comes to rest: what the eyes say
        travels on another line and could overtake them. It goes on past the stroke's end as well: by the table's clock
        an acknowledgement waits for company, and would never go out. A cable that is out keeps nobody waiting."""
        until = time.monotonic() + EDGES_S
        while self.node.unsaved and time.monotonic() < until:
            self.clock.set(min(until_ns + LATE_NS, self.clock.now_ns() + STEP_NS))
            time.sleep(0.002)

    def _ruled(self, sent: float) -> None:
        """Waits until the stroke is ruled on. Time goes on meanwhile, as it does at any table: a stroke that beams may
        still have something to say about is ruled on when they have had their time."""
        self.counts.strokes += 1
        until = time.monotonic() + RULED_S
        while self.ears.stroke(LATE_S) is None:
            if time.monotonic() > until:
                self.counts.missed += 1
                self.misses.append(self._about_miss())
                return
            self.clock.set(self.clock.now_ns() + LATE_NS)
        self._ruled_ms.append((time.perf_counter() - sent) * 1e3)

    def _about_miss(self) -> str:
        """What may explain a miss: the faults so far, the latest event, what is asked, which alerts stand."""
        state = self._state()
        open_still = [ask["question"] for ask in state.get("asks", [])]
        alerts = [alert["says"] for alert in state.get("alerts", [])]
        return (
            f"missed: stroke {self.counts.strokes}, board {len(self.measured) + 1}, faults so far "
            f"{dict(self.counts.faults)}; latest event {state['ruling']['seq']} ({state['ruling']['event']}); "
            f"asked {open_still}; alerts {alerts}"
        )

    def _put_right(self, shot: dict[str, Any], truth: dict[str, Any]) -> None:
        """Answers what is asked, corrects or enters the stroke if it is told otherwise, and sets what differs still."""
        began = time.perf_counter()
        state = self._state()
        self._page_ms.append((time.perf_counter() - began) * 1e3)
        if state.get("asks") or state.get("flags"):
            self.counts.answered += self.official.answer_all(truth, lambda: None)
            state = self._state()
        if not _differs(state, truth):
            self._latest = (state.get("shot") or {}).get("seq", 0)
            return
        self.counts.put_right += 1
        latest = state.get("shot")
        missed = latest is None or latest["seq"] == self._latest
        self.official.act(shot if missed else {"event": "correct", "seq": latest["seq"], "with": shot})
        self.official.answer_all(truth, lambda: None)
        state = self._state()
        self._latest = (state.get("shot") or {}).get("seq", 0)
        if _differs(state, truth) and not truth["board"]["over"]:
            self.official.set_to(truth, "soak")

    def _state(self) -> dict[str, Any]:
        for _ in range(PATIENCE_TRIES - 1):
            with contextlib.suppress(PeerError):
                return self.official.state()
        return self.official.state()

    # -- measuring

    def _measure(self, wall_s: float) -> None:
        pid = self.daemon.pid
        status = dict(
            line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
        )
        journal = sum(file.stat().st_size for file in (self.folder / "state").rglob("*") if file.is_file())
        runtime = sum(file.stat().st_size for file in (self.folder / "run").rglob("*") if file.is_file())
        ordered, pages = sorted(self._ruled_ms) or [0.0], sorted(self._page_ms) or [0.0]
        self.measured.append(
            Measured(
                len(self.measured) + 1,
                self.counts.strokes,
                wall_s,
                int(status["VmRSS"].split()[0]) / 1024,
                sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()),
                int(status["Threads"]),
                journal / 2**20,
                runtime / 2**20,
                ordered[len(ordered) // 2],
                pages[len(pages) // 2],
            )
        )
        self._ruled_ms.clear()
        self._page_ms.clear()

    # -- what goes wrong

    def eyes_hang_up(self) -> None:
        """The eyes' process dies and is back at once."""
        self._hang_up()
        self.eyes = connected(self.folder / "run" / "eyes.sock")
        now = self.clock.now_ns()
        self._say(observation_to_line(EyesHealth(now, "ok", now, "match", 60.0)))

    def broker_falls(self) -> None:
        """The broker dies, and is back with nothing of what it had retained."""
        said = len(self.ears.words)
        self.broker.kill()
        self.broker.start()
        assert self.ears.wait_word("online", said, WHOLE_S), "the table does not come back to its broker"

    def node_restarts(self) -> None:
        """The node loses its power for a moment."""
        self.node.reboot(next(self._boots))

    def node_is_changed(self) -> None:
        """The cable is pulled, and put into another node."""
        self._unplug()
        self.node = self._new_node(next(self._boots))

    def journal_is_held(self, seconds: float = 0.5) -> None:
        """Somebody else holds the journal, and a person acts meanwhile: told, kept in the spool, written later."""
        with contextlib.closing(sqlite3.connect(self.folder / "state" / "journal.sqlite", timeout=5)) as other:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(seconds)
            other.rollback()

    def page_comes_and_goes(self) -> None:
        """A page is opened, told something, and closed without a word; another never reads."""
        stream = self.page.stream()
        next(stream)
        stream.close()

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.folder / "state" / "journal.sqlite"


TROUBLES: dict[str, tuple[int, Callable[[LongTable], None]]] = {
    "page comes and goes": (1, LongTable.page_comes_and_goes),
    "eyes hang up": (3, LongTable.eyes_hang_up),
    "journal held by another": (5, LongTable.journal_is_held),
    "node restarts": (7, LongTable.node_restarts),
    "broker falls": (11, LongTable.broker_falls),
    "node changed": (13, LongTable.node_is_changed),
}
"""What goes wrong, and every how many boards; beside the players' and sensors' faults in the strokes themselves."""


def troubles() -> Callable[[LongTable, int], None]:
    """Returns what makes each go wrong in the middle of its boards, three strokes after they began."""
    strokes = itertools.count()
    state = {"board": -1, "since": 0}

    def trouble(table: LongTable, board: int) -> None:
        now = next(strokes)
        if board != state["board"]:
            state.update(board=board, since=now)
        if now - state["since"] != 3:
            return
        for name, (every, happen) in TROUBLES.items():
            if board % every == every - 1:
                table.counts.faults[name] += 1
                happen(table)

    return trouble


def _differs(state: dict[str, Any], truth: dict[str, Any]) -> bool:
    return any(state["ruling"].get(part) != truth.get(part) for part in FIGURES)


def as_json(table: LongTable) -> str:
    """What was measured, for whoever wants to look closer."""
    return json.dumps([vars(one) for one in table.measured])
