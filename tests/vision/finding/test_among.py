"""White and black told apart by what lies there together."""

from __future__ import annotations

import numpy as np
import pytest

from controller.vision.finding.among import tones_among

LIGHT, DARK = np.array((-0.5, -0.55, -0.4)), np.array((-1.3, -1.35, -1.3))


def board(whites: int, blacks: int, swapped: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Tones and odds of a browned set; `swapped` whites are, one by one, rather taken for black."""
    rng = np.random.default_rng(3)
    tones = np.concatenate((np.tile(LIGHT, (whites, 1)), np.tile(DARK, (blacks, 1)))) + rng.normal(
        0, 0.05, (whites + blacks, 3)
    )
    odds = np.tile((0.0, 0.9, 0.1, 0.0, 0.0), (whites + blacks, 1))
    odds[whites:] = odds[:swapped] = (0.0, 0.1, 0.9, 0.0, 0.0)
    return tones, odds


@pytest.mark.parametrize("swapped", [0, 2])
def test_the_tones_are_the_middles_of_what_belongs_together(swapped: int) -> None:
    found = tones_among(*board(6, 5, swapped))
    assert found is not None
    assert np.allclose(found["white"].mean, LIGHT, atol=0.06)
    assert np.allclose(found["black"].mean, DARK, atol=0.06)


def test_nothing_is_told_of_one_colour_alone_or_of_two_that_look_alike() -> None:
    assert tones_among(*board(6, 1)) is None
    tones, odds = board(5, 5)
    assert tones_among(np.tile(LIGHT, (10, 1)), odds) is None
    assert tones_among(tones[:0], odds[:0]) is None
