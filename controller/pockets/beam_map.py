"""Which sensor of the node, or which line of the chip, looks through which pocket, and at which height.

Pure. Names are written `NE upper`, as in the configuration's `lines`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from controller.events.beams import Beam
from controller.events.errors import ConfigError
from controller.events.words import Pocket

POCKETS: tuple[Pocket, ...] = get_args(Pocket)
HEIGHTS: tuple[Beam, ...] = get_args(Beam)
Place = tuple[Pocket, Beam]


@dataclass(frozen=True, slots=True)
class BeamMap:
    """Sensor number → pocket and height. Sensors that are not in it are not fitted and are passed over."""

    places: Mapping[int, Place]

    @property
    def fitted(self) -> tuple[Place, ...]:
        """The beams that are there, in the order of their sensors."""
        return tuple(self.places[sensor] for sensor in sorted(self.places))

    @property
    def mask(self) -> int:
        """Bit s is set for each sensor s in the map."""
        return sum(1 << sensor for sensor in self.places)


def beam_map(lines: Mapping[str, int] | None = None) -> BeamMap:
    """Returns the map that a configuration's `lines` describe; without any, two beams a pocket in the order NE, NW,
    SE, SW, upper before lower.

    Raises ConfigError for a name that is no beam and for a number that stands twice.
    """
    if not lines:
        places = [(pocket, height) for pocket in POCKETS for height in HEIGHTS]
        return BeamMap(dict(enumerate(places)))
    found: dict[int, Place] = {}
    for name, number in lines.items():
        pocket, _, height = name.partition(" ")
        height = height or "upper"
        if pocket not in POCKETS or height not in HEIGHTS:
            raise ConfigError(f"pockets.lines: {name!r} is no beam. Fix: write it like 'NE upper' or 'SW lower'")
        if number in found:
            raise ConfigError(
                f"pockets.lines: {number} stands twice, for {' '.join(found[number])} and {name}. "
                "Fix: give each beam its own"
            )
        if number < 0:
            raise ConfigError(f"pockets.lines: {name} = {number} is no line. Fix: count from 0")
        found[number] = (pocket, height)
    return BeamMap(found)
