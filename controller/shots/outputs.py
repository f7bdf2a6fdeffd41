"""What this package reports: readings of strokes, drops and placements with their evidence, and alerts for the umpire.

Plain values. Events inside are those of `controller.events.match`, ready for the journal. Must not know how a
reading came about, nor what a rulebook makes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from controller.events.beams import Beam
from controller.events.match import Drop, Event, Placed, RestPiece, Seen, Shot
from controller.events.words import Grade, Piece, Pocket, Seat

Source = Literal["beam", "camera", "both", "book", "none"]
Verdict = Literal["yes", "no", "too close"]
Kind = Literal[
    "due_not_placed",
    "wrong_piece",
    "missing",
    "extra",
    "moved",
    "not_set_up",
    "unseen_change",
]


@dataclass(frozen=True, slots=True)
class Clearance:
    """How far a placed striker, a met piece or a striker's whole way is from a limit: positive is in order.

    `u95_mm` holds the truth in 95 % of cases.
    """

    fact: str
    margin_mm: float
    u95_mm: float
    in_order: Verdict
    says: str


@dataclass(frozen=True, slots=True)
class PulseNote:
    """One interruption felt in a pocket and what it was taken for: a piece, or why for none."""

    pocket: Pocket
    t_ns: int
    until_ns: int | None
    beams: tuple[Beam, ...]
    taken_for: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a reading says what it says.

    `sources`: fact → who saw it. `weight`: the share of the reading that was chosen. `pictures`: numbers in vision's
    ring (placed, before, after), None where there is none. `clip_ns`: the span of time worth showing. `notes`:
    words for the umpire, such as a placement too close to call. `striker`: whose stroke it was and where the striker
    was placed (x, y, u95 in mm), if that was seen. `began_ns` names the stroke, None for what is none.
    """

    sources: tuple[tuple[str, Source], ...] = ()
    weight: float = 1.0
    clearances: tuple[Clearance, ...] = ()
    pulses: tuple[PulseNote, ...] = ()
    pictures: tuple[int | None, int | None, int | None] = (None, None, None)
    clip_ns: tuple[int, int] | None = None
    grade: Grade = "basic"
    frames: int = 0
    lost_frames: int = 0
    notes: tuple[str, ...] = ()
    striker: tuple[Seat, float, float, float] | None = None
    began_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ShotRead:
    """A stroke. `began_ns` names it; `revises` names an earlier reading of the same stroke that late input changed."""

    shot: Shot
    began_ns: int
    t_ns: int
    evidence: Evidence
    revises: int | None = None


@dataclass(frozen=True, slots=True)
class Practice:
    """A stroke outside play (paused, over, not set up): nothing to rule on, a reason to look."""

    seat: Seat | None
    t_ns: int
    why: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class DropRead:
    """A piece fell with no stroke. `choices`: what else the piece may have been, weighted, likeliest first."""

    drop: Drop
    t_ns: int
    evidence: Evidence
    choices: tuple[tuple[Piece, float], ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedRead:
    """All that waited to be placed lies on the board. `placed`: where everything lies now; `fresh`: the new ones."""

    placed: Placed
    t_ns: int
    fresh: tuple[RestPiece, ...] = ()
    notes: tuple[str, ...] = ()
    picture: int | None = None


@dataclass(frozen=True, slots=True)
class SeenRead:
    """Something that is no stroke and that the rules want to hear of."""

    seen: Seen
    t_ns: int
    says: str
    picture: int | None = None


@dataclass(frozen=True, slots=True)
class Felt:
    """A beam was broken: reported at once, before anything is known of it. `hand`: a hand was at that pocket."""

    pocket: Pocket
    t_ns: int
    hand: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """The opening arrangement stands, and the striker of the seat that breaks lies placed: a board may begin."""

    t_ns: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Armed:
    """What this table can do right now; published on every change."""

    armed: Literal["armed", "degraded", "off"]
    camera: str
    beams: str
    blind: tuple[Pocket, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer, and the event it stands for (None: nothing happens)."""

    says: str
    event: Event | None = None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """What lies on the board is not what the book says.

    `missing` and `extra`: pieces against the book; `counts`: of each of these kinds, how many lie there and how many
    the book has (`late`: lay there when it was struck). `question` is empty where only words help. A mismatch of the
    same kind with nothing missing and nothing extra (`resolved`) takes the earlier one back.
    """

    kind: Kind
    t_ns: int
    says: str
    missing: tuple[Piece, ...] = ()
    extra: tuple[Piece, ...] = ()
    question: str = ""
    choices: tuple[Choice, ...] = ()
    resolved: bool = False
    picture: int | None = None
    counts: tuple[tuple[Piece, int, int], ...] = ()
    late: bool = False


@dataclass(frozen=True, slots=True)
class Phase:
    """Where the table stands between two strokes, for the page."""

    name: str
    t_ns: int
    seat: Seat | None = None


Output = ShotRead | Practice | DropRead | PlacedRead | SeenRead | Ready | Felt | Armed | Mismatch | Phase
