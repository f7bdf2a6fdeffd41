"""Where the striker lay before it was struck: looked up by time, along a path whose beginning a finger may have bent.

The look at a picture is replaced by one that knows; a picture shows nothing but how far the striker had been pushed.
"""

from __future__ import annotations

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.events.observation import SeenPiece
from controller.vision.finding.find import Finding
from controller.vision.following.detection_request import Detector
from controller.vision.following.eyes import Eyes, at_once
from controller.vision.following.look_back import Placer
from controller.vision.following.tracks import Measurement, PieceTrack
from controller.vision.following.view import Picture
from controller.vision.sources.frame import Frame, Image
from tests.posed import model_from_pose

MODEL = model_from_pose(np.diag((900.0, 900.0, 1.0)), np.zeros(5), np.zeros(3), np.array((0, 0, 1150.0)), (1280, 720))
LAY_MM = -252.6
"""How far north the striker lay: on the middle of south's base line."""

PACE_MM_S = 1500.0
FRAME_NS = round(1e9 / 60)
FLICKED_NS = 60 * FRAME_NS + 4_300_000
PIXEL_MM = 1.5
"""A shift of less than this does not show in a small picture."""


class Flick:
    """A striker that a finger pushes at an even pace and then flicks due north, and the pictures taken of it."""

    def __init__(
        self, push_ms: float = 1.0, push_mm: float = 0.0, frame_ns: int = FRAME_NS, lay_mm: float = LAY_MM
    ) -> None:
        self._push_ns, self._push_mm, self._lay_mm = push_ms * 1e6, push_mm, lay_mm
        self.times = range(0, FLICKED_NS + 9 * FRAME_NS, frame_ns)

    def _pushed_mm(self, t_ns: int) -> float:
        return self._push_mm * min(1.0, max(0.0, 1.0 + (t_ns - FLICKED_NS) / self._push_ns))

    def north_mm(self, t_ns: int) -> float:
        """How far north it is at a time."""
        return self._lay_mm + self._pushed_mm(t_ns) + PACE_MM_S * max(0, t_ns - FLICKED_NS) / 1e9

    def track(self, asides_mm: tuple[float, ...] = (), from_ms: float = 10.0) -> PieceTrack:
        """What the following saw of it after the flick. `asides_mm`: how far east of it the first marks lie."""
        seen = [t_ns for t_ns in self.times if t_ns >= FLICKED_NS + from_ms * 1e6][:6]
        asides = (*asides_mm, *[0.0] * len(seen))
        marks = [Measurement(t_ns, aside, self.north_mm(t_ns)) for t_ns, aside in zip(seen, asides, strict=False)]
        return PieceTrack(1, "unknown", 20.65, None, marks[0].t_ns, marks=marks)

    def placed(self, track: PieceTrack) -> SeenPiece | None:
        """Where it is said to have lain."""

        def find(frame: Frame, model: CameraModel) -> Finding:
            return Finding((SeenPiece("striker", 0.0, self.north_mm(frame.t_ns), 0.5),))

        def still(before: Image, now: Image, x_mm: float, y_mm: float) -> bool:
            return abs(float(now[0, 0]) - float(before[0, 0])) < 10.0 * PIXEL_MM

        placer = Placer(Detector(Eyes(MODEL, at_once(find), board=DEFAULT_BOARD)), still)
        for t_ns in self.times:
            placer.keep(Picture(Frame(t_ns), np.full((1, 1), round(10.0 * self._pushed_mm(t_ns)), np.uint8)))
        looked = placer.place(track, ())
        assert looked.over
        return looked.placement.piece if looked.placement is not None else None


@pytest.mark.parametrize("fps", [30, 60, 120])
@pytest.mark.parametrize(
    ("push_ms", "push_mm"), [(30.0, 4.0), (100.0, 8.0)], ids=["in the last moment", "for the time of a look and more"]
)
def test_a_striker_that_a_finger_pushed_before_the_flick_lay_where_it_was_before_the_push(
    push_ms: float, push_mm: float, fps: int
) -> None:
    flick = Flick(push_ms, push_mm, round(1e9 / fps))
    placed = flick.placed(flick.track())
    assert placed is not None
    assert placed.y_mm == pytest.approx(LAY_MM, abs=0.3)


def test_a_path_whose_first_mark_lies_beside_it_leads_back_to_the_striker() -> None:
    flick = Flick()
    placed = flick.placed(flick.track(asides_mm=(10.0,), from_ms=25.0))
    assert placed is not None
    assert (placed.x_mm, placed.y_mm) == pytest.approx((0.0, LAY_MM), abs=0.3)


def test_a_path_that_comes_from_elsewhere_leads_back_to_no_striker() -> None:
    flick = Flick()
    assert flick.placed(flick.track(asides_mm=(60.0,) * 6, from_ms=25.0)) is None


@pytest.mark.parametrize(("lay_mm", "to_be_played"), [(LAY_MM, True), (LAY_MM + 30.0, True), (LAY_MM + 60.0, False)])
def test_a_striker_that_lies_far_from_every_base_line_has_come_to_rest_there(lay_mm: float, to_be_played: bool) -> None:
    flick = Flick(lay_mm=lay_mm)
    assert (flick.placed(flick.track()) is not None) is to_be_played
