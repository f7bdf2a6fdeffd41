"""Carries changes from the daemon's threads to the pages' loop: the latest of each kind, and its version.

A slow page therefore never holds anybody up and never falls behind: what it missed is not sent late, it is skipped.
Must not know who listens.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

Kind = Literal["state", "board", "clock", "day", "reach"]


class Feed:
    """`push` from any thread; one reader, who is woken."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._latest: dict[Kind, tuple[int, Any]] = {}
        self._wake: Callable[[], None] | None = None
        self.version = 0
        """Counts the changes of every kind."""
        self.closed = False

    def push(self, kind: Kind, body: Mapping[str, Any] | None = None) -> None:
        """Says that something has changed."""
        with self._guard:
            self.version += 1
            self._latest[kind] = (self.version, body)
            wake = self._wake
        if wake is not None:
            wake()

    def latest(self) -> dict[Kind, tuple[int, Any]]:
        """Returns what was pushed last of each kind, with its version."""
        with self._guard:
            return dict(self._latest)

    def read_by(self, wake: Callable[[], None]) -> None:
        """`wake` is called after each change, in the thread that made it."""
        self._wake = wake

    def close(self) -> None:
        """Ends every stream, now and from now on."""
        self.closed = True
        if self._wake is not None:
            self._wake()
