"""What this package remembers between two inputs. A value: every step makes a new one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from calibration.board import SEATS, Board
from controller.events.beams import BeamEdge
from controller.events.expectation import Expectation
from controller.events.match import Shot
from controller.events.observation import BoardSeen, HandsSeen, StrokeSeen
from controller.events.words import Piece, Pocket, Seat
from controller.shots.limits import Limits
from controller.shots.liveness import Liveness
from controller.shots.outputs import Armed, Kind, Mismatch, Output, Phase
from controller.shots.phases import Cue, State, follow
from controller.shots.pulses import Pulse, pulses_of


@dataclass(frozen=True, slots=True)
class Concluded:
    """A stroke that was read, kept for a while in case something late changes the reading."""

    stroke: StrokeSeen
    expectation: Expectation | None
    shot: Shot


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A difference between board and book, since when it lasts, and whether it has been reported."""

    kind: str
    missing: tuple[Piece, ...]
    extra: tuple[Piece, ...]
    since_ns: int
    said: bool = False


@dataclass(frozen=True, slots=True)
class Outage:
    """No pictures since `since_ns`.

    `restarted`: the vision process remembers nothing of before; `cut_ns`: when what moved then had begun.
    """

    since_ns: int
    restarted: bool = False
    cut_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ShotState:
    """Everything remembered.

    `reference`: the last rest that is accounted for; `settled_until_ns`: interruptions up to then are. `pending`:
    strokes not yet read. `works`: motion windows without a stroke. `moving_ns`: when something began to move
    and does not rest yet. `awaiting`: the book's number at the last reading and when that was. `told_at`: the
    book's number at a reading that was reported as unseen; only what comes after its ruling settles that. `put`: where
    pieces were placed since the last stroke; whoever places may still put them right.
    """

    board: Board
    limits: Limits = field(default_factory=Limits)
    start_ns: int = 0
    phase: State = "off"
    phase_ns: int = 0
    expectation: Expectation | None = None
    liveness: Liveness = field(default_factory=Liveness)
    edges: tuple[BeamEdge, ...] = ()
    felt: tuple[tuple[Pocket, int], ...] = ()
    boards: tuple[BoardSeen, ...] = ()
    hands: tuple[HandsSeen, ...] = ()
    pending: tuple[StrokeSeen, ...] = ()
    works: tuple[StrokeSeen, ...] = ()
    concluded: tuple[Concluded, ...] = ()
    read_until_ns: int = 0
    settled_until_ns: int = 0
    reference: BoardSeen | None = None
    moving_ns: int | None = None
    awaiting: tuple[int, int] | None = None
    outage: Outage | None = None
    told_at: int | None = None
    felt_before: tuple[int, int] = (0, 0)
    """Between these times no board says what fell: before the first one at all, or in an outage after which nothing was
    ruled. The beams may yet say more."""
    unclaimed_ns: int = 0
    """Beam interruptions before then have been reported as ones that nothing claims."""
    put: tuple[tuple[float, float], ...] = ()
    standing: Discrepancy | None = None
    racked: bool = False
    """The opening arrangement was seen, and no stroke that counts has been read since."""
    broken: bool = False
    """A break was read, and no arrangement has been seen since."""
    ready_at: int | None = None
    """The book's number at which it was reported that a board may begin."""
    open: frozenset[Kind] = frozenset()
    """Kinds of mismatch that were reported and not yet withdrawn."""
    looked: tuple[BoardSeen, Expectation | None, int] | None = None
    """Board, book and number of edges that were last examined, so that the same is not examined again."""
    armed: Armed | None = None
    said: frozenset[tuple[str, int, int]] = frozenset()
    """Sights already reported, by kind and place in cm: once as long as they stay."""

    def pulses(self, from_ns: int, until_ns: int) -> tuple[Pulse, ...]:
        """Returns the interruptions that began between two times."""
        margin = self.limits.stuck_ns * 4
        near = [edge for edge in self.edges if from_ns - margin <= edge.t_ns <= until_ns + margin]
        return tuple(pulse for pulse in pulses_of(near, self.limits) if from_ns <= pulse.t_ns <= until_ns)

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats that somebody plays from: all, as long as none is given."""
        sides = self.expectation.sides if self.expectation is not None else ()
        return tuple(seat for seat, _ in sides) or SEATS

    @property
    def waits_for_book(self) -> bool:
        """Says whether the ruling on the reading before is still to come (it changes what is expected)."""
        waits_ns = self.limits.expectation_wait_ns
        return self.awaiting is not None and self.liveness.tick_ns - self.awaiting[1] < waits_ns

    def rested_ns(self, board: BoardSeen, since_ns: int) -> int:
        """Returns for how long the newest board has been seen to stay as it is."""
        return max(board.t_ns, self.liveness.eyes_until_ns) - since_ns


Step = tuple[ShotState, tuple[Output, ...]]


def accounted(state: ShotState, board: BoardSeen) -> ShotState:
    """Accounts for a board: what lies there now is what later rests are compared with."""
    if state.reference is not None and board.t_ns < state.reference.t_ns:
        return state
    until = max(state.settled_until_ns, board.since_ns)
    works = tuple(work for work in state.works if work.ended_ns > board.since_ns)
    return replace(state, reference=board, settled_until_ns=until, works=works)


def awaits_ruling(state: ShotState) -> ShotState:
    """Something was read: the ruling on it changes what is expected."""
    book = state.expectation
    awaiting = None if book is None else (book.seq, state.liveness.now_ns)
    return replace(state, awaiting=awaiting, standing=None)


def alert(state: ShotState, said: Mismatch) -> Step:
    """Reports what does not fit the book; it stands until it is withdrawn."""
    return replace(state, open=state.open | {said.kind}), (said,)


def cue(state: ShotState, name: Cue, t_ns: int, seat: Seat | None = None) -> Step:
    """Follows a cue in the table of phases; one that is older than the phase changes nothing."""
    if t_ns < state.phase_ns:
        return state, ()
    reached = follow(state.phase, name)
    if reached == state.phase:
        return state, ()
    if seat is None and state.expectation is not None:
        seat = state.expectation.turn
    return replace(state, phase=reached, phase_ns=t_ns), (Phase(reached, t_ns, seat),)
