"""Carries changes from the daemon's threads to the pages' streams, the latest of each kind only.

A slow phone therefore never holds anybody up and never falls behind: what it missed is not sent late, it is skipped.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from typing import Any, Literal

Kind = Literal["state", "board", "clock"]
BEAT_S = 2.0
"""At least so often something is said, so that a page can tell a quiet table from a dead line."""


class _Listener:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.news = asyncio.Event()
        self.latest: dict[str, Any] = {}


class Feed:
    """`push` from any thread; `listen` from an event loop, any number of times."""

    def __init__(self) -> None:
        self._listeners: set[_Listener] = set()
        self._guard = threading.Lock()
        self._closed = False

    @property
    def listeners(self) -> int:
        """How many pages listen."""
        return len(self._listeners)

    def push(self, kind: Kind, body: Mapping[str, Any] | None = None) -> None:
        """Says that something has changed."""
        with self._guard:
            for listener in self._listeners:
                listener.latest[kind] = body
                self._wake(listener)

    def close(self) -> None:
        """Ends every stream, now and from now on."""
        with self._guard:
            self._closed = True
            for listener in self._listeners:
                self._wake(listener)

    @staticmethod
    def _wake(listener: _Listener) -> None:
        try:
            listener.loop.call_soon_threadsafe(listener.news.set)
        except RuntimeError:
            # Its loop has ended while the page was leaving.
            return

    async def listen(self, beat_s: float = BEAT_S) -> AsyncIterator[tuple[str, Any]]:
        """Yields (kind, body) as things change, ("beat", None) when nothing did for `beat_s`."""
        me = _Listener(asyncio.get_running_loop())
        with self._guard:
            self._listeners.add(me)
        try:
            while not self._closed:
                try:
                    await asyncio.wait_for(me.news.wait(), beat_s)
                except TimeoutError:
                    yield "beat", None
                    continue
                me.news.clear()
                with self._guard:
                    news, me.latest = me.latest, {}
                for kind, body in news.items():
                    yield kind, body
        finally:
            with self._guard:
                self._listeners.discard(me)
