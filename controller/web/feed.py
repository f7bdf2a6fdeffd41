"""Carries changes from the daemon's threads to the pages' streams, the latest of each kind only.

A slow phone therefore never holds anybody up and never falls behind: what it missed is not sent late, it is skipped.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Mapping
from typing import Any, Literal

Kind = Literal["state", "board", "clock"]
BEAT_S = 2.0
"""At least so often something is said, so that a page can tell a quiet table from a dead line."""


class Listener:
    """One page's end of the feed. It hears from the moment it is made; `close()` it when the page leaves."""

    def __init__(self, feed: Feed, loop: asyncio.AbstractEventLoop) -> None:
        self._feed = feed
        self._loop = loop
        self._news = asyncio.Event()
        self._latest: dict[str, Any] = {}

    def put(self, kind: Kind, body: Any) -> None:
        """Keeps the latest of its kind. Called by the feed, from any thread, one at a time."""
        self._latest[kind] = body
        self.wake()

    def wake(self) -> None:
        """Lets the page look."""
        # Where the loop has ended, the page is leaving anyway.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._news.set)

    async def news(self, beat_s: float = BEAT_S) -> AsyncIterator[tuple[str, Any]]:
        """Yields (kind, body) as things change, ("beat", None) when nothing did for `beat_s`."""
        while not self._feed.closed:
            try:
                await asyncio.wait_for(self._news.wait(), beat_s)
            except TimeoutError:
                yield "beat", None
                continue
            self._news.clear()
            for kind, body in self._feed.take(self):
                yield kind, body

    def taken(self) -> list[tuple[str, Any]]:
        """Returns what was kept and forgets it. Called by the feed."""
        latest, self._latest = self._latest, {}
        return list(latest.items())

    def close(self) -> None:
        """Hears no more."""
        self._feed.leave(self)


class Feed:
    """`push` from any thread; `listen` from an event loop, any number of times."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()
        self._guard = threading.Lock()
        self.closed = False

    @property
    def listeners(self) -> int:
        """How many pages listen."""
        return len(self._listeners)

    def push(self, kind: Kind, body: Mapping[str, Any] | None = None) -> None:
        """Says that something has changed."""
        with self._guard:
            for listener in self._listeners:
                listener.put(kind, body)

    def close(self) -> None:
        """Ends every stream, now and from now on."""
        with self._guard:
            self.closed = True
            for listener in self._listeners:
                listener.wake()

    def listen(self) -> Listener:
        """Returns a new listener of the running event loop. What is pushed from now on reaches it."""
        listener = Listener(self, asyncio.get_running_loop())
        with self._guard:
            self._listeners.add(listener)
        return listener

    def take(self, listener: Listener) -> list[tuple[str, Any]]:
        """Hands a listener its news."""
        with self._guard:
            return listener.taken()

    def leave(self, listener: Listener) -> None:
        """Forgets a listener."""
        with self._guard:
            self._listeners.discard(listener)
