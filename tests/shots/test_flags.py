"""Flags: what the camera says of hands, of their push, and of pieces that they move."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.events.observation import HandsSeen, Sample, Track
from tests.shots.table import MS, coin, hand, read

ARM = hand((-30, -420), (30, -420), (30, -270), (-30, -270), side="south")


def with_hands(*hands):
    return lambda said: replace(said, hands=(HandsSeen(said.began_ns - 10 * MS, hands),))


def test_flags_of_hands():
    far = hand((-30, -420), (30, -420), (30, 150), (-30, 150), side="south")
    other = hand((100, -420), (150, -420), (150, -300), (100, -300), side="south")
    assert read(change=with_hands(ARM)).shot.flags == ()
    assert read(change=with_hands(ARM, other)).shot.flags == ("two_hands",)
    assert read(change=with_hands(far)).shot.flags == ("over_half",)


@pytest.mark.parametrize(("after_ms", "flags"), [(40, ("two_hands",)), (150, ())])
def test_hands_that_are_first_said_just_after_the_stroke_were_there(after_ms, flags):
    other = hand((100, -420), (150, -420), (150, -300), (100, -300), side="south")

    def said_late(said):
        return replace(said, hands=(HandsSeen(said.struck.first_motion_ns + after_ms * MS, (ARM, other)),))

    assert read(change=said_late).shot.flags == flags


def test_two_hands_are_two_that_reach_in_from_a_side():
    other = hand((100, -420), (150, -420), (150, -300), (100, -300), side="south")
    fingertip = replace(other, side=None)
    assert read(change=with_hands(ARM, fingertip)).shot.flags == ()
    assert read(change=with_hands(fingertip, fingertip)).shot.flags == ()
    # One that shows apart takes nothing from two that do reach in, from wherever.
    assert read(change=with_hands(ARM, other, fingertip)).shot.flags == ("two_hands",)
    assert read(change=with_hands(ARM, replace(other, side="east"))).shot.flags == ("two_hands",)


@pytest.mark.parametrize(("to_mm", "flags"), [(-455.0, ()), (-372.0, ()), (-340.0, ("two_hands",))])
def test_what_stays_on_frame_and_table_is_no_second_arm(to_mm, flags):
    """An arm's shadow falls there, beside the arm."""
    beside = hand((-140, -492), (-46, -492), (-46, to_mm), (-140, to_mm), side="south")
    arm = hand((0, -508), (78, -508), (78, -285), (0, -285), side="south")
    assert read(change=with_hands(beside, arm)).shot.flags == flags


@pytest.mark.parametrize(("apart_mm", "flags"), [(55.0, ()), (150.0, ("two_hands",))])
def test_an_arm_seen_in_two_parts_is_one(apart_mm, flags):
    """As where it hid the board when the eyes began: only its sides differ from what is taken for the board."""
    sides = [hand((x, -420), (x + 25, -420), (x + 25, -360), (x, -360), side="south") for x in (0, apart_mm)]
    assert read(change=with_hands(*sides)).shot.flags == flags


@pytest.mark.parametrize(
    ("follow_mm", "flags", "unseen"), [(60.0, ("push",), False), (15.0, (), False), (None, (), True)]
)
def test_a_push_is_unseen_where_nobody_knows_how_far_the_hand_went_along(follow_mm, flags, unseen):
    found = read(change=lambda said: replace(said, struck=replace(said.struck, hand_follow_mm=follow_mm))).shot
    assert found.flags == flags
    assert ("flags.push" in found.unseen) is unseen


@pytest.mark.parametrize(("first_ms", "flag"), [(-600, "piece_moved_before"), (300, "hand_touched_piece")])
def test_flag_of_a_piece_moved_by_hand(first_ms, flag):
    def bump(said):
        piece = said.before.pieces[3]
        end = coin(piece.piece, piece.x_mm + 20, piece.y_mm)
        began = said.struck.first_motion_ns + first_ms * MS
        path = (Sample(began, piece.x_mm, piece.y_mm), Sample(began + 100 * MS, end.x_mm, end.y_mm))
        track = Track(9, piece.piece, piece, end, began, began + 100 * MS, path, by_hand=True)
        after = tuple(end if one is piece else one for one in said.after.pieces)
        return replace(said, tracks=(*said.tracks, track), after=replace(said.after, pieces=after))

    assert read(change=bump).shot.flags == (flag,)


AT_IT = hand((120, -420), (180, -420), (180, -95), (120, -95), side="south")
"""It reaches over the coin at (150, -90), far from the striker."""


@pytest.mark.parametrize(
    ("by", "beside_mm", "first_ms", "flags"),
    [
        (AT_IT, 10.0, -60, ("piece_moved_before",)),
        (AT_IT, 10.0, -1, ("piece_moved_before",)),
        (ARM, 10.0, -60, ()),
        (AT_IT, 10.0, 60, ()),
        (AT_IT, 3.0, -60, ()),
        (AT_IT, -50.0, -60, ()),
    ],
    ids=["at a hand", "as long before as is known", "no hand near", "after it began", "where it lay", "ran there"],
)
def test_flag_of_a_piece_that_lay_shoved_at_a_hand_when_the_striker_was_struck(by, beside_mm, first_ms, flags):
    def lay_shoved(said):
        piece = next(one for one in said.before.pieces if (one.x_mm, one.y_mm) == (150.0, -90.0))
        end = coin(piece.piece, piece.x_mm, piece.y_mm + beside_mm)
        first_ns = said.struck.first_motion_ns + first_ms * MS
        # Nobody saw the hand take it there: it covered what it did.
        track = Track(9, piece.piece, piece, end, first_ns, first_ns, (Sample(first_ns, end.x_mm, end.y_mm),))
        after = tuple(end if one is piece else one for one in said.after.pieces)
        said = replace(said, tracks=(*said.tracks, track), after=replace(said.after, pieces=after))
        return with_hands(by)(said)

    assert read(change=lay_shoved).shot.flags == flags


@pytest.mark.parametrize(("lies_mm", "flags"), [(11.0, ("piece_moved_before",)), (0.0, ()), (90.0, ())])
def test_flag_of_a_piece_shoved_by_a_hand_that_was_followed_for_it(lies_mm, flags):
    def followed(said):
        piece = next(one for one in said.before.pieces if (one.x_mm, one.y_mm) == (150.0, -90.0))
        end = coin(piece.piece, piece.x_mm, piece.y_mm + lies_mm)
        first_ns = said.struck.first_motion_ns - 60 * MS
        path = (Sample(first_ns, 150.0, -180.0), Sample(first_ns + 200 * MS, end.x_mm, end.y_mm))
        track = Track(9, piece.piece, piece, end, first_ns, first_ns + 200 * MS, path)
        after = tuple(end if one is piece else one for one in said.after.pieces)
        said = replace(said, tracks=(*said.tracks, track), after=replace(said.after, pieces=after))
        return with_hands(AT_IT)(said)

    assert read(change=followed).shot.flags == flags
