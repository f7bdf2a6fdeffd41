"""Aligns a node's microsecond clock to the host's monotonic clock, from round trips, with its own error bar.

A pure estimator: times in, times out. Knows no port and looks at no clock.

Each round trip brackets one instant of the node between two of the host. The shortest trips bracket best, so of the
last 64 the 16 shortest are fitted with a straight line. What is known beforehand (a ceramic resonator is within a
few thousand ppm) stands in the fit as one more measurement of the slope, so that the line holds, and says how badly,
even from one trip.

A line holds for one run of the clock. Two trips in a row that no clock of such a rate could have made after the trips
before them end it: the clock stepped, or was never even. That is judged by what the trips bracket, not by the line:
a slow host makes the line wrong, but no bracket. Instants of before the step keep the line that they were measured by.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from math import sqrt

KEPT = 64
FITTED = 16
RATE_PRIOR = 3e-3
"""Standard deviation of a node's rate before anything was measured: resonators are sold to 0.5 %."""
WANDER_PER_S = 2e-7
"""How far the rate may drift for each second beyond the fitted trips: resonators warm up."""
FLOOR_NS = 30_000.0
"""No single trip is believed better than this: a host stamps bytes between two of its own instructions."""
SURE = 4
"""So many standard errors beside the line are no chance."""
RATE_MOST = 6e-3
"""No clock whose edges are of use runs further off than this."""
COMPARED = 8
"""A trip is held against so many of those before it: of a slow host one or two are short."""
HARMLESS_NS = 5_000_000
"""A step of less puts no edge into another stroke or before another piece."""
SKEW = 1 / sqrt(12.0)
"""A trip's spare time lies anywhere between all on the way out and all on the way back: a uniform's deviation."""


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """One answered ping: sent and received on the host's clock (ns), taken and answered on the node's (µs)."""

    sent_ns: int
    received_ns: int
    taken_us: int
    answered_us: int

    @property
    def spare_ns(self) -> int:
        """The time spent on the way, in ns: the trip without the node's own part."""
        return (self.received_ns - self.sent_ns) - (self.answered_us - self.taken_us) * 1000

    def can_follow(self, other: RoundTrip) -> bool:
        """Says whether one even clock can have made both trips, this one later."""
        node_ns = (self.taken_us - other.answered_us) * 1000
        slack_ns = abs(node_ns) * RATE_MOST + HARMLESS_NS
        least_ns, most_ns = self.sent_ns - other.received_ns, self.received_ns - other.sent_ns
        return least_ns - slack_ns <= node_ns <= most_ns + slack_ns


class Taken(Enum):
    """What became of a round trip."""

    REFUSED = "it contradicts itself"
    AGREED = "one even clock can have made it after those before"
    MISSED = "none can: one alone may be damage that passed the check"
    STEPPED = "the second in a row: a new line begins with it"


@dataclass(frozen=True, slots=True)
class Fit:
    """A straight line from node to host: `host_ns = at_ns + (1000 + slope) · (us - at_us)`, slope in ns per µs."""

    at_us: float
    at_ns: int
    offset_ns: float
    slope: float
    var_offset: float
    var_slope: float
    first_us: int
    last_us: int
    residual_ns: int
    trips: int

    def to_host(self, node_us: int) -> tuple[int, int]:
        """Returns the host's time of a node's instant and its standard error, both in ns."""
        span = node_us - self.at_us
        outside_s = max(self.first_us - node_us, node_us - self.last_us, 0) / 1e6
        wander = WANDER_PER_S * outside_s * outside_s * 1e9
        host = self.at_ns + round(span * 1000 + self.slope * span + self.offset_ns)
        return host, round(sqrt(self.var_offset + self.var_slope * span * span + wander * wander))


@dataclass(frozen=True, slots=True)
class Step:
    """The clock's last step: the line of before, and between which of the host's times it happened."""

    before: Fit
    from_ns: int
    until_ns: int
    size_ns: int


class ClockAlignment:
    """The trips of one boot of one node and the line through the best of them."""

    def __init__(self) -> None:
        self._trips: deque[RoundTrip] = deque(maxlen=KEPT)
        self._fit: Fit | None = None
        self._missed: RoundTrip | None = None
        self.agreed_ns = 0
        """The host's time up to which the line is known to hold: when the newest trip that agrees was sent."""
        self.step: Step | None = None

    def add(self, trip: RoundTrip) -> Taken:
        """Takes a round trip; returns what became of it."""
        if trip.answered_us < trip.taken_us or trip.received_ns < trip.sent_ns:
            return Taken.REFUSED
        if trip.spare_ns < -abs(RATE_PRIOR * 5_000 * (trip.answered_us - trip.taken_us)) - FLOOR_NS:
            return Taken.REFUSED
        taken, before, missed = Taken.AGREED, self._fit, self._missed
        if not all(trip.can_follow(one) for one in list(self._trips)[-COMPARED:]):
            if missed is None:
                self._missed = trip
                return Taken.MISSED
            taken = Taken.STEPPED
            self._trips.clear()
        self._missed = None
        self._trips.append(trip)
        self._fit = fit_line(_best(self._trips))
        if taken is Taken.STEPPED and before is not None and missed is not None:
            size_ns = before.to_host(trip.taken_us)[0] - self._fit.to_host(trip.taken_us)[0]
            self.step = Step(before, self.agreed_ns, missed.received_ns, size_ns)
        self.agreed_ns = max(self.agreed_ns, trip.sent_ns)
        return taken

    @property
    def is_doubted(self) -> bool:
        """Whether the newest trip does not follow those before."""
        return self._missed is not None

    @property
    def trips(self) -> int:
        """Round trips kept."""
        return len(self._trips)

    @property
    def fit(self) -> Fit | None:
        """The line as it stands, or None before the first trip."""
        return self._fit

    @property
    def residual_ns(self) -> int:
        """Root mean square of the fitted trips' distance from the line; 0 before there is one."""
        return self._fit.residual_ns if self._fit else 0

    @property
    def rate_ppm(self) -> float:
        """How much faster (+) or slower (-) the node's clock runs than the host's."""
        return -self._fit.slope * 1e3 if self._fit else 0.0

    def to_host(self, node_us: int, by_ns: int | None = None) -> tuple[int, int]:
        """Returns the host's time of a node's instant and its standard error, both in ns.

        `by_ns`: when it was known to have happened. After a step it tells which line an instant belongs to: one that
        by the present line lies before the step or is still to come is taken by the line of before, if that puts it
        before the step. Raises ValueError before the first round trip.
        """
        if self._fit is None:
            raise ValueError("no round trip yet: the node's clock is not aligned")
        fit = self.step.before if self.step is not None and self.is_of_before(node_us, by_ns) else self._fit
        return fit.to_host(node_us)

    def is_of_before(self, node_us: int, by_ns: int | None) -> bool:
        """Says whether an instant is one of before the clock's last step. `by_ns` as of `to_host`."""
        if self.step is None or self._fit is None or by_ns is None:
            return False
        now_ns, error_ns = self._fit.to_host(node_us)
        if self.step.from_ns <= now_ns <= by_ns + SURE * error_ns + HARMLESS_NS:
            return False
        return self.step.before.to_host(node_us)[0] <= self.step.until_ns


def _best(trips: deque[RoundTrip]) -> list[RoundTrip]:
    """The shortest trips, but always the newest eight's shortest too: the line must not hang on the past alone."""
    ranked = sorted(trips, key=lambda trip: trip.spare_ns)[:FITTED]
    newest = min(list(trips)[-8:], key=lambda trip: trip.spare_ns)
    if not any(trip is newest for trip in ranked):
        ranked[-1] = newest
    return sorted(ranked, key=lambda trip: trip.taken_us)


def fit_line(trips: list[RoundTrip]) -> Fit:
    """Weighted least squares through the trips' middles, with the prior on the slope. At least one trip.

    A trip's weight follows from how much longer than the shortest it took. The variance of the offset holds a share
    of the shortest trip as well: that much could be the same way in every trip, and no averaging takes it out.
    """
    at = trips[-1]
    middle_us = [(trip.taken_us + trip.answered_us) / 2 for trip in trips]
    at_us = sum(middle_us) / len(trips)
    at_ns = (at.sent_ns + at.received_ns) // 2 - round((middle_us[-1] - at_us) * 1000)
    shortest = max(0, min(trip.spare_ns for trip in trips))
    sums = [0.0] * 5
    points = []
    for trip, us in zip(trips, middle_us, strict=True):
        x = us - at_us
        y = (trip.sent_ns - at_ns) + (trip.received_ns - trip.sent_ns) / 2 - x * 1000
        sigma = FLOOR_NS + (trip.spare_ns - shortest) / 2 * SKEW
        weight = 1.0 / (sigma * sigma)
        points.append((x, y, weight))
        for place, value in enumerate((1.0, x, y, x * x, x * y)):
            sums[place] += weight * value
    s, sx, sy, sxx, sxy = sums
    sxx += 1.0 / (RATE_PRIOR * 1000) ** 2
    det = s * sxx - sx * sx
    offset, slope = (sxx * sy - sx * sxy) / det, (s * sxy - sx * sy) / det
    rest = sum(w * (y - offset - slope * x) ** 2 for x, y, w in points)
    # A fit worse than its trips promise widens its own error bar; a better one does not narrow it.
    worse = max(1.0, rest / max(1, len(points) - 2))
    # The same lean in every trip is invisible. Half the shortest trip bounds it; hosts and cables are mostly even.
    lean = shortest / 2 * SKEW / 2
    residual = sqrt(sum((y - offset - slope * x) ** 2 for x, y, _ in points) / len(points))
    return Fit(
        at_us=at_us,
        at_ns=at_ns,
        offset_ns=offset,
        slope=slope,
        var_offset=sxx / det * worse + lean * lean,
        var_slope=s / det * worse,
        first_us=min(trip.taken_us for trip in trips),
        last_us=max(trip.answered_us for trip in trips),
        residual_ns=round(residual),
        trips=len(trips),
    )
