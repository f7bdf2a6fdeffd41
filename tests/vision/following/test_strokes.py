"""Whole simulated strokes through the follower: what fell where and when, who struck from where, what was met first.

The finder is replaced by one that knows (with noise), so that only following is tested; the pictures are the
simulator's, with blur, noise, shadows and hands.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from math import hypot

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.events.observation import BoardSeen, EyesHealth, Hand, HandsSeen, MotionBegan, Observation, StrokeSeen
from controller.simulator import hands
from controller.simulator.motion import Pose
from controller.simulator.pieces import opening
from controller.simulator.stills import still
from controller.vision.finding.find import Finding
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import Follower
from controller.vision.sources.frame import Frame
from tests.vision.following.simulated import Episode, Played, drawn, frames, model_of, strokes, true_finder

pytestmark = pytest.mark.slow

OTHERS = [("pale", 1), ("lacquer-dark", 11)]
CASES = [("pale", 11), *(pytest.param(case, marks=pytest.mark.long) for case in OTHERS)]


@dataclass(frozen=True)
class Seen:
    episode: Episode
    said: list[Observation]

    @property
    def strokes(self) -> list[StrokeSeen]:
        return [said for said in self.said if isinstance(said, StrokeSeen)]

    @property
    def struck(self) -> list[StrokeSeen]:
        return [said for said in self.strokes if said.struck is not None]


def follow(episode: Episode, taken: list[Frame] | None = None) -> list[Observation]:
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
    said: list[Observation] = []
    for frame in taken if taken is not None else frames(episode):
        said += follower.step(frame)
    return said + follower.finish()


@cache
def played(look: str, seed: int) -> Seen:
    episode = strokes(look, seed, 2)
    return Seen(episode, follow(episode))


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def seen(request: pytest.FixtureRequest) -> Seen:
    return played(*request.param)


def true_falls(stroke: Played) -> Counter[tuple[str, str]]:
    return Counter((fall.piece, fall.pocket) for fall in stroke.motion.falls)


def test_every_stroke_is_seen_once_and_nothing_else_is_one(seen: Seen) -> None:
    facts = [stroke.struck for stroke in seen.struck if stroke.struck is not None]
    assert len(facts) == len(seen.episode.played)
    for fact, stroke in zip(facts, seen.episode.played, strict=True):
        error = abs(fact.first_motion_ns / 1e9 - stroke.struck_s)
        assert error < max(0.05, 1.5 * fact.u_first_motion_ns / 1e9)


@pytest.mark.long
def test_a_striker_whose_rim_smears_over_the_small_picture_is_taken_up_as_it_sets_out() -> None:
    seen = played("birch-match", 5)
    for stroke, true in zip(seen.struck, seen.episode.played, strict=True):
        assert stroke.struck is not None
        assert stroke.struck.placed is not None
        assert abs(stroke.struck.first_motion_ns / 1e9 - true.struck_s) < 0.02


def test_what_fell_fell_there_and_then(seen: Seen) -> None:
    for stroke, true in zip(seen.struck, seen.episode.played, strict=True):
        gone = [track for track in stroke.tracks if track.vanished is not None and track.vanished.how == "pocket"]
        assert Counter((track.piece, track.vanished.near) for track in gone if track.vanished) == true_falls(true)
        for fall in true.motion.falls:
            times = [
                track.vanished.t_ns / 1e9
                for track in gone
                if track.vanished is not None and (track.piece, track.vanished.near) == (fall.piece, fall.pocket)
            ]
            assert min(abs(time - true.struck_s - fall.t_s) for time in times) < 0.06


def test_where_the_striker_was_placed_is_right_or_not_said(seen: Seen) -> None:
    said = 0
    for stroke, true in zip(seen.struck, seen.episode.played, strict=True):
        assert stroke.struck is not None
        placed = stroke.struck.placed
        if placed is None:
            continue
        gap = hypot(placed.x_mm - true.stroke.at_mm[0], placed.y_mm - true.stroke.at_mm[1])
        assert gap < max(1.0, placed.u95_mm)
        said += placed.visible > 0.5
    # A hand may hide the striker to the last, but not in every stroke.
    assert said >= 1


def test_the_first_thing_met_is_the_first_thing_met(seen: Seen) -> None:
    for stroke, true in zip(seen.struck, seen.episode.played, strict=True):
        assert stroke.struck is not None
        if stroke.struck.placed is None:
            continue
        hit = next(hit for hit in true.motion.hits if 0 in (hit.name, hit.other))
        other = hit.other if hit.name == 0 else hit.name
        what = "cushion" if other is None else seen.episode.look.pieces.piece(other)
        first = stroke.touches[0]
        assert first.touched == what
        assert abs(first.t_ns / 1e9 - true.struck_s - hit.t_s) < 0.03


def test_the_board_after_holds_what_lies_there(seen: Seen) -> None:
    for stroke, true in zip(seen.struck, seen.episode.played, strict=True):
        lying = true.motion.resting()
        assert Counter(piece.piece for piece in stroke.after.pieces) == Counter(
            seen.episode.look.pieces.piece(name) for name in lying
        )
        for track in stroke.tracks:
            if track.end is not None:
                gap = min(hypot(track.end.x_mm - p.x_mm, track.end.y_mm - p.y_mm) for p in lying.values())
                assert gap < 1.5


def test_everything_lay_still_and_pictures_were_complete(seen: Seen) -> None:
    for stroke in seen.struck:
        assert stroke.all_at_rest is True
        assert (stroke.lost_frames, stroke.blind) == (0, ())
        assert stroke.frames > 10


def test_motion_is_told_before_the_stroke_is(seen: Seen) -> None:
    began = [said.t_ns for said in seen.said if isinstance(said, MotionBegan)]
    for stroke in seen.struck:
        assert any(stroke.began_ns <= t < stroke.ended_ns for t in began)


def test_hands_come_from_the_players_side(seen: Seen) -> None:
    sides = [hand.side for said in seen.said if isinstance(said, HandsSeen) for hand in said.hands]
    assert {"south", "north"} <= set(sides)


def test_rest_is_said_again_and_health_every_second(seen: Seen) -> None:
    boards = [said.t_ns for said in seen.said if isinstance(said, BoardSeen)]
    assert all(b - a < 4_000_000_000 for a, b in pairwise(boards))
    health = [said.t_ns for said in seen.said if isinstance(said, EyesHealth)]
    assert all(b - a < 1_100_000_000 for a, b in pairwise(health))


def test_webcam_grade_does_not_claim_touches(seen: Seen) -> None:
    assert {stroke.grade for stroke in seen.strokes} == {"basic"}
    assert not any(stroke.touches_seen for stroke in seen.strokes)


def test_a_due_put_down_by_hand_is_no_stroke() -> None:
    episode = strokes("pale", 5, 0)
    lying = set(episode.reel.parts)
    name = next(name for name in episode.look.pieces.names if name not in lying and name > 1)
    end = hands.put_down(episode.reel, "south", name, Pose(-30.0, -70.0, 0.0, 0.0), 0.6)
    episode.end_s = end + 1.2
    said = follow(episode)
    (placed,) = [item for item in said if isinstance(item, StrokeSeen)]
    assert placed.struck is None
    (track,) = placed.tracks
    assert track.by_hand
    assert track.start is None
    assert track.end is not None
    assert hypot(track.end.x_mm + 30.0, track.end.y_mm + 70.0) < 1.0


def test_nothing_happens_on_a_still_board() -> None:
    episode = strokes("pale", 6, 0)
    episode.end_s = 3.0
    said = follow(episode)
    assert not [item for item in said if isinstance(item, StrokeSeen | MotionBegan | HandsSeen)]
    assert len([item for item in said if isinstance(item, BoardSeen)]) >= 2


def test_lost_frames_are_counted_and_a_gap_is_said_to_be_blind() -> None:
    episode, pictures = drawn("pale", 11, 1)
    struck = episode.played[0].struck_s
    kept = [frame for frame in pictures if not struck + 0.25 < frame.t_ns / 1e9 < struck + 0.45]
    (stroke,) = [item for item in follow(episode, kept) if isinstance(item, StrokeSeen) and item.struck is not None]
    assert stroke.lost_frames == 6
    ((begin, end),) = stroke.blind
    assert begin / 1e9 < struck + 0.26
    assert end / 1e9 > struck + 0.44


def test_a_stroke_is_seen_though_the_finder_fails_now_and_then() -> None:
    episode, pictures = drawn("pale", 11, 1)
    find, asked = true_finder(episode), iter(range(1000))

    def shaky(frame: Frame, model: CameraModel) -> Finding:
        if next(asked) % 2 == 0:
            raise ValueError("too dark")
        return find(frame)

    follower = Follower(Eyes(model_of(episode.camera.view), at_once(shaky), board=DEFAULT_BOARD))
    said = [item for frame in pictures for item in follower.step(frame)] + follower.finish()
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen) and item.struck is not None]
    gone = Counter(
        (t.piece, t.vanished.near) for t in stroke.tracks if t.vanished is not None and t.vanished.how == "pocket"
    )
    assert gone == true_falls(episode.played[0])
    assert any("ValueError: too dark" in item.says for item in said if isinstance(item, EyesHealth))


@pytest.mark.long
def test_a_pack_that_was_built_is_no_hand() -> None:
    episode = strokes("pale", 5, 0)
    rack = opening(episode.look.pieces, np.random.default_rng(3))
    end = hands.rack_up(episode.reel, "north", rack, 0.6)
    episode.end_s = end + 1.2
    boards = [item for item in follow(episode) if isinstance(item, BoardSeen)]
    assert len(boards[-1].pieces) == 19
    assert boards[-1].hands == ()
    first = next(board for board in boards if len(board.pieces) == 19)
    assert first.t_ns / 1e9 < end + 0.9


@pytest.mark.long
@pytest.mark.parametrize("seen_by_finder", [False, True], ids=["a hand that was there", "a hand that stays"])
def test_a_hand_over_the_board_when_the_eyes_began_is_no_hand_for_ever(seen_by_finder: bool) -> None:
    episode = strokes("pale", 6, 0)
    spot = (90.0, 40.0)
    gone_s = 60.0 if seen_by_finder else 0.5
    hands.cover(episode.reel, "south", spot, -1.0, gone_s)
    episode.end_s = 6.0
    find = true_finder(episode)

    def finder(frame: Frame, model: CameraModel | None = None) -> Finding:
        sight = find(frame, model)
        outline = ((40.0, -380.0), (140.0, -380.0), (140.0, 90.0), (40.0, 90.0))
        return replace(sight, hands=(Hand(outline, "south"),)) if seen_by_finder else sight

    empty = cv2.cvtColor(still(episode.camera, {}).picture, cv2.COLOR_BGR2GRAY)
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(finder), empty=empty, board=DEFAULT_BOARD))
    said = [item for frame in frames(episode) for item in follower.step(frame)] + follower.finish()
    last = [item for item in said if isinstance(item, BoardSeen)][-1]
    if seen_by_finder:
        assert last.hands
    else:
        assert last.hands == ()
        assert len(last.pieces) == len(episode.reel.parts)
