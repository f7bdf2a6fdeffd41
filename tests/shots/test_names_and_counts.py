"""Shadows for pieces, classes mixed up, names in doubt: counting what there is has its say."""

from __future__ import annotations

import pytest

from controller.events.observation import Sample, Track, Vanished
from controller.shots import Mismatch, ShotRead
from tests.shots.table import MS, Fall, Table, armed, coin, expects, fell, full_board, of, only, rack, replace

# -- shadows and wrong classes


def with_shadow(visible):
    """The book's pieces, and one more that the eyes see beside them."""
    real = full_board()[:-2]
    table = Table(pieces=[*real, coin("white", 200.0, -180.0, visible=visible)])
    table.feed(expects(real), *table.signs(), table.board(table.pieces, table.now))
    return table


@pytest.mark.parametrize(("visible", "told"), [(0.6, 0), (1.0, 1)])
def test_half_a_piece_too_many_is_a_shadow_and_a_whole_one_is_told(visible, told):
    table = with_shadow(visible)
    table.wait(3000)
    assert len(of(table.said, Mismatch)) == told


def test_a_shadow_that_is_gone_after_the_stroke_is_no_fall():
    table = with_shadow(0.6)
    stroke, _ = table.stroke()
    after = tuple(one for one in stroke.after.pieces if one.visible == 1.0)
    shot = only([*table.feed(replace(stroke, after=replace(stroke.after, pieces=after))), *table.wait(3000)], ShotRead)
    assert (fell(shot.shot), shot.shot.off_board, shot.shot.doubts) == ([], (), ())


def test_of_a_colour_seen_once_too_often_the_one_that_fell_is_not_certain():
    # Nine blacks and nine whites by the book; the eyes see ten whites: one of those is a black one, but which?
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE")])
    wrong = {"black": "white"}
    seen = [one for one in stroke.before.pieces if one.piece == "black"][:1]
    before = tuple(replace(one, piece=wrong[one.piece]) if one in seen else one for one in stroke.before.pieces)
    after = tuple(replace(one, piece=wrong[one.piece]) if one in seen else one for one in stroke.after.pieces)
    stroke = replace(stroke, before=replace(stroke.before, pieces=before), after=replace(stroke.after, pieces=after))
    shot = only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead).shot
    assert shot.doubts, "white or black: the book has no tenth white"


def test_a_coin_taken_for_a_second_striker_falls_as_what_counting_leaves():
    table = armed()
    stroke, edges = table.stroke([Fall(0, "NE")])
    tracks = tuple(replace(one, piece="striker", odds=()) if one.track == 2 else one for one in stroke.tracks)
    shot = only([*table.feed(*edges, replace(stroke, tracks=tracks)), *table.wait(3000)], ShotRead).shot
    assert fell(shot) == [("queen", "NE")]


@pytest.mark.parametrize(
    ("confidence", "share", "by_start", "asked"),
    [(1.0, None, False, False), (1.0, None, True, False), (0.85, None, False, False), (0.9, 0.9, False, True)],
    ids=["it lies there", "it lies there, not seen placed", "dimly, as nothing else", "it may lie there"],
)
def test_where_the_striker_lies_nothing_else_may_be_it(confidence, share, by_start, asked):
    """A queen whose name a break had left in doubt, and that falls: she or the striker?"""
    odds = (("queen", 0.8865), ("striker", 0.1135))
    table = armed([coin("queen", 0.0, 0.0, confidence=0.886, odds=odds), *full_board()[1:]])
    stroke, edges = table.stroke([Fall(0, "NE")])
    own = next(one for one in stroke.after.pieces if one.piece == "striker")
    doubt = () if share is None else (("striker", share), ("queen", 1 - share))
    lies = replace(own, confidence=confidence, odds=doubt)
    tracks = tuple(replace(one, end=lies) if one.track == 1 else one for one in stroke.tracks)
    after = replace(stroke.after, pieces=tuple(lies if one is own else one for one in stroke.after.pieces))
    stroke = replace(stroke, tracks=tracks, after=after)
    if by_start:
        lay = tuple(one for one in stroke.before.pieces if one.piece != "striker")
        tracks = tuple(replace(one, odds=()) if one.track == 2 else one for one in stroke.tracks)
        tracks = tuple(replace(one, start=None) if one.track == 1 else one for one in tracks)
        stroke = replace(stroke, tracks=tracks, before=replace(stroke.before, pieces=lay))
    shot = of([*table.played(*edges, stroke), *table.wait(3000)], ShotRead)[0].shot
    assert fell(shot) == [("queen", "NE")]
    assert bool(shot.doubts) is asked


@pytest.mark.parametrize(("beside", "asked"), [((29.0, 45.0), False), ((200.0, 150.0), True)])
def test_gaps_of_a_short_pack_that_were_taken_for_pieces_are_not_asked_about(beside, asked):
    """Sixes: of three whites too many one lies there or far from the pack; all are lost as the pack is broken."""
    pack = [one for one in rack() if one.piece == "queen"]
    pack += [one for kind in ("white", "black") for one in [one for one in rack() if one.piece == kind][:6]]
    gaps = [coin("white", *at) for at in ((54.0, -2.0), (-54.0, 2.0), beside)]
    table = Table(pieces=[*pack, *gaps])
    table.feed(expects(pack, opening=True), *table.signs(), table.board(table.pieces, table.now))
    stroke, _ = table.stroke()
    t = stroke.began_ns + 200 * MS
    lost = tuple(
        Track(
            70 + number, "white", gap, None, t, t + 100 * MS,
            (Sample(t, gap.x_mm, gap.y_mm), Sample(t + 100 * MS, gap.x_mm + 60, gap.y_mm)),
            Vanished(t + 100 * MS, 20 * MS, "unknown", (gap.x_mm + 60, gap.y_mm)),
        )
        for number, gap in enumerate(gaps)
    )  # fmt: skip
    lies = tuple(one for one in stroke.after.pieces if (one.x_mm, one.y_mm) not in {(g.x_mm, g.y_mm) for g in gaps})
    stroke = replace(stroke, tracks=(*stroke.tracks, *lost), after=replace(stroke.after, pieces=lies))
    shot = of([*table.played(stroke), *table.wait(3000)], ShotRead)[0].shot
    assert (fell(shot), shot.off_board) == ([], ())
    assert bool(shot.doubts) is asked
