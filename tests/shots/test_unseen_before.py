"""What sets out from where no detection showed a piece, and falls: a queen that waits to be put back, or a question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.expectation import ToPlace
from controller.events.match import Shot
from controller.events.observation import BoardSeen, Sample, StrokeSeen, Track, Vanished
from controller.shots import ShotRead
from controller.shots.limits import Limits
from controller.shots.prior_counts import prior_counts
from tests.shots.table import MS, POCKETS, S, Table, coin, expects, of

LIES = (coin("black", -119.0, -325.0), coin("white", -309.0, -306.0))


def read(moved: bool = False, waits: bool = True) -> Shot:
    """A stroke in which something nobody saw lie ran from the middle into NE. `moved`: the black one is gone, too;
    `waits`: the queen waits to be put back.
    """
    table = Table(pieces=list(LIES))
    to_place = (ToPlace("queen", "icf-95a", None, (0.0, 0.0)),) if waits else ()
    queen = (coin("queen", 0.0, 0.0),) if waits else ()
    table.feed(expects([*LIES, *queen], to_place=to_place), *table.signs())
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
    table.played(stroke, *table.edges("NE", fell_ns + 15 * MS))
    table.now = stroke.t_ns + S
    table.wait(3000)
    return of(table.said, ShotRead)[-1].shot


@pytest.mark.parametrize(("appeared", "counts"), [(False, [(1, 1, 0)]), (True, [(1, 1, 0), (1, 1, 1)])])
def test_what_waits_is_thought_to_lie_there_only_where_something_came_from_nowhere(appeared: bool, counts) -> None:
    queen = coin("queen", 0.0, 0.0)
    expected = expects([*LIES, queen], to_place=(ToPlace("queen", "icf-95a", None, (0.0, 0.0)),))
    found = prior_counts(BoardSeen(0, 0, LIES), expected, Limits(), DEFAULT_BOARD, appeared=appeared)
    assert [count for count, _ in found] == counts


def without(stroke: StrokeSeen) -> StrokeSeen:
    left = tuple(piece for piece in stroke.after.pieces if piece.piece != "black")
    return replace(stroke, after=replace(stroke.after, pieces=left))


@pytest.mark.parametrize("waits", [True, False])
def test_what_fell_though_nobody_saw_it_lie_is_what_waits_to_be_placed_or_is_asked_about(waits: bool) -> None:
    shot = read(waits=waits)
    assert bool(shot.doubts) is not waits
    assert ([one.piece for one in shot.pocketed] == ["queen"]) is waits


def test_where_a_piece_that_lay_there_is_gone_that_one_fell() -> None:
    shot = read(moved=True)
    assert "black" in [fell.piece for fell in shot.pocketed] or any(
        "black" in str(doubt.choices) for doubt in shot.doubts
    )
