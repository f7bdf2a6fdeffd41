"""The guided calibration at a live camera: says what to show, takes pictures by itself, refuses bad ones and says why.

A picture is taken when the camera sees the same thing for a moment. What is taken goes the same way as pictures from
files (`guided_calibration.py`). Frames and times in, words out: must not know cameras, files or screens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from calibration.camera import CameraModel, Floats
from calibration.target import TargetError, board_corners, enough_corners, fit_lens
from calibration.thickness import raised_by
from controller.events.errors import ConfigError
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import WORST_LENS_PX, Made, calibrate
from controller.vision.looks import Pixels
from controller.vision.posing import RefusedError, Tell
from controller.vision.quality import saturated, sharpness

STILL_NS = 700_000_000
AGAIN_NS = 4_000_000_000
"""A picture that was refused is examined again after this time, even if nothing seems to have changed."""

SMALL = (80, 45)
CALM, STIRRED = 1.6, 3.0
"""Mean and largest-part difference in grey levels between two pictures of one thing; beyond the second it moved."""

LEAST_CORNERS = 14
LEAST_SHARP = 0.1
LEAST_TILT_DEG = 14.0
MOST_WHITE = 0.02

Phase = Literal["watching", "judging", "waiting", "done"]
Event = Literal["still", "taken", "refused", "changed", "late", "complete"]
PHASES: dict[tuple[Phase, Event], Phase] = {
    ("watching", "still"): "judging",
    ("judging", "taken"): "waiting",
    ("judging", "refused"): "waiting",
    ("judging", "complete"): "done",
    ("waiting", "changed"): "watching",
    ("waiting", "late"): "watching",
}
"""What is not named changes nothing."""


@dataclass(frozen=True, slots=True)
class Guidance:
    """Words for whoever stands at the board: what to `do`, that a picture was `taken` or `refused`, the `result`."""

    kind: Literal["do", "taken", "refused", "result"]
    says: str


@dataclass(frozen=True, slots=True)
class Step:
    """One picture that is wanted. `part` is where it goes; `zone` in thirds of the picture, `tilted` for the lens."""

    part: Literal["lens", "empty", "flat", "on_coins", "on_striker", "opening"]
    says: str
    zone: tuple[int, int] | None = None
    tilted: bool = False


_Camera = Callable[[], CameraModel]
_Take = Callable[[Inputs, Step, Pixels, _Camera], Inputs]
"""Adds a picture to the inputs, or raises ConfigError or TargetError with the reason why not."""

_ROWS, _COLUMNS = ("upper", "middle", "lower"), ("left", "centre", "right")


def _lens_steps() -> tuple[Step, ...]:
    steps = []
    for row, column in ((0, 0), (0, 2), (2, 2), (2, 0), (1, 1), (0, 1), (2, 1)):
        where = "centre" if (row, column) == (1, 1) else f"{_ROWS[row]} {_COLUMNS[column]}"
        steps.append(Step("lens", f"show the target in the {where} of the picture", (row, column)))
    for towards in ("left edge", "right edge", "upper edge"):
        steps.append(Step("lens", f"tilt the target by a third: its {towards} towards the camera", None, True))
    return tuple(steps)


LENS_STEPS = _lens_steps()
EMPTY = Step("empty", "lay the target away and take all pieces off the board")
OPENING = Step("opening", "set up the opening arrangement, all pieces touching, no striker, hands away")
THICKNESS = (
    Step("flat", "lay the target flat on the middle of the empty board"),
    Step("on_coins", "lay the target at the same place on four coins, one under each corner"),
    Step("on_striker", "lay the target at the same place on the striker alone, balanced"),
)


def steps_for(inputs: Inputs, *, thickness: bool = False) -> tuple[Step, ...]:
    """The pictures that are still missing. `thickness`: coins and striker are measured with the target."""
    steps: list[Step] = []
    if not inputs.lens:
        steps += LENS_STEPS
    if inputs.empty is None:
        steps.append(EMPTY)
    if thickness:
        steps += THICKNESS
    if inputs.opening is None:
        steps.append(OPENING)
    return tuple(steps)


class LiveCalibration:
    """One guided calibration. `inputs`: what is given already; `made` is there at the end. `report`: what was found in
    the picture of the board that was judged last (BGR). `tell` hears each step of judging, for it takes seconds.
    """

    def __init__(self, inputs: Inputs, steps: tuple[Step, ...], tell: Tell = lambda says: None) -> None:
        self._inputs = inputs
        self._tell = tell
        self.report: Pixels | None = None
        self._steps = steps
        self._index = 0
        self._phase: Phase = "watching"
        self._anchor: tuple[int, Floats] | None = None
        self._judged: tuple[int, Floats] | None = None
        self._model: CameraModel | None = None
        self.made: Made | None = None

    @property
    def step(self) -> Step | None:
        """What is wanted now; None when all is there."""
        return self._steps[self._index] if self._index < len(self._steps) else None

    def begin(self) -> tuple[Guidance, ...]:
        """The first thing to say. Raises ConfigError if nothing is wanted."""
        if not self._steps:
            raise ConfigError("every picture is given already. Fix: leave --live out")
        return (self._do(),)

    def watch(self) -> None:
        """Somebody says that it is shown now: the next picture that stays the same is judged, seen before or not."""
        self._phase, self._anchor = "watching", None

    def take(self, picture: Pixels) -> tuple[Guidance, ...]:
        """Judges a picture (h, w, 3) BGR at once; returns what there is to say."""
        self._phase = "judging"
        return self._judge(picture)

    def look(self, picture: Pixels, t_ns: int) -> tuple[Guidance, ...]:
        """Takes the next frame (h, w, 3) BGR with its time; returns what there is to say."""
        small = np.asarray(cv2.resize(_grey(picture), SMALL, interpolation=cv2.INTER_AREA), dtype=np.float64)
        if self._phase == "waiting" and self._judged is not None:
            since, before = self._judged
            if _apart(small, before) > STIRRED:
                self._to("changed")
            elif t_ns - since > AGAIN_NS:
                self._to("late")
        if self._phase != "watching":
            return ()
        if self._anchor is None or _apart(small, self._anchor[1]) > CALM or t_ns < self._anchor[0]:
            self._anchor = (t_ns, small)
            return ()
        if t_ns - self._anchor[0] < STILL_NS:
            return ()
        self._to("still")
        self._anchor, self._judged = None, (t_ns, small)
        return self._judge(picture)

    def _to(self, event: Event) -> None:
        self._phase = PHASES.get((self._phase, event), self._phase)

    def _do(self) -> Guidance:
        step = self._steps[self._index]
        return Guidance("do", f"{self._index + 1} of {len(self._steps)}: {step.says}")

    def _judge(self, picture: Pixels) -> tuple[Guidance, ...]:
        step = self._steps[self._index]
        try:
            inputs = _TAKE[step.part](self._inputs, step, picture, self._camera)
            last = self._index + 1 == len(self._steps)
            # The last picture of the board is judged by the whole calibration, and that is the result.
            made = calibrate(inputs, self._tell) if last or step.part == "empty" else None
            if made is not None:
                self._model, self.report = made.calibration.model, made.report
                _rack(made)
        except (ConfigError, TargetError) as error:
            self._to("refused")
            self.report = error.report if isinstance(error, RefusedError) else picture
            return (Guidance("refused", str(error)),)
        self._inputs = inputs
        taken = Guidance("taken", f"picture {self._index + 1} of {len(self._steps)} is taken")
        again = self._lens_again(step)
        if again is not None:
            self._to("refused")
            return (taken, again, self._do())
        self._index += 1
        if made is not None and last:
            self.made = made
            self._to("complete")
            return (taken, *(Guidance("result", line) for line in made.says))
        self._to("taken")
        return (taken, self._do())

    def _camera(self) -> CameraModel:
        """The calibrated camera, as far as the pictures of the lens and the empty board tell it."""
        if self._model is None:
            self._model = calibrate(replace(self._inputs, flat=(), on_coins=(), on_striker=())).calibration.model
        return self._model

    def _lens_again(self, step: Step) -> Guidance | None:
        """After the last lens picture: a bad one among them is asked for once more."""
        after = self._steps[self._index + 1].part if self._index + 1 < len(self._steps) else None
        if step.part != "lens" or after == "lens":
            return None
        lens = fit_lens(self._inputs.lens, self._inputs.target)
        if lens.rms_px <= WORST_LENS_PX:
            return None
        worst, off = lens.worst
        kept = [picture for k, picture in enumerate(self._inputs.lens) if k != worst]
        self._inputs = replace(self._inputs, lens=kept)
        wanted = [k for k, one in enumerate(self._steps) if one.part == "lens"][worst]
        # The one that is asked for again comes last, so that pictures and steps keep their order.
        steps = list(self._steps)
        steps.insert(self._index, steps.pop(wanted))
        self._steps = tuple(steps)
        return Guidance("refused", f"the lens pictures do not agree, one is off by {off:.1f} px: it is taken once more")


def _target(inputs: Inputs, step: Step, picture: Pixels, camera: _Camera) -> Inputs:
    luma = _grey(picture)
    numbers, places = enough_corners(luma, inputs.target, LEAST_CORNERS)
    h, w = luma.shape
    middle = places.mean(0)
    if step.zone is not None:
        seen = (min(int(3 * middle[1] / h), 2), min(int(3 * middle[0] / w), 2))
        # The target is large: reaching into a zone's direction is enough.
        off = np.array((middle[1] / h, middle[0] / w)) - (np.array(step.zone) + 0.5) / 3.0
        if seen != step.zone and np.abs(off).max() > 0.25:
            raise TargetError(f"the target is in the {_ROWS[seen[0]]} {_COLUMNS[seen[1]]}: {step.says}")
    if step.tilted:
        tilt = _tilt_deg(board_corners(inputs.target)[numbers], places, (w, h))
        if tilt < LEAST_TILT_DEG:
            raise TargetError(f"the target is tilted by {tilt:.0f}°, {LEAST_TILT_DEG:.0f}° are needed: {step.says}")
    if np.ptp(places, axis=0).min() < 0.12 * h:
        raise TargetError("the target is too small in the picture: bring it nearer to the camera")
    return replace(inputs, lens=[*inputs.lens, luma])


def _tilt_deg(true: Floats, places: Floats, size: tuple[int, int]) -> float:
    focal = 0.85 * max(size)
    K = np.array(((focal, 0, size[0] / 2), (0, focal, size[1] / 2), (0, 0, 1.0)))
    plane = np.concatenate((true, np.zeros((len(true), 1))), 1)
    _, turn, _ = cv2.solvePnP(plane, places, K, np.zeros(5))
    R, _ = cv2.Rodrigues(turn)
    return float(np.degrees(np.arccos(np.clip(abs(R[2, 2]), 0.0, 1.0))))


def _empty(inputs: Inputs, step: Step, picture: Pixels, camera: _Camera) -> Inputs:
    _clear(picture)
    return replace(inputs, empty=picture)


def _opening(inputs: Inputs, step: Step, picture: Pixels, camera: _Camera) -> Inputs:
    _clear(picture)
    return replace(inputs, opening=picture)


def _clear(picture: Pixels) -> None:
    luma = _grey(picture)
    whole = np.ones(luma.shape, dtype=np.bool_)
    sharp = sharpness(luma, whole)
    if sharp < LEAST_SHARP:
        raise ConfigError(f"out of focus ({sharp:.2f}, {LEAST_SHARP:.2f} is needed). Fix: focus the lens on the board")
    _, white = saturated(luma, whole)
    if white > MOST_WHITE:
        raise ConfigError(f"{white:.0%} of the picture is white. Fix: move the lamp, or shorten the exposure")


def _rack(made: Made) -> None:
    for line in made.says:
        if "is the rack right" in line:
            raise ConfigError(f"{line} Fix: set it up as the laws show it")


def _flat(inputs: Inputs, step: Step, picture: Pixels, camera: _Camera) -> Inputs:
    luma = _grey(picture)
    enough_corners(luma, inputs.target, LEAST_CORNERS)
    return replace(inputs, flat=[luma])


def _raised(part: Literal["on_coins", "on_striker"]) -> _Take:
    def take(inputs: Inputs, step: Step, picture: Pixels, camera: _Camera) -> Inputs:
        luma = _grey(picture)
        found = raised_by(inputs.flat, [luma], camera(), inputs.target)
        if not 3.0 <= found.height_mm <= 25.0:
            raise TargetError(f"the target lies {found.height_mm:.1f} mm high, no piece is so thick: {step.says}")
        return replace(inputs, on_coins=[luma]) if part == "on_coins" else replace(inputs, on_striker=[luma])

    return take


_TAKE: dict[str, _Take] = {
    "lens": _target,
    "empty": _empty,
    "flat": _flat,
    "on_coins": _raised("on_coins"),
    "on_striker": _raised("on_striker"),
    "opening": _opening,
}


def _apart(a: Floats, b: Floats) -> float:
    """How far two small pictures differ in the tenth that differs most, whatever the light does to all of them."""
    off = np.abs((a - a.mean()) - (b - b.mean())).ravel()
    return float(np.partition(off, -len(off) // 10)[-len(off) // 10 :].mean())


def _grey(picture: Pixels) -> Pixels:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
