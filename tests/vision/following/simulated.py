"""Simulated strokes for the follower: frames as JPEGs with their times, and the truth beside them.

The camera model handed to the eyes is fitted to points that the simulator projects, so nothing of the simulator's own
lens formula is shared. `true_finder` stands in for the finder where only following is tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import cv2
import numpy as np

from calibration.camera import CameraModel
from controller.events.observation import SeenPiece
from controller.simulator import hands
from controller.simulator.camera import Camera, VisiblePiece
from controller.simulator.lens import View
from controller.simulator.looks import LOOKS, Look
from controller.simulator.motion import Motion
from controller.simulator.physics import Material
from controller.simulator.pieces import STRIKER, names_of, opening
from controller.simulator.players import Skill, Stroke, break_stroke, choose, play_out, unsteady
from controller.simulator.scene import Reel
from controller.simulator.stills import random_position
from controller.vision.finding.find import Finding
from controller.vision.sources.frame import Frame
from tests.posed import model_from_pose

SEATS = ("south", "north")


@dataclass(frozen=True)
class Played:
    """One true stroke. Times in seconds since the first frame's clock zero."""

    stroke: Stroke
    motion: Motion
    struck_s: float
    rest_s: float


@dataclass
class Episode:
    """A reel of strokes with its camera, ready to be exposed frame by frame."""

    look: Look
    reel: Reel
    camera: Camera
    played: list[Played]
    end_s: float
    seen: dict[int, tuple[VisiblePiece, ...]] = field(default_factory=dict)
    """What is true of each picture that was taken, by its time in ns."""


def model_of(view: View) -> CameraModel:
    """Fits the eyes' camera model to the simulator's projection of points in two planes."""
    axis = np.linspace(-430.0, 430.0, 15)
    xx, yy = np.meshgrid(axis, axis)
    flat = np.stack((xx.ravel(), yy.ravel(), np.zeros(xx.size)), 1)
    raised = np.add(flat, (0.0, 0.0, 60.0))
    px = [np.asarray(view.project(points)) for points in (flat, raised)]
    size = (view.lens.width, view.lens.height)
    both, seen = np.concatenate((flat, raised)), np.concatenate(px)
    K0 = np.array(((view.lens.focal_px, 0.0, size[0] / 2), (0.0, view.lens.focal_px, size[1] / 2), (0.0, 0.0, 1.0)))
    _, K, dist, turns, moves = cv2.calibrateCamera(
        [both.astype(np.float32)],
        [seen.astype(np.float32)],
        size,
        K0,
        None,
        flags=cv2.CALIB_USE_INTRINSIC_GUESS,
    )
    return model_from_pose(K, dist.ravel(), turns[0], moves[0], size)


def strokes(
    look_name: str,
    seed: int,
    count: int = 1,
    *,
    fps: float | None = None,
    at_break: bool = False,
) -> Episode:
    """Plays strokes on a random position; the striker is brought by a hand and taken away after each."""
    look = LOOKS[look_name]
    if fps is not None:
        look = replace(look, rig=replace(look.rig, fps=fps))
    rng = np.random.default_rng(seed)
    reel, material = Reel(), Material()
    lying = opening(look.pieces, rng) if at_break else random_position(rng, look.pieces)
    for name, pose in lying.items():
        reel.lie(name, -1.0, pose)
    played, t = [], 0.6
    for index in range(count):
        seat = SEATS[index % 2]
        if at_break and index == 0:
            stroke = break_stroke(seat, lying, look.pieces, rng)
        else:
            colour = "white" if index % 2 == 0 else "black"
            if not names_of(look.pieces, colour, lying):
                break
            stroke = unsteady(choose(seat, colour, lying, look.pieces, material, rng), Skill(), rng)
        motion = play_out(stroke, lying, look.pieces, material, seed=seed + index)
        placed, struck = hands.bring_striker(reel, stroke, t, float(rng.uniform(0.3, 0.6)))
        hands.flick(reel, stroke, motion, look.pieces, placed, struck)
        calm = struck + max(motion.end_s, motion.rest_s)
        played.append(Played(stroke, motion, struck, struck + motion.rest_s))
        lying = {name: pose for name, pose in motion.resting().items() if name != STRIKER} | {
            name: pose for name, pose in lying.items() if name not in motion.names
        }
        t = calm + 0.7
        striker = motion.sample(STRIKER, motion.end_s + 1.0)
        if striker is not None:
            t = hands.take_away(reel, seat, STRIKER, (striker.x_mm, striker.y_mm), t) + 0.5
    return Episode(look, reel, Camera(look, seed), played, t)


def frames(episode: Episode, from_s: float = 0.0, to_s: float | None = None) -> Iterator[Frame]:
    """Exposes the episode. What is true of each frame is written into `seen` for `true_finder`."""
    rig = episode.look.rig
    number = 0
    t = from_s
    end = episode.end_s if to_s is None else to_s
    while t < end:
        shot = episode.camera.take(episode.reel, t)
        episode.seen[round(t * 1e9)] = shot.pieces
        yield Frame(
            round(t * 1e9),
            number,
            jpeg=shot.jpeg(rig.jpeg),
            exposure_ns=round(rig.exposure_s * 1e9),
            row_ns=rig.rolling_s * 1e9 / rig.lens.height,
        )
        number += 1
        t = from_s + number / rig.fps


@cache
def drawn(look: str, seed: int, count: int) -> tuple[Episode, tuple[Frame, ...]]:
    """An episode of `strokes` with its pictures. Drawing takes ten times as long as following: tests share them."""
    episode = strokes(look, seed, count)
    return episode, tuple(frames(episode))


def true_finder(episode: Episode, noise_mm: float = 0.2, seed: int = 1, every_ns: int | None = None):
    """A finder that knows: everything on the board that no arm hides, with a little noise.

    `every_ns`: the episode is played again and again, each time so much later.
    """
    rng = np.random.default_rng(seed)

    def find(frame: Frame, model: CameraModel | None = None) -> Finding:
        pieces = []
        for piece in episode.seen[frame.t_ns % every_ns if every_ns else frame.t_ns]:
            if piece.visible < 0.5 or piece.z_mm < -2.0 or piece.z_mm > 8.0:
                continue
            if max(abs(piece.x_mm), abs(piece.y_mm)) > 371.0:
                continue
            dx, dy = rng.normal(0.0, noise_mm, 2)
            pieces.append(SeenPiece(piece.piece, piece.x_mm + dx, piece.y_mm + dy, 2.45 * noise_mm))  # type: ignore[arg-type]
        return Finding(tuple(pieces))

    return find
