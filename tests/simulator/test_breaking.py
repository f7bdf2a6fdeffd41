"""What a visitor breaks reaches the edges where hardware would be: pictures, brightness, a beam, a piece's colour."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.events.match import Start
from controller.simulator.board import Pace, SimulatedBoard
from controller.simulator.breaking import BLINDED, BREAKAGES, FLICKER_SHARE, Breaking
from controller.simulator.camera import Camera
from controller.simulator.clock import ClockFile
from controller.simulator.director import Setting
from controller.simulator.happenings import FrameDue
from controller.simulator.looks import LOOKS
from tests.simulator.plain_umpire import PlainUmpire

pytestmark = pytest.mark.live

LOOK = LOOKS["pale-club"]


class Wire:
    """A node that notes what its beams do."""

    port = ""

    def __init__(self) -> None:
        self.beams: list[tuple[str, str, bool]] = []

    def beam(self, pocket, beam, blocked, t_ns):
        self.beams.append((pocket, beam, blocked))

    def stop(self):
        pass


@pytest.fixture
def board(tmp_path: Path):
    clock = ClockFile(tmp_path / "clock")
    setting = Setting(Start("icf", {"south": "Asha", "north": "Ben"}, first="south"), LOOK.pieces, fps=30.0)
    board = SimulatedBoard(setting, PlainUmpire(), clock, look=LOOK, pace=Pace(None), node=Wire())
    board.offered = []
    board.stream.offer = lambda jpeg, *_: board.offered.append(jpeg) or True
    yield board
    board.stream._server.server_close()
    clock.close()


@pytest.fixture(scope="module")
def camera():
    return Camera(LOOK)


def show(board, camera, frames: int) -> list[np.ndarray]:
    """Plays so many pictures on. Returns those that were sent."""
    board.offered.clear()
    due = (happening for happening in board.table.play() if isinstance(happening, FrameDue))
    board._play(camera, [next(due) for _ in range(frames)], lambda _: None, None)
    return [cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR) for jpeg in board.offered]


def test_an_unplugged_camera_sends_nothing_and_time_goes_on(board, camera):
    board.breaking.set("camera", True)
    assert (show(board, camera, 3), board.frames) == ([], 3)
    board.breaking.set("camera", False)
    assert len(show(board, camera, 2)) == 2


def test_a_flickering_lamp_brightens_and_dims_the_picture(board, camera):
    steady = [picture.mean() for picture in show(board, camera, 12)]
    board.breaking.set("lamp", True)
    flickers = [picture.mean() for picture in show(board, camera, 12)]
    assert max(steady) / min(steady) < 1.05
    assert max(flickers) / min(flickers) > 1.2


def test_a_blinded_pocket_stays_so_until_it_is_cleared(board, camera):
    board.breaking.set("beam", True)
    show(board, camera, 2)
    assert board.node.beams == [(*place, True) for place in BLINDED]
    board.breaking.set("beam", False)
    show(board, camera, 2)
    assert board.node.beams[len(BLINDED) :] == [(*place, False) for place in BLINDED]


def test_a_swapped_piece_looks_like_one_of_the_other_colour_and_then_like_itself(board, camera):
    before, *_ = show(board, camera, 1)
    board.breaking.set("colour", True)
    *_, swapped = show(board, camera, 2)
    board.breaking.set("colour", False)
    *_, after = show(board, camera, 2)
    changed = np.abs(before.astype(int) - swapped).max(axis=2) > 60
    assert 100 < np.count_nonzero(changed) < 0.01 * changed.size, "one piece and no more"
    assert np.count_nonzero(np.abs(before.astype(int) - after).max(axis=2) > 60) < 20


def test_a_camera_hung_elsewhere_shows_the_board_elsewhere_and_hung_back_where_it_was(board, camera):
    before, *_ = show(board, camera, 1)
    board.breaking.set("moved", True)
    *_, moved = show(board, camera, 2)
    board.breaking.set("moved", False)
    *_, after = show(board, camera, 2)
    assert np.abs(before.astype(int) - moved).mean() > 5
    assert np.abs(before.astype(int) - after).mean() < 3


def test_players_lay_what_the_table_asks_for_and_then_what_lay_there(board, camera):
    before, *_ = show(board, camera, 1)
    seen = {}
    for asked in ("empty", "opening", ""):
        board.asked = asked
        *_, seen[asked] = show(board, camera, 2)
    pack = np.abs(seen["empty"].astype(int) - seen["opening"]).max(axis=2) > 60
    assert 1000 < np.count_nonzero(pack) < 0.1 * pack.size, "nineteen pieces in the middle"
    assert np.abs(before.astype(int) - seen[""]).mean() < 3


def test_a_table_that_nobody_breaks_is_whole():
    breaking = Breaking()
    assert (breaking.now, breaking.light(0.1)) == (frozenset(), 1.0)
    for what in BREAKAGES:
        breaking.set(what, True)
        breaking.set(what, True)
    assert breaking.now == set(BREAKAGES)
    lights = [breaking.light(t / 60) for t in range(60)]
    assert min(lights) > 0
    assert max(lights) <= 1 + FLICKER_SHARE
