"""Foul lamp, buzzer and buttons of one table: the thin shell round `orders`, one thread that looks at the pins.

A panel that breaks is reported and tried again; nothing waits for it. Knows no rules: others say when to light it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from controller.events.errors import DeviceError
from controller.panel.orders import MS, LampRule, Presses
from controller.panel.pins import Pins
from controller.supervision.heartbeat import SupervisedThread

_log = logging.getLogger(__name__)

LOOK_S = 0.01
RETRY_S = 2.0


class Panel:
    """`lamp`, `buzzer`: lines, or None where there is none. `buttons`: name → line.

    `pressed` is called from the panel's own thread with the button's name.
    """

    def __init__(
        self,
        pins: Pins,
        *,
        now_ns: Callable[[], int],
        lamp: int | None = None,
        buzzer: int | None = None,
        buttons: Mapping[str, int] | None = None,
        pressed: Callable[[str], None] = lambda button: None,
    ) -> None:
        self._pins = pins
        self._now_ns = now_ns
        self._lamp, self._buzzer = lamp, buzzer
        self._buttons = dict(buttons or {})
        self._pressed = pressed
        self._rule = LampRule()
        self._presses = Presses(self._buttons)
        self._buzz_until = 0
        self._buzzing = False
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = SupervisedThread("panel", self._run, self._stop)
        self.says = ""
        """What is wrong with it; empty while all is well."""

    def start(self) -> None:
        """Takes the pins and begins to look at them. Does not fail without hardware: see `says`."""
        self._thread.start()

    def stop(self) -> None:
        """Sets everything off and gives the pins back."""
        self._stop.set()
        self._thread.join()

    @property
    def thread(self) -> SupervisedThread:
        """The thread, for supervision."""
        return self._thread

    def foul(self, buzz_ms: int = 0) -> None:
        """Lights the lamp, as soon as the board is still, and sounds the buzzer at once."""
        with self._lock:
            self._rule.light(self._now_ns())
            self._buzz_until = self._now_ns() + buzz_ms * MS

    def clear(self) -> None:
        """Puts the lamp out, as soon as the board is still."""
        with self._lock:
            self._rule.dark()

    def still(self, still: bool) -> None:
        """Takes whether the board lies still: the lamp changes only then."""
        with self._lock:
            self._rule.still(still)

    def _run(self, beat: Callable[[], None]) -> None:
        while not self._stop.is_set():
            beat()
            try:
                self._live(beat)
            except DeviceError as error:
                if str(error) != self.says:
                    _log.warning("%s", error)
                self.says = str(error)
            self._stop.wait(RETRY_S)

    def _live(self, beat: Callable[[], None]) -> None:
        outputs = [line for line in (self._lamp, self._buzzer) if line is not None]
        self._pins.open(outputs, list(self._buttons.values()))
        try:
            self.says = ""
            self._restore()
            while not self._stop.is_set():
                beat()
                self._step()
                self._stop.wait(LOOK_S)
        finally:
            self._pins.close()

    def _restore(self) -> None:
        """The pins start low; the lamp may have been lit before they were lost."""
        with self._lock:
            lit, self._buzzing = self._rule.lit, False
        if lit and self._lamp is not None:
            self._pins.write(self._lamp, True)

    def _step(self) -> None:
        now_ns = self._now_ns()
        with self._lock:
            lit = self._rule.step(now_ns)
            buzz = now_ns < self._buzz_until
        if lit is not None and self._lamp is not None:
            self._pins.write(self._lamp, lit)
        if buzz != self._buzzing and self._buzzer is not None:
            self._buzzing = buzz
            self._pins.write(self._buzzer, buzz)
        for button in self._presses.step(self._pins.read(), now_ns):
            self._pressed(button)
