"""What the striker met, in order, and where what it met lay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.events.match import Contact
from controller.events.observation import Touch, Track
from tests.shots.table import MS, S, Table, coin, read


def test_contacts_in_order():
    began = Table().now + S
    touches = (
        Touch(began + 200 * MS, MS, "cushion", (370.0, 0.0)),
        Touch(began + 300 * MS, MS, "black", (10.04, 20.06)),
    )
    shot = read(touches=touches).shot
    assert [(one.touched, one.at) for one in shot.contacts] == [("cushion", (370.0, 0.0)), ("black", (10.0, 20.1))]


def test_two_touches_within_their_errors_are_a_doubt_about_the_order():
    began = Table().now + S
    touches = (
        Touch(began + 200 * MS, 4 * MS, "white", (0.0, 0.0), certain=False),
        Touch(began + 202 * MS, 4 * MS, "black", (30.0, 0.0), certain=False),
    )
    (doubt,) = read(touches=touches).shot.doubts
    assert doubt.fact == "contacts"
    assert [value[0]["with"] for value, _ in doubt.choices] == ["white", "black"]
    assert doubt.choices[0][1] == pytest.approx(0.64, abs=0.02)


@pytest.mark.parametrize(("apart_us", "doubts"), [(500, 1), (5000, 0)])
def test_two_touches_half_a_millisecond_apart_have_no_certain_order_whoever_says_so(apart_us, doubts):
    began = Table().now + S
    touches = (
        Touch(began + 200 * MS, MS // 10, "white", (0.0, 0.0)),
        Touch(began + 200 * MS + apart_us * 1000, MS // 10, "black", (30.0, 0.0)),
    )
    found = [doubt for doubt in read(touches=touches).shot.doubts if doubt.fact == "contacts"]
    assert len(found) == doubts
    if found:
        assert found[0].choices[0][1] < 0.8


def test_no_touch_is_not_believed_when_pieces_moved():
    def nudge(said):
        piece = said.before.pieces[3]
        end = coin(piece.piece, piece.x_mm + 40, piece.y_mm)
        track = Track(9, piece.piece, piece, end, said.began_ns + 300 * MS, said.ended_ns)
        after = tuple(end if one is piece else one for one in said.after.pieces)
        return replace(said, tracks=(*said.tracks, track), after=replace(said.after, pieces=after))

    shot = read(touches=(), change=nudge).shot
    assert shot.contacts is None
    assert "contacts" in shot.unseen
    assert read(touches=()).shot.contacts == ()


def test_touches_that_a_slow_camera_saw_are_told_and_not_ruled_on():
    found = read(touches_seen=False)
    assert found.shot.contacts is None
    assert "contacts" in found.shot.unseen
    assert any("seen: white" in note for note in found.evidence.notes)
    shot = found.shot
    shot = read(touches_seen=False, touches=()).shot
    assert shot.contacts is None
    assert "contacts" in shot.unseen


REACH = 236.7 - 15.5
"""A coin this far from the middle touches the inner base line of south."""


def met(first, *before, needs=("contacts.behind_line", "contacts.runs_back"), u95=0.5):
    """One white met after what came `before`, known to `u95`; south to play."""
    table = Table()
    table.arm(needs=frozenset(needs))
    began = table.now + S
    touches = [Touch(began + (100 + 50 * i) * MS, MS, "cushion", at) for i, at in enumerate(before)]
    touches.append(Touch(began + 300 * MS, MS, "white", first, 9))

    def moved(said):
        track = Track(9, "white", coin("white", *first, u95), coin("white", 0.0, 0.0), said.began_ns, said.ended_ns)
        return replace(said, tracks=(*said.tracks, track))

    return read(table, moved, touches=tuple(touches))


@pytest.mark.parametrize("over_mm", [-0.3, -0.05, 0.0, 0.3, 0.6])
def test_a_piece_too_close_to_the_base_line_stands_without_its_place(over_mm):
    """A clause asks whether it lay on the line: left out means in order, and the evidence says how close it was."""
    found = met((20.0, -(REACH + over_mm)))
    assert found.shot.contacts == (Contact("white", None),)
    side = "short of" if over_mm <= 0 else "over"
    says = (
        f"white, met first: {side} the base line by {abs(over_mm):.1f} ± 0.5 mm, too close to call: taken as in order"
    )
    assert says in found.evidence.notes
    assert found.shot.unseen == read().shot.unseen


@pytest.mark.parametrize("over_mm", [-0.8, 0.8, 20.0])
def test_a_place_known_well_enough_is_told_with_its_clearance(over_mm):
    at = (20.0, -(REACH + over_mm))
    found = met(at)
    assert found.shot.contacts == (Contact("white", (at[0], round(at[1], 1))),)
    (near,) = [one for one in found.evidence.clearances if one.fact == "contacts.behind_line"]
    assert (near.in_order, near.margin_mm) == ("yes" if over_mm < 0 else "no", pytest.approx(-over_mm, abs=0.01))
    assert found.evidence.notes == ()


def test_the_worse_a_place_is_known_the_wider_is_too_close():
    assert met((20.0, -(REACH + 0.8)), u95=0.8).shot.contacts[0].at is None


@pytest.mark.parametrize(("towards_mm", "told"), [(-0.2, False), (0.3, False), (2.0, True), (-2.0, True)])
def test_a_piece_met_after_a_cushion_is_held_against_the_middle_line(towards_mm, told):
    found = met((20.0, -towards_mm), (0.0, 370.0))
    assert [one.touched for one in found.shot.contacts] == ["cushion", "white"]
    assert (found.shot.contacts[1].at is not None) is told
    assert any("the middle line" in note for note in found.evidence.notes) is not told


def test_a_line_that_no_clause_asks_about_takes_no_place_away():
    for needs in ((), ("contacts.runs_back",)):
        found = met((20.0, -REACH), needs=needs)
        assert found.shot.contacts[0].at == (20.0, -REACH)
        assert found.evidence.notes == ()


def test_either_order_of_two_touches_has_its_own_first_piece():
    """White lies on the line to within its error, black well before it: only white's place is too close to call."""
    table = Table()
    table.arm(needs=frozenset({"contacts.behind_line"}))
    began = table.now + S
    white, black = (0.0, -REACH), (31.2, -150.0)
    touches = (
        Touch(began + 200 * MS, 4 * MS, "black", black, 8, certain=False),
        Touch(began + 202 * MS, 4 * MS, "white", white, 9, certain=False),
    )

    def moved(said):
        tracks = [
            Track(number, name, coin(name, *at, 0.5), coin(name, 9.0 * number, 0.0), said.began_ns, said.ended_ns)
            for number, name, at in ((8, "black", black), (9, "white", white))
        ]
        return replace(said, tracks=(*said.tracks, *tracks))

    found = read(table, moved, touches=touches)
    (doubt,) = found.shot.doubts
    assert [value for value, _ in doubt.choices] == [
        [{"with": "black", "at": list(black)}, {"with": "white", "at": list(white)}],
        [{"with": "white"}, {"with": "black", "at": list(black)}],
    ]


def test_a_striker_does_not_meet_itself_where_it_lay():
    """The eyes may follow what they thought a finger as the striker, and the striker as a piece that it touched."""
    for beside_mm, told in ((0.3, []), (42.0, ["unknown", "white"])):
        table = Table()
        table.arm(needs=frozenset({"contacts.behind_line"}))
        began = table.now + S
        lay = (20.0, -250.85)
        touches = (
            Touch(began + 20 * MS, MS, "striker", (lay[0] + beside_mm, lay[1]), 8),
            Touch(began + 300 * MS, MS, "white", (20.0, 100.0), 9),
        )
        found = read(table, at=lay, touches=touches)
        assert [one.touched for one in found.shot.contacts] == (told or ["white"])
