"""Degraded play: no camera, no beams, and what comes back into view."""

from __future__ import annotations

from controller.events.observation import EyesHealth
from controller.shots import Armed, Mismatch, ShotRead, Tick
from tests.shots.table import MS, Fall, S, Table, coin, expects, of, only


def blinded():
    table = Table()
    table.arm()
    table.wait(1000)
    table.feed(EyesHealth(table.now, "lost", table.now))
    return table


def dark(table, ms):
    """Time without pictures."""
    fresh = []
    until = table.now + ms * MS
    while table.now < until:
        table.now += 250 * MS
        health = table.signs()[1]
        fresh += table.feed(health, EyesHealth(table.now, "lost", 0), Tick(table.now))
    return fresh


def test_without_a_camera_the_beams_say_where_and_nobody_says_what():
    table = blinded()
    assert of(table.said, Armed)[-1].armed == "degraded"
    table.feed(*table.edges("NE", table.now + S), *table.edges("SW", table.now + 2 * S))
    shot = only(dark(table, 8000), ShotRead).shot
    assert [(one.piece, one.pocket) for one in shot.pocketed] == [("unknown", "NE"), ("unknown", "SW")]
    assert shot.seat == "south"
    assert {"placement", "contacts", "off_board", "heading"} <= set(shot.unseen)
    assert shot.doubts == ()


def test_nothing_felt_in_the_dark_is_no_stroke():
    assert of(dark(blinded(), 8000), ShotRead) == []


def test_two_strokes_in_the_dark_are_two():
    table = blinded()
    table.feed(*table.edges("NE", table.now + S))
    dark(table, 6000)
    table.feed(expects(table.pieces, seq=2), *table.edges("SW", table.now + S))
    dark(table, 6000)
    assert [[one.pocket for one in read.shot.pocketed] for read in of(table.said, ShotRead)] == [["NE"], ["SW"]]


def test_a_camera_that_comes_back_at_once_says_what_fell():
    table = blinded()
    table.feed(*table.edges("NE", table.now + 700 * MS))
    dark(table, 1500)
    gone = table.pieces.pop(3)
    table.pieces.append(coin("striker", 100.0, 0.0))
    shot = only(table.wait(1500), ShotRead).shot
    assert [(one.piece, one.pocket) for one in shot.pocketed] == [(gone.piece, "NE")]
    assert "placement" in shot.unseen


def test_moves_nobody_saw_are_said():
    table = blinded()
    dark(table, 4000)
    one = table.pieces[4]
    table.pieces[4] = coin(one.piece, one.x_mm, one.y_mm + 140)
    assert only(table.wait(2000), Mismatch).kind == "unseen_change"
    assert of(table.said, ShotRead) == []


def test_without_beams_the_camera_counts():
    table = Table()
    table.feed(expects(table.pieces), EyesHealth(table.now, "ok", table.now), Tick(table.now))
    table.feed(table.board(table.pieces, table.now))
    stroke, _ = table.stroke([Fall(1, "NE", felt=False)])
    shot = only(table.feed(stroke), ShotRead).shot
    assert [(one.piece, one.pocket) for one in shot.pocketed] == [("white", "NE")]


def test_a_stroke_that_the_beams_never_speak_of_is_read_all_the_same():
    table = Table()
    table.arm()
    stroke, _ = table.stroke([Fall(1, "NE", felt=False)])
    table.feed(stroke)
    said = []
    for _ in range(20):
        table.now += 200 * MS
        said += table.feed(Tick(table.now))
    assert only(said, ShotRead).shot.pocketed
