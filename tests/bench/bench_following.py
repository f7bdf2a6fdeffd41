"""Following: cost of a frame against decoding it, memory, and whole strokes on simulated and rendered sequences.

Speed is a ratio measured in the same run on the same pictures, one core. The share of the real finder, the registration
and the explanation is included, asked as often as the follower asks; as in the eyes' process a worker does it, so its
answers come some pictures later. The facts are held against the truth with a finder that knows, so that only following
is measured.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD
from controller.commands.follower import eyes_for, follow_recording
from controller.events.observation import BoardSeen, StrokeSeen
from controller.simulator.looks import Look
from controller.simulator.stills import calibration_set
from controller.vision.calibration_file import Calibration
from controller.vision.calibration_inputs import Inputs
from controller.vision.following.eyes import A, Eyes, Q, at_once
from controller.vision.following.follower import Follower
from controller.vision.guided_calibration import calibrate
from controller.vision.sources.frame import Frame
from controller.vision.sources.recorded import FolderSource
from tests.bench.figure import Figure, share
from tests.bench.stroke_facts import FACTS, Facts
from tests.vision.following.simulated import Episode, frames, model_of, strokes, true_finder

RENDERS = Path(os.environ.get("RENDERS", "../shared/renders"))
LOOKS = ("pale", "walnut-club", "lacquer-dark", "pale-on-pale")


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures of following."""
    cv2.setNumThreads(1)
    yield from _speed()
    yield from _strokes(12 if long else 2)
    yield from _memory(100_000 if long else 5_000)
    yield from _rendered()


def _speed() -> Iterator[Figure]:
    episode = strokes("pale", 11, 2)
    made = _calibrated(episode.look, 11)
    for name, luma_only in (("MJPEG bytes → observation", False), ("luma → observation", True)):
        worker = Worker()
        follower = Follower(eyes_for(made.model, made.looks, made.board, ask=worker.ask))
        spent: list[float] = []
        alone: list[float] = []
        before: np.ndarray | None = None
        start: Start | None = None
        for frame in frames(episode):
            if luma_only:
                frame = Frame(frame.t_ns, frame.number, luma=frame.luma, bgr=frame.bgr, exposure_ns=frame.exposure_ns)  # noqa: PLW2901
                now = frame.luma
                before = now if before is None else before
                began = time.thread_time()
                cv2.threshold(cv2.absdiff(now, before), 20, 255, cv2.THRESH_BINARY)
            else:
                data = np.frombuffer(frame.jpeg or b"", np.uint8)
                began = time.thread_time()
                cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)
            alone.append(time.thread_time() - began)
            worker.now_ns, other = frame.t_ns, worker.spent_s
            began = time.thread_time()
            said = follower.step(frame)
            spent.append(time.thread_time() - began - (worker.spent_s - other))
            if start is None and any(isinstance(one, BoardSeen) for one in said):
                start = Start(len(spent), worker.spent_s, worker.asked)
        assert start is not None
        unit = statistics.mean(alone)
        limit, what = (8.0, "one absdiff + threshold") if luma_only else (1.5, "the decode alone")
        # The eyes begin once: nets are loaded, the first board is found thrice, markings are measured.
        strokes_spent, asked = spent[start.frames :], worker.asked - start.asked
        worked = worker.spent_s - start.worked_s
        ratio = (sum(strokes_spent) + worked) / len(strokes_spent) / unit
        with_start = (sum(spent) + worker.spent_s) / len(spent) / unit
        yield Figure(
            f"{name}, mean over whole strokes",
            "sim",
            f"{ratio:.2f} × {what} ({1e3 * unit:.2f} ms)",
            f"≤ {limit:g} ×",
            ratio <= limit,
            f"{statistics.mean(strokes_spent) / unit:.2f} × without the worker, which was asked {asked} times in "
            f"{len(episode.played)} strokes, {1e3 * worked / max(1, asked):.0f} ms each; {with_start:.2f} × with the "
            "eyes' beginning, in so short a run",
        )
        worst, first = max(strokes_spent) / unit, max(spent[: start.frames]) / unit
        yield Figure(
            f"{name}, worst frame",
            "sim",
            f"{worst:.1f} ×",
            "≤ 10 ×",
            worst <= 10.0,
            f"the worker beside it; {first:.1f} × before the first board is known",
        )
        yield Figure(
            f"{name}, longest wait for the worker",
            "sim",
            f"{worker.longest_ns / 1e6:.0f} ms",
            note="on a core of its own",
        )


@dataclass(frozen=True)
class Start:
    """What had been done when the first board was said: pictures, the worker's time and its questions."""

    frames: int
    worked_s: float
    asked: int


class Worker:
    """Stands for the eyes' worker thread: an answer is there when the time it took has passed on the camera's clock."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.spent_s = 0.0
        self.asked = 0
        self.longest_ns = 0
        self._free_ns = 0

    def ask(self, work: Callable[Q, A]) -> Callable[Q, Future[A]]:
        """Does the work at once, counts its time, and gives the answer later."""

        def asked(*args: Q.args, **kwargs: Q.kwargs) -> Future[A]:
            began = time.thread_time()
            done = at_once(work)(*args, **kwargs)
            took = time.thread_time() - began
            self.spent_s += took
            self.asked += 1
            self._free_ns = max(self.now_ns, self._free_ns) + round(1e9 * took)
            self.longest_ns = max(self.longest_ns, self._free_ns - self.now_ns)
            return Later(self, self._free_ns, done)

        return asked


class Later(Future[A]):
    """An answer that is there from a time on."""

    def __init__(self, worker: Worker, ready_ns: int, answer: Future[A]) -> None:
        super().__init__()
        self._worker, self._ready_ns, self._answer = worker, ready_ns, answer

    def done(self) -> bool:
        """Whether its time has come."""
        return self._worker.now_ns >= self._ready_ns

    def result(self, timeout: float | None = None) -> A:
        """The answer."""
        return self._answer.result(timeout)


def _calibrated(look: Look, seed: int) -> Calibration:
    pictures = calibration_set(look, seed)
    lens = [cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in pictures.lens]
    return calibrate(Inputs(lens=lens, empty=pictures.empty, opening=pictures.opening, board=DEFAULT_BOARD)).calibration


def _strokes(seeds: int) -> Iterator[Figure]:
    facts = Facts()
    for look in LOOKS:
        for seed in range(100, 100 + seeds):
            episode = strokes(look, seed, 2)
            facts.hold(episode, _follow(episode))
    for fact, says in FACTS.items():
        yield Figure(
            says, "sim", share(facts.right[fact], facts.of[fact]), note="the finder knows" if fact == "seen" else ""
        )
    yield Figure("strokes that were none", "sim", str(facts.extra), "0", facts.extra == 0)
    if facts.placed_mm:
        yield Figure("placement, mean error", "sim", f"{statistics.mean(facts.placed_mm):.2f} mm")
    if facts.turned_deg:
        far = max(facts.turned_deg)
        yield Figure(
            "direction of first motion", "sim", f"{statistics.median(facts.turned_deg):.2f}° median, {far:.1f}° worst"
        )


def _follow(episode: Episode) -> list[StrokeSeen]:
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode)), board=DEFAULT_BOARD))
    said = [item for frame in frames(episode) for item in follower.step(frame)] + follower.finish()
    return [item for item in said if isinstance(item, StrokeSeen)]


def _memory(count: int) -> Iterator[Figure]:
    episode = strokes("pale", 11, 1)
    taken = list(frames(episode))
    span = taken[-1].t_ns + 40_000_000
    follower = Follower(
        Eyes(model_of(episode.camera.view), at_once(true_finder(episode, every_ns=span)), board=DEFAULT_BOARD)
    )
    strokes_said = 0
    early = 0
    for n in range(count):
        base = taken[n % len(taken)]
        again = Frame(base.t_ns, n, jpeg=base.jpeg, exposure_ns=base.exposure_ns)
        again.t_ns = base.t_ns + (n // len(taken)) * span
        said = follower.step(again)
        strokes_said += sum(isinstance(item, StrokeSeen) and item.struck is not None for item in said)
        if n == count // 2:
            early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - early
    yield Figure(
        f"memory grown over the second half of {count} frames",
        "sim",
        f"{grown / 1024:.1f} MiB",
        "≤ 2 MiB",
        grown < 2048,
        f"{strokes_said} strokes said in them",
    )


def _rendered() -> Iterator[Figure]:
    folder = RENDERS / "seq_A_0"
    if not (folder / "gt.json").is_file():
        yield Figure("rendered sequence seq_A_0", "render", "missing", note=f"set RENDERS ({RENDERS})")
        return
    truth = json.loads((folder / "gt.json").read_text())
    rig = RENDERS / "rig_A_calibration"
    made = calibrate(
        Inputs(
            lens=[cv2.imread(str(path), cv2.IMREAD_GRAYSCALE) for path in sorted(rig.glob("*charuco*.jpg"))],
            empty=cv2.imread(str(rig / "calib_A_empty.jpg")),
            opening=cv2.imread(str(rig / "calib_A_opening.jpg")),
            board=DEFAULT_BOARD,
        )
    ).calibration
    model, looks = made.model, made.looks
    said = follow_recording(FolderSource(folder, truth["fps"]), model, looks, DEFAULT_BOARD)
    struck = [item for item in said if isinstance(item, StrokeSeen) and item.struck is not None]
    falls = [event for event in truth["events"] if event["type"] == "pocketed"]
    gone = [
        track
        for stroke in struck
        for track in stroke.tracks
        if track.vanished is not None and track.vanished.how == "pocket"
    ]
    right = sum(
        any(t.vanished and t.vanished.near == fall["pocket"] and t.piece == fall["class"] for t in gone)
        for fall in falls
    )
    errors = [
        min((abs(t.vanished.t_ns / 1e9 - fall["t_s"]) for t in gone if t.vanished), default=float("nan"))
        for fall in falls
    ]
    contact = next(event["t_s"] for event in truth["events"] if event["type"] == "first_contact")
    touches = [touch for stroke in struck for touch in stroke.touches]
    yield Figure("seq_A_0: strokes", "render", share(len(struck), 1))
    yield Figure("seq_A_0: what fell, and where", "render", share(right, len(falls)), note=f"{len(gone)} said to fall")
    yield Figure("seq_A_0: when", "render", ", ".join(f"{1e3 * error:.0f} ms off" for error in errors), "≤ 50 ms")
    if touches:
        off = 1e3 * abs(touches[0].t_ns / 1e9 - contact)
        yield Figure("seq_A_0: first contact", "render", f"{touches[0].touched}, {off:.0f} ms off")
