"""The follower: frames in, observations out, without threads, clocks or devices.

At rest it only sees that nothing changes. When something does, it follows the pieces until the picture has been
still for a quarter of a second, looks at the whole board once, and says what happened. Must not know rules.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Literal

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD, Board
from calibration.camera import CameraModel
from controller.events.observation import (
    BoardSeen,
    EyesHealth,
    HandsSeen,
    MotionBegan,
    Moving,
    Observation,
    SeenPiece,
)
from controller.events.words import Grade
from controller.vision.finding.find import Finding
from controller.vision.following.asking import Ask, Check
from controller.vision.following.episode import Episode, Placement
from controller.vision.following.foresight import Rests
from controller.vision.following.hands import Hands, hands_in, no_hands
from controller.vision.following.inquiry import Inquiry, Question
from controller.vision.following.placement import Kept, Placer
from controller.vision.following.plate import Plate
from controller.vision.following.rest import ERODE, Stillness, carried, lies_in
from controller.vision.following.rows import row_delay_ns, timed_by_row
from controller.vision.following.stroke import stroke_of
from controller.vision.following.tracker import Tracker
from controller.vision.following.view import View, view_for
from controller.vision.sources.frame import Frame, Image

REST_NS = 250_000_000
RESAY_NS = 2_000_000_000
SAY_NS = 100_000_000
HEALTH_NS = 1_000_000_000
CORE_NS = 300_000_000
"""So long a part that came off a hand in the picture still counts as hand."""

PATIENCE_NS = 1_000_000_000
"""So long after a picture in which the board could not be found the next one is asked for."""

CHECK_NS = 2_000_000_000
SATURATED = 252
LATELY_NS = 2_000_000_000
LATELY_STEP_NS = 90_000_000
"""What vanished without being seen to move, where a hand was that lately, was taken by it."""

BLIND_FACTOR = 2.5
"""A gap between pictures longer than this many usual ones is a span that nobody saw."""


@dataclass(frozen=True, slots=True)
class Eyes:
    """What the follower is built on: the camera, the board, and whom to ask for every piece in one picture.

    `check`: whom to ask whether the camera still hangs where it hung; without it that is taken for granted.
    """

    model: CameraModel
    ask: Ask
    board: Board = DEFAULT_BOARD
    shutter: Literal["global", "rolling"] = "rolling"
    coin_radius_mm: float = DEFAULT_BOARD.coin_diameter_mm / 2.0
    striker_radius_mm: float = DEFAULT_BOARD.striker_diameter_mm / 2.0
    check: Check | None = None


@dataclass(slots=True)
class _Running:
    """The episode under way."""

    before: BoardSeen
    began_ns: int
    latest_ns: int = 0
    """When a piece last set off."""
    frames: int = 0
    lost: int = 0
    blind: list[tuple[int, int]] = field(default_factory=list)
    hands: list[HandsSeen] = field(default_factory=list)
    placements: dict[int, Placement] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)
    told: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The whole board is being found in a picture taken at rest. `ends`: the episode under way ends with it."""

    question: Question
    ends: bool
    frame: Frame
    small: Image
    hands: Hands
    since_ns: int
    picture: int | None
    known: bool = False
    """Only the camera was asked about."""


class Follower:
    """Follows one board through one camera. `step` takes frames in the order of their times."""

    def __init__(self, eyes: Eyes) -> None:
        self._eyes = eyes
        self._view: View | None = None
        self._plate: Plate | None = None
        self._tracker: Tracker | None = None
        self._none: Hands | None = None
        self._stillness = Stillness()
        self._hands: Hands | None = None
        self._lately: deque[tuple[int, Image]] = deque()
        self._core: Hands | None = None
        self._core_ns = 0
        self._board: BoardSeen | None = None
        self._running: _Running | None = None
        self._inquiry = Inquiry(eyes.ask, eyes.check, eyes.model)
        self._placer = Placer(self._inquiry, eyes.board, self._same)
        self._asked: _Asked | None = None
        self._last: Frame | None = None
        self._gaps: deque[int] = deque(maxlen=31)
        self._frames = 0
        self._said = {
            "board": -RESAY_NS,
            "hands": -SAY_NS,
            "moving": -SAY_NS,
            "health": -HEALTH_NS,
            "look": 0,
            "check": 0,
        }
        self._hands_said: tuple[int, frozenset[str | None]] = (0, frozenset())
        self._numbers = 0
        self._rest_said = False
        self._saturated = 0.0
        self._patience_ns = 0

    # -- the way in

    def step(self, frame: Frame, picture: int | None = None) -> list[Observation]:
        """Takes the next frame; returns what there is to say. `picture`: the frame's number in the ring of JPEGs.

        Raises DeviceError if the frame cannot be decoded.
        """
        out: list[Observation] = []
        if self._last is not None and frame.t_ns <= self._last.t_ns:
            # The source began anew or stamps backwards: nothing can be said across that.
            self.forget()
        luma = frame.luma
        if self._view is None:
            self._view = view_for(self._inquiry.model, self._eyes.board)
            self._none = no_hands(self._view)
        self._count(frame)
        small = self._view.shrink(luma)
        if self._plate is None:
            self._begin(frame, small, picture)
        else:
            small = self._plate.level(small)
            self._follow(frame, small, picture, out)
        self._placer.keep(Kept(frame, small, picture))
        if frame.t_ns - self._said["health"] >= HEALTH_NS:
            self._said["health"] = frame.t_ns
            out.append(self.health(frame.t_ns))
        self._last = frame
        return out

    def finish(self) -> list[Observation]:
        """Says what can be said at a recording's end: the last picture is taken as rest."""
        out: list[Observation] = []
        if self._last is None or self._view is None or self._plate is None:
            return out
        if self._asked is not None:
            self._asked.question.done(wait=True)
            self._waits(out)
        if self._running is not None:
            assert self._hands is not None
            small = self._plate.level(self._view.shrink(self._last.luma))
            since = min(self._stillness.since_ns, self._last.t_ns)
            question = self._question(self._last, self._hands)
            question.done(wait=True)
            if question.outcome == "seen":
                self._end(_Asked(question, True, self._last, small, self._hands, since, None), out)
            else:
                out.append(self.health(self._last.t_ns))
        elif not self._rest_said and self._board is not None:
            out.append(replace(self._board, t_ns=self._last.t_ns))
        return out

    def health(self, t_ns: int) -> EyesHealth:
        """How well it sees, as far as the follower can tell."""
        warnings = self._inquiry.warnings
        return EyesHealth(
            t_ns=t_ns,
            camera="blind" if self._inquiry.blind else "ok",
            seen_until_ns=self._last.t_ns if self._last is not None else t_ns,
            grade=self.grade,
            fps=round(1e9 / self.frame_ns, 1),
            frames=self._frames,
            px_per_mm=round(self._inquiry.model.px_per_mm, 3),
            saturated=round(self._saturated, 4),
            moved_mm=round(self._inquiry.moved_mm, 2),
            residual_mm=self._inquiry.residual_mm,
            warnings=warnings,
            says=warnings[0] if warnings else "",
        )

    @property
    def frame_ns(self) -> int:
        """Usual time between pictures."""
        return sorted(self._gaps)[len(self._gaps) // 2] if self._gaps else 33_333_333

    @property
    def grade(self) -> Grade:
        """What this camera can be trusted with."""
        if self.frame_ns > 1e9 / 55:
            return "basic"
        fine = self._inquiry.model.px_per_mm >= 1.25
        return "match" if fine and self._eyes.shutter == "global" else "club"

    # -- inside

    def forget(self) -> None:
        """Begins anew with the next frame; what was under way is given up."""
        self._plate, self._tracker, self._running, self._board = None, None, None, None
        self._asked = None
        self._stillness = Stillness()
        self._lately.clear()
        self._core = None
        self._placer.forget()
        self._last = None
        self._rest_said = False
        self._patience_ns = 0
        self._said = dict.fromkeys(self._said, -RESAY_NS)

    def _count(self, frame: Frame) -> None:
        self._frames += 1
        if self._last is None:
            return
        gap = frame.t_ns - self._last.t_ns
        missing = max(0, frame.number - self._last.number - 1)
        if self._running is not None:
            self._running.frames += 1
            if len(self._gaps) >= 5 and gap > BLIND_FACTOR * self.frame_ns:
                self._running.blind.append((self._last.t_ns, frame.t_ns))
                missing = max(missing, round(gap / self.frame_ns) - 1)
            self._running.lost += missing
        self._gaps.append(gap // (missing + 1))

    def _same(self, before: Image, now: Image, x_mm: float, y_mm: float) -> bool:
        """Whether two small pictures show the same where a striker lies."""
        assert self._view is not None
        assert self._plate is not None
        u, v = self._view.px(x_mm, y_mm)
        half = round(self._view.radius_px(self._eyes.striker_radius_mm)) + 1
        rows = slice(max(0, round(v) - half), round(v) + half + 1)
        columns = slice(max(0, round(u) - half), round(u) + half + 1)
        a, b, limit = before[rows, columns], now[rows, columns], self._plate.limit[rows, columns]
        if not a.size:
            return False
        moved = cv2.compare(cv2.absdiff(a, b), limit, cv2.CMP_GT)
        return cv2.countNonZero(moved) * 12 < a.size

    def _radius(self, piece: SeenPiece) -> float:
        return self._eyes.striker_radius_mm if piece.piece == "striker" else self._eyes.coin_radius_mm

    def _begin(self, frame: Frame, small: Image, picture: int | None) -> None:
        """The very first picture: what lies there is found at once, so that a stroke that follows has a before."""
        assert self._view is not None
        assert self._none is not None
        if frame.t_ns < self._patience_ns:
            return
        question = Question(self._inquiry, frame)
        question.done(wait=True)
        if question.outcome != "seen":
            self._be_patient(question, frame)
            return
        self._plate = Plate(small, self._view.surface)
        self._hands = self._none
        asked = _Asked(question, False, frame, small, self._none, frame.t_ns, picture)
        self._settle_down(question.sight, asked)
        self._stillness.look(small, self._none.mask, self._plate.limit, self._view.board_mask, frame.t_ns)

    def _seen(self, sight: Finding, asked: _Asked) -> BoardSeen:
        assert self._view is not None
        return BoardSeen(
            t_ns=asked.frame.t_ns,
            since_ns=asked.since_ns,
            pieces=sight.pieces,
            hidden=sight.hidden,
            # When the camera was pushed everything has changed; that is no hand.
            hands=(() if asked.question.pushed else asked.hands.described(self._view)) or sight.hands,
            foreign=sight.foreign,
            picture=asked.picture,
        )

    def _settle_down(self, sight: Finding, asked: _Asked) -> None:
        """Takes a sight as the board at rest."""
        assert self._view is not None
        assert self._plate is not None
        small, hands = asked.small, asked.hands
        self._board = self._seen(sight, asked)
        if self._view.model is not self._inquiry.model:
            self._view = replace(self._view, model=self._inquiry.model)
            if asked.question.pushed:
                # What was learnt of the bare board lies elsewhere in the picture now.
                self._plate = Plate(small, self._view.surface)
        surface = self._view.surface
        white = cv2.bitwise_and(cv2.compare(small, SATURATED, cv2.CMP_GE), surface)
        self._saturated = cv2.countNonZero(white) / max(1, cv2.countNonZero(surface))
        covered = hands.mask.copy()
        for piece in sight.pieces:
            u, v = self._view.px(piece.x_mm, piece.y_mm)
            radius = self._view.radius_px(self._radius(piece) + 5.0)
            cv2.circle(covered, (round(u * 16), round(v * 16)), round(radius * 16), 255, -1, cv2.LINE_8, 4)
        for polygon in (*sight.hidden, *(hand.outline for hand in sight.hands)):
            if len(polygon) >= 3:
                cv2.fillPoly(covered, [self._view.outline_px(np.array(polygon, np.float64), 0.0)], 255)
        still = small
        if hands.any:
            still = small.copy()
            cv2.copyTo(self._plate.scene, hands.mask, still)
            for piece in sight.pieces:
                self._reveal(still, small, piece)
        self._plate.rest(still, covered)
        resting = [Rests(piece, self._radius(piece)) for piece in sight.pieces]
        self._tracker = Tracker(self._view, self._plate, resting, self._numbers)

    def _reveal(self, still: Image, small: Image, piece: SeenPiece) -> None:
        """A piece seen beside or between fingers lies still as well."""
        assert self._view is not None
        u, v = self._view.px(piece.x_mm, piece.y_mm)
        mask = np.zeros_like(still)
        radius = self._view.radius_px(self._radius(piece) + 1.0)
        cv2.circle(mask, (round(u * 16), round(v * 16)), round(radius * 16), 255, -1, cv2.LINE_8, 4)
        cv2.copyTo(small, mask, still)

    def _follow(self, frame: Frame, small: Image, picture: int | None, out: list[Observation]) -> None:
        assert self._view is not None
        assert self._plate is not None
        assert self._tracker is not None
        assert self._none is not None
        difference = self._plate.difference(small)
        changed = self._plate.changed(difference)
        quiet = cv2.countNonZero(changed) == 0
        pieces = [(rests.piece.x_mm, rests.piece.y_mm) for rests in self._tracker.resting]
        pieces += [track.last[1:] for track in self._tracker.tracks if track.life == "moving"]
        pieces += [
            (track.start.x_mm, track.start.y_mm)
            for track in self._tracker.tracks
            if track.start is not None and not track.hole_open
        ]
        before = self._core if frame.t_ns - self._core_ns < CORE_NS else self._none
        hands = self._none if quiet else hands_in(changed, self._view, pieces, self._none, before or self._none)
        if hands.any and (not self._lately or frame.t_ns - self._lately[-1][0] >= LATELY_STEP_NS):
            self._lately.append((frame.t_ns, hands.mask))
        while self._lately and frame.t_ns - self._lately[0][0] > LATELY_NS:
            self._lately.popleft()
        if hands.entering:
            self._core, self._core_ns = hands, frame.t_ns
        self._hands = hands
        since = self._stillness.look(small, hands.mask, self._plate.limit, self._view.board_mask, frame.t_ns)
        self._say_hands(frame, hands, out)
        if self._asked is not None and self._waits(out):
            return
        moving = False
        if not quiet:
            looked = self._tracker.look(small, hands.mask, frame.t_ns, frame.exposure_ns)
            moving = looked.moving
            if looked.new:
                if self._running is None:
                    self._start(frame)
                if self._running is not None:
                    self._running.latest_ns = frame.t_ns
        if self._running is not None:
            self._run(frame, small, since, moving, picture, out)
        else:
            self._idle(frame, small, difference, changed, hands, since, picture, out)

    def _start(self, frame: Frame) -> None:
        assert self._board is not None
        began = self._last.t_ns if self._last is not None else frame.t_ns
        self._running = _Running(self._board, began, frames=1)

    def _run(
        self, frame: Frame, small: Image, since: int, moving: bool, picture: int | None, out: list[Observation]
    ) -> None:
        assert self._running is not None
        assert self._tracker is not None
        running = self._running
        self._place(running)
        if not running.told:
            self._tell_motion(frame, out)
        if frame.t_ns - self._said["moving"] >= SAY_NS and moving:
            self._said["moving"] = frame.t_ns
            out.append(Moving(frame.t_ns, self._live()))
        # A piece that a hand takes along moves where stillness is not looked at.
        rested = max(since, running.latest_ns)
        if frame.t_ns - rested >= REST_NS and frame.t_ns >= self._patience_ns:
            self._ask(frame, small, rested, picture, out, ends=True)

    def _place(self, running: _Running, *, wait: bool = False) -> None:
        """Looks back to where the striker lay, for each track that may be it."""
        assert self._tracker is not None
        for track in self._tracker.tracks:
            if track.number in running.asked:
                continue
            placed = self._placer.place(track, self.frame_ns, wait=wait)
            if placed is None:
                continue
            running.asked.add(track.number)
            if placed.placement is not None:
                running.placements[track.number] = placed.placement

    def _ask(
        self, frame: Frame, small: Image, since: int, picture: int | None, out: list[Observation], *, ends: bool
    ) -> None:
        """Has the whole board found in this picture; what follows from it is said when the answer is there."""
        assert self._hands is not None
        question = self._question(frame, self._hands)
        self._asked = _Asked(question, ends, frame, small, self._hands, since, picture)
        self._waits(out)

    def _check(self, frame: Frame, small: Image, since: int, picture: int | None, out: list[Observation]) -> None:
        """Has it checked in a picture of a board on which nothing has changed whether the camera hangs as it hung."""
        assert self._board is not None
        assert self._hands is not None
        board = self._board
        self._said["check"] = frame.t_ns
        known = Finding(board.pieces, board.hidden, board.hands, board.foreign)
        question = Question(self._inquiry, frame, board.pieces, known=known)
        self._asked = _Asked(question, False, frame, small, self._hands, since, picture, known=True)
        self._waits(out)

    def _question(self, frame: Frame, hands: Hands) -> Question:
        assert self._view is not None
        assert self._board is not None
        return Question(self._inquiry, frame, self._board.pieces, hands.described(self._view))

    def _be_patient(self, question: Question, frame: Frame) -> None:
        """No answer: the next picture is asked for, or one in a while where the board is not to be seen."""
        self._said["look"] = -RESAY_NS
        if question.outcome == "lost":
            self._patience_ns = frame.t_ns + PATIENCE_NS

    def _waits(self, out: list[Observation]) -> bool:
        """Takes the finder's answer if it is there. Returns whether following has to wait for it."""
        asked = self._asked
        assert asked is not None
        if not asked.question.done():
            return asked.ends
        self._asked = None
        if asked.question.outcome != "seen":
            self._be_patient(asked.question, asked.frame)
            return asked.ends
        self._said["check"] = asked.frame.t_ns
        if asked.ends:
            self._end(asked, out)
            return True
        if asked.known:
            if self._view is not None and self._view.model is not self._inquiry.model and self._running is None:
                self._settle_down(asked.question.sight, asked)
            return False
        if self._running is None and self._stillness.since_ns == asked.since_ns:
            self._look_again(asked, out)
        return False

    def _tell_motion(self, frame: Frame, out: list[Observation]) -> None:
        assert self._running is not None
        assert self._tracker is not None
        for track in self._tracker.tracks:
            if len(track.marks) >= 2 and track.travelled_mm > 4.0:
                mark = track.marks[-1]
                piece = "striker" if track.number in self._running.placements else track.piece
                out.append(MotionBegan(track.began_ns, piece, (mark.x_mm, mark.y_mm), mark.by_hand))
                self._running.told = True
                return

    def _live(self) -> tuple[SeenPiece, ...]:
        assert self._tracker is not None
        pieces = [rests.piece for rests in self._tracker.resting]
        for track in self._tracker.tracks:
            if track.life == "moving" and track.marks:
                _, x, y = track.last
                pieces.append(SeenPiece(track.piece, round(x, 1), round(y, 1), 3.0))
        return tuple(pieces)

    def _end(self, asked: _Asked, out: list[Observation]) -> None:
        """Everything lies still again."""
        assert self._running is not None
        assert self._tracker is not None
        running, tracker, model = self._running, self._tracker, self._inquiry.model
        self._place(running, wait=True)
        sight = self._carried(asked.question.sight, running.before)
        self._numbers = max([self._numbers, *(track.number for track in tracker.tracks)])
        self._running = None
        episode = Episode(
            before=running.before,
            after=self._seen(sight, asked),
            tracks=tuple(timed_by_row(track, model, asked.frame.row_ns) for track in tracker.tracks),
            began_ns=min(running.began_ns, asked.since_ns),
            ended_ns=asked.since_ns,
            taken=self._taken,
            said_ns=asked.frame.t_ns,
            grade=self.grade,
            frame_ns=self.frame_ns,
            placements={
                number: replace(placement, t_ns=placement.t_ns + late)
                for (number, placement), late in zip(
                    running.placements.items(),
                    row_delay_ns(
                        model,
                        [(placement.piece.x_mm, placement.piece.y_mm) for placement in running.placements.values()],
                        asked.frame.row_ns,
                    ),
                    strict=True,
                )
            },
            hands=tuple(running.hands),
            frames=running.frames,
            lost_frames=running.lost,
            blind=tuple(running.blind),
            pushed=asked.question.pushed,
        )
        stroke = stroke_of(episode, self._eyes.board)
        if stroke is not None:
            out.append(stroke)
        self._settle_down(sight if stroke is None else replace(sight, pieces=stroke.after.pieces), asked)
        self._say_board(asked.frame, out)

    def _taken(self, x_mm: float, y_mm: float, from_ns: int, to_ns: int) -> bool:
        assert self._view is not None
        u, v = self._view.px(x_mm, y_mm)
        i, j = round(u), round(v)
        width, height = self._view.size
        return (
            0 <= i < width
            and 0 <= j < height
            and any(mask[j, i] for t_ns, mask in self._lately if from_ns <= t_ns <= to_ns)
        )

    def _carried(self, sight: Finding, before: BoardSeen) -> Finding:
        assert self._tracker is not None
        untouched = {id(rests.piece) for rests in self._tracker.resting if rests.track is None}
        return carried(sight, before.pieces, untouched)

    def _idle(
        self,
        frame: Frame,
        small: Image,
        difference: Image,
        changed: Image,
        hands: Hands,
        since: int,
        picture: int | None,
        out: list[Observation],
    ) -> None:
        assert self._view is not None
        assert self._plate is not None
        assert self._board is not None
        if frame.t_ns - since < REST_NS or frame.t_ns < self._patience_ns:
            return
        board = cv2.bitwise_and(changed, self._view.board_mask)
        left = cv2.countNonZero(cv2.erode(board, ERODE))
        whole = self._stillness.whole_since_ns
        if left and self._asked is None and frame.t_ns - whole >= REST_NS and self._said["look"] <= whole:
            # Something lies otherwise than before although nothing was seen to move: beside a hand, or a shadow.
            self._said["look"] = frame.t_ns
            self._ask(frame, small, since, picture, out, ends=False)
        elif not hands.any:
            self._plate.watch(small, difference, whole=left == 0 and self._frames % 8 == 0)
            if self._asked is None and frame.t_ns - self._said["check"] >= CHECK_NS:
                self._check(frame, small, since, picture, out)
        due = not self._rest_said or frame.t_ns - self._said["board"] >= RESAY_NS
        if due and not self._inquiry.blind:
            if picture is not None:
                # The ring forgets: what is said of now, and a stroke's before, shows a picture of now.
                self._board = replace(self._board, picture=picture)
            self._say_board(frame, out)

    def _look_again(self, asked: _Asked, out: list[Observation]) -> None:
        assert self._board is not None
        before, hands = self._board, asked.hands
        sight = asked.question.sight
        if hands.any:
            hidden = [piece for piece in before.pieces if not lies_in(sight.pieces, piece)]
            sight = replace(sight, pieces=(*sight.pieces, *(piece for piece in hidden if self._under(hands, piece))))
        else:
            sight = self._carried(sight, before)
            now, since = self._seen(sight, asked), asked.since_ns
            episode = Episode(
                before, now, (), since, since, asked.frame.t_ns, self.grade, self.frame_ns, {}, self._taken
            )
            stroke = stroke_of(episode, self._eyes.board)
            if stroke is not None:
                out.append(stroke)
        self._settle_down(sight, asked)
        self._say_board(asked.frame, out)

    def _under(self, hands: Hands, piece: SeenPiece) -> bool:
        assert self._view is not None
        u, v = self._view.px(piece.x_mm, piece.y_mm)
        height, width = hands.mask.shape
        return bool(hands.mask[min(max(round(v), 0), height - 1), min(max(round(u), 0), width - 1)])

    def _say_board(self, frame: Frame, out: list[Observation]) -> None:
        assert self._board is not None
        self._rest_said = True
        self._said["board"] = frame.t_ns
        out.append(replace(self._board, t_ns=frame.t_ns))

    def _say_hands(self, frame: Frame, hands: Hands, out: list[Observation]) -> None:
        assert self._view is not None
        if not hands.any and self._hands_said[0] == 0:
            return
        if frame.t_ns - self._said["hands"] < SAY_NS:
            return
        described = hands.described(self._view)
        key = (len(described), frozenset(hand.side for hand in described))
        seen = HandsSeen(frame.t_ns, described)
        if self._running is not None:
            self._running.hands.append(seen)
        self._said["hands"] = frame.t_ns
        if key != self._hands_said:
            self._hands_said = key
            out.append(seen)
