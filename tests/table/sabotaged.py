"""`carrom` in which something goes wrong once a file is there: `python -m tests.table.sabotaged WHAT FILE COMMAND …`.

`desk`: the daemon's main thread hangs; `dies`: what it does ten times a second raises;
`full`: the journal's disk is full; `stuck`: a commit never returns.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

from controller.cli import main
from controller.events.errors import DeviceError
from controller.journal.journal import Journal
from controller.table.desk.desk import Desk
from controller.table.machine import supervision


def sabotage(what: str, trigger: Path) -> None:
    """Puts the trap into this process."""
    tick, append = Desk.tick, Journal.append

    async def hanging_tick(self: Desk) -> None:
        if trigger.exists():
            if what == "dies":
                raise RuntimeError("sabotage")
            threading.Event().wait()
        await tick(self)

    def failing_append(self: Journal, *args: Any, **more: Any) -> None:
        if trigger.exists():
            if what == "stuck":
                threading.Event().wait()
            raise DeviceError(f"{self.path}: database or disk is full. Fix: make room on the disk")
        append(self, *args, **more)

    if what in ("desk", "dies"):
        Desk.tick = hanging_tick  # type: ignore[method-assign]
        supervision.LIMITS_S = {**supervision.LIMITS_S, "desk": 1.0}
    else:
        Journal.append = failing_append  # type: ignore[method-assign]


if __name__ == "__main__":
    sabotage(sys.argv[1], Path(sys.argv[2]))
    sys.exit(main(sys.argv[3:]))
