"""Degraded play: no camera, no beams, and what comes back into view."""

from __future__ import annotations

import pytest

from controller.events.observation import EyesHealth, HandsSeen, MotionBegan
from controller.shots import Armed, DropRead, Mismatch, ShotRead, Tick, restart
from tests.shots.table import MS, Fall, S, Table, coin, expects, fell, full_board, hand, of, only, rack, replace


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


def test_what_falls_before_the_eyes_say_that_they_see_nothing_is_not_lost():
    """They say so a second after the last picture."""
    table = Table()
    table.arm()
    table.wait(1000)
    table.feed(*table.edges("NE", table.now + 100 * MS))
    table.now += S
    said = table.feed(EyesHealth(table.now, "lost", table.now - S))
    assert fell(only([*said, *dark(table, 4000)], ShotRead).shot) == [("unknown", "NE")]


def test_nothing_felt_in_the_dark_is_no_stroke():
    assert of(dark(blinded(), 8000), ShotRead) == []


def test_two_strokes_in_the_dark_are_two():
    table = blinded()
    table.feed(*table.edges("NE", table.now + S))
    dark(table, 6000)
    table.feed(expects(table.pieces, seq=2), *table.edges("SW", table.now + S))
    dark(table, 6000)
    assert [[one.pocket for one in read.shot.pocketed] for read in of(table.said, ShotRead)] == [["NE"], ["SW"]]


def test_a_fall_that_the_node_says_late_belongs_to_its_stroke():
    """The daemon was away: time has gone on, and what the node kept meanwhile comes one after the other."""
    table = blinded()
    first, last = table.now + S, table.now + 1360 * MS
    sign = table.signs()[1]
    table.feed(*table.edges("NE", first))
    table.now += 6 * S
    assert of(table.feed(replace(sign, t_ns=first + 300 * MS), Tick(table.now)), ShotRead) == []
    table.feed(*table.edges("SW", last))
    assert [one.pocket for one in only(dark(table, 3000), ShotRead).shot.pocketed] == ["NE", "SW"]


def test_a_table_that_has_just_started_waits_for_its_eyes():
    """Beams and journal are there first; the eyes, which have seen the stroke, come a second later."""
    table = Table()
    fall = table.now - 3 * S
    said = table.feed(expects(table.pieces), *table.edges("NE", fall), table.signs()[1], Tick(table.now))
    table.now += S
    said += table.feed(table.signs()[1], Tick(table.now))
    assert of(said, ShotRead) == []
    assert [one.pocket for one in only(dark(table, 4000), ShotRead).shot.pocketed] == ["NE"], "there is no camera"


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
    shot = only(table.played(stroke), ShotRead).shot
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


# -- eyes that die in a stroke and are back when it has come to rest: no silence long enough to be noticed


def cut_off(table, *, said_lost=True, motion=True):
    """A stroke begins, and the eyes die a moment later."""
    table.feed(EyesHealth(table.now, "ok", table.now, since_ns=1))
    if motion:
        table.feed(MotionBegan(table.now, "striker", (0.0, -200.0)))
    table.now += 600 * MS
    if said_lost:
        table.feed(EyesHealth(table.now, "lost", 0))


def back(table, ms=3000):
    """New eyes, which remember nothing, and a board at rest."""
    table.now += 1000 * MS
    table.feed(EyesHealth(table.now, "ok", table.now, since_ns=table.now))
    return table.wait(ms)


def armed(pieces=None):
    table = Table() if pieces is None else Table(pieces=pieces)
    table.pieces.append(coin("striker", 0.0, -250.85))
    table.arm()
    table.wait(1000)
    return table


def move(table, index, dy):
    one = table.pieces[index]
    table.pieces[index] = coin(one.piece, one.x_mm, one.y_mm + dy)


def unseen_changes(said):
    """Whether what was told of an unseen change was taken back, each time it was spoken of."""
    return [one.resolved for one in of(said, Mismatch) if one.kind == "unseen_change"]


@pytest.mark.parametrize("said_lost", [True, False])
def test_a_stroke_that_the_eyes_died_in_is_read_from_beams_and_board_and_told(said_lost):
    table = armed()
    cut_off(table, said_lost=said_lost)
    table.feed(*table.edges("NE", table.now))
    gone = table.pieces.pop(3)
    move(table, 6, 90.0)
    table.pieces[-1] = coin("striker", 100.0, 40.0)
    said = back(table)
    shot = only(said, ShotRead).shot
    assert fell(shot) == [(gone.piece, "NE")]
    assert {"placement", "contacts", "seat"} <= set(shot.unseen)
    assert unseen_changes(said) == [False]


def test_what_was_told_of_an_unseen_stroke_stands_until_more_than_its_own_ruling_comes():
    table = armed()
    cut_off(table)
    table.feed(*table.edges("NE", table.now))
    table.pieces.pop(3)
    only(back(table, 1500), ShotRead)
    book = expects(table.pieces, seq=2)
    assert unseen_changes(table.feed(book)) == []
    assert unseen_changes(table.feed(replace(book, seq=3))) == [True]


def test_a_striker_that_fell_in_the_dark_is_not_lost():
    table = armed()
    cut_off(table)
    table.feed(*table.edges("SW", table.now))
    table.pieces.pop()
    assert fell(only(back(table), ShotRead).shot) == [("striker", "SW")]


def test_a_piece_beside_a_pocket_did_not_drop_by_itself_in_a_stroke_nobody_saw():
    near = coin("white", 300.0, 310.0)
    table = armed([*full_board()[2:], near])
    cut_off(table)
    table.feed(*table.edges("NE", table.now))
    table.pieces.remove(near)
    said = back(table)
    assert of(said, DropRead) == []
    assert fell(only(said, ShotRead).shot) == [("white", "NE")]


def test_a_piece_beside_a_pocket_did_not_drop_by_itself_while_others_moved():
    near = coin("white", 300.0, 310.0)
    table = armed([*full_board()[2:], near])
    table.feed(*table.edges("NE", table.now + 100 * MS))
    table.pieces.remove(near)
    move(table, 6, 90.0)
    table.now += 1000 * MS
    said = table.wait(3000)
    assert of(said, DropRead) == []
    assert only(said, Mismatch).kind == "missing"


def test_whether_a_stroke_in_which_nothing_fell_was_played_is_asked():
    table = armed()
    cut_off(table)
    move(table, 6, 90.0)
    said = back(table)
    assert of(said, ShotRead) == []
    asked = only(said, Mismatch)
    assert asked.question
    yes, no = asked.choices
    assert (yes.event.seat, yes.event.pocketed, no.event) == ("south", (), None)
    assert "placement" in yes.event.unseen


def test_eyes_that_die_between_strokes_cost_nothing():
    table = armed()
    cut_off(table, motion=False)
    said = back(table)
    assert of(said, (ShotRead, Mismatch)) == []


def test_a_hand_in_a_net_while_nobody_looked_is_no_stroke():
    table = armed()
    cut_off(table, motion=False)
    table.feed(*table.edges("SE", table.now))
    said = back(table)
    assert of(said, ShotRead) == []
    assert "SE" in only(said, Mismatch).says


def test_a_board_cleared_while_nobody_looked_is_no_stroke():
    table = armed()
    cut_off(table, motion=False)
    table.feed(*table.edges("SE", table.now))
    table.pieces = table.pieces[:4]
    assert of(back(table), ShotRead) == []


def test_eyes_that_come_back_into_the_middle_of_a_stroke_do_not_make_it_another():
    table = armed()
    cut_off(table)
    table.feed(*table.edges("NE", table.now))
    gone = table.pieces.pop(3)
    # The first picture shows everything on its way; the new eyes follow what still runs.
    table.now += 900 * MS
    table.feed(EyesHealth(table.now, "ok", table.now, since_ns=table.now))
    first = table.board([*table.pieces[:-1], coin("striker", 60.0, 0.0)], table.now, table.now)
    table.now -= S
    stroke, _ = table.stroke(at=(60.0, 0.0))
    began = first.t_ns + 33 * MS
    stroke = replace(stroke, before=first, began_ns=began)
    said = [*table.played(stroke), *table.wait(4000)]
    shot = only(said, ShotRead).shot
    assert fell(shot) == [(gone.piece, "NE")]
    assert "placement" in shot.unseen
    assert of(said, Mismatch)[0].kind == "unseen_change"


def test_a_stroke_played_before_the_dark_was_looked_into_waits_for_what_the_dark_held():
    table = armed()
    cut_off(table)
    table.feed(*table.edges("NE", table.now))
    gone = table.pieces.pop(3)
    table.pieces.pop()
    table.now += 1000 * MS
    table.feed(EyesHealth(table.now, "ok", table.now, since_ns=table.now))
    stroke, edges = table.stroke([Fall(6, "SW")], at=(0.0, 250.85), heading=270.0)
    second = stroke.before.pieces[6]
    stroke = replace(stroke, before=replace(stroke.before, since_ns=stroke.began_ns - 700 * MS))
    first = only(table.played(*edges, stroke), ShotRead).shot
    assert fell(first) == [(gone.piece, "NE")]
    said = table.feed(expects(stroke.before.pieces, seq=2, turn="north"), Tick(table.now))
    assert fell(only(said, ShotRead).shot) == [(second.piece, "SW")]


def test_a_break_that_the_eyes_died_in_counts():
    pack = rack()
    table = Table(pieces=list(pack))
    table.arm(opening=True)
    table.wait(1000)
    cut_off(table)
    table.feed(*table.edges("NE", table.now))
    table.pieces = [coin(one.piece, one.x_mm * 3, one.y_mm * 3) for one in pack[:-1]]
    table.pieces.append(coin("striker", 100.0, 0.0))
    assert fell(only(back(table), ShotRead).shot) == [(pack[-1].piece, "NE")]


def test_eyes_that_were_only_cut_off_from_the_table_have_the_word():
    """They say the stroke when they are connected again: it is not read without them."""
    table = armed()
    cut_off(table)
    table.feed(*table.edges("NE", table.now))
    gone = table.pieces[3]
    stroke, _ = table.stroke([Fall(3, "NE", felt=False)], before=table.pieces[:-1])
    table.feed(EyesHealth(table.now, "ok", table.now, since_ns=1))
    began = stroke.began_ns - 2 * S
    tracks = tuple(replace(one, vanished=None) if one.piece == "striker" else one for one in stroke.tracks)
    stroke = replace(
        stroke, began_ns=began, tracks=tracks, before=replace(stroke.before, t_ns=began, since_ns=began - S)
    )
    said = [*table.played(stroke), *table.wait(3000)]
    assert fell(only(said, ShotRead).shot) == [(gone.piece, "NE")]
    assert unseen_changes(said) == []


def test_the_eyes_that_see_on_after_a_stall_have_the_word():
    table = armed()
    table.feed(EyesHealth(table.now, "ok", table.now, since_ns=1))
    stroke, edges = table.stroke([Fall(2, "NE")], before=table.pieces[:-1])
    table.feed(MotionBegan(stroke.began_ns, "striker", (0.0, -200.0)))
    table.feed(EyesHealth(stroke.began_ns + 300 * MS, "stalled", stroke.began_ns, since_ns=1))
    shot = only(table.played(*edges, stroke), ShotRead).shot
    assert shot.placement is not None
    table.feed(expects(table.pieces, seq=2))
    assert of(table.wait(3000), (ShotRead, Mismatch)) == []


# -- what the beams felt and nothing claims


@pytest.mark.parametrize(("covered", "told"), [(False, []), (True, [False])])
def test_a_passage_like_a_piece_that_nothing_claims_is_told_where_nobody_can_look(covered, told):
    table = armed()
    hands = (hand((0.0, 0.0), (90.0, 0.0), (0.0, 90.0)),) if covered else ()
    table.feed(*table.edges("NE", table.now))
    said = []
    for _ in range(20):
        table.now += 500 * MS
        said += table.feed(*table.signs(), table.board(table.pieces, table.now, hands=hands), Tick(table.now))
    assert unseen_changes(said) == told
    assert all("NE" in one.says for one in of(said, Mismatch))


@pytest.mark.parametrize("beams", [("upper",), ("lower", "upper")])
def test_a_passage_unlike_a_piece_is_nobodys_business(beams):
    table = armed()
    table.feed(*table.edges("NE", table.now, beams=beams))
    assert of(table.wait(10_000, boards=False), Mismatch) == []
    table.feed(HandsSeen(table.now, (hand((0.0, 0.0), (90.0, 0.0), (0.0, 90.0)),)))
    assert of(table.wait(10_000), Mismatch) == []


def test_a_passage_in_a_stroke_that_lasts_is_the_strokes():
    table = armed()
    stroke, edges = table.stroke([Fall(2, "NE")], before=table.pieces[:-1])
    table.feed(MotionBegan(stroke.began_ns, "striker", (0.0, -200.0)), *edges)
    late = 6 * S
    for ms in range(0, late // MS, 500):
        table.feed(*[replace(one, t_ns=stroke.t_ns + ms * MS) for one in table.signs()], Tick(stroke.t_ns + ms * MS))
    after = replace(stroke.after, t_ns=stroke.t_ns + late, since_ns=stroke.ended_ns + late)
    table.now += late
    table.played(replace(stroke, t_ns=table.now, ended_ns=stroke.ended_ns + late, after=after))
    assert len(of(table.said, ShotRead)) == 1
    assert unseen_changes(table.said) == []


def test_a_fall_that_was_ruled_on_before_a_restart_is_no_stroke_when_the_node_says_it_again():
    for settled, strokes in ((0, 1), (6 * S, 0)):
        table = armed()
        table.state = restart(table.state, 0, table.now + settled)
        dark(table, 1000)
        table.feed(*table.edges("NE", table.now))
        dark(table, 4000)
        assert len(of(table.said, ShotRead)) == strokes


def half_seen(table):
    """A stroke in which a white fell into NE, of which the pictures show only the beginning and what is left."""
    stroke, edges = table.stroke([Fall(1, "NE")])
    gap = ((stroke.began_ns + 40 * MS, stroke.ended_ns),)
    return replace(stroke, struck=None, tracks=(), touches=(), blind=gap), edges


@pytest.mark.parametrize("restarted", [False, True])
def test_a_stroke_of_which_pictures_are_missing_is_read_from_the_boards_around_it(restarted):
    table = Table() if restarted else armed()
    if restarted:
        table.feed(expects(table.pieces))
    work, edges = half_seen(table)
    shot = only([*table.played(*edges, work), *table.wait(3000)], ShotRead).shot
    assert fell(shot) == [("white", "NE")]
    assert {"placement", "contacts", "elapsed"} <= set(shot.unseen)


def test_a_few_pictures_missing_from_work_by_hand_are_no_outage():
    table = armed()
    work, edges = half_seen(table)
    short = ((work.began_ns, work.began_ns + 200 * MS),)
    assert of([*table.played(*edges, replace(work, blind=short)), *table.wait(3000)], ShotRead) == []


@pytest.mark.parametrize("wait_ms", [0, 4000])
def test_what_was_felt_before_the_first_board_after_a_restart_is_asked_about(wait_ms):
    """Part of the board is hidden, and its node is greeted so late: nothing but the beams says that a piece fell."""
    table = Table()
    table.feed(expects(table.pieces))
    work, edges = half_seen(table)
    hidden = tuple(
        ((one.x_mm - 20, one.y_mm - 20), (one.x_mm + 20, one.y_mm - 20), (one.x_mm, one.y_mm + 20))
        for one in work.before.pieces[1:2]
    )
    board = replace(work.after, hidden=hidden)
    said = table.feed(replace(work, after=board), board)
    for _ in range(20):
        table.now += 250 * MS
        felt = edges if table.now >= board.t_ns + wait_ms * MS else []
        said += table.feed(*table.signs()[: 2 if felt else 1], *felt, replace(board, t_ns=table.now), Tick(table.now))
    told = [one.shot.pocketed for one in of(said, ShotRead)] or [one.says for one in of(said, Mismatch)]
    assert any("NE" in str(one) for one in told), told
