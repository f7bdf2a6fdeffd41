"""The simulated table outside the machine: its pictures and beams go to the devices inside (`guest/devices.py`).

A machine that is emulated is slow, and draws no pictures; what is drawn here waits there until it is due by the
machine's own clock. Stands where the demo's stream and node stand. Must not know how the machine is started.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable
from typing import Any

from controller.events.beams import Beam
from controller.events.words import Pocket
from controller.pockets.beam_map import beam_map
from controller.simulator.clock import EPOCH_NS
from tests.system.machine import MachineError

AHEAD = 12
"""Pictures on their way or waiting to be due: with them the machine's camera keeps its pace."""
PATIENCE_S = 900.0
"""Seconds of this machine for an answer."""


class Line:
    """The way to the devices. Listens on a port of this machine from its making on; `join` waits for them."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = ""
        self._channel: socket.socket | None = None
        self._said = threading.Condition()
        self._unshown = 0
        self._did: list[dict[str, Any]] = []
        self._ended = False
        self._beams: list[tuple[float, int, bool]] = []
        self._sensors = {place: sensor for sensor, place in beam_map().places.items()}
        self.port = str(self._listener.getsockname()[1])

    def join(self) -> None:
        """Waits until the devices are there. Raises MachineError."""
        self._listener.settimeout(PATIENCE_S)
        try:
            self._channel, _ = self._listener.accept()
        except TimeoutError as error:
            raise MachineError("the devices in the machine do not call") from error
        threading.Thread(target=self._listen, args=(self._channel,), daemon=True).start()

    def close(self) -> None:
        """Lets go of the devices; those inside end."""
        self._listener.close()
        if self._channel is not None:
            with contextlib.suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)
            self._channel.close()

    def shown(self) -> None:
        """Waits until all pictures that were sent have been shown. Raises MachineError."""
        self._until(lambda: not self._unshown, "the devices in the machine take no more pictures")

    def plug(self, what: str) -> float:
        """Plugs in `camera` or `node`. Returns the machine's monotonic time at which it was done."""
        return self._have({"do": "plug", "what": what})

    def pull(self, what: str) -> float:
        """Pulls its cable. Returns the machine's monotonic time at which it was done."""
        return self._have({"do": "pull", "what": what})

    # what stands for the demo's stream ------------------------------------------------------------------------------

    def start(self) -> None:
        """It stands already."""

    def stop(self) -> None:
        """As `start`; for the node as well."""

    def wait_for_client(self, timeout_s: float) -> bool:
        """The devices are there."""
        return True

    def offer(self, jpeg: bytes, t_ns: int, exposure_ns: int) -> bool:
        """Sends a picture and what the beams did before it; waits while enough are on their way."""
        self._until(lambda: self._unshown < AHEAD, "the devices in the machine take no more pictures")
        with self._said:
            self._unshown += 1
        beams, self._beams = self._beams, []
        self._send({"do": "frame", "t": (t_ns - EPOCH_NS) / 1e9, "beams": beams, "bytes": len(jpeg)}, jpeg)
        return True

    # what stands for the demo's node --------------------------------------------------------------------------------

    def beam(self, pocket: Pocket, beam: Beam, blocked: bool, t_ns: int) -> None:
        """A beam changes; it goes with the next picture, with its own time."""
        if (sensor := self._sensors.get((pocket, beam))) is not None:
            self._beams.append(((t_ns - EPOCH_NS) / 1e9, sensor, blocked))

    def _have(self, said: dict[str, Any]) -> float:
        before = len(self._did)
        self._send(said)
        self._until(lambda: len(self._did) > before, f"the devices in the machine do not do it: {said}")
        return float(self._did[-1]["at"])

    def _until(self, holds: Callable[[], bool], failure: str) -> None:
        with self._said:
            self._said.wait_for(lambda: self._ended or holds(), PATIENCE_S)
            if not holds():
                raise MachineError(failure)

    def _send(self, said: dict[str, Any], more: bytes = b"") -> None:
        assert self._channel is not None
        try:
            self._channel.sendall(json.dumps(said).encode() + b"\n" + more)
        except OSError as error:
            raise MachineError(f"the devices in the machine are gone: {error}") from error

    def _listen(self, channel: socket.socket) -> None:
        with contextlib.suppress(OSError):
            for text in channel.makefile("rb"):
                said = json.loads(text)
                with self._said:
                    if "shown" in said:
                        self._unshown -= 1
                    else:
                        self._did.append(said)
                    self._said.notify_all()
        with self._said:
            self._ended = True
            self._said.notify_all()
