"""`carrom calibrate --live`: the guided calibration tied to a camera and a terminal. All judgement is elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from controller.commands.eyes import settings_from
from controller.config import load_config
from controller.events.errors import ConfigError, DeviceError
from controller.table.machine.clock import open_clock
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import Made
from controller.vision.live_calibration import Guidance, LiveCalibration, steps_for
from controller.vision.sources.capture import Capture
from controller.vision.sources.choose import SourceSettings, source_maker
from controller.vision.sources.frame import EndOfRecordingError, FrameSource

WAIT_S = 0.5
SIGNS = {"do": "→", "taken": "✓", "refused": "✗", "result": " "}


def live_source(
    config: Path | None, source: str | None, size: str, now_ns: Callable[[], int]
) -> Callable[[], FrameSource]:
    """The camera that was named. Raises ConfigError where none was, or it cannot be."""
    if source is None:
        if config is None:
            raise ConfigError("--live: no camera is named. Fix: --config FILE, or --source with an address or device")
        loaded = load_config(config)
        return source_maker(settings_from(loaded, config).source, open_clock(loaded.clock.file))
    try:
        width, height = (int(part) for part in size.lower().replace("×", "x").split("x"))
    except ValueError as error:
        raise ConfigError(f"--size {size}: like 1280x720 is wanted") from error
    if "://" in source:
        return source_maker(SourceSettings("mjpeg", url=source), now_ns)
    if Path(source).is_dir():
        return source_maker(SourceSettings("folder", path=Path(source), fps=10.0), now_ns)
    if Path(source).is_file():
        return source_maker(SourceSettings("video", path=Path(source)), now_ns)
    return source_maker(SourceSettings("v4l2", device=source, width=width, height=height, fps=30.0), now_ns)


def guide(make: Callable[[], FrameSource], inputs: Inputs, *, thickness: bool, say: Callable[[str], None]) -> Made:
    """Guides through a calibration at a camera. Raises DeviceError if the camera ends before it is made."""
    live = LiveCalibration(inputs, steps_for(inputs, thickness=thickness))
    _tell(live.begin(), say)
    # A recording waits for whoever looks, a camera does not.
    capture = Capture(make, keep_all=not make().live)
    capture.start()
    trouble = ""
    try:
        while live.made is None:
            try:
                frame = capture.newest(WAIT_S)
            except EndOfRecordingError:
                wanted = live.step.says if live.step is not None else "nothing more"
                raise DeviceError(
                    f"the recording ended before the calibration was made; wanted next: {wanted}. "
                    "Fix: record every step, or calibrate at the camera"
                ) from None
            if frame is None:
                if capture.says and capture.says != trouble:
                    trouble = capture.says
                    say(f"{SIGNS['refused']} {trouble}")
                continue
            trouble = ""
            _tell(live.look(frame.bgr, frame.t_ns), say)
    finally:
        capture.stop()
    return live.made


def _tell(told: tuple[Guidance, ...], say: Callable[[str], None]) -> None:
    for one in told:
        say(f"{SIGNS[one.kind]} {one.says}")
