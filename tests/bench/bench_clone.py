"""How long a newcomer waits: from `git clone` to pieces that move on the demo's page, set-up counted.

Downloads what `make demo` downloads, so it is only done with --long. The commit that is cloned is HEAD.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.bench.figure import Figure

HERE = Path(__file__).parents[2]
CHROMIUM = Path("/usr/bin/chromium")
WANTED_S = 90.0
PATIENCE_S = 400.0
MOVED_MM = 5.0

PIECES = "[...document.querySelectorAll('#b-pieces circle.p')].map(c => [c.cx.baseVal.value, c.cy.baseVal.value])"
MOVED = (
    f"before => {{ const now = {PIECES}; return now.some(([x, y]) => "
    f"Math.min(...before.map(([a, b]) => Math.hypot(a - x, b - y))) > {MOVED_MM}); }}"
)
"""Whether a piece lies where none lay before."""


def run(long: bool) -> Iterable[Figure]:
    """Yields one figure, with what the machine did meanwhile."""
    name = "clone to moving pieces in the browser"
    if not long or not CHROMIUM.exists():
        yield Figure(name, "host", "not measured", note="it downloads; --long does it" if not long else "no chromium")
        return
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="carrom-clone-") as folder:
        took = _clone_to_motion(Path(folder))
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime
    parts = ", ".join(f"{what} {seconds:.0f} s" for what, seconds in took.items())
    note = f"{parts}; {cpu:.0f} s of CPU, the browser's with it; load {os.getloadavg()[0]:.1f}"
    total = took["in all"]
    yield Figure(name, "host", f"{total:.0f} s", f"at most {WANTED_S:.0f} s", total <= WANTED_S, note)


def _clone_to_motion(folder: Path) -> dict[str, float]:
    from playwright.sync_api import sync_playwright

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    clone = folder / "carrom-umpire"
    log = folder / "demo.log"
    began = time.monotonic()
    took = {}
    subprocess.run(["git", "clone", "-q", str(HERE), str(clone)], check=True)
    with log.open("wb") as stream:
        demo = subprocess.Popen(
            ["make", "-s", "demo", f"ARGS=--headless --http {port}"],
            cwd=clone,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
            start_new_session=True,
        )
    try:
        while not _answers(port):
            assert demo.poll() is None, log.read_text()
            assert time.monotonic() - began < PATIENCE_S, log.read_text()
            time.sleep(0.1)
        took["to the page"] = time.monotonic() - began
        with sync_playwright() as driver:
            args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update"]
            browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=[*args, "--disable-sync"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector("#b-pieces circle.p", timeout=PATIENCE_S * 1000)
            took["to the pieces"] = time.monotonic() - began
            page.wait_for_function(MOVED, arg=page.evaluate(PIECES), timeout=PATIENCE_S * 1000)
            took["in all"] = time.monotonic() - began
            browser.close()
    finally:
        if demo.poll() is None:
            os.killpg(demo.pid, signal.SIGINT)
        demo.wait(60)
    return took


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0
