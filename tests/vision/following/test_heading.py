"""Which way a striker set out, with an error that holds: half hidden by a finger, met at once, nobody saw it lie."""

from __future__ import annotations

from math import cos, radians, sin

import pytest

from controller.vision.following.striker import Heading, heading_of
from controller.vision.following.tracks import Measurement

FRAME_NS = 16_666_667
LAY = (-40.0, -254.0)


def run(
    deg: float, count: int = 12, *, start: tuple[float, float] = LAY, aside_mm: tuple[float, ...] = ()
) -> list[Measurement]:
    """Marks 17 mm apart in that direction; the first ones lie aside, to the left, by so much."""
    ux, uy = cos(radians(deg)), sin(radians(deg))
    aside = [*aside_mm, *([0.0] * count)][:count]
    return [
        Measurement(k * FRAME_NS, start[0] + 17.0 * (k + 1) * ux - off * uy, start[1] + 17.0 * (k + 1) * uy + off * ux)
        for k, off in enumerate(aside)
    ]


def holds(found: Heading | None, deg: float) -> bool:
    assert found is not None
    return abs((found.deg - deg + 180.0) % 360.0 - 180.0) <= 2.0 * found.u_deg


@pytest.mark.parametrize("deg", [90.0, 3.0, -3.0, 178.0, -91.0, -178.0])
@pytest.mark.parametrize("lay", [LAY, None], ids=["seen to lie", "not seen to lie"])
def test_a_straight_path_tells(deg: float, lay: tuple[float, float] | None) -> None:
    found = heading_of(run(deg), lay)
    assert found is not None
    assert found.deg == pytest.approx(deg, abs=0.01)
    assert found.u_deg < 1.0


def test_its_first_pictures_half_behind_a_finger_do_not_turn_it() -> None:
    found = heading_of(run(20.0, aside_mm=(-6.0, 3.0)), LAY)
    assert holds(found, 20.0)
    assert found is not None
    assert found.deg == pytest.approx(20.0, abs=1.5)


def test_a_path_that_leads_past_where_it_lay_is_not_believed_far() -> None:
    beside = (LAY[0], LAY[1] + 30.0)
    found = heading_of(run(10.0, 6, start=beside), LAY)
    assert found is not None
    assert found.u_deg > 5.0
