"""Which way a striker set out, with an error that holds: half hidden by a finger, met at once, nobody saw it lie."""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece, StrikerSeen, Touch
from controller.vision.following.association import Association
from controller.vision.following.heading import Heading, Met, heading_of
from controller.vision.following.motion_window import MotionWindow, Placement
from controller.vision.following.striker import headed
from controller.vision.following.tracks import Measurement, PieceTrack

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


def test_what_it_met_at_once_is_no_way_it_set_out() -> None:
    """After 34 mm it goes on 15 degrees farther left: two marks show the way before, ten the one after."""
    first = run(170.0, 2)
    met = (first[-1].x_mm, first[-1].y_mm)
    then = [Measurement(mark.t_ns + 2 * FRAME_NS, mark.x_mm, mark.y_mm) for mark in run(185.0, 10, start=met)]
    assert not holds(heading_of([*first, *then], LAY), 170.0)
    assert holds(heading_of([*first, *then], LAY, Met(then[0].t_ns - FRAME_NS // 2)), 170.0)


def test_what_it_met_before_it_was_seen_leaves_its_way_open() -> None:
    found = heading_of(run(90.0), LAY, Met(-FRAME_NS))
    assert found is not None
    assert found.u_deg > 10.0


@pytest.mark.parametrize(
    ("aside_mm", "known"),
    [(0.0, True), (20.0, True), (40.0, False)],
    ids=["straight at it", "aside", "so it is not met"],
)
def test_a_piece_met_before_it_was_seen_leaves_only_the_ways_that_lead_to_it(aside_mm: float, known: bool) -> None:
    """Of its path one mark is of use; the piece lay 54 mm before it, so that 43 degrees are open on either side."""
    met = Met(-FRAME_NS, (LAY[0] + aside_mm, LAY[1] + (54.0**2 - aside_mm**2) ** 0.5), 36.15)
    without, found = heading_of(run(90.0), LAY, Met(-FRAME_NS)), heading_of(run(90.0), LAY, met)
    assert without is not None
    assert found is not None
    assert holds(found, 90.0)
    assert (found.u_deg < 0.9 * without.u_deg) is known


def test_a_piece_that_lay_at_the_striker_leaves_every_way_open() -> None:
    touching = Met(-FRAME_NS, (LAY[0], LAY[1] + 36.2), 36.15)
    assert heading_of(run(90.0), LAY, touching) == heading_of(run(90.0), LAY, Met(-FRAME_NS))


def test_a_path_that_leads_past_where_it_lay_is_not_believed_far() -> None:
    beside = (LAY[0], LAY[1] + 30.0)
    found = heading_of(run(10.0, 6, start=beside), LAY)
    assert found is not None
    assert found.u_deg > 5.0


def test_shorter_paths_are_known_less() -> None:
    far, near = heading_of(run(45.0, 12), LAY), heading_of(run(45.0, 2), LAY)
    assert far is not None
    assert near is not None
    assert near.u_deg > 4.0 * far.u_deg
    assert heading_of(run(45.0, 2), None) is None
    assert heading_of([], LAY) is None


def struck_away(deg: float, off_deg: float, count: int = 6, step_mm: float = 12.0) -> Met:
    """What a striker met that had set out at `deg`, off its middle so that the piece goes `off_deg` beside that way."""
    far = 80.0
    x, y = LAY[0] + far * cos(radians(deg)), LAY[1] + far * sin(radians(deg))
    goes = radians(deg + off_deg)
    at = (x + 36.15 * cos(goes), y + 36.15 * sin(goes))
    ran = tuple(
        Measurement(k * FRAME_NS, at[0] + step_mm * (k + 1) * cos(goes), at[1] + step_mm * (k + 1) * sin(goes))
        for k in range(count)
    )
    return Met(-FRAME_NS, at, 36.15, ran)


@pytest.mark.parametrize(("deg", "off_deg"), [(-23.0, -50.0), (10.0, 35.0), (178.0, 0.0)])
def test_where_the_piece_went_that_it_met_says_from_where_it_came(deg: float, off_deg: float) -> None:
    """One half hidden mark is all there is of its own way; the piece runs off the line of both middles."""
    met = struck_away(deg, off_deg)
    first = run(deg, 1, aside_mm=(1.0,))
    alone, found = heading_of(first, LAY, Met(-FRAME_NS, met.at, met.reach_mm)), heading_of(first, LAY, met)
    assert alone is not None
    assert found is not None
    assert holds(found, deg)
    assert found.u_deg < 0.7 * alone.u_deg


@pytest.mark.parametrize(("count", "step_mm"), [(0, 12.0), (2, 8.0)], ids=["not seen to run", "hardly"])
def test_what_was_not_seen_to_run_from_there_says_nothing(count: int, step_mm: float) -> None:
    met = struck_away(20.0, 40.0, count, step_mm)
    first = run(20.0, 1)
    assert heading_of(first, LAY, met) == heading_of(first, LAY, Met(-FRAME_NS, met.at, met.reach_mm))


def test_of_one_that_met_a_piece_before_it_was_seen_a_mark_far_beyond_says_little() -> None:
    """What ran on from there may be the piece that it met."""
    at = (LAY[0] - 42.0, LAY[1] - 7.0)
    beyond = [Measurement(FRAME_NS, LAY[0] - 86.0, LAY[1] - 15.0)]
    alone, found = heading_of(beyond, LAY), heading_of(beyond, LAY, Met(0, at, 36.15))
    assert alone is not None
    assert found is not None
    assert not holds(alone, 175.0)
    assert holds(found, 175.0)


def struck_first(*others: SeenPiece) -> float:
    """The stated error of a direction of 10°, where the first piece met lay among those others."""
    met = struck_away(10.0, 35.0)
    assert met.at is not None
    first = Measurement(0, *met.at)
    coin = SeenPiece("white", *met.at, 0.5)
    lay = SeenPiece("striker", *LAY, 0.5)
    ran = PieceTrack(2, "white", 15.5, coin, -FRAME_NS, marks=list(met.ran))
    striker = PieceTrack(1, "striker", 20.65, None, 0, marks=run(10.0, 3, aside_mm=(1.0,)))
    nothing = BoardSeen(0, 0, (replace(coin), *others))
    episode = MotionWindow(nothing, nothing, (striker, ran), 0, 1, 1, "club", FRAME_NS, {})
    struck = StrikerSeen(lay, None, -2 * FRAME_NS, FRAME_NS, None, None, 50.0, track=1)
    touch = Touch(first.t_ns - FRAME_NS, FRAME_NS, "white", met.at, 2)
    item = Association(None, None, striker, "striker", 1.0)
    moved = {2: Association(coin, None, ran, "white", 1.0)}
    found = headed(struck, item, Placement(0, lay, None), (touch,), moved, episode, board=DEFAULT_BOARD)
    assert found.u_heading_deg is not None
    return found.u_heading_deg


def test_a_coin_that_others_lie_against_says_nothing_of_the_way() -> None:
    met = struck_away(10.0, 35.0).at
    assert met is not None
    beside, clear = (SeenPiece("black", met[0], met[1] + gap, 0.5) for gap in (31.2, 60.0))
    assert struck_first(beside) > 1.2 * struck_first()
    assert struck_first(clear) == struck_first()
