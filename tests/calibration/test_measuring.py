"""Measuring the markings from a picture of the empty board, on boards of six kinds that are not painted as they are
told to be; the simulator draws them and knows nothing of the measuring."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from calibration.board import Board
from calibration.camera import CameraModel, Floats
from calibration.markings import markings_of
from calibration.measured import believed, told_apart
from calibration.measures import measures_of
from calibration.measuring import Measure, MeasureError, measure_board
from calibration.pose import LENS_GIVES, fit_pose
from controller.simulator.camera import Camera
from controller.simulator.lens import Lens, Mount
from controller.simulator.looks import LOOKS, on_board
from controller.simulator.stills import still
from tests.boards import BOARDS

pytestmark = pytest.mark.slow

PLAIN = Lens(1280, 960, 1050.0, 1.0, (640.0, 480.0))
LOOK = replace(
    LOOKS["fast"], rig=replace(LOOKS["fast"].rig, lens=PLAIN, mount=Mount(1150.0, (6.0, -9.0), 3.0, 40.0, 2.0))
)


@cache
def seen(board: Board) -> tuple[np.ndarray, CameraModel, Floats]:
    """Grey levels of an empty board (read-only), the camera above it, and how far its lens may be off."""
    camera = Camera(on_board(LOOK, board), 3)
    matrix = np.array(((PLAIN.focal_px, 0, 640.0), (0, PLAIN.focal_px, 480.0), (0, 0, 1.0)))
    model = CameraModel(matrix, np.zeros(5), camera.view.turn, -camera.view.turn @ camera.view.centre, (1280, 960))
    luma = np.asarray(cv2.cvtColor(still(camera, {}).picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    luma.flags.writeable = False
    f = PLAIN.focal_px
    return luma, model, np.diag((LENS_GIVES * np.array((f, f, f, 1.0, 1.0, 1.0, 1.0))) ** 2)


def measured(board: Board, told: Board) -> dict[str, Measure]:
    luma, model, gives = seen(board)
    # As calibration does it: the camera is fitted to what is told, right or wrong.
    start = fit_pose(luma, model, markings_of(told), bare=True).model
    return measure_board(luma, start, told, gives).measures


def moved(board: Board, by_mm: float) -> Board:
    """The board with its base lines that much farther from the cushions."""
    return replace(
        board,
        outer_line_mm=(board.outer_line_mm[0] + by_mm, board.outer_line_mm[1] + by_mm),
        inner_line_mm=(board.inner_line_mm[0] + by_mm, board.inner_line_mm[1] + by_mm),
        line_half_length_mm=board.line_half_length_mm + by_mm,
    )


@pytest.mark.long
@pytest.mark.parametrize("name", list(BOARDS))
def test_base_lines_two_millimetres_off_are_measured_so(name: str) -> None:
    told = BOARDS[name]
    true = moved(told, -2.0 if told.half_mm > 360 else 2.0)
    found = believed(measured(true, told), told)
    for measure in ("outer_line_mm", "inner_line_mm", "line_half_length_mm"):
        assert measure in found.differs
        off = np.abs(np.subtract(found.mm[measure], measures_of(true)[measure]))
        assert (off < np.minimum(found.u95_mm[measure], 0.75)).all(), (measure, off)
        assert measures_of(found.board)[measure] == found.mm[measure]
    assert any("outer_line_mm" in line and "±" in line for line in told_apart(found, told))


@pytest.mark.long
def test_a_board_that_is_painted_as_it_is_told_to_be_keeps_its_numbers() -> None:
    told = BOARDS["international"]
    found = believed(measured(told, told), told)
    assert found.board == told
    assert not found.differs
    assert found.mm["outer_line_mm"] == list(told.outer_line_mm)
    assert {"inner_line_mm", "line_half_length_mm", "pocket_radius_mm"} <= found.mm.keys()


@pytest.mark.long
def test_pockets_and_circles_of_another_size_are_measured_so() -> None:
    told = BOARDS["international"]
    true = replace(told, pocket_radius_mm=told.pocket_radius_mm + 3.0, outer_circle_diameter_mm=176.0)
    found = believed(measured(true, told), told)
    assert found.board.pocket_radius_mm == pytest.approx(true.pocket_radius_mm, abs=1.0)
    # Told to the outside of the line, which is drawn 1.5 mm wide here.
    assert found.board.outer_circle_diameter_mm == pytest.approx(177.0, abs=1.0)
    assert found.board.outer_line_mm == told.outer_line_mm


def test_a_board_whose_edge_is_not_seen_is_not_measured() -> None:
    told = BOARDS["international"]
    luma, model, gives = seen(told)
    # The surface goes on: wood where cushions and frame were.
    inside = np.zeros_like(luma)
    square = np.array(((-1, 1), (1, 1), (1, -1), (-1, -1))) * (told.half_mm - 25.0)
    cv2.fillPoly(inside, [np.rint(model.project_plane(square)).astype(np.int32)], 255)
    flat = np.where(inside > 0, luma, np.uint8(np.median(luma[inside > 0])))
    with pytest.raises(MeasureError):
        measure_board(flat, model, told, gives)


def test_a_board_that_reaches_out_of_the_picture_is_not_measured() -> None:
    told = BOARDS["international"]
    luma, model, gives = seen(told)
    near = model.posed(model.R, model.t * (1.0, 1.0, 0.6))
    with pytest.raises(MeasureError):
        measure_board(luma, near, told, gives)


def test_what_is_too_unsure_keeps_what_was_told() -> None:
    told = Board()
    found = believed(
        {
            "outer_line_mm": Measure((104.0, 109.0), (0.7, 0.7)),
            "inner_line_mm": Measure((133.8, 135.3), (0.1, 0.1)),
            "pocket_radius_mm": Measure((22.4,), (0.2,)),
        },
        told,
    )
    assert found.board == replace(told, inner_line_mm=(133.8, 135.3))
    assert found.unsure == ("outer_line_mm",)
    assert found.mm == {"inner_line_mm": [133.8, 135.3], "pocket_radius_mm": told.pocket_radius_mm}
    assert found.u95_mm == {"inner_line_mm": [0.2, 0.2], "pocket_radius_mm": 0.4}


def test_measures_that_no_board_has_together_are_not_used() -> None:
    told = Board()
    found = believed({"inner_line_mm": Measure((105.0, 106.0), (0.1, 0.1))}, told)
    assert found.board == told
    assert not found.mm
    assert "inner_line_mm" in found.doubt


@pytest.mark.parametrize(("ratio", "used"), [(0.983, False), (1.015, False), (0.997, True)])
def test_lines_that_are_all_off_by_one_ratio_are_a_misread_edge(ratio: float, used: bool) -> None:
    """A frame's top edge taken for the surface's makes a true board look painted small, line by line alike."""
    told = BOARDS["international"]
    said = measures_of(told)
    scaled = {
        name: tuple(told.half_mm - ratio * (told.half_mm - y) for y in said[name])
        for name in ("outer_line_mm", "inner_line_mm")
    } | {"line_half_length_mm": (ratio * said["line_half_length_mm"],)}
    found = believed({name: Measure(mm, (0.1,) * len(mm)) for name, mm in scaled.items()}, told)
    assert bool(found.differs) is used
    assert ("misread" in found.doubt) is not used
    assert (found.board == told) is not used
