"""A whole table for tests: the demo's house with every process real, played by a show that tests can interrupt."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from controller.commands.demo import play
from controller.commands.demo.house import House, Plan, built
from controller.commands.demo.pictures import calibrate_by_pictures
from controller.commands.demo.show import Show
from controller.simulator.looks import LOOKS

Between = Callable[[House, Show], Iterator[None]]
"""Something that happens between two strokes: yields while pictures go on, until play may."""


class InterruptedShow(Show):
    """A show in which something happens after each stroke, when everything has been put back."""

    between: Callable[[], Iterator[None]] = staticmethod(lambda: iter(()))
    _happening: Iterator[None] | None = None

    def _ready(self, late: float) -> bool:
        if self._happening is None:
            if not super()._ready(late):
                return False
            if self.over.is_set():
                return True
            self._happening = self.between()
        for _ in self._happening:
            return False
        self._happening = None
        return True


@pytest.fixture(scope="session")
def calibration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's camera, calibrated once for all tests."""
    return calibrate_by_pictures(LOOKS["pale"], 1, tmp_path_factory.mktemp("calibration"))


@pytest.fixture
def house(calibration: Path, tmp_path: Path) -> Callable[..., AbstractContextManager[House]]:
    """Returns a maker of houses: `with house(seed=3) as stands:`; the eyes are open."""

    @contextmanager
    def make(**plan: object) -> Iterator[House]:
        with built(Plan(**({"speed": None, "keep": tmp_path / "demo"} | plan))) as stands:
            shutil.copyfile(calibration, stands.folder / "calibration.json")
            stands.stage.start("eyes", "eyes", "--config", str(stands.folder / "carrom.toml"))
            yield stands

    return make


def perform(house: House, shots: int, between: Between | None = None) -> InterruptedShow:
    """Plays some strokes in a house, with something happening between them. Returns the show with its tally."""
    show = InterruptedShow(house.board, house.ears, house.official, lambda *_: None, shots=shots)
    if between is not None:
        show.between = lambda: between(house, show)
    play(house, show)
    return show
