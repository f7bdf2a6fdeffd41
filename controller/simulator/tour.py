"""The tour: some twelve strokes that show what the umpire does, each searched for so that it really happens.

A goal is a wanted outcome for whoever is on turn. Knows which outcomes make a good show; the rules stay the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from controller.events.words import Colour, Seat
from controller.simulator.motion import Motion, Pose
from controller.simulator.physics import Material
from controller.simulator.pieces import PieceSet, names_of
from controller.simulator.players import Stroke, break_stroke, fell, play_out, search
from controller.simulator.scenario import Fault


@dataclass(frozen=True, slots=True)
class Turn:
    """What a goal may look at: who plays, with which colour, on which position, how many own pieces are in hand."""

    seat: Seat
    colour: Colour
    lying: Mapping[int, Pose]
    in_hand: int
    opening: bool


@dataclass(frozen=True, slots=True)
class Goal:
    """A wanted outcome. `targets`: kinds of pieces to aim at; `slip`: the simulated umpire answers wrongly at first.

    `patience`: in how many strokes it is searched for before it is given up.
    """

    name: str
    wanted: Callable[[Motion, Turn], bool]
    targets: tuple[str, ...] = ("own",)
    when: Callable[[Turn], bool] = lambda turn: not turn.opening
    faults: frozenset[Fault] = frozenset()
    slip: bool = False
    patience: int = 2


def _own(motion: Motion, turn: Turn) -> bool:
    return fell(motion) == [turn.colour]


def _two(motion: Motion, turn: Turn) -> bool:
    fallen = fell(motion)
    return len(fallen) == 2 and turn.colour in fallen and not {"striker", "queen"} & set(fallen)


TOUR: tuple[Goal, ...] = (
    Goal("break", lambda m, t: fell(m) == [t.colour], when=lambda t: t.opening),
    Goal("own coin", _own),
    Goal(
        "striker pocketed",
        lambda m, _: fell(m) == ["striker"],
        ("any",),
        lambda t: not t.opening and t.in_hand >= 2,
        patience=4,
    ),
    Goal("own coin", _own),
    Goal("question", _own, faults=frozenset({"hidden_fall"}), slip=True),
    Goal("miss", lambda m, _: not m.falls and bool(m.hits), ("any",)),
    Goal(
        "queen", lambda m, _: fell(m) == ["queen"], ("queen",), lambda t: not t.opening and t.in_hand >= 1, patience=6
    ),
    Goal("cover", _own),
    Goal("two coins", _two),
    Goal("opponent's coin", lambda m, t: fell(m) == [_other(t.colour)], ("other",)),
    Goal("own coin", _own),
    Goal("miss", lambda m, _: not m.falls and bool(m.hits), ("any",)),
)


def _other(colour: Colour) -> Colour:
    return "black" if colour == "white" else "white"


def reach(
    goal: Goal, turn: Turn, pieces: PieceSet, material: Material, rng: np.random.Generator, tries: int = 220
) -> Stroke | None:
    """Looks for a stroke that reaches a goal; None if the position does not offer one."""
    if not goal.when(turn):
        return None
    if turn.opening:
        for _ in range(60):
            stroke = break_stroke(turn.seat, turn.lying, pieces, rng)
            if goal.wanted(play_out(stroke, turn.lying, pieces, material), turn):
                return stroke
        return None
    kinds: dict[str, Sequence[str]] = {
        "own": (turn.colour,),
        "other": (_other(turn.colour),),
        "queen": ("queen",),
        "any": ("white", "black", "queen"),
    }
    targets = [n for kind in goal.targets for piece in kinds[kind] for n in names_of(pieces, piece, turn.lying)]  # type: ignore[arg-type]
    found = search(lambda m: goal.wanted(m, turn), turn.seat, targets, turn.lying, pieces, material, rng, tries)
    return None if found is None else found[0]
