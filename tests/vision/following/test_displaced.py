"""What a hand shoved before the striker was struck is found where it lay then; what may be another says nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import Sample, SeenPiece, StrikerSeen, StrokeSeen, Track
from controller.events.words import Piece
from controller.simulator import hands
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS, Look
from controller.simulator.motion import Pose
from controller.simulator.physics import Material
from controller.simulator.players import Stroke
from controller.simulator.scene import Reel
from controller.simulator.strokes import Nudge, prepare
from controller.vision.finding.find import Finding
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import Follower
from controller.vision.following.look_back import displaced_in
from controller.vision.following.motion_window import Displaced
from tests.vision.following.simulated import Episode, frames, model_of, true_finder

T_NS = 1_000_000_000


def piece(x: float, y: float, kind: Piece = "white", u95_mm: float = 0.7) -> SeenPiece:
    return SeenPiece(kind, x, y, u95_mm)


LAY = piece(50.0, -80.0)
OTHER = piece(50.0, -48.0)
"""It lay beside the one in question, all but touching it."""


def shoves(*found: SeenPiece, before: tuple[SeenPiece, ...] = (LAY,)) -> tuple[Displaced, ...]:
    return displaced_in(Finding(found), [LAY], before, T_NS)


def test_what_surely_lies_beside_its_place_was_shoved_there() -> None:
    assert shoves(piece(50.0, -69.0)) == (Displaced(LAY, T_NS, 50.0, -69.0),)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param((), id="nothing was found"),
        pytest.param((piece(50.0, -77.5),), id="it lies where it lay"),
        pytest.param((piece(50.0, -77.5), piece(50.0, -46.0)), id="it lies where it lay, another beside it"),
        pytest.param((piece(50.0, -77.5, "black"), piece(50.0, -60.0)), id="something lies where it lay"),
        pytest.param((piece(50.0, -69.0, "black"),), id="it is of another class"),
        pytest.param((piece(50.0, -69.0, u95_mm=3.0),), id="nobody knows well where it lies"),
        pytest.param((piece(50.0, -69.0), piece(82.0, -80.0)), id="it may be either of two"),
        pytest.param((piece(50.0, -38.0),), id="no hand shoves that far"),
    ],
)
def test_what_may_be_something_else_is_no_shove(found: tuple[SeenPiece, ...]) -> None:
    assert shoves(*found) == ()


def test_what_lies_where_another_lay_is_that_other() -> None:
    found = piece(50.5, -46.0)
    assert shoves(found, before=(LAY, OTHER)) == ()
    # It is the other's place that says so.
    assert shoves(found) == (Displaced(LAY, T_NS, found.x_mm, found.y_mm),)


# -- a whole stroke

STRUCK_S = 1.0


@dataclass(frozen=True)
class Seen:
    nudge: Nudge
    """What the hand did or would have done."""
    stroke: StrokeSeen
    struck: StrikerSeen


def half_size(look: Look) -> Look:
    """The same table in a picture of a quarter of the pixels: arms are drawn faster, and no more is needed."""
    lens = look.rig.lens
    u, v = lens.centre_px
    small = replace(
        lens, width=lens.width // 2, height=lens.height // 2, focal_px=lens.focal_px / 2, centre_px=(u / 2, v / 2)
    )
    return replace(look, rig=replace(look.rig, lens=small))


def seen(*, shoved: bool, close: bool = False) -> Seen:
    """A stroke at 60 pictures a second; a quarter of a second before it a hand shoves a piece 11 mm or only reaches it.

    The striker then hits that very piece; where that lies `close` it does so under the hand, so that its path does not
    tell when it set off.
    """
    look, reel, rng = half_size(LOOKS["pale-club"]), Reel(), np.random.default_rng(3)
    lying = {
        5: Pose(100.0, -120.0, 0.0, 0.4),
        12: Pose(-60.0, 40.0, 0.0, 1.1),
        7: Pose(-200.0, 150.0, 0.0, 0.2),
        14: Pose(180.0, 90.0, 0.0, 2.0),
    }
    if close:
        lying[5] = Pose(10.0, -225.0, 0.0, 0.4)
    stroke = Stroke("south", (-40.0, -252.6), (520.0, 490.0))
    played = prepare(stroke, lying, look.pieces, Material(), rng, frozenset({"hand_touched_piece"}))
    nudge = played.nudge
    assert nudge is not None
    if not shoved:
        played = prepare(stroke, lying, look.pieces, Material(), rng)
    for name, pose in lying.items():
        reel.lie(name, -1.0, pose)
    placed_s, _ = hands.bring_striker(reel, stroke, 0.2, 0.4)
    goes = nudge.after if shoved else nudge.before
    hands.nudge(reel, stroke, nudge.name, nudge.before, goes, STRUCK_S - 0.25)
    hands.flick(reel, stroke, played.motion, look.pieces, placed_s, STRUCK_S)
    end_s = STRUCK_S + max(played.motion.end_s, played.motion.rest_s) + 0.5
    episode = Episode(look, reel, Camera(look, 3), [], end_s)
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
    said = [item for frame in frames(episode) for item in follower.step(frame)] + follower.finish()
    (made,) = [item for item in said if isinstance(item, StrokeSeen) and item.struck is not None]
    assert made.struck is not None
    return Seen(nudge, made, made.struck)


def from_start(track: Track, sample: Sample) -> float:
    assert track.start is not None
    return hypot(sample.x_mm - track.start.x_mm, sample.y_mm - track.start.y_mm)


@pytest.mark.long
@pytest.mark.parametrize("close", [False, True], ids=["a free path", "a path bent under the hand"])
def test_a_piece_shoved_before_the_stroke_was_seen_there_before_the_stroke(close: bool) -> None:
    was = seen(shoved=True, close=close)
    before, after = was.nudge.before, was.nudge.after
    assert hypot(after.x_mm - before.x_mm, after.y_mm - before.y_mm) == pytest.approx(11.0)
    (track,) = [
        track
        for track in was.stroke.tracks
        if track.start is not None and hypot(track.start.x_mm - before.x_mm, track.start.y_mm - before.y_mm) < 2.0
    ]
    first = track.samples[0]
    assert first.t_ns <= was.struck.first_motion_ns - was.struck.u_first_motion_ns
    assert hypot(first.x_mm - after.x_mm, first.y_mm - after.y_mm) < 2.0


@pytest.mark.long
def test_where_a_hand_shoved_nothing_nothing_was_beside_its_place_before_the_stroke() -> None:
    was = seen(shoved=False)
    before_ns = was.struck.first_motion_ns - was.struck.u_first_motion_ns
    early = [
        (track.piece, sample)
        for track in was.stroke.tracks
        if track.start is not None
        for sample in track.samples
        if sample.t_ns < before_ns and from_start(track, sample) > 5.0
    ]
    assert early == []
