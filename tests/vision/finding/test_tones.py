"""What a lamp in the polish leaves of a colour: pink is red, and how pale a grey is says nothing."""

from __future__ import annotations

import numpy as np
import pytest

from controller.vision.finding.nets import KINDS
from controller.vision.finding.tones import GAMMA, unveiled
from controller.vision.looks import TONE_OFFSET, Look

WOOD = np.log(np.array((110.0, 160.0, 195.0)) + TONE_OFFSET)
SET = {
    "white": Look((0.0, 0.0, 0.0), (0.1,) * 3),
    "black": Look((-1.0, -1.2, -1.3), (0.1,) * 3),
    "queen": Look((-0.9, -1.3, -0.2), (0.1,) * 3),
}


def told(kind: str, share: float, veil: float, odds: tuple[float, ...]) -> np.ndarray:
    """What becomes of odds where a piece shows a share of its own light and a veil, which is a share of the wood's."""
    light = ((np.exp(WOOD + SET[kind].mean) - TONE_OFFSET) / 255.0) ** GAMMA
    board = (((np.exp(WOOD) - TONE_OFFSET) / 255.0) ** GAMMA).mean()
    seen = 255.0 * np.clip(light * share + veil * board, 0.0, 1.0) ** (1.0 / GAMMA)
    tone = np.log(seen + TONE_OFFSET) - WOOD
    return unveiled(np.array((odds,)), tone[None], WOOD[None], SET)[0]


@pytest.mark.parametrize("kind", ["white", "black", "queen"])
@pytest.mark.parametrize(("share", "veil"), [(1.0, 0.0), (0.7, 0.0), (1.0, 0.15), (0.8, 0.3)])
def test_in_shade_and_under_a_lamp_the_queen_is_told_from_the_others(kind: str, share: float, veil: float) -> None:
    odds = told(kind, share, veil, (0.01, 0.33, 0.33, 0.32, 0.01))
    assert (odds[KINDS.index("queen")] > 0.5) == (kind == "queen")


@pytest.mark.parametrize("other", ["white", "black"])
def test_a_pink_top_is_the_queen_although_the_nets_rather_name_another(other: str) -> None:
    odds = [0.01, 0.05, 0.05, 0.1, 0.01]
    odds[KINDS.index(other)] += 0.78
    assert KINDS[int(told("queen", 0.9, 0.3, tuple(odds)).argmax())] == "queen"


def test_nothing_and_strikers_stay_as_likely_as_they_were() -> None:
    odds = told("queen", 1.0, 0.2, (0.2, 0.3, 0.1, 0.1, 0.3))
    assert odds[0] == pytest.approx(0.2)
    assert odds[4] == pytest.approx(0.3)
    assert odds.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("veil", [0.0, 0.6])
def test_how_pale_a_grey_is_makes_no_black_a_white(veil: float) -> None:
    odds = told("black", 0.8, veil, (0.0, 0.2, 0.75, 0.05, 0.0))
    assert odds[1] / odds[2] == pytest.approx(0.2 / 0.75)
    assert unveiled(np.zeros((0, 5)), np.zeros((0, 3)), np.zeros((0, 3)), SET).shape == (0, 5)
