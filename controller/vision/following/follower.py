"""The follower: frames in, observations out, without threads, clocks or devices.

Finds the board in the first pictures, and lets pictures wait while nothing happens: only if a later one shows a change
are they processed after all, in their order, so nothing is missed and a quiet board costs a fraction. `session.py`
follows what happens. Must not know rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controller.events.errors import DeviceError
from controller.events.observation import EyesHealth, Observation, SeenPiece
from controller.events.words import Grade
from controller.vision.finding.find import Finding
from controller.vision.following.background import Background
from controller.vision.following.detection_fusion import OVERLAP_MM, agreed, nearest
from controller.vision.following.detection_request import DetectionRequest, Detector
from controller.vision.following.detection_schedule import DetectionSchedule
from controller.vision.following.disc_masks import same_there
from controller.vision.following.eyes import Eyes
from controller.vision.following.session import Session
from controller.vision.following.timing import Pace, Publisher
from controller.vision.following.view import Picture, View, view_for
from controller.vision.sources.frame import Frame

BEHIND = (
    "this computer does not keep up with its camera: what is seen only in pictures that it leaves out is not ruled on. "
    "Fix: end other programs, cool it, or set a lower [camera] fps"
)

FLICKERS = (
    "the lamp flickers so much that the picture does not come to rest: no stroke is read meanwhile. "
    "Fix: another lamp, and no other light that goes on and off"
)


class Follower:
    """Follows one board through one camera. `step` takes frames in the order of their times."""

    def __init__(self, eyes: Eyes) -> None:
        self._eyes = eyes
        self._detector = Detector(eyes)
        self._pace = Pace()
        self._view: View | None = None
        self.forget()

    def forget(self) -> None:
        """Begins anew with the next frame; what was under way is given up."""
        self._beginning: Beginning | None = None
        self._session: Session | None = None
        self._schedule = DetectionSchedule(self._detector)
        self._idling = Idling()
        self._publisher = Publisher()
        self._newest: Frame | None = None
        self._last: Frame | None = None

    def step(self, frame: Frame, number: int | None = None) -> list[Observation]:
        """Takes the next frame; returns what there is to say. `number`: the frame's own in the ring of JPEGs.

        Raises DeviceError if the frame cannot be decoded.
        """
        out: list[Observation] = []
        if self._newest is not None and frame.t_ns <= self._newest.t_ns:
            # The source began anew or stamps backwards: nothing can be followed across that.
            self.forget()
        missing, blind = self._pace.take(frame, self._newest)
        self._newest = frame
        if self._idling.may_wait(frame, self._pace.frame_ns):
            self._idling.wait(frame, number)
        else:
            self._take(frame, number, out, missing, blind=blind)
        if self._publisher.health_due(frame.t_ns, blind=self._detector.blind):
            out.append(self.health(frame.t_ns))
        return out

    def finish(self) -> list[Observation]:
        """Publishes what is known at a recording's end: the last picture is taken as rest."""
        out: list[Observation] = []
        if self._beginning is not None:
            self._begun(self._beginning)
        if self._session is not None and self._last is not None:
            self._follow_all(self._session, self._idling.taken(), out)
            if not self._session.finish(self._last, out):
                out.append(self.health(self._last.t_ns))
        return out

    def health(self, t_ns: int) -> EyesHealth:
        """How well it sees, as far as the follower can tell."""
        warnings = self._detector.warnings
        if self._pace.falls_behind(t_ns):
            warnings = (*warnings, BEHIND)
        if self._session is not None and self._session.lamp.flickers(t_ns):
            warnings = (*warnings, FLICKERS)
        return EyesHealth(
            t_ns=t_ns,
            camera="blind" if self._detector.blind else "ok",
            seen_until_ns=self._session.last_ns if self._session is not None else t_ns,
            grade=self.grade,
            fps=round(1e9 / self._pace.reached_ns, 1),
            frames=self._pace.frames,
            px_per_mm=round(self._detector.model.px_per_mm, 3),
            saturated=round(self._session.rest_state.saturated if self._session is not None else 0.0, 4),
            moved_mm=round(self._detector.moved_mm, 2),
            residual_mm=self._detector.residual_mm,
            warnings=warnings,
            says=warnings[0] if warnings else "",
        )

    @property
    def grade(self) -> Grade:
        """What this camera can be trusted with, with as many of its pictures as this computer follows."""
        return self._detector.grade(self._pace.reached_ns)

    def _take(self, frame: Frame, number: int | None, out: list[Observation], missing: int, *, blind: bool) -> None:
        """Processes a picture. If it shows that something has begun, those that waited are processed before it."""
        session = self._session
        if session is None:
            self._begin(frame, number)
        else:
            picture = session.picture(frame, number)
            if self._idling.quiet and session.shows_nothing(picture):
                self._idling.taken()
            else:
                self._follow_all(session, self._idling.taken(), out)
            self._idling.seen(frame, quiet=session.follow(picture, out, missing, blind=blind))
        self._last = frame

    def _follow_all(self, session: Session, waiting: Sequence[Waiting], out: list[Observation]) -> None:
        for frame, number in waiting:
            try:
                picture = session.picture(frame, number)
            except DeviceError:
                # It is as if it had never come.
                continue
            self._idling.seen(frame, quiet=session.follow(picture, out))
            self._last = frame

    def _begin(self, frame: Frame, number: int | None) -> None:
        """The very first pictures: what lies there is found at once, so that a stroke that follows has a before."""
        if self._beginning is not None:
            if self._beginning.take(frame, number):
                self._begun(self._beginning)
            return
        if self._view is None:
            self._view = view_for(self._detector.model, self._eyes.board)
            self._view.prepare()
        picture = Picture(frame, self._view.shrink(frame), number)
        request = self._schedule.first(picture)
        if request is not None:
            self._beginning = Beginning(self._view, self._detector, picture, request)

    def _begun(self, beginning: Beginning) -> None:
        """What lies there is known: the first pictures are followed with the next one."""
        self._beginning = None
        self._session = Session(
            self._detector,
            self._schedule,
            self._pace,
            self._publisher,
            beginning.view,
            beginning.picture,
            beginning.request,
            beginning.sight(),
        )
        self._last = beginning.picture.frame
        for frame, number in beginning.waiting:
            self._idling.wait(frame, number)


PICTURES = 3
"""So many pictures are detected before anything is followed."""

REACH_MM = 16.0
"""Around a place of this radius nothing may have changed, for two looks at it to be looks at the same."""


class Beginning:
    """The first pictures, until there are enough of them. `request`: what was found in the first, `picture`.

    One detection may miss a piece under a lamp's reflection, or see one in it. So several pictures are detected, and an
    unchanged place is what most of its detections say; what moves already is taken as the first picture shows it.
    """

    def __init__(self, view: View, detector: Detector, picture: Picture, request: DetectionRequest) -> None:
        self.view = view
        self.picture = picture
        self.request = request
        self.waiting: list[tuple[Frame, int | None]] = []
        self._detector = detector
        self._background = Background(picture.small, view.surface)
        self._looks = [(request.sight, picture)]

    def take(self, frame: Frame, number: int | None) -> bool:
        """Looks at the next picture, which waits to be followed; returns whether they are enough now.

        Raises DeviceError if it cannot be decoded.
        """
        picture = Picture(frame, self._background.level(self.view.shrink(frame)), number)
        self.waiting.append((frame, number))
        again = DetectionRequest(self._detector, frame, steady=True)
        again.done(wait=True)
        if again.outcome == "seen":
            self._looks.append((again.sight, picture))
        return len(self.waiting) + 1 >= PICTURES

    def sight(self) -> Finding:
        """What lies there in the first picture, by what all of them show."""
        pieces: list[SeenPiece] = []
        for found, _ in self._looks:
            pieces += [piece for piece in found.pieces if nearest(pieces, piece, OVERLAP_MM) is None]
        agreed_on = (self._agreed(piece) for piece in pieces)
        return replace(self.request.sight, pieces=tuple(piece for piece in agreed_on if piece is not None))

    def _agreed(self, piece: SeenPiece) -> SeenPiece | None:
        """A piece as all looks at its place call it; None where most of them do not see it."""
        alike = [found for found, picture in self._looks if self._unchanged(piece, picture)]
        seen = [same for found in alike if (same := nearest(found.pieces, piece)) is not None]
        if 2 * len(seen) < len(alike) or not seen:
            return None
        first, *others = seen
        for other in others:
            first = agreed(first, other)
        return first

    def _unchanged(self, piece: SeenPiece, picture: Picture) -> bool:
        at, before = piece.at, self.picture.small
        return picture is self.picture or same_there(
            before, picture.small, self._background.limit, self.view, at, REACH_MM
        )


WAIT_NS = 100_000_000
"""Of a quiet board a picture is processed this often."""

MOST = 5
"""No more pictures than these wait, so that catching up takes no longer than a few pictures' time."""

Waiting = tuple[Frame, int | None]


class Idling:
    """The pictures that wait. `quiet` is set by whoever processed the last one."""

    def __init__(self) -> None:
        self.quiet = False
        self._detected_ns = 0
        self._waiting: list[Waiting] = []

    def may_wait(self, frame: Frame, frame_ns: int) -> bool:
        """Whether a picture may wait; then it does. `frame_ns`: the usual time between two."""
        return self.quiet and len(self._waiting) < MOST and frame.t_ns + frame_ns - self._detected_ns <= WAIT_NS

    def wait(self, frame: Frame, picture: int | None) -> None:
        """Lets a picture wait."""
        self._waiting.append((frame, picture))

    def taken(self) -> list[Waiting]:
        """The pictures that waited; none wait any more."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def seen(self, frame: Frame, *, quiet: bool) -> None:
        """A picture was processed."""
        self._detected_ns, self.quiet = frame.t_ns, quiet
