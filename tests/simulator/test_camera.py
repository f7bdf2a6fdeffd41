"""The camera: geometry to a fraction of a pixel, blur, shutters, what a hand hides, and no trace of what has moved."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.simulator.camera import Camera
from controller.simulator.lens import Mount, View
from controller.simulator.looks import DEVELOPMENT, LOOKS, MEASURED_ONLY, Look
from controller.simulator.motion import Pose
from controller.simulator.physics import run
from controller.simulator.pieces import opening, pieces_of
from controller.simulator.scene import ArmPath, Reel
from controller.simulator.stills import SQUARE_MM, SQUARES, charuco_view, random_position, still


def small(look: Look = LOOKS["pale"], **rig: object) -> Look:
    """The same table through a camera with few pixels and no noise."""
    lens = look.rig.lens
    few = replace(lens, width=640, height=480, focal_px=600.0, centre_px=(318.4, 241.1))
    light = replace(look.light, flicker=0.0, reflection=0.0)
    quiet = replace(look.rig, lens=few, noise_read=0.0, noise_shot=0.0, **rig)
    return replace(look, rig=quiet, light=light, board=replace(look.board, powder=0.0, grain=0.02))


@pytest.fixture(scope="module")
def camera() -> Camera:
    return Camera(small())


@pytest.mark.parametrize("name", LOOKS)
def test_there_and_back_through_the_lens(name: str) -> None:
    rig = LOOKS[name].rig
    view = View.hang(rig.lens, rig.mount)
    rng = np.random.default_rng(0)
    points = np.concatenate((rng.uniform(-435, 435, (200, 2)), rng.uniform(0, 20, (200, 1))), axis=1)
    pixels = view.project(points)
    for z in (0.0, 8.0):
        flat = points.copy()
        flat[:, 2] = z
        assert np.abs(view.on_plane(view.project(flat), z) - flat[:, :2]).max() < 1e-6
    one = np.array([view.pixel(*map(float, p)) for p in points])
    assert np.abs(one - pixels).max() < 1e-9
    ground = view.ground()
    v, u = 37, 411
    assert np.abs(ground[v, u] - view.on_plane(np.array([[u, v]], dtype=float))[0]).max() < 1e-3


def test_the_whole_board_is_in_every_picture() -> None:
    for look in LOOKS.values():
        view = View.hang(look.rig.lens, look.rig.mount)
        edge = DEFAULT_BOARD.half_mm
        corners = view.project(np.array([(x, y, 0.0) for x in (-edge, edge) for y in (-edge, edge)]))
        assert corners.min() > 0
        assert corners[:, 0].max() < look.rig.lens.width
        assert corners[:, 1].max() < look.rig.lens.height


def test_north_is_up_and_east_is_right() -> None:
    view = View.hang(LOOKS["pale"].rig.lens, Mount())
    north, east = view.project(np.array([(0.0, 100.0, 0.0), (100.0, 0.0, 0.0)]))
    assert north[1] < 360 - 50
    assert east[0] > 640 + 50


def test_marks_lie_where_the_millimetres_say() -> None:
    # Lines in the wood's own colour, so that nothing but the red discs is there to be weighed.
    look = small()
    camera = Camera(replace(look, board=replace(look.board, lines=look.board.wood, grain=0.0)))
    picture = still(camera, {}).picture.astype(float)
    red = picture[..., 2] - (picture[..., 0] + picture[..., 1]) / 2
    for x, y in DEFAULT_BOARD.base_circles_mm:
        u, v = camera.view.pixel(x, y, 0.0)
        window = red[round(v) - 9 : round(v) + 10, round(u) - 9 : round(u) + 10]
        weight = np.clip(window - 95.0, 0, None)
        rows, cols = np.mgrid[-9:10, -9:10]
        du = (weight * cols).sum() / weight.sum() + round(u) - u
        dv = (weight * rows).sum() / weight.sum() + round(v) - v
        assert np.hypot(du, dv) < 0.06, (x, y)


def centroid(picture: np.ndarray, empty: np.ndarray, u: float, v: float, reach: int = 16) -> tuple[float, float]:
    """Middle of what is much darker than the empty board around a place."""
    a, b = round(v) - reach, round(u) - reach
    size = 2 * reach + 1
    darker = np.clip(empty - picture - 60.0, 0, None)[a : a + size, b : b + size].sum(axis=2)
    rows, cols = np.mgrid[a : a + size, b : b + size]
    return float((darker * cols).sum() / darker.sum()), float((darker * rows).sum() / darker.sum())


def test_a_piece_is_seen_where_its_height_puts_it(camera: Camera) -> None:
    empty = still(camera, {}).picture.astype(float)
    for x, y in ((0.0, 0.0), (320.0, 150.0), (-300.0, -300.0)):
        picture = still(camera, {12: Pose(x, y, 0.0, 0.0)}).picture.astype(float)
        low, high = np.array(camera.view.pixel(x, y, 0.0)), np.array(camera.view.pixel(x, y, 8.0))
        seen = np.array(centroid(picture, empty, *high))
        # The silhouette holds the wall too: its middle lies between the foot's and the top's, nearer to the top.
        assert np.hypot(*(seen - (low + high) / 2)) < 0.45
        assert np.hypot(*(seen - high)) < 1.2


def test_nothing_is_left_behind_by_what_has_moved() -> None:
    look = small()
    pieces = pieces_of(DEFAULT_BOARD)
    lying = opening(pieces, np.random.default_rng(1))
    lying[0] = Pose(10.0, -252.6, 0.0, 0.3)
    reel = Reel()
    for name, pose in lying.items():
        reel.lie(name, 0.0, pose)
    motion = run(
        [pieces.disc(name, pose) for name, pose in lying.items()], {0: (120.0, 3000.0, 3.0)}, board=DEFAULT_BOARD
    )
    reel.play(motion, 0.2)
    reel.arms.append(
        ArmPath("south", ((0.0, 10, -900, 50), (0.15, 10, -280, 6), (0.3, 10, -280, 6), (0.6, 10, -900, 50)))
    )
    followed = Camera(look)
    for k in range(int(30 * (motion.end_s + 0.6))):
        last = followed.take(reel, k / 30)
    fresh = Camera(look).take(reel, last.t_s)
    assert np.abs(last.picture.astype(int) - fresh.picture.astype(int)).max() <= 1
    middle = motion.rest_s * 0.3
    followed = Camera(look)
    for k in range(30):
        last = followed.take(reel, 0.2 + middle * k / 29)
    fresh = Camera(look).take(reel, last.t_s)
    assert np.abs(last.picture.astype(int) - fresh.picture.astype(int)).max() <= 2


def test_what_is_carried_from_far_outside_does_no_harm(camera: Camera) -> None:
    before = still(camera, {}).picture
    reel = Reel()
    ways = ((0.0, -900.0), (0.0, 900.0), (-1900.0, 0.0), (1900.0, 0.0))
    reel.follow(0, -1.0, lambda t: Pose(*ways[min(int(t * 30 + 0.01), 3)], 30.0, 0.0))
    for k in range(4):
        after = camera.take(reel, k / 30).picture
    assert np.abs(after.astype(int) - before).max() <= 1


def smear(look: Look, velocity: tuple[float, float]) -> np.ndarray:
    """A dark coin sliding through the middle, as difference to the empty board."""
    camera = Camera(look)
    empty = still(camera, {}).picture.astype(float)
    reel = Reel()
    reel.follow(12, -1.0, lambda t: Pose(velocity[0] * t, velocity[1] * t, 0.0, 0.0))
    return np.clip(empty - camera.take(reel, 0.0).picture, 0, None).sum(axis=2)


def test_motion_blur_is_as_long_as_the_exposure() -> None:
    look = small(exposure_s=0.010)
    look = replace(look, light=replace(look.light, shadow=0.0))
    scale = View.hang(look.rig.lens, look.rig.mount).px_per_mm()
    still_width = (smear(look, (0.0, 0.0)).max(axis=0) > 25).sum()
    moving_width = (smear(look, (2500.0, 0.0)).max(axis=0) > 25).sum()
    assert moving_width - still_width == pytest.approx(25.0 * scale, abs=4.0)


def test_a_rolling_shutter_shifts_what_moves_by_its_row() -> None:
    look = small(exposure_s=0.002, rolling_s=0.020)
    camera = Camera(look)
    empty = still(camera, {}).picture.astype(float)
    for y in (250.0, -250.0):
        reel = Reel()
        reel.follow(12, -1.0, lambda t, y=y: Pose(1500.0 * t, y, 0.0, 0.0))
        picture = camera.take(reel, 0.0).picture.astype(float)
        u, v = camera.view.pixel(0.0, y, 4.0)
        late = (v / 480 - 0.5) * 0.020
        expected = camera.view.pixel(1500.0 * late, y, 4.0)[0]
        seen = centroid(picture, empty, expected, v)[0]
        assert seen == pytest.approx(expected, abs=0.8)
        assert abs(expected - u) > 4


def test_a_hand_hides_what_is_below_it(camera: Camera) -> None:
    lying = {2: Pose(0.0, -150.0, 0.0, 0.0), 3: Pose(0.0, 200.0, 0.0, 0.0), 12: Pose(-150.0, -150.0, 0.0, 0.0)}
    arm = ArmPath("south", ((-1.0, 0.0, -60.0, 10.0), (1.0, 0.0, -60.0, 10.0)))
    frame = still(camera, lying, (arm,))
    seen = {p.name: p.visible for p in frame.pieces}
    assert seen[2] < 0.1
    assert seen[3] == 1.0
    assert seen[12] > 0.95
    assert len(frame.arms) == 1
    bare = still(camera, lying)
    assert {p.visible for p in bare.pieces} == {1.0}
    u, v = (round(c) for c in camera.view.pixel(0.0, -150.0, 20.0))
    assert np.abs(frame.picture[v, u].astype(int) - bare.picture[v, u]).sum() > 30


def test_noise_is_as_stated_and_seeded() -> None:
    look = small()
    noisy = replace(look, rig=replace(look.rig, noise_read=2.0))
    a, b = Camera(noisy, seed=4), Camera(noisy, seed=4)
    first, again = still(a, {}).picture, still(b, {}).picture
    assert np.array_equal(first, again)
    more = np.stack([still(a, {}).picture[200:300, 250:350].astype(float) for _ in range(12)])
    assert more.std(axis=0).mean() == pytest.approx(2.0, rel=0.2)


def test_flicker_follows_the_mains() -> None:
    look = small(exposure_s=0.001, fps=120.0)
    look = replace(look, light=replace(look.light, flicker=0.1))
    camera = Camera(look)
    reel = Reel()
    levels = [camera.take(reel, k / 400).picture[200:280, 280:360].mean() for k in range(8)]
    assert max(levels) / min(levels) > 1.12
    assert levels[0] == pytest.approx(levels[4], abs=1.0)


def test_a_tremor_shifts_the_picture_and_a_knock_turns_the_view(camera: Camera) -> None:
    still_picture = still(camera, {}).picture
    shifted = camera.take(Reel(), 0.0, shake_px=(3.0, 0.0)).picture
    assert np.abs(shifted[:, 3:].astype(int) - still_picture[:, :-3]).mean() < 0.5
    knocked = camera.view.nudged((1.0, 0.0, 0.0), 0.05)
    before, after = (np.array(v.pixel(200.0, 0.0, 0.0)) for v in (camera.view, knocked))
    assert 0.2 < np.hypot(*(after - before)) < 3.0


def test_the_lens_target_can_be_read_and_gives_back_the_lens() -> None:
    look = LOOKS["pale"]
    rng = np.random.default_rng(5)
    target = cv2.aruco.CharucoBoard(SQUARES, SQUARE_MM, 30.0, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100))
    detector = cv2.aruco.CharucoDetector(target)
    world, seen = [], []
    for _ in range(7):
        corners, ids, _, _ = detector.detectBoard(cv2.cvtColor(charuco_view(look, rng), cv2.COLOR_BGR2GRAY))
        assert ids is not None
        points, pixels = target.matchImagePoints(corners - 0.5, ids)
        world.append(points)
        seen.append(pixels)
    rms, matrix, *_ = cv2.calibrateCamera(world, seen, (1280, 720), None, None)
    assert rms < 0.2
    assert matrix[0, 0] == pytest.approx(look.rig.lens.focal_px, rel=0.006)


def test_random_positions_are_possible_ones() -> None:
    pieces = pieces_of(DEFAULT_BOARD)
    for seed in range(30):
        lying = random_position(np.random.default_rng(seed), pieces, striker="west")
        run([pieces.disc(name, pose) for name, pose in lying.items()], {}, board=DEFAULT_BOARD)
        assert 0 in lying


def test_some_looks_are_kept_for_measuring_only() -> None:
    assert set(MEASURED_ONLY) | set(DEVELOPMENT) == set(LOOKS)
    assert not set(MEASURED_ONLY) & set(DEVELOPMENT)
    assert len(MEASURED_ONLY) >= 3
