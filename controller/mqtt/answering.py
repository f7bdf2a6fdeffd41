"""Whether a broker still answers. One that is frozen keeps its connections open and says nothing.

Pure: asked with the time, it says when to ask and when an answer is overdue. The question is an UNSUBSCRIBE from a
topic that was never subscribed to: every broker answers it, in order, whatever rights there are, and nobody else hears
of it. paho's own ping would end the connection, and with a short one a table's network that stumbles for a moment.
"""

from __future__ import annotations

ASK_S = 1.0
"""So long after an answer the next question goes out."""
LATE_S = 1.5
"""So long an answer may take. With the page's own delay everybody knows of a frozen broker within three seconds."""
GONE_S = 4.0
"""After so long without an answer another node of the cluster is tried, if there is one."""
NOWHERE = "carrom/nobody/asks-whether-you-are-there"


class Answering:
    """One connection, from `began` on. Times in seconds of a monotonic clock."""

    def __init__(self, began: float) -> None:
        self._ask_at = began
        self._asked: float | None = None

    def asks(self, now: float) -> bool:
        """Returns whether a question is due now; then it counts as asked."""
        if self._asked is not None or now < self._ask_at:
            return False
        self._asked = now
        return True

    def answered(self, now: float) -> None:
        """An answer has come."""
        self._asked, self._ask_at = None, now + ASK_S

    def silent(self, now: float) -> bool:
        """Returns whether an answer is overdue."""
        return self._asked is not None and now - self._asked >= LATE_S

    def gone(self, now: float) -> bool:
        """Returns whether an answer is so long overdue that another node is better."""
        return self._asked is not None and now - self._asked >= GONE_S

    def wait_s(self, now: float) -> float:
        """Returns how long there is nothing to look at, if nothing comes."""
        if self.silent(now):
            return ASK_S
        return max(0.0, (self._ask_at if self._asked is None else self._asked + LATE_S) - now)
