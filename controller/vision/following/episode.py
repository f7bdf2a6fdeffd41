"""All that is known of an episode of motion when it is over: the boards, the tracks, the placements, the hands.

Plain values; no pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controller.events.observation import BoardSeen, HandsSeen, SeenPiece
from controller.events.words import Grade
from controller.vision.following.shoved import Shove
from controller.vision.following.tracks import Followed


@dataclass(frozen=True, slots=True)
class Placement:
    """The striker as it lay just before it was struck, last seen there at `t_ns`; `picture`: one that shows it."""

    t_ns: int
    piece: SeenPiece
    gap_mm: float | None
    picture: int | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """All that is known of an episode when it is over.

    `frame_ns`: usual time between pictures. `taken`: whether a hand was over a place in mm
    between two times, as far as that is remembered. `pushed`: the camera was pushed meanwhile, so that everything
    seemed to move. `rough_mm`: by how much the camera
    model may be off. `in_sight`: the tracks that were followed into the last picture and
    show in it. `shoved`: what a hand shoved before the striker was struck.
    """

    before: BoardSeen
    after: BoardSeen
    tracks: tuple[Followed, ...]
    began_ns: int
    ended_ns: int
    said_ns: int
    grade: Grade
    frame_ns: int
    placements: dict[int, Placement]
    taken: Callable[[float, float, int, int], bool]
    hands: tuple[HandsSeen, ...] = ()
    frames: int = 0
    lost_frames: int = 0
    blind: tuple[tuple[int, int], ...] = ()
    pushed: bool = False
    rough_mm: float = 0.0
    in_sight: frozenset[int] = frozenset()
    shoved: tuple[Shove, ...] = ()
