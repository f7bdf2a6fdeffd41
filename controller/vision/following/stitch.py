"""Puts broken and mixed-up tracks right once it is known what lay where before and after.

While pieces run, each picture is judged by itself, and where two meet the follower may go on with the wrong one or
lose both. Afterwards more is known: every piece that lay there before lies somewhere now, or fell. So the tracks are
cut where they bend, and their tails exchanged as long as that makes the whole more likely. Pure values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from math import hypot, log

from calibration.board import Board
from controller.events.observation import SeenPiece, Vanished
from controller.events.words import Piece
from controller.vision.following.free_runs import Leg, leg_through, split
from controller.vision.following.motion import FASTEST_MM_S, LEAST_BRAKE_MM_S2
from controller.vision.following.tracks import Link, Measurement, PieceTrack

WRONG_CLASS = 60.0
FROM_NOWHERE = 25.0
UNEXPLAINED = 40.0
FELL = 8.0
TAKEN = 10.0
LEFT_BOARD = 15.0
JUNK = 2.0
UNSEEN_WAY = 14.0
"""What it costs, in the odds of an error of about 3 mm each, to believe these instead of a seen way."""

PER_MM = 0.3
PER_FRAME = 1.2
RUNS_MM_S = 40.0
ODD = 20.0
MOST_SWAPS = 40
MOST_CHAINS = 28
MOST_PARTS = 60
"""With more than these it is a break or the board was cleared: no exchange is plain there, and all would take long."""


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A free run of one piece, or a single sighting between two meetings."""

    marks: tuple[Measurement, ...]
    leg: Leg | None

    @property
    def first(self) -> Measurement:
        return self.marks[0]

    @property
    def last(self) -> Measurement:
        return self.marks[-1]

    def at(self, t_ns: float, fallback: Measurement) -> tuple[float, float]:
        return self.leg.at(t_ns) if self.leg is not None else (fallback.x_mm, fallback.y_mm)


@dataclass(slots=True)
class _Head:
    """Where a chain begins: a piece that lay on the board, or nothing known. `lay`: where it lay, if that is."""

    number: int
    lay: SeenPiece | None
    start: SeenPiece | None
    piece: Piece
    track: PieceTrack | None
    placed: SeenPiece | None


@dataclass(slots=True)
class _Tail:
    """Where a chain ends: a piece that lies there now, or how it went according to the follower."""

    end: SeenPiece | None
    ended: Vanished | None


@dataclass(slots=True)
class _Chain:
    head: _Head
    parts: list[_Part]
    tail: _Tail


@dataclass(frozen=True, slots=True)
class _Swap:
    """What two chains would be with parts exchanged, and how much likelier that is."""

    gain: float
    after: tuple[_Chain, _Chain] | None


LEAST_GAIN = 0.5
NO_SWAP = _Swap(LEAST_GAIN, None)
"""An exchange has to gain more than this."""


@dataclass(slots=True)
class _Prices:
    """What it costs to believe a link; remembered, since the same ones are weighed again and again."""

    board: Board
    frame_ns: int
    links: dict[tuple[_Part, _Part], float] = field(default_factory=dict)

    def of(self, chain: _Chain) -> float:
        parts = chain.parts
        total = 0.0
        for before, after in pairwise(parts):
            total += self.link(before, after)
        return total + self.beginning(chain) + self._ending(chain)

    def link(self, before: _Part, after: _Part) -> float:
        key = (before, after)
        if key not in self.links:
            self.links[key] = self._link(before, after)
        return self.links[key]

    def _link(self, before: _Part, after: _Part) -> float:
        t0, t1 = before.last.t_ns, after.first.t_ns
        if t1 <= t0:
            return 1e6
        gap = hypot(after.first.x_mm - before.last.x_mm, after.first.y_mm - before.last.y_mm)
        if gap > FASTEST_MM_S * (t1 - t0) / 1e9 + 20.0:
            return 1e5
        miss = gap
        if before.leg is not None or after.leg is not None:
            for k in range(9):
                t = t0 + (t1 - t0) * k / 8
                ax, ay = before.at(t, before.last)
                bx, by = after.at(t, after.first)
                if before.leg is None or after.leg is None:
                    # A single sighting says nothing of its way: it must lie on the other's.
                    away = 0.5 * hypot(ax - bx, ay - by)
                else:
                    away = hypot(ax - bx, ay - by)
                miss = min(miss, away)
        else:
            miss *= 0.35
        frames = max(0.0, (t1 - t0) / self.frame_ns - 1.0)
        return min(PER_MM * miss, UNSEEN_WAY + 0.05 * gap) + PER_FRAME * frames + 1.0

    def beginning(self, chain: _Chain) -> float:
        """What it costs to believe that a chain began as it does."""
        lay = chain.head.lay
        if not chain.parts:
            return 0.0
        first = chain.parts[0]
        if lay is None:
            if chain.head.piece == "striker":
                return 0.0
            count = sum(len(part.marks) for part in chain.parts)
            if count < 3 and chain.tail.end is None:
                return 0.0
            return FROM_NOWHERE
        return self._from_rest(lay, first)

    def _from_rest(self, start: SeenPiece, part: _Part) -> float:
        dx, dy = part.first.x_mm - start.x_mm, part.first.y_mm - start.y_mm
        gap = hypot(dx, dy)
        if part.leg is None:
            return min(0.04 * gap, UNSEEN_WAY)
        vx, vy = part.leg.velocity(part.leg.first_ns)
        speed = max(1.0, hypot(vx, vy))
        along, across = (dx * vx + dy * vy) / speed, abs(dx * vy - dy * vx) / speed
        late = max(0.0, along / speed * 1e9 / self.frame_ns - 1.0)
        return min(PER_MM * (across + max(0.0, -along)) + PER_FRAME * late, UNSEEN_WAY + 0.05 * gap)

    def _ending(self, chain: _Chain) -> float:
        head, tail = chain.head, chain.tail
        if tail.end is None:
            return self._going(chain)
        total = 0.0
        known = head.piece not in ("unknown", tail.end.piece) and tail.end.piece != "unknown"
        if known:
            total += _misnamed(head.piece, tail.end)
        if not chain.parts:
            if head.start is None:
                return total + FROM_NOWHERE
            gap = tail.end.apart_mm(head.start)
            return total + (min(0.5 * gap, UNSEEN_WAY) if gap > 2.0 else 0.0)
        return total + self._to_rest(chain.parts[-1], tail.end)

    def _to_rest(self, part: _Part, end: SeenPiece) -> float:
        dx, dy = end.x_mm - part.last.x_mm, end.y_mm - part.last.y_mm
        gap = hypot(dx, dy)
        if part.leg is None or gap < 4.0:
            return min(PER_MM * gap, UNSEEN_WAY + 0.03 * gap)
        vx, vy = part.leg.velocity(part.last.t_ns)
        speed = max(1.0, hypot(vx, vy))
        along, across = (dx * vx + dy * vy) / speed, abs(dx * vy - dy * vx) / speed
        over = max(0.0, along - speed * speed / (2.0 * LEAST_BRAKE_MM_S2) - 5.0)
        return min(PER_MM * (across + over + max(0.0, -along)), UNSEEN_WAY + 0.03 * gap)

    def _going(self, chain: _Chain) -> float:
        if not chain.parts:
            if chain.head.start is None:
                return 0.0
            # What no detection could name may have been a fingertip.
            return UNEXPLAINED if chain.head.start.piece != "unknown" else TAKEN
        ended = self.way_out(chain)
        price = {"pocket": FELL, "hand": TAKEN, "frame": LEFT_BOARD, "unknown": UNEXPLAINED}[ended.how]
        if chain.head.start is None and chain.head.piece != "striker":
            return min(price, JUNK if sum(len(part.marks) for part in chain.parts) < 3 else FROM_NOWHERE)
        return price

    def way_out(self, chain: _Chain) -> Vanished:
        """How a chain that ends nowhere went, judged by its last part."""
        last = chain.parts[-1]
        mark = last.last
        at = (mark.x_mm, mark.y_mm)
        said = chain.tail.ended
        if said is not None and hypot(said.at[0] - at[0], said.at[1] - at[1]) < 1.0 and said.how != "unknown":
            return said
        pocket, away = self.board.nearest_pocket(*at)
        if away < self.board.pocket_radius_mm + 8.0:
            return Vanished(mark.t_ns, self.frame_ns, "pocket", at, pocket)  # type: ignore[arg-type]
        if last.leg is not None:
            vx, vy = last.leg.velocity(mark.t_ns)
            speed = hypot(vx, vy)
            # What trembles at a place leads nowhere.
            for name, (cx, cy) in self.board.pockets_mm.items() if speed > RUNS_MM_S else ():
                dx, dy = cx - at[0], cy - at[1]
                along, across = (dx * vx + dy * vy) / speed, abs(dx * vy - dy * vx) / speed
                if across < 35.0 and 0.0 < along < speed * 2.5 * self.frame_ns / 1e9 + 20.0:
                    return Vanished(mark.t_ns, self.frame_ns, "pocket", at, name)  # type: ignore[arg-type]
        if mark.by_hand:
            return Vanished(mark.t_ns, self.frame_ns, "hand", at)
        if max(abs(at[0]), abs(at[1])) > self.board.half_mm:
            return Vanished(mark.t_ns, self.frame_ns, "frame", at)
        return Vanished(mark.t_ns, self.frame_ns, "unknown", at)


def _misnamed(piece: Piece, end: SeenPiece) -> float:
    """What it costs to believe that a detection took this piece for what it called it: by its odds if unsure."""
    odds = dict(end.odds)
    chance = odds.get(piece, 0.0)
    return min(WRONG_CLASS, max(0.0, log(odds.get(end.piece, 1.0) / chance))) if chance > 0.0 else WRONG_CLASS


def stitch_tracks(links: Sequence[Link], board: Board, frame_ns: int) -> list[Link]:
    """Exchanges tails between tracks, as matched so far, while that makes the whole more likely."""
    chains = [_chain(number, link, frame_ns) for number, link in enumerate(links)]
    prices = _Prices(board, frame_ns)
    parts = sum(len(chain.parts) for chain in chains)
    if len(chains) > MOST_CHAINS or parts > MOST_PARTS or not _worth(chains, prices):
        return list(links)
    costs = [prices.of(chain) for chain in chains]
    pairs = list(combinations(range(len(chains)), 2))
    swaps = {(i, j): _best_swap(chains[i], chains[j], costs[i], costs[j], prices) for i, j in pairs}
    for _ in range(MOST_SWAPS):
        i, j = max(pairs, key=lambda pair: swaps[pair].gain, default=(0, 0))
        best = swaps.get((i, j), NO_SWAP)
        if best.after is None:
            break
        chains[i], chains[j] = best.after
        costs[i], costs[j] = prices.of(chains[i]), prices.of(chains[j])
        for a, b in pairs:
            # What two others would gain is as it was.
            if {a, b} & {i, j}:
                swaps[a, b] = _best_swap(chains[a], chains[b], costs[a], costs[b], prices)
    out = [_link(chain, prices) for chain in chains]
    return [link for link in out if link.track is not None or link.start is not None or link.end is not None]


def _chain(number: int, link: Link, frame_ns: int) -> _Chain:
    track = link.track
    runs = [] if track is None else [run for marks in split(track.marks) for run in _seen_to_run(marks, frame_ns)]
    parts = [_Part(tuple(run), leg_through(run)) for run in runs]
    lay = link.placed if link.start is None else link.start
    head = _Head(number, lay, link.start, link.piece, track, link.placed)
    return _Chain(head, parts, _Tail(link.end, track.ended if track is not None else None))


def _seen_to_run(marks: Sequence[Measurement], frame_ns: int) -> Sequence[Sequence[Measurement]]:
    """A free run as it is; but two sightings with a picture missing between them may be of two pieces that meet."""
    if len(marks) == 2 and marks[1].t_ns - marks[0].t_ns > 1.5 * frame_ns:
        return (marks[:1], marks[1:])
    return (marks,)


def _worth(chains: Sequence[_Chain], prices: _Prices) -> bool:
    """Whether anything is odd at all."""
    return any(prices.of(chain) >= ODD for chain in chains)


def _best_swap(a: _Chain, b: _Chain, cost_a: float, cost_b: float, prices: _Prices) -> _Swap:
    """The exchange of two that gains most, if one of them is odd by itself: where nothing is odd nothing is touched."""
    if max(cost_a, cost_b) < ODD:
        return NO_SWAP
    best, now = NO_SWAP, cost_a + cost_b
    crossed = [
        (
            _Chain(a.head, a.parts[:cut_a] + b.parts[cut_b:], b.tail),
            _Chain(b.head, b.parts[:cut_b] + a.parts[cut_a:], a.tail),
        )
        for cut_a, cut_b in _cuts(a, b, prices, now)
    ]
    crossed += _begun_as_the_other(a, b, prices, now)
    crossed += [(first, second) for second, first in _begun_as_the_other(b, a, prices, now)]
    for first, second in crossed:
        gain = now - prices.of(first) - prices.of(second)
        if gain > best.gain:
            best = _Swap(gain, (first, second))
    return best


def _begun_as_the_other(a: _Chain, b: _Chain, prices: _Prices, now: float) -> list[tuple[_Chain, _Chain]]:
    """What the two would be if the first parts of `a` were `b`'s: it was taken up as the piece that it met."""
    if not b.parts or prices.beginning(a) < UNSEEN_WAY:
        return []
    return [
        (_Chain(a.head, a.parts[cut:], a.tail), _Chain(b.head, a.parts[:cut] + b.parts, b.tail))
        for cut in range(1, len(a.parts))
        if prices.link(a.parts[cut - 1], b.parts[0]) < now
    ]


def _cuts(a: _Chain, b: _Chain, prices: _Prices, now: float) -> list[tuple[int, int]]:
    """Where two chains may be cut and crossed: in time, and with links that alone do not cost more than all now."""
    cuts = []
    for cut_a in range(len(a.parts) + 1):
        for cut_b in range(len(b.parts) + 1):
            if cut_a == len(a.parts) and cut_b == len(b.parts) and a.tail.end is b.tail.end:
                continue
            price = 0.0
            if cut_a > 0 and cut_b < len(b.parts):
                price += prices.link(a.parts[cut_a - 1], b.parts[cut_b])
            if cut_b > 0 and cut_a < len(a.parts):
                price += prices.link(b.parts[cut_b - 1], a.parts[cut_a])
            if price < now:
                cuts.append((cut_a, cut_b))
    return cuts


def _link(chain: _Chain, prices: _Prices) -> Link:
    head, end = chain.head, chain.tail.end
    if not chain.parts:
        if head.track is None or head.start is None or end is not None:
            return Link(None, head.start, end)
        return Link(replace(head.track, marks=[]), head.start, end, head.placed)
    marks = [mark for part in chain.parts for mark in part.marks]
    ended = None if end is not None else prices.way_out(chain)
    if head.track is not None:
        track = replace(head.track, marks=marks, ended=ended, life="gone" if ended else "still")
        return Link(track, head.start, end, head.placed)
    radius_mm = prices.board.radius_mm(head.piece)
    track = PieceTrack(0, head.piece, radius_mm, head.start, marks[0].t_ns, marks=marks, ended=ended)
    return Link(track, head.start, end)
