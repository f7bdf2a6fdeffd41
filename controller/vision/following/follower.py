"""The follower: frames in, observations out, without threads, clocks or devices.

Counts frames, lets them wait while nothing happens, and finds the board at the start; `session.py` follows what
happens on it. Must not know rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.events.errors import DeviceError
from controller.events.observation import EyesHealth, Observation
from controller.events.words import Grade
from controller.vision.following.detection_request import Detector
from controller.vision.following.detection_schedule import DetectionSchedule
from controller.vision.following.first_sight import Beginning
from controller.vision.following.grade import grade_of
from controller.vision.following.motion_window import Eyes
from controller.vision.following.pace import Idling, Pace, Waiting
from controller.vision.following.publisher import Publisher
from controller.vision.following.session import Session
from controller.vision.following.view import View, view_for
from controller.vision.sources.frame import Frame

BEHIND = (
    "this computer does not keep up with its camera: what is seen only in pictures that it leaves out is not ruled on. "
    "Mend: end other programs, cool it, or set a lower [camera] fps"
)

FLICKERS = (
    "the lamp flickers so much that the picture does not come to rest: no stroke is read meanwhile. "
    "Mend: another lamp, and no other light that goes on and off"
)


class Follower:
    """Follows one board through one camera. `step` takes frames in the order of their times."""

    def __init__(self, eyes: Eyes) -> None:
        self._eyes = eyes
        self._detector = Detector(eyes.ask, eyes.check, eyes.model, eyes.board.half_mm, eyes.part)
        self._pace = Pace()
        self._view: View | None = None
        self.forget()

    def forget(self) -> None:
        """Begins anew with the next frame; what was under way is given up."""
        self._beginning: Beginning | None = None
        self._session: Session | None = None
        self._schedule = DetectionSchedule(self._detector, in_parts=self._eyes.part is not None)
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
            self._begun(self._beginning, out)
        if self._session is not None and self._last is not None:
            self._catch_up(self._session, out)
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
        return grade_of(self._pace.reached_ns, self._detector.model.px_per_mm, self._eyes.shutter, self._eyes.allows)

    def _take(self, frame: Frame, number: int | None, out: list[Observation], missing: int, *, blind: bool) -> None:
        """Processes a picture. If it shows that something has begun, those that waited are processed before it."""
        session = self._session
        if session is None:
            self._begin(frame, number, out)
        else:
            picture = session.picture(frame, number)
            if self._idling.quiet and session.shows_nothing(picture):
                self._idling.taken()
            else:
                self._catch_up(session, out)
            self._idling.seen(frame, quiet=session.follow(picture, out, missing, blind=blind))
        self._last = frame

    def _catch_up(self, session: Session, out: list[Observation]) -> None:
        self._follow_all(session, self._idling.taken(), out)

    def _follow_all(self, session: Session, waiting: Sequence[Waiting], out: list[Observation]) -> None:
        for frame, number in waiting:
            try:
                picture = session.picture(frame, number)
            except DeviceError:
                # It is as if it had never come.
                continue
            self._idling.seen(frame, quiet=session.follow(picture, out))
            self._last = frame

    def _begin(self, frame: Frame, number: int | None, out: list[Observation]) -> None:
        """The very first pictures: what lies there is found at once, so that a stroke that follows has a before."""
        if self._beginning is not None:
            if self._beginning.take(frame, number):
                self._begun(self._beginning, out)
            return
        if self._view is None:
            self._view = view_for(self._detector.model, self._eyes.board)
            self._view.prepare()
        picture = self._view.picture(frame, number)
        request = self._schedule.first(picture)
        if request is not None:
            self._beginning = Beginning(self._view, self._detector, picture, request)

    def _begun(self, beginning: Beginning, out: list[Observation]) -> None:
        """What lies there is known: the first pictures are followed."""
        self._beginning = None
        self._session = Session(
            self._eyes,
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
        self._follow_all(self._session, beginning.waiting, out)
