"""Looks back to the pictures before a stroke: where the striker lay, and what a hand had displaced by then.

Keeps the last second of frames, as the camera gave them, and requests detections of parts of them. The striker's path
is run backwards to a picture in which it still lay there. A hand that displaces a piece lies over it until after the
stroke, so that no track shows it: only a detection of a picture in which the striker lay placed does. Must not know
rules, nor what was published.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot, inf

from calibration.board import Board
from controller.events.observation import SeenPiece
from controller.vision.finding.find import Finding
from controller.vision.following.detection_fusion import lies_in
from controller.vision.following.detection_request import SAME_MM, Detector
from controller.vision.following.eyes import Answer, Roi
from controller.vision.following.free_runs import Leg, leg_through, split
from controller.vision.following.motion import along_and_across
from controller.vision.following.motion_window import Displaced, Placement
from controller.vision.following.striker import NEAR_LINE_MM, crossed_line_ns, gap_to_nearest
from controller.vision.following.tracks import Measurement, PieceTrack, free_run, looks_struck
from controller.vision.following.view import Picture
from controller.vision.sources.frame import Image

KEEP_NS = 900_000_000
JUST_BEFORE_NS = (43_000_000, 100_000_000, 167_000_000)
LONG_BEFORE_NS = (67_000_000, 133_000_000, 233_000_000, 367_000_000)
"""How long before it crossed a base line, or was first seen, it is searched for."""

STILL_NS = 33_000_000
"""In so long a hand that puts a striker down, or pushes it, has moved it by more than a pixel."""

FROM_LINE_MM = 14.0
"""A striker found this far beside the path run backwards is the one that was struck."""

AROUND_MM = 45.0
BACK_MM = 260.0
"""How far along and beside the path run backwards the striker is searched for."""

START_MM = 5.0
"""A path that leads back this close to where the striker lay at rest began there."""


@dataclass(frozen=True, slots=True)
class LookedBack:
    """What a look back came to so far. `over`: it found all that it can; `placement` is None where that is nothing."""

    over: bool
    placement: Placement | None = None


TOO_EARLY, NOT_SEEN = LookedBack(over=False), LookedBack(over=True)


@dataclass(slots=True)
class _Request:
    """A search backwards in time: where the path may lead, the frames still to try, and the present one."""

    legs: tuple[Leg, ...]
    left: list[Picture]
    kept: Picture
    finding: Answer
    roi: Roi


class Placer:
    """The last second, and the few looks back into it.

    `still`: whether two small pictures show the same at the striker's place, given in mm.
    """

    def __init__(self, detector: Detector, still: Callable[[Image, Image, float, float], bool]) -> None:
        self._detector = detector
        self._still = still
        self._board = detector.eyes.board
        self._kept: deque[Picture] = deque()
        self._open: dict[int, _Request] = {}

    def keep(self, kept: Picture) -> None:
        """Adds the newest picture, lets go of those older than a second."""
        self._kept.append(kept)
        while kept.t_ns - self._kept[0].t_ns > KEEP_NS:
            self._kept.popleft()

    def free_for(self, track: PieceTrack) -> bool:
        """Whether no look back for another track is under way."""
        return not self._open or track.number in self._open

    def place(self, track: PieceTrack, others: Sequence[SeenPiece], *, wait: bool = False) -> LookedBack:
        """Looks back to where a track's striker lay placed, if it is one's.

        `others`: what lay on the board. With `wait` a detection under way is waited for.
        """
        request = self._open.get(track.number)
        if request is None:
            if track.piece not in ("striker", "unknown"):
                return NOT_SEEN
            run = free_run(track)
            legs = _first_legs(run) if len(run) >= 3 and looks_struck(track) else ()
            if not legs:
                return TOO_EARLY
            request = None if _began_at_rest(track, legs[0]) else self._start(run, legs)
            if request is None:
                return NOT_SEEN
            self._open[track.number] = request
        while wait or request.finding.done():
            found = self._striker(request, others)
            if found is None and request.left:
                request.kept = request.left.pop(0)
                request.finding = self._detector.find(request.kept.frame, request.roi)
                continue
            del self._open[track.number]
            return LookedBack(over=True, placement=found)
        return TOO_EARLY

    def _start(self, run: Sequence[Measurement], legs: tuple[Leg, ...]) -> _Request | None:
        """Requests the first detection; None where no picture that early is kept."""
        came = next((t for leg in legs if (t := crossed_line_ns(leg, self._board)) is not None), None)
        if came is not None:
            times = [came - early for early in JUST_BEFORE_NS]
        else:
            # Struck along its line or backwards: the path crosses no line, so only earlier pictures show its place.
            times = [run[0].t_ns - early for early in LONG_BEFORE_NS]
        frames = [kept for kept in dict.fromkeys(map(self.before, times)) if kept is not None]
        if not frames:
            return None
        roi = _around(legs, self._board)
        return _Request(legs, frames[1:], frames[0], self._detector.find(frames[0].frame, roi), roi)

    def before(self, t_ns: int) -> Picture | None:
        """The newest picture kept that is no newer than `t_ns`."""
        earlier = [kept for kept in self._kept if kept.t_ns <= t_ns]
        return earlier[-1] if earlier else None

    def _striker(self, request: _Request, others: Sequence[SeenPiece]) -> Placement | None:
        sight = self._detector.sight(request.finding)
        if sight is None:
            return None

        def off_mm(piece: SeenPiece) -> float:
            return min(_beside(piece, leg) for leg in request.legs)

        # One farther from every base line has come to rest after its stroke.
        strikers = (
            piece
            for piece in sight.pieces
            if piece.piece == "striker" and self._board.from_line_mm(*piece.at) < NEAR_LINE_MM
        )
        lay = min(strikers, key=off_mm, default=None)
        if lay is None or off_mm(lay) == inf:
            return None
        earlier = self.before(request.kept.t_ns - STILL_NS)
        if earlier is not None and not self._still(earlier.small, request.kept.small, *lay.at):
            # It is still being put down.
            return None
        # Its neighbours lay there before it was put down; the detection of it may have missed one.
        known = [piece for piece in (*sight.pieces, *others) if piece.piece != "striker"]
        return Placement(request.kept.t_ns, lay, gap_to_nearest(lay, known, self._board), request.kept.number)


def _began_at_rest(track: PieceTrack, leg: Leg) -> bool:
    """Whether the striker that lay there at rest set out from there, by no hand."""
    if track.start is None or track.piece != "striker" or any(mark.by_hand for mark in track.marks[:-1]):
        return False
    return _off_path(track.start, leg)[1] < START_MM


def _first_legs(run: Sequence[Measurement]) -> tuple[Leg, ...]:
    """How it may have set out. Of a path that bends after its first picture a finger may have hidden part there."""
    parts = [split(run)[0][:4]]
    if len(parts[0]) < 3 and len(run) > 2:
        parts.append(split(run[1:])[0][:4])
    return tuple(leg for leg in map(leg_through, parts) if leg is not None)


def _beside(piece: SeenPiece, leg: Leg) -> float:
    """How far a piece lies beside a path run backwards; infinite where it does not lead back to it."""
    along, across = _off_path(piece, leg)
    return across if across < FROM_LINE_MM + 0.12 * abs(along) and along < 10.0 else inf


def _off_path(piece: SeenPiece, leg: Leg) -> tuple[float, float]:
    """How far along and across a path a piece lies from its beginning."""
    along, across, _ = along_and_across(leg.velocity(leg.first_ns), piece.x_mm - leg.x0, piece.y_mm - leg.y0)
    return along, across


def _around(legs: Sequence[Leg], board: Board) -> Roi:
    """The part of the board in which the striker lay: along the path run backwards, as far as a base line's reach."""
    back = []
    for leg in legs:
        vx, vy = leg.velocity(leg.first_ns)
        speed = max(1.0, hypot(vx, vy))
        back += [(leg.x0 - vx / speed * away, leg.y0 - vy / speed * away) for away in (-AROUND_MM, 0.0, BACK_MM)]
    low, high = -board.half_mm, board.half_mm
    xs, ys = zip(*((min(max(x, low), high), min(max(y, low), high)) for x, y in back), strict=True)
    return (min(xs) - AROUND_MM, min(ys) - AROUND_MM, max(xs) + AROUND_MM, max(ys) + AROUND_MM)


FAR_MM = 40.0
"""What is found farther away was not displaced by a hand that lay there: it is another piece."""

SURE_MM = 2.0
"""What a detection knows no better than this is hidden by the hand itself."""

LAY_MM = 2.0
"""A striker found this near to where it was placed had not set off: a finger at it hides little of it."""

BESIDE_MM = 50.0
"""The detection covers so much of the board around the pieces in question."""


class DisplacedSearch:
    """The search for displaced pieces in one window. `placed`: the striker of track `number`, where seen at rest.

    `suspects`: the pieces that may have been displaced in a `picture` in which the striker lay; `before`: all that lay
    on the board. `found`: what was displaced. `lay_ns`: when the placed striker still lay there, if the detection shows
    it.
    """

    def __init__(
        self,
        detector: Detector,
        number: int,
        placed: SeenPiece | None,
        picture: Picture | None,
        suspects: Sequence[SeenPiece],
        before: Sequence[SeenPiece],
    ) -> None:
        self.number = number
        self.found: tuple[Displaced, ...] = ()
        self.lay_ns: int | None = None
        self._detector = detector
        self._placed = placed
        self._suspects = suspects
        self._before = before
        self._answer: Answer | None = None
        if picture is not None and suspects:
            wanted = [*suspects, placed] if placed is not None else suspects
            xs, ys = [piece.x_mm for piece in wanted], [piece.y_mm for piece in wanted]
            roi = (min(xs) - BESIDE_MM, min(ys) - BESIDE_MM, max(xs) + BESIDE_MM, max(ys) + BESIDE_MM)
            self._answer, self._asked_ns = detector.find(picture.frame, roi), picture.t_ns

    def take(self) -> None:
        """Takes the answer, waiting for it."""
        sight = self._detector.sight(self._answer) if self._answer is not None else None
        if sight is None:
            return
        self.found = displaced_in(sight, self._suspects, self._before, self._asked_ns)
        placed = self._placed
        if placed is not None and any(
            seen.piece == "striker" and seen.apart_mm(placed) < LAY_MM for seen in sight.pieces
        ):
            self.lay_ns = self._asked_ns


def displaced_in(
    sight: Finding, suspects: Sequence[SeenPiece], before: Sequence[SeenPiece], t_ns: int
) -> tuple[Displaced, ...]:
    """Which suspects certainly lie beside their places. What could be another piece does not count."""
    found = []
    for piece in suspects:
        near = [seen for seen in sight.pieces if seen.apart_mm(piece) < FAR_MM and seen.piece == piece.piece]
        if lies_in(sight.pieces, piece, SAME_MM):
            continue
        new = [seen for seen in near if seen.u95_mm < SURE_MM and not lies_in(before, seen, SAME_MM)]
        if len(new) == 1:
            found.append(Displaced(piece, t_ns, *new[0].at))
    return tuple(found)
