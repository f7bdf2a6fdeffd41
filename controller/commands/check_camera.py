"""The camera's part of `carrom check`: looks through it for a moment and says what would spoil a match.

Where the vision process runs already, the camera is in use: then its ring of pictures is read. The figures
are measured on the playing surface, which the calibration finds in the picture.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from calibration.markings import markings_of
from calibration.pose import FitError, moved_mm, reregister
from controller.commands.check_calibration import grade_with, usable
from controller.commands.eyes import settings_from
from controller.commands.findings import Finding
from controller.config import CameraSection, Config
from controller.events.errors import DeviceError
from controller.table.machine.clock import open_clock
from controller.vision.calibration_file import Calibration
from controller.vision.decoder_warnings import harms
from controller.vision.eyes import RING, STEADY_MM
from controller.vision.following.grade import ROUGH_PX_PER_MM, finest_grade
from controller.vision.following.registration import IN_PLACE, LEAST_COVERED
from controller.vision.picture_watch import PictureWatch
from controller.vision.quality import (
    Luma,
    Mask,
    band_means,
    flicker,
    saturated,
    sharpness,
    surface_mask,
    surface_of,
)
from controller.vision.ring import RingReader
from controller.vision.sources.choose import RECORDED, source_maker
from controller.vision.sources.frame import EndOfRecordingError, Frame, FrameSource, other_size

LOOK_S = 10.0
"""Long enough for a camera or a cable that stumbles now and then to do so."""
SAMPLES, SAMPLE_S = 12, 0.125
"""So many pictures are examined, so far apart: enough to see a flicker, without keeping a small computer busy."""
FIRST_FRAME_S = 5.0
FRESH_S = 1.0
"""A ring that grows by a picture within this time is being written."""

MOST_SATURATED = 0.001
"""Share of the surface that may be white: a reflection hides what lies in it."""

MOST_WHITE_PAINT = 3
"""White pixels on base lines and circles beyond which a placement cannot be judged there; fewer are noise."""

LEAST_SHARPNESS = 0.12
"""What a picture in focus (0.2 to 0.4, rendered or photographed) keeps of it when it is blurred by 1.5 px more."""

MOST_FLICKER = 0.02
"""Mean brightness may vary from frame to frame by this share: more shifts edges by more than half a millimetre."""

LEAST_LIGHT = 40.0
"""Of 255, the median of the surface: a black piece, a fifth as bright, is three times the noise then."""

SLOW = 0.8
MOST_DROPPED = 0.01
"""Share of pictures that may be missing among those that came: a stroke of a second and a half loses one."""


@dataclass(frozen=True)
class Looked:
    """A moment of pictures: `t_ns` of each, the newest in full, the brightness of some by strips (`band_means`).

    `damaged`: what the decoder reported of those among them that are not whole. `frozen`, `no_colour`: see
    `PictureWatch`.
    """

    t_ns: tuple[int, ...]
    luma: Luma
    bands: tuple[Floats, ...]
    whose: str
    damaged: tuple[str, ...] = ()
    frozen: str = ""
    no_colour: str = ""

    @property
    def fps(self) -> float:
        """Pictures a second, by their own times."""
        span_s = (self.t_ns[-1] - self.t_ns[0]) / 1e9
        return (len(self.t_ns) - 1) / span_s if span_s > 0 else 0.0

    @property
    def dropped(self) -> int:
        """Pictures that are missing between those that came, by the times: a gap of three intervals lacks two."""
        gaps = [after - before for before, after in pairwise(self.t_ns)]
        usual = statistics.median(gaps) if gaps else 0
        return sum(max(0, round(gap / usual) - 1) for gap in gaps) if usual > 0 else 0


def probe_camera(config: Config, file: Path) -> Iterator[Finding]:
    """Yields one line about the camera itself, then one for each thing that would spoil its pictures."""
    camera = config.camera
    if camera.kind == "none":
        yield Finding("camera", "none", "no camera on this table")
        return
    calibration = usable(config)
    looked = look(config, file, calibration)
    height, width = looked.luma.shape
    if looked.frozen:
        # A warning: whoever tries a table out may serve one picture on purpose. In play nothing is followed by it.
        yield Finding("camera", "warn", looked.frozen)
    else:
        yield rate_fits(looked, config, f"{width} × {height}")
    if looked.no_colour:
        yield Finding("pictures", "warn", looked.no_colour)
    if looked.damaged:
        yield not_whole(looked)
    if camera.kind == "csi" and not camera.command and (camera.exposure_us is None or camera.gain is None):
        yield Finding(
            "camera",
            "warn",
            "exposure and gain are not locked: the light in the pictures will wander. "
            "Fix: set camera.exposure_us and camera.gain",
        )
    if calibration is None:
        return
    if wrong := other_size((width, height), calibration.model.size):
        yield Finding("camera", "fail", wrong)
        return
    yield grade_reached(looked, camera, calibration)
    yield from pictures_fit(looked, calibration.model, calibration.board)
    yield hangs_where_it_hung(looked.luma, calibration.model, calibration.board)


def grade_reached(looked: Looked, camera: CameraSection, calibration: Calibration) -> Finding:
    """Says which grade this camera gives, and by what."""
    fps = looked.fps or camera.fps
    by = f"{calibration.model.px_per_mm:.2f} px/mm, {fps:.1f} pictures a second, {camera.shutter} shutter"
    says = f"{grade_with(calibration, camera, fps)}: {by}, a calibration of grade {calibration.grade}"
    return Finding("camera's grade", "ok", says)


def hangs_where_it_hung(luma: Luma, model: CameraModel, board: Board) -> Finding:
    """Says whether the board's lines are where the calibration has them."""
    try:
        now, fit = reregister(model, luma, markings_of(board))
        if fit.covered < LEAST_COVERED and fit.in_place < IN_PLACE:
            # Of a board that lies elsewhere some line is always near: a fit to it says nothing.
            raise FitError(f"{fit.covered:.0%} of the markings found")
    except FitError as error:
        why = f"the board's lines are not where they were when it was calibrated ({error})"
        return Finding("camera's place", "warn", f"{why}. Fix: take hands and cloths off the board; calibrate again")
    moved = moved_mm(model, now, board.half_mm)
    if moved <= STEADY_MM:
        return Finding("camera's place", "ok", f"within {max(moved, 0.1):.1f} mm of where it was calibrated")
    says = f"moved by {moved:.1f} mm since it was calibrated; so much is followed by itself"
    return Finding("camera's place", "warn", f"{says}. Fix: tighten its mount, calibrate again when there is time")


def pictures_fit(looked: Looked, model: CameraModel, board: Board) -> Iterator[Finding]:
    """Yields what is wrong with the pictures, or one line that they are in order."""
    surface = surface_of(model, board)
    _, white = saturated(looked.luma, surface.whole)
    on_paint, _ = saturated(looked.luma, surface.paint)
    sharp = sharpness(looked.luma, surface.whole)
    ripple = flicker(looked.bands)
    light = float(np.median(looked.luma[surface.whole]))
    found = []
    if light < LEAST_LIGHT:
        found.append(
            f"the board is dark ({light:.0f} of 255). Fix: more light (800 lux), or raise camera.exposure_us to 2000 "
            "at most, then camera.gain"
        )
    if finest_grade(model.px_per_mm) == "basic":
        found.append(
            f"{model.px_per_mm:.2f} px/mm on the surface are too few, {ROUGH_PX_PER_MM:g} are wanted. Fix: hang the "
            "camera lower or raise camera.width"
        )
    if white > MOST_SATURATED:
        found.append(f"{white:.1%} of the surface is white. Fix: move the lamp, or lower camera.exposure_us")
    if on_paint > MOST_WHITE_PAINT:
        found.append(
            f"{on_paint} pixels of base lines and circles are white: no placement can be judged there. "
            "Fix: move the lamp, or lower camera.exposure_us"
        )
    # In the dark nothing is sharp.
    if sharp < LEAST_SHARPNESS and light >= LEAST_LIGHT:
        found.append(f"out of focus ({sharp:.2f}, wanted {LEAST_SHARPNESS:.2f}). Fix: focus the lens on the pieces")
    if ripple > MOST_FLICKER:
        found.append(
            f"the light flickers by {ripple:.0%}. Fix: use another lamp, or make camera.exposure_us a whole multiple "
            "of 10000 (of 8333 where the mains has 60 Hz)"
        )
    yield from (Finding("pictures", "warn", says) for says in found)
    if not found:
        yield Finding(
            "pictures",
            "ok",
            f"{model.px_per_mm:.2f} px/mm, light {light:.0f} of 255, {white:.2%} white, sharpness {sharp:.2f}, "
            f"flicker {ripple:.1%}",
        )


def look(config: Config, file: Path, calibration: Calibration | None) -> Looked:
    """Takes pictures for a moment, from the ring if the vision process runs. Raises DeviceError if no picture comes."""
    surface = None if calibration is None else surface_mask(calibration.model, calibration.board)
    gathered = Gathered(surface, live=config.camera.kind not in RECORDED)
    path = config.table.runtime / RING
    if is_fed(path):
        ring = RingReader(path)
        newest = ring.newest() or 0
        for one in ring.span(newest - round(LOOK_S * config.camera.fps), newest):
            gathered.add(Frame(one.t_ns, one.number, jpeg=one.jpeg))
        return gathered.looked("the eyes' own")
    source = source_maker(settings_from(config, file).source, open_clock(config.clock.file))()
    source.open()
    try:
        return _read(source, gathered).looked("looked for a moment")
    finally:
        source.close()


def is_fed(path: Path) -> bool:
    """Whether the vision process runs: the ring at this path gets pictures right now."""
    ring = RingReader(path)
    before = ring.newest()
    if before is None:
        return False
    until = time.monotonic() + FRESH_S
    while ring.newest() == before and time.monotonic() < until:
        time.sleep(0.02)
    return ring.newest() not in (None, before)


def _read(source: FrameSource, gathered: Gathered) -> Gathered:
    until = time.monotonic() + FIRST_FRAME_S
    first = True
    try:
        while time.monotonic() < until:
            frame = source.read(0.2)
            if frame is None:
                continue
            if first:
                until = time.monotonic() + LOOK_S
                first = False
            gathered.add(frame)
    except EndOfRecordingError:
        pass
    return gathered


class Gathered:
    """What is kept of the pictures that go by: all their times, and no more of them than is examined."""

    def __init__(self, surface: Mask | None, *, live: bool) -> None:
        self._watch = PictureWatch(live=live)
        self._surface = surface
        self._t_ns: list[int] = []
        self._bands: list[Floats] = []
        self._newest: Frame | None = None
        self._damaged: list[str] = []

    def add(self, frame: Frame) -> None:
        """Takes the next picture."""
        self._t_ns.append(frame.t_ns)
        self._newest = frame
        self._watch.take(frame)
        due = len(self._bands) * SAMPLE_S * 1e9
        if len(self._bands) < SAMPLES and frame.t_ns - self._t_ns[0] >= due:
            luma, warned = frame.judged()
            if harms(warned):
                self._damaged.append(warned)
            fits = self._surface is not None and self._surface.shape == luma.shape
            self._bands.append(band_means(luma, self._surface if fits else None))

    def looked(self, whose: str) -> Looked:
        """Returns what was seen. Raises DeviceError if no picture came."""
        if self._newest is None:
            raise DeviceError(
                f"no picture came in {FIRST_FRAME_S:.0f} s. "
                "Fix: check the cable, and that no other program has the camera"
            )
        luma, _ = self._newest.judged()
        return Looked(
            tuple(self._t_ns),
            luma,
            tuple(self._bands),
            whose,
            tuple(self._damaged),
            self._watch.frozen,
            self._watch.no_colour,
        )


def not_whole(looked: Looked) -> Finding:
    """Says that pictures come damaged: whatever is grey or torn in them is not the board."""
    count, of = len(looked.damaged), max(len(looked.bands), len(looked.damaged))
    return Finding(
        "pictures",
        "fail" if 2 * count > of else "warn",
        f"{count} of {of} looked at are damaged ({looked.damaged[-1]}). Fix: a shorter cable and a port of its own; "
        "of a network camera another address or a smaller picture",
    )


def rate_fits(looked: Looked, config: Config, size: str) -> Finding:
    """Says whether pictures come as often as the configuration wants them."""
    camera = config.camera
    says = f"{camera.kind}, {size}, {len(looked.t_ns)} pictures ({looked.whose})"
    if len(looked.t_ns) < 2:
        return Finding("camera", "ok", says)
    says = f"{says}, {looked.fps:.1f} a second"
    lacking = looked.dropped
    if camera.kind not in RECORDED and lacking > MOST_DROPPED * len(looked.t_ns):
        return Finding(
            "camera",
            "warn",
            f"{says}, {lacking} more were dropped. Fix: a USB port of its own and a short cable, or set camera.fps to "
            "less",
        )
    if camera.kind in RECORDED or looked.fps >= SLOW * camera.fps:
        return Finding("camera", "ok", says)
    return Finding(
        "camera",
        "warn",
        f"{says}, {camera.fps:g} wanted. Fix: shorter camera.exposure_us and more light, or set camera.fps to what "
        "the camera gives",
    )
