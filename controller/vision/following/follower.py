"""The follower: frames in, observations out, without threads, clocks or devices.

At rest it only sees that nothing changes. When something does, it follows the pieces until the picture has been
still for a quarter of a second, looks at the whole board once, and says what happened. Must not know rules.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import hypot
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
from controller.vision.following.hands import Hands, hands_in, no_hands
from controller.vision.following.placement import Kept, Placer
from controller.vision.following.plate import Plate
from controller.vision.following.stroke import Episode, Placement, stroke_of
from controller.vision.following.tracker import Rests, Tracker
from controller.vision.following.view import View, view_for
from controller.vision.sources.frame import Frame, Image

REST_NS = 250_000_000
RESAY_NS = 2_000_000_000
SAY_NS = 100_000_000
HEALTH_NS = 1_000_000_000
CORE_NS = 300_000_000
"""So long a part that came off a hand in the picture still counts as hand."""

LATELY_NS = 2_000_000_000
LATELY_STEP_NS = 90_000_000
"""What vanished without being seen to move, where a hand was that lately, was taken by it."""

BLIND_FACTOR = 2.5
"""A gap between pictures longer than this many usual ones is a span that nobody saw."""

_ERODE = np.ones((3, 3), np.uint8)


Find = Callable[[Frame], Finding]


@dataclass(frozen=True, slots=True)
class Eyes:
    """What the follower is built on: the camera, the board, and how to find every piece in one picture."""

    model: CameraModel
    find: Find
    board: Board = DEFAULT_BOARD
    shutter: Literal["global", "rolling"] = "rolling"
    coin_radius_mm: float = DEFAULT_BOARD.coin_diameter_mm / 2.0
    striker_radius_mm: float = DEFAULT_BOARD.striker_diameter_mm / 2.0


@dataclass(slots=True)
class _Running:
    """The episode under way."""

    before: BoardSeen
    began_ns: int
    frames: int = 0
    lost: int = 0
    blind: list[tuple[int, int]] = field(default_factory=list)
    hands: list[HandsSeen] = field(default_factory=list)
    placements: dict[int, Placement] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)
    told: bool = False


class _Stillness:
    """Since when the picture, hands left out, has not changed."""

    def __init__(self) -> None:
        self._still: Image | None = None
        self._hands: Image | None = None
        self.since_ns = 0

    def look(self, small: Image, hands: Image, limit: Image, board: Image, t_ns: int) -> int:
        if self._still is None or self._hands is None:
            self._still, self._hands, self.since_ns = small.copy(), hands, t_ns
            return t_ns
        if hands is not self._hands:
            # Where a hand has gone, what lies there now is what must stay.
            cv2.copyTo(small, cv2.bitwise_and(self._hands, cv2.bitwise_not(hands)), self._still)
            self._hands = hands
        moved = cv2.compare(cv2.absdiff(small, self._still), limit, cv2.CMP_GT)
        moved = cv2.bitwise_and(moved, board)
        moved[hands > 0] = 0
        if cv2.countNonZero(moved) >= 4 and cv2.countNonZero(cv2.erode(moved, _ERODE)) > 0:
            self._still, self.since_ns = small.copy(), t_ns
        return self.since_ns


class Follower:
    """Follows one board through one camera. `step` takes frames in the order of their times."""

    def __init__(self, eyes: Eyes) -> None:
        self._eyes = eyes
        self._view: View | None = None
        self._plate: Plate | None = None
        self._tracker: Tracker | None = None
        self._none: Hands | None = None
        self._stillness = _Stillness()
        self._hands: Hands | None = None
        self._lately: deque[tuple[int, Image]] = deque()
        self._core: Hands | None = None
        self._core_ns = 0
        self._board: BoardSeen | None = None
        self._running: _Running | None = None
        self._placer = Placer(eyes.find, eyes.board)
        self._last: Frame | None = None
        self._gaps: deque[int] = deque(maxlen=31)
        self._frames = 0
        self._said = {"board": -RESAY_NS, "hands": -SAY_NS, "moving": -SAY_NS, "health": -HEALTH_NS, "look": 0}
        self._hands_said: tuple[int, frozenset[str | None]] = (0, frozenset())
        self._numbers = 0
        self._rest_said = False

    # -- the way in

    def step(self, frame: Frame, picture: int | None = None) -> list[Observation]:
        """Takes the next frame; returns what there is to say. `picture`: the frame's number in the ring of JPEGs.

        Raises DeviceError if the frame cannot be decoded.
        """
        out: list[Observation] = []
        if self._last is not None and frame.t_ns <= self._last.t_ns:
            # The source began anew or stamps backwards: nothing can be said across that.
            self._forget()
        luma = frame.luma
        if self._view is None or self._plate is None:
            self._view = view_for(self._eyes.model, self._eyes.board)
            self._none = no_hands(self._view)
        self._count(frame)
        small = self._view.shrink(luma)
        if self._plate is None:
            self._begin(frame, small, picture)
        else:
            small = self._plate.level(small)
            self._follow(frame, small, picture, out)
        self._keep(frame, picture)
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
        small = self._plate.level(self._view.shrink(self._last.luma))
        if self._running is not None:
            self._end(self._last, small, None, out)
        elif not self._rest_said and self._board is not None:
            out.append(replace(self._board, t_ns=self._last.t_ns))
        return out

    def health(self, t_ns: int) -> EyesHealth:
        """How well it sees, as far as the follower can tell."""
        return EyesHealth(
            t_ns=t_ns,
            camera="ok",
            seen_until_ns=self._last.t_ns if self._last is not None else t_ns,
            grade=self.grade,
            fps=round(1e9 / self.frame_ns, 1),
            frames=self._frames,
            px_per_mm=round(self._eyes.model.px_per_mm, 3),
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
        fine = self._eyes.model.px_per_mm >= 1.25
        return "match" if fine and self._eyes.shutter == "global" else "club"

    # -- inside

    def _forget(self) -> None:
        self._plate, self._tracker, self._running, self._board = None, None, None, None
        self._stillness = _Stillness()
        self._placer.forget()
        self._last = None
        self._rest_said = False
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

    def _keep(self, frame: Frame, picture: int | None) -> None:
        self._placer.keep(Kept(frame, picture))

    def _radius(self, piece: SeenPiece) -> float:
        return self._eyes.striker_radius_mm if piece.piece == "striker" else self._eyes.coin_radius_mm

    def _begin(self, frame: Frame, small: Image, picture: int | None) -> None:
        """The very first picture: what lies there is found at once, so that a stroke that follows has a before."""
        assert self._view is not None
        assert self._none is not None
        self._plate = Plate(small, self._view.surface)
        self._hands = self._none
        sight = self._eyes.find(frame)
        self._settle_down(sight, frame, small, self._none, frame.t_ns, picture)
        self._stillness.look(small, self._none.mask, self._plate.limit, self._view.board_mask, frame.t_ns)

    def _settle_down(
        self, sight: Finding, frame: Frame, small: Image, hands: Hands, since_ns: int, picture: int | None
    ) -> None:
        """Takes a sight as the board at rest."""
        assert self._view is not None
        assert self._plate is not None
        self._board = BoardSeen(
            t_ns=frame.t_ns,
            since_ns=since_ns,
            pieces=sight.pieces,
            hidden=sight.hidden,
            hands=hands.described(self._view) or sight.hands,
            foreign=sight.foreign,
            picture=picture,
        )
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
        moving = False
        if not quiet:
            looked = self._tracker.look(small, hands.mask, frame.t_ns, frame.exposure_ns)
            moving = looked.moving
            if self._running is None and looked.new:
                self._start(frame)
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
        for track in self._tracker.tracks:
            if track.number in running.asked:
                continue
            answer = self._placer.ask(track, self.frame_ns, frame.t_ns)
            if answer is None:
                continue
            running.asked.add(track.number)
            if answer.placement is not None:
                running.placements[track.number] = answer.placement
        if not running.told:
            self._tell_motion(frame, out)
        if frame.t_ns - self._said["moving"] >= SAY_NS and moving:
            self._said["moving"] = frame.t_ns
            out.append(Moving(frame.t_ns, self._live()))
        if frame.t_ns - since >= REST_NS:
            self._end(frame, small, picture, out, since)

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

    def _end(
        self, frame: Frame, small: Image, picture: int | None, out: list[Observation], since: int | None = None
    ) -> None:
        """Everything lies still again."""
        assert self._running is not None
        assert self._tracker is not None
        assert self._hands is not None
        running, tracker = self._running, self._tracker
        since = since if since is not None else frame.t_ns
        sight = self._carried(self._eyes.find(frame), running.before, small)
        self._numbers = max([self._numbers, *(track.number for track in tracker.tracks)])
        self._settle_down(sight, frame, small, self._hands, since, picture)
        assert self._board is not None
        self._running = None
        episode = Episode(
            before=running.before,
            after=self._board,
            tracks=tuple(tracker.tracks),
            began_ns=min(running.began_ns, since),
            ended_ns=since,
            taken=self._taken,
            said_ns=frame.t_ns,
            grade=self.grade,
            frame_ns=self.frame_ns,
            placements=running.placements,
            hands=tuple(running.hands),
            frames=running.frames,
            lost_frames=running.lost,
            blind=tuple(running.blind),
        )
        stroke = stroke_of(episode, self._eyes.board)
        if stroke is not None:
            out.append(stroke)
        self._say_board(frame, out)

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

    def _carried(self, sight: Finding, before: BoardSeen, small: Image) -> Finding:
        """What nobody touched is what it was: a piece whose picture has not changed keeps its name and place.

        The finder looks at one picture; what was seen of an untouched piece before counts as much.
        """
        assert self._tracker is not None
        untouched = {id(rests.piece): rests.piece for rests in self._tracker.resting if rests.track is None}
        kept: list[SeenPiece] = []
        found = list(sight.pieces)
        for piece in before.pieces:
            if id(piece) not in untouched:
                continue
            same = min(found, key=lambda other: hypot(other.x_mm - piece.x_mm, other.y_mm - piece.y_mm), default=None)
            if same is not None and hypot(same.x_mm - piece.x_mm, same.y_mm - piece.y_mm) < 6.0:
                found.remove(same)
                kept.append(_sharper(piece, same))
            else:
                kept.append(replace(piece, confidence=piece.confidence * 0.7))
        kept = [piece for piece in kept if piece.confidence > 0.35]
        return replace(sight, pieces=(*kept, *found))

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
        still = frame.t_ns - since >= REST_NS
        if not still:
            return
        board = cv2.bitwise_and(changed, self._view.board_mask)
        left = cv2.countNonZero(cv2.erode(board, _ERODE))
        if left and frame.t_ns - max(self._said["look"], since) >= 2 * REST_NS:
            # Something lies otherwise than before although nothing was seen to move: beside a hand, or a shadow.
            self._said["look"] = frame.t_ns
            self._look_again(frame, small, hands, since, picture, out)
        elif not hands.any:
            self._plate.watch(small, difference, whole=left == 0 and self._frames % 8 == 0)
        if not self._rest_said or frame.t_ns - self._said["board"] >= RESAY_NS:
            self._say_board(frame, out)

    def _look_again(
        self, frame: Frame, small: Image, hands: Hands, since: int, picture: int | None, out: list[Observation]
    ) -> None:
        assert self._board is not None
        before = self._board
        sight = self._eyes.find(frame)
        if hands.any:
            seen = [piece for piece in before.pieces if not _has(sight.pieces, piece)]
            sight = replace(sight, pieces=(*sight.pieces, *(piece for piece in seen if self._under(hands, piece))))
        else:
            sight = self._carried(sight, before, small)
        self._settle_down(sight, frame, small, hands, since, picture)
        stroke = None
        if not hands.any:
            now = self._board
            assert now is not None
            episode = Episode(before, now, (), since, since, frame.t_ns, self.grade, self.frame_ns, {}, self._taken)
            stroke = stroke_of(episode, self._eyes.board)
        if stroke is not None:
            out.append(stroke)
        self._say_board(frame, out)

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


def _has(pieces: Sequence[SeenPiece], piece: SeenPiece) -> bool:
    return any(hypot(other.x_mm - piece.x_mm, other.y_mm - piece.y_mm) < 6.0 for other in pieces)


def _sharper(before: SeenPiece, now: SeenPiece) -> SeenPiece:
    """Joins two sightings of a piece that nobody touched."""
    named = before if before.confidence >= now.confidence else now
    weight = now.u95_mm**-2 if now.u95_mm > 0 else 1.0
    old = before.u95_mm**-2 if before.u95_mm > 0 else 1.0
    share = weight / (weight + old)
    return replace(
        named,
        x_mm=before.x_mm + share * (now.x_mm - before.x_mm),
        y_mm=before.y_mm + share * (now.y_mm - before.y_mm),
        u95_mm=min(before.u95_mm, now.u95_mm),
        visible=now.visible,
        in_mouth=now.in_mouth,
    )
