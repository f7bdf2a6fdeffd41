"""Makes one shot per stroke from observations of the camera and beam events: a pure core.

`begin` gives a state, `step` takes one observation, beam event, expectation or tick and returns the next state and
its outputs. Knows no rulebook; has no clock, file, thread or pixel.
"""

from controller.shots.limits import Limits
from controller.shots.liveness import Tick
from controller.shots.machine import Input, begin, restart, step
from controller.shots.outputs import (
    Armed,
    Choice,
    Clearance,
    DropRead,
    Evidence,
    Felt,
    Mismatch,
    Output,
    Phase,
    PlacedRead,
    Practice,
    PulseNote,
    Ready,
    SeenRead,
    ShotRead,
)
from controller.shots.state import ShotState

__all__ = [
    "Armed",
    "Choice",
    "Clearance",
    "DropRead",
    "Evidence",
    "Felt",
    "Input",
    "Limits",
    "Mismatch",
    "Output",
    "Phase",
    "PlacedRead",
    "Practice",
    "PulseNote",
    "Ready",
    "SeenRead",
    "ShotRead",
    "ShotState",
    "Tick",
    "begin",
    "restart",
    "step",
]
