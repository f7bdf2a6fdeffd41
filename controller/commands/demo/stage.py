"""The demo's stage: a folder, the daemon and the vision process as children that come back when they fall.

Stands in for the service manager, no more: what runs are the programs of the real table with an ordinary
configuration file. Must not know what is played.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from controller.commands.demo.leash import leashed
from controller.supervision.signals import handling

RESTART_SECONDS = 0.3
STOP_SECONDS = 5.0


@dataclass
class Child:
    """One program that is kept running. `starts` counts how often it was started."""

    name: str
    command: list[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    codes: list[int] = field(default_factory=list)

    def last_words(self) -> str:
        """Returns the last line that it has printed."""
        said = self.log.read_text(errors="replace").strip().splitlines()
        return said[-1] if said else f"{self.name} left without a word"


@contextlib.contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Ctrl-C counts only at the end: between a fork and the parent's note of it, it would leave a child unknown."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    try:
        with handling(lambda number, _: came.append(number), signal.SIGINT):
            yield
    finally:
        if came:
            signal.raise_signal(signal.SIGINT)


class Stage:
    """Starts children in order, restarts what falls, stops them in reverse.

    A child that leaves with exit code 2 has printed in one line why it cannot run: it is not started again, and
    `trouble` holds that line.
    """

    def __init__(self, folder: Path, sleep: Callable[[float], None] = time.sleep) -> None:
        self.folder = folder
        self.children: dict[str, Child] = {}
        self.trouble: str | None = None
        self._sleep = sleep
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        """Held while a child is started again: once we are stopping, none is."""
        self._watchers: list[threading.Thread] = []

    def start(self, name: str, *words: str) -> Child:
        """Starts `carrom WORDS` and keeps it running."""
        child = Child(name, [sys.executable, "-m", "controller.cli", *words], self.folder / f"{name}.log")
        self.children[name] = child
        with _interrupts_wait():
            self._spawn(child)
        watcher = threading.Thread(target=self._watch, args=(child,), name=f"watch-{name}", daemon=True)
        self._watchers.append(watcher)
        watcher.start()
        return child

    def kill(self, name: str) -> None:
        """Kills a child outright (-9), as a test or a power cut would; it comes back."""
        process = self.children[name].process
        if process is not None:
            process.kill()

    def stop(self) -> None:
        """Asks every child to end, last started first, and makes sure of it."""
        with self._starting:
            self._stopping.set()
        for child in reversed(self.children.values()):
            if child.process is not None and child.process.poll() is None:
                child.process.send_signal(signal.SIGTERM)
                try:
                    child.process.wait(STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    child.process.kill()
                    child.process.wait()
        for watcher in self._watchers:
            watcher.join(1)

    def _spawn(self, child: Child) -> None:
        with child.log.open("ab") as stream:
            # A session of its own: Ctrl-C reaches only the demo, which stops its children in order.
            child.process = subprocess.Popen(
                leashed(child.command), stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True
            )
        child.starts += 1

    def _watch(self, child: Child) -> None:
        while not self._stopping.is_set():
            process = child.process
            assert process is not None
            code = process.wait()
            child.codes.append(code)
            if self._stopping.is_set():
                return
            if code == 2:
                self.trouble = child.last_words()
                return
            self._sleep(RESTART_SECONDS)
            with self._starting:
                if not self._stopping.is_set():
                    self._spawn(child)
