"""How soon every page says what the table has lost. Real daemon, broker, serial line, pages; the bench plays the eyes.

Measured from the loss to the state on a page's stream, several times each, at no fixed moment of anybody's period. With
the camera stopped the eyes say so after 0.8 s (their own process, `house`: pictures from the simulated camera cease).
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.bench.figure import Figure
from tests.mqtt.broker import MOSQUITTO
from tests.table.wired import Wired, connected, wired

WITHIN_S = 3.0
DISK_MB = 300
FILLED_MB = 150
"""Of that disk; fewer than the 200 MB that a journal should have are left."""

Health = dict[str, Any]


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures; `long`: more times each."""
    if MOSQUITTO is None:
        yield Figure("notices", "host", "not measured", note="mosquitto is not installed")
        return
    times = 10 if long else 4
    with _disk() as (folder, own), wired(folder) as table:
        page = _Page(table)
        for name, lose, find, wanted in _losses(table, folder, full=own):
            took = []
            with table.looking() if not name.startswith("eyes") else contextlib.nullcontext():
                for _ in range(times):
                    _well(table, page)
                    took.append(page.until(wanted, lose))
                    find()
            yield _figure(name, took)
        if not own:
            yield Figure("disk full to every page", "host", "not measured", note="no disk of its own could be mounted")
    with tempfile.TemporaryDirectory() as keep:
        yield _figure("camera stopped", list(_camera(Path(keep), times)))


def _figure(name: str, took: list[float]) -> Figure:
    middle = sorted(took)[len(took) // 2]
    spread = f"{middle:.2f} s median, {max(took):.2f} s worst of {len(took)}"
    return Figure(f"{name} to every page", "host", spread, f"below {WITHIN_S:g} s", max(took) < WITHIN_S)


def _losses(
    table: Wired, folder: Path, *, full: bool
) -> Iterator[tuple[str, Callable[[], None], Callable[[], None], Callable[[Health], bool]]]:
    """What is lost, how, how it is found again, and what the page then says."""
    frozen = contextlib.ExitStack()

    def hold() -> None:
        frozen.enter_context(table.node._lock)

    yield "broker frozen", table.broker.freeze, table.broker.thaw, lambda said: said["broker"] == "lost"
    yield "pocket node frozen", hold, frozen.close, lambda said: said["node"] == "stale"
    if full:
        ballast = folder / "ballast"
        yield (
            "disk full",
            lambda: _fill(ballast),
            ballast.unlink,
            lambda said: said["disk"] < 200 * 2**20,
        )
    # From their last word on, which is a moment ago.
    yield "eyes frozen", lambda: None, lambda: None, lambda said: said["camera"] == "silent"
    yield "eyes killed", lambda: _hang_up(table), _again(table), lambda said: said["camera"] == "away"


def _hang_up(table: Wired) -> None:
    table.eyes.close()


def _again(table: Wired) -> Callable[[], None]:
    def connect() -> None:
        table.eyes = connected(table.folder / "run" / "eyes.sock")

    return connect


def _fill(path: Path) -> None:
    with path.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, FILLED_MB * 2**20)


def _well(table: Wired, page: _Page) -> None:
    """Everything works again, and the moment of the loss is nobody's."""
    while not page.until_now(lambda said: said["armed"] == "armed" and said["broker"] == "ok", 0.3):
        table.rest()
    time.sleep(random.uniform(0.0, 1.0))
    table.rest()


class _Page:
    """A page that is open, and the health that it shows."""

    def __init__(self, table: Wired) -> None:
        self._shown: list[tuple[float, Health]] = []
        self._news = threading.Condition()
        self._stream = table.page.stream()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for kind, body in self._stream:
                if kind == "state":
                    with self._news:
                        self._shown.append((time.monotonic(), body["health"]))
                        self._news.notify_all()

    def until_now(self, wanted: Callable[[Health], bool], seconds: float) -> bool:
        """Whether the page shows it by then."""
        with self._news:
            return self._news.wait_for(lambda: bool(self._shown) and wanted(self._shown[-1][1]), seconds)

    def until(self, wanted: Callable[[Health], bool], lose: Callable[[], object]) -> float:
        """Loses something. Returns how long it took until the page said so."""
        began = time.monotonic()
        lose()
        with self._news:
            assert self._news.wait_for(lambda: wanted(self._shown[-1][1]) and self._shown[-1][0] >= began, 60)
            return next(at for at, said in self._shown if at >= began and wanted(said)) - began


def _camera(folder: Path, times: int) -> Iterator[float]:
    """The eyes' own process, whose camera's pictures cease while its connection stands."""
    from controller.commands.demo.house import Plan, built, open_eyes
    from controller.commands.demo.show import Show
    from tests.web.client import Client

    going = threading.Event()
    going.set()
    with built(Plan(seed=11, scenario="clean", keep=folder / "demo")) as house:
        open_eyes(house, Plan(seed=11))
        show = Show(house.board, house.ears, house.official, lambda *_: None)

        def shown(happening: Any) -> None:
            going.wait()
            show.shown(happening)

        threading.Thread(target=house.board.run, args=(show.decide, shown), daemon=True).start()
        page = _Page(_Pages(Client(int(house.url.rpartition(":")[2]))))  # type: ignore[arg-type]
        for _ in range(times):
            assert page.until_now(lambda said: said["camera"] == "ok", 120)
            time.sleep(random.uniform(0.5, 1.5))
            yield page.until(lambda said: said["camera"] == "stalled", going.clear)
            going.set()
        house.board.stop()


class _Pages:
    def __init__(self, page: Any) -> None:
        self.page = page


@contextlib.contextmanager
def _disk() -> Iterator[tuple[Path, bool]]:
    """A folder on a small disk of its own, where one may be mounted; else any folder."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", folder]
        own = shutil.which("mount") is not None and subprocess.run(mount, capture_output=True).returncode == 0
        try:
            yield Path(folder), own
        finally:
            if own:
                subprocess.run(["umount", "-l", folder], check=False)
