"""A real daemon without camera, sensors or broker: pages, rules, journal. Strokes are said by whoever gave the PIN."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from controller.commands.demo.leash import leashed
from tests.patience import PATIENCE_S
from tests.web.client import Client

PIN = "471100"


@contextlib.contextmanager
def bare_daemon(folder: Path, more: str = "", pockets: str = 'kind = "none"') -> Iterator[Client]:
    """Gives a client who has given the PIN. `more`: further sections of the configuration; `pockets`: that one."""
    with started(configured(folder, more, pockets)) as (client, _daemon):
        yield client


def configured(folder: Path, more: str = "", pockets: str = 'kind = "none"') -> Path:
    """Writes what such a daemon needs into a folder. Returns the folder."""
    for name in ("run", "state"):
        (folder / name).mkdir()
    (folder / "pin").write_text(PIN)
    (folder / "carrom.toml").write_text(
        f'[table]\nruntime = "{folder / "run"}"\nstate = "{folder / "state"}"\n[camera]\nkind = "none"\n'
        f"[pockets]\n{pockets}\n[mqtt]\nenabled = false\n"
        f'[web]\nhost = "127.0.0.1"\nport = 0\npin_file = "{folder / "pin"}"\n{more}'
    )
    return folder


@contextlib.contextmanager
def started(folder: Path) -> Iterator[tuple[Client, subprocess.Popen[bytes]]]:
    """Starts it in its folder, again where it ran there before. Gives a client who has given the PIN, and the process,
    which may be killed."""
    command = [sys.executable, "-m", "controller.cli", "run", "--config", str(folder / "carrom.toml")]
    with contextlib.ExitStack() as stack:
        (folder / "manager").unlink(missing_ok=True)
        manager = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        manager.bind(str(folder / "manager"))
        manager.settimeout(PATIENCE_S)
        log = stack.enter_context((folder / "log").open("ab"))
        told = {**os.environ, "NOTIFY_SOCKET": str(folder / "manager")}
        daemon = stack.enter_context(subprocess.Popen(leashed(command), stdout=log, stderr=log, env=told))
        try:
            _until_ready(manager, folder / "log")
            client = Client(int((folder / "state" / "http-port").read_text()))
            assert client.login(PIN).status == 200
            yield client, daemon
        finally:
            daemon.terminate()


def _until_ready(manager: socket.socket, log: Path) -> None:
    """Waits for what a daemon tells the service manager once its pages are there."""
    try:
        while b"READY=1" not in manager.recv(4096):
            pass
    except TimeoutError:
        raise AssertionError(log.read_text()) from None
