"""A NodeCore at the far end of a pty: what stands in for a node wherever the real driver is tested."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
import tty
from collections.abc import Callable, Iterable

from controller.pockets.node_protocol import NodeCore


class PtyNode:
    """Runs a node's core against a pty in a thread of its own, on the clock that it is given."""

    def __init__(self, core: NodeCore, now_us: Callable[[], int] | None = None) -> None:
        began = time.monotonic_ns()
        self.now_us = now_us or (lambda: (time.monotonic_ns() - began) // 1000)
        self.core = core
        self.lock = threading.Lock()
        self._master = -1
        self.port = ""
        self._plugged = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def plug(self) -> str:
        """Makes a pty and returns its name."""
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self.port = os.ttyname(slave)
        os.close(slave)
        self._master = master
        self._plugged.set()
        return self.port

    def unplug(self) -> None:
        """Pulls the cable; the node itself runs on."""
        with self.lock:
            self._plugged.clear()
            os.close(self._master)

    def edge(self, sensor: int, blocked: bool) -> int:
        with self.lock:
            us = self.now_us()
            self.core.beam(sensor, blocked, us)
            return us

    def edges(self, edges: Iterable[tuple[int, int, bool]]) -> None:
        """Plays edges (microseconds from now, sensor, blocked), stamped to the microsecond as an interrupt does it.

        However late this thread runs, the widths between edges stay as they were asked for; the node's own loop stands
        still meanwhile, so nothing that it sends says otherwise.
        """
        with self.lock:
            began_us = self.now_us()
            for after_us, sensor, blocked in edges:
                while (wait_us := began_us + after_us - self.now_us()) > 0:
                    time.sleep(wait_us / 1e6)
                self.core.beam(sensor, blocked, began_us + after_us)

    def __enter__(self) -> PtyNode:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        if self._plugged.is_set():
            os.close(self._master)

    def _run(self) -> None:
        while not self._stop.is_set():
            if not self._plugged.wait(0.02):
                continue
            with contextlib.suppress(OSError, ValueError):
                select.select([self._master], [], [], 0.002)
            with self.lock:
                if not self._plugged.is_set():
                    continue
                # A pty without an open far end answers EIO: nobody listens, which is nothing new to a node.
                with contextlib.suppress(OSError):
                    self.core.received(os.read(self._master, 4096), self.now_us())
                data = self.core.pump(self.now_us())
                with contextlib.suppress(OSError):
                    os.write(self._master, data)
