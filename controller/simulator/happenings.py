"""What the simulated table says as time goes by, in order: frames due, beams that change, decisions to wait for.

Plain values between the table and whoever drives it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Literal

from controller.events.beams import Beam
from controller.events.match import Answer, Event, Shot
from controller.events.ruling import Ruling
from controller.events.words import Pocket
from controller.simulator.scenario import Fault


@dataclass(frozen=True, slots=True)
class FrameDue:
    """The camera exposes; `t_s` is the middle. `lost`: the frame never leaves the camera."""

    t_s: float
    number: int
    lost: bool = False
    shake_px: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class BeamChange:
    """A beam is broken or free again."""

    t_s: float
    pocket: Pocket
    beam: Beam
    blocked: bool


@dataclass(frozen=True, slots=True)
class Knocked:
    """The camera's stand was knocked: from now on it hangs a little differently."""

    t_s: float
    shift_mm: tuple[float, float, float]
    turn_deg: float


@dataclass(frozen=True, slots=True)
class TrueRuling:
    """A true event and the true umpire's ruling on it, for the record."""

    t_s: float
    event: Event
    ruling: Ruling


@dataclass(slots=True)
class Decision:
    """The table waits here: pictures go on, nothing moves, until `release` is called.

    `kind`: `ruling` (a stroke has come to rest; `shot` and `ruling` are the truth), `drop` (a piece fell between
    strokes), `missing` (a due was not placed or a wrong coin was), `correct` (the umpire should put right the reading
    of stroke number `stroke`, as `shot` says), `ready` (everything has been put back; the next stroke may come),
    `over` (the match is over; released, a new one begins).
    `ruling` is what the engine says at once, `final` what stands once the true umpire has answered its questions with
    `answers` (a flag that was raised is a foul: it did happen).
    `slip`: the simulated umpire is meant to answer this stroke's question wrongly, so that `correct` can follow.
    """

    kind: Literal["ruling", "drop", "missing", "correct", "ready", "over"]
    t_s: float
    stroke: int
    shot: Shot | None = None
    ruling: Ruling | None = None
    final: Ruling | None = None
    answers: tuple[Answer, ...] = ()
    event: Event | None = None
    faults: frozenset[Fault] = frozenset()
    goal: str = ""
    slip: bool = False
    _released: threading.Event = field(default_factory=threading.Event)

    def release(self) -> None:
        """Lets the table go on. May be called from any thread, more than once."""
        self._released.set()

    @property
    def released(self) -> bool:
        """Whether the table may go on."""
        return self._released.is_set()


Happening = FrameDue | BeamChange | Knocked | TrueRuling | Decision
