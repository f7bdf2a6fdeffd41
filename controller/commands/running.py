"""What the table says of itself while it runs, and the loan of its beams, for commands that need what it has."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from controller.config import Config
from controller.events.errors import DeviceError
from controller.table.machine.lent_pockets import SOCKET

PAGE_S = 5.0
LENT_S = 10.0
"""The table ends its own reading of the node first, which may take it two seconds."""


def state_of(config: Config) -> Mapping[str, Any]:
    """Returns the public state of the running table. Raises OSError or ValueError where none answers."""
    file = config.table.state / "http-port"
    url = f"http://127.0.0.1:{int(file.read_text(encoding='ascii'))}/state"
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, timeout=PAGE_S) as answer:
        state = json.load(answer)
    if not isinstance(state, dict) or not isinstance(state.get("health"), dict):
        raise ValueError("it is no table that answers")
    return state


def health_if_running(config: Config) -> Mapping[str, Any] | None:
    """Returns how the running table is, None where none runs."""
    try:
        health: Mapping[str, Any] = state_of(config)["health"]
    except (OSError, ValueError):
        return None
    return health


class Loan:
    """The beams of the running table, borrowed. `port`: where the node is, empty where no table runs."""

    def __init__(self, table: socket.socket | None = None, port: str = "") -> None:
        self.port = port
        self._table = table
        self._over = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._end: Callable[[], object] = lambda: None

    def watch(self, end: Callable[[], object]) -> None:
        """Has `end` called, in a thread of its own, when the table wants its beams back: it lets go of them."""
        self._end = end
        if self._table is not None:
            self._thread.start()

    def check(self) -> None:
        """Raises DeviceError once the table has taken its beams back."""
        if self._over.is_set():
            why = "play began, or carrom ended"
            raise DeviceError(f"carrom took its beams back: {why}. Fix: stop play, then the same again")

    def close(self) -> None:
        """Gives the beams back."""
        self._closing = True
        if self._table is None:
            return
        with contextlib.suppress(OSError):
            self._table.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive():
            self._thread.join()

    def _wait(self) -> None:
        assert self._table is not None
        with contextlib.suppress(OSError):
            self._table.recv(1)
        if not self._closing:
            self._over.set()
            self._end()


@contextlib.contextmanager
def borrowed_beams(config: Config | None) -> Iterator[Loan]:
    """Borrows the beams of the running table for as long as the block lasts; an empty loan where none runs.

    Raises DeviceError where the table does not lend them.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as table:
        loan = _asked(table, config)
        try:
            yield loan
        finally:
            loan.close()


def _asked(table: socket.socket, config: Config | None) -> Loan:
    if config is None or config.pockets.kind == "none":
        return Loan()
    path = config.table.runtime / SOCKET
    table.settimeout(LENT_S)
    try:
        table.connect(str(path))
    except PermissionError as error:
        raise DeviceError(f"{path}: no right to ask carrom for its beams. Fix: the same with sudo") from error
    except OSError:
        return Loan()
    try:
        with table.makefile("rb") as answers:
            said = json.loads(answers.readline())
    except (OSError, ValueError) as error:
        raise DeviceError(f"{path}: carrom gave no answer. Fix: systemctl status carrom") from error
    table.settimeout(None)
    if "refused" in said:
        raise DeviceError(said["refused"])
    return Loan(table, said["port"])
