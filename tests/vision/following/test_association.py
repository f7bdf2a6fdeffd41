"""Who is who at a motion window's end: moved, fallen, taken, or mixed up."""

from __future__ import annotations

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import SeenPiece
from controller.events.words import Piece
from controller.vision.following.association import associate
from controller.vision.following.hands import HandTrace
from controller.vision.following.tracks import Association, Measurement, PieceTrack
from controller.vision.following.way_out import way_out

FRAME_NS = 16_666_667


def piece(kind: Piece, x: float, y: float, confidence: float = 0.98) -> SeenPiece:
    return SeenPiece(kind, x, y, 0.5, confidence)


def track(
    number: int,
    start: SeenPiece | None,
    places: list[tuple[float, float]],
    *,
    first: int = 1,
    kind: Piece | None = None,
) -> PieceTrack:
    marks = [Measurement((first + k) * FRAME_NS, x, y) for k, (x, y) in enumerate(places)]
    name = kind or (start.piece if start is not None else "unknown")
    radius = 20.65 if name == "striker" else 15.5
    return PieceTrack(number, name, radius, start, 0, marks=marks)


def line(x0: float, y0: float, x1: float, y1: float, count: int) -> list[tuple[float, float]]:
    return [(x0 + (x1 - x0) * k / (count - 1), y0 + (y1 - y0) * k / (count - 1)) for k in range(count)]


def settled(
    before: list[SeenPiece], after: list[SeenPiece], *tracks: PieceTrack, in_sight: frozenset[int] = frozenset()
) -> list[Association]:
    return associate(before, after, tracks, DEFAULT_BOARD, FRAME_NS, in_sight=in_sight)


def went(item: Association) -> tuple[str, str | None]:
    """How what an item followed to its end went, and into which pocket."""
    assert item.track is not None
    coin = item.start is not None and item.start.piece != "striker"
    return way_out(item.track.marks[-1], DEFAULT_BOARD, HandTrace(), coin=coin)


def test_a_striker_placed_anew_is_the_one_that_lay_there_though_nobody_saw_it_taken() -> None:
    stale, lay, white = piece("striker", -33, -56), piece("striker", -219, -252), piece("white", -322, 259)
    own = track(1, None, line(-221, -230, -307, 281, 36), kind="striker")
    falls = track(2, white, line(-331, 286, -348, 333, 5), first=37)
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
        track(2, lay_queen, line(92, 46, 337, 336, 19)),
    )
    gone = next(item for item in items if item.end is None)
    assert gone.piece == fell_piece


@pytest.mark.parametrize(("off_mm", "stayed"), [(0.8, True), (6.0, False)])
def test_a_piece_that_lies_where_it_lay_has_stayed_whatever_an_arm_seemed_to_do_with_it(
    off_mm: float, stayed: bool
) -> None:
    start, end = piece("white", 18, -148), piece("white", 18 + off_mm, -148)
    away = track(1, start, line(20, -154, 47, -15, 6))
    back = track(2, None, line(35, -201, 18, -149, 8), first=3)
    items = settled([start], [end], away, back)
    assert all(item.start is item.end is None for item in items) is stayed


def test_what_trembles_at_a_place_does_not_lead_to_a_pocket() -> None:
    """A coin was followed on as the rim of the striker that had met it, while it ran and fell as another."""
    start = piece("white", -113, -149)
    rim = [(-111.0, -150.0), (-101.0, -126.0), *((-100.0 + 0.01 * k, -124.0 + 0.01 * k) for k in range(20))]
    falls = track(2, None, line(-124, -115, -337, 345, 44), first=2)
    items = settled([start], [], track(1, start, rim), falls)
    (white,) = [item for item in items if item.start is start]
    assert went(white) == ("pocket", "NW")


@pytest.mark.parametrize(("lay", "its"), [((57.0, 21.0), "black"), ((-210.0, -240.0), "white")])
def test_a_lone_sighting_is_of_no_piece_that_lay_farther_off_than_one_runs_in_a_picture(
    lay: tuple[float, float], its: str
) -> None:
    """The last sighting of a black beside the pocket, where it bent, is not a white's that is gone far from there."""
    black, white = piece("black", -57, 96), piece("white", *lay)
    run = [*line(-68, 78, -300, -272, 15), (-314, -285 if its == "black" else -330)]
    items = settled([black, white], [], track(1, black, run))
    ends = {item.piece: item.track.marks[-1].at for item in items if item.track is not None and item.track.marks}
    assert (ends["black"] == run[-1]) is (its == "black")


@pytest.mark.parametrize(("sure", "doubted"), [(0.98, False), (0.8, True)])
def test_a_sure_detection_of_the_striker_holds_where_a_coin_was_followed_to(sure: float, doubted: bool) -> None:
    """They differ in size. The striker went on as the queen, and she fell as the striker; unless it is not so sure."""
    queen = piece("queen", 0, 0)
    own = track(1, None, line(-190, -227, 319, 348, 40), kind="striker")
    met = track(2, queen, line(3, 3, 40, 58, 20))
    lay = {1: piece("striker", -219, -252)}
    ends = [piece("striker", 40, 58, sure)]
    found = associate([queen], ends, [own, met], DEFAULT_BOARD, FRAME_NS, strikers=lay)
    (lies,) = [item for item in found if item.end is not None]
    assert lies.piece == ("queen" if doubted else "striker")
    assert bool(lies.odds) is doubted


def test_a_coin_that_was_lost_is_not_the_striker_that_came_unseen() -> None:
    coin, striker = piece("white", 0, 0), piece("striker", 117, 343)
    lost = track(1, coin, line(20, 0, 100, 0, 8))
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


@pytest.mark.parametrize(("sure", "named"), [(0.99, "white"), (0.6, "black")])
def test_a_detection_unlike_the_piece_that_was_followed_there_leaves_a_doubt(sure: float, named: Piece) -> None:
    start, end = piece("black", 0, 0), piece("white", 100, 0, sure)
    (item,) = settled([start], [end], track(1, start, line(10, 0, 99, 0, 8)))
    assert item.piece == named
    assert {"white", "black"} <= dict(item.odds).keys()


@pytest.mark.parametrize(("lies", "doubted"), [("queen", True), ("white", False)])
def test_where_the_queen_is_seen_to_lie_at_a_whites_end_what_fell_as_she_may_be_a_white(
    lies: Piece, doubted: bool
) -> None:
    """Two tracks were exchanged as they met: hers led into the pocket, a white's to where she was seen to lie."""
    queen, white = piece("queen", 150, -100), piece("white", -100, 100)
    gone = track(1, queen, line(160, -110, 330, -330, 20))
    stays = track(2, white, line(-105, 100, -180, 120, 8))
    items = settled([queen, white], [piece(lies, -180, 120, 0.998)], gone, stays)
    (fallen,) = [item for item in items if item.end is None]
    assert fallen.piece == "queen"
    assert (dict(fallen.odds).get("white", 0.0) > 0.05) is doubted


@pytest.mark.parametrize(("found", "doubted"), [("black", True), ("white", False)])
def test_a_piece_at_rest_that_no_track_led_to_leaves_a_doubt_about_a_track_of_its_class(
    found: Piece, doubted: bool
) -> None:
    """A white was lost in the field; what a black's track led into the pocket was it, if a black lies there now."""
    black, white = piece("black", 150, -100), piece("white", -100, 100)
    gone = track(1, black, line(160, -110, 330, -330, 20))
    lost = track(2, white, line(-90, 95, 100, 0, 20))
    found_again = track(3, None, line(-100, -300, -20, -250, 10), first=8)
    items = settled([black, white], [piece(found, -20, -250, 0.998)], gone, lost, found_again)
    (fallen,) = [item for item in items if item.start is black]
    assert fallen.piece == "black"
    assert (dict(fallen.odds).get("white", 0.0) > 0.05) is doubted


def test_how_many_there_are_of_a_class_is_not_asked_here() -> None:
    """A coin that a hand brought is what it is seen to be, though its class is complete: shots counts it."""
    whites = [piece("white", 40.0 * k - 160, -200) for k in range(9)]
    (item,) = settled(whites, [*whites, piece("white", 100, 0)])
    assert (item.piece, item.odds) == ("white", ())


def test_a_striker_first_followed_as_something_else_begins_where_it_was_placed() -> None:
    """The hand hides it as it sets out slowly: two sightings of a first track, then a second one."""
    lay, black = piece("striker", -40, -253), piece("black", 0, -31)
    first = track(1, None, [(-41, -236), (-41, -237)])
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


@pytest.mark.parametrize(("over_the_frame", "how"), [(True, "frame"), (False, "pocket")])
def test_a_striker_that_leaps_over_a_pocket_is_seen_over_the_frame(over_the_frame: bool, how: str) -> None:
    own = track(1, None, line(-34, -235, -331, 344, 22), kind="striker")
    beyond = track(2, None, [(-341, 363), (-351, 383)] if over_the_frame else [], first=23)
    found = settled([], [], own, *([beyond] if over_the_frame else []))
    (struck,) = [item for item in found if item.piece == "striker"]
    assert went(struck)[0] == how


def test_what_a_hand_does_at_the_frame_is_not_the_end_of_a_striker_that_fell() -> None:
    own = track(1, None, line(-34, -235, -331, 344, 22), kind="striker")
    aside = track(2, None, [(-250, 372), (-249, 374)], first=23)
    found = settled([], [], own, aside)
    (struck,) = [item for item in found if item.piece == "striker"]
    assert went(struck)[0] == "pocket"
