"""A page that a command serves while it runs: a file and small answers beside it. Knows nothing of what they say."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from controller.events.errors import DeviceError
from controller.web.hosts import opened_at

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""The page is one file, and asks nobody but the command that serves it."""

HTML, JSON = "text/html; charset=utf-8", "application/json"
Answer = tuple[str, bytes]
"""A content type and what is sent."""


class ServedPage:
    """Answers at `host` and `port` (0: any), at `url`, from threads of its own. Raises DeviceError if it is taken.

    `get(path)`, `post(path)`: the answer, None where there is nothing of that path.
    """

    def __init__(
        self,
        host: str,
        port: int,
        get: Callable[[str], Answer | None],
        post: Callable[[str], Answer | None] = lambda _path: None,
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(get(self.path.partition("?")[0]))

            def do_POST(self) -> None:
                self._answer(post(self.path))

            def _answer(self, answer: Answer | None) -> None:
                if answer is None:
                    self.send_error(404)
                    return
                kind, body = answer
                self.send_response(200)
                for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **HEADERS}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        try:
            self._server = ThreadingHTTPServer((host, port), Handler)
        except OSError as error:
            raise DeviceError(f"port {port} cannot be used: {error.strerror}. Fix: choose another --http") from error
        self._server.daemon_threads = True
        self.url = opened_at(host, int(self._server.server_address[1]))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="page")

    def start(self) -> None:
        """Begins to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Ends answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
