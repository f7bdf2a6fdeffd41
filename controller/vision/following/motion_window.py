"""The data of a motion window, open and over, and the components that the follower is given.

Plain values; no pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from calibration.board import Board
from calibration.camera import CameraModel
from controller.events.observation import BoardSeen, HandsSeen, SeenPiece
from controller.events.words import Grade
from controller.vision.following.detection_request import Ask, AskPart, Check, DetectionRequest, Roi
from controller.vision.following.displaced import Displaced, DisplacedSearch
from controller.vision.following.hands import Hands, HandTrace
from controller.vision.following.tracks import PieceTrack
from controller.vision.following.view import Picture
from controller.vision.sources.frame import Image


@dataclass(frozen=True, slots=True)
class Placement:
    """The striker as it lay just before it was struck, last seen there at `t_ns`; `picture`: one that shows it."""

    t_ns: int
    piece: SeenPiece
    gap_mm: float | None
    picture: int | None = None


@dataclass(frozen=True, slots=True)
class MotionWindow:
    """All that is known of a motion window when it is over.

    `frame_ns`: usual time between pictures. `pushed`: the camera was pushed meanwhile, so that everything seemed to
    move. `rough_mm`: by how much the camera model may be off. `in_sight`: the tracks that were followed into the last
    picture and show in it. `shoved`: what a hand displaced before the striker was struck. `hands`: those that were
    published, `hand_trace`: where hands were, finer in time and with their shadows' rims.
    """

    before: BoardSeen
    after: BoardSeen
    tracks: tuple[PieceTrack, ...]
    began_ns: int
    ended_ns: int
    published_ns: int
    grade: Grade
    frame_ns: int
    placements: dict[int, Placement]
    hand_trace: HandTrace = field(default_factory=HandTrace)
    hands: tuple[HandsSeen, ...] = ()
    frames: int = 0
    lost_frames: int = 0
    blind: tuple[tuple[int, int], ...] = ()
    pushed: bool = False
    rough_mm: float = 0.0
    in_sight: frozenset[int] = frozenset()
    shoved: tuple[Displaced, ...] = ()


@dataclass(frozen=True, slots=True)
class Eyes:
    """What the follower is built on: the camera, the board, and whom to ask for every piece in one picture.

    `check`: whom to ask whether the camera still hangs where it hung; without it that is taken for granted. `part`:
    whom to ask for the pieces in one part of a picture; without it all is asked for. `empty`: luma (h, w) of the bare
    board as this camera saw it once. `allows`: the best grade that the camera's calibration allows.
    """

    model: CameraModel
    ask: Ask
    board: Board
    shutter: Literal["global", "rolling"] = "rolling"
    check: Check | None = None
    part: AskPart | None = None
    empty: Image | None = None
    allows: Grade = "match"

    def radius_mm(self, piece: SeenPiece) -> float:
        """A piece's radius."""
        return self.board.radius_mm(piece.piece)


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What differs from the last rest: pieces that nobody touched, pieces that left the bare board behind.

    `strange`: something lies there that is not explained; `roi` is where, None for all over.
    """

    untouched: frozenset[SeenPiece]
    gone: tuple[SeenPiece, ...]
    strange: bool
    roi: Roi | None


@dataclass(slots=True)
class ActiveMotion:
    """The window under way."""

    before: BoardSeen
    began_ns: int
    latest_ns: int = 0
    """When a piece last set off."""
    crept_ns: int = 0
    """When a piece was last found to creep though no pixel showed it."""
    frames: int = 0
    gaps_ns: list[int] = field(default_factory=list)
    """Before each picture of it, the time since the one that was followed before."""
    lost: int = 0
    blind: list[tuple[int, int]] = field(default_factory=list)
    hands: list[HandsSeen] = field(default_factory=list)
    placements: dict[int, Placement] = field(default_factory=dict)
    struck_ns: int | None = None
    """When the first of those ran by itself."""
    asked: set[int] = field(default_factory=set)
    told: bool = False
    shoving: DisplacedSearch | None = None
    early: Pending | None = None
    """What was asked of a picture before the rest was complete: it counts if all lies still to the end."""


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """The whole board is being found in a picture taken at rest. `ends`: the window under way ends with it."""

    request: DetectionRequest
    ends: bool
    picture: Picture
    hands: Hands
    since_ns: int
    change: Change | None = None
    """What differed from the last rest; None for the very first picture."""

    roi: Roi | None = None
    """The part of the board that is searched; None for all of it."""

    completed_ns: int = 0
    """When the picture was taken that completed the rest; 0 where it is this one."""
