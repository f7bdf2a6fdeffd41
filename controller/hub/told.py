"""What goes wrong, in the log once, and once more when it works again."""

from __future__ import annotations

import logging
import threading


class Told:
    """One thing that may go wrong. `what`: what then is not done; `trouble`: why not now, empty while it works."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        self._log, self._what = log, what
        self._guard = threading.Lock()
        self.trouble = ""

    def now(self, trouble: str) -> bool:
        """Takes in why it does not work now, "" where it does. Returns whether it has changed. Any thread."""
        with self._guard:
            before, self.trouble = self.trouble, trouble
        if bool(before) == bool(trouble):
            # A server that comes back says something else each time; that is no news.
            return False
        self._log.warning("%s: %s", self._what, trouble or "it works again")
        return True
