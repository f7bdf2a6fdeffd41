"""Runs the pages in a thread of their own, so that no page can hold up an umpire."""

from __future__ import annotations

import socket
import threading

import uvicorn
from starlette.types import ASGIApp

from controller.events.errors import DeviceError
from controller.web.feed import Feed


class WebServer:
    """`start()` binds and returns the port; `stop()` ends the streams and the thread."""

    def __init__(self, app: ASGIApp, feed: Feed, host: str, port: int) -> None:
        self._feed = feed
        self._where = (host, port)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                lifespan="off",
                server_header=False,
                timeout_graceful_shutdown=1,
                timeout_keep_alive=15,
                h11_max_incomplete_event_size=64 * 1024,
            )
        )
        self._thread: threading.Thread | None = None

    def start(self) -> int:
        """Starts serving. Raises DeviceError if the address cannot be had; port 0 takes a free one."""
        host, port = self._where
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(64)
        except OSError as error:
            listener.close()
            raise DeviceError(
                f"{host}:{port}: the pages cannot be served here ({error.strerror}). Mend: stop the program that uses "
                "the port, or set another [web] port"
            ) from error
        bound: int = listener.getsockname()[1]
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="web", daemon=True)
        self._thread.start()
        return bound

    def stop(self) -> None:
        """Ends the streams, then the server. May be called twice."""
        self._feed.close()
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
            self._thread = None
