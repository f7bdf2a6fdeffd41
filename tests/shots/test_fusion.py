"""Beams and camera about the same fall: one piece is counted once, and what is not certain is a doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.beams import BeamGap
from controller.events.observation import Sample, Track, Vanished
from controller.shots import Mismatch, ShotRead
from controller.shots.fusion import FusionInput, Missing, joint_hypotheses
from controller.shots.limits import Limits
from controller.shots.pulses import Pulse
from tests.shots.table import (
    MS,
    POCKETS,
    Fall,
    S,
    Table,
    armed,
    coin,
    expects,
    fell,
    full_board,
    hand,
    of,
    only,
)


def test_two_in_one_pocket_within_milliseconds_are_counted_by_the_camera():
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE", 600), Fall(2, "NE", 606, felt=False)])
    table.played(*edges, stroke)
    shot = only([*table.said, *table.wait(3000)], ShotRead).shot
    assert sorted(fell(shot)) == [("black", "NE"), ("white", "NE")]
    for doubt in shot.doubts:
        assert all(len(value) == 2 for value, _ in doubt.choices), "only which fell first may be in doubt"


@pytest.mark.parametrize(("apart_ms", "together"), [(10, True), (500, False)])
def test_only_what_vanished_together_may_have_gone_through_in_one_interruption(apart_ms, together):
    at, lay = (334.0, 330.0), (9, 9, 1)
    gone = tuple(
        Missing(name, {"white": 1.0}, Vanished(t, 5 * MS, "pocket", at, "NE"))
        for name, t in (("track 2", S), ("track 3", S + apart_ms * MS))
    )
    felt = Pulse("NE", S + 15 * MS, MS, S + 40 * MS, ("upper", "lower"))
    seen = FusionInput(gone, (felt,), True, ((lay, 1.0),), {(7, 9, 1): 1.0}, board=DEFAULT_BOARD)
    shared = sum(
        way.weight for way in joint_hypotheses(seen, Limits()) if [one.pulse for one in way.hypotheses] == [0, 0]
    )
    assert (shared > 0.5) is together
    assert together or shared == 0.0


def test_two_pockets_at_once():
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE", 600), Fall(2, "SW", 600)])
    shot = only(table.played(*edges, stroke), ShotRead).shot
    assert sorted(fell(shot)) == [("black", "SW"), ("white", "NE")]


@pytest.mark.parametrize("seen_near", [True, False], ids=["seen by the pocket", "lost far off"])
def test_a_piece_lost_far_from_a_pocket_without_beams_may_have_leapt_off(seen_near):
    """Its track is said to have ended in the pocket; it was seen once only, where it set out."""
    table = armed()
    table.feed(*table.signs(blind=("NE",)))
    stroke, _ = table.stroke([Fall(1, "NE", felt=False)])
    (fall,) = [track for track in stroke.tracks if track.vanished is not None]
    samples = fall.samples[:1]
    if seen_near:
        x, y = POCKETS["NE"]
        t = fall.vanished.t_ns
        samples = (*samples, *(Sample(t - ms * MS, x - ms, y - ms) for ms in (40, 20)))
    tracks = tuple(replace(fall, samples=samples) if track is fall else track for track in stroke.tracks)
    read = [*table.feed(replace(stroke, tracks=tracks)), *table.wait(2000, blind=("NE",))]
    offs = [doubt for doubt in only(read, ShotRead).shot.doubts if doubt.fact in ("*", "off_board")]
    assert bool(offs) is not seen_near


def test_the_striker_follows_a_piece_in():
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE", 600)], striker_falls=Fall(-1, "NE", 760))
    shot = only(table.played(*edges, stroke), ShotRead).shot
    assert fell(shot) == [("white", "NE"), ("striker", "NE")]
    assert shot.doubts == ()


DOWN, UP = ("upper", "lower"), ("lower", "upper")


@pytest.mark.parametrize(
    ("felt", "asked"),
    [([("upper",)], True), ([DOWN], False), ([DOWN, UP], True)],
    ids=["one beam", "one down", "down and up again"],
)
def test_what_came_to_lie_by_the_pocket_may_have_been_thrown_back(felt, asked):
    """A white is seen to run into NE and beams feel something a good while later; another lies near that pocket."""
    beside = coin("white", 318.0, 305.0)
    table = Table(pieces=[*full_board()[:-1], beside])
    table.arm()
    stroke, _ = table.stroke([Fall(1, "NE", felt=False)])
    moved = replace(beside, x_mm=150.0, y_mm=120.0)
    before = tuple(moved if one == beside else one for one in stroke.before.pieces)
    began = stroke.began_ns + 300 * MS
    path = (Sample(began, moved.x_mm, moved.y_mm), Sample(began + 300 * MS, beside.x_mm, beside.y_mm))
    rolled = Track(80, "white", moved, beside, began, began + 300 * MS, path)
    stroke = replace(stroke, tracks=(*stroke.tracks, rolled), before=replace(stroke.before, pieces=before))
    fell_ns = next(track.vanished.t_ns for track in stroke.tracks if track.vanished is not None)
    edges = [
        edge
        for number, beams in enumerate(felt)
        for edge in table.edges("NE", fell_ns + (200 + 400 * number) * MS, beams=beams)
    ]
    shot = of([*table.played(*edges, stroke), *table.wait(3000)], ShotRead)[-1].shot
    assert fell(shot) == [("white", "NE")]
    assert bool(shot.doubts) is asked


def test_a_piece_thrown_back_by_the_net_is_not_pocketed():
    table = armed()
    lies = coin("white", 330.0, 332.0)
    stroke, _ = table.stroke()
    white = stroke.before.pieces[1]
    track = Track(9, "white", white, lies, stroke.began_ns + 300 * MS, stroke.ended_ns)
    after = replace(stroke.after, pieces=tuple(lies if one is white else one for one in stroke.after.pieces))
    stroke = replace(stroke, tracks=(*stroke.tracks, track), after=after)
    edges = table.edges("NE", stroke.began_ns + 700 * MS)
    read = only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead)
    assert fell(read.shot) == []
    assert read.shot.doubts == ()
    assert [note.taken_for for note in read.evidence.pulses] == ["nothing gone"]


@pytest.mark.parametrize("long_ms", [0.3, 30, 4000], ids=["insect", "finger", "hand"])
def test_a_beam_with_nothing_gone_pockets_nothing(long_ms):
    table = armed()
    stroke, _ = table.stroke()
    edges = table.edges("SW", stroke.began_ns + 400 * MS, long_ms=long_ms, beams=("upper",))
    shot = only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead).shot
    assert fell(shot) == []
    assert shot.doubts == ()


def test_a_silent_healthy_beam_makes_a_doubt_and_not_a_guess():
    table = armed()
    stroke, _ = table.stroke([Fall(1, "NE", felt=False)])
    table.feed(stroke)
    assert of(table.said, ShotRead) == [], "the beams have not yet said everything"
    shot = only(table.wait(3000), ShotRead).shot
    assert fell(shot) == [("white", "NE")]
    assert shot.doubts, "vanished at a pocket that felt nothing: it may have left the board"
    assert 0.4 < max(weight for _, weight in shot.doubts[0].choices) < 0.99


def test_a_blind_pocket_counts_by_the_camera():
    table = armed()
    table.feed(*table.signs(blind=("NE",)))
    stroke, _ = table.stroke([Fall(1, "NE", felt=False)])
    shot = only([*table.feed(stroke), *table.wait(2000, blind=("NE",))], ShotRead).shot
    assert fell(shot) == [("white", "NE")]
    assert all(weight > 0.99 or weight < 0.01 for doubt in shot.doubts for _, weight in doubt.choices)


def test_lost_edges_count_by_the_camera():
    table = armed()
    stroke, _ = table.stroke([Fall(1, "NE", felt=False)])
    gap = BeamGap(stroke.ended_ns, stroke.began_ns, 4, "overflow")
    shot = only([*table.played(gap, stroke), *table.wait(2000)], ShotRead).shot
    assert fell(shot) == [("white", "NE")]


def test_a_piece_that_left_over_the_frame():
    table = armed()
    stroke, edges = table.stroke(off=[2])
    shot = only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead).shot
    assert (fell(shot), shot.off_board) == ([], ("black",))


def test_a_piece_under_a_hand_is_not_pocketed_and_found_again():
    table = armed()
    stroke, _ = table.stroke()
    piece = stroke.before.pieces[5]
    cover = tuple((piece.x_mm + dx, piece.y_mm + dy) for dx, dy in ((-30, -30), (30, -30), (30, 30), (-30, 30)))
    after = replace(stroke.after, pieces=tuple(one for one in stroke.after.pieces if one is not piece), hidden=(cover,))
    shot = only([*table.feed(replace(stroke, after=after)), *table.wait(2000)], ShotRead).shot
    assert fell(shot) == []
    assert of(table.said, Mismatch) == []


def test_a_late_edge_that_changes_what_fell_revises_the_reading():
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE")])
    first = only([*table.played(stroke), *table.wait(4000)], ShotRead)
    again = only(table.feed(*edges), ShotRead)
    assert first.shot.doubts
    assert again.revises == first.began_ns
    assert fell(again.shot) == [("white", "NE")]
    assert again.shot.doubts == ()


def test_more_cannot_fall_than_there_is():
    table = Table(pieces=[coin("white", 0, 0), coin("queen", 100, 0)])
    table.arm()
    stroke, edges = table.stroke([Fall(0, "NE", 600)])
    ghost = Track(
        7,
        "white",
        None,
        None,
        stroke.began_ns,
        stroke.ended_ns,
        (),
        Vanished(stroke.began_ns + 800 * MS, 10 * MS, "pocket", POCKETS["SW"], "SW"),
    )
    edges += table.edges("SW", stroke.began_ns + 815 * MS)
    stroke = replace(stroke, tracks=(*stroke.tracks, ghost))
    shot = only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead).shot
    assert [one.piece for one in shot.pocketed].count("white") <= 1


def test_a_piece_taken_by_hand_is_not_pocketed_but_missed():
    table = armed()
    stroke, _ = table.stroke()
    piece = stroke.before.pieces[5]
    taken = Track(
        8, piece.piece, piece, None, stroke.began_ns, stroke.ended_ns, (),
        Vanished(stroke.began_ns + 900 * MS, 10 * MS, "hand", (piece.x_mm, piece.y_mm)),
    )  # fmt: skip
    after = replace(stroke.after, pieces=tuple(one for one in stroke.after.pieces if one is not piece))
    table.pieces = [one for one in table.pieces if one is not piece]
    table.feed(replace(stroke, tracks=(*stroke.tracks, taken), after=after))
    table.wait(1000)
    assert fell(only(table.said, ShotRead).shot) == []
    table.feed(expects(full_counts(), seq=2))
    table.wait(3000)
    assert only(table.said, Mismatch).missing == (piece.piece,)


def full_counts():
    return Table().pieces


def test_a_hand_at_a_pocket_explains_its_beam():
    table = armed()
    table.now += S
    x, y = POCKETS["SE"]
    reaching = hand((x - 60, y - 60), (x + 60, y - 60), (x + 60, y + 60), (x - 60, y + 60), side="south")
    from controller.events.observation import HandsSeen
    from controller.shots import Felt

    table.feed(HandsSeen(table.now, (reaching,)))
    felt = only(table.feed(*table.edges("SE", table.now + 100 * MS, 700)), Felt)
    assert felt.hand
    table.feed(HandsSeen(table.now + 900 * MS, ()))
    assert of(table.wait(4000), Mismatch) == []


def test_a_track_that_broke_off_and_went_on_as_another_is_one_piece():
    table = armed()
    stroke, _ = table.stroke()
    piece = stroke.before.pieces[5]
    lies = coin(piece.piece, 180.0, 150.0)
    t = stroke.began_ns + 600 * MS
    broke = Track(
        20, piece.piece, piece, None, t - 200 * MS, t, (Sample(t - 200 * MS, piece.x_mm, piece.y_mm),),
        Vanished(t, 30 * MS, "unknown", (100.0, 60.0)),
    )  # fmt: skip
    went_on = Track(21, piece.piece, None, lies, t + 50 * MS, stroke.ended_ns, (Sample(t + 50 * MS, 110.0, 70.0),))
    after = tuple(lies if one is piece else one for one in stroke.after.pieces)
    stroke = replace(stroke, tracks=(*stroke.tracks, broke, went_on), after=replace(stroke.after, pieces=after))
    shot = only(table.played(stroke), ShotRead).shot
    assert (fell(shot), shot.off_board, shot.doubts) == ([], (), ())


@pytest.mark.parametrize("beside_mm", [0.0, 60.0])
def test_a_piece_that_two_tracks_followed_fell_once_or_is_asked_about(beside_mm):
    table = armed()
    stroke, edges = table.stroke([Fall(1, "SE")])
    one, two = stroke.tracks[0].samples
    path = tuple(
        Sample(
            one.t_ns + round(share * (two.t_ns - one.t_ns)),
            one.x_mm + share * (two.x_mm - one.x_mm) + beside_mm,
            one.y_mm + share * (two.y_mm - one.y_mm) + beside_mm,
        )
        for share in (0.2, 0.3, 0.8, 0.9)
    )
    ended = stroke.tracks[0].vanished
    again = Track(30, "unknown", None, None, path[0].t_ns, path[-1].t_ns, path, ended)
    shot = only(
        [*table.feed(*edges, replace(stroke, tracks=(*stroke.tracks, again))), *table.wait(3000)], ShotRead
    ).shot
    assert fell(shot) == [(stroke.tracks[0].piece, "SE")]


def test_a_piece_that_was_never_there_is_no_certain_fall():
    # What the eyes took for a piece and the book does not know is gone; the striker fell where it is said to have gone.
    real = full_counts()[:-2]
    ghost = coin("white", 20.0, 60.0)
    table = Table(pieces=[*real, ghost])
    table.feed(expects(real), *table.signs(), table.board(table.pieces, table.now))
    stroke, edges = table.stroke(striker_falls=Fall(-1, "NE", 700))
    t = stroke.began_ns + 705 * MS
    gone = Track(
        40, "white", ghost, None, t - 250 * MS, t, (Sample(t - 250 * MS, 21.0, 61.0),),
        Vanished(t, 33 * MS, "pocket", POCKETS["NE"], "NE"),
    )  # fmt: skip
    after = tuple(one for one in stroke.after.pieces if one is not ghost)
    stroke = replace(stroke, tracks=(*stroke.tracks, gone), after=replace(stroke.after, pieces=after))
    shot = only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead).shot
    assert ("striker", "NE") in fell(shot)
    assert shot.doubts, "a white piece is not pocketed on the word of one picture"


def test_one_missed_at_the_rest_before_changes_nothing():
    table = armed()
    stroke, edges = table.stroke([Fall(0, "NE")], before=table.pieces)
    missed = stroke.before.pieces[7]
    before = replace(stroke.before, pieces=tuple(one for one in stroke.before.pieces if one is not missed))
    shot = only([*table.feed(*edges, replace(stroke, before=before)), *table.wait(3000)], ShotRead).shot
    assert fell(shot) == [("queen", "NE")]
    assert all(weight > 0.9 for doubt in shot.doubts for _, weight in doubt.choices[:1])


@pytest.mark.parametrize(("beams", "asked"), [(("upper", "lower"), False), (("upper",), True)])
def test_what_was_lost_on_its_way_fell_where_both_beams_felt_a_piece_whenever_that_was(beams, asked):
    """No insect breaks both in order; one alone may."""
    table = armed()
    stroke, _ = table.stroke([Fall(13, "NE", 400, felt=False, how="unknown")])
    edges = table.edges("NE", stroke.began_ns + 900 * MS, beams=beams)
    shot = of([*table.played(*edges, stroke), *table.wait(3000)], ShotRead)[-1].shot
    assert fell(shot) == [("white", "NE")]
    assert bool(shot.doubts) is asked


def test_a_fall_that_no_beam_felt_and_no_count_misses_was_none_but_is_asked():
    """Two sightings of another coin went to the wrong track: as many lie there as before."""
    limits = Limits()
    ended = Vanished(S, 10 * MS, "pocket", (-335.0, -330.0), "SW")
    gone = Missing("track 79", {"white": 0.9998, "black": 1e-4, "queen": 1e-4}, ended)
    found = joint_hypotheses(
        FusionInput(
            (gone,), (), True, (((5, 9, 1), 1.0),), {(5, 8, 1): 0.0015, (5, 9, 1): 0.9985}, board=DEFAULT_BOARD
        ),
        limits,
    )
    assert found[0].hypotheses[0].fate == "still"
    fell = sum(one.weight for one in found if one.hypotheses[0].fate == "fell")
    assert fell > limits.doubt_floor


@pytest.mark.parametrize(("appeared", "asked"), [(True, False), (False, True)])
def test_what_came_from_nowhere_and_ran_into_a_blind_pocket_was_no_piece_if_none_is_missed(appeared, asked):
    gone = Missing("track 5", {"white": 1.0}, Vanished(S, 5 * MS, "pocket", (334.0, 330.0), "NE"), appeared=appeared)
    seen = FusionInput(
        (gone,), (), True, (((5, 9, 1), 1.0),), {(5, 9, 1): 1.0}, blind=frozenset({"NE"}), board=DEFAULT_BOARD
    )
    still = sum(one.weight for one in joint_hypotheses(seen, Limits()) if one.hypotheses[0].fate == "still")
    assert (1.0 - still > 5 * Limits().doubt_floor) is asked
