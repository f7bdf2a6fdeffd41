"""Doubts as the rules take them: what is asked, and that every choice of a doubt is a shot that can be ruled."""

from __future__ import annotations

import pytest

from controller.events.match import Answer, Doubt, Pocketed, Position, Shot, Start
from controller.rules import apply, begin, expectation
from controller.rules.shelf import load_books
from controller.shots import ShotRead
from tests.shots.table import Fall, Table, only

BOOK = load_books()


def begun(book="icf"):
    under_way = Position(break_done=True)
    state, ruling = apply(begin(BOOK), Start(book, {"south": "Asha", "north": "Ben"}, "south", position=under_way))
    assert not hasattr(ruling, "error"), ruling
    return state


def fed(state, **stroke):
    """A stroke as the shots package reads it, with the book's own expectation."""
    table = Table()
    book = expectation(state)
    table.feed(book, *table.signs(), table.board(table.pieces, table.now))
    seen, edges = table.stroke(**stroke)
    return only([*table.played(*edges, seen), *table.wait(3000)], ShotRead).shot


def ruled(state, shot):
    state, ruling = apply(state, shot)
    assert not hasattr(ruling, "error"), ruling
    return state, ruling


def test_a_clean_stroke_asks_nothing():
    _, ruling = ruled(begun(), fed(begun(), falls=[Fall(1, "NE")]))
    assert (ruling.asks, ruling.provisional, ruling.left["white"]) == ((), False, 8)


def test_fell_or_left_the_board_is_asked_and_answered():
    state = begun()
    shot = fed(state, falls=[Fall(1, "NE", felt=False)])
    assert [doubt.fact for doubt in shot.doubts] == ["*"]
    state, ruling = ruled(state, shot)
    assert (ruling.provisional, len(ruling.asks)) == (True, 1)
    assert ruling.left["white"] == 8
    off = next(choice for choice in ruling.asks[0].choices if isinstance(choice, dict) and choice["off_board"])
    state, answer = ruled(state, Answer(ruling.asks[0].ask, off))
    assert answer.left["white"] == 9
    assert answer.returned[0].piece == "white"


@pytest.mark.parametrize("choice", ["none of these", "replay the stroke"])
def test_the_other_answers_can_be_given(choice):
    state = begun()
    state, ruling = ruled(state, fed(state, falls=[Fall(1, "NE", felt=False)]))
    ruled(state, Answer(ruling.asks[0].ask, choice))


def test_the_order_of_fall_is_asked_only_where_it_matters():
    shot = Shot(
        "south",
        pocketed=(Pocketed("white", "NE"), Pocketed("black", "NE")),
        doubts=(
            Doubt(
                "pocketed",
                (
                    ([{"piece": "white", "pocket": "NE"}, {"piece": "black", "pocket": "NE"}], 0.6),
                    ([{"piece": "black", "pocket": "NE"}, {"piece": "white", "pocket": "NE"}], 0.4),
                ),
            ),
        ),
    )
    asked = {}
    for book in ("icf", "club"):
        _, ruling = ruled(begun(book), shot)
        asked[book] = len(ruling.asks)
    assert asked == {"icf": 0, "club": 1}, "in club the first coin gives the colour"
