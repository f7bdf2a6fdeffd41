"""Setting the camera up anew from a phone, the table's part: what may be asked when, and what the pages are sent.

The vision process does it (`vision/setting_up`); an order is refused here, saying why, or passed on. Must not know
how a camera is set up, nor where it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from controller.events.observation import SetUp
from controller.events.orders import SET_UP_DOES, Order
from controller.shots.phases import IN_STROKE
from controller.table.desk.audience import Audience
from controller.table.desk.shown import Shown

Json = dict[str, Any]

ANSWERED_S = 30.0
"""An order that the vision process has not reported on for so long is lost: others are taken again."""


class CameraSetUp:
    """`send`: hands an order to the vision process, False where none runs; `picture`: the file of what was found."""

    def __init__(
        self, shown: Shown, picture: Path, send: Callable[[Order], bool], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._shown, self._file, self._send, self._now = shown, picture, send, now
        self._number, self._sent = 0, float("-inf")

    def told(self) -> Json | None:
        """How far it has got, for the umpire's page; None where no vision process can do it."""
        set_up = self._shown.health.set_up
        if set_up is None:
            return None
        said = asdict(set_up)
        return {name: said[name] for name in _TOLD} | {"busy": set_up.busy or ("asked" if self._waits(set_up) else "")}

    def picture(self) -> bytes | None:
        """What was found in the latest picture, as a JPEG; None where nothing is shown."""
        try:
            return self._file.read_bytes()
        except OSError:
            return None

    def ask(self, does: str, step: str) -> Json:
        """Hands an order on. Returns how far it has got, or `{error}`. To be called where the desk works."""
        set_up = self._shown.health.set_up
        if set_up is None:
            return {"error": self._no_eyes()}
        if refused := self._refused(set_up, does, step):
            return {"error": refused}
        number = max(self._number, set_up.order) + 1
        if does not in SET_UP_DOES or not self._send(Order(number, does, _step(step))):
            return {"error": self._no_eyes()}
        self._number, self._sent = number, self._now()
        return self.told() or {}

    def _waits(self, set_up: SetUp) -> bool:
        return self._number > set_up.order and self._now() - self._sent < ANSWERED_S

    def _refused(self, set_up: SetUp, does: str, step: str) -> str:
        busy = bool(set_up.busy) or self._waits(set_up)
        if does in ("begin", "undo") and (why := self._in_play()):
            return why
        if does in ("take", "turn", "undo") and busy:
            return "that is being done already: wait a moment"
        if does == "take" and step != set_up.step:
            return "another device was faster: look at what is wanted now"
        if does == "turn" and set_up.step != "opening":
            return "the empty board is wanted first"
        if does == "undo" and not set_up.kept:
            return "there is no earlier calibration"
        return ""

    def _in_play(self) -> str:
        """Why the camera cannot be taken away from the board just now, "" where it can."""
        if self._shown.phase in IN_STROKE:
            return "a stroke is under way. Fix: wait until everything lies still"
        if Audience(self._shown, umpires=True).score().state == "playing":
            return "a board is in play. Fix: stop play first, then set the camera up"
        return ""

    def _no_eyes(self) -> str:
        health = self._shown.health
        if health.camera == "none":
            return "this table has no camera"
        if health.eyes is not None and health.camera in ("lost", "setup"):
            return "this camera was never calibrated. Fix: once with the lens target, by carrom calibrate"
        return "the camera's program does not answer. Fix: look at its plug, and wait ten seconds"


_TOLD = ("step", "says", "refused", "notes", "south", "grade", "picture", "in_force_ns", "kept")


def _step(step: str) -> Any:
    return step if step in ("empty", "opening") else ""
