"""What is no stroke: a striker that a hand took away, though its arm was followed for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import Sample, Track, Vanished
from controller.shots import Mismatch, ShotRead
from controller.shots.infer_striker import infer_striker
from tests.shots.table import MS, Table, armed, coin, of


def gone_from(stroke, start, tracks, struck, lies=None):
    """The stroke with nothing but these tracks, of a striker that lay there and is gone, or `lies` elsewhere."""
    others = tuple(one for one in stroke.before.pieces if one.piece != "striker")
    left = others if lies is None else (*others, lies)
    before, after = replace(stroke.before, pieces=(*others, start)), replace(stroke.after, pieces=left)
    return replace(stroke, tracks=tracks, touches=(), struck=struck, before=before, after=after)


@pytest.mark.parametrize("lay", [(141.0, -48.0), (57.0, -250.0)], ids=["in the field", "placed"])
@pytest.mark.parametrize("first", [(198.0, 173.0), (198.0, 213.0), (60.0, -200.0), (-230.0, 100.0)])
@pytest.mark.parametrize("points", [3, 8])
@pytest.mark.parametrize("how", ["unknown", "hand", "pocket"])
def test_a_striker_that_the_eyes_know_was_struck_only_if_they_say_so(lay, first, points, how):
    """Struck or taken is decided once, by who saw the hands; what ran may have been a hand's tip."""
    table = Table()
    table.arm(sides=(("south", "white"), ("north", "black")))
    stroke, _ = table.stroke()
    start, t = coin("striker", *lay), stroke.began_ns
    path = tuple(Sample(t + i * 30 * MS, first[0] - 25.0 * i, first[1] + 25.0 * i) for i in range(points))
    gone = Vanished(path[-1].t_ns, 10 * MS, how, (path[-1].x_mm, path[-1].y_mm), "NE" if how == "pocket" else None)
    track = Track(1, "striker", start, None, t, path[-1].t_ns, path, gone)
    stroke = gone_from(stroke, start, (track,), None)
    assert of([*table.feed(stroke), *table.wait(3000)], ShotRead) == []


def test_a_striker_that_came_from_nowhere_is_the_one_that_a_hand_had_just_taken():
    """Held in a hand that shows in parts, it was followed twice: from where it lay, and on its way with the hand."""
    table = armed()
    stroke, _ = table.stroke()
    start, t = coin("striker", 112.0, 25.0), stroke.began_ns
    taken = Track(1, "striker", start, None, t, t, (), Vanished(t, 10 * MS, "hand", (112.0, 25.0)))
    path = tuple(Sample(t + i * 17 * MS, 107.0 - i, 113.0 + 50.0 * i) for i in range(4))
    held = Track(
        2,
        "striker",
        None,
        None,
        t,
        path[-1].t_ns,
        path,
        Vanished(path[-1].t_ns, 80 * MS, "pocket", (97.0, 328.0), "NE"),
    )
    stroke = gone_from(stroke, start, (taken, held), None)
    assert of([*table.feed(stroke), *table.wait(3000)], ShotRead) == []


@pytest.mark.parametrize(
    ("lay", "struck"),
    [((240.0, 160.0), False), ((140.0, -240.0), True), ((-145.0, -314.0), True)],
    ids=["nobody's", "south's", "badly placed by south"],
)
@pytest.mark.parametrize("looked_back", [False, True])
def test_a_striker_that_the_eyes_say_was_struck_by_the_line_of_nobody_who_plays_was_taken(lay, struck, looked_back):
    table = armed()
    stroke, _ = table.stroke()
    start, t = coin("striker", *lay), stroke.began_ns
    path = tuple(Sample(t + i * 17 * MS, lay[0] - 3.0 * i, lay[1] - 40.0 * i) for i in range(6))
    gone = Vanished(path[-1].t_ns, 17 * MS, "frame", (path[-1].x_mm, path[-1].y_mm))
    own = Track(1, "striker", None if looked_back else start, None, t, path[-1].t_ns, path, gone)
    stroke = gone_from(stroke, start, (own,), replace(stroke.struck, placed=start))
    assert bool(of([*table.feed(stroke), *table.wait(3000)], ShotRead)) is struck


@pytest.mark.parametrize(("how", "struck"), [("hand", False), ("frame", True)])
def test_a_glimpse_by_a_line_of_a_striker_that_a_hand_carries_is_no_stroke(how, struck):
    """It lay by the line of nobody who plays, and was seen in three pictures on its way with an arm."""
    table = armed()
    stroke, _ = table.stroke()
    start, t = coin("striker", -221.0, 86.0), stroke.began_ns
    path = tuple(Sample(t + i * 17 * MS, -204.0 + 2.0 * i, 238.0 + 57.0 * i) for i in range(3))
    own = Track(
        2, "striker", None, None, t, path[-1].t_ns, path, Vanished(path[-1].t_ns, 17 * MS, how, (-192.0, 410.0))
    )
    stroke = gone_from(stroke, start, (own,), replace(stroke.struck, placed=start, track=2))
    assert bool(of([*table.feed(stroke), *table.wait(3000)], ShotRead)) is struck


@pytest.mark.parametrize(("ends", "struck"), [(False, False), (True, True)], ids=["an arm", "played at once"])
def test_what_sets_out_while_a_hand_takes_the_striker_from_the_field_is_that_hand(ends, struck):
    table = armed()
    stroke, _ = table.stroke()
    start, t = coin("striker", 156.0, -6.0), stroke.began_ns
    went = tuple(Sample(t + i * 17 * MS, 150.0, -145.0 - 20.0 * i) for i in range(8))
    taken = Track(
        1, "striker", start, None, t, went[-1].t_ns, went, Vanished(went[-1].t_ns, MS, "hand", (150.0, -300.0))
    )
    path = tuple(Sample(t + i * 17 * MS, 128.0 + 5.0 * i, -310.0 + 25.0 * i) for i in range(12))
    lies = coin("striker", 183.0, -35.0) if ends else None
    gone = None if ends else Vanished(path[-1].t_ns, 80 * MS, "unknown", (183.0, -35.0))
    other = Track(2, "unknown", None, lies, t, path[-1].t_ns, path, gone)
    stroke = gone_from(stroke, start, (taken, other), None, lies=lies)
    assert bool(of([*table.feed(stroke), *table.wait(3000)], ShotRead)) is struck


@pytest.mark.parametrize(
    ("lay", "first_ms", "struck"),
    [((250.0, 242.0), 17, False), ((250.0, 242.0), 400, True), ((205.0, -240.0), 17, True)],
    ids=["at once elsewhere", "put there first", "from there"],
)
def test_what_sets_out_far_from_where_the_striker_just_lay_is_the_hand_that_takes_it(lay, first_ms, struck):
    """It lay by the other player's line; four pictures of an arm begin by this one's."""
    table = armed()
    stroke, _ = table.stroke()
    t = stroke.began_ns + first_ms * MS
    path = tuple(Sample(t + i * 17 * MS, 227.0 - 8.0 * i, -253.0 + 28.0 * i) for i in range(4))
    gone = Vanished(path[-1].t_ns, 17 * MS, "hand", (195.0, -140.0))
    other = Track(1, "striker", None, None, t, path[-1].t_ns, path, gone)
    stroke = replace(gone_from(stroke, coin("striker", *lay), (other,), None), frames=300)
    assert bool(of([*table.feed(stroke), *table.wait(3000)], ShotRead)) is struck


@pytest.mark.parametrize(
    ("by_hand", "step_mm", "shake_mm", "asked"),
    [(False, 10.0, 0.0, True), (True, 10.0, 0.0, False), (False, 1.0, 0.0, False), (False, 10.0, 12.0, False)],
    ids=["by themselves", "by a hand", "slowly", "the board was shaken"],
)
def test_coins_that_ran_without_a_striker_are_asked_about(by_hand, step_mm, shake_mm, asked):
    """A break of which the striker was taken for another piece: nothing fell, and only the coins tell of it."""
    table = armed()
    stroke, _ = table.stroke()
    lay = next(one for one in stroke.before.pieces if one.piece == "white")
    t = stroke.began_ns
    path = tuple(Sample(t + i * 17 * MS, lay.x_mm + step_mm * i, lay.y_mm) for i in range(12))
    lies = replace(lay, x_mm=path[-1].x_mm)
    ran = Track(1, "white", lay, lies, t, path[-1].t_ns, path, by_hand=by_hand)
    after = replace(stroke.after, pieces=tuple(lies if one == lay else one for one in stroke.before.pieces))
    stroke = replace(stroke, tracks=(ran,), touches=(), struck=None, shake_mm=shake_mm, after=after)
    said = [*table.feed(stroke), *table.wait(1000)]
    assert of(said, ShotRead) == []
    assert any(one.kind == "unseen_change" and "ran by themselves" in one.says for one in of(said, Mismatch)) is asked


EAST, SOUTH = (243.6, 66.4), (66.4, -250.85)


@pytest.mark.parametrize(
    ("at", "lay_there", "out_ms", "placed"),
    [(EAST, False, 1200, False), (EAST, True, 1200, True), (SOUTH, False, 1200, True), (EAST, False, 100, True)],
    ids=["lay still for a moment", "lay there before", "by a player's line", "set out first"],
)
def test_where_a_striker_lay_still_in_the_middle_of_a_break_it_was_not_placed(at, lay_there, out_ms, placed):
    """Nobody plays from the east line; a coin runs from the beginning."""
    stroke, _ = armed().stroke(at=at)
    began, white = stroke.began_ns, stroke.before.pieces[1]
    path = tuple(Sample(began + n * 30 * MS, white.x_mm + n * 20.0, white.y_mm) for n in range(5))
    ran = Track(50, "white", white, None, began, path[-1].t_ns, path)
    # Of a rough camera a placement is told with a wider error than the piece that lay there.
    rough = replace(stroke.struck.placed, u95_mm=5.0)
    struck = replace(stroke.struck, placed=rough, first_motion_ns=began + out_ms * MS)
    before = stroke.before
    if not lay_there:
        before = replace(before, pieces=tuple(one for one in before.pieces if one.piece != "striker"))
    stroke = replace(stroke, before=before, struck=struck, tracks=(*stroke.tracks, ran))
    read = infer_striker(stroke, DEFAULT_BOARD, ("south", "north"))
    assert (read.struck.placed is not None) is placed
    assert (read.struck.first_motion_ns == began) is not placed
