"""What is laid over drawn boards: where it lies it shows, what it covers is less visible, and nothing else changes."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.vision.finding.flat import Flat
from scripts.teach import added as more
from scripts.teach.added import FLESH, ON_EDGE, added

SIDE, SCALE = 640, 0.83
RADII = np.array([0.0, 15.5, 15.5, 15.5, 20.6])
TRUTH = np.array([(1, -200.0, -200.0, 1.0), (2, 0.0, 0.0, 1.0), (3, 150.0, 200.0, 1.0), (4, 250.0, -100.0, 1.0)])


def flat() -> Flat:
    model: Any = SimpleNamespace(centre_mm=np.array((0.0, 0.0, 1000.0)))
    board = np.ones((SIDE // 2, SIDE // 2), np.uint8)
    return Flat(model, DEFAULT_BOARD, 8.0, SCALE, SIDE, (None, None), 1.0, board, None)


@pytest.fixture
def fist(tmp_path: Path) -> Path:
    """A cutout that is a bright square of 60 mm on its palm's place, without a shadow."""
    high, wide = 480, 720
    covers = np.zeros((high, wide), np.uint8)
    u, v = (round(at) for at in more.PALM_PX)
    covers[v - 45 : v + 45, u - 45 : u + 45] = 255
    skin = np.zeros((high, wide, 3), np.uint8)
    skin[covers > 0] = 255
    path = tmp_path / "1.pickle"
    path.write_bytes(pickle.dumps({"covers": covers, "skin": skin, "shadow": np.full((high, wide, 3), 255, np.uint8)}))
    return path


def only(monkeypatch: pytest.MonkeyPatch, *wanted: str) -> None:
    for name in ("HANDS", "SECOND", "SHADES", "SPOTS", "EDGES", "NEAR_A_PIECE"):
        monkeypatch.setattr(more, name, 1.0 if name in wanted else 0.0)


GREY = np.full((SIDE, SIDE, 3), 100, np.uint8)


@pytest.mark.long
def test_a_hand_covers_what_lies_below_and_the_rest_stays(fist: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "HANDS", "NEAR_A_PIECE")
    hidden = 0
    for seed in range(40):
        colour, truth, covers = added(flat(), GREY, TRUTH, RADII, [fist], np.random.default_rng(seed))
        brighter = (colour.astype(int).max(2) - 100 > 25).sum() / SCALE**2
        assert brighter < 1.5 * 60.0**2
        assert set(np.unique(covers)) <= {0, FLESH}
        beside = colour.max(2)[covers == 0]
        assert (beside > 125).mean() < 0.01
        assert np.array_equal(truth[:, :3], TRUTH[:, :3])
        for kind, x, y, visible in truth:
            column, row = (round(float(at)) for at in flat().to_grid(np.array([[x, y]]))[0])
            lit = colour[row - 4 : row + 5, column - 4 : column + 5].mean() > 103
            if visible < 0.05 or visible > 0.95:
                assert lit == (visible < 0.05), (seed, kind)
        hidden += int((truth[:, 3] < 0.5).sum())
    assert hidden >= 2
    assert (TRUTH[:, 3] == 1.0).all()


def test_hard_shadows_darken_a_part_and_cover_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "SHADES")
    for seed in range(6):
        colour, truth, covers = added(flat(), GREY, TRUTH, RADII, [], np.random.default_rng(seed))
        assert np.array_equal(truth, TRUTH)
        assert not covers.any()
        assert (colour.mean(2) < 90).mean() > 0.005
        assert (colour.mean(2) > 125).mean() < 0.001


def test_a_mirrored_lamp_brightens_the_board_more_than_the_pieces_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "SPOTS")
    seen = 0
    for seed in range(12):
        colour, truth, covers = added(flat(), GREY, TRUTH, RADII, [], np.random.default_rng(seed))
        assert np.array_equal(truth, TRUTH)
        assert not covers.any()
        assert colour.mean(2).max() > 125
        for _, x, y, _ in TRUTH:
            column, row = (round(float(at)) for at in flat().to_grid(np.array([[x, y]]))[0])
            on = colour[row - 4 : row + 5, column - 4 : column + 5].mean()
            beside = colour[row - 4 : row + 5, column + 21 : column + 26].mean()
            seen += beside > on + 5
            assert beside > on - 12
    assert seen >= 5


def test_a_piece_on_edge_is_as_long_as_it_is_wide_and_no_piece_that_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "EDGES")
    changed = 0
    for seed in range(8):
        picture = GREY.copy()
        picture[:, :, 2] = 160
        column, row = (round(float(at)) for at in flat().to_grid(TRUTH[1:2, 1:3])[0])
        picture[row - 13 : row + 14, column - 13 : column + 14] = 10
        colour, truth, covers = added(flat(), picture, TRUTH[1:2], RADII, [], np.random.default_rng(seed))
        assert np.array_equal(truth, TRUTH[1:2])
        dark = ((colour.max(2) < 60) & (picture.max(2) > 60)).sum() / SCALE**2
        assert dark < 2 * 31.0 * 25.0
        assert (covers == ON_EDGE).any() == (dark > 0.0)
        changed += dark > 0.5 * 31.0 * 6.5
    assert changed >= 4


def test_the_same_seed_gives_the_same_picture(fist: Path) -> None:
    first, again = (added(flat(), GREY, TRUTH, RADII, [fist], np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
