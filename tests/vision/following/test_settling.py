"""Who is who at an episode's end: moved, fallen, taken, mixed up and put right by counting."""

from __future__ import annotations

from calibration.board import DEFAULT_BOARD
from controller.events.observation import SeenPiece, Vanished
from controller.events.words import Piece
from controller.vision.following.settle import Settled, settle
from controller.vision.following.tracks import Followed, Mark

FRAME_NS = 16_666_667


def piece(kind: Piece, x: float, y: float, confidence: float = 0.98) -> SeenPiece:
    return SeenPiece(kind, x, y, 0.5, confidence)


def track(
    number: int,
    start: SeenPiece | None,
    places: list[tuple[float, float]],
    *,
    first: int = 1,
    ended: Vanished | None = None,
    kind: Piece | None = None,
) -> Followed:
    marks = [Mark((first + k) * FRAME_NS, x, y) for k, (x, y) in enumerate(places)]
    name = kind or (start.piece if start is not None else "unknown")
    radius = 20.65 if name == "striker" else 15.5
    made = Followed(number, name, radius, start, 0, marks=marks, ended=ended)
    made.life = "gone" if ended else "still"
    return made


def line(x0: float, y0: float, x1: float, y1: float, count: int) -> list[tuple[float, float]]:
    return [(x0 + (x1 - x0) * k / (count - 1), y0 + (y1 - y0) * k / (count - 1)) for k in range(count)]


def settled(
    before: list[SeenPiece], after: list[SeenPiece], *tracks: Followed, in_sight: frozenset[int] = frozenset()
) -> list[Settled]:
    return settle(before, after, tracks, DEFAULT_BOARD, FRAME_NS, in_sight=in_sight)


def fell(near: str, x: float, y: float, t_ns: int = 10 * FRAME_NS) -> Vanished:
    return Vanished(t_ns, 0, "pocket", (x, y), near)  # type: ignore[arg-type]


def test_what_lies_as_it_lay_is_left_out() -> None:
    lying = [piece("white", 0, 0), piece("black", 50, 0)]
    assert settled(lying, [piece("white", 0.3, 0), piece("black", 50, 0.2)]) == []


def test_a_track_joins_where_it_lay_and_where_it_lies() -> None:
    start, end = piece("white", 0, 0), piece("white", 100, 0)
    (item,) = settled([start], [end], track(1, start, line(20, 0, 99, 0, 8)))
    assert (item.start, item.end, item.piece) == (start, end, "white")


def test_a_piece_that_nobody_saw_move_is_still_one_piece() -> None:
    start, end = piece("black", 0, 0), piece("black", 100, 0)
    (item,) = settled([start], [end])
    assert (item.start, item.end, item.track) == (start, end, None)


def test_what_fell_is_what_is_missing() -> None:
    white, black = piece("white", 300, 300), piece("black", 0, 0)
    falls = track(1, white, line(310, 310, 340, 340, 4), ended=fell("NE", 340, 340))
    (item,) = settled([white, black], [piece("black", 0, 0)], falls)
    assert (item.piece, item.end) == ("white", None)
    assert item.confidence > 0.9


def test_classes_mixed_up_where_two_met_are_put_right_by_counting() -> None:
    white, black = piece("white", 0, 0), piece("black", 40, 0)
    # Both were followed, but from their meeting on each as the other.
    first = track(1, white, line(10, 0, 300, 300, 12), ended=fell("NE", 340, 340, 14 * FRAME_NS))
    second = track(2, black, line(50, 0, 100, -80, 12))
    items = settled([white, black], [piece("white", 100, -80)], first, second)
    fallen = [item for item in items if item.end is None]
    assert [item.piece for item in fallen] == ["black"]


def test_a_track_lost_at_a_meeting_goes_on_in_the_one_that_took_over() -> None:
    striker, white = piece("striker", 0, -250), piece("white", 0, 0)
    coming = track(1, striker, line(0, -200, 0, -40, 6), ended=Vanished(7 * FRAME_NS, 0, "unknown", (0, -40)))
    # The follower went on with the striker's run as if it were the white's, and found the white as something new.
    taken_over = track(2, white, line(2, -30, 40, 60, 8), first=7)
    new = track(3, None, line(-10, 10, -330, 330, 9), first=8, ended=fell("NW", -340, 340, 18 * FRAME_NS))
    items = settled([striker, white], [piece("striker", 40, 60)], coming, taken_over, new)
    by_start = {item.start.piece: item for item in items if item.start is not None}
    assert by_start["striker"].end == piece("striker", 40, 60)
    assert by_start["white"].end is None
    assert by_start["white"].track is not None
    assert by_start["white"].track.ended is not None
    assert by_start["white"].track.ended.near == "NW"
    assert len(items) == 2


def test_a_coin_met_head_on_ran_on_and_the_striker_stayed_though_two_sightings_span_their_meeting() -> None:
    # Both were followed on as the other; of the coin's track two sightings, one of each, lie on both sides of it.
    queen = piece("queen", 0, 0)
    gone = fell("NE", 330, 350, 47 * FRAME_NS)
    early, late = line(-190, -227, -16, -24, 18), line(23, 25, 319, 348, 28)
    own = track(1, None, early + late, ended=gone, kind="striker")
    met = track(2, queen, line(-3, -3, 40, 58, 20), first=21)
    met.marks = [Mark(18 * FRAME_NS, 13.5, 15.0), Mark(20 * FRAME_NS, -6.0, -6.2), *met.marks]
    lies = piece("striker", 40, 58)
    items = settle([queen], [lies], [own, met], DEFAULT_BOARD, FRAME_NS, strikers=frozenset({1}))
    assert {item.piece: item.end is None for item in items} == {"striker": False, "queen": True}


def test_two_possible_classes_stay_a_doubt_with_odds() -> None:
    white, black = piece("white", 100, 100), piece("black", -100, 100)
    # Two fell; nobody could follow either from where it lay, so which fell where is open.
    unknown_a = track(1, None, line(300, 300, 335, 335, 3), ended=fell("NE", 340, 340))
    unknown_b = track(2, None, line(-300, 300, -335, 335, 3), ended=fell("NW", -340, 340))
    items = settled([white, black], [], unknown_a, unknown_b)
    gone = {item.piece for item in items if item.start is not None and item.end is None}
    assert gone == {"white", "black"}


def test_a_piece_put_down_by_hand_comes_from_nowhere() -> None:
    (item,) = settled([], [piece("black", 5, 5)])
    assert (item.start, item.end) == (None, piece("black", 5, 5))


def test_a_piece_followed_into_the_last_picture_lies_there_though_the_look_missed_it() -> None:
    start = piece("white", 0, 0)
    way = track(1, start, line(20, 0, 100, 0, 8))
    (item,) = settled([start], [], way, in_sight=frozenset({1}))
    assert item.piece == "white"
    assert item.end is not None
    assert (item.end.x_mm, item.end.y_mm) == (100, 0)
    assert item.end.u95_mm > 2.0
    # What does not show there has gone.
    (item,) = settled([start], [], way)
    assert item.end is None


def test_what_was_followed_to_a_shadow_is_the_piece_that_the_look_found_elsewhere() -> None:
    start, found = piece("white", 0, 0), piece("white", -200, 50)
    (item,) = settled([start], [found], track(1, start, line(20, 0, 100, 0, 8)), in_sight=frozenset({1}))
    assert item.end == found


def test_a_coin_that_was_lost_is_not_the_striker_that_came_unseen() -> None:
    coin, striker = piece("white", 0, 0), piece("striker", 117, 343)
    lost = track(1, coin, line(20, 0, 100, 0, 8), ended=Vanished(9 * FRAME_NS, 0, "unknown", (100, 0)))
    items = settled([coin], [striker], lost)
    assert {(item.piece, item.end) for item in items} == {("white", None), ("striker", striker)}
    # Where a look is not sure, it may be.
    (item,) = settled([coin], [piece("striker", 117, 343, 0.6)], lost)
    assert item.piece == "white"
