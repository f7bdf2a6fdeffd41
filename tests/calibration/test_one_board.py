"""`make lint` goes red when a module below the wiring knows a board of its own."""

from pathlib import Path

import pytest

from scripts.check_board import faults

HERE = Path("controller/vision/finding/find.py")


@pytest.mark.parametrize(
    "line",
    [
        "from calibration.board import DEFAULT_BOARD",
        "def find(board: Board = board.DEFAULT_BOARD): ...",
        "board = Board()",
        "board: Board = field(default_factory=Board)",
        "away = 252.6",
        "half = -370.0",
        "side = 740",
        "if back < 347.75: pass",
        "RADII = 41.3 / 2 + 15.5",
        "POCKET_RADIUS_MM = 24.0",
        "RACK_MM = 85.0",
        "CENTRE, COIN_RADIUS_MM = 3, 15.0",
        "def crossing(coin_diameter_mm: float = 31.0): ...",
        "board = calibration.board.Board()",
        "looks = replace(looks, coin_diameter_mm=31.0)",
        "laws = PRESETS['international']",
    ],
)
def test_a_board_of_its_own_is_named_with_its_line(line):
    (said, *_) = list(faults(HERE, f"import math\n{line}\n"))
    assert said.startswith(f"{HERE}:2: ")
    assert "Fix" in said


@pytest.mark.parametrize(
    "line",
    [
        "def find(board: Board): return board.half_mm - 4.0",
        "BESIDE_MM = 12.0",
        "SECONDS = 24 * 3600.0",
        "wide = Board(half_mm=half)",
        'says = "252.6 mm"',
        "pt = 72.0 / 25.4",
        "board = PRESETS[name]",
        "board = replace(board, coin_diameter_mm=looks.coin_diameter_mm)",
    ],
)
def test_other_numbers_and_boards_handed_in_are_fine(line):
    assert not list(faults(HERE, line))


def test_the_wiring_may_name_a_board_that_ships_and_no_other_room() -> None:
    line = "laws = PRESETS['international']"
    assert list(faults(HERE, line))
    assert not list(faults(Path("controller/table/match/start.py"), line))
