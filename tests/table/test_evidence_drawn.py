"""What is drawn over a placement's picture: the lines where the camera sees them, the disc where the striker lay."""

from __future__ import annotations

from math import hypot

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.table.evidence.drawn import Drawing, drawn_board
from controller.table.evidence.store import Bundle, EvidenceShelf
from controller.vision.calibration_file import Calibration, save
from controller.vision.looks import looks_of
from controller.vision.ring import Picture
from tests.posed import model_from_pose

K = [[900.0, 0.0, 640.0], [0.0, 900.0, 360.0], [0.0, 0.0, 1.0]]
MODEL = model_from_pose(K, [-0.05], [np.pi, 0.0, 0.0], [0.0, 0.0, 1150.0], (1280, 720))
FACTS = {"striker": {"seat": "south", "x": 40.0, "y": -262.0, "u95_mm": 0.3}}


def calibration_file(folder):
    save(folder / "calibration.json", Calibration(MODEL, board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD)))
    return folder / "calibration.json"


@pytest.fixture
def drawing(tmp_path):
    return Drawing(calibration_file(tmp_path))


def test_the_disc_and_the_lines_lie_where_the_camera_sees_them(drawing):
    over = drawing(FACTS)
    xs, ys = zip(*over["striker"], strict=True)
    middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    seen = MODEL.project_plane([(40.0, -262.0)], 9.0)[0]
    assert hypot(middle[0] - seen[0], middle[1] - seen[1]) < 0.2
    near = DEFAULT_BOARD.inner_line_y_mm[1]
    ends = MODEL.project_plane([(-219.1, -near), (219.1, -near)])
    assert any(np.allclose(line, ends, atol=0.1) for line in over["lines"] if len(line) == 2)


def test_another_seats_lines_are_drawn_for_its_stroke(drawing):
    south = drawing(FACTS)
    east = drawing(FACTS | {"striker": {"seat": "east", "x": 252.6, "y": 0.0, "u95_mm": 0.3}})
    assert south["lines"] != east["lines"]


def test_the_crop_holds_the_board_and_no_more_than_its_frame(drawing):
    x, y, width, height = drawing(FACTS)["crop"]
    corners = MODEL.project_plane([(sx * 370.0, sy * 370.0) for sx in (-1, 1) for sy in (-1, 1)])
    assert (corners[:, 0] >= x).all()
    assert (corners[:, 0] <= x + width).all()
    assert width < 1280, "what is beside the board is not shown"
    assert 0 <= y < y + height <= 720


def test_nothing_is_drawn_without_a_placement_or_a_calibration(drawing, tmp_path):
    assert drawing({"striker": None}) is None
    assert Drawing(None)(FACTS) is None
    assert Drawing(tmp_path / "none.json")(FACTS) is None


def test_the_shelf_keeps_the_drawing_with_the_facts(drawing):
    shelf = EvidenceShelf(lambda number: Picture(number, number, 1, b"jpeg"), None, 10**6, drawing.over)
    assert shelf.keep(Bundle("m-2", 1, 2, FACTS)).facts["drawing"]["size"] == [1280, 720]
    other = shelf.keep(Bundle("m-3", 1, 2, {"striker": None})).facts
    assert "drawing" not in other
    middle = np.mean(other["view"]["pockets"]["NE"], axis=0)
    assert middle == pytest.approx(MODEL.project_plane([DEFAULT_BOARD.pockets_mm["NE"]])[0], abs=1.0)


def test_a_whole_board_is_drawn_where_the_camera_sees_it():
    known = Calibration(MODEL, board=DEFAULT_BOARD, looks=looks_of(DEFAULT_BOARD))
    over = drawn_board(known, [{"piece": "white", "x": 200.0, "y": 150.0}, {"piece": "striker", "x": 0.0, "y": -250.0}])
    high = {"white": known.looks.coin_thickness_mm, "striker": known.looks.striker_thickness_mm}
    across = {}
    for one, place in zip(over["pieces"], [(200.0, 150.0), (0.0, -250.0)], strict=True):
        rim = np.array(one["path"][:-1])
        seen = MODEL.project_plane([place], high[one["piece"]])[0]
        assert np.hypot(*(rim.mean(0) - seen)) < 0.3
        across[one["piece"]] = np.ptp(rim, axis=0).max()
    assert across["striker"] > across["white"] * 1.2
    # Two base lines with two edges each for each of four seats, the outer circle, four pockets.
    assert len(over["lines"]) == 4 * 4 + 1 + 4
