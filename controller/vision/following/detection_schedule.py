"""Schedules detections: of the whole board, of a part of it, or only of the camera's pose.

One request is open at a time. What is known without a detection is not requested; where no answer came the next
picture is taken, or one in a while. Must not know tracks, nor what is published.
"""

from __future__ import annotations

from dataclasses import replace

from controller.vision.finding.find import Finding
from controller.vision.following.detection_request import DetectionRequest, Detector, Pending
from controller.vision.following.hands import Hands
from controller.vision.following.rest_state import RestState
from controller.vision.following.view import Picture

PATIENCE_NS = 1_000_000_000
"""So long after a picture in which the board could not be found the next one is asked for."""

CHECK_NS = 2_000_000_000
CHECK_ALL_NS = 60_000_000_000
"""How often it is felt for a nudge of the camera, and how often its place is measured though none was felt."""

LOOK_NS = 1_000_000_000
"""While a hand rests over the board a detection is repeated this often at most."""

ALL_NS = 30_000_000_000
"""The whole board is detected again when that was not done for so long, even if only a part has changed."""


class DetectionSchedule:
    """The questions about one board. `open` is the one whose answer is awaited."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self.open: Pending | None = None
        self._detected_ns = self._felt_ns = self._checked_ns = self._all_ns = 0
        self._patience_ns = 0

    # -- when to ask

    def may_ask(self, t_ns: int) -> bool:
        """Whether a picture may be asked at all: after one without a board not at once."""
        return t_ns >= self._patience_ns

    def may_look(self, t_ns: int, whole_since_ns: int, *, hands: bool) -> bool:
        """Whether a picture, still since `whole_since_ns`, may be detected: with `hands` over it only after a pause."""
        pause = LOOK_NS if hands else 0
        return self.open is None and self._detected_ns <= min(whole_since_ns, t_ns - pause)

    def may_feel(self, t_ns: int) -> bool:
        """Whether it is time to feel for a nudge of the camera."""
        return self.open is None and t_ns - self._felt_ns >= CHECK_NS

    # -- what to ask

    def first(self, picture: Picture) -> DetectionRequest | None:
        """Has the very first picture found, at once; None where it may not be asked or shows no board."""
        if not self.may_ask(picture.t_ns):
            return None
        request = DetectionRequest(self._detector, picture.frame)
        request.done(wait=True)
        if request.outcome != "seen":
            self._be_patient(request, picture)
            return None
        return request

    def detect(self, rest_state: RestState, picture: Picture, hands: Hands, since_ns: int, *, ends: bool) -> Pending:
        """Asks what lies there now; of that only what changed, where that is known. `hands`: those that cover it."""
        self._felt_ns = picture.t_ns
        if not ends:
            self._detected_ns = picture.t_ns
        return self._detect(rest_state, picture, hands, since_ns, steady=self._steady(rest_state, picture), ends=ends)

    def detect_early(self, rest_state: RestState, picture: Picture, hands: Hands, since_ns: int) -> Pending | None:
        """Asks before the rest is complete; see `complete`. None where the camera seems to hang otherwise."""
        if not self._hangs_still(rest_state, picture):
            return None
        return self._detect(rest_state, picture, hands, since_ns, steady=not self._check_due(picture.t_ns), ends=False)

    def _steady(self, rest_state: RestState, picture: Picture) -> bool:
        return not self._check_due(picture.t_ns) and self._hangs_still(rest_state, picture)

    def _hangs_still(self, rest_state: RestState, picture: Picture) -> bool:
        return not self._detector.doubted and rest_state.hangs_still(picture.small)

    def _check_due(self, t_ns: int) -> bool:
        """Whether the camera's place was not measured for so long that it is, though no nudge was felt."""
        return t_ns - self._checked_ns >= CHECK_ALL_NS

    def _detect(
        self, rest_state: RestState, picture: Picture, hands: Hands, since_ns: int, *, steady: bool, ends: bool
    ) -> Pending:
        detector, t_ns = self._detector, picture.t_ns
        change = rest_state.change(picture.small, hands)
        known = rest_state.known_after(change) if steady else None
        roi = change.roi if steady and detector.eyes.part is not None else None
        if known is None and (roi is None or t_ns - self._all_ns >= ALL_NS):
            roi, self._all_ns = None, t_ns
        described = hands.described(rest_state.view)
        request = DetectionRequest(
            detector, picture.frame, rest_state.board.pieces, described, known, steady=steady, roi=roi
        )
        self.open = Pending(request, ends, picture, hands, since_ns, change, roi)
        return self.open

    def complete(self, early: Pending, t_ns: int, rested_ns: int) -> Pending | None:
        """The rest that was detected early is complete with the picture taken at `t_ns`: the request that ends it.

        It is open, or answered; None where no answer came. `rested_ns`: since when all lies still.
        """
        asked = replace(early, ends=True, completed_ns=t_ns, since_ns=rested_ns)
        if self.open is early:
            self.open = asked
        elif early.request.outcome != "seen":
            return None
        return asked

    def feel(self, rest_state: RestState, picture: Picture, since_ns: int) -> None:
        """Feels on a board on which nothing has changed whether the camera hangs as it hung; if not, it is measured."""
        self._felt_ns = picture.t_ns
        if self._steady(rest_state, picture):
            return
        board = rest_state.board
        known = Finding(board.pieces, board.hidden, board.hands, board.foreign)
        request = DetectionRequest(self._detector, picture.frame, board.pieces, known=known)
        self.open = Pending(request, False, picture, rest_state.hands.now, since_ns)

    # -- the answer

    def answered(self, *, wait: bool = False) -> bool:
        """Whether the open question has an answer that can be used; it is open no longer once it is over."""
        asked = self.open
        if asked is None or not asked.request.done(wait=wait):
            return False
        self.open = None
        if asked.request.outcome != "seen":
            self._be_patient(asked.request, asked.picture)
            return False
        if asked.request.checked:
            self._checked_ns = asked.picture.t_ns
        return True

    def _be_patient(self, request: DetectionRequest, picture: Picture) -> None:
        """No answer: the next picture is asked, or one in a while where the board is not to be seen."""
        self._detected_ns = 0
        if request.outcome == "lost":
            self._patience_ns = picture.t_ns + PATIENCE_NS
