"""A real daemon without camera, sensors or broker: pages, rules, journal. Strokes are said by whoever gave the PIN."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from controller.commands.demo.leash import leashed
from tests.web.client import Client

PIN = "471100"


@contextlib.contextmanager
def bare_daemon(folder: Path, more: str = "") -> Iterator[Client]:
    """Gives a client who has given the PIN. `more`: further sections of the configuration."""
    for name in ("run", "state"):
        (folder / name).mkdir()
    (folder / "pin").write_text(PIN)
    (folder / "carrom.toml").write_text(
        f'[table]\nruntime = "{folder / "run"}"\nstate = "{folder / "state"}"\n[camera]\nkind = "none"\n'
        f'[pockets]\nkind = "none"\n[mqtt]\nenabled = false\n'
        f'[web]\nhost = "127.0.0.1"\nport = 0\npin_file = "{folder / "pin"}"\n{more}'
    )
    command = [sys.executable, "-m", "controller.cli", "run", "--config", str(folder / "carrom.toml")]
    port = folder / "state" / "http-port"
    with (folder / "log").open("wb") as log, subprocess.Popen(leashed(command), stdout=log, stderr=log) as daemon:
        try:
            while not (port.exists() and port.read_text().endswith("\n")):
                assert daemon.poll() is None, (folder / "log").read_text()
                time.sleep(0.05)
            client = Client(int(port.read_text()))
            assert client.login(PIN).status == 200
            yield client
        finally:
            daemon.terminate()
