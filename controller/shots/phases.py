"""The phases between two strokes: one table of states and cues, drawn in docs/reference/phases.md.

The phase is for people and for choosing what is examined; the facts of a stroke never depend on it, so that late or
reordered input cannot change a shot. Must not know of pieces or positions.
"""

from __future__ import annotations

from typing import Literal

State = Literal["off", "setting_up", "respotting", "waiting", "placed", "struck", "settling", "settled", "blind"]
Cue = Literal[
    "play_stopped",
    "opening",
    "to_place",
    "ready",
    "striker_down",
    "striker_up",
    "motion",
    "stroke_said",
    "hand_work",
    "shot_read",
    "camera_lost",
    "camera_back",
]

MEANING: dict[State, str] = {
    "off": "strokes do not count: paused, over, or not begun",
    "setting_up": "the opening arrangement is awaited",
    "respotting": "dues or returned pieces wait to be placed",
    "waiting": "at rest, the striker is not on a base line",
    "placed": "the striker lies on a base line",
    "struck": "something moves",
    "settling": "at rest again, beams and vision have not yet reported everything",
    "settled": "the stroke is read, its ruling is awaited",
    "blind": "no camera: beams only",
}

_BOOK: dict[Cue, State] = {
    "play_stopped": "off",
    "opening": "setting_up",
    "to_place": "respotting",
    "ready": "waiting",
}
_AT_REST: dict[Cue, State] = {
    **_BOOK,
    "motion": "struck",
    "stroke_said": "settling",
    "camera_lost": "blind",
}

TABLE: dict[State, dict[Cue, State]] = {
    "off": {"opening": "setting_up", "to_place": "respotting", "ready": "waiting", "camera_lost": "blind"},
    "setting_up": {**_AT_REST, "striker_down": "placed"},
    "respotting": {**_AT_REST, "striker_down": "placed"},
    "waiting": {**_AT_REST, "striker_down": "placed"},
    "placed": {**_AT_REST, "ready": "placed", "striker_up": "waiting"},
    "struck": {
        "play_stopped": "off",
        "stroke_said": "settling",
        "hand_work": "waiting",
        "shot_read": "settled",
        "camera_lost": "blind",
    },
    "settling": {"play_stopped": "off", "shot_read": "settled", "camera_lost": "blind", "motion": "struck"},
    "settled": {**_AT_REST, "striker_down": "placed"},
    "blind": {"play_stopped": "off", "camera_back": "waiting"},
}
"""What is not listed leaves the state as it is."""


IN_STROKE: tuple[State, ...] = ("struck", "settling")
"""The phases in which a stroke is under way: something moves, or is still being read."""


def follow(state: State, cue: Cue) -> State:
    """Returns the state after a cue."""
    return TABLE[state].get(cue, state)


def drawing() -> str:
    """Returns the table as a Mermaid state diagram, cues between the same two states on one arrow."""
    lines = ["stateDiagram-v2", "    [*] --> off"]
    lines += [f"    {state}: {state}<br/>{meaning}" for state, meaning in MEANING.items()]
    for state, row in TABLE.items():
        arrows: dict[State, list[str]] = {}
        for cue, target in row.items():
            if target != state:
                arrows.setdefault(target, []).append(cue)
        lines += [f"    {state} --> {target}: {', '.join(cues)}" for target, cues in arrows.items()]
    return "\n".join(lines)
