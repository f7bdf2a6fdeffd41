"""A disk on which a commit takes a while: `python -m pytest -p tests.slow_commits`. No test hangs on the disk's speed.

CARROM_COMMIT_S: how long, in seconds.
"""

from __future__ import annotations

import os
import sqlite3
import time
from typing import Any

COMMIT_S = float(os.environ.get("CARROM_COMMIT_S", "0.35"))
_connect, _sleep = sqlite3.connect, time.sleep


class SlowConnection(sqlite3.Connection):
    """Commits as a worn SD card does."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        """Runs one statement."""
        if sql == "COMMIT":
            _sleep(COMMIT_S)
        return super().execute(sql, *values)


def _slow(*where: Any, **how: Any) -> sqlite3.Connection:
    return _connect(*where, factory=SlowConnection, **how)


sqlite3.connect = _slow
