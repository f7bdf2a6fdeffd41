"""Finding pieces on simulated tables: a whole calibration from pictures, then boards with known truth.

The simulator draws with its own lens and its own light; only the board's millimetres are shared.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.pose import moved_mm
from calibration.target import Target, fit_lens
from controller.events.errors import ConfigError
from controller.simulator.camera import Camera, Frame
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.pieces import STRIKER
from controller.simulator.stills import charuco_view, random_position, still
from controller.vision.calibration_inputs import Inputs
from controller.vision.elsewhere import elsewhere
from controller.vision.finding import Finding, candidates, find
from controller.vision.finding.nets import Answers, Places, fingerprint
from controller.vision.guided_calibration import calibrate
from controller.vision.learning.opening import learn
from controller.vision.learning.own_names import own_names
from controller.vision.naming_head import Head
from controller.vision.pictures_checked import check_empty, check_rack
from controller.vision.posing import RefusedError
from controller.vision.setting_up import inputs_from
from tests.vision.finding.tables import Table, table_of

pytestmark = pytest.mark.slow


def grey(picture: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


@pytest.fixture(scope="module")
def table() -> Table:
    return table_of("fast")


def matched(found: Finding, frame: Frame) -> tuple[int, int, list[float]]:
    """Right ones (place and class), false ones, and the errors of the places in mm."""
    left = list(found.pieces)
    errors, right = [], 0
    for true in frame.pieces:
        best = min(left, key=lambda p: np.hypot(p.x_mm - true.x_mm, p.y_mm - true.y_mm), default=None)
        if best and np.hypot(best.x_mm - true.x_mm, best.y_mm - true.y_mm) < 6.0:
            left.remove(best)
            errors.append(float(np.hypot(best.x_mm - true.x_mm, best.y_mm - true.y_mm)))
            right += best.piece == true.piece
    return right, len(left), errors


@pytest.mark.parametrize("z_mm", [0.0, 8.0, 40.0])
def test_the_calibrated_camera_is_the_one_that_took_the_pictures(table: Table, z_mm: float) -> None:
    grid = np.stack(np.meshgrid(np.linspace(-340, 340, 5), np.linspace(-340, 340, 5)), -1).reshape(-1, 2)
    px = table.pictures.view.project(np.concatenate((grid, np.full((len(grid), 1), z_mm)), 1))
    off = np.hypot(*(table.calibration.model.to_plane(px, z_mm) - grid).T)
    assert off.mean() < 0.1 + 0.005 * z_mm
    assert off.max() < 0.2 + 0.01 * z_mm


def test_the_opening_teaches_size_and_classes(table: Table) -> None:
    looks = table.calibration.looks
    assert looks.known
    assert looks.coin_diameter_mm == pytest.approx(31.0, abs=0.4)
    level = {kind: np.mean(look.mean) for kind, look in looks.tones.items()}
    assert level["black"] < level["queen"] < level["white"]


def test_nineteen_pieces_of_the_opening_are_found_and_named(table: Table) -> None:
    found = table.find(table.pictures.opening)
    assert Counter(p.piece for p in found.pieces) == {"white": 9, "black": 9, "queen": 1}


def test_an_empty_board_shows_no_piece(table: Table) -> None:
    found = table.find(still(table.camera, {}).picture)
    assert found.pieces == ()
    assert found.hands == ()


def held(tilts_deg: tuple[float, ...], look: str = "fast") -> list[np.ndarray]:
    """Lens pictures of the target, tilted by so much in each."""
    rng = np.random.default_rng(4)
    return [grey(charuco_view(LOOKS[look], rng, tilt_deg=tilt)) for tilt in tilts_deg]


def test_lens_pictures_that_leave_the_focal_length_open_are_refused(table: Table) -> None:
    inputs = Inputs(lens=held((0.0,) * 5), empty=table.pictures.empty, board=DEFAULT_BOARD)
    with pytest.raises(ConfigError, match=r"focal length open.*Fix: a few pictures more with the target tilted"):
        calibrate(inputs)


def test_lens_pictures_of_two_sizes_are_refused_by_their_sizes(table: Table) -> None:
    """As where the EXIF orientation of some says that they were turned: the target is there, none is to be printed."""
    lens = [np.rot90(p) if n % 2 else p for n, p in enumerate(held((20.0,) * 4))]
    height, width = lens[0].shape
    sizes = f"differ in size.*2 of {width}×{height}.*2 of {height}×{width}.*Fix"
    with pytest.raises(ConfigError, match=sizes) as said:
        calibrate(Inputs(lens=lens, empty=table.pictures.empty, board=DEFAULT_BOARD))
    assert "print" not in str(said.value)


@pytest.mark.long
@pytest.mark.parametrize(("tilts_deg", "times"), [((10.0,) * 6, 1), ((20.0,) * 4, 2)], ids=["nearly level", "twice"])
def test_a_target_nearly_level_and_good_pictures_shown_twice_are_taken(
    table: Table, tilts_deg: tuple[float, ...], times: int
) -> None:
    inputs = Inputs(lens=held(tilts_deg) * times, empty=table.pictures.empty, board=DEFAULT_BOARD)
    made = calibrate(inputs)
    assert not any("focal length" in line or "this camera" in line for line in made.says)
    assert made.calibration.model.centre_mm[2] == pytest.approx(table.calibration.model.centre_mm[2], rel=0.05)


@pytest.mark.long
def test_a_lens_of_another_camera_is_said_and_calls_no_line(table: Table) -> None:
    lens = fit_lens([grey(p) for p in table.pictures.lens], Target())
    other = replace(lens, dist=lens.dist + np.array((0.12, -0.05, 0.0, 0.0, 0.0)), covariance=lens.covariance)
    inputs = Inputs(known_lens=other, empty=table.pictures.empty, opening=table.pictures.opening, board=DEFAULT_BOARD)
    made = calibrate(inputs)
    assert any("hardly of this camera" in line for line in made.says)
    assert made.calibration.grade == "basic"
    assert not any("this camera" in line for line in table.made.says)


@pytest.mark.long
@pytest.mark.parametrize(
    ("nets", "last", "told"),
    [
        (fingerprint(), (0.0, 0.0, 0.0, 0.0), ""),
        ("others", (0.0, 0.0, 0.0, 0.0), "own names were learnt with other nets than these and are left out"),
        (fingerprint(), (0.0, 0.0, 50.0, 0.0), r"own names tell \d of the opening's nineteen .* and are left out"),
    ],
    ids=["these nets", "other nets", "worse than none"],
)
def test_set_up_anew_a_table_keeps_its_own_names_only_where_they_still_hold(
    table: Table, nets: str, last: tuple[float, ...], told: str
) -> None:
    weights = np.concatenate((np.zeros((4, 4)), [last]))
    head = Head(nets, np.zeros(4), np.ones(4), weights, 1.0, np.ones(4, dtype=np.bool_))
    earlier = replace(table.calibration, looks=replace(table.calibration.looks, head=head))
    inputs = replace(
        inputs_from(earlier, DEFAULT_BOARD, "bottom"), empty=table.pictures.empty, opening=table.pictures.opening
    )
    made = calibrate(inputs)
    assert (made.calibration.looks.head is head) == (not told)
    said = [line for line in made.says if "own names" in line]
    assert [bool(told and re.search(told, line)) for line in said] == [True] * bool(told)


@pytest.mark.parametrize("away_mm", [17.0, 18.1, 21.0])
def test_a_piece_at_rest_on_a_pockets_rim_is_found(table: Table, away_mm: float) -> None:
    """A coin bridges the hole down to 15.96 mm from the pocket's centre, a striker further."""
    pieces, centre = table.camera.look.pieces, DEFAULT_BOARD.pocket_centre_mm
    coin = next(name for name in pieces.names if pieces.piece(name) == "white")
    along = centre - away_mm / np.sqrt(2.0)
    for name, sides in ((coin, ((1, 1), (1, -1))), (STRIKER, ((-1, 1), (-1, -1)))):
        for x, y in sides:
            lies = Pose(x * along, y * along, 0.0, 0.0)
            found = table.find(still(table.camera, {name: lies}).picture).pieces
            assert [(one.piece, one.in_mouth is not None) for one in found] == [(pieces.piece(name), True)]
            assert np.hypot(found[0].x_mm - lies.x_mm, found[0].y_mm - lies.y_mm) < 2.5


def test_no_coin_lies_where_it_would_tip_into_the_pocket(table: Table) -> None:
    pieces = table.camera.look.pieces
    coin = next(name for name in pieces.names if pieces.piece(name) == "white")
    at = DEFAULT_BOARD.pocket_centre_mm - 12.0 / np.sqrt(2.0)
    assert table.find(still(table.camera, {coin: Pose(at, at, 0.0, 0.0)}).picture).pieces == ()


def test_random_boards_are_found_right(table: Table) -> None:
    rng = np.random.default_rng(11)
    total, right, false, errors = 0, 0, 0, []
    for seat in (None, "south", "east"):
        frame = still(table.camera, random_position(rng, table.camera.look.pieces, striker=seat))
        good, extra, off = matched(table.find(frame.picture), frame)
        total, right, false = total + len(frame.pieces), right + good, false + extra
        errors += off
    assert right >= 0.93 * total
    assert false <= 1
    assert np.mean(errors) < 0.8


def test_an_error_is_stated_and_holds_most_truths(table: Table) -> None:
    rng = np.random.default_rng(12)
    frame = still(table.camera, random_position(rng, table.camera.look.pieces, coins=16))
    found = table.find(frame.picture)
    inside = [min(np.hypot(p.x_mm - t.x_mm, p.y_mm - t.y_mm) for t in frame.pieces) < p.u95_mm for p in found.pieces]
    assert np.mean(inside) > 0.75
    assert all(0.2 < p.u95_mm < 4.0 for p in found.pieces)


def test_the_stated_error_of_a_placed_striker_holds_the_truth(table: Table) -> None:
    """Base lines are called by it: stated too small it makes false fouls, too large it calls nothing."""
    rng = np.random.default_rng(14)
    off, stated = [], []
    for seat in ("south", "east", "north", "west") * 3:
        frame = still(table.camera, random_position(rng, table.camera.look.pieces, coins=6, striker=seat))
        (true,) = [piece for piece in frame.pieces if piece.piece == "striker"]
        (seen,) = [piece for piece in table.find(frame.picture).pieces if piece.piece == "striker"]
        off.append(np.hypot(seen.x_mm - true.x_mm, seen.y_mm - true.y_mm))
        stated.append(seen.u95_mm)
    assert np.mean(np.less(off, stated)) > 0.9
    assert np.median(stated) < 0.7
    assert min(stated) > 0.46, "what camera model and thickness leave open is part of it, however sure the look"


@pytest.mark.parametrize(("none", "believed"), [(0.01, True), (0.3, False)])
def test_where_one_net_rather_sees_nothing_the_other_has_to_be_sure(
    table: Table, monkeypatch: pytest.MonkeyPatch, none: float, believed: bool
) -> None:
    """Both say so of every piece here: one that it lies about at the edge of what shows, the other how surely.

    The third net, which needs known tones, is not asked.
    """
    where, what = candidates.where, candidates.what

    def fainter(*asked: Any) -> Places:
        places = where(*asked)
        return replace(places, heat=np.minimum(places.heat, -0.5))

    def as_sure(patches: np.ndarray, **more: Any) -> Answers:
        answers = what(patches, **more)
        there = answers.odds[:, :1] < 0.5
        odds = np.where(there, answers.odds / (1.0 - answers.odds[:, :1]) * (1.0 - none), answers.odds)
        odds[there[:, 0], 0] = none
        return replace(answers, odds=odds)

    monkeypatch.setattr(candidates, "where", fainter)
    monkeypatch.setattr(candidates, "what", as_sure)
    frame = still(table.camera, random_position(np.random.default_rng(15), table.camera.look.pieces, coins=6))
    looks = replace(table.calibration.looks, known=False)
    right, false, _ = matched(find(frame.picture, table.calibration.model, looks, board=DEFAULT_BOARD), frame)
    assert (right, false) == ((len(frame.pieces), 0) if believed else (0, 0))


def test_where_to_look_can_be_limited(table: Table) -> None:
    found = find(
        table.pictures.opening,
        table.calibration.model,
        table.calibration.looks,
        roi=(-100.0, -100.0, 0.0, 100.0),
        board=DEFAULT_BOARD,
    )
    assert max(p.x_mm for p in found.pieces) < 4.0
    for piece in table.find(table.pictures.opening).pieces:
        if -95.0 < piece.x_mm < -5.0 and -95.0 < piece.y_mm < 95.0:
            near = min(found.pieces, key=lambda p, one=piece: np.hypot(p.x_mm - one.x_mm, p.y_mm - one.y_mm))
            assert near.piece == piece.piece
            assert np.hypot(near.x_mm - piece.x_mm, near.y_mm - piece.y_mm) < 0.3


def test_something_large_and_strange_is_said_to_hide_the_board(table: Table) -> None:
    # A camera of its own: its noise must not depend on the tests before.
    picture = still(Camera(table.camera.look, 5), {}).picture.copy()
    model = table.calibration.model
    phone = model.project_plane(np.array(((60.0, 60.0), (200.0, 60.0), (200.0, 130.0), (60.0, 130.0))))
    cv2.fillPoly(picture, [np.rint(phone).astype(np.int32)], (90, 40, 10))
    found = table.find(picture)
    assert len(found.foreign) == 1
    # Where its area lies, however many corners its outline has on one side.
    area = cv2.moments(np.array(found.foreign[0].outline, dtype=np.float32))
    assert np.allclose((area["m10"] / area["m00"], area["m01"] / area["m00"]), (130.0, 95.0), atol=12.0)
    sleeve = model.project_plane(np.array(((-40.0, -380.0), (50.0, -380.0), (50.0, -200.0), (-40.0, -200.0))))
    cv2.fillPoly(picture, [np.rint(sleeve).astype(np.int32)], (120, 60, 40))
    found = table.find(picture)
    assert [hand.side for hand in found.hands] == ["south"]
    assert len(found.hidden) >= 2


@pytest.mark.long
def test_no_picture_is_too_bad_to_be_answered(table: Table) -> None:
    shape = table.pictures.empty.shape
    rng = np.random.default_rng(3)
    noise = rng.integers(0, 256, shape).astype(np.uint8)
    half = table.pictures.empty.copy()
    half[:, : shape[1] // 2] = 0
    pictures = (np.zeros(shape, np.uint8), np.full(shape, 255, np.uint8), np.full(shape, 97, np.uint8), noise, half)
    bare = replace(table.calibration.looks, empty=None, sizes_known=False, tones={})
    for picture in pictures:
        for looks in (table.calibration.looks, bare):
            found = find(picture, table.calibration.model, looks, board=DEFAULT_BOARD)
            assert isinstance(found, Finding)
            assert all(np.isfinite((p.x_mm, p.y_mm, p.u95_mm)).all() for p in found.pieces)
    for picture in pictures[:3]:
        assert table.find(picture).pieces == ()


@pytest.mark.parametrize("roi", [(0.0, 0.0, 0.0, 0.0), (5.0, 5.0, 5.5, 5.5), (900.0, 900.0, 950.0, 950.0)])
def test_where_to_look_may_be_next_to_nothing(table: Table, roi: tuple[float, float, float, float]) -> None:
    picture = table.pictures.opening
    found = find(picture, table.calibration.model, table.calibration.looks, roi=roi, board=DEFAULT_BOARD)
    assert len(found.pieces) <= 1


@pytest.mark.long
@pytest.mark.parametrize(("contrast", "noise", "made"), [(0.3, 5.0, True), (0.2, 3.5, True), (0.02, 3.5, False)])
def test_a_board_that_is_hardly_to_be_seen_is_found_right_or_refused(
    table: Table, contrast: float, noise: float, made: bool
) -> None:
    true = table.calibration.model
    rng = np.random.default_rng(1)
    faint = (
        contrast * table.pictures.empty + (1.0 - contrast) * 100.0 + rng.normal(0, noise, table.pictures.empty.shape)
    )
    inputs = Inputs(
        DEFAULT_BOARD, [grey(p) for p in table.pictures.lens], np.clip(faint, 0, 255).astype(np.uint8), None
    )
    if made:
        assert moved_mm(true, calibrate(inputs).calibration.model, DEFAULT_BOARD.half_mm) < 2.0
    else:
        with pytest.raises(ConfigError, match=r"no carrom board"):
            calibrate(inputs)


def test_pieces_on_the_board_that_is_said_to_be_empty_are_seen_and_shown(table: Table) -> None:
    model, looks, says = table.calibration.model, table.calibration.looks, []
    check_empty(table.pictures.empty, model, looks, DEFAULT_BOARD, table.pictures.opening, says)
    assert says == []
    scattered = still(table.camera, random_position(np.random.default_rng(3), table.camera.look.pieces)).picture
    for picture in (table.pictures.opening, scattered):
        with pytest.raises(RefusedError, match="pieces lie on the board") as caught:
            check_empty(picture, model, looks, DEFAULT_BOARD, table.pictures.opening, says)
        assert caught.value.report.shape[1] == picture.shape[1]


def test_an_opening_that_is_none_is_refused(table: Table) -> None:
    model = table.calibration.model
    learnt = learn(
        table.pictures.opening, grey(table.pictures.opening), model, table.calibration.looks, board=DEFAULT_BOARD
    )
    check_rack(table.pictures.opening, model, learnt, board=DEFAULT_BOARD)
    with pytest.raises(RefusedError, match="no opening arrangement"):
        check_rack(table.pictures.empty, model, learnt, board=DEFAULT_BOARD)


def test_scattered_boards_teach_names_that_only_these_nets_use(table: Table) -> None:
    rng, model, looks = np.random.default_rng(6), table.calibration.model, table.calibration.looks
    pieces = table.camera.look.pieces
    pictures = [still(table.camera, random_position(rng, pieces, 19, "south")).picture for _ in range(3)]
    taught, _ = own_names([], pictures, model, looks, DEFAULT_BOARD)
    assert taught.head is not None
    frame = still(table.camera, random_position(rng, pieces, 19, "east"))
    right, extra, _ = matched(find(frame.picture, model, taught, DEFAULT_BOARD), frame)
    assert (right, extra) == (20, 0)
    # A head that turns every name about is used by the nets it was fitted on alone.
    turned = replace(taught.head, trust=0.0, weights=np.concatenate((np.zeros((4, 4)), [[0.0, 0.0, 50.0, 0.0]])))
    named = {p.piece for p in find(frame.picture, model, replace(looks, head=turned), DEFAULT_BOARD).pieces}
    others = find(frame.picture, model, replace(looks, head=replace(turned, nets="others")), DEFAULT_BOARD)
    assert named == {"queen"}
    assert others.pieces == find(frame.picture, model, looks, DEFAULT_BOARD).pieces


def test_another_cameras_picture_is_told_from_the_calibrated_one(table: Table) -> None:
    model, looks, board = table.calibration.model, table.calibration.looks, table.calibration.board
    scattered = still(table.camera, random_position(np.random.default_rng(3), table.camera.look.pieces)).picture
    luma = grey(scattered)
    assert elsewhere(luma, model, board, looks) is None
    nudged = model.posed(model.R, model.t + np.array((9.0, 0.0, 0.0)))
    doubt = elsewhere(luma, nudged, board, replace(looks, empty_model=nudged, empty=table.pictures.empty))
    assert doubt is None, "an empty picture that is off by as much shows the same"
    doubt = elsewhere(luma, nudged, board, looks)
    assert doubt is not None
    assert doubt.off_mm == pytest.approx(9.0, abs=2.0)
    assert "Fix:" in doubt.says
