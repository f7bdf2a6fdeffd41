"""Setting the camera up anew from a phone: the guided calibration, tied to this process's own pictures and the daemon's
orders.

Two pictures, the empty board and the opening arrangement, each taken at somebody's word as soon as the board lies
still; all judgement is `live_calibration`'s, with the lens that is known. A thread of its own judges, so that vision
goes on giving signs of life. Must not know who asks, nor how it is shown.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from calibration.board import Board
from calibration.target import Lens
from controller.events.errors import CarromError, ConfigError
from controller.events.observation import SetUp
from controller.events.orders import Order
from controller.supervision.heartbeat import SupervisedThread
from controller.vision.calibration_file import Calibration, before, load, put_back, put_in_force
from controller.vision.calibration_inputs import Inputs
from controller.vision.following.follower import Follower
from controller.vision.live_calibration import EMPTY, OPENING, Guidance, LiveCalibration
from controller.vision.looks import Pixels
from controller.vision.sources.frame import Frame
from controller.vision.striker_watch import StrikerWatch

log = logging.getLogger(__name__)

STEPS = (EMPTY, OPENING)
TURNED = {"bottom": "left", "left": "top", "top": "right", "right": "bottom"}
IDLE_S = 0.5
STILL_S = 20.0
"""So long, by the pictures' own clock, a board may take to lie still once somebody has confirmed that it is shown."""

DARK_S = 10.0
"""So long, by the machine's clock, it is waited for any picture at all."""

GIVEN_UP_S = 900.0
"""Who began and has not gone on for so long has left: the table watches again, by the calibration that it has."""

JPEG_QUALITY = 82

PLAINLY = (
    (", or its inner corners with --corners", ""),
    (" and take --empty again", ", then tap again"),
    (" and take --opening again", ", then tap again"),
    (", and --opening again", ", then tap again"),
    (" and take the picture again (or leave --opening out)", ", then tap again"),
    (", or calibrate with --lens pictures of this one", ""),
    ("take both from the same stand", "take both pictures anew, and leave the camera alone between them"),
    ("10 to 20 scattered boards with --scattered; ", ""),
    ("--empty: ", ""),
    ("--opening: ", ""),
)
"""What the command's options are called for somebody who has none."""


@dataclass(frozen=True)
class Sight:
    """What a board is followed with: made of a calibration, exchanged as a whole."""

    follower: Follower
    strikers: StrikerWatch | None
    thickness_known: bool


def known_lens(calibration: Calibration) -> Lens | None:
    """The lens of a calibration, None where it was only guessed. Older files do not say what its pictures leave open:
    there it is as the calibration had it.
    """
    if calibration.lens is not None or not calibration.made.get("lens_pictures"):
        return calibration.lens
    model, rms = calibration.model, calibration.residuals.get("lens_rms_px", 0.0)
    return Lens(model.K, model.dist, model.size, rms, int(calibration.made["lens_pictures"]), np.zeros((7, 7)))


def inputs_from(calibration: Calibration, board: Board, south: str) -> Inputs:
    """What a calibration anew goes by: the same camera and pieces. `board`: as it is given."""
    looks = calibration.looks
    known = looks.thickness_known
    return Inputs(
        board=board,
        south=south,
        known_lens=known_lens(calibration),
        head=looks.head,
        coin_thickness_mm=looks.coin_thickness_mm if known else None,
        striker_diameter_mm=looks.striker_diameter_mm,
        striker_thickness_mm=looks.striker_thickness_mm if known else None,
        sharp_edges=looks.sharp_edges,
        side_said=bool(calibration.made.get("side_said")),
    )


class SettingUp:
    """One table's camera, to be set up anew whenever somebody asks. `file`: the calibration's; `picture`: where what
    was found is written (JPEG); `board`: as it is given; `sight`: makes what is followed with.
    """

    def __init__(
        self,
        file: Path,
        picture: Path,
        calibration: Calibration,
        board: Board,
        sight: Callable[[Calibration], Sight],
        now_ns: Callable[[], int],
    ) -> None:
        self._file, self._picture, self._board = file, picture, board
        self._calibration = calibration
        self._sight, self._now_ns = sight, now_ns
        self._orders: queue.Queue[Order] = queue.Queue()
        self._frames: queue.Queue[Frame] = queue.Queue(maxsize=1)
        self._fresh: Sight | None = None
        self._live: LiveCalibration | None = None
        self._empty: Pixels | None = None
        self._stopping = threading.Event()
        self._stirred = threading.Event()
        self._asked_s = 0.0
        self._now = SetUp(kept=before(file).is_file(), grade=calibration.grade, south=self._south())
        self.thread = SupervisedThread("setting up", self._work, self._stopping)

    # -- any thread

    def start(self) -> None:
        """Begins to take orders."""
        self.thread.start()

    def stop(self) -> None:
        """Ends; what is being judged is given up."""
        self._stopping.set()
        self.thread.join()

    def order(self, order: Order) -> None:
        """Takes an order; it is done in its turn, and `now` says how far."""
        self._orders.put(order)

    @property
    def now(self) -> SetUp:
        """How far it has got."""
        return self._now

    # -- the eyes' own loop

    @property
    def under_way(self) -> bool:
        """Whether nothing is to be followed now."""
        return self._now.step != "off"

    def news(self) -> bool:
        """Whether anything has changed since this was last asked."""
        stirred = self._stirred.is_set()
        self._stirred.clear()
        return stirred

    def offer(self, frame: Frame) -> None:
        """Shows it the newest frame; it takes one when it wants one."""
        if self._now.busy == "still" and self._frames.empty():
            self._frames.put_nowait(frame)

    def fresh(self) -> Sight | None:
        """What is to be followed with from now on, once; None where nothing was exchanged."""
        sight, self._fresh = self._fresh, None
        return sight

    # -- its own thread

    def _work(self, beat: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            beat()
            try:
                order = self._orders.get(timeout=IDLE_S)
            except queue.Empty:
                if self.under_way and time.monotonic() - self._asked_s > GIVEN_UP_S:
                    self._live = self._empty = None
                    self._say(step="off", busy="", refused=False, says="", notes=(), picture=0)
                continue
            self._asked_s = time.monotonic()
            try:
                self._do(order)
            except CarromError as error:
                self._say(order=order.number, busy="", refused=True, says=plainly(str(error)))
            except Exception as error:
                log.exception("setting up the camera: %s", order.does)
                says = f"this could not be done ({type(error).__name__}: {error}). Fix: begin again"
                self._say(order=order.number, busy="", refused=True, says=says)

    def _do(self, order: Order) -> None:
        step = self._now.step
        if order.does == "begin":
            self._begin(order, self._south())
        elif order.does == "cancel":
            self._live = self._empty = None
            self._say(order=order.number, step="off", busy="", refused=False, says="", notes=(), picture=0)
        elif order.does == "undo":
            self._undo(order)
        elif order.does == "turn" and step == "opening" and self._empty is not None:
            self._turn(order, self._empty)
        elif order.does == "take" and step != "off" and order.step == step:
            self._take(order)
        else:
            # Another phone was faster: what it did stands.
            self._say(order=order.number)

    def _begin(self, order: Order, south: str) -> None:
        self._empty = None
        self._live = self._guided(south)
        self._say(order=order.number, step="empty", busy="", refused=False, says="", notes=(), picture=0, south=south)

    def _guided(self, south: str) -> LiveCalibration:
        inputs = inputs_from(self._calibration, self._board, south)
        return LiveCalibration(inputs, STEPS, lambda says: self._say(busy="judging"))

    def _take(self, order: Order) -> None:
        live = self._live
        assert live is not None
        live.watch()
        while not self._frames.empty():
            self._frames.get_nowait()
        self._say(order=order.number, busy="still", refused=False, says="", picture=0)
        began_ns: int | None = None
        waited = time.monotonic()
        while not self._stopping.is_set():
            if not self._orders.empty() and self._orders.queue[0].does in ("cancel", "begin"):
                self._say(busy="")
                return
            try:
                frame = self._frames.get(timeout=IDLE_S)
            except queue.Empty:
                if time.monotonic() - waited > DARK_S:
                    raise ConfigError("no pictures come from the camera. Fix: plug it in, then tap again") from None
                continue
            waited = time.monotonic()
            began_ns = frame.t_ns if began_ns is None else began_ns
            picture = frame.bgr
            told = live.look(picture, frame.t_ns)
            if told:
                self._told(told, picture)
                return
            if frame.t_ns - began_ns > STILL_S * 1e9:
                raise ConfigError("the picture does not come to rest. Fix: hands away, no flickering lamp, tap again")

    def _turn(self, order: Order, empty: Pixels) -> None:
        """The same empty picture with the south seat at the next edge."""
        south = TURNED[self._now.south]
        self._say(order=order.number, busy="judging", south=south)
        self._live = self._guided(south)
        self._told(self._live.take(empty), empty)

    def _told(self, told: tuple[Guidance, ...], picture: Pixels) -> None:
        live = self._live
        assert live is not None
        refused = next((one.says for one in told if one.kind == "refused"), None)
        # The words below the report are told apart from it.
        shown = self._show(picture if live.report is None else live.report[: len(picture)])
        if refused is not None:
            self._say(busy="", refused=True, says=plainly(refused), picture=shown)
        elif live.made is None:
            self._empty = picture
            self._say(step="opening", busy="", says="", picture=shown, notes=())
        else:
            made = live.made.calibration
            self._in_force(lambda: put_in_force(self._file, made), made, shown)

    def _undo(self, order: Order) -> None:
        self._say(order=order.number, busy="judging", refused=False, says="", picture=0)
        earlier = load(before(self._file))
        self._in_force(lambda: put_back(self._file), earlier, 0)

    def _in_force(self, write: Callable[[], None], calibration: Calibration, shown: int) -> None:
        # Made before it is written: a file that nothing can be followed with must not replace one that can.
        sight = self._sight(calibration)
        write()
        self._calibration, self._fresh = calibration, sight
        self._live = self._empty = None
        self._say(
            step="off",
            busy="",
            refused=False,
            says="",
            notes=tuple(plainly(line) for line in calibration.made.get("says", ())),
            south=self._south(),
            grade=calibration.grade,
            picture=shown,
            in_force_ns=self._now_ns(),
            kept=before(self._file).is_file(),
        )

    def _south(self) -> str:
        south = str(self._calibration.made.get("south", "bottom"))
        return south if south in TURNED else "bottom"

    def _show(self, picture: Pixels) -> int:
        """Writes what is to be shown. Returns its number, 0 where it cannot be written."""
        done, jpeg = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))
        fresh = self._picture.with_name(self._picture.name + ".new")
        try:
            if not done:
                return 0
            fresh.write_bytes(jpeg.tobytes())
            fresh.replace(self._picture)
        except OSError as error:
            log.warning("%s: %s", self._picture, error)
            return 0
        return max(1, self._now_ns() // 1_000_000)

    def _say(self, **news: object) -> None:
        self._now = replace(self._now, **news)  # type: ignore[arg-type]
        self._stirred.set()


def plainly(says: str) -> str:
    """A line of the calibration for somebody at a phone, who has no command line."""
    for option, words in PLAINLY:
        says = says.replace(option, words)
    return says
