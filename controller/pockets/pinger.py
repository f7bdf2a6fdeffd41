"""Asks the node for the time, now and then, and hands the answers to the clock's estimator. Sans-IO.

Knows when to ask and how long a question is to be; not whether anybody is there.
"""

from __future__ import annotations

from controller.pockets.clock import ClockAlignment, RoundTrip, Taken
from controller.pockets.codec import Line, encode

SECOND = 1_000_000_000
PING_NS = 983_900_000
"""An odd time, so that pings do not fall into step with the beats."""
EARLY_PING_NS = SECOND // 10
EARLY_NS = 4 * SECOND
"""While the line is young each trip lengthens it: a rate is known to a few ppm after seconds, not minutes."""
UNANSWERED = 32
"""So many may wait for their answer: on a clock that runs fast the answer to one comes after the next was asked."""
TRIPS = 8
ENOUGH = 3
PATIENCE_NS = SECOND
"""A poor line may damage pings: after this three trips will do."""
PONG_BYTES = 60
PAD_BYTES = 40


class Pinger:
    """The questions of one link and the alignment of the boot that answers them."""

    def __init__(self) -> None:
        self.clock = ClockAlignment()
        self._out: dict[int, int] = {}
        self._number = 0
        self._asked_ns = 0
        self._next_ns = 0
        self._since_ns = 0
        self._pong_bytes = PONG_BYTES

    def begin(self, now_ns: int, *, new_boot: bool) -> None:
        """A node sent hello; a new boot has a clock of its own."""
        self._out.clear()
        self.begin_line(now_ns)
        if new_boot:
            self.clock = ClockAlignment()

    def begin_line(self, now_ns: int) -> None:
        """The line is to be measured anew, or on."""
        self._since_ns = self._next_ns = now_ns

    def forget(self) -> None:
        """The port is gone: what was asked stays unanswered."""
        self._out.clear()

    @property
    def waits(self) -> bool:
        """Whether the newest question has no answer yet."""
        return self._number in self._out

    def is_patient_enough(self, now_ns: int) -> bool:
        """Whether so much time went by that few trips will do, and there are that many."""
        return now_ns - self._since_ns >= PATIENCE_NS and self.clock.trips >= ENOUGH

    @property
    def is_aligned(self) -> bool:
        """Whether the clock has all the trips one waits for."""
        return self.clock.trips >= TRIPS

    def ask(self, now_ns: int, *, hurry: bool) -> bytes:
        """Returns a ping if one is due. In a hurry the next is due with the last one's answer, or when that is late."""
        late = now_ns - self._asked_ns >= EARLY_PING_NS
        if now_ns < self._next_ns and not (hurry and (late or not self.waits)):
            return b""
        self._number += 1
        self._asked_ns = now_ns
        if len(self._out) == UNANSWERED:
            del self._out[min(self._out)]
        self._out[self._number] = now_ns
        self._next_ns = now_ns + (EARLY_PING_NS if now_ns - self._since_ns < EARLY_NS else PING_NS)
        # As many bytes out as will come back: on a slow line the trip is then even, and its middle is the middle.
        bare = len(encode("host", "ping", id=self._number, pad="x")) - 1
        return encode("host", "ping", id=self._number, pad="x" * min(max(1, self._pong_bytes - bare), PAD_BYTES))

    def answered(self, line: Line, now_ns: int) -> Taken:
        """Takes a pong of the present boot; returns what became of the trip. It is refused where nothing was asked."""
        sent_ns = self._out.pop(line.number("id"), None)
        if sent_ns is None:
            return Taken.REFUSED
        self._pong_bytes = len(encode("node", "pong", **line.values))
        return self.clock.add(RoundTrip(sent_ns, now_ns, line.number("rx"), line.number("tx")))
