"""What pieces are called when all of them are weighed together."""

from __future__ import annotations

from collections import Counter

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import SeenPiece
from controller.events.words import SET, Piece
from controller.vision.finding.find import Finding
from controller.vision.following.association import associate
from controller.vision.following.detection_fusion import carried, possible


def piece(kind: Piece, x: float = 0.0, y: float = 0.0, sure: float = 0.96) -> SeenPiece:
    return SeenPiece(kind, x, y, 0.4, sure)


def nowhere(_: SeenPiece) -> bool:
    return False


def whole_set() -> list[SeenPiece]:
    kinds: list[Piece] = ["white"] * 9 + ["black"] * 9 + ["queen", "striker"]
    return [piece(kind, 35.0 * index, 0.0) for index, kind in enumerate(kinds)]


def test_a_possible_board_is_left_as_it_was_found() -> None:
    found = whole_set()
    assert possible(found) == tuple(found)


@pytest.mark.parametrize(("index", "wrong"), [(0, "striker"), (0, "black"), (9, "queen")])
def test_an_impossible_board_is_doubted_where_a_look_was_least_sure(index: int, wrong: Piece) -> None:
    found = whole_set()
    right = found[index].piece
    found[index] = piece(wrong, found[index].x_mm, 0.0, 0.6)
    named = possible(found)
    assert named[index].piece == right or right in dict(named[index].odds)
    assert sum(one.piece == wrong and not one.odds for one in named) <= SET[wrong]
    assert [one.piece for k, one in enumerate(named) if k != index] == [
        one.piece for k, one in enumerate(found) if k != index
    ]


def test_what_nobody_touched_stays_though_a_look_misses_it_and_nothing_new_lies_in_it() -> None:
    white, black = piece("white", 0, 0), piece("black", 100, 0)
    sight = Finding((piece("striker", 8, 0), piece("black", 100.2, 0), piece("white", 200, 0)))
    kept = carried(sight, [white, black], {white, black}, lambda one: one.x_mm == 200, nowhere)
    assert Counter(one.piece for one in kept.pieces) == {"white": 1, "black": 1}


def test_a_doubt_about_what_was_not_looked_at_again_stays() -> None:
    # A look at another part of the board takes over what was known of this one.
    doubted = SeenPiece("white", 0.0, 0.0, 0.4, 0.7, odds=(("white", 0.7), ("black", 0.3)))
    for _ in range(5):
        (doubted,) = carried(Finding((doubted,)), [doubted], {doubted}, nowhere, nowhere).pieces
    assert dict(doubted.odds)["black"] == pytest.approx(0.3)
    again = SeenPiece("white", 0.1, 0.0, 0.4, 0.97)
    assert carried(Finding((again,)), [doubted], {doubted}, nowhere, nowhere).pieces[0].confidence > 0.7


def test_what_was_never_there_is_dropped_when_the_bare_board_shows() -> None:
    phantom = piece("white", 0, 0)
    assert carried(Finding(()), [phantom], {phantom}, nowhere, lambda one: True).pieces == ()
    seen = carried(Finding((phantom,)), [phantom], {phantom}, nowhere, lambda one: True)
    assert len(seen.pieces) == 1


def test_a_piece_that_went_nowhere_and_one_from_nowhere_are_one() -> None:
    start, end = piece("black", 0, 0), piece("white", 60, 0, 0.6)
    (item,) = associate([start], [end], [], DEFAULT_BOARD, 16_000_000)
    assert (item.start, item.end, item.piece) == (start, end, "black")
