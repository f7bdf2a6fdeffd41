"""Lamp, buzzer and buttons as an outlet of the desk: a foul lights the lamp, a press is an umpire's word.

Must not know pins. The lamp changes only while the board is still; the panel itself sees to that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from controller.config import PanelSection
from controller.events.errors import ConfigError
from controller.mqtt.payloads import Alert, Lying
from controller.panel.gpiod_pins import PI_HEADER, GpiodPins
from controller.panel.panel import Panel
from controller.panel.pins import Pins
from controller.panel.rpi_pins import RpiPins, there_is_rpi_gpio
from controller.table.machine.clock import NowNs

Json = dict[str, Any]

FOUL_MS = 400
"""How long the buzzer sounds."""

BUTTONS: Mapping[str, Callable[[Json], Json]] = {
    "stop": lambda _score: {"event": "pause"},
    "play": lambda score: {"event": "resume" if score["state"] == "paused" else "play"},
    "next": lambda _score: {"event": "next_board"},
    "timeout": lambda score: {"event": "timeout", "seat": score["turn"]},
}
"""What a button says, by its name in the configuration. A press that lasts counts when it begins."""


def check_buttons(buttons: Mapping[str, int]) -> None:
    """Raises ConfigError for a button that says nothing."""
    for name in buttons:
        if name not in BUTTONS:
            raise ConfigError(f"panel.buttons.{name}: no such button. Fix: use {', '.join(BUTTONS)}")


def pins_for(kind: str, chip: str) -> Pins:
    """The lines of a header by RPi.GPIO where it can be had, by gpiod, which numbers them alike, where it cannot."""
    if kind == "rpi":
        return RpiPins() if there_is_rpi_gpio() else GpiodPins(PI_HEADER)
    return GpiodPins((chip,))


class PanelOutlet:
    """Tells the panel. `score`: the scoreboard's JSON now; `act`: takes an umpire's event and does not wait; `sees`:
    whether a camera sees the board."""

    def __init__(
        self,
        settings: PanelSection,
        chip: str,
        now_ns: NowNs,
        score: Callable[[], Json],
        act: Callable[[Json], object],
        pins: Pins | None = None,
        sees: Callable[[], bool] = lambda: True,
    ) -> None:
        check_buttons(settings.buttons)
        self._score, self._act, self._sees = score, act, sees
        self.panel = Panel(
            pins or pins_for(settings.kind, chip),
            now_ns=now_ns,
            lamp=settings.lamp,
            buzzer=settings.buzzer,
            buttons=settings.buttons,
            pressed=self._pressed,
        )

    def _pressed(self, button: str) -> None:
        self._act(BUTTONS[button](self._score()))

    def shot(self, event: Mapping[str, Any], at: float) -> None:
        """The next stroke has been played: the lamp was about the one before."""
        self.panel.clear()

    def alert(self, alert: Alert, standing: bool) -> None:
        """A foul that is ruled lights the lamp and sounds the buzzer; one to be confirmed is the umpire's secret."""
        if alert.level == "foul":
            self.panel.foul(FOUL_MS)

    def board(self, lying: Lying) -> None:
        """The lamp changes only while all lies still."""
        self.panel.still(not lying.moving)

    def health(self) -> None:
        """Where no camera sees the board, the lamp's light disturbs none."""
        if not self._sees():
            self.panel.still(True)

    def _nothing(self, *_told: Any) -> None:
        """Nothing to show: fouls come as alerts."""

    ruling = resolve = changed = _nothing
