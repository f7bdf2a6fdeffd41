"""The scoreboard on a table's own screen: the browser as its unit starts it, without a screen, 800 × 480.

What the unit's command line promises is tried with that command line: the page comes when the table comes up later,
says so when the table goes, comes back by itself, and a browser that was killed starts without asking anything, on
a machine that was renamed, too.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from playwright.sync_api import expect

from controller.web import WebServer, create_app
from tests.mqtt.broker import free_port
from tests.patience import PATIENCE_S
from tests.web.conftest import ARGS
from tests.web.pretend import PretendTable

pytestmark = [pytest.mark.browser, pytest.mark.slow]
UNIT = Path(__file__).parents[2] / "systemd" / "carrom-kiosk.service"
LISTENS = re.compile(r"DevTools listening on (ws://\S+)")
ATTEMPTS = 4
AS_UNIT, PAGE = "/var/lib/carrom-kiosk/browser", "http://localhost:8080/"


class Kiosk:
    """The unit's browser. `start` and `kill` as often as wanted, on one profile."""

    def __init__(self, playwright, folder: Path, port: int) -> None:
        line = next(line for line in UNIT.read_text().splitlines() if line.startswith("ExecStart="))
        words = shlex.split(line.removeprefix("ExecStart="))
        own = words[words.index("--") + 1 :]
        assert own[0] == "/usr/bin/chromium"
        assert own[-1] == "${CARROM_PAGE}"
        assert f"Environment=CARROM_PAGE={PAGE}" in UNIT.read_text()
        self.profile = profile = folder / "browser"
        before = [line for line in UNIT.read_text().splitlines() if line.startswith("ExecStartPre=")]
        words = [shlex.split(line.removeprefix("ExecStartPre=-")) for line in before]
        self._before = [[word.replace(AS_UNIT, str(profile)) for word in line] for line in words]
        # Another place, another port, and no screen; everything else as on the table.
        flags = [flag.replace(AS_UNIT, str(profile)) for flag in own[1:-1] if not flag.startswith("--ozone")]
        assert f"--user-data-dir={profile}" in flags
        self._command = [
            shutil.which("chromium") or own[0],
            *flags,
            *ARGS,
            "--headless=new",
            "--screen-info={800x480}",
            "--remote-debugging-port=0",
            f"http://localhost:{port}/",
        ]
        self._playwright = playwright

    def start(self):
        """Starts it and returns its one page."""
        for line in self._before:
            subprocess.run(line, check=True)
        self._running = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        address = next(found[1] for line in self._running.stderr if (found := LISTENS.search(line)))
        # What it says later is read, too, or it would wait for a reader.
        self._reader = threading.Thread(target=self._running.stderr.read, daemon=True)
        self._reader.start()
        (context,) = self._connected(address).contexts
        return context.pages[0] if context.pages else context.wait_for_event("page")

    def _connected(self, address: str):
        """The browser at its debugging port. One that is just leaving a page for its error page may never answer the
        first to connect; it answers the next."""
        connect = partial(self._playwright.chromium.connect_over_cdp, address, timeout=PATIENCE_S * 1000 / ATTEMPTS)
        for _ in range(ATTEMPTS - 1):
            with suppress(PlaywrightTimeout):
                return connect()
        return connect()

    def kill(self) -> None:
        """As a power cut would."""
        os.killpg(self._running.pid, signal.SIGKILL)
        self._running.wait()
        self._reader.join()
        self._running.stderr.close()


def served(table: PretendTable, port: int) -> WebServer:
    server = WebServer(create_app(table), table.feed, "127.0.0.1", port)
    server.start()
    return server


def test_the_screen_starts_before_its_table_outlives_it_and_is_killed_itself(browsers, tmp_path):
    port, server = free_port(), None
    kiosk = Kiosk(browsers, tmp_path, port)
    try:
        page = kiosk.start()
        # The Pi has just started: the browser is up, the table is not. Chromium asks again by itself.
        server = served(PretendTable(), port)
        expect(page.locator("#bands")).to_contain_text("Asha")
        assert page.evaluate("[innerWidth, innerHeight]") == [800, 480]
        assert page.evaluate("document.documentElement.scrollWidth") <= 800
        server.stop()
        expect(page.locator("#watch")).to_contain_text("last heard")
        expect(page.locator("#bands")).to_contain_text("Asha")
        server = served(PretendTable(), port)
        expect(page.locator("#watch")).not_to_contain_text("last heard")
        kiosk.kill()
        lock = kiosk.profile / "SingletonLock"
        lock.unlink()
        lock.symlink_to("as-it-was-called-before-1342")
        page = kiosk.start()
        expect(page.locator("#bands")).to_contain_text("Asha")
    finally:
        kiosk.kill()
        if server is not None:
            server.stop()
