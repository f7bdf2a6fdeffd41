"""The node's real firmware on a simulated chip, kept in step with the simulated clock (`carrom demo --node simavr`).

Only drives pins and time; what the firmware says goes over its own pty to whoever reads the port.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from controller.events.beams import Beam
from controller.events.words import Pocket
from controller.pockets.beam_map import BeamMap, beam_map
from controller.pockets.simavr_node import SimavrNode

_STEP_S = 0.004
"""How often, in real time, the chip is let run up to the simulated clock."""


class ChipNode:
    """A `Node` made of the firmware that ships. Raises DeviceError where the harness cannot be built."""

    def __init__(self, now_ns: Callable[[], int], beams: BeamMap | None = None) -> None:
        self._now_ns = now_ns
        self._began_ns = now_ns()
        self._sensors = {place: sensor for sensor, place in (beams or beam_map()).places.items()}
        self._chip = SimavrNode()
        self.port = self._chip.start()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pocket-chip", daemon=True)

    def start(self) -> None:
        """Lets its time run."""
        self._thread.start()

    def beam(self, pocket: Pocket, beam: Beam, blocked: bool, t_ns: int) -> None:
        """A beam is broken or free again at a simulated time."""
        sensor = self._sensors.get((pocket, beam))
        if sensor is not None:
            with self._lock:
                self._chip.pin(self._us(t_ns), sensor, blocked)

    def stop(self) -> None:
        """Switches the chip off."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._chip.stop()

    def _us(self, t_ns: int) -> int:
        return (t_ns - self._began_ns) // 1000

    def _run(self) -> None:
        while not self._stop.wait(_STEP_S):
            with self._lock:
                self._chip.until(self._us(self._now_ns()))
