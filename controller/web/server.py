"""Runs the pages in a thread of their own, so that no page can hold up an umpire."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from controller.events.errors import DeviceError
from controller.supervision.heartbeat import SupervisedThread
from controller.web.door import ASKED_WITHIN_S, AT_ONCE, MOST_FROM_ONE, Door, Guarded, places
from controller.web.feed import Feed

BEAT_S = 1


class WebServer:
    """`start()` binds and returns the port; `stop()` ends the streams and the thread.

    `most`: connections in all, as many as the process's file handles allow if left out; `most_from_one`: from one
    address.
    """

    def __init__(
        self,
        app: ASGIApp,
        feed: Feed,
        host: str,
        port: int,
        *,
        most: int | None = None,
        most_from_one: int = MOST_FROM_ONE,
    ) -> None:
        self._feed = feed
        self._where = (host, port)
        door = Door(most or places(), most_from_one)
        protocol: Any = partial(Guarded, door)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                http=protocol,
                ws="none",
                log_config=None,
                log_level="warning",
                access_log=False,
                lifespan="off",
                server_header=False,
                backlog=AT_ONCE,
                timeout_graceful_shutdown=1,
                timeout_keep_alive=int(ASKED_WITHIN_S),
                h11_max_incomplete_event_size=64 * 1024,
                callback_notify=self._beat,
                timeout_notify=BEAT_S,
            )
        )
        self._listeners: list[socket.socket] = []
        self._stopping = threading.Event()
        self.thread = SupervisedThread("web", self._serve, self._stopping)
        """For supervision."""

    def start(self) -> int:
        """Starts serving. Raises DeviceError if the address cannot be had; port 0 takes a free one."""
        host, port = self._where
        # On one socket for both kinds of address IPv4 would come as ::ffff:127.0.0.1, which is nobody's name.
        for one in ("::", "0.0.0.0") if host == "::" else (host,):
            try:
                port = self._listen(one, port)
            except OSError as error:
                self._close()
                raise DeviceError(
                    f"{host}:{port}: the pages cannot be served here ({error.strerror}). Fix: stop the program that "
                    "uses the port, or set another [web] port"
                ) from error
        self.thread.start()
        return port

    def _listen(self, host: str, port: int) -> int:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # With its protocol named asyncio sends at once (TCP_NODELAY): else each answer's body waits 40 ms for an ACK.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._listeners.append(listener)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((host, port))
        listener.listen(AT_ONCE)
        bound: int = listener.getsockname()[1]
        return bound

    def _close(self) -> None:
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()

    def stop(self) -> None:
        """Ends the streams, then the server. May be called twice."""
        self._feed.close()
        self._stopping.set()
        self._server.should_exit = True
        self.thread.join()
        # A server that died left them open.
        self._close()

    def _serve(self, _beat: Callable[[], None]) -> None:
        self._server.run(self._listeners)

    async def _beat(self) -> None:
        """Called by the server's own loop: a page that holds it up is a server that hangs."""
        self.thread.beat()
