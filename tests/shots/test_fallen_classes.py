"""Of which class is what fell: its own odds, what is left to count, and the book; where they leave it open, a doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import Vanished
from controller.shots import ShotRead
from controller.shots.fusion import FusionInput, Missing, joint_hypotheses
from controller.shots.limits import Limits
from tests.shots.table import (
    MS,
    Fall,
    S,
    Table,
    armed,
    coin,
    expects,
    fell,
    full_board,
    of,
    only,
)


def choices(shot, fact):
    return next(dict_of(doubt.choices) for doubt in shot.doubts if doubt.fact == fact)


def dict_of(pairs):
    return {str(value): weight for value, weight in pairs}


def test_a_class_in_doubt_is_settled_by_counting_what_is_left():
    table = armed()
    table.pieces[1] = coin("white", *SPOT, odds=(("white", 0.55), ("black", 0.45)))
    stroke, edges = table.stroke([Fall(1, "NE")])
    shot = only(table.played(*edges, stroke), ShotRead).shot
    assert fell(shot) == [("white", "NE")]
    assert shot.doubts == ()


def test_of_two_exchanged_tracks_the_piece_that_is_seen_to_lie_there_has_not_fallen():
    """The queen's track led into the pocket, a white's to where she is seen to lie: a white fell, and it is asked."""
    table = armed()
    queen, white = table.pieces[:2]
    stroke, edges = table.stroke([Fall(0, "SE")])
    lies = replace(white, piece="queen", x_mm=white.x_mm + 12, confidence=0.94, odds=(("queen", 0.95), ("white", 0.05)))
    fallen, *others = stroke.tracks
    astray = replace(fallen, odds=(("queen", 0.76), ("white", 0.08), ("black", 0.08), ("striker", 0.08)))
    exchanged = replace(fallen, track=9, piece="queen", start=white, end=lies, vanished=None, odds=lies.odds)
    after = replace(stroke.after, pieces=tuple(lies if one is white else one for one in stroke.after.pieces))
    seen = replace(stroke, tracks=(astray, exchanged, *others), after=after)
    shot = only([*table.played(*edges, seen), *table.wait(3000)], ShotRead).shot
    assert fell(shot) == [("white", "SE")]
    assert [doubt.fact for doubt in shot.doubts] == ["pocketed.0.piece"]
    assert queen.piece == astray.piece


SPOT = (-100.0, -90.0)


def test_what_fell_is_not_the_striker_that_a_hand_took():
    at = (320.0, 320.0)
    lost = Missing("striker", {"striker": 1.0}, Vanished(S, 20 * MS, "hand", (0.0, 0.0)))
    fallen = Missing("track 2", {"white": 0.9, "striker": 0.1}, Vanished(S, 20 * MS, "pocket", at, "NE"))
    lay, left, blind = (9, 9, 1), (8, 9, 1), frozenset({"NE"})
    seen = FusionInput((lost, fallen), (), True, ((lay, 1.0),), {left: 1.0}, blind=blind, board=DEFAULT_BOARD)
    ways = joint_hypotheses(seen, Limits())
    assert ways[0].told == ((("white", "NE"),), ())
    assert not any(one.pieces.count("striker") > 1 and len(one.fell) + len(one.of_fate("taken")) > 1 for one in ways)


def test_what_was_sure_before_settles_what_is_unsure_after():
    table = armed()
    table.pieces[1] = coin("white", *SPOT, odds=(("white", 0.55), ("black", 0.45)))
    stroke, edges = table.stroke([Fall(1, "NE")])
    unsure = stroke.after.pieces[4]
    after = replace(
        stroke.after,
        pieces=tuple(
            replace(one, odds=(("white", 0.5), ("black", 0.5))) if one is unsure else one for one in stroke.after.pieces
        ),
    )
    shot = only([*table.feed(*edges, replace(stroke, after=after)), *table.wait(3000)], ShotRead).shot
    assert fell(shot) == [("white", "NE")]
    assert shot.doubts == ()


def test_a_class_that_counting_cannot_settle_is_a_doubt_about_that_piece():
    table = armed()
    table.pieces[1] = coin("white", *SPOT, odds=(("white", 0.6), ("black", 0.4)))
    table.pieces[4] = replace(table.pieces[4], odds=(("black", 0.5), ("white", 0.5)))
    stroke, edges = table.stroke([Fall(1, "NE")])
    shot = only([*table.played(*edges, stroke), *table.wait(3000)], ShotRead).shot
    weights = choices(shot, "pocketed.0.piece")
    assert weights["white"] == pytest.approx(0.6, abs=0.02)
    assert weights["black"] == pytest.approx(0.4, abs=0.02)


def test_of_several_strikers_all_but_one_are_coins():
    table = armed()
    stroke, _ = table.stroke()
    coins = [one for one in stroke.after.pieces if one.piece == "white"][:2]
    mistaken = {id(one): replace(one, piece="striker", odds=(("striker", 0.53), ("white", 0.47))) for one in coins}
    after = tuple(mistaken.get(id(one), one) for one in stroke.after.pieces)
    shot = only(
        [*table.feed(replace(stroke, after=replace(stroke.after, pieces=after))), *table.wait(3000)], ShotRead
    ).shot
    assert (fell(shot), shot.off_board, shot.doubts) == ([], (), ())
    assert len(shot.rest) == 19


def fallen_classes(odds, others, before, priors=(((2, 2, 1), 1.0),)):
    """The weights of the classes of one piece that was seen to fall; the others lie there as before, untouched."""
    gone = Missing("track 378", odds, Vanished(S, 5 * MS, "pocket", (334.0, 330.0), "NE"))
    seen = FusionInput(
        (gone,), (), True, priors, others, others, blind=frozenset({"NE"}), lay_seen=before, board=DEFAULT_BOARD
    )
    weights = {}
    for one in joint_hypotheses(seen, Limits()):
        if one.hypotheses[0].fate == "fell":
            weights[one.pieces[0]] = weights.get(one.pieces[0], 0.0) + one.weight
    return weights


@pytest.mark.parametrize(("queen", "asked"), [(0.005, True), (0.5, False)], ids=["hardly the queen", "as likely"])
def test_a_piece_in_doubt_is_the_queen_that_is_not_seen_unless_another_is_as_likely(queen, asked):
    """The book has a queen that vision does not name. Each of two blacks beside it is she with 1 in 10 000."""
    beside = {(2, 2, 0): 0.9998, (2, 1, 1): 2e-4}
    found = fallen_classes({"black": 1.0 - queen, "queen": queen, "white": 1e-4}, beside, (2, 3, 0))
    assert max(found, key=found.get) == "queen"
    assert (found["black"] > 0.01) is asked


def test_where_one_of_six_is_misnamed_each_is_it_with_one_in_six():
    """Vision is sure of six whites and eight blacks, the book of five and nine; one that vision calls white falls."""
    beside = {(5, 8, 1): 0.9995, (4, 9, 1): 5e-4}
    priors = (((5, 9, 1), 0.98), ((6, 8, 1), 0.02))
    found = fallen_classes({"white": 0.9998, "black": 1e-4, "queen": 1e-4}, beside, (6, 8, 1), priors)
    assert found["black"] == pytest.approx(0.98 / 6, rel=0.05)


def test_the_doubtful_one_of_six_is_the_misnamed_one():
    """One of the whites has been taken for a black with 1 in 20: who falls now is none, or just that one."""
    priors = (((5, 9, 1), 1.0),)
    doubted = {(5, 8, 1): 0.95, (4, 9, 1): 0.05}
    found = fallen_classes({"white": 0.9998, "black": 1e-4, "queen": 1e-4}, doubted, (6, 8, 1), priors)
    assert found["black"] < 0.005
    sure = {(5, 8, 1): 0.9995, (4, 9, 1): 5e-4}
    found = fallen_classes({"white": 0.95, "black": 0.05, "queen": 1e-4}, sure, (6, 8, 1), priors)
    assert found["white"] < 0.02


@pytest.mark.parametrize(("queen", "asked"), [(0.04, True), (0.9, False)], ids=["called black", "rather the queen"])
def test_a_queen_that_the_eyes_call_black_is_asked_about_when_she_falls(queen, asked):
    book = full_board()
    name = "queen" if queen > 0.5 else "black"
    odds = tuple(sorted({"queen": queen, "black": 1.0 - queen}.items(), key=lambda pair: -pair[1]))
    called = coin(name, book[0].x_mm, book[0].y_mm, confidence=odds[0][1], odds=odds)
    table = Table(pieces=[called, *book[1:]])
    table.feed(expects(book), *table.signs(), table.board(table.pieces, table.now))
    stroke, edges = table.stroke([Fall(0, "NE")])
    shot = of([*table.played(*edges, stroke), *table.wait(3000)], ShotRead)[-1].shot
    assert fell(shot) == [("queen", "NE")]
    assert bool(shot.doubts) is asked


@pytest.mark.parametrize(("lies", "asked"), [({(7, 8, 1): 0.53, (7, 7, 1): 0.47}, True), ({(7, 8, 1): 1.0}, False)])
def test_a_struck_track_that_may_have_been_exchanged_fell_as_the_coin_if_that_may_be_the_one_missed(lies, asked):
    """The striker met a black and one of the two fell; what lies there now may be either."""
    odds = {"striker": 0.76, "white": 0.08, "black": 0.08, "queen": 0.08}
    gone = Missing("striker", odds, Vanished(S, 5 * MS, "pocket", (334.0, -330.0), "SE"))
    seen = FusionInput((gone,), (), True, (((7, 8, 1), 1.0),), lies, blind=frozenset({"SE"}), board=DEFAULT_BOARD)
    black = sum(one.weight for one in joint_hypotheses(seen, Limits()) if one.pieces == ("black",))
    assert (black > Limits().class_doubt_floor) is asked


def test_a_struck_track_in_doubt_is_asked_about_where_it_went_into_a_pocket():
    """The striker met a black in the jaws; which of the two fell is not sure, and what lies there may be either."""
    table = armed()
    stroke, edges = table.stroke(striker_falls=Fall(-1, "SE", 700))
    *others, struck = stroke.tracks
    odds = (("striker", 0.76), ("white", 0.08), ("black", 0.08), ("queen", 0.08))
    exchanged = replace(stroke, tracks=(*others, replace(struck, odds=odds)))
    black = next(one for one in stroke.after.pieces if one.piece == "black")
    unsure = replace(black, odds=(("black", 0.53), ("striker", 0.47)))
    after = tuple(unsure if one is black else one for one in stroke.after.pieces)
    exchanged = replace(exchanged, after=replace(stroke.after, pieces=after))
    shot = of([*table.feed(*edges, exchanged), *table.wait(3000)], ShotRead)[-1].shot
    assert fell(shot) == [("striker", "SE")]
    assert "black" in choices(shot, "pocketed.0.piece")
