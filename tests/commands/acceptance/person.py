"""A person who makes a whole acceptance, with a perfect camera."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from calibration.board import DEFAULT_BOARD
from controller.commands.acceptance.plan import Step, steps_of
from controller.commands.acceptance.session import LOOKS, Acceptance, Guidance, Seen
from controller.commands.acceptance.verdict import Verdict, verdict_of
from controller.events.beams import Beam
from controller.events.words import Pocket
from controller.pockets.pulses import Passage, Pulse

MM = DEFAULT_BOARD.striker_diameter_mm
PLAN = steps_of(DEFAULT_BOARD, (MM, MM), 1.0, beams=True)
BARE = Seen((), 0, covered=False, light=120.0)
MS = 1_000_000


def fall(pocket: Pocket, direction: str = "in") -> Passage:
    beams: tuple[Beam, ...] = ("upper", "lower")
    pulses = tuple(Pulse(pocket, beam, n * MS, (n + 12) * MS, 12 * MS) for n, beam in enumerate(beams))
    return Passage(pocket, direction, 0, pulses)  # type: ignore[arg-type]


def exact(step: Step, off_mm: float = 0.0) -> Seen:
    """What a perfect camera sees, `off_mm` to the east."""
    there = tuple((spot.x_mm + off_mm, spot.y_mm) for spot in step.spots)
    return Seen(there, len(there), covered=False, light=120.0 if step.kind != "lamps off" else 40.0)


def go(
    acceptance: Acceptance,
    look: Callable[[Step], Seen] = exact,
    coins: Callable[[Step], int] = lambda step: 5,
) -> list[Guidance]:
    """A person who does what is asked for, and does it again when asked again."""
    said = list(acceptance.begin())
    before = None
    while (step := acceptance.step) is not None:
        said += acceptance.see(replace(BARE, covered=True))
        if step == before and step.kind.startswith("lamps"):
            said += acceptance.press("done")
        before = step
        if step.kind == "coins":
            assert step.pocket is not None
            for _ in range(coins(step)):
                said += acceptance.felt(fall(step.pocket))
            said += acceptance.press("done")
            continue
        seen = look(step)
        for _ in range(LOOKS):
            said += acceptance.see(seen)
    return said


def judged(acceptance: Acceptance) -> Verdict:
    return verdict_of(acceptance.steps, acceptance.measured, "match", beams=True)
