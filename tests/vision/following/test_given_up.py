"""A piece that one look found and no other finds: it stays while the picture shows it, and else it was never there."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, SeenPiece
from controller.vision.finding.find import Finding
from controller.vision.following.detection_request import DetectionRequest, Detector, Pending
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import Follower
from controller.vision.following.hands import Hands
from controller.vision.following.motion import Rests
from controller.vision.following.rest_state import RestState
from controller.vision.following.tracks import Life, Measurement, PieceTrack
from controller.vision.following.view import Picture, View, view_for
from controller.vision.sources.frame import Frame, Image
from tests.posed import model_from_pose

LENS = np.array(((900.0, 0.0, 640.0), (0.0, 900.0, 360.0), (0.0, 0.0, 1.0)))
MODEL = model_from_pose(LENS, np.zeros(5), np.zeros(3), np.array((0.0, 0.0, 1150.0)), (1280, 720))
PLAIN = np.full((720, 1280), 150, np.uint8)
RADIUS_MM = DEFAULT_BOARD.coin_diameter_mm / 2.0
AT = (120.0, -80.0)
NO_LOOK = at_once(lambda *_: Finding(()))


def spotted(view: View, small: Image, at: tuple[float, float], share: float) -> Image:
    """A small picture in which about this share of a coin's face at a place is darker than the board."""
    dark = small.copy()
    u, v = view.px(*at)
    radius = view.radius_px(RADIUS_MM) * share**0.5
    cv2.circle(dark, (round(16 * round(u)), round(16 * round(v))), round(16 * radius), 90, -1, cv2.LINE_8, 4)
    return dark


class MisreadBoard:
    """A board of which one look said that a white lies at `at`, where the picture shows `share` of a coin."""

    def __init__(self, share: float, at: tuple[float, float] = AT, *, shown: bool = True, open_before: bool = True):
        self.view = view_for(MODEL, DEFAULT_BOARD)
        self.bare = self.view.shrink(Frame(0, luma=PLAIN))
        self.standing = RestState(
            Eyes(MODEL, NO_LOOK, empty=PLAIN if shown else None, board=DEFAULT_BOARD), self.view, self.bare
        )
        self.none = self.standing.hands.none
        if open_before:
            self.standing.take(Finding(()), self.asked(self.bare, self.none), self.view.model)
        self.picture = spotted(self.view, self.bare, at, share)
        self.white = SeenPiece("white", *at, 0.6)
        self.standing.take(Finding((self.white,)), self.asked(self.picture, self.none), self.view.model)

    def asked(self, small: Image, hands: Hands) -> Pending:
        frame = Frame(0, luma=PLAIN)
        question = DetectionRequest(Detector(Eyes(MODEL, NO_LOOK, board=DEFAULT_BOARD)), frame)
        change = self.standing.change(small, hands)
        return Pending(question, False, Picture(frame, small, None), hands, 0, change)

    def stays(self, *found: SeenPiece, hands: Hands | None = None) -> bool:
        """Whether it is still told after another look at the same picture that finds only these."""
        asked = self.asked(self.picture, hands or self.none)
        return bool(self.standing.kept(Finding(found), asked).pieces)


def hand_over(told: MisreadBoard) -> Hands:
    mask = told.none.mask.copy()
    u, v = (round(part) for part in told.view.px(AT[0] + RADIUS_MM, AT[1]))
    cv2.circle(mask, (u, v), 3, 255, -1)
    return Hands(mask, (np.array([[u, v], [u + 1, v], [u, v + 1]]),))


@pytest.mark.parametrize(("share", "stays"), [(0.05, False), (0.3, True), (1.0, True)])
def test_what_a_look_misses_stays_only_where_the_picture_shows_something(share: float, stays: bool) -> None:
    assert MisreadBoard(share).stays() is stays


def test_what_a_look_finds_again_stays_however_faint() -> None:
    told = MisreadBoard(0.05)
    assert told.stays(told.white)


def test_under_a_hand_nothing_is_given_up() -> None:
    told = MisreadBoard(0.05)
    assert told.stays(hands=hand_over(told))


@pytest.mark.parametrize(("shown", "open_before"), [(False, True), (True, False)], ids=["no bare board", "never open"])
def test_nor_where_nobody_knows_how_the_bare_board_looks(shown: bool, open_before: bool) -> None:
    assert MisreadBoard(0.05, shown=shown, open_before=open_before).stays()


def test_nor_on_the_middle_whose_paint_looks_like_the_queen() -> None:
    assert MisreadBoard(0.05, (0.0, 0.0)).stays()


@pytest.mark.parametrize(("share", "there"), [(0.05, False), (0.3, True)])
def test_what_was_followed_to_where_the_board_looks_bare_did_not_stop_there(share: float, there: bool) -> None:
    told = MisreadBoard(share)
    told.standing.tracker.resting.append(Rests(told.white, RADIUS_MM, 7))
    assert (7 in told.standing.ended_in_sight(told.picture, 0, ())) is there


def test_nor_where_all_that_shows_is_part_of_another_that_was_found_there() -> None:
    told = MisreadBoard(1.0)
    beside = SeenPiece("black", AT[0] - 4.0, AT[1] + 26.0, 0.6)
    told.standing.tracker.resting.append(Rests(beside, RADIUS_MM, 7))
    assert 7 in told.standing.ended_in_sight(told.picture, 0, ())
    assert 7 not in told.standing.ended_in_sight(told.picture, 0, (told.white,))


# -- pieces that hardly show: black on a dark board

ELSEWHERE = (-150.0, 60.0)


def found_where_nothing_shows(told: MisreadBoard, piece: SeenPiece) -> bool:
    """Whether a look's word for a piece counts where the picture shows the bare board."""
    return piece in told.standing.kept(Finding((piece,)), told.asked(told.picture, told.none)).pieces


@pytest.mark.parametrize(("share", "looked_at"), [(0.05, True), (0.4, False)], ids=["hardly shows", "shows"])
def test_of_a_piece_that_hardly_shows_it_is_not_believed_that_nobody_touched_it(share: float, looked_at: bool) -> None:
    told = MisreadBoard(share)
    change = told.standing.change(told.picture, told.none)
    assert (told.white in change.untouched) is not looked_at
    assert change.strange is looked_at
    assert change.roi is None
    under = told.standing.change(told.picture, hand_over(told))
    assert told.white in under.untouched


@pytest.mark.parametrize(
    ("share", "kind", "sure", "believed"),
    [
        (0.05, "white", 0.999, True),
        (0.4, "white", 0.999, False),
        (0.05, "black", 0.999, False),
        (0.05, "white", 0.9, False),
    ],
    ids=["one of its kind hardly showed", "its kind shows", "another kind", "not sure"],
)
def test_a_sure_look_is_believed_of_a_kind_that_was_seen_to_hardly_show(share, kind, sure, believed) -> None:
    seen = SeenPiece(kind, *ELSEWHERE, 0.5, sure)
    assert found_where_nothing_shows(MisreadBoard(share), seen) is believed


@pytest.mark.parametrize(
    ("brighter", "hand", "strange"),
    [(6, False, True), (2, False, False), (6, True, False)],
    ids=["a little", "no more than noise", "under a hand"],
)
def test_a_piece_of_the_board_s_own_brightness_is_looked_at_though_the_picture_flickers(
    brighter, hand, strange
) -> None:
    told = MisreadBoard(1.0)
    told.standing.take(Finding(()), told.asked(told.bare, told.none), told.view.model)
    for _ in range(3):
        told.standing.background.watch(told.bare, np.full_like(told.bare, 3), whole=True)
    lies = told.bare.copy()
    u, v = told.view.px(*AT)
    cv2.circle(lies, (round(u), round(v)), round(told.view.radius_px(RADIUS_MM)), 150 + brighter, -1)
    change = told.standing.change(lies, hand_over_all(told) if hand else told.none)
    assert change.strange is strange
    if strange:
        assert change.roi is not None
        west, south, east, north = change.roi
        assert west < AT[0] < east
        assert south < AT[1] < north


def hand_over_all(told: MisreadBoard) -> Hands:
    mask = told.none.mask.copy()
    u, v = (round(part) for part in told.view.px(*AT))
    cv2.circle(mask, (u, v), round(told.view.radius_px(2 * RADIUS_MM)), 255, -1)
    return Hands(mask, (np.array([[u, v], [u + 1, v], [u, v + 1]]),))


# -- what goes unseen


@pytest.mark.parametrize(
    ("goes", "hand", "seen_gone"),
    [(True, False, True), (False, False, False), (True, True, False)],
    ids=["gone", "it lies there", "a hand over it"],
)
def test_what_shows_no_more_is_looked_at_however_little_its_going_changed(goes, hand, seen_gone) -> None:
    told = MisreadBoard(1.0)
    faint = told.bare.copy()
    u, v = told.view.px(*AT)
    cv2.circle(faint, (round(u), round(v)), round(told.view.radius_px(RADIUS_MM)), 158, -1)
    told.standing.take(Finding(()), told.asked(told.bare, told.none), told.view.model)
    told.standing.take(Finding((told.white,)), told.asked(faint, told.none), told.view.model)
    told.standing.background.watch(faint, np.full_like(faint, 4), whole=True)
    now, hands = told.bare if goes else faint, hand_over_all(told) if hand else told.none
    change = told.standing.change(now, hands)
    assert told.standing.uncovered(now, hands) is seen_gone
    assert (told.white not in change.untouched) is seen_gone
    assert change.strange is seen_gone


def brighter(by: int) -> Image:
    """A plain board with a coin brighter than the board by so much."""
    picture = PLAIN.copy()
    u, v = (round(part) for part in MODEL.project(np.array([[*AT, 8.0]]))[0])
    cv2.circle(picture, (u, v), 12, 150 + by, -1)
    return picture


def flickering(picture: Image, count: int) -> list[Image]:
    """A picture in a light that changes in blotches by no more than 3."""
    rng = np.random.default_rng(7)
    blotches = (np.kron(rng.integers(-3, 4, (45, 80)), np.ones((16, 16))) for _ in range(count))
    return [(picture + blotch).astype(np.uint8) for blotch in blotches]


def with_arm(picture: Image) -> Image:
    arm = picture.copy()
    arm[-150:, 560:660] = 40
    return arm


@pytest.mark.parametrize("goes", [True, False])
def test_a_piece_whose_going_is_no_more_than_what_flickers_is_missed_soon(goes: bool) -> None:
    """A hand brings a piece hardly brighter than the board, the light flickers, and a hand takes it or does not."""
    there = brighter(6)
    left = PLAIN if goes else there
    arms = [with_arm(picture) for picture in (PLAIN, there, left)]
    before = [PLAIN] * 20 + [arms[0]] * 5 + [arms[1]] * 5 + [there] * 10 + flickering(there, 120)
    pictures = before + [arms[1]] * 3 + [arms[2]] * 3 + [left] * 30
    lies = range(25, len(before) + 3) if goes else range(25, len(pictures))
    number = 0

    def look(*_: object) -> Finding:
        return Finding((SeenPiece("white", *AT, 0.6),) if number in lies else ())

    follower = Follower(Eyes(MODEL, at_once(look), empty=PLAIN, board=DEFAULT_BOARD))
    boards = {}
    for number, luma in enumerate(pictures):
        said = follower.step(Frame(number * 33_000_000, luma=luma))
        for one in said:
            if isinstance(one, BoardSeen):
                boards[number] = bool(one.pieces)
    assert boards[max(number for number in boards if number < len(before))]
    assert boards[max(boards)] is not goes


def lost(*places: tuple[float, float], by_hand: bool = False, known: bool = True, life: Life = "gone") -> PieceTrack:
    """A white that was followed so far; `known`: it had lain on the board."""
    marks = [Measurement(k * 33_000_000, *place, by_hand) for k, place in enumerate(places)]
    start = SeenPiece("white", -196.0, 181.0, 0.5) if known else None
    return PieceTrack(3, "white", RADIUS_MM, start, 0, marks=marks, life=life)


@pytest.mark.parametrize(
    ("track", "anywhere"),
    [
        pytest.param(lost((-273.0, 233.0), (-298.0, 250.0), (-320.0, 264.0)), True, id="on its way, slowly"),
        pytest.param(lost((-160.0, 160.0), (-285.0, 285.0)), False, id="a picture before the pocket"),
        pytest.param(lost((-300.0, 310.0), (-325.0, 330.0)), False, id="at the pocket"),
        pytest.param(lost((0.0, 0.0), (10.0, 5.0)), True, id="out on the board"),
        pytest.param(lost((0.0, 0.0), (10.0, 5.0), by_hand=True), False, id="under a hand"),
        pytest.param(lost((0.0, 0.0), (10.0, 5.0), known=False), False, id="a shadow"),
        pytest.param(lost((0.0, 0.0), (10.0, 5.0), life="still"), False, id="lies there"),
    ],
)
def test_all_of_the_board_is_looked_at_for_what_was_lost_on_its_way(track: PieceTrack, anywhere: bool) -> None:
    told = MisreadBoard(1.0)
    told.standing.tracker.tracks.append(track)
    change = told.standing.change(told.picture, told.none)
    assert change.strange is anywhere
    assert change.roi is None


def test_what_lay_under_a_hand_at_the_last_rest_is_searched_once_the_hand_has_gone() -> None:
    """Nobody saw it there since: it set off under the hand, and the scene was learnt without it."""
    told = MisreadBoard(1.0, shown=False)
    hand = hand_over(told)
    whole = Hands(cv2.dilate(hand.mask, np.ones((25, 25), np.uint8)), hand.outlines)
    told.standing.take(Finding((told.white,)), told.asked(told.picture, whole), told.view.model)
    told.standing.background.rest(told.bare, told.none.mask)
    assert not told.standing.change(told.bare, whole).strange, "as long as the hand lies there nothing is to be seen"
    asked = told.asked(told.bare, told.none)
    assert asked.change is not None
    assert asked.change.strange
    assert told.standing.kept(Finding(()), asked).pieces == ()
