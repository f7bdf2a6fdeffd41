"""Notices that somebody else connects to the broker under our client id, which ends our connection. Pure.

Few brokers say so (mosquitto 2.0 does not). But one that was away does not take the next connection at once: where a
connection ends as soon as it began and the next one is taken, somebody else has come in between.
"""

from __future__ import annotations

SAID = "Session taken over"
"""What a broker of MQTT 5 may say when it ends a connection for another one of the same client id."""
SHORT_LIVED_S = 5.0
"""A connection that lasts less than that has not ended by chance."""
STANDS_S = 600.0
"""So long it is reported: somebody should see it, also where the other client has given up."""


class TakeOvers:
    """Our connections to one broker, one after the other. Times in seconds of a monotonic clock.

    `in_a_row`: how many of them somebody else has ended, up to the latest.
    """

    def __init__(self) -> None:
        self.in_a_row = 0
        self._began = self._noticed = float("-inf")
        self._suspected = False

    def began(self, now: float) -> None:
        """The broker has taken a connection."""
        if self._suspected:
            self._notice(now)
        self._began, self._suspected = now, False

    def ended(self, reason: str, now: float) -> None:
        """A connection that stood has ended; `reason`: the broker's, if it gave one."""
        short = now - self._began < SHORT_LIVED_S
        if not short:
            self.in_a_row = 0
        if reason == SAID:
            self._notice(now)
        else:
            self._suspected = short

    def away(self) -> None:
        """The broker does not answer: it ended the connection for a reason of its own."""
        self._suspected, self.in_a_row = False, 0

    def noticed(self, now: float) -> bool:
        """Returns whether somebody else connected under our client id lately."""
        return now - self._noticed < STANDS_S

    def _notice(self, now: float) -> None:
        self.in_a_row += 1
        self._noticed = now
