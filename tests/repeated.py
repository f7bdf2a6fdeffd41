"""Something that goes on beside a test."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def repeated(does: Callable[[], object], every_s: float) -> Iterator[None]:
    """Does it again and again in a thread of its own, after so many seconds each time, until this is left."""
    done = threading.Event()

    def go_on() -> None:
        while not done.wait(every_s):
            does()

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
