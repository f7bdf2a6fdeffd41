"""The simulated table through camera, JPEG and eyes, in one process and in step: a stream for the referee.

Every frame is drawn, encoded, decoded and followed; what the eyes say goes through its wire format. Beams come as the
node would say them. Repeatable by its seed. With `begin_at` the strokes before are played without pictures, so that a
single stroke can be looked at alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from unittest import mock

import cv2
import numpy as np

from calibration.board import Board
from calibration.presets import PRESETS
from controller.commands import follower
from controller.commands.demo.pictures import calibrate_by_pictures
from controller.commands.follower import Asking, eyes_for
from controller.events.beams import BeamEdge, BeamHealth
from controller.events.match import Start
from controller.events.observation import EyesHealth, StrokeSeen
from controller.events.wire import observation_from_line, observation_to_line
from controller.simulator.camera import Camera
from controller.simulator.clock import EPOCH_NS
from controller.simulator.director import Setting, SimulatedTable
from controller.simulator.happenings import BeamChange, Decision, FrameDue, Knocked, TrueRuling
from controller.simulator.looks import LOOKS, Look
from controller.simulator.physics import Material
from controller.simulator.pieces import pieces_of
from controller.simulator.scenario import SCENARIOS
from controller.simulator.umpire import TrueUmpire
from controller.vision.calibration_file import Calibration, load
from controller.vision.following.eyes import A, Q, at_once
from controller.vision.following.follower import Follower
from controller.vision.following.motion_window import MotionWindow
from controller.vision.following.stroke import stroke_of
from controller.vision.sources.frame import Frame
from tests.bench.refereed import S, books

LATE_MS = (20, 60, 150, 400)
"""How long a detection takes: it depends on the computer, and so do the pictures that see it come."""


@dataclass(frozen=True)
class Part:
    """One part of the bench: how is played, seen and by which seed; on which of the boards that ship, of what stuff."""

    name: str
    book: str
    look: str
    scenario: str
    seed: int
    board: str = "international"
    material: Material = field(default_factory=Material)


def look_of(part: Part) -> Look:
    """What the camera of a part sees."""
    look = LOOKS[part.look]
    if part.board != "international":
        look = replace(look, pieces=pieces_of(PRESETS[part.board]))
    return replace(look, pieces=replace(look.pieces, each=6)) if part.book == "sixes" else look


def setting_of(part: Part) -> Setting:
    """The match of a part."""
    look = look_of(part)
    start = Start(part.book, {"south": "Asha", "north": "Ben"}, first="south")
    scenario = SCENARIOS[part.scenario]
    return Setting(start, look.pieces, part.material, scenario, part.seed, look.rig.fps)


def pictured(part: Part, begin_at: int = 1, keep: Path | None = None) -> Iterator[Any]:
    """Yields what eyes and beams say of a part, the truth and the decisions. `keep`: a folder for the pictures."""
    cv2.setNumThreads(1)
    return followed(filmed(part, begin_at, keep), eyes_of(part))


def eyes_of(part: Part, ask: Asking = at_once, made: Calibration | None = None) -> Follower:
    """The eyes that a part is seen with. `ask`: who does the finding. `made`: with which calibration, or a new one."""
    made = calibrated(part.look, part.seed, part.board) if made is None else made
    shutter: Literal["global", "rolling"] = "rolling" if LOOKS[part.look].rig.rolling_s else "global"
    return Follower(eyes_for(made.model, made.looks, made.board, shutter, ask))


def followed(film: Iterator[Any], eyes: Follower) -> Iterator[Any]:
    """Yields what a part's film tells, its pictures as what the eyes say of them."""
    for one in film:
        if isinstance(one, Frame):
            for said in eyes.step(one, one.number):
                yield observation_from_line(observation_to_line(said))
        else:
            yield one


def windowed(film: Iterator[Any], eyes: Follower) -> Iterator[Any]:
    """As `followed`, with the motion windows in place of the strokes that they are explained by."""
    windows: list[MotionWindow] = []
    for one in film:
        if not isinstance(one, Frame):
            yield one
            continue
        with noting_windows(windows):
            seen = eyes.step(one, one.number)
        yield from windows
        windows.clear()
        for said in seen:
            if not isinstance(said, StrokeSeen):
                yield observation_from_line(observation_to_line(said))


class LateAnswers:
    """Answers a follower as one thread of a computer does, on the pictures' own time: each takes `late_ns`."""

    def __init__(self, late_ns: int) -> None:
        self.now_ns = 0
        self._late_ns = late_ns
        self._due_ns = 0

    def clocked(self, film: Iterator[Any]) -> Iterator[Any]:
        """Passes a film on; its newest picture is now."""
        for one in film:
            if isinstance(one, Frame):
                self.now_ns = one.t_ns
            yield one

    def ask(self, work: Callable[Q, A]) -> Callable[Q, Future[A]]:
        """Wraps the work, which is done when its result is fetched."""

        def asked(*args: Q.args, **kwargs: Q.kwargs) -> Future[A]:
            self._due_ns = max(self._due_ns, self.now_ns) + self._late_ns
            return _Late(lambda: work(*args, **kwargs), self._due_ns, self)

        return asked


class _Late(Future[A]):
    def __init__(self, work: Callable[[], A], due_ns: int, clock: LateAnswers) -> None:
        super().__init__()
        self._work, self._due_ns, self._clock = work, due_ns, clock

    def done(self) -> bool:
        return self._clock.now_ns >= self._due_ns

    def result(self, timeout: float | None = None) -> A:
        return self._work()


@contextmanager
def noting_windows(windows: list[MotionWindow]) -> Iterator[None]:
    """Has every motion window that is explained meanwhile added to a list."""

    def noted(window: MotionWindow, board: Board) -> StrokeSeen | None:
        windows.append(deepcopy(window))
        return stroke_of(window, board)

    with mock.patch.object(follower, "stroke_of", noted):
        yield


def filmed(part: Part, begin_at: int = 1, keep: Path | None = None) -> Iterator[Any]:
    """Yields a part's pictures, what beams say, the truth and the decisions."""
    setting = setting_of(part)
    look = look_of(part)
    table = SimulatedTable(setting, TrueUmpire(books()))
    camera = Camera(look, setting.seed)
    seq, said_ns, seen_ns = 0, 0, 0
    noise = np.random.default_rng(part.seed + 77)
    seeing = begin_at <= 1
    for one in table.play():
        t_ns = EPOCH_NS + round(one.t_s * 1e9)
        if isinstance(one, FrameDue):
            if not seeing:
                continue
            if not one.lost:
                frame = camera.take(table.reel, one.t_s, one.shake_px)
                jpeg = frame.jpeg(look.rig.jpeg)
                if keep is not None:
                    (keep / f"{one.number:06d}.jpg").write_bytes(jpeg)
                seen_ns = t_ns
                yield Frame(t_ns, one.number, jpeg=jpeg, exposure_ns=round(frame.exposure_s * 1e9))
            if t_ns - said_ns >= S:
                said_ns = t_ns
                yield BeamHealth(t_ns, "up")
                if t_ns - seen_ns > S:
                    yield EyesHealth(t_ns, "stalled", seen_ns)
        elif isinstance(one, BeamChange):
            if seeing:
                stamp = t_ns + int(noise.normal(0, 60_000))
                yield BeamEdge(stamp, one.pocket, one.beam, one.blocked, "51d2", seq, 60_000)
            seq += 1
        elif isinstance(one, Knocked):
            camera.knock(camera.view.nudged(one.shift_mm, one.turn_deg))
        elif isinstance(one, Decision):
            if seeing:
                yield one
            else:
                one.release()
                seeing = one.kind == "ready" and one.stroke >= begin_at - 1
        else:
            assert isinstance(one, TrueRuling)
            yield one


@cache
def calibrated(look: str, seed: int, board: str = "international") -> Calibration:
    """The calibration that a volunteer would have made of a look's camera over one of the boards that ship."""
    with TemporaryDirectory() as folder:
        return load(calibration_of(look, seed, board, Path(folder)))


def calibration_of(look: str, seed: int, board: str, folder: Path) -> Path:
    """Makes that calibration in a folder; returns its file."""
    seen = LOOKS[look]
    if board != "international":
        seen = replace(seen, pieces=pieces_of(PRESETS[board]))
    return calibrate_by_pictures(seen, seed, folder, board)
