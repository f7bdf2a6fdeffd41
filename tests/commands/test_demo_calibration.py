"""The demo calibrates its camera as a builder would: with pictures, and with what a calliper says of the pieces."""

from __future__ import annotations

import argparse
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from controller.commands import calibrate
from controller.commands.demo import pictures
from controller.simulator.looks import LOOKS


def test_the_thickness_of_the_looks_own_pieces_is_handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blank = np.zeros((8, 8, 3), np.uint8)
    given: list[argparse.Namespace] = []
    monkeypatch.setattr(
        pictures, "calibration_set", lambda *_: SimpleNamespace(lens=(blank,), empty=blank, opening=blank)
    )
    monkeypatch.setattr(calibrate, "run", given.append)
    look = LOOKS["mirror"]
    pictures.calibrate_by_pictures(look, 1, tmp_path)
    (args,) = given
    assert (args.coin_thickness, args.striker_thickness) == (7.0, 8.4)
    assert (look.pieces.coin_thickness_mm, look.pieces.striker_thickness_mm) == (7.0, 8.4)
