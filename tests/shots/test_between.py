"""Between two strokes: placing, drops, what differs from the book, the opening, play and no play."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.events.expectation import ToPlace
from controller.events.observation import BoardSeen, Hand, HandsSeen, MotionBegan, Sample, Track
from controller.shots import DropRead, Mismatch, Phase, PlacedRead, Practice, Ready, SeenRead, ShotRead, Tick
from tests.shots.table import MS, POCKETS, Fall, S, Table, coin, expects, full_board, hand, of, only, rack

RING = ((0.0, 0.0), 15.9, 85.0)


def due(piece="white"):
    return ToPlace(piece, "icf-72a", "north", None, RING)


def waiting_for(*due_pieces, lies=None):
    """A table on which some pieces still have to be placed."""
    table = Table(pieces=lies if lies is not None else full_board()[:-2])
    book = expects([*table.pieces, *(coin(one.piece, 0, 0) for one in due_pieces)], to_place=tuple(due_pieces))
    table.feed(book, *table.signs(), Tick(table.now))
    table.wait(1000)
    return table, book


def test_a_due_is_recognised_by_colour_and_area():
    table, _ = waiting_for(due("black"))
    table.pieces.append(coin("black", 30.0, 45.0))
    read = only(table.wait(1500), PlacedRead)
    assert [(one.piece, one.x, one.y) for one in read.fresh] == [("black", 30.0, 45.0)]
    assert len(read.placed.pieces) == 18, "where everything lies now"
    assert read.notes == ()


def test_a_due_is_said_once():
    table, book = waiting_for(due("black"))
    table.pieces.append(coin("black", 30.0, 45.0))
    table.wait(1500)
    table.feed(replace(book, to_place=(), seq=2))
    table.wait(5000)
    assert len(of(table.said, PlacedRead)) == 1
    assert of(table.said, Mismatch) == []


def test_nothing_is_said_while_the_hand_is_over_the_board():
    table, _ = waiting_for(due("black"))
    table.feed(HandsSeen(table.now, (hand((0, 0), (60, 0), (60, 60), (0, 60)),)))
    placed = table.board([*table.pieces, coin("black", 30, 45)], table.now + 400 * MS, hands=(hand((0, 0), (9, 9)),))
    assert of(table.feed(placed, Tick(table.now + 2 * S, table.now + 2 * S)), PlacedRead) == []


def test_a_few_millimetres_are_not_nagged_about_and_more_are():
    for off, notes in ((4.0, 0), (9.0, 1)):
        table, _ = waiting_for(ToPlace("queen", "icf-95a", None, (0.0, 0.0)), lies=full_board()[1:])
        table.pieces.append(coin("queen", off, 0.0))
        assert len(only(table.wait(1500), PlacedRead).notes) == notes


def test_a_due_outside_the_circle_is_noted():
    table, _ = waiting_for(due("black"))
    table.pieces.append(coin("black", 30.0, 120.0))
    assert "outside" in only(table.wait(1500), PlacedRead).notes[0]


def test_the_wrong_coin_is_noticed_before_the_next_stroke():
    table, _ = waiting_for(due("black"))
    table.pieces.append(coin("white", 30.0, 45.0))
    table.wait(3000)
    assert of(table.said, PlacedRead) == []
    said = only(table.said, Mismatch)
    assert (said.kind, said.missing, said.extra) in [("wrong_piece", ("black",), ("white",)), ("extra", (), ("white",))]


def test_a_due_not_placed_is_noticed_when_the_striker_is_down():
    table, _ = waiting_for(due("black"))
    table.pieces.append(coin("striker", 0.0, -250.85))
    said = only(table.wait(3000), Mismatch)
    assert (said.kind, said.missing, said.says) == ("due_not_placed", ("black",), "black still to be placed")


@pytest.mark.parametrize(("shifted_mm", "kinds"), [(0.0, []), (60.0, ["due_not_placed"])])
def test_a_striker_left_on_a_base_line_by_the_last_stroke_is_not_put_there(shifted_mm, kinds):
    table = Table(pieces=full_board())
    table.arm()
    stroke, edges = table.stroke([Fall(18, "NE")])
    left, lies = coin("striker", -147.0, -250.85), table.pieces
    after = replace(stroke.after, pieces=(*lies, left))
    ran = tuple(replace(track, end=left) if track.track == 1 else track for track in stroke.tracks)
    table.played(*edges, replace(stroke, after=after, tracks=ran))
    only(table.said, ShotRead)
    table.feed(expects([*lies, coin("black", 0, 0)], to_place=(due("black"),), seq=2))
    table.pieces = [*lies, coin("striker", -147.0 + shifted_mm, -250.85)]
    assert [said.kind for said in of(table.wait(3000), Mismatch)] == kinds


def test_a_due_not_placed_is_noticed_with_the_stroke_at_the_latest():
    table, _ = waiting_for(due("black"))
    stroke, _ = table.stroke()
    said = only(table.played(stroke), Mismatch)
    assert (said.kind, said.says) == ("due_not_placed", "played while black had not been placed")
    assert of(table.said, ShotRead)


def test_two_dues_may_be_placed_one_after_the_other():
    table, _ = waiting_for(due("black"), due("white"))
    table.pieces.append(coin("black", 30.0, 45.0))
    assert of(table.wait(2500), PlacedRead) == []
    table.pieces.append(coin("white", -40.0, 45.0))
    read = only(table.wait(2500), PlacedRead)
    assert sorted(one.piece for one in read.fresh) == ["black", "white"]
    assert of(table.said, Mismatch) == []


def test_whoever_placed_a_piece_may_put_it_right():
    table, book = waiting_for(due("black"))
    table.pieces.append(coin("black", 30.0, 45.0))
    placed = only(table.wait(400), PlacedRead).placed.pieces
    rest = tuple((one.piece, one.x, one.y) for one in placed)
    table.feed(replace(book, to_place=(), rest_mm=rest, seq=2))
    table.wait(2000)
    table.pieces[-1] = coin("black", 55.0, 40.0)
    table.wait(3000)
    assert of(table.said, Mismatch) == []


def test_a_piece_that_hung_over_the_rim_and_fell():
    x, y = POCKETS["SE"]
    table = Table(pieces=[*full_board()[:-1], coin("black", x - 12, y + 12, in_mouth="SE")])
    table.arm()
    table.wait(1000)
    edges = table.edges("SE", table.now + 200 * MS)
    gone = table.pieces.pop()
    table.feed(*edges)
    read = only(table.wait(400), DropRead)
    assert (read.drop.piece, read.drop.pocket, read.drop.on_rim) == (gone.piece, "SE", True)
    table.feed(expects(table.pieces, seq=2))
    table.wait(3000)
    assert len(of(table.said, DropRead)) == 1
    assert of(table.said, Mismatch) == []


@pytest.mark.parametrize(("off_mm", "placed"), [(35.0, False), (12.0, True)], ids=["on no rim", "a striker meanwhile"])
def test_a_piece_that_something_unseen_may_have_struck_is_asked_about_and_no_drop(off_mm, placed):
    x, y = POCKETS["NW"]
    table = Table(pieces=[*full_board()[:-1], coin("black", x + off_mm, y - off_mm)])
    table.arm()
    if placed:
        table.pieces.append(coin("striker", 0.0, -250.85))
    table.wait(1000)
    edges = table.edges("NW", table.now + 200 * MS)
    del table.pieces[18:]
    table.feed(*edges)
    said = table.wait(2500)
    assert of(said, DropRead) == []
    assert only(said, Mismatch).missing == ("black",)


def test_a_piece_from_the_middle_of_the_board_did_not_drop_by_itself():
    table = Table()
    table.arm()
    table.wait(1000)
    edges = table.edges("NW", table.now + 200 * MS)
    gone = table.pieces.pop(3)
    table.feed(*edges)
    said = table.wait(3000)
    assert of(said, DropRead) == []
    assert only(said, Mismatch).missing == (gone.piece,)


def missed():
    """A table from which a piece has gone for three seconds, and that piece."""
    table = Table()
    table.arm()
    table.wait(1000)
    gone = table.pieces.pop(3)
    table.wait(3000)
    return table, gone


def test_a_missing_piece_is_a_question():
    table, gone = missed()
    said = only(table.said, Mismatch)
    assert (said.kind, said.missing) == ("missing", (gone.piece,))
    assert said.question
    assert len(said.choices) >= 2


def test_a_mismatch_is_taken_back_when_it_is_put_right():
    table, gone = missed()
    table.pieces.insert(3, gone)
    said = of(table.wait(3000), Mismatch)
    assert [(one.kind, one.resolved) for one in said] == [("missing", True)]


def standing(said):
    """The kinds of the reports that stand."""
    kinds = set()
    for one in of(said, Mismatch):
        kinds = kinds - {one.kind} if one.resolved else kinds | {one.kind}
    return kinds


def test_of_two_differences_one_after_the_other_only_the_latest_stands():
    table, gone = missed()
    assert standing(table.said) == {"missing"}
    table.pieces.insert(3, replace(gone, piece="black" if gone.piece == "white" else "white"))
    table.wait(500)
    assert standing(table.said) == set(), "the piece is back, though another"
    table.wait(3000)
    assert standing(table.said) == {"wrong_piece"}


def test_a_board_that_is_over_takes_what_was_reported_of_it_along():
    table, _ = missed()
    table.feed(expects(rack(), opening=True, seq=2))
    table.wait(500)
    assert standing(table.said) == set()


def test_a_piece_hidden_is_not_missing():
    table = Table()
    table.arm()
    table.wait(1000)
    seen = [one for index, one in enumerate(table.pieces) if index != 3]
    cover = ((-20, -120), (80, -120), (80, -60), (-20, -60))
    for _ in range(6):
        table.now += 500 * MS
        table.feed(table.board(seen, table.now, table.now - S, hidden=(cover,)), Tick(table.now, table.now))
    assert of(table.said, Mismatch) == []


def test_pieces_that_moved_without_a_stroke_are_said_piece_by_piece():
    table = Table()
    rest = tuple((one.piece, one.x_mm, one.y_mm) for one in table.pieces)
    table.arm(rest_mm=rest)
    table.wait(2000)
    assert of(table.said, Mismatch) == []
    one = table.pieces[4]
    table.pieces[4] = coin(one.piece, one.x_mm + 14, one.y_mm)
    said = only(table.wait(3000), Mismatch)
    assert (said.kind, said.says.count("mm")) == ("moved", 1)


def test_strokes_do_not_count_when_play_is_stopped():
    table = Table()
    table.arm(play=False)
    stroke, edges = table.stroke([Fall(1, "NE")])
    table.played(*edges, stroke)
    assert of(table.said, ShotRead) == []
    assert only(table.said, Practice).seat == "south"


def test_a_stroke_before_the_board_is_set_up_is_practice():
    table = Table(pieces=full_board()[:3])
    book = expects(full_board(), opening=True)
    table.feed(book, *table.signs(), Tick(table.now))
    stroke, _ = table.stroke()
    assert of(table.played(stroke), Practice)


def test_after_a_break_that_did_not_count_the_next_stroke_is_the_break_and_is_told():
    # The other side broke out of turn: the book still awaits the break, and they play on without setting up anew.
    table = Table(pieces=rack())
    table.arm(opening=True)
    table.wait(1000)
    stroke, _ = table.stroke(before=rack())
    table.pieces = full_board()
    broken_up = replace(stroke, after=replace(stroke.after, pieces=tuple(full_board())))
    only([*table.played(broken_up), *table.wait(1000)], ShotRead)
    table.feed(expects(full_board(), opening=True, seq=2))
    said = table.wait(1000)
    second, edges = table.stroke([Fall(1, "NE")])
    said += [*table.played(*edges, second), *table.wait(1000)]
    assert [one.pocket for one in only(said, ShotRead).shot.pocketed] == ["NE"]
    assert only(said, Mismatch).kind == "not_set_up"
    table.pieces = full_board()[:3]
    table.feed(expects(full_board(), opening=True, seq=3))
    table.pieces = rack()
    table.wait(3000)
    table.pieces = full_board()[:3]
    third, _ = table.stroke()
    assert of(table.played(third), Practice), "set up anew and taken away again"


def test_a_break_counts_though_something_covered_the_pack():
    table = Table(pieces=[])
    book = expects(full_board(), opening=True)
    table.feed(book, *table.signs(), Tick(table.now))
    stroke, _ = table.stroke()
    covered = replace(stroke.before, hands=(Hand(((-80.0, -80.0), (80.0, -80.0), (0.0, 90.0)), None),))
    said = table.played(replace(stroke, before=covered, after=replace(stroke.after, pieces=tuple(full_board()))))
    assert not of(said, Practice)


def test_the_opening_arrangement_stands():
    table = Table(pieces=rack())
    table.arm(opening=True)
    table.wait(6000)
    assert of(table.said, Mismatch) == []
    stroke, _ = table.stroke(touches=None)
    assert of(table.played(stroke), ShotRead)


PLACED = coin("striker", 0.0, -250.85)


def test_a_board_may_begin_once_the_pack_lies_there_and_whoever_breaks_has_placed_the_striker():
    table = Table(pieces=rack())
    table.arm(opening=True)
    table.wait(3000)
    assert of(table.said, Ready) == []
    table.pieces = [*rack(), PLACED]
    assert [one.seat for one in of(table.wait(3000), Ready)] == ["south"]
    # The same is not said twice, but of another state of the book it is news again.
    assert of(table.wait(3000), Ready) == []
    assert len(of(table.feed(expects(rack(), opening=True, seq=2)), Ready)) == 1


@pytest.mark.parametrize(
    ("pieces", "turn"),
    [
        ([*rack()[:-1], PLACED], "south"),
        ([*rack(), PLACED], "north"),
        ([*rack(), coin("striker", 0.0, -200.0)], "south"),
    ],
    ids=["a piece is missing", "the other breaks", "no base line"],
)
def test_no_board_begins_before_all_is_as_it_should(pieces, turn):
    table = Table(pieces=pieces)
    table.feed(expects(rack(), opening=True, turn=turn), *table.signs(), Tick(table.now))
    table.wait(6000)
    assert of(table.said, Ready) == []


@pytest.mark.parametrize(
    ("each", "more", "told"),
    [(6, 2, []), (6, -1, ["not_set_up"]), (9, 2, ["not_set_up"])],
    ids=["gaps of a short pack taken for pieces", "one is missing", "too many in a whole pack"],
)
def test_what_seems_too_many_in_a_short_pack_is_not_nagged_about(each, more, told):
    whole = rack()
    pack = [one for one in whole if one.piece == "queen"]
    pack += [one for kind in ("white", "black") for one in [one for one in whole if one.piece == kind][:each]]
    gaps = [coin("white", x, 66.0) for x in (-20.0, 20.0)]
    table = Table(pieces=[*pack, *gaps][: len(pack) + more])
    table.feed(expects(pack, opening=True), *table.signs(), Tick(table.now))
    table.wait(6000)
    assert [one.kind for one in of(table.said, Mismatch)] == told


def test_a_wrong_opening_arrangement_is_advice_and_blocks_only_in_a_tournament():
    for tournament in (False, True):
        pieces = rack()
        pieces[1], pieces[2] = replace(pieces[1], piece="black"), replace(pieces[2], piece="white")
        pieces[4] = replace(pieces[4], piece="white")
        pieces[3] = replace(pieces[3], piece="white")
        table = Table(pieces=pieces)
        names = [one.piece for one in pieces]
        table.feed(
            expects(pieces, opening=True, tournament=tournament, on_board=counts(names)),
            *table.signs(),
            Tick(table.now),
        )
        table.wait(6000)
        assert [one.kind for one in of(table.said, Mismatch)] == ["not_set_up"]
        assert bool(of(table.said, SeenRead)) is tournament


def counts(names):
    return tuple((kind, names.count(kind)) for kind in ("white", "black", "queen"))


def test_a_queen_off_the_centre_is_said():
    pieces = [replace(one, x_mm=one.x_mm + 4.0) for one in rack()]
    table = Table(pieces=pieces)
    table.arm(opening=True)
    table.wait(6000)
    assert "queen" in only(table.said, Mismatch).says


def test_a_second_queen_and_a_piece_on_its_edge_are_said_once():
    pieces = full_board()
    pieces[1] = replace(pieces[1], piece="queen")
    pieces[2] = replace(pieces[2], upright=True)
    table = Table(pieces=pieces)
    table.arm()
    table.wait(6000)
    assert sorted(one.seen.what for one in of(table.said, SeenRead)) == ["second_queen", "upright"]


def test_a_shaken_board_is_said():
    table = Table()
    table.arm()
    before = table.board(table.pieces, table.now)
    stroke, _ = table.stroke()
    work = replace(stroke, struck=None, tracks=(), touches=(), before=before, after=before, shake_mm=8.0)
    assert only(table.feed(work), SeenRead).seen.what == "shaken"
    assert of(table.said, ShotRead) == []


def test_boards_without_a_book_say_nothing():
    table = Table()
    table.feed(*table.signs(), Tick(table.now))
    table.wait(3000)
    table.pieces.pop()
    table.wait(3000)
    assert of(table.said, Mismatch) == []
    assert isinstance(table.state.boards[-1], BoardSeen)


def test_the_phases_of_a_turn():
    table = Table()
    table.arm()
    table.wait(600)
    table.pieces.append(coin("striker", 0.0, -250.85))
    table.wait(600)
    table.pieces.pop()
    stroke, edges = table.stroke([Fall(1, "NE")])
    table.played(MotionBegan(stroke.began_ns, "striker", (0.0, -250.0)), stroke)
    table.played(*edges)
    table.feed(expects(table.pieces, to_place=(due(),), seq=2))
    names = [one.name for one in of(table.said, Phase)]
    assert names == ["waiting", "placed", "struck", "settling", "settled", "respotting"]


def test_after_work_by_hand_the_dues_are_still_awaited():
    table, _ = waiting_for(due("black"))
    before = table.board(table.pieces, table.now)
    stroke, _ = table.stroke()
    work = replace(stroke, struck=None, tracks=(), touches=(), before=before, after=before)
    table.feed(MotionBegan(stroke.began_ns, "white", (0.0, 0.0)), work)
    assert [one.name for one in of(table.said, Phase)][-2:] == ["struck", "respotting"]


def left_in_the_mouth(after_ms, pocket="NE"):
    """A white that a stroke left in a pocket's mouth and that is gone at the next look, felt so long after the rest."""
    table = Table()
    table.arm()
    x, y = POCKETS["NE"]
    mouth = coin("white", x - 18.0, y - 30.0, in_mouth="NE")
    said, _ = table.stroke()
    white = said.before.pieces[1]
    assert white.piece == "white"
    ran = Track(
        9,
        "white",
        white,
        mouth,
        said.began_ns + 300 * MS,
        said.ended_ns,
        (Sample(said.ended_ns, mouth.x_mm, mouth.y_mm),),
    )
    rest = (*(one for one in said.after.pieces if one != white), mouth)
    said = replace(said, tracks=(*said.tracks, ran), after=replace(said.after, pieces=rest))
    table.pieces = [one for one in rest if one not in (mouth,) and one.piece != "striker"]
    edges = table.edges(pocket, said.ended_ns + int(after_ms * MS))
    found = table.feed(*sorted([*edges, said], key=lambda one: one.t_ns))
    return [*found, *table.wait(4000)]


@pytest.mark.parametrize("after_ms", [200, 230])
def test_what_fell_as_the_stroke_came_to_rest_fell_in_the_stroke(after_ms):
    """It rolled on under a hand: seen in the mouth as all else lay still, and felt in the same quarter of a second."""
    said = left_in_the_mouth(after_ms)
    shot = only(said, ShotRead).shot
    assert [(one.piece, one.pocket) for one in shot.pocketed] == [("white", "NE")], "at once: no other was told before"
    assert shot.doubts == ()
    assert of(said, DropRead) == []


def test_what_fell_after_that_fell_by_itself():
    said = left_in_the_mouth(900)
    assert {one.shot.pocketed for one in of(said, ShotRead)} == {()}
    assert [one.drop.piece for one in of(said, DropRead)] == ["white"]


def test_what_was_felt_elsewhere_as_the_stroke_ended_was_not_that_piece():
    said = left_in_the_mouth(200, "SW")
    assert {one.shot.pocketed for one in of(said, ShotRead)} == {()}
    assert [one.kind for one in of(said, Mismatch)] == ["missing"]
