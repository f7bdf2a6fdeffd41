"""A queen put back on the middle that no detection showed: what sets out from there and falls is asked about."""

from __future__ import annotations

from dataclasses import replace

from controller.events.expectation import ToPlace
from controller.events.match import Shot
from controller.events.observation import Sample, StrokeSeen, Track, Vanished
from controller.shots import ShotRead
from tests.shots.table import MS, POCKETS, S, Table, coin, expects, of

LIES = (coin("black", -119.0, -325.0), coin("white", -309.0, -306.0))


def read(moved: bool = False) -> Shot:
    """A stroke in which something nobody saw lie ran from the middle into NE. `moved`: the black one is gone, too."""
    table = Table(pieces=list(LIES))
    to_place = (ToPlace("queen", "icf-95a", None, (0.0, 0.0)),)
    table.feed(expects([*LIES, coin("queen", 0.0, 0.0)], to_place=to_place), *table.signs())
    table.wait(1000)
    stroke, _ = table.stroke(touches=())
    began = stroke.began_ns
    fell_ns = began + 700 * MS
    path = (Sample(began + 300 * MS, 15.9, 15.0), Sample(fell_ns - 20 * MS, *POCKETS["NE"]))
    vanished = Vanished(fell_ns, 10 * MS, "pocket", POCKETS["NE"], "NE")
    ran = Track(7, "unknown", None, None, began + 300 * MS, fell_ns - 20 * MS, path, vanished, confidence=0.5)
    stroke = replace(stroke, tracks=(*stroke.tracks, ran))
    if moved:
        # The black one went without a track of its own.
        stroke = without(stroke)
        table.pieces = [piece for piece in table.pieces if piece.piece != LIES[0].piece]
    table.feed(stroke, *table.edges("NE", fell_ns + 15 * MS))
    table.now = stroke.t_ns + S
    table.wait(3000)
    return of(table.said, ShotRead)[-1].shot


def without(stroke: StrokeSeen) -> StrokeSeen:
    left = tuple(piece for piece in stroke.after.pieces if piece.piece != "black")
    return replace(stroke, after=replace(stroke.after, pieces=left))


def test_what_fell_though_nobody_saw_it_lie_is_asked_about() -> None:
    assert read().doubts


def test_where_a_piece_that_lay_there_is_gone_that_one_fell() -> None:
    shot = read(moved=True)
    assert "black" in [fell.piece for fell in shot.pocketed] or any(
        "black" in str(doubt.choices) for doubt in shot.doubts
    )
