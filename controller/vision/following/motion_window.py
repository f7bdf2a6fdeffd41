"""The values of a motion window that is over: all by which a stroke is explained. No pixels."""

from __future__ import annotations

from dataclasses import dataclass, field

from controller.events.observation import BoardSeen, HandsSeen, SeenPiece
from controller.events.words import Grade
from controller.vision.following.hands import HandTrace
from controller.vision.following.tracks import PieceTrack


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
class Displaced:
    """A piece of the board before, and where and when it was found to lie instead."""

    piece: SeenPiece
    t_ns: int
    x_mm: float
    y_mm: float
