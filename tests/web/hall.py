"""A table in a hall with real daemon and real eyes before simulated pictures; what lies there and how the camera hangs
is said by whoever holds it.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from controller.commands.demo.stage import Stage
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.mjpeg import MjpegServer
from controller.simulator.motion import Pose
from controller.simulator.pieces import opening
from controller.simulator.stills import still
from tests.web.client import Client

LOOK = LOOKS["pale-club"]
PIN = "471100"
PATIENCE_S = 240.0
EVERY_S = 0.2
ELSEWHERE = ((25.0, -15.0, 60.0), 5.0)
"""So a camera hangs that was put up again: in mm and degrees from before, with the whole board in sight."""


class Hall:
    """A table with a camera above it: what lies there, how the camera hangs, and the processes that watch it."""

    def __init__(self, folder: Path, calibrated: Path, pockets: str = 'kind = "none"') -> None:
        self.folder, self.file = folder, folder / "calibration.json"
        self.camera = Camera(LOOK, 1)
        self.rack = opening(LOOK.pieces, np.random.default_rng(5))
        self.server = MjpegServer(in_step=True)
        self.stage = Stage(folder)
        self._jpegs: tuple[bytes, ...] = ()
        self._done = threading.Event()
        self._lying: dict[int, Pose] = {}
        shutil.copyfile(calibrated, self.file)
        for name in ("run", "state"):
            (folder / name).mkdir()
        (folder / "pin").write_text(PIN)
        lens = LOOK.rig.lens
        (folder / "carrom.toml").write_text(
            f'[table]\nruntime = "{folder / "run"}"\nstate = "{folder / "state"}"\n[camera]\nkind = "mjpeg"\n'
            f'url = "{self.server.url}"\nwidth = {lens.width}\nheight = {lens.height}\nfps = 5\nring_mb = 32\n'
            f'calibration = "{self.file}"\n[pockets]\n{pockets}\n[mqtt]\nenabled = false\n'
            f'[web]\nhost = "127.0.0.1"\nport = 0\npin_file = "{folder / "pin"}"\n'
        )

    def show(self, lying: dict[int, Pose]) -> None:
        """So it lies from now on."""
        self._lying = lying
        # In turn: a camera's noise is another in each picture.
        self._jpegs = tuple(still(self.camera, lying).jpeg(LOOK.rig.jpeg) for _ in range(2))

    def hang(self, shift_mm: tuple[float, float, float], turn_deg: float) -> None:
        """The camera hangs there from now on."""
        self.camera.knock(self.camera.view.nudged(shift_mm, turn_deg))
        self.show(self._lying)

    def stream(self) -> None:
        turn = 0
        while not self._done.wait(EVERY_S):
            turn = 1 - turn
            self.server.offer(self._jpegs[turn], time.monotonic_ns(), 8_000_000)

    def end(self) -> None:
        self._done.set()
        self.stage.stop()
        self.server.stop()

    @property
    def client(self) -> Client:
        """Somebody who gave the PIN to the daemon that runs now."""
        until((self.folder / "state" / "http-port").exists)
        client = Client(int((self.folder / "state" / "http-port").read_text()))

        def there() -> bool:
            try:
                return client.login(PIN).status == 200
            except OSError:
                return False

        until(there)
        return client

    def sees(self, client: Client) -> str:
        """The camera in one word, as the pages have it."""
        return client.get("/state").json["health"]["camera"]


def until(holds: Callable[[], object]) -> None:
    """Waits until it is so."""
    waiting, ends = threading.Event(), time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < ends
        waiting.wait(0.1)


@contextmanager
def standing(folder: Path, calibrated: Path, pockets: str = 'kind = "none"') -> Iterator[Hall]:
    """A hall with daemon and eyes running. `pockets`: that section of the configuration."""
    hall = Hall(folder, calibrated, pockets)
    hall.show({})
    hall.server.start()
    thread = threading.Thread(target=hall.stream, daemon=True)
    thread.start()
    try:
        hall.stage.start("daemon", "run", "--config", str(folder / "carrom.toml"))
        hall.stage.start("eyes", "eyes", "--config", str(folder / "carrom.toml"))
        yield hall
    finally:
        hall.end()
        thread.join()
