"""A striker that was exchanged is noticed, one that lies elsewhere or under another light is not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import BoardSeen, Hand, SeenPiece
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS, Look
from controller.simulator.motion import Pose
from controller.simulator.pieces import STRIKER
from controller.simulator.stills import still
from controller.vision.looks import looks_of
from controller.vision.striker_watch import StrikerWatch
from tests.vision.following.simulated import model_of

pytestmark = pytest.mark.slow

OWN = LOOKS["pale"]
RED = replace(OWN, coins=replace(OWN.coins, striker=(190, 60, 60), striker_ink=(250, 230, 120)))
SMALL = replace(OWN, pieces=replace(OWN.pieces, striker_diameter_mm=39.3))
DIM = replace(OWN, light=replace(OWN.light, level=0.62))


@cache
def camera(name: str) -> Camera:
    return Camera({"own": OWN, "red": RED, "small": SMALL, "dim": DIM}[name], 1)


class Table:
    """Strikers placed one after another; each is seen with the finder's usual error."""

    def __init__(self) -> None:
        self.watch = StrikerWatch(model_of(camera("own").view), looks_of(DEFAULT_BOARD), board=DEFAULT_BOARD)
        self.rng = np.random.default_rng(4)
        self.t_ns = 0

    def place(self, name: str, rests: int = 1, away: float = -252.0) -> None:
        for _ in range(rests):
            x, y = float(self.rng.uniform(-200, 200)), away + float(self.rng.uniform(-3, 3))
            self.t_ns += 10_000_000_000
            dx, dy = self.rng.normal(0, 0.2, 2)
            seen = SeenPiece("striker", x + dx, y + dy, 0.5)
            striker = self.watch.due(BoardSeen(self.t_ns, self.t_ns, (seen,)))
            assert striker is not None
            pose = Pose(x, y, 0.0, float(self.rng.uniform(0, 6)))
            self.watch.look(still(camera(name), {STRIKER: pose}).picture, striker)


@pytest.mark.parametrize(("other", "says"), [("red", "colours differ"), ("small", "mm across before")])
def test_another_striker_is_noticed(other: str, says: str) -> None:
    table = Table()
    table.place("own", 4)
    assert table.watch.warnings == ()
    table.place(other, 2)
    assert table.watch.warnings == (), "twice may be a lamp's mirror image"
    table.place(other)
    (said,) = table.watch.warnings
    assert said.startswith("south plays another striker than before: ")
    assert says in said
    assert table.watch.changed == ("south",)
    # It is the known one from now on, and what was said grows old.
    table.place(other, 7)
    assert table.watch.warnings == ()


def test_the_same_striker_stays_the_same_in_another_light_and_place() -> None:
    table = Table()
    table.place("own", 4)
    table.place("dim", 4)
    assert table.watch.warnings == ()


def test_each_seat_has_its_own() -> None:
    table = Table()
    for _ in range(4):
        table.place("own")
        table.place("red", away=252.0)
    assert table.watch.warnings == ()
    table.place("own", 3, away=252.0)
    assert table.watch.changed == ("north",)


def test_what_lies_close_or_under_a_hand_is_not_measured() -> None:
    watch = Table().watch
    striker, coin = SeenPiece("striker", 0.0, -252.0, 0.5), SeenPiece("white", 30.0, -240.0, 0.5)
    far = replace(coin, x_mm=90.0)
    assert watch.due(BoardSeen(0, 0, (striker, coin))) is None
    assert watch.due(BoardSeen(0, 0, (striker,), hands=(Hand(((0.0, 0.0),)),))) is None
    assert watch.due(BoardSeen(0, 0, (replace(striker, visible=0.7), far))) is None
    assert watch.due(BoardSeen(0, 0, (striker, far))) is striker


def test_too_large_a_striker_is_said() -> None:
    look: Look = replace(OWN, pieces=replace(OWN.pieces, striker_diameter_mm=43.0))
    cam, table = Camera(look, 1), Table()
    for x in (-90.0, 20.0, 130.0):
        seen = SeenPiece("striker", x, -252.0, 0.5)
        assert table.watch.due(BoardSeen(1, 1, (seen,))) is seen
        table.watch.look(still(cam, {STRIKER: Pose(x, -252.0, 0.0, 0.0)}).picture, seen)
    (said,) = table.watch.warnings
    assert "on this board at most 41.3 mm" in said
