"""Who may be connected to the pages, how many at once, and for how long without getting on.

A stranger who opens connections and says nothing must not keep the umpire out, nor take the handles that the broker
and the journal need. Whoever has not yet asked for anything goes first when a place is wanted; what is being answered
is never cut off for it. Must not know what is asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import socket
import struct
from collections import defaultdict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 512
"""Connections in all: every stream's, and a page's others while it loads."""
MOST_FROM_ONE = 40
"""Connections from one address: six windows of a browser."""
AT_ONCE = 128
"""Connections that are taken in one go: they hold handles before they are counted."""
KEPT_HANDLES = AT_ONCE + 256
"""File handles that are not for pages: those, and journal, broker, vision process, node, pictures, what threads open
briefly."""
LEAST = 32
ASKED_WITHIN_S = 15.0
"""From the connection, or the last answer, to the end of a request's head. Keeping a quiet connection longer only saves
a browser a few milliseconds."""
SENT_WITHIN_S = 20.0
"""From a request's head to its body's end: the largest at 13 kB/s."""
READ_WITHIN_S = 20.0
"""So long somebody may leave what we send unread."""
OURSELVES = ("127.0.0.1", "::1")
"""This machine: a proxy in front of the pages stands for many, and has limits of its own."""

_FULL = b"this table has no place for another page now; try again"
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 5\r\ncontent-type: text/plain\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_FULL), _FULL)
)


def places(handles: int | None = None) -> int:
    """Returns how many connections there may be with so many file handles (None: what this process may open)."""
    if handles is None:
        handles = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if handles == resource.RLIM_INFINITY:
        return MOST
    return max(LEAST, min(MOST, handles - KEPT_HANDLES))


class Door:
    """All connections of one server. In the server's loop only."""

    def __init__(self, most: int, most_from_one: int = MOST_FROM_ONE) -> None:
        self._most, self._most_from_one = most, most_from_one
        self._here: dict[str, dict[Guarded, None]] = defaultdict(dict)

    def __len__(self) -> int:
        """How many are connected."""
        return sum(map(len, self._here.values()))

    def enter(self, one: Guarded, address: str) -> bool:
        """Lets a connection in, if need be in the place of one that has not asked for anything yet."""
        mine = len(self._here.get(address, ()))
        if address not in OURSELVES and mine >= self._most_from_one and not self._make_room(address):
            return False
        if len(self) >= self._most:
            waiting = {there: sum(other.waits for other in ones) for there, ones in self._here.items()}
            if not self._make_room(max(waiting, key=lambda there: waiting[there])):
                return False
        self._here[address][one] = None
        return True

    def leave(self, one: Guarded, address: str) -> None:
        """A connection has ended, or is to be ended."""
        mine = self._here.get(address, {})
        mine.pop(one, None)
        if not mine:
            self._here.pop(address, None)

    def _make_room(self, address: str) -> bool:
        """Ends the oldest connection from an address that waits for its request."""
        for other in self._here[address]:
            if other.waits:
                self.leave(other, address)
                other.end()
                return True
        return False


class Guarded(H11Protocol):
    """uvicorn's connection, counted against the limit and with deadlines."""

    def __init__(self, door: Door, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._door = door
        self._address = ""
        self._refused = False
        self._phase: object = None
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether its request is not (or not wholly) received yet."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def end(self) -> None:
        """Cuts it off."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has connected."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if self._door.enter(self, self._address):
            self._watch()
        else:
            self._refused = True
            transport.write(FULL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended."""
        self._door.leave(self, self._address)
        for timer in (self._deadline, self._unread):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Somebody says something."""
        if not self._refused:
            super().data_received(data)
            self._watch()

    def on_response_complete(self) -> None:
        """A request has been answered; another may come."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """What was sent is not read."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(READ_WITHIN_S, self._end_unread)

    def resume_writing(self) -> None:
        """What was sent has been read."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _end_unread(self) -> None:
        # A reset: otherwise the kernel would go on holding what nobody reads.
        connected = self.transport.get_extra_info("socket")
        with contextlib.suppress(OSError):
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.end()

    def _watch(self) -> None:
        """Sets the deadline of what is awaited now: once a phase, so that trickling bytes do not put it off."""
        phase = self.conn.their_state if self.waits else None
        if phase is self._phase:
            return
        self._phase = phase
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if phase is not None:
            self._deadline = self.loop.call_later(ASKED_WITHIN_S if phase is h11.IDLE else SENT_WITHIN_S, self.end)
