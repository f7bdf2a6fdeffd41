"""What the eyes say surely and wrongly of strikers: not named, lost and found, exchanged with coins; lost pictures."""

from __future__ import annotations

from math import isclose

import pytest

from controller.events.observation import HandsSeen, Sample, Touch, Track, Vanished
from controller.shots import Mismatch, Practice, ShotRead
from tests.shots.table import MS, POCKETS, Fall, S, Table, armed, coin, fell, full_board, hand, of, only, rack, replace


def touched(read: ShotRead) -> list[str]:
    """What the striker touched: told by the stroke, or, where not every touch was seen, noted beside it."""
    if read.shot.contacts is not None:
        return [met.touched for met in read.shot.contacts]
    noted = next((note for note in read.evidence.notes if "; seen: " in note), "")
    return noted.partition("; seen: ")[2].split(", ")


def test_a_striker_lost_and_found_again_ran_on():
    table = armed()
    stroke, _ = table.stroke()
    own = next(one for one in stroke.tracks if one.track == 1)
    t = stroke.began_ns + 100 * MS
    broken = replace(
        own, end=None, last_ns=t, samples=own.samples[:1], vanished=Vanished(t, 20 * MS, "hand", (5.0, -240.0))
    )
    path = tuple(Sample(t + (index + 1) * 33 * MS, 0.0, -200.0 + 60 * index) for index in range(6))
    later = Track(99, "striker", None, own.end, path[0].t_ns, stroke.ended_ns, path)
    tracks = (broken, later, *(one for one in stroke.tracks if one.track != 1))
    struck = replace(stroke.struck, left_by_mm=10.0)
    shot = only([*table.feed(replace(stroke, tracks=tracks, struck=struck)), *table.wait(3000)], ShotRead).shot
    assert shot.left_baseline is True
    assert "left_baseline" not in shot.unseen


# -- strokes whose striker has no name


def unnamed(stroke, piece="unknown", frames=60):
    """The stroke as eyes say it that never found the striker: only a path out of nowhere, from the base line."""
    t = stroke.began_ns
    path = tuple(Sample(t + index * 33 * MS, 2.0 * index, -240.0 + 40.0 * index) for index in range(8))
    ran = Track(
        50, piece, None, None, t, path[-1].t_ns, path, Vanished(path[-1].t_ns, 50 * MS, "unknown", (14.0, 40.0))
    )
    others = tuple(one for one in stroke.tracks if one.track != 1)
    return replace(stroke, struck=None, tracks=(ran, *others), touches=(), touches_seen=False, frames=frames)


def test_a_stroke_with_an_unnamed_striker_is_a_stroke():
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE")])
    read = only([*table.feed(*edges, unnamed(stroke)), *table.wait(3000)], ShotRead)
    assert fell(read.shot) == [("white", "NE")]
    assert read.shot.seat == "south"
    assert {"placement", "contacts", "heading"} <= set(read.shot.unseen), "nobody saw those"


def test_a_piece_that_a_hand_puts_down_is_no_stroke():
    table = armed()
    stroke, _ = table.stroke()
    brought = unnamed(stroke)
    tracks = tuple(replace(one, by_hand=True) for one in brought.tracks)
    assert of([*table.feed(replace(brought, tracks=tracks)), *table.wait(2000)], ShotRead) == []


def test_a_coin_that_somebody_knocked_is_no_stroke():
    table = armed()
    stroke, _ = table.stroke()
    one = stroke.before.pieces[4]
    t = stroke.began_ns
    path = tuple(Sample(t + index * 33 * MS, one.x_mm + 12 * index, one.y_mm) for index in range(6))
    knocked = Track(60, one.piece, one, replace(one, x_mm=one.x_mm + 60), t, path[-1].t_ns, path)
    stroke = replace(stroke, struck=None, tracks=(knocked,), touches=())
    assert of([*table.feed(stroke), *table.wait(2000)], ShotRead) == []


@pytest.mark.parametrize(("frames", "strokes"), [(9, 1), (66, 0)])
def test_a_stroke_played_while_pictures_were_missing(frames, strokes):
    """The striker lies there that did not, beside a coin that no hand moved; with all pictures that is no stroke."""
    table = armed()
    stroke, _ = table.stroke()
    before = tuple(one for one in stroke.before.pieces if one.piece != "striker")
    lies = next(one for one in stroke.after.pieces if one.piece == "striker")
    t = stroke.ended_ns
    rest = tuple(Sample(t + index * 33 * MS, lies.x_mm, lies.y_mm) for index in range(4))
    came = Track(70, "striker", None, lies, t, rest[-1].t_ns, rest)
    one = next(one for one in before if one.piece == "white")
    ran = replace(one, x_mm=one.x_mm + 40.0)
    moved = Track(71, one.piece, one, ran, t, rest[-1].t_ns, ())
    after = tuple(ran if piece is one else piece for piece in stroke.after.pieces)
    stroke = replace(
        stroke,
        struck=None,
        tracks=(came, moved),
        touches=(),
        frames=frames,
        before=replace(stroke.before, pieces=before),
        after=replace(stroke.after, pieces=after),
    )
    reads = of([*table.feed(stroke), *table.wait(3000)], ShotRead)
    assert len(reads) == strokes
    for read in reads:
        assert {"placement", "contacts", "heading"} <= set(read.shot.unseen)
        assert read.shot.seat == "south", "whoever was on turn"


def test_an_opening_that_is_broken_up_with_no_stroke_is_told():
    table = Table(pieces=rack())
    table.arm(opening=True)
    table.wait(3000)
    assert of(table.said, Mismatch) == []
    table.pieces = full_board()
    table.now += S
    assert only(table.wait(5000), Mismatch).kind == "unseen_change"


def test_a_break_that_was_taken_for_practice_is_told():
    table = Table(pieces=rack())
    table.arm(opening=True)
    table.wait(3000)
    stroke, _ = table.stroke(before=rack())
    few = replace(stroke.before, pieces=stroke.before.pieces[:6])
    assert of(table.feed(replace(stroke, before=few)), Practice)
    table.pieces = full_board()
    assert only(table.wait(5000), Mismatch).kind == "unseen_change"


# -- lines left, hands and beams


@pytest.mark.parametrize(("still_on", "left"), [(1, False), (2, True)])
def test_a_striker_that_ran_along_its_line_has_not_left_it(still_on, left):
    table = armed(still_on_lines=still_on)
    stroke, _ = table.stroke()
    t = stroke.began_ns
    path = tuple(Sample(t + index * 40 * MS, 14.0 * index, -250.85 + 1.2 * index) for index in range(8))
    end = coin("striker", 98.0, -242.0)
    own = Track(1, "striker", stroke.struck.placed, end, t, stroke.ended_ns, path)
    stroke = replace(
        stroke,
        tracks=(own,),
        struck=replace(stroke.struck, left_by_mm=99.0, heading_deg=5.0),
        after=replace(stroke.after, pieces=(*(p for p in stroke.after.pieces if p.piece != "striker"), end)),
    )
    assert only([*table.feed(stroke), *table.wait(3000)], ShotRead).shot.left_baseline is left


def under_a_hand(felt):
    """A coin runs under a hand at a pocket; the beams feel it, or they do not."""
    table = armed()
    stroke, _ = table.stroke()
    coin_at = stroke.before.pieces[1]
    t = stroke.began_ns + 700 * MS
    x, y = POCKETS["NE"]
    path = tuple(
        Sample(t - (6 - index) * 33 * MS, x - 260.0 + 36.0 * index, y - 260.0 + 36.0 * index) for index in range(6)
    )
    gone = Vanished(t, 60 * MS, "hand", (x - 40, y - 40), "NE")
    ran = Track(80, coin_at.piece, coin_at, None, path[0].t_ns, t, path, gone)
    cover = hand((x - 60, y - 60), (x + 20, y - 60), (x + 20, y + 20), (x - 60, y + 20))
    after = tuple(piece for piece in stroke.after.pieces if piece is not coin_at)
    stroke = replace(
        stroke,
        tracks=(*stroke.tracks, ran),
        hands=(HandsSeen(t - 300 * MS, (cover,)), HandsSeen(t + 500 * MS, ())),
        after=replace(stroke.after, pieces=after),
    )
    edges = table.edges("NE", t + 15 * MS) if felt else []
    table.pieces = [piece for piece in after if piece.piece != "striker"]
    return only([*table.feed(*edges, stroke), *table.wait(3000)], ShotRead)


def test_both_beams_in_order_say_that_it_fell_under_the_hand():
    shot = under_a_hand(felt=True).shot
    assert fell(shot) == [("white", "NE")]
    assert "moving_piece_removed" not in shot.flags, "nobody removed what fell"


def test_a_running_piece_under_a_hand_that_no_beam_felt_was_taken():
    shot = under_a_hand(felt=False).shot
    assert fell(shot) == []
    assert "moving_piece_removed" in shot.flags


def test_an_edge_aligned_anew_after_a_restart_is_the_same_edge():
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE")])
    again = [replace(edge, t_ns=edge.t_ns + 8 * MS) for edge in edges]
    read = only([*table.feed(*edges, *again, stroke), *table.wait(3000)], ShotRead)
    assert len(read.evidence.pulses) == 1
    assert isclose(read.shot.pocketed[0].t, (stroke.began_ns + 615 * MS) / S)


def test_a_striker_that_jumps_once_under_the_hand_that_takes_it_was_not_played():
    table = armed()
    stroke, _ = table.stroke()
    lay = coin("striker", 51.0, -157.0)
    t = stroke.began_ns
    still = tuple(Sample(t + i * 30 * MS, 51.0, -157.0) for i in range(4))
    gone = Vanished(t + 300 * MS, 30 * MS, "hand", (45.0, 230.0))
    own = Track(1, "striker", lay, None, t, t + 250 * MS, (*still, Sample(t + 250 * MS, 45.0, 230.0)), gone)
    reached = hand((30, -420), (70, -420), (70, -150), (30, -150), side="south")
    before = replace(stroke.before, pieces=(*stroke.before.pieces[:-1], lay))
    after = replace(stroke.after, pieces=tuple(one for one in stroke.after.pieces if one.piece != "striker"))
    taken = replace(
        stroke, struck=None, tracks=(own,), touches=(), before=before, after=after,
        hands=(HandsSeen(t, (reached,)),),
    )  # fmt: skip
    assert of([*table.feed(taken), *table.wait(3000)], ShotRead) == []


# -- tracks exchanged where striker and coin met


@pytest.mark.parametrize(("exchanged", "as_one"), [(False, False), (True, False), (False, True)])
def test_a_coin_that_came_towards_the_striker_was_the_striker(exchanged, as_one):
    """The striker comes from the south and drives a coin into NE; the eyes may go on with the one for the other."""
    table = armed()
    stroke, _ = table.stroke([Fall(1, "NE")])
    at = next(one for one in stroke.before.pieces if one.piece == "white")
    t = stroke.began_ns + 200 * MS
    x, y = at.x_mm, at.y_mm
    come = tuple(Sample(t - (5 - i) * 30 * MS, x - 20.0, y - 45.0 - 40.0 * (5 - i)) for i in range(6))
    if as_one:
        # The last picture before the touch shows both as one, beyond the coin.
        come = (*come[:-1], Sample(t, x + 8.0, y + 6.0))
    on = tuple(Sample(t + (i + 1) * 30 * MS, x - 40.0 - 15 * i, y - 30.0 + 10 * i) for i in range(6))
    driven = tuple(Sample(t + (i + 1) * 30 * MS, x + 40.0 * (i + 1), y + 40.0 * (i + 1)) for i in range(8))
    end = coin("white" if exchanged else "striker", on[-1].x_mm, on[-1].y_mm)
    gone = Vanished(driven[-1].t_ns + 20 * MS, 10 * MS, "pocket", POCKETS["NE"], "NE")
    lay = next(one for one in stroke.before.pieces if one.piece == "striker")
    if exchanged:
        own = Track(1, "striker", lay, None, come[0].t_ns, driven[-1].t_ns, come + driven, gone)
        met = Track(2, "white", at, end, on[0].t_ns, on[-1].t_ns, on)
    else:
        own = Track(1, "striker", lay, end, come[0].t_ns, on[-1].t_ns, come + on)
        met = Track(2, "white", at, None, driven[0].t_ns, driven[-1].t_ns, driven, gone)
    touch = Touch(t, 5 * MS, "white", (x, y), 2)
    after = (*(one for one in stroke.after.pieces if one.piece != "striker"), end)
    stroke = replace(stroke, tracks=(own, met), touches=(touch,), after=replace(stroke.after, pieces=after))
    edges = table.edges("NE", gone.t_ns + 10 * MS)
    read = only([*table.feed(*edges, stroke), *table.wait(3000)], ShotRead)
    shot = read.shot
    assert fell(shot) == [("white", "NE")]
    assert ("contacts" in shot.unseen) is exchanged, "what it touched later is not known"
    assert touched(read)[0] == "white"


@pytest.mark.parametrize(("beside_mm", "exchanged"), [(0.0, True), (28.0, False)])
def test_a_striker_that_ran_through_a_coin_was_the_coin(beside_mm, exchanged):
    """Nothing shows between the striker's place and a point beyond the coin; the coin's own track trails behind."""
    table = armed()
    stroke, _ = table.stroke([Fall(1, "NE")])
    at = next(one for one in stroke.before.pieces if one.piece == "white")
    lay = next(one for one in stroke.before.pieces if one.piece == "striker")
    t = stroke.began_ns
    far = ((at.x_mm - lay.x_mm) ** 2 + (at.y_mm - lay.y_mm) ** 2) ** 0.5
    ux, uy = (at.x_mm - lay.x_mm) / far, (at.y_mm - lay.y_mm) / far
    # The line from the striker's place misses the coin's centre by so much.
    x, y = at.x_mm + uy * beside_mm, at.y_mm - ux * beside_mm
    on = tuple(Sample(t + (i + 1) * 30 * MS, x + ux * 30.0 * (i + 1), y + uy * 30.0 * (i + 1)) for i in range(6))
    behind = tuple(Sample(t + (i + 1) * 30 * MS, x - 12.0 + 5.0 * i, y - 20.0 + 5.0 * i) for i in range(6))
    gone = Vanished(on[-1].t_ns + 20 * MS, 10 * MS, "pocket", POCKETS["NE"], "NE")
    end = coin("striker", behind[-1].x_mm, behind[-1].y_mm)
    own = Track(1, "striker", lay, None, t, on[-1].t_ns, on, gone)
    met = Track(2, "white", at, None, t, behind[-1].t_ns, behind,
                Vanished(behind[-1].t_ns, 10 * MS, "unknown", (end.x_mm, end.y_mm)))  # fmt: skip
    after = (*(one for one in stroke.after.pieces if one.piece != "striker"), end)
    stroke = replace(stroke, tracks=(own, met), touches=(), after=replace(stroke.after, pieces=after))
    read = only([*table.feed(*table.edges("NE", gone.t_ns + 10 * MS), stroke), *table.wait(3000)], ShotRead)
    assert fell(read.shot) == [("white", "NE")], "the striker lies there"
    assert (touched(read) == ["white"]) is exchanged


def test_where_both_lie_in_sight_looks_say_which_is_which_whatever_their_ways():
    """The striker's path leads over the coin's place, as where two sightings at a meeting went to the wrong one."""
    table = armed()
    stroke, _ = table.stroke()
    at = next(one for one in stroke.before.pieces if one.piece == "white")
    lay = next(one for one in stroke.before.pieces if one.piece == "striker")
    t = stroke.began_ns
    far = ((at.x_mm - lay.x_mm) ** 2 + (at.y_mm - lay.y_mm) ** 2) ** 0.5
    ux, uy = (at.x_mm - lay.x_mm) / far, (at.y_mm - lay.y_mm) / far
    on = tuple(
        Sample(t + (i + 1) * 30 * MS, at.x_mm + ux * 30.0 * (i + 1), at.y_mm + uy * 30.0 * (i + 1)) for i in range(3)
    )
    behind = tuple(Sample(one.t_ns, at.x_mm - 12.0 + 5.0 * i, at.y_mm - 20.0) for i, one in enumerate(on))
    ends = coin("striker", on[-1].x_mm, on[-1].y_mm), coin("white", behind[-1].x_mm, behind[-1].y_mm)
    own = Track(1, "striker", lay, ends[0], t, on[-1].t_ns, on)
    met = Track(2, "white", at, ends[1], t, behind[-1].t_ns, behind)
    after = (*(one for one in stroke.after.pieces if one.piece != "striker" and one != at), *ends)
    stroke = replace(stroke, tracks=(own, met), touches=(), after=replace(stroke.after, pieces=after))
    shot = only([*table.feed(stroke), *table.wait(3000)], ShotRead).shot
    whites = [(one.x, one.y) for one in shot.rest if one.piece == "white"]
    assert (round(ends[1].x_mm, 1), round(ends[1].y_mm, 1)) in whites
    assert (round(ends[0].x_mm, 1), round(ends[0].y_mm, 1)) not in whites


def test_a_track_that_went_on_with_the_coin_for_a_picture_and_came_back_ran_over_nothing():
    """The striker meets a coin nearly head on; its track jumps on with the coin, then back to where the striker is."""
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE")])
    at = next(one for one in stroke.before.pieces if one.piece == "white")
    lay = next(one for one in stroke.before.pieces if one.piece == "striker")
    t, ms = stroke.began_ns, 17 * MS
    x, y = at.x_mm, at.y_mm
    steps = (31, 26), (13, 7), (-21, -19), (-45, -41), (16, -13), (14, -18), (16, -26), (16, -33), (14, -42)
    run = tuple(Sample(t + i * ms, x + dx, y + dy) for i, (dx, dy) in enumerate(steps))
    driven = tuple(Sample(t + (i + 2) * ms, x - 16.0 - 11 * i, y - 11.0 - 10 * i) for i in range(8))
    gone = Vanished(edges[0].t_ns, 10 * MS, "pocket", POCKETS["NE"], "NE")
    end = coin("striker", run[-1].x_mm, run[-1].y_mm)
    own = Track(1, "striker", lay, end, t, run[-1].t_ns, run)
    met = Track(2, "white", at, None, driven[0].t_ns, driven[-1].t_ns, driven, gone)
    after = (*(one for one in stroke.after.pieces if one.piece != "striker"), end)
    stroke = replace(stroke, tracks=(own, met), after=replace(stroke.after, pieces=after))
    assert fell(only([*table.feed(*edges, stroke), *table.wait(3000)], ShotRead).shot) == [("white", "NE")]


def test_a_striker_that_nobody_saw_run_was_exchanged_with_nothing():
    table = armed()
    stroke, edges = table.stroke([Fall(1, "NE")])
    tracks = tuple(replace(one, samples=()) if one.track == 1 else one for one in stroke.tracks)
    shot = only([*table.feed(*edges, replace(stroke, tracks=tracks, touches=())), *table.wait(3000)], ShotRead).shot
    assert fell(shot) == [("white", "NE")]


@pytest.mark.parametrize("from_line", [True, False])
def test_a_coin_s_track_that_begins_on_a_base_line_was_the_striker_s_until_they_met(from_line):
    """The striker is not named, its run is told as a coin's that it met, and its own track only begins after that."""
    table = armed()
    stroke, _ = table.stroke([])
    at = next(one for one in stroke.before.pieces if one.piece == "white")
    t, ms = stroke.began_ns, 30 * MS
    x0, y0 = (40.0, -230.0) if from_line else (at.x_mm - 10.0, at.y_mm - 20.0)
    run = tuple(Sample(t + i * ms, x0 + (at.x_mm - x0) * i / 10.0, y0 + (at.y_mm - y0) * i / 10.0) for i in range(11))
    crept = tuple(Sample(t + (11 + i) * ms, at.x_mm + 3.0 * i, at.y_mm + 3.0 * i) for i in range(5))
    lies = coin("striker", at.x_mm - 60.0, at.y_mm + 30.0)
    rest = tuple(Sample(t + (16 + i) * ms, lies.x_mm, lies.y_mm) for i in range(4))
    end = coin("white", crept[-1].x_mm, crept[-1].y_mm)
    met = Track(2, "white", at, end, t, crept[-1].t_ns, run + crept)
    own = Track(3, "striker", None, lies, rest[0].t_ns, rest[-1].t_ns, rest)
    before = tuple(one for one in stroke.before.pieces if one.piece != "striker")
    after = (*(one for one in before if one is not at), end, lies)
    stroke = replace(
        stroke, struck=None, tracks=(met, own), touches=(), frames=200,
        before=replace(stroke.before, pieces=before), after=replace(stroke.after, pieces=after),
    )  # fmt: skip
    shots = of([*table.feed(stroke), *table.wait(3000)], ShotRead)
    assert [(one.shot.seat, "contacts" in one.shot.unseen) for one in shots] == [("south", True)] * from_line


@pytest.mark.parametrize(("unsure_ms", "seen"), [(20, True), (1500, False)])
def test_where_a_striker_lay_that_nobody_saw_set_out_says_nothing_of_its_placement(unsure_ms, seen):
    # It lay in the open where the stroke before had left it; pictures are missing, then it runs.
    table = armed(turn="north")
    stroke, edges = table.stroke([Fall(1, "NE")], at=(-169.0, 22.5))
    late = replace(stroke.struck, u_first_motion_ns=unsure_ms * MS)
    shot = only([*table.feed(*edges, replace(stroke, struck=late)), *table.wait(3000)], ShotRead).shot
    assert ("placement" not in shot.unseen) is seen
    assert fell(shot) == [("white", "NE")]
    if not seen:
        assert shot.seat == "north"
        assert {"heading", "contacts", "all_at_rest"} <= set(shot.unseen)
