"""Following: cost of a frame against decoding it, memory, and whole strokes on simulated and rendered sequences.

Speed is a ratio measured in the same run on the same pictures, one core. The finder's share is included: it is the
real one, asked as often as the follower asks.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.events.observation import StrokeSeen
from controller.simulator.looks import Look
from controller.simulator.stills import calibration_set
from controller.vision.calibration_file import Calibration
from controller.vision.finding.find import find
from controller.vision.following.asking import at_once
from controller.vision.following.follower import Follower
from controller.vision.following.recording import follow_recording
from controller.vision.following.under_way import Eyes
from controller.vision.guided_calibration import Inputs, calibrate
from controller.vision.sources.frame import Frame
from controller.vision.sources.recorded import FolderSource
from tests.bench.figure import Figure, share
from tests.vision.following.simulated import Episode, frames, model_of, strokes, true_finder

RENDERS = Path(os.environ.get("RENDERS", "../shared/renders"))
LOOKS = ("pale", "lacquer-dark", "pale-on-pale")


def run(long: bool) -> Iterable[Figure]:
    """Yields the figures of following."""
    cv2.setNumThreads(1)
    yield from _speed()
    yield from _strokes(12 if long else 2)
    yield from _memory(100_000 if long else 5_000)
    yield from _rendered()


def _speed() -> Iterator[Figure]:
    episode = strokes("pale", 11, 2)
    made = _calibrated(episode.look)
    model, looks = made.model, made.looks
    for name, luma_only in (("MJPEG bytes → observation", False), ("luma → observation", True)):
        spent: list[float] = []
        alone: list[float] = []
        finding = [0.0, 0]

        def timed(frame: Frame, model: CameraModel, finding: list[float] = finding) -> object:
            began = time.thread_time()
            try:
                return find(frame.luma, lambda: frame.bgr, model, looks)
            finally:
                finding[0] += time.thread_time() - began
                finding[1] += 1

        follower = Follower(Eyes(model, at_once(timed)))  # type: ignore[arg-type]
        before: np.ndarray | None = None
        for frame in frames(episode):
            data = np.frombuffer(frame.jpeg or b"", np.uint8)
            if luma_only:
                frame = Frame(frame.t_ns, frame.number, luma=frame.luma, bgr=frame.bgr, exposure_ns=frame.exposure_ns)  # noqa: PLW2901
                now = frame.luma
                before = now if before is None else before
                began = time.thread_time()
                cv2.threshold(cv2.absdiff(now, before), 20, 255, cv2.THRESH_BINARY)
                alone.append(time.thread_time() - began)
            else:
                began = time.thread_time()
                cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)
                alone.append(time.thread_time() - began)
            began = time.thread_time()
            follower.step(frame)
            spent.append(time.thread_time() - began)
        unit = statistics.mean(alone)
        limit, what = (8.0, "one absdiff + threshold") if luma_only else (1.5, "the decode alone")
        ratio = statistics.mean(spent) / unit
        without = (sum(spent) - finding[0]) / len(spent) / unit
        yield Figure(
            f"{name}, mean over whole strokes",
            "sim",
            f"{ratio:.2f} × {what} ({1e3 * unit:.2f} ms)",
            f"≤ {limit:g} ×",
            ratio <= limit,
            f"{without:.2f} × without finding, which was asked {finding[1]:.0f} times in {len(spent)} frames, "
            f"{1e3 * finding[0] / max(1, finding[1]):.0f} ms each",
        )
        worst = max(spent[1:]) / unit
        yield Figure(
            f"{name}, worst frame", "sim", f"{worst:.1f} ×", "≤ 20 ×", worst <= 20.0, "finding in the frame itself"
        )


def _calibrated(look: Look) -> Calibration:
    pictures = calibration_set(look, 0)
    lens = [cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in pictures.lens]
    return calibrate(Inputs(lens=lens, empty=pictures.empty, opening=pictures.opening)).calibration


def _strokes(seeds: int) -> Iterator[Figure]:
    seen = placed = fallen = right = first = met = timed = extra = total = 0
    for look in LOOKS:
        for seed in range(100, 100 + seeds):
            episode = strokes(look, seed, 2)
            said = _follow(episode)
            struck = [stroke for stroke in said if stroke.struck is not None]
            extra += max(0, len(struck) - len(episode.played))
            for true in episode.played:
                total += 1
                match = next(
                    (s for s in struck if s.struck and abs(s.struck.first_motion_ns / 1e9 - true.struck_s) < 0.3), None
                )
                falls = [(fall.piece, fall.pocket, true.struck_s + fall.t_s) for fall in true.motion.falls]
                fallen += len(falls)
                if match is None or match.struck is None:
                    continue
                seen += 1
                spot = match.struck.placed
                placed += (
                    spot is not None
                    and (spot.x_mm - true.stroke.at_mm[0]) ** 2 + (spot.y_mm - true.stroke.at_mm[1]) ** 2 < 1.0
                )
                gone = [t for t in match.tracks if t.vanished is not None and t.vanished.how == "pocket"]
                for piece, pocket, at in falls:
                    hit = next((t for t in gone if t.vanished and (t.piece, t.vanished.near) == (piece, pocket)), None)
                    if hit is None or hit.vanished is None:
                        continue
                    gone.remove(hit)
                    right += 1
                    timed += abs(hit.vanished.t_ns / 1e9 - at) <= 0.05
                extra += len(gone)
                hits = [hit for hit in true.motion.hits if 0 in (hit.name, hit.other)]
                if hits:
                    first += 1
                    other = hits[0].other if hits[0].name == 0 else hits[0].name
                    what = "cushion" if other is None else episode.look.pieces.piece(other)
                    met += bool(match.touches) and match.touches[0].touched == what
    yield Figure("strokes seen", "sim", share(seen, total), note="finder replaced by one that knows")
    yield Figure("what fell, and where", "sim", share(right, fallen))
    yield Figure("… timed within 50 ms", "sim", share(timed, right))
    yield Figure("strokes or falls that were none", "sim", str(extra), "0", extra == 0)
    yield Figure("placement within 1 mm", "sim", share(placed, seen), note="else not said: hidden by the hand")
    yield Figure("first thing met", "sim", share(met, first), note="30 fps: of grade basic, not claimed")


def _follow(episode: Episode) -> list[StrokeSeen]:
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode))))
    said = [item for frame in frames(episode) for item in follower.step(frame)] + follower.finish()
    return [item for item in said if isinstance(item, StrokeSeen)]


def _memory(count: int) -> Iterator[Figure]:
    episode = strokes("pale", 11, 1)
    taken = list(frames(episode))
    follower = Follower(Eyes(model_of(episode.camera.view), at_once(true_finder(episode))))
    span = taken[-1].t_ns + 40_000_000
    early = 0
    for n in range(count):
        base = taken[n % len(taken)]
        again = Frame(base.t_ns, n, jpeg=base.jpeg, exposure_ns=base.exposure_ns)
        again.t_ns = base.t_ns + (n // len(taken)) * span
        follower.step(again)
        if n == count // 2:
            early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - early
    yield Figure(
        f"memory grown over the second half of {count} frames",
        "sim",
        f"{grown / 1024:.1f} MiB",
        "≤ 2 MiB",
        grown < 2048,
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
