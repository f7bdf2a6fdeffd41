"""The node's sensors as last reported: which are blocked, watched and noisy. Must not know of edges' numbers."""

from __future__ import annotations

from controller.pockets.beam_map import BeamMap, Place
from controller.pockets.codec import Line


class Sensors:
    """The eight sensors of one node, by its last beat and the edges since."""

    def __init__(self, beams: BeamMap) -> None:
        self._beams = beams
        self.levels = 0
        """Bit s is set while sensor s is blocked."""
        self.use = 0xFF
        """Bit s is set while the node watches sensor s."""
        self.noise: tuple[int, ...] = (0,) * 8
        """The node's count of suspiciously short pulses, by sensor."""
        self.margins: tuple[int, ...] | None = None
        """Margin of each beam (0 to 255) where the node measures it."""

    def beat(self, line: Line) -> None:
        """Takes a beat."""
        self.levels = sum(1 << place for place, bit in enumerate(line.text("lvl")) if bit == "1")
        self.use = line.number("use")
        self.noise = tuple(bytes.fromhex(line.text("noise")))
        self.margins = tuple(bytes.fromhex(line.text("margin"))) if "margin" in line.values else None

    def edge(self, sensor: int, *, blocked: bool) -> None:
        """Takes an edge."""
        self.levels = self.levels & ~(1 << sensor) | blocked << sensor

    @property
    def blocked(self) -> tuple[Place, ...]:
        """The beams that are blocked now."""
        return tuple(place for sensor, place in sorted(self._beams.places.items()) if self.levels >> sensor & 1)

    @property
    def counts_by_place(self) -> dict[Place, int]:
        """The noise count of each fitted beam."""
        return {place: self.noise[sensor] for sensor, place in self._beams.places.items() if sensor < len(self.noise)}
