"""A whole table for tests: the demo's house with every process real."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest

from controller.commands.demo.house import House, Plan, built
from controller.commands.demo.pictures import calibrate_by_pictures
from controller.simulator.looks import LOOKS


@pytest.fixture(scope="session")
def calibration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's camera, calibrated once for all tests."""
    return calibrate_by_pictures(LOOKS["pale-club"], 1, tmp_path_factory.mktemp("calibration"))


@contextmanager
def standing(calibration: Path, folder: Path, **plan: object) -> Iterator[House]:
    """A house on this calibration; its eyes are open. `plan`: of its `Plan`."""
    with built(Plan(**({"speed": None, "keep": folder / "demo"} | plan))) as stands:
        shutil.copyfile(calibration, stands.folder / "calibration.json")
        stands.stage.start("eyes", "eyes", "--config", str(stands.folder / "carrom.toml"))
        yield stands


@pytest.fixture
def house(calibration: Path, tmp_path: Path) -> Callable[..., AbstractContextManager[House]]:
    """Returns a maker of houses: `with house(seed=3) as stands:`."""
    return partial(standing, calibration, tmp_path)
