"""What may go wrong, and how often: named scenarios of players' faults and of failing sensors.

Odds are per stroke. `hidden_fall`: what falls does so under a hand, and that pocket's beams are blind. Knows nothing
of how a fault is played or noticed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from controller.events.beams import Beam
from controller.events.words import Pocket
from controller.simulator.players import Skill

Fault = Literal[
    "one_line", "cut_circle", "arrow", "touching", "push", "backward", "hand_touched_piece", "two_hands", "out_of_turn",
    "leap", "due_forgotten", "due_wrong_colour", "lost_beam", "insect", "stalled_camera", "dropped_frames", "bump",
    "hand_over_pocket", "hidden_fall", "rim_hanger_falls",
]  # fmt: skip
PLAYERS_FAULTS: tuple[Fault, ...] = (
    "one_line", "cut_circle", "arrow", "touching", "push", "backward", "hand_touched_piece", "two_hands", "out_of_turn",
    "leap", "due_forgotten", "due_wrong_colour",
)  # fmt: skip
SENSOR_FAULTS: tuple[Fault, ...] = (
    "lost_beam",
    "insect",
    "stalled_camera",
    "dropped_frames",
    "bump",
    "hand_over_pocket",
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A way of playing. `dead_beams` never answer; `skills` by order of seats, the last one for all further seats.

    `outcomes`: the tour's goals, by name, that happen to players now and then, with their odds per stroke.
    """

    name: str
    odds: dict[Fault, float] = field(default_factory=dict)
    skills: tuple[Skill, ...] = (Skill(0.3), Skill(0.55))
    dead_beams: tuple[tuple[Pocket, Beam], ...] = ()
    tour: bool = False
    outcomes: dict[str, float] = field(default_factory=lambda: {"striker pocketed": 0.05, "opponent's coin": 0.05})

    def draw(self, rng: np.random.Generator) -> frozenset[Fault]:
        """The faults of one stroke. At most one of the players' and one of the sensors'."""
        found = [fault for fault, odds in self.odds.items() if rng.random() < odds]
        first = [
            next((f for f in found if f in group), None) for group in (PLAYERS_FAULTS, (*SENSOR_FAULTS, "hidden_fall"))
        ]
        return frozenset(fault for fault in first if fault is not None)

    def outcome(self, rng: np.random.Generator) -> str | None:
        """What should befall the player in this stroke, if anything."""
        return next((name for name, odds in self.outcomes.items() if rng.random() < odds), None)

    def skill(self, order: int) -> Skill:
        """The skill of the player who sits at that place in the order."""
        return self.skills[min(order, len(self.skills) - 1)]


SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario("clean"),
        Scenario("tour", tour=True),
        Scenario(
            "faults",
            {**dict.fromkeys(PLAYERS_FAULTS, 0.025), **dict.fromkeys(SENSOR_FAULTS, 0.03), "rim_hanger_falls": 0.3},
        ),
        Scenario("players", dict.fromkeys(PLAYERS_FAULTS, 0.05)),
        Scenario("sensors", dict.fromkeys(SENSOR_FAULTS, 0.08)),
        Scenario("dead-beam", dead_beams=(("NE", "upper"), ("SW", "lower"))),
        Scenario("beginners", {"leap": 0.05, "one_line": 0.05}, (Skill(1.6, 0.2), Skill(2.2, 0.25))),
    )
}
