"""What both beams of a pocket felt as a piece, and what counting a clear board says, never goes without a question."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from controller.events.match import Position, Start
from controller.rules import apply, begin
from controller.shots import Mismatch, ShotRead
from tests.shots.happenings import HEALTHY, Happening, Rates, draw
from tests.shots.judged import Bench
from tests.shots.table import MS, Fall, Table, armed, coin, expects, fell, full_board, hand, of, only

COUNTS = {"white": 4, "black": 5, "queen": 1}
A_HAND = hand((-60.0, -60.0), (60.0, -60.0), (60.0, 60.0), (-60.0, 60.0), side="south")


def lost(stroke, how):
    """The stroke as eyes tell it that never followed the coin which fell."""
    track = next(track for track in stroke.tracks if track.vanished is not None and track.piece != "striker")
    tracks = tuple(one for one in stroke.tracks if one is not track)
    if how == "taken for the striker":
        tracks = tuple(replace(one, start=track.start) if one.piece == "striker" else one for one in tracks)
    before = stroke.before
    if how == "not seen before":
        before = replace(before, pieces=tuple(one for one in before.pieces if one.apart_mm(track.start) > 1.0))
    return replace(stroke, tracks=tracks, before=before)


@pytest.mark.parametrize("hands", [(), (A_HAND,)], ids=["clear", "a hand after"])
@pytest.mark.parametrize("how", ["no track", "taken for the striker", "not seen before"])
def test_a_coin_that_no_track_tells_of_fell_where_both_beams_felt_it(how, hands):
    table = armed()
    stroke, edges = table.stroke([Fall(1, "SW")])
    stroke = lost(stroke, how)
    stroke = replace(stroke, after=replace(stroke.after, hands=hands))
    shot = of([*table.played(*edges, stroke), *table.wait(3000)], ShotRead)[-1].shot
    assert fell(shot) == [("white", "SW")]


def test_a_whole_passage_is_asked_about_where_as_many_lie_there_as_before():
    table = armed()
    stroke, _ = table.stroke()
    felt = table.edges("SW", stroke.began_ns + 400 * MS)
    shot = only([*table.played(*felt, stroke), *table.wait(3000)], ShotRead).shot
    assert fell(shot) == [], "the board in plain sight outranks it"
    assert [doubt.fact for doubt in shot.doubts] == ["pocketed"]


def with_one_too_many(odds=()):
    """A stroke in which a white fell, felt and followed, and as many lie there as before; what it reads, the table."""
    book = full_board()
    table = Table(pieces=[*book[:3], coin("white", book[3].x_mm, book[3].y_mm, odds=odds), *book[4:]])
    table.feed(expects(book), *table.signs(), table.board(table.pieces, table.now))
    stroke, edges = table.stroke([Fall(1, "NE")])
    stroke = replace(stroke, after=replace(stroke.after, pieces=(book[1], *stroke.after.pieces)))
    table.pieces = [book[1], *table.pieces]
    return only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead).shot, table


def test_what_is_told_to_have_fallen_is_asked_about_where_as_many_lie_there_as_before():
    shot, _ = with_one_too_many()
    assert shot.doubts


def test_where_a_class_is_not_sure_the_one_too_many_is_noticed_at_the_next_rest():
    shot, table = with_one_too_many((("white", 0.6), ("black", 0.4)))
    assert fell(shot) == [("white", "NE")]
    told = [*table.feed(expects(table.pieces[1:], seq=2)), *table.wait(3000)]
    assert [one.kind for one in of(told, Mismatch)] == ["extra"]


def unfollowed(drawn: Happening, rng: Random) -> Happening:
    """A coin that fell was not followed, and anything may hide the board afterwards."""
    if not any(track.vanished is not None and track.piece != "striker" for track in drawn.stroke.tracks):
        return drawn
    stroke = lost(drawn.stroke, rng.choice(("no track", "taken for the striker", "not seen before")))
    hands = (A_HAND,) if rng.random() < 0.5 else ()
    return replace(drawn, stroke=replace(stroke, after=replace(stroke.after, hands=hands)))


@pytest.mark.long
@pytest.mark.parametrize("rates", [HEALTHY, Rates()], ids=["healthy", "faulty"])
def test_no_drawn_stroke_leaves_a_whole_passage_without_a_piece_or_a_question(rates):
    rng, bench = Random(41), Bench(41, rates)
    unasked = []
    for number in range(250):
        turn = rng.choice(("south", "north"))
        left = {kind: n for kind, n in COUNTS.items() if kind != "queen"}
        position = Position(left=left, queen="board", turn=turn, break_done=True)
        state, _ = apply(begin(bench.books), Start("icf", {"south": "A", "north": "B"}, "south", position=position))
        drawn = unfollowed(draw(rng, COUNTS, turn, rates), rng)
        shot, evidence, _ = bench.read(state, drawn)
        whole = [note for note in evidence.pulses if len(note.beams) == 2 and note.taken_for == "nothing gone"]
        excused = drawn.faults and {"thrown back", "hand at pocket"} & set(drawn.faults)
        if whole and not excused and not shot.doubts:
            unasked.append((number, whole, drawn.faults))
    assert unasked == []
