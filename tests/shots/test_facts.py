"""Facts only the camera sees: placement, seat, heading, contacts, lines left and crossed, flags."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.events.observation import HandsSeen, Sample, Track
from controller.shots import Armed, Tick
from controller.shots.reading import CAMERA
from tests.shots.table import MS, Fall, S, Table, coin, hand, of, read

BAND = -250.85
"""Middle between the two base lines, south."""


def test_a_fact_that_nothing_tells_is_unseen_and_not_in_order(monkeypatch):
    assert "heading" not in read().shot.unseen
    monkeypatch.delitem(CAMERA, "heading")
    found = read()
    assert "heading" in found.shot.unseen
    assert ("heading", "none") in found.evidence.sources


def placed(x, y, u95=0.4):
    def change(said):
        return replace(said, struck=replace(said.struck, placed=coin("striker", x, y, u95)))

    return read(change=change, at=(x, y))


# Clearances of a 41.3 mm striker: it overlaps both lines while its centre lies 242.85 to 258.85 mm from the middle.


@pytest.mark.parametrize(
    ("away", "lines"),
    [(250.85, "both"), (257.0, "both"), (262.0, "one"), (239.0, "one"), (300.0, "none"), (200.0, "none")],
)
def test_lines(away, lines):
    assert placed(0.0, -away).shot.placement.lines == lines


@pytest.mark.parametrize(
    ("along", "circle"), [(0.0, "clear"), (219.1, "covered"), (212.0, "partial"), (190.0, "partial"), (180.0, "clear")]
)
def test_circle(along, circle):
    assert placed(along, -252.6).shot.placement.circle == circle


def test_arrow():
    # the arrow runs through (252.6, 252.6) at 45°: a striker over it touches it
    assert placed(240.0, -252.0).shot.placement.arrow is True
    assert placed(219.1, -252.6).shot.placement.arrow is False


@pytest.mark.parametrize("off", [-0.3, 0.0, 0.3])
def test_too_close_to_call_is_in_order_and_noted(off):
    found = placed(0.0, -(258.85 + off), u95=0.6)
    assert found.shot.placement.lines == "both"
    assert found.shot.doubts == ()
    assert any("too close to call" in note for note in found.evidence.notes)


def test_clearances_are_in_the_evidence_with_their_error():
    found = placed(0.0, -256.0, u95=0.5)
    says = {one.fact: one.says for one in found.evidence.clearances}
    assert "by 2.8 ± 0.5 mm" in " ".join(one.says for one in found.evidence.clearances)
    assert set(says) >= {"placement.lines", "placement.circle", "placement.arrow"}


def test_which_reading_of_a_circle_is_in_order_is_the_books():
    at = (219.1 - 4.75, -252.6)

    def lies(said):
        return replace(said, struck=replace(said.struck, placed=coin("striker", *at, 0.6)))

    for in_order, circle in ((("clear", "covered"), "covered"), (("clear", "partial"), "partial")):
        table = Table()
        table.arm(circle_in_order=in_order)
        assert read(table, lies, at=at).shot.placement.circle == circle


def test_a_striker_nobody_saw_lie_is_unseen():
    found = read(change=lambda said: replace(said, struck=replace(said.struck, placed=None, gap_mm=None)))
    assert found.shot.placement is None
    assert "placement" in found.shot.unseen


@pytest.mark.parametrize(
    ("at", "heading", "seat"),
    [((0, BAND), 90, "south"), ((0, -BAND), 270, "north"), ((-BAND, 30), 180, "east"), ((BAND, -90), 0, "west")],
)
def test_the_seat_is_where_the_striker_lay_even_out_of_turn(at, heading, seat):
    table = Table()
    table.arm(sides=(("south", "white"), ("east", "black"), ("north", "white"), ("west", "black")))
    assert read(table, at=at, heading=heading).shot.seat == seat


@pytest.mark.parametrize(("first", "seat"), [((-214.0, -47.0), "south"), ((30.0, 240.0), "north")])
def test_a_path_that_was_taken_up_late_by_the_line_of_nobody_who_plays_says_not_who_struck(first, seat):
    def late(said):
        begun = Sample(said.began_ns + 400 * MS, *first)
        tracks = tuple(replace(one, samples=(begun,)) if one.piece == "striker" else one for one in said.tracks)
        return replace(said, tracks=tracks, struck=replace(said.struck, placed=None))

    table = Table()
    table.arm(sides=(("south", "white"), ("north", "black")), turn="south")
    assert read(table, change=late).shot.seat == seat


@pytest.mark.parametrize(
    ("degrees", "heading"), [(90, "forward"), (2, "forward"), (-20, "backward"), (200, "backward")]
)
def test_heading(degrees, heading):
    assert read(heading=degrees).shot.heading == heading


def set_out(behind_deg, u_deg):
    return read(
        change=lambda said: replace(said, struck=replace(said.struck, u_heading_deg=u_deg)), heading=-behind_deg
    )


@pytest.mark.parametrize(
    ("behind", "first", "note"),
    [
        (2.0, "backward", "heading: 2.0 ± 2.0° behind sideways, too close to call"),
        (-2.0, "forward", "heading: 2.0 ± 2.0° before sideways, too close to call"),
    ],
)
def test_a_heading_too_close_to_call_is_in_doubt_and_noted(behind, first, note):
    found = set_out(behind, 1.0)
    (doubt,) = found.shot.doubts
    assert (doubt.fact, doubt.choices[0][0], found.shot.heading) == ("heading", first, first)
    assert dict(doubt.choices)[first] == pytest.approx(0.977, abs=0.001)
    assert note in found.evidence.notes


@pytest.mark.parametrize(
    ("behind", "u", "heading"),
    [
        (4.0, 1.0, "backward"),
        (-4.0, 1.0, "forward"),
        (35.0, 9.0, "backward"),
        *((-ahead, u, "forward") for ahead in (60.0, 75.0, 90.0) for u in (1.0, 10.0, 19.0)),
    ],
)
def test_a_heading_known_well_enough_is_not(behind, u, heading):
    """A plainly forward stroke leaves no doubt of backward, however roughly its direction is known."""
    found = set_out(behind, u)
    assert (found.shot.heading, found.shot.doubts, found.evidence.notes) == (heading, (), ())


def test_two_marks_behind_a_finger_do_not_make_a_stroke_backward():
    """What the eyes once said of a stroke 15 degrees before sideways: 25 degrees off, and 10 stated now."""
    assert {value for value, _ in set_out(10.0, 10.0).shot.doubts[0].choices} == {"forward", "backward"}


OUTER_REACH_MM = 289.15
"""A striker farther than this from the middle touches the outer line no more."""


def not_seen_to_lie(behind_mm, heading=90, guessed=None):
    """A stroke of south's striker, first seen so far behind its outer line's reach, or taken to have lain there."""

    def change(said):
        first = Sample(said.began_ns + 100 * MS, 30.0, -(OUTER_REACH_MM + behind_mm))
        tracks = tuple(
            replace(one, samples=(first, *one.samples[1:])) if one.piece == "striker" else one for one in said.tracks
        )
        lay = None if guessed is None else coin("striker", 30.0, -252.6, guessed)
        return replace(said, tracks=tracks, struck=replace(said.struck, placed=lay))

    return read(change=change, heading=heading)


@pytest.mark.parametrize("guessed", [None, 15.0])
def test_a_striker_first_seen_far_behind_its_lines_may_have_been_struck_backward(guessed):
    found = not_seen_to_lie(60.0, guessed=guessed)
    (doubt,) = [doubt for doubt in found.shot.doubts if doubt.fact == "heading"]
    assert dict(doubt.choices) == {"backward": 0.9, "forward": 0.1}
    assert any("60 mm behind the outer base line" in note for note in found.evidence.notes)


@pytest.mark.parametrize("behind", [-40.0, 5.0])
def test_where_nobody_saw_it_lie_nor_come_back_its_heading_is_unseen(behind):
    found = not_seen_to_lie(behind)
    assert "heading" in found.shot.unseen
    assert not any(doubt.fact == "heading" for doubt in found.shot.doubts)
    assert "heading" not in not_seen_to_lie(behind, guessed=0.6).shot.unseen


def test_one_seen_to_run_back_was_struck_backward_wherever_it_had_lain():
    assert not_seen_to_lie(0.0, heading=-60).shot.heading == "backward"


def test_a_striker_that_never_left_the_lines():
    def slip(said):
        at = said.struck.placed
        end = coin("striker", at.x_mm + 8, at.y_mm + 2)
        path = (Sample(said.began_ns, at.x_mm, at.y_mm), Sample(said.ended_ns, end.x_mm, end.y_mm))
        tracks = tuple(replace(one, samples=path, end=end) if one.piece == "striker" else one for one in said.tracks)
        return replace(said, tracks=tracks, struck=replace(said.struck, left_by_mm=8.2))

    assert read(change=slip, touches=()).shot.left_baseline is False
    assert read().shot.left_baseline is True


@pytest.mark.parametrize(
    ("stays_on_mm", "left", "says"),
    [
        (3.0, False, ""),
        (0.5, True, "still on its base lines by 0.5"),
        (-0.5, True, "off its base lines by 0.5"),
        (-3.0, True, ""),
    ],
)
def test_a_striker_that_all_but_stayed_on_its_lines_has_left_them_and_it_is_noted(stays_on_mm, left, says):
    # The inner line begins 236.7 mm from the middle: the disc overlaps it while its centre is farther out than 216.05.
    def creep(said):
        end = coin("striker", 60.0, -(216.05 + stays_on_mm))
        path = (Sample(said.began_ns, 0.0, -252.6), Sample(said.ended_ns, end.x_mm, end.y_mm))
        tracks = tuple(replace(one, samples=path, end=end) if one.piece == "striker" else one for one in said.tracks)
        return replace(said, tracks=tracks, struck=replace(said.struck, left_by_mm=65.0))

    found = read(change=creep, touches=(), at=(0.0, -252.6))
    assert found.shot.left_baseline is left
    near = [one for one in found.evidence.clearances if one.fact == "left_baseline"]
    assert [one.margin_mm for one in near] == ([-stays_on_mm] if says else [])
    assert any("its base lines by" in note for note in found.evidence.notes) is bool(says)
    assert all(says in one.says for one in near)


def ran_to(*ends, **more):
    """A change of a stroke: some coins run to these places along the x axis."""

    def change(said):
        tracks = list(said.tracks)
        for number, to in enumerate(ends):
            piece = said.before.pieces[3 + number]
            end = coin(piece.piece, to, 0.0)
            tracks.append(Track(20 + number, piece.piece, piece, end, said.began_ns, said.ended_ns, **more))
        return replace(said, tracks=tuple(tracks))

    return change


def test_how_many_crossed_a_base_line():
    # an inner line begins 236.7 mm from the middle: a coin of 31 mm reaches it at 221.2
    assert read(change=ran_to(225.0, 215.0)).shot.crossed_baseline == 1
    assert read(change=ran_to(215.0)).shot.crossed_baseline == 0
    assert read(falls=[Fall(1, "NE")]).shot.crossed_baseline == 1


def test_a_coin_that_all_but_reached_a_base_line_counts_and_is_noted():
    found = read(change=ran_to(221.0))
    assert found.shot.crossed_baseline == 1
    assert any("short of a base line by 0.2 ± 0.5 mm, too close to call" in note for note in found.evidence.notes)
    assert read(change=ran_to(221.0, 225.0)).evidence.notes == ()


def test_a_coin_that_a_hand_may_have_shoved_over_a_base_line_says_nothing():
    shot = read(change=ran_to(225.0, by_hand=True)).shot
    assert shot.crossed_baseline is None
    assert "crossed_baseline" in shot.unseen
    shot = read(change=ran_to(225.0, by_hand=True), falls=[Fall(1, "NE")]).shot
    assert shot.crossed_baseline == 1


def test_moving_when_struck():
    assert read().shot.all_at_rest is True

    def early(said, by_ms=200):
        piece = said.before.pieces[3]
        began = said.struck.first_motion_ns
        track = Track(
            9, piece.piece, piece, piece, began - by_ms * MS, began + 300 * MS,
            (Sample(began - by_ms * MS, 0, 0), Sample(began, 20, 0)),
        )  # fmt: skip
        return replace(said, tracks=(*said.tracks, track), all_at_rest=False)

    assert read(change=early).shot.all_at_rest is False
    unsure = read(change=lambda said: replace(said, all_at_rest=False)).shot
    assert (unsure.all_at_rest, "all_at_rest" in unsure.unseen) == (True, True)

    def hidden(said):
        """The striker came out from under a hand: what moved before may have been struck."""
        return early(replace(said, struck=replace(said.struck, u_first_motion_ns=80 * MS)), by_ms=400)

    assert "all_at_rest" in read(change=hidden).shot.unseen


def test_flag_replaced():
    table = Table()
    table.arm(turn_began_ns=table.now - S)
    for x in (0.0, 40.0, -40.0, 80.0, 10.0):
        table.now += S
        table.feed(table.board([*table.pieces, coin("striker", x, BAND)], table.now))
    assert read(table).shot.flags == ("replaced",)


def test_elapsed_counts_from_the_start_of_the_turn():
    table = Table()
    table.arm(turn_began_ns=table.now - 3 * S)
    assert read(table).shot.elapsed == pytest.approx(4.0)


def test_what_the_table_can_do_is_said_on_every_change():
    table = Table()
    table.arm()
    assert of(table.said, Armed)[-1].armed == "armed"
    table.wait(500, blind=("NE",))
    assert of(table.said, Armed)[-1].blind == ("NE",)
    table.wait(500, link="down")
    assert (of(table.said, Armed)[-1].armed, of(table.said, Armed)[-1].beams) == ("degraded", "down")


@pytest.mark.parametrize("link", ["restarting", "stale", "down"])
def test_a_node_that_is_not_up_any_more_has_reached_no_further_and_is_believed(link):
    for late_ms in range(20):
        table = Table()
        table.now += late_ms * MS
        table.arm()
        table.feed(*table.signs(link=link), Tick(table.now))
        assert of(table.said, Armed)[-1].beams == link


CALLS = {"placement", "left_baseline", "crossed_baseline", "contacts", "flags.push"}


@pytest.mark.parametrize(("grade", "calls"), [("basic", False), ("club", True), ("match", True)])
def test_a_webcam_says_what_fell_and_calls_no_lines_and_no_contacts(grade, calls):
    table = Table()
    table.arm()

    def seen_by(said):
        pushed = replace(said.struck, placed=coin("striker", 0.0, -270.0, 0.4), hand_follow_mm=200.0)
        return replace(said, grade=grade, struck=pushed, touches_seen=calls)

    shot = read(table, seen_by, falls=[Fall(3, "NE")], at=(0.0, -270.0)).shot
    assert [(fell.piece, fell.pocket) for fell in shot.pocketed] == [("white", "NE")]
    assert set(shot.unseen) >= CALLS if not calls else not CALLS & set(shot.unseen)
    assert (shot.placement is not None, "push" in shot.flags) == (calls, calls)


@pytest.mark.parametrize(("grade", "left"), [("match", False), ("basic", True)])
def test_what_a_webcam_cannot_call_is_not_ruled_on(grade, left):
    def stayed(said):
        struck = replace(said.struck, left_by_mm=8.0)
        still = replace(said.tracks[-1], samples=said.tracks[-1].samples[:1], end=coin("striker", 8.0, BAND))
        return replace(said, struck=struck, tracks=(*said.tracks[:-1], still), grade=grade)

    shot = read(change=stayed).shot
    assert shot.left_baseline is left
    assert ("left_baseline" in shot.unseen) is left


@pytest.mark.parametrize(("side", "asked"), [("south", False), ("north", True)])
def test_who_struck_is_asked_only_where_the_hand_is_not_that_of_who_is_on_turn(side, asked):
    def out_of_sight(said):
        own = next(track for track in said.tracks if track.piece == "striker")
        late = replace(own, start=None, samples=(replace(own.samples[1], x_mm=5.0, y_mm=10.0), own.samples[2]))
        others = tuple(track for track in said.tracks if track is not own)
        hands = (HandsSeen(said.began_ns, (hand((300.0, 300.0), (320.0, 300.0), (320.0, 320.0), side=side),)),)
        return replace(said, struck=replace(said.struck, placed=None), tracks=(late, *others), hands=hands)

    doubts = read(change=out_of_sight).shot.doubts
    assert [doubt.fact for doubt in doubts] == (["seat"] if asked else [])
