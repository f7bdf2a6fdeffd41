"""Foul lamp, buzzer and buttons: one contract for every kind of pin, and the lamp's rule."""

from __future__ import annotations

import re
import threading
import tomllib
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from controller.config import Config
from controller.events.errors import DeviceError
from controller.panel.gpiod_pins import PI_HEADER, GpiodPins
from controller.panel.orders import LAMP_NS, MS, LampRule, Presses
from controller.panel.panel import Panel
from controller.panel.rpi_pins import RpiPins
from controller.table.outlets import panel as panel_outlet
from tests.panel.simulated_pins import SimulatedPins
from tests.patience import PATIENCE_S

LAMP, BUZZER, SOUTH, NORTH = 17, 27, 5, 6


class FakeGpio:
    """RPi.GPIO's interface over a dictionary."""

    BCM, OUT, IN, LOW, HIGH, PUD_UP = "bcm", "out", "in", 0, 1, "up"

    def __init__(self) -> None:
        self.levels: dict[int, int] = {}
        self.taken: set[int] = set()

    def setwarnings(self, on: bool) -> None: ...

    def setmode(self, mode: str) -> None:
        assert mode == self.BCM

    def setup(self, line: int, way: str, initial: int | None = None, pull_up_down: str | None = None) -> None:
        if line == 99:
            raise ValueError("the channel sent is invalid on a Raspberry Pi")
        self.taken.add(line)
        self.levels[line] = initial if way == self.OUT else int(pull_up_down == self.PUD_UP)

    def output(self, line: int, level: int) -> None:
        self.levels[line] = level

    def input(self, line: int) -> int:
        return self.levels[line]

    def cleanup(self, lines: list[int]) -> None:
        self.taken -= set(lines)


class FakeGpiod:
    """What GpiodPins uses of gpiod, over a dictionary; enums and settings are gpiod's own."""

    def __init__(self) -> None:
        import gpiod

        self.line, self.LineSettings = gpiod.line, gpiod.LineSettings
        self.levels: dict[int, object] = {}
        self.taken: set[int] = set()
        outer = self

        class Chip:
            def __init__(self, device: str) -> None:
                self.device = device

            def __enter__(self):
                return self

            def __exit__(self, *_):
                return None

            def get_info(self):
                return SimpleNamespace(label="pinctrl-rp1" if self.device.endswith("4") else "other")

        class Request:
            def set_value(self, line, value):
                outer.levels[line] = value

            def get_values(self, lines):
                return [outer.levels[line] for line in lines]

            def release(self):
                outer.taken.clear()

        self.Chip, self._request = Chip, Request

    def request_lines(self, device, consumer, config):
        assert device == "/dev/gpiochip4"
        for lines, settings in config.items():
            for line in lines:
                if line == 99:
                    raise OSError(22, "Invalid argument")
                self.taken.add(line)
                out = settings.direction is self.line.Direction.OUTPUT
                self.levels[line] = settings.output_value if out else self.line.Value.ACTIVE
        return self._request()


class Board:
    """Pins under test, and what is behind them."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        if kind == "simulated":
            self.pins = self.back = SimulatedPins()
        elif kind == "rpi":
            self.back = FakeGpio()
            self.pins = RpiPins(self.back)
        else:
            self.back = FakeGpiod()
            self.pins = GpiodPins(PI_HEADER, self.back, ["/dev/gpiochip0", "/dev/gpiochip4"])

    def high(self, line: int) -> bool:
        if self.kind == "simulated":
            return self.back.outputs[line]
        value = self.back.levels[line]
        return bool(value) if self.kind == "rpi" else value is self.back.line.Value.ACTIVE

    def press(self, line: int, down: bool) -> None:
        if self.kind == "simulated":
            (self.back.hold if down else self.back.release)(line)
        elif self.kind == "rpi":
            self.back.levels[line] = int(not down)
        else:
            self.back.levels[line] = self.back.line.Value.INACTIVE if down else self.back.line.Value.ACTIVE


@pytest.fixture(params=["simulated", "rpi", "gpiod"])
def board(request):
    return Board(request.param)


def test_outputs_start_low_and_do_as_they_are_told(board):
    board.pins.open([LAMP, BUZZER], [SOUTH])
    assert not board.high(LAMP)
    board.pins.write(LAMP, True)
    assert board.high(LAMP)
    assert not board.high(BUZZER)
    board.pins.write(LAMP, False)
    assert not board.high(LAMP)


def test_inputs_are_high_until_pressed(board):
    board.pins.open([LAMP], [SOUTH, NORTH])
    assert board.pins.read() == {SOUTH: True, NORTH: True}
    board.press(NORTH, True)
    assert board.pins.read() == {SOUTH: True, NORTH: False}


def test_closing_puts_everything_out_and_may_be_done_twice(board):
    board.pins.open([LAMP], [])
    board.pins.write(LAMP, True)
    board.pins.close()
    assert not board.high(LAMP)
    board.pins.close()


def test_closing_what_was_never_open_is_nothing(board):
    board.pins.close()


@pytest.mark.parametrize("kind", ["rpi", "gpiod"])
def test_a_line_that_cannot_be_had_is_said_in_one_line(kind):
    with pytest.raises(DeviceError, match="99") as error:
        Board(kind).pins.open([99], [])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("labels", [("pinctrl-rp1",), ("pinctrl-bcm2711", "pinctrl-bcm2835")])
def test_a_chip_that_is_not_there_is_named(labels):
    with pytest.raises(DeviceError, match=" or ".join(labels)) as error:
        GpiodPins(labels, FakeGpiod(), ["/dev/gpiochip0"]).open([1], [])
    assert "Fix:" in str(error.value)


def test_without_a_pi_it_says_so():
    with pytest.raises(DeviceError, match=r"RPi\.GPIO cannot be used here"):
        RpiPins().open([1], [])


@pytest.mark.parametrize(("there", "kind"), [(True, RpiPins), (False, GpiodPins)])
def test_the_header_is_had_by_either_library(monkeypatch, there, kind):
    monkeypatch.setattr(panel_outlet, "there_is_rpi_gpio", lambda: there)
    assert isinstance(panel_outlet.pins_for("rpi", "pinctrl-rp1"), kind)
    assert isinstance(panel_outlet.pins_for("gpiod", "pinctrl-rp1"), GpiodPins)


# the lamp ------------------------------------------------------------------------------------------------------------


def test_the_lamp_changes_only_while_the_board_is_still():
    rule = LampRule()
    rule.light(0)
    assert rule.step(0) is None
    rule.still(True)
    assert rule.step(5 * MS) is True
    rule.still(False)
    assert rule.step(5 * MS + LAMP_NS + 1) is None
    assert rule.lit, "a stroke is under way: it goes out at the rest after it"
    rule.still(True)
    assert rule.step(20_000 * MS) is False


def test_a_foul_told_late_is_lit_its_full_time():
    rule = LampRule()
    rule.light(0)
    rule.still(True)
    rule.step(LAMP_NS - 1)
    assert rule.step(LAMP_NS + 1) is None
    assert rule.lit


def test_the_lamp_never_flashes():
    rule = LampRule()
    rule.still(True)
    changes = []
    for t_ms in range(0, 20_000, 10):
        if t_ms % 500 == 0 and t_ms < 10_000:
            rule.light(t_ms * MS)
        if (lit := rule.step(t_ms * MS)) is not None:
            changes.append(lit)
    assert changes == [True, False]


def test_a_lamp_that_is_put_out_goes_at_the_next_rest():
    rule = LampRule()
    rule.still(True)
    rule.light(0)
    rule.step(0)
    rule.dark()
    rule.still(False)
    assert rule.step(1) is None
    rule.still(True)
    assert rule.step(2) is False


# buttons -------------------------------------------------------------------------------------------------------------


def test_a_press_is_told_once_and_bounces_are_none():
    presses = Presses({"south": SOUTH})
    told = []
    for t_ms in range(0, 300, 5):
        bouncing = t_ms < 20 and t_ms % 10 == 0
        told += presses.step({SOUTH: bouncing or t_ms > 200}, t_ms * MS)
    assert told == ["south"]


def test_a_button_that_is_held_down_is_told_once():
    presses = Presses({"south": SOUTH, "north": NORTH})
    told = []
    for t_ms in range(0, 3000, 10):
        told += presses.step({SOUTH: False, NORTH: True}, t_ms * MS)
    assert told == ["south"]


# the shell -----------------------------------------------------------------------------------------------------------


def test_the_panel_lights_buzzes_and_hears():
    class Lamp(SimulatedPins):
        lit = threading.Event()

        def write(self, line: int, high: bool) -> None:
            super().write(line, high)
            if (line, high) == (LAMP, True):
                self.lit.set()

    pins, pressed, clock = Lamp(), threading.Event(), [0]
    panel = Panel(
        pins,
        now_ns=lambda: clock[0],
        lamp=LAMP,
        buzzer=BUZZER,
        buttons={"south": SOUTH},
        pressed=lambda button: pressed.set(),
    )
    panel.still(True)
    panel.foul(buzz_ms=100)
    panel.start()
    assert pins.lit.wait(PATIENCE_S)
    assert pins.outputs[LAMP]
    pins.hold(SOUTH)
    stop = threading.Event()

    def run_on() -> None:
        while not stop.wait(0.001):
            clock[0] += 5 * MS

    hand = threading.Thread(target=run_on)
    hand.start()
    assert pressed.wait(PATIENCE_S)
    stop.set()
    hand.join()
    panel.stop()
    assert (BUZZER, True) in pins.written
    assert not pins.outputs[LAMP]


def test_a_panel_without_hardware_says_so_and_harms_nobody(monkeypatch):
    monkeypatch.setattr("controller.panel.panel.RETRY_S", 0.01)

    class Broken(SimulatedPins):
        tries = 0
        again = threading.Event()

        def open(self, outputs, inputs):
            self.tries += 1
            if self.tries > 2:
                self.again.set()
            raise DeviceError("no GPIO chip")

    pins = Broken()
    panel = Panel(pins, now_ns=lambda: 0, lamp=LAMP)
    panel.start()
    panel.foul()
    assert pins.again.wait(PATIENCE_S)
    assert panel.says == "no GPIO chip"
    with suppress(DeviceError):
        panel.stop()


HEADER = {11: 17, 13: 27, 15: 22, 16: 23, 18: 24}
"""The Raspberry Pi's header: pin → GPIO, and below its grounds."""
GROUNDS = {6, 9, 14, 20, 25, 30, 34, 39}


def test_the_wiring_that_the_guide_shows_is_that_of_its_configuration() -> None:
    text = (Path(__file__).parents[2] / "docs" / "build.md").read_text("utf-8")
    (written,) = re.findall(r"```toml\n(\[panel\].*?)```", text, re.S)
    panel = Config.model_validate(tomllib.loads(written)).panel
    panel_outlet.check_buttons(panel.buttons)
    rows = re.findall(r"(?m)^\| (?:button )?`?(\w+)`?.* \| GPIO (\d+) \(pin (\d+)\) \| GND \(pin (\d+)\) \|$", text)
    wired = {name: int(line) for name, line, _, _ in rows}
    assert wired == {"lamp": panel.lamp, "buzzer": panel.buzzer, **panel.buttons}
    assert {int(pin): int(line) for _, line, pin, _ in rows} == HEADER
    grounds = [int(ground) for *_, ground in rows]
    assert set(grounds) <= GROUNDS
    assert len(set(grounds)) == len(grounds), "a pin holds one wire"
    assert f"lights the lamp for {LAMP_NS / 1e9:g} s" in " ".join(text.split())
