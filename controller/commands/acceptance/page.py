"""The page of an acceptance, for a phone: what to do now, where it lies on the board, three buttons, the result.

Whoever knows the address may press: it holds a random word, and ends with the command.
"""

from __future__ import annotations

import json
import queue
import secrets
import threading
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from calibration.board import Board
from controller.commands.acceptance.gauge import laid_mm
from controller.commands.acceptance.session import BUTTONS, Acceptance, Button, Guidance
from controller.commands.served_page import HTML, JSON, Answer, ServedPage

LINES = 6


class Page:
    """The page at `url`; `pressed` has the buttons, `served` starts and stops it. DeviceError if its port is taken."""

    def __init__(self, board: Board, host: str, port: int) -> None:
        self.pressed: queue.SimpleQueue[Button] = queue.SimpleQueue()
        self.pdf = b""
        self._word = secrets.token_urlsafe(8)
        self._lock = threading.Lock()
        self._lines: list[dict[str, str]] = []
        self._state: dict[str, Any] = {"spots": [], "gauge": [], "do": "", "at": "", "done": False}
        self._of = board
        self._board = {
            "half": board.half_mm,
            "along": board.line_half_length_mm,
            "lines": [*board.outer_line_y_mm, *board.inner_line_y_mm],
            "circles": board.base_circles_mm,
            "circle": board.base_circle_diameter_mm / 2,
            "pockets": board.pockets_mm,
            "pocket": board.pocket_radius_mm,
            "striker": board.striker_diameter_mm / 2,
        }
        self._html = files("controller.commands").joinpath("accept_view.html").read_bytes()
        self.served = ServedPage(host, port, self._get, self._post)
        self.url = f"{self.served.url}{self._word}/"

    def tell(self, said: Guidance) -> None:
        """Shows one more line; what to do has its own place."""
        if said.kind == "do":
            return
        with self._lock:
            self._lines = [*self._lines, asdict(said)][-LINES:]

    def show(self, acceptance: Acceptance, result: str = "") -> None:
        """Shows what is wanted now, and at the end the result."""
        step = acceptance.step
        spots = () if step is None else step.spots
        state = {
            "do": "" if step is None else step.says,
            "at": "" if step is None else acceptance.at,
            "spots": [asdict(spot) for spot in spots],
            "gauge": [laid_mm(self._of, spot.seat, spot.side, spot.half) for spot in spots[:1]],
            "pocket": None if step is None else step.pocket,
            "coins": acceptance.coins,
            "result": result,
            "done": bool(result),
        }
        with self._lock:
            self._state = state

    def state(self) -> dict[str, Any]:
        """What the page shows now. Any thread."""
        with self._lock:
            return {**self._state, "lines": list(self._lines), "board": self._board}

    def _get(self, path: str) -> Answer | None:
        if self._is_here(path, ""):
            return HTML, self._html
        if self._is_here(path, "state.json"):
            return JSON, json.dumps(self.state()).encode()
        return ("application/pdf", self.pdf) if self._is_here(path, "result.pdf") and self.pdf else None

    def _post(self, path: str) -> Answer | None:
        button = next((one for one in BUTTONS if self._is_here(path, one)), None)
        if button is None:
            return None
        self.pressed.put(button)
        return JSON, b"{}"

    def _is_here(self, path: str, name: str) -> bool:
        return secrets.compare_digest(path.encode(), f"/{self._word}/{name}".encode())
