"""Late, repeated and reordered input gives the same shot; no input gives an exception or an impossible event."""

from __future__ import annotations

import json
import random
from dataclasses import asdict, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calibration.board import DEFAULT_BOARD
from controller.events.beams import BeamEdge, BeamGap, BeamHealth
from controller.events.expectation import Expectation, ToPlace
from controller.events.match import Pocketed
from controller.events.observation import (
    BoardSeen,
    EyesHealth,
    Foreign,
    Hand,
    HandsSeen,
    MotionBegan,
    Moving,
    Sample,
    SeenPiece,
    StrikerSeen,
    StrokeSeen,
    Touch,
    Track,
    Vanished,
)
from controller.shots import DropRead, ShotRead, Tick, begin, step
from controller.shots.phases import MEANING, TABLE
from tests.shots.table import MS, Fall, S, Table, of, only

pytestmark = pytest.mark.slow

STROKES = {
    "nothing": {},
    "one": {"falls": [Fall(1, "NE")]},
    "three and the striker": {
        "falls": [Fall(1, "NE", 500), Fall(2, "SW", 640), Fall(0, "NE", 900)],
        "striker_falls": Fall(-1, "NW", 800),
    },
    "silent beam": {"falls": [Fall(1, "NE", felt=False)]},
    "two in one": {"falls": [Fall(1, "NE", 600), Fall(2, "NE", 606, felt=False)]},
    "off the board": {"off": [4]},
}


@pytest.mark.long
@pytest.mark.parametrize("name", STROKES)
def test_any_order_gives_the_same_shot(name):
    outcomes = set()
    for seed in range(25):
        table = Table()
        table.arm()
        stroke, edges = table.stroke(**STROKES[name])
        extra = [
            *edges,
            *edges[:2],
            stroke,
            stroke,
            MotionBegan(stroke.began_ns, "striker", (0.0, -250.0)),
            HandsSeen(stroke.began_ns - 20 * MS, ()),
            BeamHealth(stroke.ended_ns - 100 * MS, "up"),
            EyesHealth(stroke.t_ns, "ok", stroke.t_ns),
            stroke.after,
        ]
        random.Random(seed).shuffle(extra)
        said = table.feed(*extra)
        table.now = stroke.t_ns
        said += table.wait(4000)
        read = of(said, ShotRead)
        # A reading that something late changed is replaced: the last word counts, and the first is never doubled.
        assert [one.revises for one in read[1:]] == [stroke.began_ns] * (len(read) - 1)
        outcomes.add(json.dumps(asdict(read[-1].shot), sort_keys=True))
    assert len(outcomes) == 1


def test_the_same_stroke_twice_is_one():
    table = Table()
    table.arm()
    stroke, edges = table.stroke([Fall(1, "NE")])
    said = table.played(*edges, stroke, *edges, stroke)
    said += table.wait(3000)
    assert len(only(said, ShotRead).shot.pocketed) == 1


def test_a_stroke_waits_for_the_ruling_on_the_one_before():
    table = Table()
    table.arm()
    first, edges = table.stroke([Fall(1, "NE")])
    second, more = table.stroke([Fall(1, "SW")])
    said = table.played(*edges, first, *more, second)
    assert len(of(said, ShotRead)) == 1
    from tests.shots.table import expects

    said = table.feed(expects(second.before.pieces, seq=2))
    assert [one.pocket for one in only(said, ShotRead).shot.pocketed] == ["SW"]


# -- anything at all

times = st.integers(0, 60).map(lambda tenth: 10 * S + tenth * 100 * MS)
millimetres = st.floats(-420, 420, allow_nan=False)
points = st.tuples(millimetres, millimetres)
pieces = st.sampled_from(["white", "black", "queen", "striker", "unknown"])
pockets = st.sampled_from(["NE", "NW", "SE", "SW"])
seats = st.sampled_from(["south", "north", "east", "west"])
odds = st.lists(st.tuples(pieces, st.floats(0, 1)), max_size=3).map(tuple)
outlines = st.lists(points, max_size=5).map(tuple)
hands = st.lists(st.builds(Hand, outlines, st.none() | seats), max_size=2).map(tuple)
seen_pieces = st.builds(
    SeenPiece, pieces, millimetres, millimetres, st.floats(0, 20), odds=odds, in_mouth=st.none() | pockets,
    upright=st.booleans(),
)  # fmt: skip
boards = st.builds(
    BoardSeen, times, times, st.lists(seen_pieces, max_size=22).map(tuple),
    hidden=st.lists(outlines, max_size=1).map(tuple), hands=hands,
    foreign=st.lists(st.builds(Foreign, outlines), max_size=1).map(tuple), picture=st.none() | st.integers(0, 9),
)  # fmt: skip
vanished = st.builds(
    Vanished, times, st.integers(0, S), st.sampled_from(["pocket", "frame", "hand", "unknown"]), points,
    st.none() | pockets,
)  # fmt: skip
tracks = st.builds(
    Track, st.integers(0, 9), pieces, st.none() | seen_pieces, st.none() | seen_pieces, times, times,
    st.lists(st.builds(Sample, times, millimetres, millimetres), max_size=3).map(tuple), st.none() | vanished,
    st.booleans(), odds=odds,
)  # fmt: skip
strikers = st.builds(
    StrikerSeen, st.none() | seen_pieces, st.none() | millimetres, times, st.integers(0, S),
    st.none() | st.floats(0, 360), st.none(), st.floats(0, 900), st.none() | st.floats(0, 200),
    st.none() | st.integers(0, 9),
)  # fmt: skip
touches = st.builds(
    Touch, times, st.integers(0, S), st.sampled_from(["white", "queen", "cushion"]), points,
    st.none() | st.integers(0, 9), certain=st.booleans(),
)  # fmt: skip
strokes = st.builds(
    StrokeSeen, times, times, times, st.sampled_from(["match", "club", "basic"]), boards, boards,
    st.lists(tracks, max_size=8).map(tuple), st.lists(touches, max_size=3).map(tuple), st.none() | strikers,
    st.lists(st.builds(HandsSeen, times, hands), max_size=2).map(tuple), st.sampled_from([True, False, None]),
    st.booleans(), st.floats(0, 10), blind=st.lists(st.tuples(times, times), max_size=1).map(tuple),
)  # fmt: skip
counts = st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 1)).map(
    lambda found: tuple(zip(("white", "black", "queen"), found, strict=True))
)
places = st.builds(
    ToPlace, st.sampled_from(["white", "black", "queen"]), st.just("icf-72a"), st.none(), st.none() | points,
    st.none() | st.just(((0.0, 0.0), 15.9, 85.0)),
)  # fmt: skip
books = st.builds(
    Expectation, st.none() | seats, counts, counts, st.just((("south", "south"), ("north", "north"))),
    to_place=st.lists(places, max_size=3).map(tuple), opening=st.booleans(), play=st.booleans(),
    tournament=st.booleans(), turn_began_ns=st.none() | times, seq=st.integers(0, 5),
    rest_mm=st.lists(st.tuples(st.just("white"), millimetres, millimetres), max_size=3).map(tuple),
)  # fmt: skip
edges = st.builds(
    BeamEdge, times, pockets, st.sampled_from(["upper", "lower"]), st.booleans(), st.just("boot"),
    st.integers(0, 40), st.integers(0, S),
)  # fmt: skip
beams = st.builds(
    BeamHealth, times, st.sampled_from(["up", "stale", "down"]), blind=st.lists(pockets, max_size=2).map(tuple)
)
inputs = st.one_of(
    boards, strokes, strokes, edges, edges, books, beams, st.builds(HandsSeen, times, hands),
    st.builds(MotionBegan, times, pieces, points, st.booleans()), st.builds(Moving, times, st.just(())),
    st.builds(BeamGap, times, times, st.just(1), st.just("lost")),
    st.builds(EyesHealth, times, st.sampled_from(["ok", "stalled", "lost", "blind"]), times),
    st.builds(Tick, times, st.none() | times, st.none() | times),
)  # fmt: skip


@pytest.mark.long
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(inputs, max_size=14))
def test_no_input_raises_or_makes_an_impossible_event(fed):
    state = begin(board=DEFAULT_BOARD)
    book = None
    for one in fed:
        if isinstance(one, Expectation):
            book = one
        before = book
        state, said = step(state, one)
        for read in said:
            if isinstance(read, ShotRead):
                possible(read, before)
            if isinstance(read, DropRead):
                assert read.drop.piece in ("white", "black", "queen")
        assert state.phase in TABLE


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(strokes, strikers, st.lists(tracks, min_size=2, max_size=4))
def test_no_stroke_raises_whatever_its_striker_did(stroke, struck, ways):
    ways = tuple(replace(way, track=number) for number, way in enumerate(ways))
    stroke = replace(stroke, struck=replace(struck, track=0), tracks=ways)
    state, _ = step(begin(board=DEFAULT_BOARD), stroke)
    for later in range(0, 9000, 3000):
        state, _ = step(state, Tick(stroke.t_ns + later * MS, stroke.t_ns + later * MS))
    assert state.phase in TABLE


def possible(read, book):
    shot = read.shot
    json.dumps(asdict(shot))
    for fell, off in readings(shot):
        gone = [one.piece for one in fell] + list(off)
        assert gone.count("striker") <= 1
        if book is not None and read.revises is None:
            for kind, count in book.on_board:
                assert gone.count(kind) <= count
    for doubt in shot.doubts:
        weights = [weight for _, weight in doubt.choices]
        assert weights == sorted(weights, reverse=True)
        assert sum(weights) == pytest.approx(1.0, abs=1e-3)
    assert shot.seat in ("south", "north", "east", "west")


def readings(shot):
    """Every way the doubts leave to read what fell and what left the board."""
    yield shot.pocketed, shot.off_board
    for doubt in shot.doubts:
        for value, _ in doubt.choices:
            if doubt.fact == "pocketed":
                yield [Pocketed(**one) for one in value], shot.off_board
            elif doubt.fact == "off_board":
                yield shot.pocketed, value
            elif doubt.fact == "*":
                yield [Pocketed(**one) for one in value["pocketed"]], value["off_board"]
            elif doubt.fact.startswith("pocketed."):
                index = int(doubt.fact.split(".")[1])
                fell = list(shot.pocketed)
                fell[index] = Pocketed(value, fell[index].pocket)
                yield fell, shot.off_board


def test_what_is_nothing_is_refused():
    with pytest.raises(TypeError):
        step(begin(board=DEFAULT_BOARD), "a stroke")


def test_the_table_of_phases_is_closed_and_every_state_is_explained():
    assert set(TABLE) == set(MEANING)
    assert {target for row in TABLE.values() for target in row.values()} <= set(TABLE)
    reached, frontier = {"off"}, ["off"]
    while frontier:
        for target in TABLE[frontier.pop()].values():
            if target not in reached:
                reached.add(target)
                frontier.append(target)
    assert reached == set(TABLE)
