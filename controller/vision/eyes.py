"""The vision process without its command line: frames are captured, kept in the ring, followed, and what was seen sent.

Threads: one reads the camera (`sources/capture.py`), one speaks with the daemon (`link.py`), this one follows. Only
supervision looks at the machine's own clock. Knows no rules.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import cv2

from controller.events.errors import DeviceError
from controller.events.observation import BoardSeen, EyesHealth, Observation
from controller.supervision.heartbeat import SupervisedThread
from controller.vision.following.follower import Follower
from controller.vision.link import DaemonLink
from controller.vision.picture_watch import PictureWatch
from controller.vision.ring import RingWriter
from controller.vision.setting_up import SettingUp
from controller.vision.sources.capture import Capture
from controller.vision.sources.choose import RECORDED, SourceSettings, source_maker
from controller.vision.sources.frame import EndOfRecordingError, Frame
from controller.vision.striker_watch import StrikerWatch

_log = logging.getLogger(__name__)

SOCKET = "eyes.sock"
RING = "pictures.ring"
SET_UP = "set-up.jpg"
"""What was found in the latest picture while the camera was set up anew."""

KEPT = "strokes.kept"
HANGS_S = 15.0
"""A thread of ours without a beat for so long hangs; handing a line to the daemon may take ten seconds."""
WAIT_S = 0.25
HEALTH_S = 1.0
ALIVE_S = 1.0
FIRST_BOARD_S = 60.0
"""So long a sign of life may stay out until the first board is seen: the first pictures are detected one by one while
nothing else goes on, which takes a slow computer seconds each."""
WELL_FRAMES = 300
"""So many pictures without trouble, and the last trouble is reported no more."""

STEADY_MM = 1.0
"""A camera that was moved farther no longer shows a striker where its calibration puts it."""

BYTES_PER_PX = 0.5
"""Room of a ring's slot: a JPEG of a busy board at high quality stays below."""


@dataclass(frozen=True, slots=True)
class EyesSettings:
    """What the vision process is run with. `runtime` is the folder of the socket and the ring.

    `thickness_known`: the calibration did not have to suppose how thick the pieces are.
    """

    source: SourceSettings
    runtime: Path
    ring_bytes: int = 256 * 1024 * 1024
    thickness_known: bool = True
    clock: str = ""
    """What tells one run of the table's clock from another."""


def link_for(settings: EyesSettings) -> DaemonLink:
    """The line to the daemon, to be started."""
    return DaemonLink(
        settings.runtime / SOCKET,
        hold=settings.source.keep_all,
        kept=settings.runtime / KEPT,
        clock=settings.clock,
    )


class Eyes:
    """The running vision process. `alive` is called with words for the service manager whenever real progress was made.

    `strikers` watches for a striker that was exchanged, `setting_up` lets a person set the camera up anew; without them
    nobody does. `link`: the line to the daemon, where it was begun already. `watchdog_s`: so long the service manager
    waits for a sign of life.
    """

    def __init__(
        self,
        settings: EyesSettings,
        follower: Follower,
        now_ns: Callable[[], int],
        alive: Callable[..., object],
        strikers: StrikerWatch | None = None,
        setting_up: SettingUp | None = None,
        link: DaemonLink | None = None,
        watchdog_s: float | None = None,
    ) -> None:
        self._settings = settings
        self._watchdog_s, self._awaits_board = watchdog_s, True
        self._follower = follower
        self._now_ns = now_ns
        self._alive = alive
        self._strikers = strikers
        self._setting_up = setting_up
        self._link = link
        self._was_under_way = False
        self._thickness_known = settings.thickness_known
        self._stop = threading.Event()
        self._frame_ms = 0.0
        self._broken = 0
        self._watch = PictureWatch(live=settings.source.kind not in RECORDED)
        self._started = False
        self._alive_s = 0.0
        self._told_s = 0.0
        self._camera = "ok"
        self._failed = 0
        self._no_ring = ""
        self._ring_tried_s = 0.0
        self._trouble = ""
        self._well = 0
        self._since_ns = 0
        self._threads: tuple[SupervisedThread, ...] = ()

    def stop(self) -> None:
        """Asks `run` to end; may be called from a signal handler."""
        self._stop.set()

    def run(self) -> None:
        """Runs until stopped or a recording is over. Raises CarromError where the settings cannot work at all."""
        cv2.setNumThreads(1)
        self._since_ns = self._now_ns()
        if self._watchdog_s is not None:
            self._alive(_watchdog(max(self._watchdog_s, FIRST_BOARD_S)))
        settings = self._settings
        source = settings.source
        make = source_maker(source, self._now_ns)
        ring = RingWriter(
            settings.runtime / RING,
            ring_bytes=settings.ring_bytes,
            slot_bytes=round(source.width * source.height * BYTES_PER_PX),
        )
        ring.open()
        if ring.missing:
            _log.warning(
                "%s: %d MB for the latest pictures, %d are wanted and not free: clips may lack their beginning. "
                "Fix: lower camera.ring_mb, or a computer with more memory",
                settings.runtime, ring.size // 2**20, settings.ring_bytes // 2**20,
            )  # fmt: skip
        capture = Capture(make, keep_all=source.keep_all or source.kind in RECORDED)
        link = self._link
        if link is None:
            link = link_for(settings)
            link.start()
        if self._setting_up is not None:
            link.ordered = self._setting_up.order
        self._threads = (link.thread, capture.thread)
        capture.start()
        if self._setting_up is not None:
            self._setting_up.start()
        try:
            self._loop(capture, ring, link)
        finally:
            if self._setting_up is not None:
                self._setting_up.stop()
            capture.stop()
            link.stop()
            ring.close()

    def _loop(self, capture: Capture, ring: RingWriter, link: DaemonLink) -> None:
        while not self._stop.is_set():
            try:
                frame = capture.newest(WAIT_S)
            except EndOfRecordingError:
                self._finish(capture, link)
                return
            if self._is_set_up(frame, capture, ring, link):
                continue
            if frame is None:
                self._without(capture, link)
                continue
            began = time.perf_counter()
            try:
                self._watch.take(frame)
                if self._watch.frozen:
                    self._keep(frame, ring)
                    self._tell("blind", self._watch.frozen, capture, link)
                    continue
                said = self._look(frame, ring)
            except DeviceError as error:
                self._broken += 1
                self._tell("blind", str(error), capture, link)
                continue
            except Exception as error:
                self._fail(error, capture, link)
                continue
            self._recover()
            spent = (time.perf_counter() - began) * 1e3
            self._frame_ms += 0.05 * (spent - self._frame_ms)
            if self._camera != "ok":
                self._camera = "ok"
                said.append(self._follower.health(frame.t_ns))
            for observation in said:
                link.send(self._completed(observation, capture))
            self._progress(f"following, {capture.seen} frames")

    def _is_set_up(self, frame: Frame | None, capture: Capture, ring: RingWriter, link: DaemonLink) -> bool:
        """Whether somebody is setting the camera up: then nothing is followed, and the progress is reported."""
        work = self._setting_up
        if work is None:
            return False
        news, under_way = work.news(), work.under_way
        if (sight := work.fresh()) is not None:
            self._follower, self._strikers, self._thickness_known = (
                sight.follower,
                sight.strikers,
                sight.thickness_known,
            )
        if sight is not None or (self._was_under_way and not under_way):
            # What was seen before says nothing of what is seen from here on.
            self._follower.forget()
            self._since_ns, self._trouble = self._now_ns(), ""
        self._was_under_way = under_way
        if frame is not None and under_way:
            self._keep(frame, ring)
            work.offer(frame)
        due = under_way and time.monotonic() - self._told_s >= HEALTH_S
        if news or due:
            self._told_s = time.monotonic()
            health = self._follower.health(self._now_ns())
            if under_way:
                self._camera = "setup"
                health = replace(health, camera="setup", warnings=(), says="the camera is being set up")
            link.send(self._completed(health, capture))
        if under_way:
            self._progress("the camera is being set up")
        return under_way

    def _finish(self, capture: Capture, link: DaemonLink) -> None:
        try:
            for observation in self._follower.finish():
                link.send(self._completed(observation, capture))
        except Exception as error:
            self._fail(error, capture, link)
        link.drain(5.0)

    def _fail(self, error: Exception, capture: Capture, link: DaemonLink) -> None:
        """A picture that cannot be followed costs what was under way, never the process."""
        self._failed += 1
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        if not self._trouble:
            _log.error("a picture could not be followed", exc_info=error)
        new = not self._trouble
        self._trouble = f"{self._failed} pictures could not be followed ({said}); following begins anew with the next"
        self._well = 0
        self._follower.forget()
        self._since_ns = self._now_ns()
        if new or time.monotonic() - self._told_s >= HEALTH_S:
            self._told_s = time.monotonic()
            link.send(self._completed(self._follower.health(self._now_ns()), capture))
        self._progress(self._trouble)

    def _recover(self) -> None:
        if self._trouble:
            self._well += 1
            if self._well >= WELL_FRAMES:
                self._trouble = ""

    def _look(self, frame: Frame, ring: RingWriter) -> list[Observation]:
        said = self._follower.step(frame, self._keep(frame, ring))
        for board in said:
            if isinstance(board, BoardSeen):
                if self._awaits_board and self._watchdog_s is not None:
                    self._alive(_watchdog(self._watchdog_s))
                self._awaits_board = False
                self._watch_striker(frame, board)
        return said

    def _keep(self, frame: Frame, ring: RingWriter) -> int | None:
        """Puts a picture into the ring and returns its number. Without a ring following goes on, with a report; it is
        tried anew every second, as making one costs more than a picture's time."""
        jpeg, now = frame.encoded(), time.monotonic()
        if self._no_ring and now - self._ring_tried_s < HEALTH_S:
            return None
        self._ring_tried_s = now
        try:
            number = ring.put(jpeg, frame.t_ns, frame.exposure_ns)
        except DeviceError as error:
            if str(error) != self._no_ring:
                _log.warning("%s", error)
            self._no_ring = str(error)
            return None
        self._no_ring = ""
        return number

    def _watch_striker(self, frame: Frame, board: BoardSeen) -> None:
        """Measures the striker; whatever fails there must not cost what the follower reported."""
        if self._strikers is None or (striker := self._strikers.due(board)) is None:
            return
        # It is measured where the calibrated camera sees it: not after a push.
        if self._follower.health(frame.t_ns).moved_mm > STEADY_MM:
            return
        try:
            self._strikers.look(frame.bgr, striker)
        except Exception as error:
            _log.error("a striker could not be measured", exc_info=error)

    def _completed(self, observation: Observation, capture: Capture) -> Observation:
        if not isinstance(observation, EyesHealth):
            return self._watch.seen(observation)
        strikers = self._strikers
        found = (*observation.warnings, *(strikers.warnings if strikers is not None else ()), *self._broken_threads())
        found = (*found, *(says for says in (self._watch.no_colour, self._no_ring) if says))
        return replace(
            observation,
            dropped=capture.dropped + self._broken + self._failed,
            frame_ms=round(self._frame_ms, 2),
            frames=capture.seen,
            since_ns=self._since_ns,
            thickness_known=self._thickness_known,
            set_up=self._setting_up.now if self._setting_up is not None else None,
            other_striker=strikers.changed if strikers is not None else (),
            warnings=(*found, self._trouble) if self._trouble else found,
            says=observation.says or self._trouble,
        )

    def _without(self, capture: Capture, link: DaemonLink) -> None:
        """No picture came: says so as soon as that is certain and every second, which is progress too. So is a camera
        that is being opened: `capture` gives it up by itself."""
        broken = "; ".join(self._broken_threads())
        state, says = ("lost", broken) if broken else (capture.state, capture.says)
        if state == "opening":
            self._progress("the camera is being opened")
        if state not in ("stalled", "lost"):
            return
        self._tell("stalled" if state == "stalled" else "lost", says, capture, link)

    def _tell(self, camera: Literal["stalled", "lost", "blind"], says: str, capture: Capture, link: DaemonLink) -> None:
        """Reports a camera by which nothing can be followed now: at once, then every second."""
        now = time.monotonic()
        if camera != self._camera:
            _log.warning("camera %s: %s", camera, says)
        if camera != self._camera or now - self._told_s >= HEALTH_S:
            self._camera, self._told_s = camera, now
            health = replace(self._follower.health(self._now_ns()), camera=camera, says=says)
            link.send(self._completed(health, capture))
        self._progress(f"camera {camera}: {says}")

    def _progress(self, status: str) -> None:
        now = time.monotonic()
        if not self._started:
            self._started = True
            self._alive("READY=1", f"STATUS={status}")
        if now - self._alive_s >= ALIVE_S and not self._broken_threads():
            self._alive_s = now
            self._alive("WATCHDOG=1", f"STATUS={status}")

    def _broken_threads(self) -> tuple[str, ...]:
        """What is wrong with our own threads: the service manager starts the process anew, getting no sign of life."""
        return tuple(
            f"the eyes' {thread.name} {f'has died ({thread.died_of})' if thread.died_of else 'hangs'}"
            for thread in self._threads
            if thread.died_of or thread.silent_s() > HANGS_S
        )


def _watchdog(seconds: float) -> str:
    """Asks the service manager to wait so long for a sign of life."""
    return f"WATCHDOG_USEC={round(seconds * 1e6)}"
