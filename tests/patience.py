"""How long a test waits for what must come: nothing takes so long unless it is broken, on the busiest machine.

`CARROM_TEST_PATIENCE`, in seconds, shortens it for tests of the suite itself."""

import os
import threading
import time
from collections.abc import Callable

PATIENCE_S = float(os.environ.get("CARROM_TEST_PATIENCE", "60"))


def until(holds: Callable[[], object], what: str) -> None:
    """Waits for what tells nobody that it has come."""
    patience, tick = time.monotonic() + PATIENCE_S, threading.Event()
    while not holds():
        assert time.monotonic() < patience, what
        tick.wait(0.01)
