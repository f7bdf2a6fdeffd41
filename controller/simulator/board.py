"""The whole simulated board at the edges where hardware would be: an MJPEG stream, a serial port, a clock.

`SimulatedBoard.run` drives the table, takes the pictures and feeds camera and node; decisions go to whoever runs it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from controller.simulator.breaking import BLINDED, MOVED, Breakage, Breaking
from controller.simulator.camera import Camera
from controller.simulator.clock import EPOCH_NS, ClockFile
from controller.simulator.director import Setting, SimulatedTable
from controller.simulator.happenings import BeamChange, Decision, FrameDue, Happening, Knocked
from controller.simulator.lens import View
from controller.simulator.looks import LOOKS, Look
from controller.simulator.mjpeg import MjpegServer
from controller.simulator.node import Node
from controller.simulator.pieces import opening
from controller.simulator.record import TruthFile
from controller.simulator.scene import Reel
from controller.simulator.umpire import Umpire


@dataclass(frozen=True, slots=True)
class Pace:
    """`speed`: times real time, None for as fast as vision reads; `patience_s`: how long to wait for it."""

    speed: float | None = 1.0
    patience_s: float = 60.0


class SimulatedBoard:
    """A table, its camera, its clock and its node. Make it, give the addresses to the others, then `run`."""

    def __init__(
        self,
        setting: Setting,
        umpire: Umpire,
        clock: ClockFile,
        *,
        look: Look = LOOKS["pale"],
        pace: Pace = Pace(),
        node: Node | None = None,
        truth: TruthFile | None = None,
        http_port: int = 0,
    ) -> None:
        self.table = SimulatedTable(setting, umpire)
        self.clock = clock
        self.node = node
        self.frames = 0
        self.breaking = Breaking()
        self.asked: Literal["", "empty", "opening"] = ""
        """What the players lay for the camera while it is set up: nothing, or the pack; "" where they play."""
        self._laid: tuple[str, Reel] = ("", Reel())
        self._broken: frozenset[Breakage] = frozenset()
        # What is drawn is what is played with, whatever set the look had.
        self._look = replace(look, pieces=setting.pieces)
        self._pack = opening(look.pieces, np.random.default_rng(setting.seed))
        self._pace = pace
        self._truth = truth
        self._stop = threading.Event()
        self.stream = MjpegServer(http_port, in_step=pace.speed is None)

    def run(self, decide: Callable[[Decision], None], shown: Callable[[Happening], None] | None = None) -> None:
        """Plays until `stop`, or until the matches of the setting are over. Blocks; call it in a thread of its own.

        `decide` is called at each decision and returns at once; the table goes on when the decision is released.
        `shown` is called after each happening has been shown.
        """
        cv2.setNumThreads(1)
        self.stream.start()
        try:
            camera = Camera(self._look, self.table.setting.seed)
            self.stream.wait_for_client(self._pace.patience_s)
            self._play(camera, self.table.play(), decide, shown)
        finally:
            self.stream.stop()

    def stop(self) -> None:
        """Ends `run` soon. Any thread."""
        self._stop.set()

    def _play(
        self,
        camera: Camera,
        happenings: Iterable[Happening],
        decide: Callable[[Decision], None],
        shown: Callable[[Happening], None] | None,
    ) -> None:
        began, began_sim = time.monotonic(), None
        for happening in happenings:
            if self._stop.is_set():
                return
            if self._pace.speed is not None:
                began_sim = happening.t_s if began_sim is None else began_sim
                ahead = (happening.t_s - began_sim) / self._pace.speed - (time.monotonic() - began)
                if ahead > 0:
                    self._stop.wait(ahead)
            t_ns = EPOCH_NS + round(happening.t_s * 1e9)
            if isinstance(happening, FrameDue):
                self._break(camera, t_ns)
                self._expose(camera, happening, t_ns)
            elif isinstance(happening, BeamChange):
                self.clock.set(t_ns)
                blinded = "beam" in self._broken and (happening.pocket, happening.beam) in BLINDED
                if self.node is not None and not blinded:
                    self.node.beam(happening.pocket, happening.beam, happening.blocked, t_ns)
            elif isinstance(happening, Knocked):
                camera.knock(camera.view.nudged(happening.shift_mm, happening.turn_deg))
            elif isinstance(happening, Decision):
                decide(happening)
            if self._truth is not None and not isinstance(happening, FrameDue):
                self._truth.write(happening)
            if shown is not None:
                shown(happening)

    def _break(self, camera: Camera, t_ns: int) -> None:
        """What was broken or repaired since the last picture."""
        broken = self.breaking.now
        changed, self._broken = broken ^ self._broken, broken
        if "beam" in changed and self.node is not None:
            for pocket, beam in BLINDED:
                self.node.beam(pocket, beam, "beam" in broken, t_ns)
        if "colour" in changed:
            camera.swap_colour(swapped="colour" in broken)
        if "moved" in changed:
            hung = View.hang(self._look.rig.lens, self._look.rig.mount)
            camera.knock(hung.nudged(*MOVED) if "moved" in broken else hung)

    def _to_be_seen(self) -> Reel:
        """The play, or what the players lay for the camera."""
        asked = self.asked
        if not asked:
            return self.table.reel
        if self._laid[0] != asked:
            reel = Reel()
            for name, pose in self._pack.items() if asked == "opening" else ():
                reel.lie(name, 0.0, pose)
            self._laid = (asked, reel)
        return self._laid[1]

    def _expose(self, camera: Camera, due: FrameDue, t_ns: int) -> None:
        # A frame reaches the host after its exposure.
        self.clock.set(t_ns + round(self._look.rig.exposure_s * 0.5e9))
        self.frames += 1
        if due.lost or "camera" in self._broken:
            if self._truth is not None:
                self._truth.write(due)
            return
        frame = camera.take(self._to_be_seen(), due.t_s, due.shake_px)
        if (light := self.breaking.light(due.t_s)) != 1.0:
            frame = replace(frame, picture=np.asarray(cv2.convertScaleAbs(frame.picture, alpha=light), np.uint8))
        delivered = self.stream.offer(frame.jpeg(self._look.rig.jpeg), t_ns, round(frame.exposure_s * 1e9))
        if not delivered and self._pace.speed is None:
            # Nobody is watching: time goes on all the same, but no faster than it would at a real table.
            self._stop.wait(1.0 / self.table.setting.fps)
        if self._truth is not None:
            self._truth.write(due, frame)
