"""Aligns a node's microsecond clock to the host's monotonic clock, from round trips, with its own error bar.

A pure estimator: times in, times out. Knows no port and looks at no clock.

Each round trip brackets one instant of the node between two of the host. The shortest trips bracket best, so of the
last 64 the 16 shortest are fitted with a straight line. What is known beforehand (a ceramic resonator is within a
few thousand ppm) stands in the fit as one more measurement of the slope, so that the line holds, and says how badly,
even from one trip.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import sqrt

KEPT = 64
FITTED = 16
RATE_PRIOR = 3e-3
"""Standard deviation of a node's rate before anything was measured: resonators are sold to 0.5 %."""
WANDER_PER_S = 2e-7
"""How far the rate may drift for each second beyond the fitted trips: resonators warm up."""
FLOOR_NS = 30_000.0
"""No single trip is believed better than this: a host stamps bytes between two of its own instructions."""
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


class ClockAlignment:
    """The trips of one boot of one node and the line through the best of them."""

    def __init__(self) -> None:
        self._trips: deque[RoundTrip] = deque(maxlen=KEPT)
        self._fit: Fit | None = None

    def add(self, trip: RoundTrip) -> bool:
        """Takes a round trip; returns whether it was kept. One that contradicts itself is refused."""
        if trip.answered_us < trip.taken_us or trip.received_ns < trip.sent_ns:
            return False
        if trip.spare_ns < -abs(RATE_PRIOR * 5_000 * (trip.answered_us - trip.taken_us)) - FLOOR_NS:
            return False
        self._trips.append(trip)
        self._fit = fit_line(_best(self._trips))
        return True

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

    def to_host(self, node_us: int) -> tuple[int, int]:
        """Returns the host's time of a node's instant and its standard error, both in ns.

        Raises ValueError before the first round trip.
        """
        fit = self._fit
        if fit is None:
            raise ValueError("no round trip yet: the node's clock is not aligned")
        span = node_us - fit.at_us
        outside_s = max(fit.first_us - node_us, node_us - fit.last_us, 0) / 1e6
        wander = WANDER_PER_S * outside_s * outside_s * 1e9
        host = fit.at_ns + round(span * 1000 + fit.slope * span + fit.offset_ns)
        return host, round(sqrt(fit.var_offset + fit.var_slope * span * span + wander * wander))


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
