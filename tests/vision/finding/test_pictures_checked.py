"""Whether a board is empty, and whether an opening lies on it, on drawn tables with names, artwork, stains and wear."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import SeenPiece
from controller.simulator.motion import Pose
from controller.simulator.pieces import QUEEN
from controller.vision import pictures_checked
from controller.vision.finding import Finding
from controller.vision.learning.opening import learn
from controller.vision.looks import Looks, looks_of
from controller.vision.opening_pictures import LEAST_NAMED
from controller.vision.pictures_checked import RefusedError, check_empty, check_rack
from tests.bench.eyes import random_tables
from tests.bench.eyes.random_tables import Drawn
from tests.bench.eyes.tally import grey

pytestmark = pytest.mark.slow

PLAIN = looks_of(DEFAULT_BOARD)
BASE = DEFAULT_BOARD.base_circles_mm[0]
PLACES = ((-150.0, 30.0), (40.0, 180.0))
NAMED = (720_003, 720_010, 720_013)
"""Drawn with names, artwork and stains; on 720013 the finder takes one for a black."""


@cache
def drawn(seed: int) -> Drawn:
    return random_tables.draw(seed, lens_views=0)


def sees_once(monkeypatch: pytest.MonkeyPatch, x_mm: float, y_mm: float) -> None:
    """The finder is sure of a queen in the first picture that it is shown, and sees nothing in the next."""
    answers = [Finding((SeenPiece("queen", x_mm, y_mm, 1.0, confidence=0.99),)), Finding(())]
    monkeypatch.setattr(pictures_checked, "find", lambda *_: answers.pop(0))


def doubts(table: Drawn, lying: dict[int, Pose], *, opening: bool = True) -> list[str]:
    says: list[str] = []
    shown = table.shows(lying) if lying else table.empty
    check_empty(shown, table.model, PLAIN, DEFAULT_BOARD, table.opening if opening else None, says)
    return says


@pytest.mark.long
@pytest.mark.parametrize("opening", [True, False], ids=["with the opening", "without"])
def test_a_painted_disc_that_looks_like_a_queen_in_one_picture_only_is_paint(monkeypatch, opening: bool) -> None:
    sees_once(monkeypatch, *BASE)
    assert doubts(drawn(NAMED[0]), {}, opening=opening) == []


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_bare_wood_that_is_taken_for_a_piece_once_is_bare_wood(monkeypatch, place: tuple[float, float]) -> None:
    sees_once(monkeypatch, *place)
    assert doubts(drawn(NAMED[0]), {}) == []


def test_a_piece_on_a_painted_disc_that_is_gone_in_the_opening_is_doubted(monkeypatch) -> None:
    table = drawn(NAMED[0])
    sees_once(monkeypatch, *BASE)
    assert len(doubts(table, {QUEEN: Pose(*BASE, 0.0, 0.0)})) == 1


@pytest.mark.parametrize(("racked", "beside", "doubted"), [(7, 0, 7), (8, 0, None), (0, 4, None), (3, 3, 6)])
def test_petals_in_the_middle_are_doubted_and_an_arrangement_is_refused(
    monkeypatch, racked: int, beside: int, doubted: int | None
) -> None:
    """What the opening hides later is as many as a star has petals; `beside` it, that many pieces were left lying."""
    table = drawn(NAMED[0])
    x, y = PLACES[0]
    places = [(50.0 * np.cos(k), 50.0 * np.sin(k)) for k in range(racked)] + [(x, y + 40.0 * k) for k in range(beside)]
    lying = {name: Pose(*at, 0.0, 0.0) for name, at in zip(table.look.pieces.names, places[racked:], strict=False)}
    seen = tuple(SeenPiece("black", *at, 1.0, confidence=0.99) for at in places)
    answers = [Finding(seen), Finding(())]
    monkeypatch.setattr(pictures_checked, "find", lambda *_: answers.pop(0))
    if doubted is None:
        with pytest.raises(RefusedError, match=f"{racked + beside} pieces lie on the board"):
            doubts(table, lying)
    else:
        assert len(doubts(table, lying)) == doubted


@pytest.mark.long
@pytest.mark.parametrize("seed", NAMED)
def test_what_is_printed_is_not_doubted_and_pieces_left_lying_are(seed: int) -> None:
    table = drawn(seed)
    assert doubts(table, {}) == []
    # Blacks: whites on pale wood are not all seen without an empty picture.
    blacks = [name for name in table.look.pieces.names if table.look.pieces.piece(name) == "black"]
    left = {name: Pose(x, y, 0.0, 0.0) for name, (x, y) in zip(blacks, PLACES, strict=False)}
    assert len(doubts(table, left)) == len(PLACES)


@pytest.mark.long
@pytest.mark.parametrize("seed", [700_016, 700_019])
def test_an_opening_whose_pieces_are_hardly_paler_than_the_board_is_one(seed: int) -> None:
    table = drawn(seed)
    looks: Looks = replace(PLAIN, empty=table.empty, empty_model=table.model)
    learnt = learn(table.opening, grey(table.opening), table.model, looks, DEFAULT_BOARD)
    racked, named = check_rack(table.opening, table.model, learnt, DEFAULT_BOARD)
    assert racked >= 17
    assert named < LEAST_NAMED, "whites that are taken for bare wood or for queens: that is said"
    assert np.hypot(*learnt.places[0]) < 15.0


@pytest.mark.parametrize(("seen", "is_one"), [(9, True), (7, False)])
def test_an_opening_of_which_only_the_blacks_are_seen_is_one(monkeypatch, seen: int, is_one: bool) -> None:
    table = drawn(NAMED[0])
    looks: Looks = replace(PLAIN, empty=table.empty, empty_model=table.model)
    learnt = learn(table.opening, grey(table.opening), table.model, looks, DEFAULT_BOARD)
    blacks = learnt.places[[name == "black" for name in learnt.classes]][:seen]
    pieces = tuple(SeenPiece("black", x, y, 1.0) for x, y in blacks.tolist())
    monkeypatch.setattr(pictures_checked, "find", lambda *_: Finding(pieces))
    if is_one:
        assert check_rack(table.opening, table.model, learnt, DEFAULT_BOARD) == (9, 9)
    else:
        with pytest.raises(RefusedError, match="7 of its nineteen"):
            check_rack(table.opening, table.model, learnt, DEFAULT_BOARD)
