"""A queen put back on the middle that no look saw: what sets out from there and falls is she, and only that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.events.expectation import ToPlace
from controller.events.observation import Sample, StrokeSeen, Track, Vanished
from controller.events.words import Piece
from controller.shots import ShotRead
from tests.shots.table import MS, POCKETS, S, Table, coin, expects, of

LIES = (coin("black", -119.0, -325.0), coin("white", -309.0, -306.0))
QUEEN = coin("queen", 0.0, 0.0)


def read(
    first: tuple[float, float], named: Piece = "unknown", waits: bool = True, felt: bool = True, moved: bool = False
) -> ShotRead:
    """A stroke in which something nobody saw lie ran from `first` into NE while all that was seen to lie lies still."""
    table = Table(pieces=list(LIES))
    to_place = (ToPlace("queen", "icf-95a", None, (0.0, 0.0)),) if waits else ()
    table.feed(expects([*LIES, QUEEN] if waits else LIES, to_place=to_place), *table.signs())
    table.wait(1000)
    stroke, _ = table.stroke(touches=())
    began = stroke.began_ns
    fell_ns = began + 700 * MS
    path = (Sample(began + 300 * MS, *first), Sample(fell_ns - 20 * MS, *POCKETS["NE"]))
    vanished = Vanished(fell_ns, 10 * MS, "pocket", POCKETS["NE"], "NE")
    ran = Track(7, named, None, None, began + 300 * MS, fell_ns - 20 * MS, path, vanished, confidence=0.5)
    stroke = replace(stroke, tracks=(*stroke.tracks, ran))
    if moved:
        # The black one went without a track of its own.
        stroke = without(stroke, LIES[0].piece)
        table.pieces = [piece for piece in table.pieces if piece.piece != LIES[0].piece]
    edges = table.edges("NE", fell_ns + 15 * MS) if felt else []
    table.feed(stroke, *edges)
    table.now = stroke.t_ns + S
    table.wait(3000)
    return of(table.said, ShotRead)[-1]


def without(stroke: StrokeSeen, kind: Piece) -> StrokeSeen:
    left = tuple(piece for piece in stroke.after.pieces if piece.piece != kind)
    return replace(stroke, after=replace(stroke.after, pieces=left))


def test_what_set_out_from_where_she_was_to_lie_was_the_queen() -> None:
    shot = read((15.9, 15.0)).shot
    assert [(fell.piece, fell.pocket) for fell in shot.pocketed] == [("queen", "NE")]
    assert shot.doubts == ()


@pytest.mark.parametrize(
    ("first", "named", "waits"),
    [
        pytest.param((120.0, 90.0), "unknown", True, id="from elsewhere"),
        pytest.param((15.9, 15.0), "white", True, id="another class was seen"),
        pytest.param((15.9, 15.0), "unknown", False, id="nothing waits to be placed"),
    ],
)
def test_anything_else_is_not_surely_she(first: tuple[float, float], named: Piece, waits: bool) -> None:
    shot = read(first, named, waits).shot
    assert [fell.piece for fell in shot.pocketed] != ["queen"] or shot.doubts


def test_where_a_piece_that_lay_there_is_gone_that_one_fell() -> None:
    shot = read((15.9, 15.0), moved=True).shot
    assert "black" in [fell.piece for fell in shot.pocketed] or any(
        "black" in str(doubt.choices) for doubt in shot.doubts
    )
