"""What goes wrong, in the log once, and once more when it works again."""

from __future__ import annotations

import logging
import threading


class Told:
    """One thing that may go wrong. `what`: what then is not done; `trouble`: why not now, empty while it works."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        self._log, self._what = log, what
        self._guard = threading.Lock()
        self._mends = frozenset[str]()
        self.trouble = ""

    def now(self, trouble: str) -> bool:
        """Takes in why it does not work now, "" where it does. Returns whether that has changed. Any thread.

        Each trouble is logged once until it works again. What is repaired alike is one trouble: a server that comes
        back says something else each time.
        """
        with self._guard:
            before, self.trouble, mends = self.trouble, trouble, self._mends
            self._mends = mends | {trouble.rpartition("Mend: ")[2]} if trouble else frozenset()
            news = self._mends != mends
        if news:
            self._log.warning("%s: %s", self._what, trouble or "it works again")
        return bool(before) != bool(trouble)
