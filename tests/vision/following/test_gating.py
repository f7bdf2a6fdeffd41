"""Lost pieces and what has changed: who is taken for whom."""

from __future__ import annotations

from math import pi

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.assignment import assign
from controller.vision.following.motion import DOUBTFUL, Blob, Prediction, cost_of
from controller.vision.following.tracks import Measurement, PieceTrack

PX_PER_MM = 0.8
FRAME_NS = 33_333_333
RADIUS_MM = DEFAULT_BOARD.coin_diameter_mm / 2


def lost_at(number: int, x_mm: float) -> PieceTrack:
    return PieceTrack(number, "unknown", RADIUS_MM, None, 0, marks=[Measurement(0, x_mm, 0.0, False)])


def blob_at(x_mm: float) -> Blob:
    return Blob((x_mm, 0.0), pi * (RADIUS_MM * PX_PER_MM) ** 2, PX_PER_MM, lambda radius_mm: 0.0)


@pytest.mark.parametrize(
    ("lost_mm", "blobs_mm", "pairs"),
    [
        # The second is nearest to the first blob, and so would leave the first piece with nothing or with what is far.
        ((0.0, 60.0), (40.0, 95.0), [(0, 0), (1, 1)]),
        # What is far off is the poorer for a lost piece whoever gets it: a good pair is not taken apart for it.
        ((0.0, 4.0), (1.0, -150.0), [(0, 0), (1, 1)]),
    ],
    ids=["the least way in all", "a poor pair takes no good one apart"],
)
def test_lost_pieces_are_taken_for_what_has_changed_with_the_least_cost_in_all(
    lost_mm: tuple[float, ...], blobs_mm: tuple[float, ...], pairs: list[tuple[int, int]]
) -> None:
    tracks = [lost_at(number, x_mm) for number, x_mm in enumerate(lost_mm)]
    costs = {
        (row, index): cost
        for row, track in enumerate(tracks)
        for index, x_mm in enumerate(blobs_mm)
        if (cost := cost_of(track, blob_at(x_mm), FRAME_NS, 0, 0.0, Prediction(DEFAULT_BOARD))) is not None
    }
    assert assign(costs, DOUBTFUL) == pairs
    assert max(costs.values()) < DOUBTFUL
