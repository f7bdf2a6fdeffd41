"""What paths tell, against motions whose truth is written by hand."""

from __future__ import annotations

from math import hypot

import pytest

from calibration.board import DEFAULT_BOARD
from controller.vision.following.free_runs import cushion_between, into_pocket, leg_through, meeting, set_off, split
from controller.vision.following.motion import Disc, run
from controller.vision.following.tracks import Measurement

FRAME_NS = 16_666_667
BRAKE = 450.0


def slide(x: float, y: float, vx: float, vy: float, count: int, t0_ns: int = 0) -> list[Measurement]:
    """Marks of a piece sliding freely from a place, one a frame."""
    speed = hypot(vx, vy)
    marks = []
    for k in range(count):
        s = k * FRAME_NS / 1e9
        way = speed * s - 0.5 * BRAKE * s * s
        marks.append(Measurement(t0_ns + k * FRAME_NS, x + way * vx / speed, y + way * vy / speed))
    return marks


def test_a_leg_gives_place_and_speed_back() -> None:
    leg = leg_through(slide(10.0, 20.0, 600.0, -800.0, 6), BRAKE)
    assert leg is not None
    assert leg.at(0) == pytest.approx((10.0, 20.0), abs=0.01)
    assert leg.speed(0) == pytest.approx(1000.0, rel=0.01)
    assert leg.speed(5 * FRAME_NS) == pytest.approx(1000.0 - BRAKE * 5 / 60, rel=0.01)


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_marks_make_no_leg(count: int) -> None:
    assert leg_through(slide(0.0, 0.0, 100.0, 0.0, count)) is None


def test_a_path_is_cut_where_it_bends() -> None:
    first = slide(0.0, 0.0, 1000.0, 0.0, 6)
    x, y = first[-1].x_mm, first[-1].y_mm
    second = slide(x, y, 0.0, 700.0, 6, first[-1].t_ns)[1:]
    parts = split([*first, *second])
    assert [len(part) for part in parts] == [6, 5]


def test_a_straight_path_is_not_cut() -> None:
    assert len(split(slide(0.0, 0.0, 1500.0, 200.0, 30))) == 1


def test_first_motion_is_traced_back() -> None:
    true_ns = 5_000_000
    marks = slide(-60.0, -252.0, 0.0, 1800.0, 5, true_ns)[1:]
    t, error = set_off((-60.0, -252.0), marks, None)
    assert abs(t - true_ns) < max(error, 1_000_000)
    assert error < 3_000_000


def test_a_bent_path_does_not_pretend_to_know_first_motion() -> None:
    marks = slide(0.0, 0.0, 1800.0, 0.0, 5, FRAME_NS)
    t, error = set_off((-40.0, -60.0), marks, 0)
    assert (t, error) == (FRAME_NS // 2, FRAME_NS // 2)


def test_a_fall_is_timed_where_the_centre_passes_the_rim() -> None:
    centre = DEFAULT_BOARD.pockets_mm["NE"]
    radius = DEFAULT_BOARD.pocket_radius_mm
    marks = slide(200.0, 200.0, 1000.0, 1000.0, 7)
    far = hypot(centre[0] - 200.0, centre[1] - 200.0) - radius
    speed = hypot(1000.0, 1000.0)
    true_s = (speed - (speed * speed - 2 * BRAKE * far) ** 0.5) / BRAKE
    t, error, place = into_pocket(marks[:5], centre, radius, FRAME_NS)
    assert abs(t / 1e9 - true_s) < 0.01
    assert error < 50_000_000
    assert hypot(place[0] - centre[0], place[1] - centre[1]) == pytest.approx(radius, abs=3.0)


def test_a_meeting_is_where_the_path_first_comes_within_reach() -> None:
    leg = leg_through(slide(0.0, -200.0, 0.0, 1500.0, 5))
    assert leg is not None
    at = (20.0, 50.0)
    stood_y = 50.0 - (36.15**2 - 20.0**2) ** 0.5
    found = meeting(leg, at, 0, 400_000_000, 36.15)
    assert found is not None
    assert leg.at(found[0])[1] == pytest.approx(stood_y, abs=8.0)
    assert found[1] == pytest.approx(20.0 - 36.15, abs=1.0), "it leads over it"


def test_a_path_that_passes_by_says_by_how_much() -> None:
    leg = leg_through(slide(0.0, -200.0, 0.0, 1500.0, 5))
    assert leg is not None
    found = meeting(leg, (60.0, 50.0), 0, 400_000_000, 36.15)
    assert found is not None
    assert found[1] == pytest.approx(60.0 - 36.15, abs=1.0)


def test_a_cushion_is_found_between_two_legs() -> None:
    radius = 20.65
    before = slide(0.0, 250.0, 300.0, 1000.0, 6)
    wall = DEFAULT_BOARD.half_mm - radius
    first = leg_through(before)
    assert first is not None
    s = (wall - before[-1].y_mm) / first.velocity(before[-1].t_ns)[1]
    hit_ns = before[-1].t_ns + round(s * 1e9)
    x = first.at(hit_ns)[0]
    away = slide(x, wall, 280.0, -700.0, 8, hit_ns)
    later = [mark for mark in away if mark.t_ns > hit_ns][:5]
    second = leg_through(later)
    assert second is not None
    hit = cushion_between(first, second, DEFAULT_BOARD, radius)
    assert hit is not None
    assert hit[0] == pytest.approx(hit_ns, abs=6_000_000)
    assert hit[2] == pytest.approx((x, 370.0), abs=6.0)


def test_the_little_simulation_keeps_momentum_and_moves_the_hit_piece() -> None:
    striker = Disc(-60.0, 0.0, 1500.0, 0.0, 20.65, 2.7)
    coin = Disc(0.0, 0.0, 0.0, 0.0, 15.5, 1.0)
    run([striker, coin], 0.033, 370.0)
    assert coin.met_s is not None
    assert striker.met_s == coin.met_s
    assert coin.vx > striker.vx > 0
    total = 2.7 * striker.vx + coin.vx
    assert total == pytest.approx(2.7 * 1500.0, rel=0.02)


def test_the_little_simulation_rebounds_from_cushions_but_not_on_the_frame() -> None:
    inside = Disc(340.0, 0.0, 1000.0, 0.0, 15.5, 1.0)
    on_frame = Disc(420.0, 0.0, 1000.0, 0.0, 15.5, 1.0)
    run([inside, on_frame], 0.05, 370.0)
    assert inside.vx < 0
    assert on_frame.vx > 0
