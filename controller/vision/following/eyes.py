"""What a follower is built on: the camera, the board, and whom to ask for all that takes longer than a picture.

Detections, checks of the camera's pose and explanations are answered at once, or by a thread beside following.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal, ParamSpec, TypeVar

from calibration.board import Board
from calibration.camera import CameraModel
from controller.events.observation import SeenPiece, StrokeSeen
from controller.events.words import Grade
from controller.vision.finding.find import Finding
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.registration import Registration
from controller.vision.following.stroke import stroke_of
from controller.vision.sources.frame import Frame, Image

Answer = Future[Finding]
Roi = tuple[float, float, float, float]
"""West, south, east and north edge of a part of the board, in mm."""

Ask = Callable[[Frame, CameraModel], Answer]
AskPart = Callable[[Frame, CameraModel, Roi], Answer]
CheckAnswer = Future[Registration]
Check = Callable[[Frame, CameraModel, Finding], CheckAnswer]
Explanation = Future[StrokeSeen | None]
Explain = Callable[[MotionWindow, Board], Explanation]
Q = ParamSpec("Q")
A = TypeVar("A")


def at_once(work: Callable[Q, A]) -> Callable[Q, Future[A]]:
    """Every question is answered before it returns: the same input gives the same output."""

    def ask(*args: Q.args, **kwargs: Q.kwargs) -> Future[A]:
        answer: Future[A] = Future()
        try:
            answer.set_result(work(*args, **kwargs))
        except Exception as error:
            answer.set_exception(error)
        return answer

    return ask


AT_ONCE: Explain = at_once(stroke_of)
"""Without a thread a window is explained before the next picture is followed."""


@dataclass(frozen=True, slots=True)
class Eyes:
    """What the follower is built on: the camera, the board, and whom to ask for every piece in one picture.

    `check`: whom to ask whether the camera still hangs where it hung; without it that is taken for granted. `part`:
    whom to ask for the pieces in one part of a picture; without it all is asked for. `empty`: luma (h, w) of the bare
    board as this camera saw it once. `allows`: the best grade that the camera's calibration allows. `explain`: who
    explains a motion window that is over.
    """

    model: CameraModel
    ask: Ask
    board: Board
    shutter: Literal["global", "rolling"] = "rolling"
    check: Check | None = None
    part: AskPart | None = None
    empty: Image | None = None
    allows: Grade = "match"
    explain: Explain = AT_ONCE

    def radius_mm(self, piece: SeenPiece) -> float:
        """A piece's radius."""
        return self.board.radius_mm(piece.piece)
