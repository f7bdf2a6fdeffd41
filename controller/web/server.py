"""Runs the pages in a thread of their own, so that no page can hold up an umpire."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from controller.events.errors import DeviceError
from controller.supervision.heartbeat import SupervisedThread
from controller.web.feed import Feed

BEAT_S = 1


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
                callback_notify=self._beat,
                timeout_notify=BEAT_S,
            )
        )
        self._listener: socket.socket | None = None
        self._stopping = threading.Event()
        self.thread = SupervisedThread("web", self._serve, self._stopping)
        """For supervision."""

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
        self._listener = listener
        self.thread.start()
        return bound

    def stop(self) -> None:
        """Ends the streams, then the server. May be called twice."""
        self._feed.close()
        self._stopping.set()
        self._server.should_exit = True
        self.thread.join()

    def _serve(self, _beat: Callable[[], None]) -> None:
        assert self._listener is not None
        self._server.run([self._listener])

    async def _beat(self) -> None:
        """Called by the server's own loop: a page that holds it up is a server that hangs."""
        self.thread.beat()
