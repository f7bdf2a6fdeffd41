"""Which ways to explain a stroke are worth a doubt."""

from __future__ import annotations

import pytest

from controller.shots.fusion import Hypothesis, JointHypothesis
from controller.shots.limits import Limits
from controller.shots.outcome import outcomes_of

AVAILABLE = {"white": 9, "black": 9, "queen": 1, "striker": 1}
IN_NE, IN_SW, OFF = Hypothesis("1", "fell", "NE"), Hypothesis("1", "fell", "SW"), Hypothesis("1", "off")


@pytest.mark.parametrize(
    ("other", "weight", "doubted"),
    [
        ((IN_NE, "black"), 0.003, False),
        ((IN_NE, "black"), 0.006, True),
        ((IN_SW, "white"), 0.003, True),
        ((OFF, "white"), 0.003, True),
        ((OFF, "white"), 0.0005, False),
    ],
    ids=["class", "class, likelier", "pocket", "leap", "leap, unlikely"],
)
def test_a_class_is_doubted_from_a_higher_weight_on_than_what_became_of_a_piece(other, weight, doubted):
    found = outcomes_of(
        [
            JointHypothesis((IN_NE,), ("white",), 1.0 - weight),
            JointHypothesis((other[0],), (other[1],), weight),
        ],
        AVAILABLE,
        Limits(),
    )
    assert (len(found) == 2) is doubted
    assert sum(one.weight for one in found) == pytest.approx(1.0)
