"""What the nets' places are off by, beyond what the second net itself states: fitted, with the nets, on pictures.

`places.json` beside the nets holds the figures; `python -m tests.bench.eyes.fit_places` fits them anew for other nets.
Must not know pictures or cameras.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from calibration.camera import Floats

FIGURES = "places.json"
SHADE_MM = (-1.05, 2.97, 1.13, 1.12)
"""How far white, black, queen and striker seem to lie towards their shaded side, in mm for a slope of 1 in the light
about them (`placing.slope_of_light`): a shadow looks like a part of what is dark, and cuts off what is pale. Fitted on
28 path-traced tables. On 18 others, and on eleven of another path tracer, the mean error is less by 6 and by 8 %."""


@dataclass(frozen=True, slots=True)
class Below:
    """How far below a piece's top face the outlines stand that the nets go by: mean and one standard deviation, mm."""

    mean_mm: float
    sd_mm: float


@dataclass(frozen=True, slots=True)
class Errors:
    """`coin`, `striker`: of turned pieces, whose rims are rounded; `sharp`: of pieces with sharp edges.

    u95² is `camera_mm`², what lens and pose leave open (0.12 mm, one standard deviation), and of a place's own variance
    `stated` (what 95 % of a normal distribution takes) and `unsure` for each mm² of the mean variance that the net
    states in that picture: where it is unsure of all, the table is unlike those of its training, and it is off by
    more than it states.
    """

    coin: Below
    striker: Below
    sharp: Below
    camera_mm: float
    stated: float
    unsure: float

    def u95_mm(self, var: Floats, sd_mm: Floats) -> Floats:
        """The radius in mm that holds the centre of each of N pieces of one picture in 95 % of cases, (N,).

        `var` (N,) mm², by net and outline; `sd_mm` (N,) as the net states it.
        """
        unsure = float((sd_mm**2).mean()) if len(sd_mm) else 0.0
        u95 = np.sqrt(self.camera_mm**2 + var * (self.stated + self.unsure * unsure))
        return np.asarray(u95, dtype=np.float64)


@cache
def _fitted() -> Errors:
    said = json.loads(files(__package__).joinpath(FIGURES).read_text(encoding="utf-8"))
    coin, striker, sharp = (Below(*said["below_mm"][name]) for name in ("coin", "striker", "sharp"))
    return Errors(coin, striker, sharp, **said["u95"])


ERRORS = _fitted()
