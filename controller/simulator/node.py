"""The simulated pocket node: the node's half of the protocol on a pty, with a clock of its own that drifts.

Knows beams by their pocket and height, and which sensor looks where; nothing of pieces.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import tty
from collections.abc import Callable
from typing import Protocol

from controller.events.beams import Beam
from controller.events.words import Pocket
from controller.pockets.beam_map import BeamMap, beam_map
from controller.pockets.node_protocol import NodeCore


class Node(Protocol):
    """Whatever stands at the far end of the serial line."""

    port: str

    def beam(self, pocket: Pocket, beam: Beam, blocked: bool, t_ns: int) -> None:
        """A beam is broken or free again at a simulated time."""

    def stop(self) -> None:
        """Ends it."""


class EmulatedNode:
    """Runs a node's core against a pty, on the simulated clock seen through a crystal that is a little off.

    `ppm`: how much too fast its clock runs; `ahead_s`: how long it had been running when the match began.
    """

    def __init__(
        self,
        now_ns: Callable[[], int],
        *,
        boot: int = 0x51D2,
        ppm: float = 45.0,
        ahead_s: float = 12.5,
        beams: BeamMap | None = None,
    ) -> None:
        self._now_ns = now_ns
        self._ppm = ppm
        self._ahead_ns = int(ahead_s * 1e9)
        self._began_ns = now_ns()
        self._sensors = {place: sensor for sensor, place in (beams or beam_map()).places.items()}
        self._core = NodeCore(boot=boot, us=self._us(now_ns()))
        self._lock = threading.Lock()
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self.port = os.ttyname(slave)
        # Kept open, so that the far end may be closed and opened again by the driver.
        self._master, self._slave = master, slave
        self._wake = os.pipe()
        self._stopped = False
        self._unsent = b""
        self._thread = threading.Thread(target=self._run, name="pocket-node", daemon=True)

    def start(self) -> None:
        """Begins to listen and to beat."""
        self._thread.start()

    def stop(self) -> None:
        """Pulls the cable."""
        self._stopped = True
        os.write(self._wake[1], b"x")
        self._thread.join()
        for end in (self._master, self._slave, *self._wake):
            os.close(end)

    def beam(self, pocket: Pocket, beam: Beam, blocked: bool, t_ns: int) -> None:
        """A beam changes; the node stamps it with its own clock."""
        sensor = self._sensors.get((pocket, beam))
        if sensor is None:
            return
        with self._lock:
            self._core.beam(sensor, blocked, self._us(t_ns))
        os.write(self._wake[1], b"x")

    @property
    def unsaved(self) -> int:
        """How many edges nobody has acknowledged yet."""
        with self._lock:
            return self._core.unsaved

    def reboot(self, boot: int) -> None:
        """The node loses power for a moment: a new boot, its clock begins anew, what was not sent is gone."""
        with self._lock:
            self._began_ns, self._ahead_ns = self._now_ns(), 0
            self._core = NodeCore(boot=boot, us=0, reset="brown")

    def _us(self, t_ns: int) -> int:
        return int((t_ns - self._began_ns + self._ahead_ns) * (1 + self._ppm * 1e-6)) // 1000

    def _run(self) -> None:
        while not self._stopped:
            ready, _, _ = select.select([self._master, self._wake[0]], [], [], 0.005)
            if self._wake[0] in ready:
                os.read(self._wake[0], 4096)
            with self._lock:
                now = self._us(self._now_ns())
                if self._master in ready:
                    with contextlib.suppress(OSError):
                        self._core.received(os.read(self._master, 4096), now)
                self._unsent += self._core.pump(now)
            self._send()

    def _send(self) -> None:
        """Writes what the line takes; with nobody reading, the oldest bytes are lost as on a wire."""
        with contextlib.suppress(BlockingIOError):
            self._unsent = self._unsent[os.write(self._master, self._unsent) :] if self._unsent else b""
        self._unsent = self._unsent[-65536:]
