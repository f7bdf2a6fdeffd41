"""Stitches tracks: finds which run continues which rest or other run, and at which rest it ends.

While pieces move, each picture is judged alone: where two meet, the tracker may continue with the wrong one or lose
both. At the end of the motion window more is known, because every piece that lay there before lies somewhere now or is
gone. So tracks are cut where they bend, and their runs are joined anew: run by run in the order of time the likeliest
hypotheses are kept (a beam search), and the open ends of each are assigned to the rests after. Values in, values out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import dist, hypot, log

from calibration.board import Board
from controller.events.assignment import assign
from controller.events.observation import SeenPiece
from controller.events.words import Piece
from controller.vision.following.free_runs import Leg, leg_through, split
from controller.vision.following.hands import HandTrace
from controller.vision.following.motion import FASTEST_MM_S, LEAST_BRAKE_MM_S2, along_and_across
from controller.vision.following.tracks import Association, Measurement, PieceTrack
from controller.vision.following.way_out import way_out

FROM_NOWHERE = 25.0
UNEXPLAINED = 40.0
GONE = 8.0
CLUTTER = 5.0
UNSEEN_WAY = 14.0
TRACKED = 20.0
"""Costs in negative log-odds, 0.3 to a millimetre of misfit: of a track or rest from nowhere; of a chain that ends
nowhere, or of a class that a detection contradicts; of one that ends in a pocket, over the frame or under a hand, or
nowhere as it began; of a way that was not seen; and the most that two runs cost which the tracker saw follow each
other. One that leaps over a pocket is seen over the frame in a picture or two: that must not cost more than a fall and
two pictures of nothing."""

PER_MM = 0.3
PER_FRAME = 1.2
MOST_FRAMES = 8
"""A gap costs by its pictures, up to so many: a piece stays hidden under a hand for as long as the hand likes."""

BROKEN_MM = 8.0
"""A track that ends farther than this from where a piece lies may be another one's."""

CLUTTER_MARKS = 3
"""What shows in fewer pictures, and begins and ends nowhere, was nothing: it costs no beginning."""

HYPOTHESES = 600
LEAST_HYPOTHESES = 8
"""At each run so many hypotheses are kept, divided by the number of runs: in a break few, so that it takes no longer,
but never fewer than the second number."""

CHOICES = 5
"""A run is joined to the so many likeliest rests or runs before it."""

UNPAIRED = 1e4
"""More than any hypothesis costs."""

_Open = tuple[tuple[int, Piece | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """A piece at rest before, or a striker that was seen placed: where a chain may begin. `track` began there."""

    lay: SeenPiece
    start: SeenPiece | None
    placed: SeenPiece | None
    track: PieceTrack | None

    @property
    def piece(self) -> Piece:
        """Its class."""
        return "striker" if self.placed is not None else self.lay.piece


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A free run of one piece, or a single sighting between two meetings: part `number` of a track, perhaps its last.

    `leg` is None for a single sighting.
    """

    track: PieceTrack
    marks: tuple[Measurement, ...]
    leg: Leg | None
    number: int
    last: bool

    def at(self, t_ns: float, fallback: Measurement) -> tuple[float, float]:
        """Its place at a time; that of `fallback` for a single sighting."""
        return self.leg.at(t_ns) if self.leg is not None else fallback.at


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    """The runs so far, joined. `before`: for each run the index of what it goes on from, None for from nowhere.

    `open`: what a later run may go on from, by index, and the class of its chain's head.
    """

    cost: float
    before: tuple[int | None, ...]
    open: _Open


@dataclass(frozen=True, slots=True)
class _Chain:
    """One piece's way: its head (None: from nowhere), its runs, and the rest that it ends at, if any."""

    head: Head | None
    runs: tuple[Run, ...]
    end: SeenPiece | None = None

    @property
    def piece(self) -> Piece:
        """Its class: the head's; what comes into view is of none."""
        return self.head.piece if self.head is not None else "unknown"

    @property
    def clutter(self) -> bool:
        """Whether next to nothing was seen of it."""
        return sum(len(run.marks) for run in self.runs) < CLUTTER_MARKS


def stitch_tracks(
    starts: Sequence[SeenPiece],
    ends: Sequence[SeenPiece],
    tracks: Sequence[PieceTrack],
    board: Board,
    frame_ns: int,
    trace: HandTrace,
    placed: Mapping[int, SeenPiece],
    in_sight: frozenset[int],
) -> list[Association]:
    """Returns the likeliest way of each piece that lay there before, of each that lies there now, and of what else was
    tracked.

    `starts`, `ends`: the rests before and after, without those of pieces that did not move. `placed`: how the striker
    lay, by the number of its track. `in_sight`: tracks that reach into the last picture and show in it.
    """
    heads = _heads(starts, tracks, placed)
    runs = sorted((run for track in tracks for run in _runs(track, frame_ns)), key=lambda run: run.marks[0].t_ns)
    costs = _Costs(board, frame_ns, trace, in_sight, (*heads, *runs))
    best = min(
        (_ended(one, heads, runs, ends, costs) for one in _search(heads, runs, costs)), key=lambda found: found[0]
    )
    taken = [chain.end for chain in best[1]]
    return [
        *(_link(chain, costs) for chain in best[1]),
        *(Association(None, end, None) for end in ends if not any(end is one for one in taken)),
    ]


def _search(heads: Sequence[Head], runs: Sequence[Run], costs: _Costs) -> Sequence[_Hypothesis]:
    """Returns the likeliest ways to join the runs, likeliest first."""
    kept = max(LEAST_HYPOTHESES, HYPOTHESES // max(1, len(runs)))
    found = [_Hypothesis(0.0, (), tuple((index, head.piece) for index, head in enumerate(heads)))]
    for number in range(len(heads), len(heads) + len(runs)):
        nowhere: tuple[int | None, Piece | None, float] = (None, None, FROM_NOWHERE)
        grown = [
            (one.cost + cost, one, before, piece)
            for one in found
            for before, piece, cost in (nowhere, *_choices(number, one.open, costs))
        ]
        likeliest: dict[_Open, _Hypothesis] = {}
        for cost, one, before, piece in sorted(grown, key=lambda choice: choice[0]):
            left = (*(pair for pair in one.open if pair[0] != before), (number, piece))
            # Which of two pieces of one class is which makes no difference: the likelier way stands for both.
            if left not in likeliest:
                likeliest[left] = _Hypothesis(cost, (*one.before, before), left)
            if len(likeliest) == kept:
                break
        found = list(likeliest.values())
    return found


def _choices(number: int, open_: _Open, costs: _Costs) -> Sequence[tuple[int | None, Piece | None, float]]:
    found = ((before, piece, costs.join(before, number)) for before, piece in open_)
    return sorted(found, key=lambda choice: choice[2])[:CHOICES]


def _heads(starts: Sequence[SeenPiece], tracks: Sequence[PieceTrack], placed: Mapping[int, SeenPiece]) -> list[Head]:
    own = {id(track.start): track for track in tracks if track.start is not None}
    heads = []
    for start in starts:
        track = own.get(id(start))
        heads.append(Head(start, start, placed.get(track.number) if track is not None else None, track))
    unseen = [track for track in tracks if track.number in placed and track.start is None]
    return heads + [Head(placed[track.number], None, placed[track.number], track) for track in unseen]


def _runs(track: PieceTrack, frame_ns: int) -> Iterator[Run]:
    cut = [marks for run in split(track.marks) for marks in _seen_to_run(run, frame_ns)]
    for number, marks in enumerate(cut):
        yield Run(track, tuple(marks), leg_through(marks), number, number == len(cut) - 1)


def _seen_to_run(marks: Sequence[Measurement], frame_ns: int) -> Sequence[Sequence[Measurement]]:
    """A free run as it is; but two sightings with a picture missing between them may be of two pieces that meet."""
    if len(marks) == 2 and marks[1].t_ns - marks[0].t_ns > 1.5 * frame_ns:
        return (marks[:1], marks[1:])
    return (marks,)


def _ended(
    one: _Hypothesis, heads: Sequence[Head], runs: Sequence[Run], ends: Sequence[SeenPiece], costs: _Costs
) -> tuple[float, list[_Chain]]:
    """Assigns the open ends to the rests after. Returns what all costs, and the chains."""
    joined: dict[int, list[Run]] = {index: [] for index in range(len(heads))}
    chain_of = {**joined}
    for number, (run, before) in enumerate(zip(runs, one.before, strict=True), len(heads)):
        if before is None:
            joined[number] = chain_of[number] = [run]
        else:
            chain_of[before].append(run)
            chain_of[number] = chain_of[before]
    chains = [_Chain(heads[at] if at < len(heads) else None, tuple(found)) for at, found in joined.items()]
    gone = [costs.going(chain) for chain in chains]
    saved = {
        (i, j): UNPAIRED + cost
        for i, chain in enumerate(chains)
        for j, end in enumerate(ends)
        if (cost := costs.to_rest(chain, end) - gone[i] - FROM_NOWHERE) < 0.0
    }
    pairs = dict(assign(saved, UNPAIRED))
    total = one.cost + sum(gone) + FROM_NOWHERE * len(ends) + sum(saved[pair] - UNPAIRED for pair in pairs.items())
    return total, [replace(chain, end=ends[pairs[i]]) if i in pairs else chain for i, chain in enumerate(chains)]


def _link(chain: _Chain, costs: _Costs) -> Association:
    head, runs, end = chain.head, chain.runs, chain.end
    start, placed, own = (head.start, head.placed, head.track) if head is not None else (None, None, None)
    if not runs:
        if own is None or start is None or end is not None:
            return Association(start, end, None)
        return Association(start, None, replace(own, marks=[]), placed=placed)
    if own is None and runs[0].number == 0 and runs[0].track.start is None:
        own = runs[0].track
    if own is None:
        own = PieceTrack(0, chain.piece, costs.board.radius_mm(chain.piece), start, runs[0].marks[0].t_ns)
    marks = [mark for run in runs for mark in run.marks]
    in_sight = costs.still_shows(runs[-1])
    return Association(start, end, replace(own, marks=marks), placed=placed, in_sight=in_sight)


class _Costs:
    """What it costs to believe that one thing goes on from another. `nodes`: heads, then runs by time."""

    def __init__(
        self,
        board: Board,
        frame_ns: int,
        trace: HandTrace,
        in_sight: frozenset[int],
        nodes: Sequence[Head | Run],
    ) -> None:
        self.board = board
        self._trace = trace
        self._frame_ns = frame_ns
        self._in_sight = in_sight
        self._nodes = nodes
        self._known: dict[tuple[int, int], float] = {}
        self._going: dict[Run, float] = {}

    def join(self, before: int, number: int) -> float:
        """A run goes on from a head or another run; remembered, because each hypothesis asks."""
        known = self._known.get((before, number))
        if known is None:
            one, run = self._nodes[before], self._nodes[number]
            assert isinstance(run, Run)
            if isinstance(one, Head):
                known, follows = self._from_rest(one, run), run.number == 0
            else:
                known, follows = self._from_run(one, run), run.number == one.number + 1
            if follows and one.track is run.track:
                known = min(known, TRACKED)
            self._known[before, number] = known
        return known

    def _from_run(self, before: Run, after: Run) -> float:
        one, two = before.marks[-1], after.marks[0]
        t0, t1 = one.t_ns, two.t_ns
        if t1 <= t0:
            return UNPAIRED
        gap = dist(two.at, one.at)
        # A single sighting has no way of its own: it must lie on the other's.
        share = 0.5 if before.leg is None or after.leg is None else 1.0
        times = (t0 + (t1 - t0) * k / 8 for k in range(9))
        miss = min(gap, *(share * dist(before.at(t, one), after.at(t, two)) for t in times))
        frames = min(MOST_FRAMES, max(0.0, (t1 - t0) / self._frame_ns - 1.0))
        return min(PER_MM * miss, UNSEEN_WAY + 0.05 * gap) + PER_FRAME * frames + 1.0

    def _from_rest(self, head: Head, run: Run) -> float:
        first, lay = run.marks[0], head.lay
        if head.start is not None and head.track is not None and first.t_ns <= head.track.began_ns:
            return UNPAIRED
        dx, dy = first.x_mm - lay.x_mm, first.y_mm - lay.y_mm
        gap = hypot(dx, dy)
        if run.leg is None:
            # It set off a picture before and has come no farther: what runs for longer is seen more than once.
            return min(0.04 * gap, UNSEEN_WAY) if gap < FASTEST_MM_S * self._frame_ns / 1e9 else UNPAIRED
        along, across, speed = along_and_across(run.leg.velocity(run.leg.first_ns), dx, dy)
        late = max(0.0, along / speed * 1e9 / self._frame_ns - 1.0)
        return min(PER_MM * (across + max(0.0, -along)) + PER_FRAME * late, UNSEEN_WAY + 0.1 * gap)

    def to_rest(self, chain: _Chain, end: SeenPiece) -> float:
        """A chain ends at a rest."""
        head, runs, piece = chain.head, chain.runs, chain.piece
        if head is not None and coin_and_striker(head.lay, end):
            return UNPAIRED
        wrong = 0.0 if "unknown" in (piece, end.piece) or piece == end.piece else _misnamed(piece, end)
        if not runs:
            assert head is not None
            gap = end.apart_mm(head.lay)
            return wrong + min(0.5 * gap, UNSEEN_WAY + 0.05 * gap)
        mark = runs[-1].marks[-1]
        dx, dy = end.x_mm - mark.x_mm, end.y_mm - mark.y_mm
        gap = hypot(dx, dy)
        leg = runs[-1].leg
        if leg is None:
            return wrong + min(PER_MM * gap, UNSEEN_WAY + 0.03 * gap)
        along, across, speed = along_and_across(leg.velocity(mark.t_ns), dx, dy)
        over = max(0.0, along - speed * speed / (2.0 * LEAST_BRAKE_MM_S2) - 5.0)
        return wrong + min(PER_MM * (across + over + max(0.0, -along)), UNSEEN_WAY + 0.03 * gap)

    def going(self, chain: _Chain) -> float:
        """A chain ends at no rest."""
        head, runs = chain.head, chain.runs
        if not runs:
            return UNEXPLAINED
        if head is None:
            # A shadow or a glint: it has paid for its beginning already, but where next to nothing was seen.
            return CLUTTER - (FROM_NOWHERE if chain.clutter else 0.0)
        if self.still_shows(runs[-1]):
            # It lies there, and no detection found it.
            return UNEXPLAINED
        known = self._going.get(runs[-1])
        if known is None:
            how, _ = way_out(runs[-1].marks[-1], self.board, self._trace, coin=True)
            known = self._going[runs[-1]] = UNEXPLAINED if how == "unknown" else GONE
        return known

    def still_shows(self, run: Run) -> bool:
        """Whether a run reaches into the last picture, and shows in it."""
        return run.last and run.track.number in self._in_sight


def _misnamed(piece: Piece, end: SeenPiece) -> float:
    """A detection took this piece for what it called it: by its odds if unsure."""
    odds = dict(end.odds)
    chance = odds.get(piece, 0.0)
    return min(UNEXPLAINED, max(0.0, log(odds.get(end.piece, 1.0) / chance))) if chance > 0.0 else UNEXPLAINED


def coin_and_striker(start: SeenPiece, end: SeenPiece) -> bool:
    """Whether two detections certainly saw a coin and a striker: they differ in size, and a striker may come unseen."""
    return start.sure and end.sure and (start.piece == "striker") != (end.piece == "striker")
