"""The simulated table at the machine: its devices are started there, and what the table says is heard here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import cv2
import numpy as np
import numpy.typing as npt

from controller.commands.demo.ears import Ears
from controller.simulator.clock import EPOCH_NS
from controller.simulator.looks import LOOKS
from tests.system.machine import MachineError, VirtualMachine
from tests.system.stages.common import HOME, PYTHON
from tests.system.table import Line

LOOK = LOOKS["pale"]
"""A webcam of 1280 × 720, 30 pictures a second."""
TABLE_ID = "table1"
HOST = "10.0.2.2"
"""The outer machine, as the virtual one sees it."""
LOG = "/tmp/devices.log"
PATIENCE_S = 1800.0
"""Seconds of this machine, however slow the other one is."""


@contextmanager
def devices(vm: VirtualMachine, *plugged: str) -> Iterator[Line]:
    """The table's devices in the machine, of which these are plugged in."""
    line = Line()
    try:
        where = f"cd {HOME}/carrom && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={HOME}/carrom"
        program = f"nohup {PYTHON} -m tests.system.guest.devices {HOST} {line.port}"
        vm.run(f"( {where} {program} > {LOG} 2>&1 < /dev/null & )")
        try:
            line.join()
            for what in plugged:
                line.plug(what)
        except MachineError as error:
            raise MachineError(f"{error}: {vm.ask(f'cat {LOG}; dmesg | tail').text}") from error
        yield line
    finally:
        line.close()


@contextmanager
def heard(vm: VirtualMachine) -> Iterator[Ears]:
    """The table's broker, listened to as its umpire."""
    password = vm.run("sed -n 's/^umpire //p' /etc/carrom/passwords").text
    ears = Ears("127.0.0.1", vm.port(1883), TABLE_ID, login=("umpire", password))
    ears.start()
    try:
        yield ears
    finally:
        ears.stop()


def pin(vm: VirtualMachine) -> str:
    """Returns the umpire's PIN."""
    return vm.run("cat /etc/carrom/umpire-pin").text


def show(line: Line, picture: npt.NDArray[np.uint8], t_s: float) -> None:
    """Shows a picture until another one comes."""
    done, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, LOOK.rig.jpeg])
    assert done
    line.offer(jpeg.tobytes(), EPOCH_NS + round(t_s * 1e9), round(LOOK.rig.exposure_s * 1e9))


def await_said(what: str, holds: Callable[[], bool], ears: Ears) -> None:
    """Waits until something that is heard holds. Raises MachineError with what was heard last."""
    until = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > until:
            raise MachineError(f"not heard: {what}. Last: {ears.health} {ears.words[-5:]}")
        time.sleep(0.1)
