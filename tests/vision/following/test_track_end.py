"""How a track ends by a pocket: at rest on its rim, or in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import SeenPiece
from controller.vision.following.tracks import STILL_FRAMES, Measurement, PieceTrack, life_of


def at_the_rim(piece: str, away_mm: float) -> PieceTrack:
    """A piece that has come to lie so far from a pocket's centre, seen there in several pictures."""
    at = DEFAULT_BOARD.pocket_centre_mm - away_mm / 2**0.5
    start = SeenPiece(piece, 100.0, 100.0, 0.5)
    marks = [Measurement(n * 16_666_667, at, at) for n in range(1, 9)]
    return PieceTrack(3, piece, DEFAULT_BOARD.radius_mm(piece), start, 0, marks=marks, steady=STILL_FRAMES)


@pytest.mark.parametrize(
    ("piece", "away_mm", "fell"),
    [("white", 18.1, False), ("white", 16.2, False), ("white", 14.0, True), ("striker", 9.0, False)],
)
def test_what_lies_on_the_rim_is_at_rest_and_what_is_past_it_falls(piece: str, away_mm: float, fell: bool) -> None:
    life = life_of(at_the_rim(piece, away_mm), DEFAULT_BOARD, 200_000_000, lambda: 0.0)
    assert life == ("gone" if fell else "still")


@pytest.mark.parametrize(
    ("at", "under_hand", "missed", "life"),
    [
        ((100.0, 380.0), 0.0, 2, "gone"),
        ((100.0, 100.0), 0.5, 2, "gone"),
        ((100.0, 100.0), 0.0, 2, "moving"),
        ((100.0, 380.0), 0.5, 1, "moving"),
    ],
    ids=["over the frame", "under a hand", "in the open", "missed once"],
)
def test_what_is_missed_twice_over_the_frame_or_under_a_hand_is_no_longer_searched_for(
    at: tuple[float, float], under_hand: float, missed: int, life: str
) -> None:
    track = replace(at_the_rim("white", 100.0), marks=[Measurement(0, *at)], missed=missed)
    assert life_of(track, DEFAULT_BOARD, 40_000_000, lambda: under_hand) == life
