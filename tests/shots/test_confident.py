"""A sure detection at rest outranks every telling of the stroke: one that contradicts it is dropped, or asked about."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from controller.events.match import Position, Start
from controller.events.observation import Sample, Track, Vanished
from controller.rules import apply, begin
from controller.shots import Mismatch, SeenRead, ShotRead
from controller.shots.confident import confident_pieces
from tests.shots.happenings import HEALTHY, Happening, draw
from tests.shots.judged import Bench
from tests.shots.table import MS, POCKETS, Fall, Table, armed, coin, fell, of, only

COUNTS = {"white": 6, "black": 5, "queen": 1}


def told_to_fall(drawn: Happening, rng: Random) -> Happening:
    """One that lies there in plain sight is told to have run into a pocket, and a passage is felt there too."""
    ended = [track for track in drawn.stroke.tracks if track.end is not None]
    if not ended:
        return drawn
    track = rng.choice(ended)
    pocket = rng.choice(sorted(POCKETS))
    t = drawn.stroke.ended_ns - rng.randint(100, 800) * MS
    gone = Vanished(t, 10 * MS, "pocket", POCKETS[pocket], pocket)
    way = (*track.samples[:1], Sample(t - 20 * MS, *POCKETS[pocket]))
    story = replace(track, end=None, vanished=gone, samples=way, last_ns=t)
    tracks = tuple(story if one is track else one for one in drawn.stroke.tracks)
    edges = [*drawn.edges, *Table().edges(pocket, t + 15 * MS)] if rng.random() < 0.7 else drawn.edges
    return replace(drawn, stroke=replace(drawn.stroke, tracks=tracks), edges=edges)


def told_as_another(drawn: Happening, rng: Random) -> Happening:
    """Two ways are told with each other's ends, as where tracks were exchanged at a meeting."""
    if len(drawn.stroke.tracks) < 2:
        return drawn
    one, two = rng.sample(drawn.stroke.tracks, 2)
    ends = {
        one.track: replace(one, end=two.end, vanished=two.vanished, samples=two.samples, last_ns=two.last_ns),
        two.track: replace(two, end=one.end, vanished=one.vanished, samples=one.samples, last_ns=one.last_ns),
    }
    tracks = tuple(ends.get(track.track, track) for track in drawn.stroke.tracks)
    return replace(drawn, stroke=replace(drawn.stroke, tracks=tracks, touches=()))


def unnamed(drawn: Happening, rng: Random) -> Happening:
    """No striker is named: the shots package has to tell which track was its."""
    tracks = tuple(replace(track, piece="unknown", odds=()) for track in drawn.stroke.tracks)
    return replace(drawn, stroke=replace(drawn.stroke, struck=None, touches=(), tracks=tracks))


@pytest.mark.parametrize(("share", "sure"), [(0.98, True), (0.9799, False)])
def test_a_share_of_just_98_in_100_is_sure(share, sure):
    """The eyes tell shares to four places, so that it does come."""
    lies = coin("white", 0.0, 0.0)
    told = [replace(lies, confidence=share), replace(lies, odds=(("white", share), ("black", 1.0 - share)))]
    for piece in told:
        assert bool(confident_pieces(Table().board([piece], 0))) is sure


@pytest.mark.parametrize("spoil", [told_to_fall, told_as_another, unnamed])
@pytest.mark.parametrize("seed", range(6))
def test_no_ruling_contradicts_what_lies_there_in_plain_sight_without_a_question(spoil, seed):
    bench, rng = Bench(seed, HEALTHY), Random(seed)
    position = Position(left={"white": 6, "black": 5}, queen="board", turn="south", break_done=True)
    match, _ = apply(begin(bench.books), Start("icf", {"south": "A", "north": "B"}, "south", position=position))
    for _ in range(12):
        drawn = spoil(draw(rng, COUNTS, "south", HEALTHY), rng)
        try:
            shot, _, _ = bench.read(match, drawn)
        except IndexError:
            continue  # told as no stroke, which rules on nothing
        lay, lie = (confident_pieces(board) for board in (drawn.stroke.before, drawn.stroke.after))
        if shot.doubts or len(lay) < len(drawn.stroke.before.pieces):
            continue
        gone = Counter([*(one.piece for one in shot.pocketed), *shot.off_board])
        before, after = (Counter(piece.piece for piece in board) for board in (lay, lie))
        for kind in ("white", "black", "queen"):
            assert gone[kind] + after[kind] <= before[kind]
        assert not (gone["striker"] and after["striker"])
        rest = {(round(piece.x_mm, 1), round(piece.y_mm, 1)): piece.piece for piece in lie if piece.piece != "striker"}
        assert rest.items() <= {(one.x, one.y): one.piece for one in shot.rest}.items()


def test_a_striker_in_plain_sight_beside_the_pocket_has_not_fallen_whatever_its_way_looks_like():
    """It runs over the place of the coin that falls, as where two sightings at the meeting went to the wrong one."""
    table = armed()
    stroke, edges = table.stroke([Fall(1, "SW")])
    met = next(track for track in stroke.tracks if track.track == 2)
    own = next(track for track in stroke.tracks if track.track == 1)
    t, x, y = stroke.began_ns, met.start.x_mm, met.start.y_mm
    lies = coin("striker", x + 40.0, y + 60.0)
    run = tuple(Sample(t + i * 30 * MS, x + 8.0 * i - 30.0, y + 12.0 * i - 60.0) for i in range(9))
    crept = tuple(Sample(t + (i + 5) * 30 * MS, x - 10.0 - 3.0 * i, y - 12.0 - 3.0 * i) for i in range(6))
    tracks = (replace(own, samples=run, end=lies), replace(met, samples=crept))
    after = (*(piece for piece in stroke.after.pieces if piece.piece != "striker"), lies)
    stroke = replace(stroke, tracks=tracks, touches=(), after=replace(stroke.after, pieces=after))
    shot = only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead).shot
    assert (fell(shot), shot.doubts) == ([("white", "SW")], ())


@pytest.mark.parametrize("lies", [True, False], ids=["lies there still", "is gone"])
def test_a_fall_that_is_seen_and_felt_while_all_lie_there_is_asked_about(lies):
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE")])
    if lies:
        stroke = replace(
            stroke,
            after=replace(stroke.after, pieces=(*stroke.after.pieces, replace(stroke.tracks[0].start, x_mm=5.0))),
        )
    shot = only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead).shot
    assert (fell(shot) == [], bool(shot.doubts)) == (lies, lies)


@pytest.mark.parametrize(("sure", "asked"), [(1.0, False), (0.9, True)], ids=["surely", "not surely"])
def test_a_fall_that_no_beam_felt_is_no_doubt_where_all_surely_lie_there(sure, asked):
    """One seemed to run into the pocket, and goes on as a track out of nowhere."""
    table = armed()
    stroke, _ = table.stroke([Fall(1, "SE", felt=False)])
    lies = coin(stroke.tracks[0].piece, -40.0, 120.0, confidence=sure)
    t = stroke.began_ns + 700 * MS
    path = (Sample(t, 0.0, 0.0), Sample(t + 500 * MS, -40.0, 120.0))
    goes_on = Track(30, lies.piece, None, lies, t, t + 500 * MS, path)
    after = replace(stroke.after, pieces=(*stroke.after.pieces, lies))
    seen = replace(stroke, tracks=(*stroke.tracks, goes_on), after=after)
    shot = only([*table.played(seen), *table.wait(3000)], ShotRead).shot
    assert (fell(shot), shot.off_board, bool(shot.doubts)) == ([], (), asked)


# -- a weak stroke of which little is seen but both rests


def slid(table: Table, lay=(74.0, -253.5), lies=(91.0, -192.7), sure=1.0, by_hand=False):
    """The striker's rest before and after, and one sighting in between; nothing was named struck."""
    stroke, _ = table.stroke()
    start, end = coin("striker", *lay), coin("striker", *lies, confidence=sure)
    others = tuple(piece for piece in stroke.before.pieces if piece.piece != "striker")
    t = stroke.began_ns + 20 * MS
    own = Track(1, "striker", start, end, t, t, (Sample(t, lies[0], lies[1] - 10.0),), by_hand=by_hand)
    return replace(
        stroke,
        tracks=(own,),
        touches=(),
        struck=None,
        before=replace(stroke.before, pieces=(*others, start)),
        after=replace(stroke.after, pieces=(*others, end)),
    )


@pytest.mark.parametrize(
    ("how", "told", "asked"),
    [
        ({}, True, False),
        ({"lies": (300.0, 100.0)}, True, False),
        ({"by_hand": True}, False, True),
        ({"lies": (-60.0, -252.0)}, False, False),
        ({"lies": (0.0, 252.6)}, False, False),
        ({"lies": (80.0, -240.0)}, False, False),
        ({"lay": (141.0, -48.0)}, False, False),
        ({"sure": 0.6}, False, False),
    ],
    ids=[
        "off its lines by itself",
        "far off",
        "a hand was with it",
        "along its line",
        "onto the other's line",
        "put right",
        "lay in the field",
        "not surely seen",
    ],
)
def test_a_striker_that_surely_lay_placed_and_surely_lies_elsewhere_was_played_or_is_asked_about(how, told, asked):
    table = armed()
    table.pieces = list(slid(table, **how).before.pieces)
    table.wait(1000)
    stroke = slid(table, **how)
    table.pieces = list(stroke.after.pieces)
    said = [*table.feed(stroke), *table.wait(3000)]
    assert bool(of(said, ShotRead)) is told
    assert any(one.kind == "unseen_change" for one in of(said, Mismatch)) is asked
    if told:
        shot = only(said, ShotRead).shot
        assert (shot.seat, shot.left_baseline, shot.pocketed, shot.doubts) == ("south", True, (), ())
        assert {"heading", "contacts"} <= set(shot.unseen), "what nobody saw is not told"


# -- a queen seen on the red middle's paint


@pytest.mark.parametrize(
    ("at", "told"),
    [((1.0, -2.0), False), ((120.0, 200.0), True)],
    ids=["on the paint", "elsewhere"],
)
def test_a_second_queen_on_the_paint_is_not_told_where_the_queen_surely_lies(at, told):
    pieces = [coin("queen", 30.0, 58.0), coin("white", -100.0, 40.0), coin("black", 90.0, -70.0)]
    table = armed(pieces)
    table.pieces = [*pieces, coin("queen", *at)]
    said = table.wait(4000)
    assert any(one.seen.what == "second_queen" for one in of(said, SeenRead)) is told
    assert bool(of(said, Mismatch)) is told
