"""`carrom pockets`, `accept`, `check --coins` beside a running table: they borrow its beams, and nothing is ruled."""

from __future__ import annotations

import json
import socket
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from calibration.board import DEFAULT_BOARD
from controller.cli import main
from controller.commands.acceptance.plan import steps_of
from controller.commands.acceptance.sensors import beams_of
from controller.commands.acceptance.session import Acceptance
from controller.commands.check_pockets import probe_coins
from controller.commands.running import borrowed_beams
from controller.config import load_config
from controller.events.errors import DeviceError
from controller.journal.journal import Journal
from controller.pockets.beam_map import POCKETS, beam_map
from controller.simulator.node import EmulatedNode
from controller.table.machine.lent_pockets import SOCKET
from tests.patience import PATIENCE_S
from tests.web.client import Client
from tests.web.daemon import bare_daemon
from tests.web.hall import until

pytestmark = [pytest.mark.live, pytest.mark.slow]

WIRED = {"SE upper": 3, "SE lower": 6, "NE upper": 0, "NE lower": 5, "SW upper": 1, "SW lower": 2}
WIRED |= {"NW upper": 7, "NW lower": 4}
"""How the beams are wired; the table's configuration believes the usual order."""

IN_PLAY = {"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}, "first": "south"}
IN_PLAY |= {"position": {"turn": "south", "break_done": True}}
MS = 1_000_000


@dataclass
class Running:
    """A daemon that has its node. `file`: its configuration."""

    file: Path
    node: EmulatedNode
    page: Client

    def until(self, node: str) -> dict[str, Any]:
        """Waits until the table says this of its node; returns its state."""
        ends = time.monotonic() + PATIENCE_S
        for kind, body in self.page.stream():
            assert time.monotonic() < ends
            if kind == "state" and body["health"]["node"] == node:
                return body
        raise AssertionError("the table's stream ended")

    def coin(self, pocket: Any, ago_ms: int = 0) -> None:
        """Drops one, or says that one was dropped a moment ago; the node keeps it until somebody reads."""
        began = time.monotonic_ns() - ago_ms * MS
        for after_ms, beam, blocked in ((0, "upper", True), (8, "lower", True), (14, "upper", False)):
            self.node.beam(pocket, beam, blocked, began + after_ms * MS)
        self.node.beam(pocket, "lower", False, began + 22 * MS)

    def ask(self) -> dict[str, str]:
        """Asks for the beams as another command does, and hangs up."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as table:
            table.connect(str(load_config(self.file).table.runtime / SOCKET))
            return json.loads(table.makefile("rb").readline())

    def events(self) -> tuple[list[str], int]:
        """The kinds of events in the journal, and how many edges."""
        with Journal(self.file.parent / "state" / "journal.sqlite", read_only=True) as journal:
            return [entry.event["event"] for entry in journal.events(journal.latest_match())], len(journal.edges(0))


class Person:
    """Drops a coin when first asked to and after each answer, and does something else before it answers."""

    def __init__(self, running: Running, answers: list[str], does: Callable[[], object] = lambda: None) -> None:
        self._running, self._answers, self._does = running, answers, does
        self._at = 0

    def write(self, text: str) -> int:
        if "Drop a coin" in text or "is no pocket" in text:
            self._running.coin(POCKETS[self._at])
        return len(text)

    def flush(self) -> None:
        pass

    def readline(self) -> str:
        self._does()
        answer = self._answers.pop(0)
        if answer in POCKETS:
            self._at += 1
            if self._at < len(POCKETS):
                self._running.coin(POCKETS[self._at])
        return answer + "\n"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    node = EmulatedNode(time.monotonic_ns, beams=beam_map(WIRED))
    node.start()
    try:
        with bare_daemon(tmp_path, pockets=f'port = "{node.port}"') as page:
            running = Running(tmp_path / "carrom.toml", node, page)
            running.until("up")
            yield running
    finally:
        node.stop()


def learn(running: Running, monkeypatch: pytest.MonkeyPatch, person: Person) -> int:
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdin", person)
        patched.setattr("sys.stderr", person)
        return main(["pockets", "--config", str(running.file), "--learn"])


def test_the_pockets_are_learnt_while_carrom_runs_and_nothing_of_it_is_heard_by_the_table(
    running: Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[dict[str, Any]] = []

    def other() -> None:
        said.append(running.ask() | running.page.get("/state").json["health"])

    person = Person(running, ["nowhere", *POCKETS], other)
    assert learn(running, monkeypatch, person) == 0
    assert tomllib.loads(capsys.readouterr().out)["pockets"]["lines"] == WIRED
    assert said[0]["refused"] == "another command has borrowed the beams. Fix: end it"
    assert said[0]["node"] == "down"
    assert said[0]["says"] == "a command tries the beams: no stroke is ruled until it ends"
    running.until("up")
    assert running.events() == (["start"], 0)
    running.coin("NE")
    until(lambda: running.events()[1])


def test_coins_are_tried_while_carrom_runs(running: Running) -> None:
    def say(text: str) -> None:
        if text.startswith("drop a coin"):
            # One after the other: a node's edges come in the order of their times.
            for place, pocket in enumerate(POCKETS):
                running.coin(pocket, ago_ms=30 * (len(POCKETS) - 1 - place))

    config = load_config(running.file)
    config = config.model_copy(update={"pockets": config.pockets.model_copy(update={"lines": WIRED})})
    found = {(one.state, one.says) for one in probe_coins(config, say, PATIENCE_S)}
    assert found == {("ok", f"{pocket}: upper and lower felt it") for pocket in POCKETS}
    running.until("up")
    assert running.events() == (["start"], 0)


def test_an_acceptance_counts_a_coin_while_carrom_runs(running: Running) -> None:
    config = load_config(running.file)
    config = config.model_copy(update={"pockets": config.pockets.model_copy(update={"lines": WIRED})})
    plan = steps_of(DEFAULT_BOARD, (41.3,), 1.0, beams=True)
    acceptance = Acceptance([step for step in plan if step.pocket == "NE"], {})
    with beams_of(config) as beams:
        running.coin("NE")

        def counted() -> int:
            beams.feed(acceptance)
            return acceptance.coins

        until(counted)
    running.until("up")
    assert running.events() == (["start"], 0)


def test_a_match_in_play_keeps_its_beams(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    running.page.post("/act", IN_PLAY)
    why = "a match is in play, the beams stay with carrom. Fix: stop play or end the match on the umpire's page"
    assert main(["pockets", "--config", str(running.file), "--learn"]) == 2
    assert capsys.readouterr().err == f"carrom pockets: {why}\n"
    assert main(["check", "--config", str(running.file), "--coins"]) == 1
    assert f"fail  coins: {why}\n" in capsys.readouterr().out
    with pytest.raises(DeviceError, match=why), beams_of(load_config(running.file)):
        pass
    assert running.page.get("/state").json["health"]["node"] == "up"
    running.page.post("/act", {"event": "pause"})
    assert "port" in running.ask()
    running.until("up")


def test_play_that_begins_takes_the_beams_back(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin() -> None:
        running.page.post("/act", IN_PLAY)
        running.until("up")

    said: list[str] = []
    person = Person(running, ["NE"], begin)
    monkeypatch.setattr(person, "write", lambda text: said.append(text) or Person.write(person, text))
    assert learn(running, monkeypatch, person) == 2
    assert said[-1].count("\n") <= 1
    assert "carrom took its beams back: play began, or carrom ended. Fix: stop play" in "".join(said)
    assert running.events() == (["start"], 0)


def test_a_table_that_was_killed_is_not_asked(running: Running) -> None:
    config = load_config(running.file)
    config = config.model_copy(update={"table": config.table.model_copy(update={"runtime": running.file.parent})})
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(str(config.table.runtime / SOCKET))
    with borrowed_beams(config) as loan:
        assert loan.port == ""


def test_who_has_no_right_to_ask_is_told_so_in_one_line(
    running: Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("controller.commands.running.socket.socket.connect", refuse)
    assert main(["pockets", "--config", str(running.file), "--learn"]) == 2
    line = capsys.readouterr().err
    assert line.endswith("no right to ask carrom for its beams. Fix: the same with sudo\n")
    assert line.count("\n") == 1
    with pytest.raises(DeviceError, match="no right to ask"):
        next(probe_coins(load_config(running.file), print, 1.0))
