"""What lamp and buzzer show, and what counts as a press: pure, times in, levels out.

The lamp must not upset the camera. So it never flashes, is never dimmed by pulses, and changes only while the board is
still: a change of light in the middle of a stroke is a motion that nobody made.
"""

from __future__ import annotations

from collections.abc import Mapping

MS = 1_000_000
PRESS_NS = 30 * MS
"""A button is pressed once it has been down for so long without a break."""
LAMP_NS = 6_000 * MS
"""How long the foul lamp is lit, at least: it goes out at the first rest after."""


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

    def step(self, now_ns: int) -> bool | None:
        """Returns what the lamp changes to now; None where it stays as it is."""
        wanted = now_ns < self._wanted_until
        if wanted == self.lit or not self._still:
            return None
        if wanted:
            # It was waiting for the rest: its time begins when it is seen.
            self._wanted_until = now_ns + self._lit_ns
        self.lit = wanted
        return wanted


class Presses:
    """Turns levels that are polled into presses."""

    def __init__(self, buttons: Mapping[str, int]) -> None:
        self._buttons = dict(buttons)
        self._down: dict[str, int] = {}
        self._told: set[str] = set()

    def step(self, high: Mapping[int, bool], now_ns: int) -> tuple[str, ...]:
        """Takes the inputs as they are at `now_ns` (low is pressed); returns the buttons that are now pressed anew.

        A button that is held down is reported once.
        """
        presses = []
        for button, line in self._buttons.items():
            if high.get(line, True):
                self._down.pop(button, None)
                self._told.discard(button)
                continue
            since = self._down.setdefault(button, now_ns)
            if button not in self._told and now_ns - since >= PRESS_NS:
                self._told.add(button)
                presses.append(button)
        return tuple(presses)
