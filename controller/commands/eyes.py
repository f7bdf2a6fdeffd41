"""`carrom eyes`: the vision process, capture and detection."""

from __future__ import annotations

import argparse
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from calibration.measures import board_in_use, board_of
from controller.commands.follower import follower_for
from controller.commands.installed import add_config
from controller.commands.log import set_up_log
from controller.config import Config, load_config
from controller.events.errors import ConfigError
from controller.events.observation import EyesHealth
from controller.supervision.signals import STOPS, handling
from controller.table.machine.clock import clock_name, open_clock
from controller.table.machine.notify import notify, watchdog_seconds
from controller.vision.calibration_file import Calibration, being_made, load
from controller.vision.eyes import SET_UP, Eyes, EyesSettings, link_for
from controller.vision.learning.own_names import other_nets
from controller.vision.link import DaemonLink
from controller.vision.setting_up import SettingUp, Sight
from controller.vision.sources.choose import SourceSettings
from controller.vision.striker_watch import StrikerWatch

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often a calibration that is not there yet is searched for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    add_config(parser)


def run(args: argparse.Namespace) -> int:
    """Runs until it is asked to stop, or until a recording is over."""
    set_up_log(logging.WARNING)
    config = load_config(args.config)
    settings, now_ns = settings_from(config, args.config), open_clock(config.clock.file)
    settings = replace(settings, clock=clock_name(config.clock.file))
    file = config.camera.calibration
    link = link_for(settings)
    link.start()
    try:
        if await_calibration(file, link, now_ns):
            watch(config, settings, link, now_ns)
    finally:
        link.stop()
    return 0


def watch(config: Config, settings: EyesSettings, link: DaemonLink, now_ns: Callable[[], int]) -> None:
    """Watches the table by its calibration until asked to stop. Raises ConfigError for one that cannot be used."""
    file = config.camera.calibration
    calibration = load(file)
    if says := other_nets(calibration.looks):
        log.warning("%s: %s", file, says)
    sight = sight_of(config, calibration)
    settings = replace(settings, thickness_known=sight.thickness_known)
    setting_up = SettingUp(
        file,
        settings.runtime / SET_UP,
        calibration,
        board_of(config.board.said()),
        lambda fresh: sight_of(config, fresh),
        now_ns,
    )
    eyes = Eyes(settings, sight.follower, now_ns, notify, sight.strikers, setting_up, link, watchdog_seconds())
    with handling(lambda *_: eyes.stop(), *STOPS):
        eyes.run()


def sight_of(config: Config, calibration: Calibration) -> Sight:
    """What a table's vision process follows with, by its configuration and one calibration."""
    board, _ = board_in_use(config.board.said(), calibration.board, calibration.measured)
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
    return Sight(follower, strikers, calibration.looks.thickness_known)


def await_calibration(file: Path, link: DaemonLink, now_ns: Callable[[], int]) -> bool:
    """Waits for a table's first calibration, and says so, to the table too; a service must not fall for want of it.

    Returns False if it was asked to stop meanwhile.
    """
    if file.exists():
        return True
    stop = threading.Event()
    says = f"waits for {file}: make it with carrom calibrate"
    log.warning("%s", says)
    with handling(lambda *_: stop.set(), *STOPS):
        notify("READY=1", f"STATUS={says}")
        while not file.exists():
            notify("WATCHDOG=1")
            now, making = now_ns(), being_made(file)
            link.send(EyesHealth(now, "lost" if making is None else "setup", now, says=making or says))
            if stop.wait(LOOK_S):
                return False
    return True


def settings_from(config: Config, file: Path) -> EyesSettings:
    """Returns the settings of the vision process. Raises ConfigError if the table has no camera."""
    camera = config.camera
    if camera.kind == "none":
        raise ConfigError(f'{file}: camera.kind is "none": this table has no eyes. Fix: set the kind of camera')
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
