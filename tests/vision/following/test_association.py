"""Who is who at an episode's end: moved, fallen, taken, mixed up and put right by counting."""

from __future__ import annotations

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import SeenPiece, Vanished
from controller.events.words import Piece
from controller.vision.following.association import Association, associate
from controller.vision.following.tracks import Measurement, PieceTrack

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
) -> PieceTrack:
    marks = [Measurement((first + k) * FRAME_NS, x, y) for k, (x, y) in enumerate(places)]
    name = kind or (start.piece if start is not None else "unknown")
    radius = 20.65 if name == "striker" else 15.5
    made = PieceTrack(number, name, radius, start, 0, marks=marks, ended=ended)
    made.life = "gone" if ended else "still"
    return made


def line(x0: float, y0: float, x1: float, y1: float, count: int) -> list[tuple[float, float]]:
    return [(x0 + (x1 - x0) * k / (count - 1), y0 + (y1 - y0) * k / (count - 1)) for k in range(count)]


def settled(
    before: list[SeenPiece], after: list[SeenPiece], *tracks: PieceTrack, in_sight: frozenset[int] = frozenset()
) -> list[Association]:
    return associate(before, after, tracks, DEFAULT_BOARD, FRAME_NS, in_sight=in_sight)


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


# fmt: off
HEAD_ON = {
    1: (  # the striker until the two met, then the queen
        (0, -189.5, -227.4), (1, -181.5, -213.4), (2, -172.6, -199.6), (3, -161.3, -184.3), (4, -150.4, -169.4),
        (5, -139.9, -156.5), (6, -130.8, -143.7), (7, -119.8, -130.6), (8, -109.6, -116.7), (9, -93.9, -110.2),
        (10, -85.9, -96.7), (11, -77.6, -87.1), (12, -64.8, -75.5), (13, -58, -63.6), (14, -48.8, -52.9),
        (15, -39, -41.8), (16, -30.1, -35.1), (17, -16.6, -23.7), (18, 23.2, 25.1), (19, 36.2, 39.3),
        (20, 48.9, 52.9), (21, 62, 67.2), (22, 74.4, 80.5), (23, 87.1, 94.3), (24, 99.5, 107.6), (25, 111.6, 120.7),
        (26, 123.6, 133.9), (27, 135.4, 146.8), (28, 147.1, 159.3), (29, 158.6, 171.9), (30, 170.1, 184.3),
        (31, 181.2, 196.3), (32, 192.1, 208.2), (33, 203, 219.8), (34, 213.2, 229.6), (35, 226.4, 240.4),
        (36, 236.8, 254.7), (37, 245.6, 265.8), (38, 255.3, 276.7), (39, 265.1, 287.4), (40, 274.6, 298.2),
        (41, 284.8, 308.7), (42, 294.2, 318.5), (43, 303.3, 328.3), (44, 310.1, 337.8), (45, 319, 348.2),
        (46, 333.7, 354.3),
    ),
    2: (  # a sighting of each on both sides of their meeting, then the striker
        (17, 13.6, 14.9), (19, -5.9, -6.1), (20, -3.2, -3.1), (21, -2.3, -1.1), (22, -0.4, 1.1), (23, 0.4, 2.7),
        (24, 2.4, 6.3), (25, 4.7, 8.9), (26, 5.5, 11.5), (27, 9.8, 16.6), (28, 14.2, 21.5), (29, 20.6, 26.1),
        (30, 24.4, 30.1), (31, 25, 32.6), (32, 26.4, 35), (33, 28.3, 38.1), (34, 30.1, 41.4), (35, 32.4, 43.3),
        (36, 33.7, 45.7), (37, 34.7, 47.4), (38, 35.5, 48.6), (39, 36.2, 49.6), (40, 38.1, 52), (41, 39.8, 54.1),
        (42, 41.6, 56.3), (43, 41.7, 56.6), (44, 42.2, 57.2), (45, 42.3, 58.6), (46, 42.4, 58.4), (47, 42.3, 58.5),
        (48, 42.5, 58.5), (49, 42.4, 58.5),
    ),
    3: tuple((k, 30.5, 39.5) for k in range(50, 62)),
}
# fmt: on
"""As it was followed: picture, x and y. The queen lay in the middle and fell; the third is a glint."""


def test_a_coin_met_head_on_ran_on_and_the_striker_stayed_though_two_sightings_span_their_meeting() -> None:
    queen, lies = (
        SeenPiece("queen", -0.2, 0.0, 1.0, 0.92, odds=(("queen", 0.93), ("white", 0.07))),
        piece("striker", 39.7, 54.7),
    )
    tracks = [track(number, queen if number == 2 else None, []) for number in HEAD_ON]
    for one in tracks:
        one.marks = [Measurement(k * FRAME_NS, x, y) for k, x, y in HEAD_ON[one.number]]
    tracks[0].life, tracks[0].ended = "gone", fell("NE", 333.7, 354.3, 46 * FRAME_NS)
    found = associate(
        [queen],
        [lies],
        tracks,
        DEFAULT_BOARD,
        FRAME_NS,
        strikers={1: piece("striker", -219, -252)},
        in_sight=frozenset({2, 3}),
    )
    assert {item.piece: item.end is None for item in found if item.piece != "unknown"} == {
        "striker": False,
        "queen": True,
    }


def test_a_coin_that_was_followed_from_the_base_line_begins_where_it_lay() -> None:
    """The striker was taken up as the white that it met, and itself only after their meeting."""
    white, lay = piece("white", -150, -32), piece("striker", -23, -253)
    meets, rests = (-150.0, -36.0), (-169, -17)
    taken_up = track(1, None, line(-34, -235, *meets, 19) + line(-163, -3, -330, 333, 38), ended=fell("NW", -336, 340))
    coin = track(2, white, [(-151, -18), (-166, -8)], first=18)
    own = track(3, None, line(-137, -69, -168, -30, 11) + [(-168, -26)] * 20, first=20)
    found = associate(
        [white], [piece("striker", *rests)], [taken_up, coin, own], DEFAULT_BOARD, FRAME_NS, strikers={3: lay}
    )
    (fallen,) = [item for item in found if item.piece == "white"]
    (struck,) = [item for item in found if item.piece == "striker"]
    assert fallen.end is None
    assert fallen.track is not None
    assert struck.track is not None
    assert min(mark.t_ns for mark in struck.track.marks) == FRAME_NS
    assert min(mark.t_ns for mark in fallen.track.marks) >= 17 * FRAME_NS


def test_a_striker_placed_anew_is_the_one_that_lay_there_though_nobody_saw_it_taken() -> None:
    stale, lay, white = piece("striker", -33, -56), piece("striker", -219, -252), piece("white", -322, 259)
    own = track(1, None, line(-221, -230, -307, 281, 36), kind="striker")
    falls = track(2, white, line(-331, 286, -348, 333, 5), first=37, ended=fell("NW", -348, 333))
    found = associate(
        [stale, white], [piece("striker", -307, 281)], [own, falls], DEFAULT_BOARD, FRAME_NS, strikers={1: lay}
    )
    assert {(item.piece, item.end is None) for item in found} == {("striker", False), ("white", True)}
    (struck,) = [item for item in found if item.piece == "striker"]
    assert struck.start is None
    assert struck.track is not None
    assert struck.track.number == 1


@pytest.mark.parametrize(("white", "fell_piece"), [(0.52, "white"), (0.999, "queen")])
def test_a_way_from_where_the_other_lay_counts_where_the_look_could_not_tell_the_two(
    white: float, fell_piece: str
) -> None:
    lay_white, lay_queen = piece("white", 75, 15), piece("queen", 24, 42)
    odds = (("white", white), ("queen", 1.0 - white)) if white < 0.95 else ()
    end = SeenPiece("white", -17.0, 88.0, 0.5, confidence=white, odds=odds)
    items = settled(
        [lay_white, lay_queen],
        [end],
        track(1, lay_white, line(11, 57, -17, 88, 14)),
        track(2, lay_queen, line(92, 46, 337, 336, 19), ended=fell("NE", 337, 336, 19 * FRAME_NS)),
    )
    gone = next(item for item in items if item.end is None)
    assert gone.piece == fell_piece


@pytest.mark.parametrize(("off_mm", "stayed"), [(0.8, True), (6.0, False)])
def test_a_piece_that_lies_where_it_lay_has_stayed_whatever_an_arm_seemed_to_do_with_it(
    off_mm: float, stayed: bool
) -> None:
    start, end = piece("white", 18, -148), piece("white", 18 + off_mm, -148)
    away = track(1, start, line(20, -154, 47, -15, 6), ended=Vanished(6 * FRAME_NS, 0, "hand", (47.0, -15.0)))
    back = track(2, None, line(35, -201, 18, -149, 8), first=3)
    items = settled([start], [end], away, back)
    assert (items == []) is stayed


def test_what_trembles_at_a_place_does_not_lead_to_a_pocket() -> None:
    """A coin was followed on as the rim of the striker that had met it, while it ran and fell as another."""
    start = piece("white", -113, -149)
    rim = [(-111.0, -150.0), (-101.0, -126.0), *((-100.0 + 0.01 * k, -124.0 + 0.01 * k) for k in range(20))]
    falls = track(2, None, line(-124, -115, -337, 345, 44), first=2, ended=fell("NW", -337, 345, 46 * FRAME_NS))
    items = settled([start], [], track(1, start, rim), falls)
    (white,) = [item for item in items if item.start is start]
    assert white.track is not None
    assert white.track.ended is not None
    assert white.track.ended.near == "NW"


def test_what_fell_out_of_nowhere_is_the_coin_that_seems_to_be_in_sight_but_no_look_finds() -> None:
    white = piece("white", 178, 13)
    shadow = track(2, white, [(189, 27)] + [(193, 25)] * 12, first=42)
    falls = track(3, None, line(199, 53, 335, 320, 24), first=18, ended=fell("NE", 342, 338))
    own = track(1, None, line(87, -223, 179, 54, 30), kind="striker")
    found = associate(
        [white], [piece("striker", 179, 54)], [own, shadow, falls], DEFAULT_BOARD, FRAME_NS,
        strikers={1: piece("striker", 82, -240)}, in_sight=frozenset({2}),
    )  # fmt: skip
    (item,) = [one for one in found if one.start is white]
    assert item.end is None
    assert item.track is not None
    assert item.track.ended is not None
    assert item.track.ended.near == "NE"
    assert [one.end.piece for one in found if one.end] == ["striker"]


def zigzag(number: int, start: SeenPiece) -> PieceTrack:
    """A way in so many parts that none is exchanged, as at a break; it ends 40 mm north of where it began."""
    return track(number, start, [(start.x_mm + 40 * (k // 2 % 2), start.y_mm + 40 * (k // 3 % 2)) for k in range(200)])


def test_a_queen_that_was_missed_before_is_not_a_tenth_white() -> None:
    whites = [piece("white", -320 + 60 * k, 100) for k in range(9)]
    blacks = [piece("black", -320 + 60 * k, -100) for k in range(9)]
    # At the break she was followed from where a white had lain beside her, and that white from nowhere.
    queen, white, shaken = piece("queen", -320, 200, 0.9), piece("white", -200, 0), piece("black", -320, -60)
    ways = [
        track(1, whites[0], line(-320, 105, -320, 199, 12)),
        track(2, None, line(-320, 90, -200, 1, 12)),
        zigzag(3, blacks[0]),
    ]
    found = settled([*whites, *blacks], [queen, white, shaken, *whites[1:], *blacks[1:]], *ways)
    assert {item.end.y_mm: item.piece for item in found if item.end} == {200: "queen", 0: "white", -60: "black"}


def test_a_look_that_says_striker_where_the_queen_was_followed_to_leaves_a_doubt() -> None:
    """As at a break: too many ways to exchange any. The striker may have gone on as the queen, and she have fallen."""
    queen, white = piece("queen", 0, 0), piece("white", -200, 0)
    own = track(1, None, line(-190, -227, 319, 348, 40), ended=fell("NE", 330, 350, 42 * FRAME_NS), kind="striker")
    met = track(2, queen, line(3, 3, 40, 58, 20))
    ends = [piece("striker", 40, 58), piece("white", -200, 40)]
    found = associate(
        [queen, white],
        ends,
        [own, met, zigzag(3, white)],
        DEFAULT_BOARD,
        FRAME_NS,
        strikers={1: piece("striker", -219, -252)},
    )
    (lies,) = [item for item in found if item.end is not None and item.end.x_mm == 40]
    odds = dict(lies.odds)
    assert min(odds["striker"], odds["queen"]) > 0.1
    (other,) = [item for item in found if item.end is None]
    assert dict(other.odds)["queen"] == pytest.approx(odds["striker"], abs=0.05)
    (apart,) = [item for item in found if item.start is white]
    assert (apart.piece, apart.odds) == ("white", ())


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


@pytest.mark.parametrize("first_made", [1, 2])
def test_a_tie_is_settled_by_the_order_of_the_tracks_and_not_by_where_they_lie_in_memory(first_made: int) -> None:
    """Two ways end equally far from the one piece found: whichever object was made first, the same one joins."""
    end = piece("white", 100, 0)
    for _ in range(20):
        made = {}
        for number in (first_made, 3 - first_made):
            y = 10.0 if number == 1 else -10.0
            made[number] = track(number, piece("white", 0, 8 * y), line(10, 7 * y, 100, y, 8))
        items = settled([made[1].start, made[2].start], [end], made[1], made[2])  # type: ignore[list-item]
        assert [item.track.number for item in items if item.end is end and item.track is not None] == [1]


@pytest.mark.parametrize(("sure", "told", "doubted"), [(0.99, "white", True), (0.6, "black", False)])
def test_counting_never_outvotes_the_surest_look_at_a_piece_at_rest(sure: float, told: Piece, doubted: bool) -> None:
    """One black ran; nine whites lie there untouched. A clear look at where it ends says white: that is asked."""
    whites = [piece("white", 40.0 * k - 160, -200) for k in range(9)]
    start, end = piece("black", 0, 0), piece("white", 100, 0, sure)
    (item,) = settled([*whites, start], [*whites, end], track(1, start, line(10, 0, 99, 0, 8)))
    assert item.piece == told
    assert ("black" in dict(item.odds)) == doubted


def test_a_way_that_broke_off_for_a_second_is_one_way_from_where_the_piece_was_met() -> None:
    """It stood on its edge, and was followed again for longer: what met it at first is not forgotten."""
    start, end = piece("black", 0, 0), piece("black", 250, 250)
    first = track(1, start, line(20, 0, 150, 0, 6), ended=Vanished(7 * FRAME_NS, 0, "unknown", (150, 0)))
    back = track(2, None, line(155, 5, 251, 251, 12), first=60, kind="black")
    (item,) = settled([start], [end], first, back)
    assert (item.start, item.end) == (start, end)
    assert item.track is not None
    assert item.track.start is start
    assert [mark.t_ns for mark in item.track.marks] == [mark.t_ns for mark in (*first.marks, *back.marks)]


def test_a_striker_lost_under_the_hand_and_found_again_is_one_track() -> None:
    lay, end = piece("striker", 0, -240), piece("striker", 0, 160)
    hidden = Vanished(4 * FRAME_NS, FRAME_NS, "hand", (0, -220))
    early = track(1, None, line(0, -232, 0, -220, 3), kind="striker", ended=hidden)
    later = track(2, None, line(0, -180, 0, 150, 12), first=7, kind="striker")
    items = associate([], [end], [early, later], DEFAULT_BOARD, FRAME_NS, {1: lay})
    (item,) = [one for one in items if one.end is not None]
    assert item.track is not None
    assert (item.track.marks[0].y_mm, item.track.marks[-1].y_mm, item.piece) == (-232, 150, "striker")


def test_a_second_track_on_one_piece_takes_nobodys_place() -> None:
    """A coin stops against another, and where that one went to rest a track begins out of nowhere."""
    came, lay = piece("black", -66, 313), piece("black", -165, 264)
    ran = track(1, came, line(-65, 328, -134, 288, 38))
    pushed = track(2, lay, line(-166, 264, -154, 274, 6), first=30)
    second = track(3, None, [(-176, 257)] * 6, first=36)
    items = settled([came, lay], [piece("black", -141, 283), piece("black", -173, 258)], ran, pushed, second)
    ends = {item.start.x_mm: item.end for item in items if item.start is not None}
    assert {start: end and end.x_mm for start, end in ends.items()} == {-66: -141, -165: -173}


def test_a_striker_first_followed_as_something_else_begins_where_it_was_placed() -> None:
    """The hand hides it as it sets out slowly: two sightings of a first track, then a second one."""
    lay, black = piece("striker", -40, -253), piece("black", 0, -31)
    first = track(1, None, [(-41, -236), (-41, -237)], ended=Vanished(3 * FRAME_NS, 0, "hand", (-41, -237)))
    then = track(2, None, line(-26, -154, -28, -72, 12), first=13)
    found = associate(
        [black],
        [piece("striker", -29, -70), piece("black", 3, -28)],
        [first, then],
        DEFAULT_BOARD,
        FRAME_NS,
        strikers={2: lay},
    )
    (struck,) = [item for item in found if item.piece == "striker"]
    assert struck.end is not None
    assert struck.track is not None
    assert (struck.track.number, struck.track.marks[0].t_ns) == (2, FRAME_NS)
    assert [item.track for item in found if item.start is black] == [None]
