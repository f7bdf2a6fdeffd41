"""What is done to weights as numbers: the mean of two nets, and what 8 bits and the names of an exported net mean."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.teach.detector_weights import halfway, meant, module_of


def test_the_mean_lies_halfway_between_both_whatever_their_order() -> None:
    one = {"first.weight": np.array([[1.0, -2.0]]), "first.bias": np.array([0.5])}
    other = {"first.bias": np.array([1.5]), "first.weight": np.array([[3.0, 2.0]])}
    for mean in (halfway(one, other), halfway(other, one)):
        assert mean["first.weight"].tolist() == [[2.0, 0.0]]
        assert mean["first.bias"].tolist() == [1.0]
    assert one["first.weight"].tolist() == [[1.0, -2.0]]


@pytest.mark.parametrize(
    "other",
    [{"weight": np.zeros((2, 1))}, {"weight": np.zeros((2, 3)), "bias": np.zeros(2)}, {}],
    ids=["another width", "one more", "one less"],
)
def test_two_different_nets_have_no_mean(other: dict[str, np.ndarray]) -> None:
    """Arrays of one and of three columns could be added."""
    with pytest.raises(ValueError, match=r"two different nets: (weight|bias)"):
        halfway({"weight": np.zeros((2, 3))}, other)


def test_eight_bits_stand_for_steps_from_zero_each_channel_with_its_own() -> None:
    stored = np.array([[-128, 0, 127], [10, 20, 30]], dtype=np.int8)
    by_row = meant(stored, np.array([0.5, 0.1], np.float32), np.array([0, 10], np.int8), 0)
    assert by_row == pytest.approx(np.array([[-64.0, 0.0, 63.5], [0.0, 1.0, 2.0]]))
    by_column = meant(stored, np.array([1.0, 2.0, 3.0]), np.zeros(3, np.int8), 1)
    assert by_column.tolist() == [[-128.0, 0.0, 381.0], [10.0, 40.0, 90.0]]
    assert meant(stored, np.array(2.0), np.array(-128, np.int8), 0)[0].tolist() == [0.0, 256.0, 510.0]


@pytest.mark.parametrize(
    ("node", "module"),
    [
        ("/up1/Conv", "up1"),
        ("/head/head.1/Conv", "head.1"),
        ("/eyes/eyes.0/eyes.0.0/Conv", "eyes.0.0"),
        ("/fine/first/first.0/Conv", "fine.first.0"),
        ("/down/down.1/second/second.0/Conv", "down.1.second.0"),
    ],
)
def test_a_node_is_named_after_the_module_that_it_was(node: str, module: str) -> None:
    assert module_of(node) == module
