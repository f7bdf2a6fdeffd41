"""What a hand does to pieces that run, and to those that lay still before: stopped, driven, shoved, or not seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.events.observation import HandsSeen, Sample, Track
from tests.shots.table import MS, Table, armed, coin, hand, read
from tests.shots.test_flags import AT_IT

FRAME_NS = 16_666_667
FROM_MM, HAND_FROM_MM = 40.0, -95.0
"""A coin runs from there down a free column of the board towards the fingertips of `AT_IT`."""
X_MM = 165.0
STOPS_MM = HAND_FROM_MM + 16.0


def down(first_ns, places, x_mm=X_MM):
    return tuple(Sample(first_ns + n * FRAME_NS, x_mm, y) for n, y in enumerate(places))


STOPPED = [FROM_MM - 10.0 * n for n in range(12)] + [STOPS_MM] * 6
BRAKES = [FROM_MM - 5.0 * n + 0.2 * n * n for n in range(13)]
BOUNCES = [*STOPPED[:12], *(STOPS_MM + 4.0 * n for n in range(8))]


def ran(said, places, ends, after_ms=400, number=9):
    """A coin that ran, and the stroke with it."""
    begins = coin("white", X_MM, FROM_MM)
    end = coin("white", X_MM, ends)
    path = down(said.struck.first_motion_ns + after_ms * MS, places)
    track = Track(number, "white", begins, end, path[0].t_ns, path[-1].t_ns, path)
    return replace(said, tracks=(*said.tracks, track))


def over(said, *hands):
    return replace(said, hands=tuple(HandsSeen(said.began_ns + n * 100 * MS, hands) for n in range(25)))


BESIDE = hand((260, -420), (320, -420), (320, -95), (260, -95), side="south")


@pytest.mark.parametrize(
    ("places", "by", "flags"),
    [
        (STOPPED, AT_IT, ("moving_piece_removed",)),
        (BOUNCES, AT_IT, ("moving_piece_removed",)),
        (STOPPED, BESIDE, ()),
        (BRAKES, AT_IT, ()),
    ],
    ids=["stopped", "bounced off", "no hand there", "came to rest"],
)
def test_a_piece_that_stops_short_at_a_hand_was_stopped_by_it(places, by, flags):
    assert read(change=lambda said: over(ran(said, places, places[-1]), by)).shot.flags == flags


@pytest.mark.parametrize(("way", "flags"), [(0.0, ()), (200.0, ("moving_piece_removed",))], ids=["there", "far off"])
def test_not_where_another_piece_moved_that_it_may_have_met(way, flags):
    def met(said):
        said = ran(said, STOPPED, STOPS_MM)
        lay = coin("black", X_MM - way, STOPS_MM - 31.0)
        path = down(said.struck.first_motion_ns + 600 * MS, [lay.y_mm - 3.0 * n for n in range(8)], lay.x_mm)
        other = Track(10, "black", lay, coin("black", lay.x_mm, path[-1].y_mm), path[0].t_ns, path[-1].t_ns, path)
        return over(replace(said, tracks=(*said.tracks, other)), AT_IT)

    assert read(change=met).shot.flags == flags


def test_not_where_a_cushion_takes_it():
    """It runs along into the cushion beside a hand and stays there."""

    def at_cushion(said):
        places = [-240.0 - 10.0 * n for n in range(12)] + [-352.0] * 6
        arm = hand((120, -420), (180, -420), (180, -340), (120, -340), side="south")
        return over(ran(said, places, -352.0), arm)

    assert read(change=at_cushion).shot.flags == ()


@pytest.mark.parametrize(("seen", "unseen"), [(6, True), (18, False)], ids=["under the hand", "in sight"])
def test_what_ran_on_under_a_hand_may_have_been_touched_there(seen, unseen):
    """It came out far on: no braking says that it was stopped."""
    far = hand((120, -420), (180, -420), (180, -40), (120, -40), side="south")

    def hidden(said):
        places = [FROM_MM - 10.0 * n for n in range(18)]
        said = ran(said, places[:seen], places[-1] - 150.0)
        return over(said, far if seen < 18 else BESIDE)

    shot = read(change=hidden).shot
    assert "moving_piece_removed" not in shot.flags
    assert ("flags.moving_piece_removed" in shot.unseen) is unseen


@pytest.mark.parametrize(
    ("at", "flags"), [((0.0, -70.0), ("striker_touched",)), ((300.0, -70.0), ())], ids=["at a hand", "no hand there"]
)
def test_a_striker_that_sets_off_anew_at_a_hand_was_touched(at, flags):
    def twice(said):
        own = said.tracks[-1]
        first_ns = said.struck.first_motion_ns
        places = [-250.0 + 10.0 * n - n * n / 6.0 for n in range(31)] + [-100.0] * 10
        places += [-100.0 + 18.0 * n for n in range(1, 12)]
        end = replace(own.end, x_mm=0.0, y_mm=180.0)
        path = down(first_ns, places, 0.0)
        after = tuple(end if piece == own.end else piece for piece in said.after.pieces)
        said = replace(said, tracks=(replace(own, end=end, samples=path),), after=replace(said.after, pieces=after))
        x, y = at
        return over(said, hand((x - 30, 420), (x + 30, 420), (x + 30, y), (x - 30, y), side="north"))

    assert tuple(flag for flag in read(change=twice).shot.flags if flag == "striker_touched") == flags


def shoved(by_mm: float, **book):
    """A coin that lies elsewhere before the stroke than at the last rest."""
    table = armed(**book)
    table.wait(1000)
    lay = table.pieces[5]
    table.pieces[5] = replace(lay, y_mm=lay.y_mm + by_mm)
    return read(table)


@pytest.mark.parametrize(
    ("by_mm", "flags"), [(20.0, ("piece_moved_before",)), (6.0, ()), (0.0, ())], ids=["shoved", "hardly", "not"]
)
def test_a_piece_that_was_shoved_since_the_last_rest_is_reported_with_the_stroke(by_mm, flags):
    assert shoved(by_mm).shot.flags == flags


def test_one_that_the_umpire_has_been_told_of_is_not_asked_about_again():
    rest = [(piece.piece, *piece.at) for piece in Table().pieces]
    table = armed(rest_mm=tuple(rest))
    table.wait(1000)
    lay = table.pieces[5]
    table.pieces[5] = replace(lay, y_mm=lay.y_mm + 20.0)
    table.wait(3000)
    assert [one.kind for one in table.said if hasattr(one, "kind") and not getattr(one, "resolved", True)] == ["moved"]
    assert read(table).shot.flags == ()
