"""The page of an acceptance, for a phone: what to do now, where it lies on the board, three buttons, the result.

Whoever knows the address may press: it holds a random word, and ends with the command.
"""

from __future__ import annotations

import json
import queue
import secrets
import threading
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from calibration.board import Board
from controller.commands.acceptance.gauge import laid_mm
from controller.commands.acceptance.session import BUTTONS, Acceptance, Button, Guidance
from controller.events.errors import DeviceError
from controller.web.hosts import opened_at

LINES = 6
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""The page is one file, and asks nobody but the command that serves it."""


class Page:
    """The page at `url`; `pressed` has the buttons. Raises DeviceError if the port is taken."""

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
        try:
            self._server = ThreadingHTTPServer((host, port), _handler(self))
        except OSError as error:
            raise DeviceError(f"port {port} cannot be used: {error.strerror}. Mend: choose another --http") from error
        self._server.daemon_threads = True
        self.url = f"{opened_at(host, self._server.server_address[1])}{self._word}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="accept")

    def start(self) -> None:
        """Begins to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Ends answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

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

    def is_here(self, path: str, name: str) -> bool:
        """Whether a path is this page's own part of that name."""
        return secrets.compare_digest(path.encode(), f"/{self._word}/{name}".encode())


def _handler(page: Page) -> type[BaseHTTPRequestHandler]:
    html = files("controller.commands").joinpath("accept_view.html").read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if page.is_here(path, ""):
                self._answer("text/html; charset=utf-8", html)
            elif page.is_here(path, "state.json"):
                self._answer("application/json", json.dumps(page.state()).encode())
            elif page.is_here(path, "result.pdf") and page.pdf:
                self._answer("application/pdf", page.pdf)
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            button = next((one for one in BUTTONS if page.is_here(self.path, one)), None)
            if button is None:
                self.send_error(404)
                return
            page.pressed.put(button)
            self._answer("application/json", b"{}")

        def _answer(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            for name, value in HEADERS.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    return Handler
