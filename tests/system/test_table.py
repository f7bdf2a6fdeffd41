"""The way from the simulated table to the devices in the virtual machine, tried without the machine."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import pytest

from controller.simulator.clock import EPOCH_NS
from tests.system.guest import devices
from tests.system.machine import MachineError
from tests.system.table import AHEAD, Line

pytestmark = pytest.mark.live


class Seen:
    """A camera and a node that only note what they are given."""

    def __init__(self) -> None:
        self.pictures: list[bytes] = []
        self.beams: list[tuple[int, bool, int]] = []
        self.pulled = 0
        self.held = threading.Event()
        self.held.set()

    def show(self, picture: bytes) -> None:
        self.held.wait()
        self.pictures.append(picture)

    def beam(self, sensor: int, blocked: bool, us: int) -> None:
        self.beams.append((sensor, blocked, us))

    def pull(self) -> None:
        self.pulled += 1


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    one = Seen()
    # However busy this machine is.
    monkeypatch.setattr(devices, "LATE_S", float("inf"))
    monkeypatch.setattr(devices, "Shown", lambda: one)
    monkeypatch.setattr(devices, "Camera", lambda _shown: one)
    monkeypatch.setattr(devices, "GadgetNode", lambda _boot: one)
    return one


@pytest.fixture
def line(seen: Seen) -> Iterator[Line]:
    made = Line()
    inside = threading.Thread(target=devices.serve, args=("127.0.0.1", int(made.port)), daemon=True)
    inside.start()
    made.join()
    yield made
    made.close()
    inside.join(30)
    assert not inside.is_alive()


def at(t_s: float) -> int:
    return EPOCH_NS + round(t_s * 1e9)


def test_pictures_come_in_order_and_beams_with_their_own_times(line: Line, seen: Seen) -> None:
    line.plug("node")
    for number in range(3):
        line.beam("NE", "upper", number % 2 == 0, at(0.01 * number + 0.004))
        line.offer(b"picture %d" % number, at(0.01 * number), 8_000_000)
    # Devices do one thing after another: what was sent before has been shown when this is answered.
    line.shown()
    assert seen.pictures == [b"picture 0", b"picture 1", b"picture 2"]
    assert [blocked for _, blocked, _ in seen.beams] == [True, False, True]
    times_us = [us for _, _, us in seen.beams]
    assert [b - a for a, b in itertools.pairwise(times_us)] == [10_000, 10_000]


def test_no_more_pictures_are_on_their_way_than_the_machine_has_room_for(line: Line, seen: Seen) -> None:
    seen.held.clear()
    for number in range(AHEAD):
        line.offer(b"picture", at(0.001 * number), 8_000_000)
    more = threading.Thread(target=line.offer, args=(b"one more", at(1.0), 8_000_000), daemon=True)
    more.start()
    more.join(0.2)
    assert more.is_alive()
    seen.held.set()
    more.join(30)
    line.shown()
    assert seen.pictures[-1] == b"one more"


def test_a_cable_is_plugged_and_pulled_when_it_is_said(line: Line, seen: Seen) -> None:
    first = line.plug("camera")
    assert line.pull("camera") >= first
    assert seen.pulled == 1


def test_devices_that_are_gone_are_said(seen: Seen) -> None:
    made = Line()
    inside = threading.Thread(target=devices.serve, args=("127.0.0.1", int(made.port)), daemon=True)
    inside.start()
    made.join()
    made.close()
    inside.join(30)
    with pytest.raises(MachineError, match="devices in the machine"):
        made.plug("camera")
