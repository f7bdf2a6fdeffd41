"""Where the vision process connects: a Unix socket that takes one observation a line, and gives one order a line.

One vision process at a time: a newer connection replaces the older, because a restarted process may be back before
its dead predecessor's socket is noticed. Must not know what an observation means.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from pathlib import Path

from controller.events.errors import DeviceError, PeerError
from controller.events.observation import Observation
from controller.events.orders import Order, order_to_line
from controller.events.wire import observation_from_line

log = logging.getLogger(__name__)

LINE_LIMIT = 4 * 1024 * 1024
"""Bytes a line may have: a long stroke's tracks are a few hundred kilobytes at most."""


class EyesLink:
    """The daemon's end of the vision process's socket. `received` and `changed` are called on the event loop."""

    def __init__(
        self,
        path: Path,
        received: Callable[[Observation], None],
        changed: Callable[[bool], None],
    ) -> None:
        self._path = path
        self._received = received
        self._changed = changed
        self._server: asyncio.Server | None = None
        self._socket: os.stat_result | None = None
        self._current: asyncio.StreamWriter | None = None

    async def start(self) -> None:
        """Begins to listen. Raises DeviceError if the socket cannot be made."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(self._serve, self._path, limit=LINE_LIMIT)
            self._path.chmod(0o660)
            self._socket = self._path.stat()
        except OSError as error:
            raise DeviceError(
                f"{self._path}: the eyes' socket cannot be made: {error}. Fix: set [table] runtime to a folder "
                "that this user may write"
            ) from error

    async def look(self) -> str:
        """Listens anew where the socket was taken away, with its folder perhaps; who is connected stays. Returns
        what keeps it from that, empty if nothing does."""
        if self._server is None or self._is_there():
            return ""
        log.warning("%s: was taken away; it is made anew", self._path)
        # Not waited for: whoever is connected goes on.
        self._server.close()
        self._socket = None
        try:
            await self.start()
        except OSError as error:
            return str(error)
        return ""

    def _is_there(self) -> bool:
        """Whether the vision process finds the socket that is listened on."""
        try:
            return self._socket is not None and os.path.samestat(self._path.stat(), self._socket)
        except OSError:
            return False

    async def stop(self) -> None:
        """Stops listening and ends the connection."""
        if self._current is not None:
            self._current.close()
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._server.wait_closed(), 2)
        with contextlib.suppress(OSError):
            self._path.unlink()

    @property
    def connected(self) -> bool:
        """Whether a vision process is connected."""
        return self._current is not None

    def order(self, order: Order) -> bool:
        """Hands an order to the vision process; False where none is connected. On the event loop."""
        if self._current is None:
            return False
        self._current.write(order_to_line(order).encode() + b"\n")
        return True

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._current is not None:
            self._current.close()
        self._current = writer
        self._changed(True)
        try:
            while line := await reader.readline():
                if self._current is not writer:
                    break
                self._take(line)
        except (ConnectionError, ValueError) as error:
            # ValueError: a line over the limit. Nothing sensible follows it on this connection.
            log.warning("the eyes' connection ended: %s", error)
        finally:
            writer.close()
            if self._current is writer:
                self._current = None
                self._changed(False)

    def _take(self, line: bytes) -> None:
        try:
            observation = observation_from_line(line)
        except PeerError as error:
            log.warning("%s", error)
            return
        self._received(observation)
