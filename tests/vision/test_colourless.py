"""A camera that sees no colours: where pieces are stays known, whose they are is asked."""

from __future__ import annotations

from dataclasses import replace

from controller.events.observation import EyesHealth, MotionBegan, Moving, Touch
from controller.shots import Mismatch, ShotRead, Tick
from controller.vision.colourless import without_colours
from tests.shots.table import MS, Fall, S, Table, expects, full_board, of, only, rack


def grey(table: Table) -> Table:
    table.pieces = list(without_colours(table.board(table.pieces, table.now)).pieces)
    return table


def test_what_fell_is_asked_by_how_many_of_each_lie_there_and_its_place_is_known() -> None:
    table = Table()
    table.feed(expects(full_board()), *table.signs())
    before = table.board(full_board(), table.now)
    table.feed(without_colours(before), Tick(table.now))
    touch = Touch(table.now + S + 200 * MS, MS, "white", (0.0, 0.0))
    stroke, edges = table.stroke([Fall(1, "NE")], touches=(touch, replace(touch, touched="cushion")))
    seen = without_colours(replace(stroke, tracks=tuple(replace(one, odds=(("white", 1.0),)) for one in stroke.tracks)))
    assert [one.touched for one in seen.touches] == ["unknown", "cushion"]
    assert [one.piece for one in seen.tracks] == ["unknown", "striker"]
    shot = only(table.played(*edges, seen), ShotRead).shot
    assert shot.pocketed[0].pocket == "NE"
    (chances,) = (dict(one.choices) for one in shot.doubts if one.fact == "pocketed.0.piece")
    assert chances["white"] == chances["black"] > chances["queen"] > 0.0
    assert (shot.placement.lines, shot.heading) == ("both", "forward")


def test_a_board_set_up_in_grey_is_nobodys_fault() -> None:
    table = grey(Table(pieces=rack()))
    table.feed(expects(rack(), opening=True), *table.signs(), table.board(table.pieces, table.now), Tick(table.now))
    assert of(table.wait(3000), Mismatch) == []
    stroke, _ = table.stroke()
    assert len(of([*table.played(stroke), *table.wait(1000)], ShotRead)) == 1


def test_what_says_nothing_of_colours_stays_as_it_is() -> None:
    health = EyesHealth(1, "ok", 1)
    assert without_colours(health) is health
    assert without_colours(MotionBegan(1, "queen", (0.0, 0.0))).piece == "unknown"
    assert without_colours(MotionBegan(1, "striker", (0.0, 0.0))).piece == "striker"
    assert {one.piece for one in without_colours(Moving(1, tuple(full_board()))).pieces} == {"unknown"}
