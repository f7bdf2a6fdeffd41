"""Clean strokes: what the eyes and the beams say alike comes out as one shot without a doubt."""

from __future__ import annotations

from controller.shots import Mismatch, ShotRead
from tests.shots.table import MS, Fall, Table, hand, of, only


def test_a_stroke_that_pockets_nothing():
    table = Table()
    table.arm()
    stroke, _ = table.stroke()
    shot = only(table.played(stroke), ShotRead).shot
    assert (shot.seat, shot.pocketed, shot.off_board, shot.doubts, shot.unseen) == ("south", (), (), (), ())
    assert shot.placement.lines == "both"
    assert shot.placement.circle == "clear"
    assert shot.heading == "forward"
    assert shot.left_baseline is True
    assert len(shot.rest) == 19


def test_a_hand_that_reaches_in_after_it_holds_up_no_stroke():
    table = Table()
    table.arm()
    stroke, edges = table.stroke([Fall(1, "NE")])
    reaches = table.board(table.pieces, stroke.t_ns - MS, hands=(hand((0.0, 0.0), (90.0, 0.0), (0.0, 90.0)),))
    assert len(of(table.played(*edges, reaches, stroke), ShotRead)) == 1


def test_one_piece_is_counted_once():
    table = Table()
    table.arm()
    stroke, edges = table.stroke([Fall(1, "NE")])
    read = only(table.played(*edges, stroke), ShotRead)
    assert [(one.piece, one.pocket) for one in read.shot.pocketed] == [("white", "NE")]
    assert read.shot.doubts == ()
    assert dict(read.evidence.sources)["pocketed.0"] == "both"
    assert [note.taken_for for note in read.evidence.pulses] == ["white"]
    assert read.shot.pocketed[0].t == round((stroke.began_ns + 615_000_000) / 1e9, 3)


def test_order_of_fall_is_the_beams():
    table = Table()
    table.arm()
    stroke, edges = table.stroke([Fall(1, "NE", 900), Fall(2, "SW", 500), Fall(0, "NE", 700)])
    shot = only(table.played(stroke, *edges), ShotRead).shot
    assert [(one.piece, one.pocket) for one in shot.pocketed] == [("black", "SW"), ("queen", "NE"), ("white", "NE")]


def test_board_and_book_agree_after_a_clean_stroke():
    table = Table()
    table.arm()
    stroke, edges = table.stroke([Fall(1, "NE")])
    table.played(*edges, stroke)
    table.feed(table_expectation(table, 2))
    assert of(table.wait(3000), Mismatch) == []


def table_expectation(table, seq, **more):
    from tests.shots.table import expects

    return expects(table.pieces, seq=seq, **more)
