"""Learns which sensor looks through which pocket: a coin through each, in any order, and somebody says which it was.

Pure: edges and names in, a map out. Works on sensors, whatever they were called before.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.events.words import Pocket
from controller.pockets.beam_map import POCKETS

MS = 1_000_000
QUIET_NS = 300 * MS
NOISE_NS = MS // 2


@dataclass(frozen=True, slots=True)
class Drop:
    """A coin fell: the sensors that it passed, in order."""

    sensors: tuple[int, ...]


class Learner:
    """Groups edges into drops and drops into a map."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        self._real: set[int] = set()
        self._blocked: set[int] = set()
        self._last_ns = 0
        self.places: dict[str, int] = {}

    def edge(self, sensor: int, blocked: bool, t_ns: int) -> None:
        """Takes an edge of a sensor."""
        self._last_ns = t_ns
        if blocked:
            self._blocked.add(sensor)
            self._first.setdefault(sensor, t_ns)
            return
        self._blocked.discard(sensor)
        if sensor in self._first and t_ns - self._first[sensor] >= NOISE_NS:
            self._real.add(sensor)

    def drop(self, t_ns: int) -> Drop | None:
        """Returns the drop that is over by `t_ns`, once."""
        if self._blocked or not self._first or t_ns - self._last_ns < QUIET_NS:
            return None
        sensors = tuple(sorted(self._real, key=lambda sensor: self._first[sensor]))
        self._first.clear()
        self._real.clear()
        return Drop(sensors) if sensors else None

    def name(self, drop: Drop, pocket: Pocket) -> str:
        """Says that this drop was through that pocket. Returns what is wrong with that, or nothing."""
        if len(drop.sensors) > 2:
            numbers = ", ".join(str(sensor) for sensor in drop.sensors)
            return f"sensors {numbers} fired: that was more than one pocket. Drop one coin at a time"
        others = {sensor: place for place, sensor in self.places.items() if not place.startswith(pocket)}
        for sensor in drop.sensors:
            if sensor in others:
                return f"sensor {sensor} is already {others[sensor]}. Drop again, or check the wiring"
        for place in [place for place in self.places if place.startswith(pocket)]:
            del self.places[place]
        for height, sensor in zip(("upper", "lower"), drop.sensors, strict=False):
            self.places[f"{pocket} {height}"] = sensor
        return ""

    @property
    def missing(self) -> tuple[Pocket, ...]:
        """The pockets that no coin was named for yet."""
        return tuple(pocket for pocket in POCKETS if not any(place.startswith(pocket) for place in self.places))

    def toml(self) -> str:
        """Returns the lines for the configuration."""
        pairs = ", ".join(f'"{place}" = {sensor}' for place, sensor in sorted(self.places.items()))
        return f"[pockets]\nlines = {{ {pairs} }}"
