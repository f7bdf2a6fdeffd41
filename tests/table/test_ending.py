"""SIGTERM ends the daemon whatever hangs, and what it has told and not saved is there at the next start."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.journal import Journal
from controller.table.process.ending import LIMIT_S, Ending
from tests.patience import PATIENCE_S, until
from tests.web.client import Client

PIN = "4711"


@pytest.fixture
def signals():
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    signal.set_wakeup_fd(-1)
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_asks_first_and_ends_by_force_when_time_is_up(signals, number) -> None:
    said, left = [], threading.Event()

    def leave(code: int) -> None:
        said.append(code)
        left.set()

    ending = Ending(lambda: said.append("asked"), lambda: said.append("last words"), 0.01, leave)
    ending.listen()
    ending.code = 3
    os.kill(os.getpid(), number)
    assert left.wait(PATIENCE_S)
    assert said == ["asked", "last words", 3]
    assert LIMIT_S < 5


def test_last_words_that_fail_do_not_keep_it(signals) -> None:
    left = threading.Event()

    def fails() -> None:
        raise ValueError

    ending = Ending(fails, fails, 0.01, lambda _code: left.set())
    ending.listen()
    os.kill(os.getpid(), signal.SIGTERM)
    assert left.wait(PATIENCE_S)


def test_an_end_that_has_begun_by_itself_is_asked_for_no_more_and_has_the_same_limit(signals) -> None:
    said, left = [], threading.Event()
    ending = Ending(lambda: said.append("asked"), lambda: said.append("last words"), 0.01, lambda _code: left.set())
    ending.listen()
    ending.begin()
    assert left.wait(PATIENCE_S)
    assert said == ["last words"]


class Sabotaged:
    """A daemon as a process that does what `sabotage` says as soon as `begin` is called."""

    def __init__(self, folder: Path, sabotage: str) -> None:
        self.trigger = folder / "sabotage"
        self.log = folder / "daemon.log"
        for name in ("run", "state"):
            (folder / name).mkdir(exist_ok=True)
        (folder / "pin").write_text(PIN)
        config = folder / "carrom.toml"
        config.write_text(
            f'[table]\nruntime = "{folder / "run"}"\nstate = "{folder / "state"}"\n[mqtt]\nenabled = false\n'
            f'[pockets]\nkind = "none"\n[camera]\nkind = "none"\n'
            f'[web]\nhost = "127.0.0.1"\nport = 0\npin_file = "{folder / "pin"}"\n'
        )
        self.port = folder / "state" / "http-port"
        self.port.unlink(missing_ok=True)
        command = [sys.executable, "-m", "tests.table.sabotaged", sabotage, str(self.trigger), "run"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, "--config", str(config)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        until(lambda: self.port.is_file() and b"umpiring" in self.log.read_bytes(), self.log)
        self.page = Client(int(self.port.read_text()))
        self.page.login(PIN)

    def state(self) -> dict:
        return self.page.get("/state").json

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


@contextlib.contextmanager
def sabotaged(folder: Path, sabotage: str) -> Iterator[Sabotaged]:
    daemon = Sabotaged(folder, sabotage)
    try:
        yield daemon
    finally:
        daemon.process.kill()
        daemon.process.wait()


@pytest.mark.live
@pytest.mark.slow
def test_a_desk_that_hangs_is_on_the_page_and_the_daemon_ends_all_the_same(tmp_path) -> None:
    with sabotaged(tmp_path, "desk") as daemon:
        daemon.trigger.touch()
        until(lambda: any(alert["id"] == "part-desk" for alert in daemon.state()["alerts"]), "the page says so")
        assert daemon.end() == 1
    log = daemon.log.read_text()
    assert "does not end in order" in log
    assert "supervision" in log


@pytest.mark.live
@pytest.mark.slow
def test_a_desk_that_dies_ends_the_daemon_with_a_word(tmp_path) -> None:
    with sabotaged(tmp_path, "dies") as daemon:
        daemon.trigger.touch()
        assert daemon.process.wait(PATIENCE_S) == 1
    assert "RuntimeError: sabotage" in daemon.log.read_text()


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize("sabotage", ["full", "stuck"])
def test_what_was_told_and_not_saved_is_named_and_there_at_the_next_start(tmp_path, sabotage) -> None:
    with sabotaged(tmp_path, sabotage) as daemon:
        daemon.trigger.touch()
        assert daemon.page.post("/act", {"event": "pause"}).json["saved"] is False
        assert [row["saved"] for row in daemon.state()["history"]] == [True, False]
        assert daemon.end() == 1
    assert "event 2 (pause) of match" in daemon.log.read_text()
    assert daemon.log.read_text().count("kept in") == 1
    kept = [json.loads(line) for line in (tmp_path / "run" / "unsaved-table1.jsonl").read_text().splitlines()]
    assert [(entry["seq"], entry["event"]["event"]) for entry in kept] == [(2, "pause")]
    daemon.trigger.unlink()
    with sabotaged(tmp_path, sabotage) as again:
        assert again.state()["score"]["state"] == "paused"
        until(lambda: all(row["saved"] for row in again.state()["history"]), "it is saved now")
        assert again.end() == 0
    assert not (tmp_path / "run" / "unsaved-table1.jsonl").exists()
    with Journal(tmp_path / "state" / "journal.sqlite", read_only=True) as journal:
        entries = journal.events(journal.latest_match())
    assert [entry.event["event"] for entry in entries] == ["start", "pause"]
