"""Signals for as long as somebody wants them: whoever had them before has them again afterwards."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

STOPS = (signal.SIGTERM, signal.SIGINT)
"""How a program is asked to end: by its manager, and by Ctrl-C."""


@contextmanager
def handling(handler: Callable[..., Any], *numbers: signal.Signals) -> Iterator[None]:
    """Within it `handler(number, frame)` follows each of these signals. In the main thread alone, as Python has it."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
