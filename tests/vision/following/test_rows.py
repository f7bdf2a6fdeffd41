"""Under a rolling shutter every row has a time of its own: what is said when a piece was where holds by row."""

from __future__ import annotations

from statistics import median

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import Observation, StrokeSeen
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.follower import Follower
from controller.vision.following.timing import row_delay_ns, timed_by_row
from controller.vision.following.tracks import Measurement, PieceTrack
from controller.vision.sources.frame import Frame
from tests.vision.eyes.test_eyes import MODEL
from tests.vision.following.simulated import Episode, frames, model_of, strokes, true_finder

pytestmark = pytest.mark.slow

ROW_NS = 11_000.0
FAST_MM_S = 500.0


def test_a_place_lower_in_the_picture_is_seen_later() -> None:
    top, middle, bottom = row_delay_ns(MODEL, [(0.0, 300.0), (0.0, 0.0), (0.0, -300.0)], ROW_NS)
    assert middle == pytest.approx(0.0, abs=ROW_NS)
    assert bottom == pytest.approx(-top, abs=2 * ROW_NS)
    # The camera hangs 1150 mm up and sees a piece's body 4 mm above the surface.
    assert bottom == pytest.approx(560.0 * 300.0 / 1146.0 * ROW_NS, rel=0.01)


def test_a_track_gets_the_times_of_its_rows() -> None:
    marks = [Measurement(1_000_000_000, 0.0, 300.0), Measurement(1_016_000_000, 0.0, -300.0, True)]
    timed = timed_by_row(PieceTrack(3, "white", 15.5, None, 1_000_000_000, marks=marks), MODEL, ROW_NS)
    first, last = timed.marks
    assert first.t_ns < 1_000_000_000 < 1_016_000_000 < last.t_ns
    assert last.by_hand
    assert marks[0].t_ns == 1_000_000_000


def late_s(episode: Episode, said: list[Observation]) -> list[float]:
    """By how much each sample of the fast striker is later than the truth was there."""
    (true,) = episode.played
    (stroke,) = [item for item in said if isinstance(item, StrokeSeen) and item.struck is not None]
    assert stroke.struck is not None
    (track,) = [track for track in stroke.tracks if track.track == stroke.struck.track]
    late = []
    for sample in track.samples:
        t = sample.t_ns / 1e9 - true.struck_s
        pose = true.motion.sample(0, t)
        velocity = np.array(true.motion.velocity(0, t))
        speed = float(np.hypot(*velocity))
        if pose is None or t < 0.02 or speed < FAST_MM_S:
            continue
        off = np.array((sample.x_mm - pose.x_mm, sample.y_mm - pose.y_mm))
        if np.hypot(*off) < 60.0:
            late.append(float(-off @ velocity) / speed**2)
    return late


@pytest.mark.long
def test_a_simulated_rolling_shutter_is_allowed_for() -> None:
    episode = strokes("walnut-club", 5, 1)
    struck = episode.played[0].struck_s
    taken = list(frames(episode, struck - 0.2, struck + 0.3))
    plain = [Frame(frame.t_ns, frame.number, jpeg=frame.jpeg, exposure_ns=frame.exposure_ns) for frame in taken]
    error = []
    for stream in (taken, plain):
        follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
        said = [item for frame in stream for item in follower.step(frame)] + follower.finish()
        late = late_s(episode, said)
        assert len(late) >= 5
        error.append(median(abs(one) for one in late))
    by_row, without = error
    assert by_row < 0.0015
    assert without > 2.0 * by_row
