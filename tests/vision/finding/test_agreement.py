"""What the nets of patches and the detector say together of one place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from controller.vision.finding.agreement import denied, lie_flat, named_by_both
from controller.vision.finding.candidates import Discs
from controller.vision.finding.detector import Detected
from controller.vision.finding.nets import KINDS
from controller.vision.looks import Looks

LOOKS = Looks(31.0, 8.0, 41.0, 11.0)


def discs(*odds: float) -> Discs:
    """One disc in the middle: odds of none, white, black, queen, striker."""
    return Discs(np.zeros((1, 2)), np.array([odds]), np.ones(1), np.array([15.5]))


def detects(odds: Sequence[float], x_mm: float = 0.0) -> Detected:
    """One place: the same odds, and of a piece on its edge."""
    return Detected(np.array([(x_mm, 0.0)]), np.array([[*odds, 0.0]]), np.ones(1))


@pytest.mark.parametrize(
    ("patches", "detector", "name"),
    [
        ((0.0, 0.6, 0.4, 0.0, 0.0), (0.0, 0.1, 0.9, 0.0, 0.0), "black"),
        ((0.0, 0.9, 0.1, 0.0, 0.0), (0.0, 0.4, 0.6, 0.0, 0.0), "white"),
        ((0.0, 0.2, 0.0, 0.0, 0.8), (0.0, 0.7, 0.0, 0.0, 0.3), "striker"),
    ],
    ids=["the detector is surer", "the patches are surer", "it is a striker by its patch"],
)
def test_a_piece_is_named_by_both(patches: tuple[float, ...], detector: tuple[float, ...], name: str) -> None:
    both = named_by_both(discs(*patches), detects(detector), LOOKS)
    assert KINDS[int(both.odds[0].argmax())] == name
    assert both.odds.sum() == pytest.approx(1.0)
    assert both.radius_mm[0] == (20.5 if name == "striker" else 15.5)


@pytest.mark.parametrize(("patches", "detector"), [(0.1, 0.4), (0.4, 0.1)])
def test_a_piece_is_as_sure_as_to_the_one_that_doubts_it(patches: float, detector: float) -> None:
    both = named_by_both(discs(patches, 1.0 - patches, 0, 0, 0), detects((detector, 1.0 - detector, 0, 0, 0)), LOOKS)
    assert both.odds[0, 0] == 0.4


@pytest.mark.parametrize(("x_mm", "is_denied"), [(0.0, False), (6.0, False), (12.0, True)])
def test_what_the_detector_does_not_see_is_denied(x_mm: float, is_denied: bool) -> None:
    one = discs(0.0, 1.0, 0.0, 0.0, 0.0)
    assert denied(one, detects((0.6, 0.4, 0.0, 0.0, 0.0), x_mm)).tolist() == [is_denied]


def test_no_disc_lies_where_a_piece_stands_on_its_edge() -> None:
    one = discs(0.0, 1.0, 0.0, 0.0, 0.0)
    assert lie_flat(one, np.zeros((0, 2))).tolist() == [True]
    assert lie_flat(one, np.array([(15.0, 0.0)])).tolist() == [False]
    assert lie_flat(one, np.array([(16.0, 0.0)])).tolist() == [True]


def test_a_detector_that_sees_nothing_denies_all_and_names_none() -> None:
    nothing = Detected(np.zeros((0, 2)), np.zeros((0, 6)), np.zeros(0))
    one = discs(0.1, 0.2, 0.7, 0.0, 0.0)
    assert denied(one, nothing).tolist() == [True]
    assert named_by_both(one, nothing, LOOKS).odds[0] == pytest.approx(one.odds[0])


def test_of_two_queens_the_less_likely_is_none() -> None:
    """A white in red light that both nets rather take for a queen, beside her."""
    odds = np.array([(0.0, 0.3, 0.0, 0.7, 0.0), (0.0, 0.0, 0.01, 0.99, 0.0), (0.0, 0.9, 0.1, 0.0, 0.0)])
    three = Discs(np.array([(-50.0, 0.0), (0.0, 0.0), (50.0, 0.0)]), odds, np.ones(3), np.full(3, 15.5))
    nothing = Detected(np.zeros((0, 2)), np.zeros((0, 6)), np.zeros(0))
    both = named_by_both(three, nothing, LOOKS)
    assert [KINDS[int(of.argmax())] for of in both.odds] == ["white", "queen", "white"]
    assert both.odds.sum(1) == pytest.approx([1.0] * 3)
    assert both.odds[2].tolist() == pytest.approx(odds[2])
    alone = named_by_both(three.part(np.array([True, False, True])), nothing, LOOKS)
    assert KINDS[int(alone.odds[0].argmax())] == "queen", "the only one stays"
