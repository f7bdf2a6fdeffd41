"""What lamp and buzzer show, and what counts as a press: pure, times in, levels out.

The lamp must not upset the camera. So it never flashes, is never dimmed by pulses, and changes only while the board is
still: a change of light in the middle of a stroke is a motion that nobody made. Every change carries its time, so that
whoever looks at pictures can leave out those exposed across it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MS = 1_000_000
PRESS_NS = 30 * MS
"""A button is pressed once it has been down for so long without a break."""
LONG_NS = 1_500 * MS
LAMP_NS = 6_000 * MS
"""How long the foul lamp is lit, at least: it goes out at the first rest after."""


@dataclass(frozen=True, slots=True)
class LampChange:
    """The light over the board changed at `t_ns`."""

    t_ns: int
    lit: bool


@dataclass(frozen=True, slots=True)
class Press:
    """A button was pressed at `t_ns`; `long` presses are reported when they are that long, not when they end."""

    button: str
    t_ns: int
    long: bool = False


class LampRule:
    """Decides when the lamp really changes."""

    def __init__(self, lit_ns: int = LAMP_NS) -> None:
        self._lit_ns = lit_ns
        self._wanted_until = 0
        self._still = False
        self.lit = False

    def light(self, now_ns: int) -> None:
        """Asks for the lamp: it lights at once if the board is still, or at the next rest."""
        self._wanted_until = now_ns + self._lit_ns

    def dark(self) -> None:
        """Asks for it to go out, at the next rest."""
        self._wanted_until = 0

    def still(self, still: bool) -> None:
        """Takes whether the board lies still."""
        self._still = still

    def step(self, now_ns: int) -> LampChange | None:
        """Returns the change that is due now, if any."""
        wanted = now_ns < self._wanted_until
        if wanted == self.lit or not self._still:
            return None
        if wanted:
            # It was waiting for the rest: its time begins when it is seen.
            self._wanted_until = now_ns + self._lit_ns
        self.lit = wanted
        return LampChange(now_ns, wanted)


class Presses:
    """Turns levels that are polled into presses."""

    def __init__(self, buttons: Mapping[str, int]) -> None:
        self._buttons = dict(buttons)
        self._down: dict[str, int] = {}
        self._told: dict[str, bool] = {}

    def step(self, high: Mapping[int, bool], now_ns: int) -> tuple[Press, ...]:
        """Takes the inputs as they are at `now_ns` (low is pressed); returns what became a press."""
        presses = []
        for button, line in self._buttons.items():
            if high.get(line, True):
                self._down.pop(button, None)
                self._told.pop(button, None)
                continue
            since = self._down.setdefault(button, now_ns)
            if button not in self._told and now_ns - since >= PRESS_NS:
                self._told[button] = False
                presses.append(Press(button, now_ns))
            elif self._told.get(button) is False and now_ns - since >= LONG_NS:
                self._told[button] = True
                presses.append(Press(button, now_ns, long=True))
        return tuple(presses)
