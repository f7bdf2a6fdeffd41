"""What the vision process reports: pieces at rest, strokes from first motion to rest, hands, and how well it sees.

One JSON object a line on the link from carrom-eyes to carrom; `kind` names the class. Millimetres in the board
frame, times in ns of the host's monotonic clock at the middle of the exposure. Must not know cameras or rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import dist, hypot
from typing import ClassVar, Literal

from controller.events.words import Grade, Piece, Pocket, Seat

Point = tuple[float, float]

SURE = 0.98
"""A detection as confident as this is taken at its word: one in fifty errs, and what it errs in is asked elsewhere."""

ON_PAINT_MM = 6.0
"""A piece this near to the board's middle lies on its paint, which is red and of a queen's size."""

FOUND_AGAIN_MM = 6.0
"""A piece nobody touched is found again within this; two pieces' middles are 31 mm apart at least."""

RAN_MM = 25.0
"""A striker that ran less far by itself was hardly played."""


@dataclass(frozen=True, slots=True)
class SeenPiece:
    """One piece as seen in one picture (or averaged over a rest).

    `u95_mm`: radius that holds the true centre in 95 % of cases. `visible`: the share of its outline that was
    seen. `in_mouth`: the pocket whose mouth it hangs over. `odds`: what else it might be, likeliest first, when
    the class is in doubt.
    """

    piece: Piece
    x_mm: float
    y_mm: float
    u95_mm: float
    confidence: float = 1.0
    visible: float = 1.0
    upright: bool = False
    in_mouth: Pocket | None = None
    odds: tuple[tuple[Piece, float], ...] = ()

    @property
    def at(self) -> Point:
        """Where its centre is."""
        return (self.x_mm, self.y_mm)

    @property
    def sure(self) -> bool:
        """Whether its class is taken at its word."""
        share = dict(self.odds).get(self.piece, 0.0) if self.odds else self.confidence
        return self.piece != "unknown" and share >= SURE

    @property
    def on_paint(self) -> bool:
        """Whether it lies on the middle's paint."""
        return hypot(*self.at) < ON_PAINT_MM

    def apart_mm(self, other: SeenPiece) -> float:
        """From the centre of this piece to another one's."""
        return dist(self.at, other.at)


@dataclass(frozen=True, slots=True)
class Foreign:
    """Something on the surface that is no piece (a phone, a ring, a leaf), as a polygon in mm."""

    outline: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand or arm over the board: its outline in mm and the side of the frame it came in from, if seen."""

    outline: tuple[Point, ...]
    side: Seat | None = None


@dataclass(frozen=True, slots=True)
class BoardSeen:
    """The board at rest: reported when a rest begins, whenever it changes, and at least every two seconds.

    `since_ns`: when everything came to rest. `hidden`: polygons about which nothing is known. `picture`: a
    reference into the ring of JPEGs.
    """

    kind: ClassVar[str] = "board"
    t_ns: int
    since_ns: int
    pieces: tuple[SeenPiece, ...]
    hidden: tuple[tuple[Point, ...], ...] = ()
    hands: tuple[Hand, ...] = ()
    foreign: tuple[Foreign, ...] = ()
    picture: int | None = None

    @property
    def coins(self) -> tuple[SeenPiece, ...]:
        """All pieces but strikers."""
        return tuple(piece for piece in self.pieces if piece.piece != "striker")

    @property
    def strikers(self) -> tuple[SeenPiece, ...]:
        """What was detected as a striker; more than one where detections err."""
        return tuple(piece for piece in self.pieces if piece.piece == "striker")


@dataclass(frozen=True, slots=True)
class HandsSeen:
    """Hands over the board changed: none, one, more; reported at most ten times a second."""

    kind: ClassVar[str] = "hands"
    t_ns: int
    hands: tuple[Hand, ...]


@dataclass(frozen=True, slots=True)
class MotionBegan:
    """Something on the board started to move. Tells the table early; carries no facts of the stroke."""

    kind: ClassVar[str] = "began"
    t_ns: int
    piece: Piece
    at: Point
    hand_in: bool = False


@dataclass(frozen=True, slots=True)
class Moving:
    """Where the pieces are right now, for the live page; at most ten a second, lossy."""

    kind: ClassVar[str] = "moving"
    t_ns: int
    pieces: tuple[SeenPiece, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """A point of a track."""

    t_ns: int
    x_mm: float
    y_mm: float

    @property
    def at(self) -> Point:
        """Where it is."""
        return (self.x_mm, self.y_mm)


Went = Literal["pocket", "frame", "hand", "unknown"]


@dataclass(frozen=True, slots=True)
class Vanished:
    """A track's end other than at rest.

    `how`: `pocket` (last seen running into a pocket's mouth), `frame` (over the frame: left the board), `hand`
    (under a hand), `unknown`. `near` is the pocket concerned. `t_ns` the extrapolated time, `u_ns` its error.
    """

    t_ns: int
    u_ns: int
    how: Went
    at: Point
    near: Pocket | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """One piece that moved in a stroke.

    `start`: where it lay before (None: it came into view, from a hand or from off the board). `end`: where it
    lies now (None: it `vanished`). `by_hand`: it moved only under or with a hand. `u_mm`: error of the samples.
    """

    track: int
    piece: Piece
    start: SeenPiece | None
    end: SeenPiece | None
    first_ns: int
    last_ns: int
    samples: tuple[Sample, ...] = ()
    vanished: Vanished | None = None
    by_hand: bool = False
    confidence: float = 1.0
    odds: tuple[tuple[Piece, float], ...] = ()

    @property
    def went(self) -> str:
        """How it vanished; empty where it did not."""
        return self.vanished.how if self.vanished is not None else ""


@dataclass(frozen=True, slots=True)
class Touch:
    """The striker met a piece or a cushion.

    `at`: the touched piece's centre, or the point on the cushion. `u_ns`: error of the time; two touches closer
    than their errors have no certain order and `certain` is False for both.
    """

    t_ns: int
    u_ns: int
    touched: Piece | Literal["cushion"]
    at: Point
    track: int | None = None
    certain: bool = True


@dataclass(frozen=True, slots=True)
class StrikerSeen:
    """What is known of the striker in a stroke.

    `placed`: where it lay before it was struck, from what was visible and from its path run backwards.
    `touching`: gap in mm to the nearest piece at placement. `heading_deg`: direction of first motion, anticlockwise
    from east, with its standard error `u_heading_deg`. `hand_follow_mm`: how far the hand went along with it after
    first motion. `left_by_mm`: the farthest its centre got from its placement.
    """

    placed: SeenPiece | None
    gap_mm: float | None
    first_motion_ns: int
    u_first_motion_ns: int
    heading_deg: float | None
    speed_mm_s: float | None
    left_by_mm: float
    hand_follow_mm: float | None = None
    track: int | None = None
    u_heading_deg: float | None = None


@dataclass(frozen=True, slots=True)
class StrokeSeen:
    """One episode of motion, from the first thing that moved until everything lay still again.

    Reported once, when rest is certain. `struck`: what the striker was if a stroke was played, which is decided in
    `controller.shots`; None when no striker ran (a due placed by hand, clearing up, a drop). `touches`: the striker's,
    in order. `all_at_rest`: everything lay still when the striker was struck (None: not seen). `frames` and
    `lost_frames` of the episode; `blind`: spans of time without pictures.
    `picture_placed`, `picture_before`, `picture_after`: references into the ring; the clip is what lies between.
    """

    kind: ClassVar[str] = "stroke"
    t_ns: int
    began_ns: int
    ended_ns: int
    grade: Grade
    before: BoardSeen
    after: BoardSeen
    tracks: tuple[Track, ...]
    touches: tuple[Touch, ...]
    struck: StrikerSeen | None
    hands: tuple[HandsSeen, ...] = ()
    all_at_rest: bool | None = True
    touches_seen: bool = True
    shake_mm: float = 0.0
    frames: int = 0
    lost_frames: int = 0
    blind: tuple[tuple[int, int], ...] = ()
    picture_placed: int | None = None
    picture_before: int | None = None
    picture_after: int | None = None


@dataclass(frozen=True, slots=True)
class SetUp:
    """How far a person at a phone has got with setting the camera up anew, and what came of it.

    `step`: the picture that is wanted next, `off` where nobody sets it up. `busy`: what is done about the latest order,
    number `order`, still: waited until the board lies `still`, `judging` what was seen. `says`: what came of it, a
    refusal where `refused`; `notes`: what is to be known of the calibration. `south`: the picture's edge at the south
    seat. `picture`: the number of what is to be shown, 0 for none. `in_force_ns`: when this process last took another
    calibration, of that `grade`, 0 where they go by the one they began with. `kept`: the one before can be put back.
    """

    step: Literal["off", "empty", "opening"] = "off"
    busy: Literal["", "still", "judging"] = ""
    order: int = 0
    says: str = ""
    refused: bool = False
    notes: tuple[str, ...] = ()
    south: str = "bottom"
    grade: Grade = "basic"
    picture: int = 0
    in_force_ns: int = 0
    kept: bool = False


@dataclass(frozen=True, slots=True)
class EyesHealth:
    """Reported every second and on every change, pictures or not.

    `camera`: `ok`, `stalled` (open but no picture for a second), `lost` (cannot be opened), `blind` (pictures, but
    the board cannot be found in them), `setup` (it is being set up; nothing is followed). `seen_until_ns`: everything
    seen up to then has been reported. `other_striker`: the seats that lately play another striker than before.
    `since_ns`: this process remembers what it saw since then and nothing of before; 0 where it is not
    known. `set_up`: None where nobody can set the camera up anew with this process.
    """

    kind: ClassVar[str] = "health"
    t_ns: int
    camera: Literal["ok", "stalled", "lost", "blind", "setup"]
    seen_until_ns: int
    grade: Grade = "basic"
    fps: float = 0.0
    frames: int = 0
    dropped: int = 0
    frame_ms: float = 0.0
    px_per_mm: float = 0.0
    moved_mm: float = 0.0
    residual_mm: float = 0.0
    saturated: float = 0.0
    thickness_known: bool = True
    other_striker: tuple[Seat, ...] = ()
    since_ns: int = 0
    warnings: tuple[str, ...] = ()
    says: str = ""
    set_up: SetUp | None = None


Observation = BoardSeen | HandsSeen | MotionBegan | Moving | StrokeSeen | EyesHealth
