"""Detection requests: which pieces a picture of a board at rest shows, and whether the camera has moved.

It is computed at once, or in a thread beside following: it takes as long as a few frames. A recording
waits for it; a camera does not. What fails is counted and reported, not raised. A picture in which the board cannot be
found shows nothing of the pieces, so its request stays without an answer. Must not know tracks.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.camera import CameraModel
from calibration.pose import moved_mm
from controller.events.observation import Hand, SeenPiece
from controller.events.words import Grade
from controller.vision.finding.find import Finding
from controller.vision.following.detection_fusion import lies_in
from controller.vision.following.eyes import Answer, CheckAnswer, Eyes, Roi
from controller.vision.following.grade import grade_of
from controller.vision.following.hands import Hands
from controller.vision.following.registration import Registration, seen_anew
from controller.vision.following.view import Picture
from controller.vision.sources.frame import Frame

_log = logging.getLogger(__name__)

TOP_MM = 8.0
"""Height in mm at which a piece's place is given; one millimetre of it is negligible against a nudge."""

PUSHED_MM = 0.75
"""After a larger nudge the picture is searched again; after a smaller one what was found is put right."""

SAME_MM = 3.0
"""A piece found this near to its place lies there, half hidden as it may be."""

SAME_SHARE = 0.6
LEAST_SAME = 3
"""Where so many pieces lie as they lay the camera has not moved, whatever the markings say."""

MOVED = "the camera was moved or the board is covered: its markings are not where they were. Fix: calibrate anew"
FAINT = "the board's markings do not lie as they did. Fix: look at light and camera; calibrate anew if places are off"


class Detector:
    """Whom to ask for one camera. `model` is that of now; it changes when a nudged camera was followed.

    `residual_mm`: how far the markings lay off at the last
    check. `blind`: the board could not be found.
    """

    def __init__(self, eyes: Eyes) -> None:
        self.eyes = eyes
        self.model = eyes.model
        self._failed = 0
        self.residual_mm = 0.0
        self.blind = False
        self._trouble = ""
        self._doubt = ""

    @property
    def moved_mm(self) -> float:
        """How far the camera's picture of the board has moved since it was calibrated."""
        return self.apart_mm(self.eyes.model, self.model) if self.model is not self.eyes.model else 0.0

    def apart_mm(self, before: CameraModel, after: CameraModel) -> float:
        """How far this board's corners moved between two models of the camera."""
        return moved_mm(before, after, self.eyes.board.half_mm)

    def grade(self, frame_ns: int) -> Grade:
        """What can be reported with so long between two pictures."""
        return grade_of(frame_ns, self.model.px_per_mm, self.eyes.shutter, self.eyes.allows)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong now, in words."""
        return tuple(text for text in (self._trouble, self._doubt) if text)

    @property
    def doubted(self) -> bool:
        """Whether the last check was not content."""
        return self.blind or bool(self._doubt)

    def find(self, frame: Frame, roi: Roi | None = None) -> Answer:
        """Asks for the whole board in a picture, or for a part of it where that can be asked for."""
        if roi is not None and self.eyes.part is not None:
            return self.eyes.part(frame, self.model, roi)
        return self.eyes.ask(frame, self.model)

    def check(self, frame: Frame, sight: Finding) -> CheckAnswer | None:
        """Asks where the camera hangs; None where nobody can tell."""
        return self.eyes.check(frame, self.model, sight) if self.eyes.check is not None else None

    def sight(self, answer: Answer) -> Finding | None:
        """The finding, waiting for it; None if it failed."""
        try:
            sight = answer.result()
        except Exception as error:
            self._fail("finding the pieces", error)
            return None
        self._trouble = ""
        return sight

    def registration(self, answer: CheckAnswer) -> Registration | None:
        """What the check gave, waiting for it; None if it failed. A nudged camera's model is taken over."""
        try:
            now = answer.result()
        except Exception as error:
            self._fail("checking where the camera hangs", error)
            return None
        if now.state in ("kept", "followed"):
            self.model, self.residual_mm = now.model, round(now.residual_mm, 3)
        return now

    def judge(self, now: Registration, sight: Finding, before: Sequence[SeenPiece]) -> bool:
        """Takes note of a check; returns whether the detection may be believed."""
        lost = now.state == "lost" and not _as_before(sight.pieces, before)
        self.blind = lost
        if lost:
            self._doubt = MOVED
        elif now.state in ("lost", "doubtful"):
            self._doubt = FAINT
        elif now.state != "unsure":
            self._doubt = ""
        return not lost

    def _fail(self, what: str, error: Exception) -> None:
        self._failed += 1
        if not self._trouble:
            _log.warning("%s failed", what, exc_info=error)
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        self._trouble = f"{what} failed in {self._failed} pictures ({said}); the next is tried"


class DetectionRequest:
    """What was asked of one picture. `before`: what lay there, as far as known. `hands`: where hands are, in mm.

    `outcome` is `seen` with its `sight`, `failed`, or `lost` where the board cannot be found in the picture. `pushed`:
    the camera was found to hang otherwise by more than a little. With `known` nothing is searched for, and `sight`
    is what was known. With `steady` the camera is not checked: it is known to hang as it hung. `roi`: the part of the
    board that is searched.
    """

    def __init__(
        self,
        detector: Detector,
        frame: Frame,
        before: Sequence[SeenPiece] = (),
        hands: tuple[Hand, ...] = (),
        known: Finding | None = None,
        *,
        steady: bool = False,
        roi: Roi | None = None,
    ) -> None:
        self._detector = detector
        self._frame = frame
        self._before = before
        self._hands = hands
        self._model = detector.model
        self._known = known
        self._roi = roi
        self._steady = steady
        self._early = known is None and not steady and len(before) > 0
        self._checking: CheckAnswer | None = None
        if self._early:
            # A camera that hangs otherwise is followed first: what is found by its old place is no board at all, and
            # what seems to be a hand all over it may be nothing but the shift.
            self._checking = detector.check(frame, Finding(tuple(before)))
        elif known is not None and not steady:
            self._checking = detector.check(frame, known)
        self._finding = detector.find(frame, roi) if known is None and self._checking is None else None
        self.checked = False
        self.pushed = False
        self.sight = Finding(()) if known is None else known
        self.outcome: Literal["open", "seen", "failed", "lost"] = "open"
        if self._finding is None and self._checking is None:
            self.outcome = "seen"

    def done(self, *, wait: bool = False) -> bool:
        """Goes on as far as answers are there, with `wait` to the end; returns whether it is over."""
        while self.outcome == "open":
            under_way = self._checking if self._checking is not None else self._finding
            assert under_way is not None
            if not wait and not under_way.done():
                return False
            self._take()
        return True

    def _take(self) -> None:
        if self._checking is not None:
            self._take_check(self._checking)
            return
        assert self._finding is not None
        sight = self._detector.sight(self._finding)
        if sight is None:
            self.outcome = "failed"
            return
        self.sight = sight
        if not self.checked and not self._steady:
            covered = Finding(sight.pieces, sight.hidden, (*sight.hands, *self._hands), sight.foreign)
            self._checking = self._detector.check(self._frame, covered)
        if self._checking is None:
            self.outcome = "seen"

    def _take_check(self, checking: CheckAnswer) -> None:
        self._checking = None
        now = self._detector.registration(checking)
        if self._early:
            self._early = False
            if now is not None and now.state in ("kept", "followed"):
                self.checked = self._detector.judge(now, self.sight, self._before)
                self.pushed = self._detector.apart_mm(self._model, now.model) > PUSHED_MM
            self._finding = self._detector.find(self._frame, None if self.pushed else self._roi)
            return
        self.checked = True
        if now is not None and not self._detector.judge(now, self.sight, self._before):
            self.outcome = "lost"
            return
        self.pushed = now is not None and self._detector.apart_mm(self._model, now.model) > PUSHED_MM
        if now is None or self._known is not None:
            # What was known lay there before the nudge, and lies there still.
            self.outcome = "seen"
        elif self.pushed:
            self._finding = self._detector.find(self._frame)
        else:
            self.sight = seen_anew(self.sight, self._model, now.model, TOP_MM)
            self.outcome = "seen"


def _as_before(now: Sequence[SeenPiece], before: Sequence[SeenPiece]) -> bool:
    same = sum(lies_in(now, old, SAME_MM) for old in before)
    return same >= max(LEAST_SAME, SAME_SHARE * len(before))


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What differs from the last rest: pieces that nobody touched, pieces that left the bare board behind.

    `strange`: something lies there that is not explained; `roi` is where, None for all over.
    """

    untouched: frozenset[SeenPiece]
    gone: tuple[SeenPiece, ...]
    strange: bool
    roi: Roi | None


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
