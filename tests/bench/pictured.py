"""The simulated table through camera, JPEG and eyes, in one process and in step: a stream for the referee.

Every frame is drawn, encoded, decoded and followed; what the eyes say goes through its wire format. Beams come as the
node would say them. Repeatable by its seed. With `begin_at` the strokes before are played without pictures, so that a
single stroke can be looked at alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from controller.commands.demo.pictures import calibrate_by_pictures
from controller.events.beams import BeamEdge, BeamHealth
from controller.events.match import Start
from controller.events.observation import EyesHealth
from controller.events.wire import observation_from_line, observation_to_line
from controller.simulator.camera import Camera
from controller.simulator.clock import EPOCH_NS
from controller.simulator.director import Setting, SimulatedTable
from controller.simulator.happenings import BeamChange, Decision, FrameDue, Knocked, Told
from controller.simulator.looks import LOOKS
from controller.simulator.scenario import SCENARIOS
from controller.simulator.umpire import TrueUmpire
from controller.vision.calibration_file import Calibration, load
from controller.vision.following.recording import follower_for
from controller.vision.sources.frame import Frame
from tests.bench.refereed import S, books


@dataclass(frozen=True)
class Part:
    """One part of the bench: how is played, seen and by which seed."""

    name: str
    book: str
    look: str
    scenario: str
    seed: int


def setting_of(part: Part) -> Setting:
    """The match of a part."""
    look, pieces = LOOKS[part.look], LOOKS[part.look].pieces
    if part.book == "sixes":
        pieces = replace(pieces, each=6)
    start = Start(part.book, {"south": "Asha", "north": "Ben"}, first="south")
    return Setting(start, pieces, scenario=SCENARIOS[part.scenario], seed=part.seed, fps=look.rig.fps)


def pictured(part: Part, begin_at: int = 1, keep: Path | None = None) -> Iterator[Any]:
    """Yields what eyes and beams say of a part, the truth and the decisions. `keep`: a folder for the pictures."""
    cv2.setNumThreads(1)
    setting = setting_of(part)
    look = replace(LOOKS[part.look], pieces=setting.pieces)
    table = SimulatedTable(setting, TrueUmpire(books()))
    calibration = calibrated(part.look, part.seed)
    shutter = "rolling" if look.rig.rolling_s else "global"
    eyes = follower_for(calibration.model, calibration.looks, calibration.board, shutter)
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
                taken = Frame(t_ns, one.number, jpeg=jpeg, exposure_ns=round(frame.exposure_s * 1e9))
                seen_ns = t_ns
                for said in eyes.step(taken, one.number):
                    yield observation_from_line(observation_to_line(said))
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
            assert isinstance(one, Told)
            yield one


@cache
def calibrated(look: str, seed: int) -> Calibration:
    """The calibration that a volunteer would have made of a look's camera."""
    with TemporaryDirectory() as folder:
        return load(calibrate_by_pictures(LOOKS[look], seed, Path(folder)))
