"""A daemon as a process of its own with everything real but the pictures: broker, node on a pty, journal, pages.

On the machine's own clock; whoever holds it plays the eyes.
"""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.commands.demo.leash import leashed
from controller.events.observation import EyesHealth, Observation
from controller.events.wire import observation_to_line
from controller.simulator.node import EmulatedNode
from tests.mqtt.broker import Listener, Mosquitto
from tests.patience import PATIENCE_S
from tests.repeated import repeated
from tests.shots.table import MS, S, Table
from tests.web.client import Client

PIN = "4711"


@dataclass
class Wired:
    """What stands. `table`: the board that the eyes tell of."""

    folder: Path
    broker: Mosquitto
    node: EmulatedNode
    daemon: subprocess.Popen[bytes]
    ear: Listener
    page: Client
    eyes: socket.socket
    table: Table = field(default_factory=Table)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def say(self, *seen: Observation) -> None:
        """The eyes say something."""
        with self._guard:
            self.eyes.sendall("".join(observation_to_line(one) + "\n" for one in seen).encode())

    def rest(self) -> None:
        """The eyes are well and the board lies still."""
        now = time.monotonic_ns()
        self.say(EyesHealth(now, "ok", now, "match"), self.table.board(self.table.pieces, now, now - 400 * MS))

    def act(self, event: dict[str, Any]) -> dict[str, Any]:
        """The umpire does something on the page."""
        return self.page.post("/act", event).json

    def looking(self) -> AbstractContextManager[None]:
        """Somebody keeps looking at the board: the eyes give a sign of life twice a second."""

        def look() -> None:
            now = time.monotonic_ns()
            # A test may have asked the daemon to end.
            with contextlib.suppress(OSError):
                self.say(EyesHealth(now, "ok", now, "match"))

        return repeated(look, 0.5)

    def until(self, topic: str, wanted: Any, since: int = 0) -> tuple[dict[str, Any], float]:
        """Waits for a message that fits. Returns it and when it was heard, by the monotonic clock."""
        found: list[dict[str, Any]] = []

        def there() -> bool:
            for name, text, _kept in self.ear.heard[since:]:
                if name == f"carrom/wired/{topic}" and text:
                    body = json.loads(text)
                    if wanted(body):
                        found.append(body)
                        return True
            return False

        self.ear.wait(there, topic)
        return found[-1], time.monotonic()


@contextlib.contextmanager
def wired(folder: Path, web: str = "") -> Iterator[Wired]:
    """Builds it all up to an armed table, and takes it down. `web`: further lines of that section."""
    with contextlib.ExitStack() as stack:
        broker = Mosquitto(folder).start()
        stack.callback(broker.kill)
        node = EmulatedNode(time.monotonic_ns)
        node.start()
        stack.callback(node.stop)
        for name in ("run", "state"):
            (folder / name).mkdir()
        (folder / "pin").write_text(PIN)
        (folder / "carrom.toml").write_text(
            f'[table]\nid = "wired"\nruntime = "{folder / "run"}"\nstate = "{folder / "state"}"\n'
            f'[pockets]\nport = "{node.port}"\n[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\n'
            f'[web]\nhost = "127.0.0.1"\nport = 0\npin_file = "{folder / "pin"}"\n{web}'
        )
        log = stack.enter_context((folder / "daemon.log").open("wb"))
        ear = Listener(broker.port, "carrom/wired/#")
        stack.callback(ear.close)
        command = [sys.executable, "-m", "controller.cli", "run", "--config", str(folder / "carrom.toml")]
        daemon = subprocess.Popen(leashed(command), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        stack.callback(_end, daemon)
        ear.wait_for("carrom/wired/availability", "online")
        page = Client(int((folder / "state" / "http-port").read_text()))
        page.login(PIN)
        eyes = connected(folder / "run" / "eyes.sock")
        stack.callback(eyes.close)
        stands = Wired(folder, broker, node, daemon, ear, page, eyes)
        # The node's clock has to be learnt before its beams count.
        with stands.looking():
            stands.until("health", lambda body: body["armed"] == "armed")
        yield stands


def connected(path: Path) -> socket.socket:
    """Connects to the daemon as the eyes do."""
    until = time.monotonic() + PATIENCE_S
    while True:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(str(path))
        except OSError:
            link.close()
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return link


def _end(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    try:
        daemon.wait(60)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


__all__ = ["MS", "S", "Wired", "wired"]
