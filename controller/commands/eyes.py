"""`carrom eyes`: the eyes' process, capture and vision."""

from __future__ import annotations

import argparse
import logging
import signal
import threading
from dataclasses import replace
from pathlib import Path

from calibration.measures import board_in_use
from controller.commands.log import set_up_log
from controller.config import Config, load_config
from controller.events.errors import ConfigError
from controller.table.clock import clock_name, open_clock
from controller.table.notify import notify
from controller.vision.calibration_file import load
from controller.vision.eyes import Eyes, EyesSettings
from controller.vision.following.recording import follower_for
from controller.vision.learning.own_names import other_nets
from controller.vision.sources.choose import SourceSettings
from controller.vision.striker_watch import StrikerWatch

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often a calibration that is not there yet is looked for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--config", type=Path, required=True, metavar="FILE")


def run(args: argparse.Namespace) -> int:
    """Runs until it is asked to stop, or until a recording is over."""
    set_up_log(logging.WARNING)
    config = load_config(args.config)
    if not await_calibration(config.camera.calibration):
        return 0
    calibration = load(config.camera.calibration)
    board, _ = board_in_use(config.board.said(), calibration.board)
    if says := other_nets(calibration.looks):
        log.warning("%s: %s", config.camera.calibration, says)
    known = calibration.looks.thickness_known
    settings = replace(settings_from(config, args.config), thickness_known=known, clock=clock_name(config.clock.file))
    follower = follower_for(
        calibration.model,
        calibration.looks,
        board,
        config.camera.shutter,
        # Where every frame is kept the sender waits for us, and the same input has to give the same output.
        live=not config.camera.keep_all,
        allows=calibration.grade,
    )
    strikers = StrikerWatch(calibration.model, calibration.looks, board)
    eyes = Eyes(settings, follower, open_clock(config.clock.file), notify, strikers)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: eyes.stop())
    eyes.run()
    return 0


def await_calibration(file: Path) -> bool:
    """Waits for a table's first calibration, and says so; a service must not fall for want of it.

    Returns False if it was asked to stop meanwhile.
    """
    if file.exists():
        return True
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    says = f"waits for {file}: make it with carrom calibrate"
    log.warning("%s", says)
    notify("READY=1", f"STATUS={says}")
    while not file.exists():
        notify("WATCHDOG=1")
        if stop.wait(LOOK_S):
            return False
    return True


def settings_from(config: Config, file: Path) -> EyesSettings:
    """Turns the configuration into the eyes' settings. Raises ConfigError if the table has no camera."""
    camera = config.camera
    if camera.kind == "none":
        raise ConfigError(f'{file}: camera.kind is "none": this table has no eyes. Mend: set the kind of camera')
    source = SourceSettings(
        kind=camera.kind,
        device=camera.device,
        url=camera.url,
        path=camera.path,
        width=camera.width,
        height=camera.height,
        fps=camera.fps,
        exposure_us=camera.exposure_us,
        gain=camera.gain,
        command=tuple(camera.command),
        keep_all=camera.keep_all,
        row_ns=camera.row_ns if camera.shutter == "rolling" else 0.0,
    )
    return EyesSettings(source, config.table.runtime, camera.ring_mb * 1024 * 1024)
