"""When all is at rest, and what holds then.

Nothing moved by more than 0.3 mm in a quarter of a second and nothing spins on its edge; what nobody touched lies on.
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, Observation, SeenPiece, StrokeSeen
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.scene import Reel
from controller.vision.finding.find import Finding
from controller.vision.following.detection_fusion import carried
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import Follower
from controller.vision.following.registration import shift_px
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import Episode, model_of, true_finder

BLACK, WHITE = 12, 5
SET_OFF_S, SLOW_S, STOPS_S = 0.8, 1.3, 2.2


def seen(name: int, creep_mm_s: float = 0.0, spin_rad_s: float = 0.0) -> list[Observation]:
    """A coin slides 50 mm, then creeps or spins on its edge where it is until `STOPS_S`; another one lies."""

    def pose(t_s: float) -> Pose:
        t = min(t_s, STOPS_S) - SET_OFF_S
        slow = SLOW_S - SET_OFF_S
        return Pose(60.0 + 100.0 * min(t, slow) + creep_mm_s * max(0.0, t - slow), 40.0, 0.0, spin_rad_s * t)

    look, reel = LOOKS["pale"], Reel()
    reel.lie(name, -1.0, Pose(60.0, 40.0, 0.0, 0.0))
    reel.lie(name + 1, -1.0, Pose(-120.0, 90.0, 0.0, 0.0))
    reel.follow(name, SET_OFF_S, pose)
    reel.lie(name, STOPS_S, pose(STOPS_S))
    episode = Episode(look, reel, Camera(look, 3), [], 3.0)
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
    said: list[Observation] = []
    for number in range(round(episode.end_s * look.rig.fps)):
        t_s = number / look.rig.fps
        on_edge = frozenset({name}) if spin_rad_s and SLOW_S <= t_s < STOPS_S else frozenset()
        shot = episode.camera.take(reel, t_s, upright=on_edge)
        episode.seen[round(t_s * 1e9)] = shot.pieces
        said += follower.step(Frame(round(t_s * 1e9), number, jpeg=shot.jpeg(look.rig.jpeg), exposure_ns=8_000_000))
    return said + follower.finish()


def rests(said: list[Observation]) -> list[float]:
    """Since when the board was said to be at rest, of what was said after the coin set off; in s."""
    return sorted({item.since_ns / 1e9 for item in said if isinstance(item, BoardSeen) and item.t_ns > 1e9 * SLOW_S})


def test_what_lies_still_is_said_to() -> None:
    assert rests(seen(BLACK))[0] == pytest.approx(SLOW_S, abs=0.1)


@pytest.mark.long
@pytest.mark.parametrize(("name", "creep_mm_s"), [(BLACK, 2.0), (BLACK, 6.0), (WHITE, 4.0)])
def test_a_coin_that_creeps_is_not_at_rest(name: int, creep_mm_s: float) -> None:
    said = seen(name, creep_mm_s)
    assert rests(said)[0] > STOPS_S - 0.2
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen) and item.ended_ns > 1e9 * SLOW_S]
    assert stroke.ended_ns > 1e9 * (STOPS_S - 0.2)


def test_a_coin_that_spins_on_its_edge_is_not_at_rest() -> None:
    assert rests(seen(BLACK, spin_rad_s=11.0))[0] >= STOPS_S - 0.05


def disc(x: float, y: float, grey: float, noise: int = 0) -> np.ndarray:
    """A disc of 12 px on a plain ground, drawn large and shrunk: its edge is soft, as a camera's is."""
    large = np.full((640, 640), 150, np.uint8)
    cv2.circle(large, (round((x + 0.5) * 16), round((y + 0.5) * 16)), 96, grey, -1)
    small = cv2.blur(cv2.resize(large, (40, 40), interpolation=cv2.INTER_AREA), (3, 3))
    rng = np.random.default_rng(noise)
    return np.clip(small + rng.normal(0.0, 1.0, small.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("grey", [40, 190])
@pytest.mark.parametrize("shift", [0.125, 0.25])
def test_a_shift_of_a_fraction_of_a_pixel_is_measured(grey: int, shift: float) -> None:
    assert shift_px(disc(20, 20, grey, 1), disc(20 + shift, 20, grey, 2), 20, 20, 6) == pytest.approx(shift, abs=0.05)


def test_noise_and_light_are_no_shift() -> None:
    for seed in range(20):
        assert shift_px(disc(20, 20, 60, seed), disc(20, 20, 60, 100 + seed), 20, 20, 6) < 0.05
    brighter = cv2.convertScaleAbs(disc(20, 20, 60, 1), alpha=1.0, beta=12)
    assert shift_px(disc(20, 20, 60, 2), brighter, 20, 20, 6) < 0.05
    plain = np.full((40, 40), 150, np.uint8)
    assert shift_px(plain, plain, 20, 20, 6) == 0.0
    assert shift_px(plain, plain, 1, 1, 6) == 0.0


LAY = SeenPiece("white", 100.0, 50.0, 0.5)
FAR = SeenPiece("black", -100.0, 50.0, 0.5)
EAST, WEST = SeenPiece("white", 116.0, 50.0, 0.5), SeenPiece("white", 84.0, 50.0, 0.5)
"""Two that touch each other where one was thought to lie between them: farther off it than any look errs."""


def on_it(*found: SeenPiece) -> set[tuple[float, float]]:
    """What lies on when a look finds that and what lies far off, and no picture shows that anything was touched."""
    sight = carried(Finding((FAR, *found)), [LAY, FAR], {LAY, FAR}, lambda _: False, lambda _: False)
    places = {(piece.x_mm, piece.y_mm) for piece in sight.pieces}
    assert len(places) == len(sight.pieces)
    assert (FAR.x_mm, FAR.y_mm) in places
    return places - {(FAR.x_mm, FAR.y_mm)}


def test_two_found_where_one_was_thought_to_lie_have_taken_its_place() -> None:
    assert on_it(EAST, WEST) == {(116.0, 50.0), (84.0, 50.0)}


@pytest.mark.parametrize("found", [(EAST,), (EAST, SeenPiece("white", 79.0, 50.0, 0.5))], ids=["alone", "one beside"])
def test_one_found_where_one_was_thought_to_lie_is_dropped_for_it(found: tuple[SeenPiece, ...]) -> None:
    assert on_it(*found) == {(100.0, 50.0), *((piece.x_mm, piece.y_mm) for piece in found[1:])}
