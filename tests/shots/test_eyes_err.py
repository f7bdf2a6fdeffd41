"""What the eyes say surely and wrongly of strikers: not named, lost and found, exchanged with coins; lost pictures."""

from __future__ import annotations

from math import isclose

import pytest

from controller.events.observation import HandsSeen, Sample, Track, Vanished
from controller.shots import Mismatch, Practice, ShotRead
from tests.shots.table import MS, POCKETS, Fall, S, Table, armed, coin, fell, full_board, hand, of, only, rack, replace


def test_a_coin_that_somebody_knocked_is_no_stroke():
    table = armed()
    stroke, _ = table.stroke()
    one = stroke.before.pieces[4]
    t = stroke.began_ns
    path = tuple(Sample(t + index * 33 * MS, one.x_mm + 12 * index, one.y_mm) for index in range(6))
    knocked = Track(60, one.piece, one, replace(one, x_mm=one.x_mm + 60), t, path[-1].t_ns, path)
    stroke = replace(stroke, struck=None, tracks=(knocked,), touches=())
    assert of([*table.played(stroke), *table.wait(2000)], ShotRead) == []


def test_an_opening_that_is_broken_up_with_no_stroke_is_told():
    table = Table(pieces=rack())
    table.arm(opening=True)
    table.wait(3000)
    assert of(table.said, Mismatch) == []
    table.pieces = full_board()
    table.now += S
    assert only(table.wait(5000), Mismatch).kind == "unseen_change"


def test_a_break_that_was_taken_for_practice_is_told():
    table = Table(pieces=rack())
    table.arm(opening=True)
    table.wait(3000)
    stroke, _ = table.stroke(before=rack())
    few = replace(stroke.before, pieces=stroke.before.pieces[:6])
    assert of(table.played(replace(stroke, before=few)), Practice)
    table.pieces = full_board()
    assert only(table.wait(5000), Mismatch).kind == "unseen_change"


# -- lines left, hands and beams


@pytest.mark.parametrize(("still_on", "left"), [(1, False), (2, True)])
def test_a_striker_that_ran_along_its_line_has_not_left_it(still_on, left):
    table = armed(still_on_lines=still_on)
    stroke, _ = table.stroke()
    t = stroke.began_ns
    path = tuple(Sample(t + index * 40 * MS, 14.0 * index, -250.85 + 1.2 * index) for index in range(8))
    end = coin("striker", 98.0, -242.0)
    own = Track(1, "striker", stroke.struck.placed, end, t, stroke.ended_ns, path)
    stroke = replace(
        stroke,
        tracks=(own,),
        struck=replace(stroke.struck, left_by_mm=99.0, heading_deg=5.0),
        after=replace(stroke.after, pieces=(*(p for p in stroke.after.pieces if p.piece != "striker"), end)),
    )
    assert only([*table.played(stroke), *table.wait(3000)], ShotRead).shot.left_baseline is left


def under_a_hand(felt):
    """A coin runs under a hand at a pocket; the beams feel it, or they do not."""
    table = armed()
    stroke, _ = table.stroke()
    coin_at = stroke.before.pieces[1]
    t = stroke.began_ns + 700 * MS
    x, y = POCKETS["NE"]
    path = tuple(
        Sample(t - (6 - index) * 33 * MS, x - 260.0 + 36.0 * index, y - 260.0 + 36.0 * index) for index in range(6)
    )
    gone = Vanished(t, 60 * MS, "hand", (x - 40, y - 40), "NE")
    ran = Track(80, coin_at.piece, coin_at, None, path[0].t_ns, t, path, gone)
    cover = hand((x - 60, y - 60), (x + 20, y - 60), (x + 20, y + 20), (x - 60, y + 20))
    after = tuple(piece for piece in stroke.after.pieces if piece is not coin_at)
    stroke = replace(
        stroke,
        tracks=(*stroke.tracks, ran),
        hands=(HandsSeen(t - 300 * MS, (cover,)), HandsSeen(t + 500 * MS, ())),
        after=replace(stroke.after, pieces=after),
    )
    edges = table.edges("NE", t + 15 * MS) if felt else []
    table.pieces = [piece for piece in after if piece.piece != "striker"]
    return only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead)


def test_both_beams_in_order_say_that_it_fell_under_the_hand():
    shot = under_a_hand(felt=True).shot
    assert fell(shot) == [("white", "NE")]
    assert "moving_piece_removed" not in shot.flags, "nobody removed what fell"


def test_a_running_piece_under_a_hand_that_no_beam_felt_was_taken():
    shot = under_a_hand(felt=False).shot
    assert fell(shot) == []
    assert "moving_piece_removed" in shot.flags


def test_an_edge_aligned_anew_after_a_restart_is_the_same_edge():
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE")])
    again = [replace(edge, t_ns=edge.t_ns + 8 * MS) for edge in edges]
    read = only([*table.played(*edges, *again, stroke), *table.wait(3000)], ShotRead)
    assert len(read.evidence.pulses) == 1
    assert isclose(read.shot.pocketed[0].t, (stroke.began_ns + 615 * MS) / S)


def test_a_striker_that_jumps_once_under_the_hand_that_takes_it_was_not_played():
    table = armed()
    stroke, _ = table.stroke()
    lay = coin("striker", 51.0, -157.0)
    t = stroke.began_ns
    still = tuple(Sample(t + i * 30 * MS, 51.0, -157.0) for i in range(4))
    gone = Vanished(t + 300 * MS, 30 * MS, "hand", (45.0, 230.0))
    own = Track(1, "striker", lay, None, t, t + 250 * MS, (*still, Sample(t + 250 * MS, 45.0, 230.0)), gone)
    reached = hand((30, -420), (70, -420), (70, -150), (30, -150), side="south")
    before = replace(stroke.before, pieces=(*stroke.before.pieces[:-1], lay))
    after = replace(stroke.after, pieces=tuple(one for one in stroke.after.pieces if one.piece != "striker"))
    taken = replace(
        stroke, struck=None, tracks=(own,), touches=(), before=before, after=after,
        hands=(HandsSeen(t, (reached,)),),
    )  # fmt: skip
    assert of([*table.feed(taken), *table.wait(3000)], ShotRead) == []


@pytest.mark.parametrize(
    ("at", "unsure_ms", "seats"),
    [((-169.0, 22.5), 20, []), ((-169.0, 22.5), 1500, ["north"]), ((0.0, -252.0), 1500, ["south"])],
)
def test_where_a_striker_lay_that_nobody_saw_set_out_says_nothing_of_its_placement(at, unsure_ms, seats):
    """It lay where the stroke before had left it; pictures are missing, then it runs."""
    table = armed(turn="north")
    stroke, edges = table.stroke([Fall(1, "NE")], at=at)
    late = replace(stroke.struck, u_first_motion_ns=unsure_ms * MS)
    reads = of([*table.feed(*edges, replace(stroke, struck=late)), *table.wait(3000)], ShotRead)
    assert [read.shot.seat for read in reads] == seats
    for read in reads:
        assert {"placement", "heading", "contacts", "all_at_rest"} <= set(read.shot.unseen)
        assert fell(read.shot) == [("white", "NE")]


def test_a_striker_followed_twice_from_where_it_lay_is_one_that_nobody_removed():
    """A finger that pushed it was followed in its place, and went with the hand."""
    table = armed()
    stroke, _ = table.stroke()
    placed, t = stroke.struck.placed, stroke.began_ns
    path = tuple(Sample(t + i * 17 * MS, placed.x_mm + 10.0 * i, placed.y_mm) for i in range(4))
    finger = Track(
        70, "unknown", placed, None, t, path[-1].t_ns, path, Vanished(path[-1].t_ns, MS, "hand", path[-1].at)
    )
    shot = only([*table.feed(replace(stroke, tracks=(*stroke.tracks, finger))), *table.wait(3000)], ShotRead).shot
    assert (shot.flags, shot.off_board, shot.doubts) == ((), (), ())
