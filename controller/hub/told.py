"""What goes wrong, in the log once, and once more when it works again."""

from __future__ import annotations

import logging
import threading


class Told:
    """One thing that may go wrong. `what`: what then is not done; `trouble`: why not now, empty while it works."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        self._log, self._what = log, what
        self._guard = threading.Lock()
        self._fixes = frozenset[str]()
        self.trouble = ""

    def now(self, trouble: str) -> bool:
        """Takes in why it does not work now, "" where it does. Returns whether that has changed. Any thread.

        Each trouble is logged once until it works again. What is repaired alike is one trouble: a server that comes
        back says something else each time.
        """
        with self._guard:
            before, self.trouble, fixes = self.trouble, trouble, self._fixes
            self._fixes = fixes | {trouble.rpartition("Fix: ")[2]} if trouble else frozenset()
            news = self._fixes != fixes
        if news:
            self._log.warning("%s: %s", self._what, trouble or "it works again")
        return bool(before) != bool(trouble)
