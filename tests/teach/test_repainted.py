"""What is painted anew: whites become queens, in the truth too, strikers get rings, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from controller.vision.looks import Look
from scripts.teach import repainted as painting
from scripts.teach.repainted import repainted
from tests.teach.test_added import RADII, flat

TONES = {
    "white": Look((-0.1, -0.1, -0.1), (0.1,) * 3),
    "black": Look((-1.5, -1.5, -1.5), (0.1,) * 3),
    "queen": Look((-1.3, -1.4, -0.3), (0.1,) * 3),
}
TRUTH = np.array([(1, -200.0, -200.0, 1.0), (1, 0.0, 200.0, 0.6), (2, 0.0, 0.0, 1.0), (4, 250.0, -100.0, 1.0)])
GREY = np.full((640, 640, 3), 120, np.uint8)


def changed(picture: np.ndarray, row: np.ndarray) -> float:
    """The share of a top that is not as it was."""
    column, line = (round(float(at)) for at in flat().to_grid(row[None, 1:3])[0])
    return float((picture[line - 8 : line + 9, column - 8 : column + 9] != GREY[0, 0]).any(2).mean())


def test_a_white_becomes_a_queen_of_the_tables_own_red(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painting, "QUEENS", 1.0)
    monkeypatch.setattr(painting, "RINGS", 0.0)
    monkeypatch.setattr(painting, "UNLIKE", 0.0)
    picture, truth = repainted(flat(), GREY, TRUTH, RADII, TONES, np.random.default_rng(1))
    assert truth[:, 0].tolist() == [3, 1, 2, 4], "only the white that is seen whole"
    assert np.array_equal(truth[:, 1:], TRUTH[:, 1:])
    column, line = (round(float(at)) for at in flat().to_grid(TRUTH[:1, 1:3])[0])
    tone = np.log(picture[line, column].astype(float) + 12.0) - np.log(132.0)
    assert tone == pytest.approx(np.subtract(TONES["queen"].mean, TONES["white"].mean), abs=0.02)
    assert [changed(picture, row) for row in TRUTH[1:]] == [0.0, 0.0, 0.0]
    soft_px = 3.0
    assert (picture != GREY).any(2).sum() < np.pi * (RADII[1] * flat().scale + soft_px) ** 2


def test_a_striker_gets_rings_and_stays_a_striker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painting, "QUEENS", 0.0)
    monkeypatch.setattr(painting, "RINGS", 1.0)
    seen = [repainted(flat(), GREY, TRUTH, RADII, TONES, np.random.default_rng(seed)) for seed in range(8)]
    assert all(np.array_equal(truth, TRUTH) for _, truth in seen)
    assert max(changed(picture, TRUTH[3]) for picture, _ in seen) > 0.5
    assert all(changed(picture, row) == 0.0 for picture, _ in seen for row in TRUTH[:3])


def test_what_the_camera_could_not_show_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painting, "QUEENS", 1.0)
    burnt = np.full_like(GREY, 255)
    picture, _ = repainted(flat(), burnt, TRUTH, RADII, TONES, np.random.default_rng(1))
    assert np.array_equal(picture, burnt)
