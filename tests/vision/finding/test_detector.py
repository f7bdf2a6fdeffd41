"""The detector, which sees the whole board at once, and what becomes of its answers."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import pytest

from calibration.board import DEFAULT_BOARD
from controller.events.observation import Point
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.stills import still
from controller.vision.calibration_file import Calibration
from controller.vision.finding import find
from controller.vision.finding.candidates import Candidates, Discs, tones_of
from controller.vision.finding.detector import VIEW_STEP, VIEW_ZERO, Answer, Shown, asked, detected, shown
from controller.vision.finding.flat import LOGARITHM, Flat, cells_log, empty_of, flat_for, half_log
from controller.vision.finding.nets import KINDS
from controller.vision.looks import Looks, Pixels

pytestmark = pytest.mark.slow

AT = (-120.0, 60.0)


@pytest.fixture(scope="module")
def picture() -> Pixels:
    """A white and, 200 mm from it, a black."""
    camera = Camera(LOOKS["fast"], 5)
    pieces = camera.look.pieces
    white = next(n for n in pieces.names if pieces.piece(n) == "white")
    black = next(n for n in pieces.names if pieces.piece(n) == "black")
    return still(camera, {white: Pose(*AT, 0.0, 0.0), black: Pose(80.0, 60.0, 0.0, 0.0)}).picture


def test_it_sees_where_pieces_lie_and_which(table: Calibration, picture: Pixels) -> None:
    flat = flat_for(table.model, table.looks, DEFAULT_BOARD)
    laid = flat.lay(picture)
    told = detected(flat, asked(shown(flat, laid, half_log(laid), cells_log(laid), tones_of(table.looks))), 15.5)
    seen = sorted(
        (round(x / 10.0), round(y / 10.0), KINDS[int(odds.argmax())])
        for (x, y), odds in zip(told.xy, told.odds, strict=True)
    )
    assert seen == [(-12, 6, "white"), (8, 6, "black")]


@pytest.mark.parametrize("known", [True, False])
def test_the_view_is_the_one_that_the_net_was_trained_on(table: Calibration, picture: Pixels, known: bool) -> None:
    looks = table.looks if known else replace(table.looks, empty=None, empty_model=None)
    flat = flat_for(table.model, looks, DEFAULT_BOARD)
    laid = flat.lay(picture)
    see = shown(flat, laid, half_log(laid), cells_log(laid), tones_of(looks) if known else None)
    empty = empty_of(laid, flat.scale) if flat.empty is None else flat.empty
    fine, fine_empty = (cv2.LUT(cv2.cvtColor(one, cv2.COLOR_BGR2GRAY), LOGARITHM) for one in (laid, empty.colour))
    given = {
        "now": half_log(laid),
        "empty": empty.half_log,
        "fine": fine[None],
        "fine_empty": fine_empty[None],
        "wood": empty.wood_log.transpose(2, 0, 1),
        "board": flat.board.astype(np.float32)[None],
        "light": see.light,
        "told": see.told[0],
    }
    trained = onnxruntime.InferenceSession(Path(__file__).with_name("detector_view.onnx"))
    asked = {one.name: given[one.name][None] for one in trained.get_inputs()}
    n = flat.board.shape[0]
    levels = trained.run(None, asked)[0] / VIEW_STEP + VIEW_ZERO
    assert np.abs(see.view[:, :, :n, :n] - np.clip(levels, 0.0, 255.0)).max() < 0.5 + 1e-3 / VIEW_STEP
    for beyond in (see.view[:, :, n:], see.view[:, :, :, n:]):
        assert (beyond == VIEW_ZERO).all()


@pytest.mark.parametrize(("apart_mm", "told"), [(2.0, 1), (31.0, 2)])
def test_cells_that_vote_for_one_middle_tell_of_one_piece(table: Calibration, apart_mm: float, told: int) -> None:
    flat = flat_for(table.model, table.looks, DEFAULT_BOARD)
    m = flat.side // 8
    odds, steps = np.zeros((6, m, m), dtype=np.float32), np.zeros((2, m, m), dtype=np.float32)
    odds[0] = 1.0
    for x in (0.0, apart_mm):
        column, row = (flat.to_grid(np.array([[x, 0.0]]))[0] + 0.5) / 8.0 - 0.5
        for c in (int(column), int(column) + 1):
            odds[:, int(row), c] = (0.1, 0.9, 0.0, 0.0, 0.0, 0.0)
            steps[:, int(row), c] = column - c, row - int(row)
    error, none = np.full((m, m), 0.05, dtype=np.float32), np.zeros((2 * m, 2 * m), dtype=np.float32)
    assert len(detected(flat, Answer(odds, steps, error, none, none), 15.5).xy) == told


def test_what_the_detector_alone_sees_is_hidden_and_no_piece(
    table: Calibration, picture: Pixels, monkeypatch: pytest.MonkeyPatch
) -> None:
    finder = sys.modules["controller.vision.finding.find"]
    weighed = finder.weighed

    def blind(flat: Flat, laid: Pixels, candidates: Candidates, looks: Looks) -> Discs:
        discs: Discs = weighed(flat, laid, candidates, looks)
        return discs.part(np.hypot(*(discs.xy - AT).T) > 20.0)

    before = find(picture, table.model, table.looks, DEFAULT_BOARD)
    assert sorted(piece.piece for piece in before.pieces) == ["black", "white"]
    assert not over(before.hidden, AT)
    monkeypatch.setattr(finder, "weighed", blind)
    seen = find(picture, table.model, table.looks, DEFAULT_BOARD)
    assert [piece.piece for piece in seen.pieces] == ["black"]
    assert over(seen.hidden, AT)
    far = find(picture, table.model, table.looks, DEFAULT_BOARD, roi=(40.0, 0.0, 120.0, 120.0))
    assert not over(far.hidden, AT)


def test_what_the_detector_denies_is_hidden_and_no_piece(
    table: Calibration, picture: Pixels, monkeypatch: pytest.MonkeyPatch
) -> None:
    finder = sys.modules["controller.vision.finding.find"]

    def denies(see: Shown) -> Answer:
        answer = asked(see)
        flat = flat_for(table.model, table.looks, DEFAULT_BOARD)
        column, row = (flat.to_grid(np.array([AT]))[0] / 8.0).astype(int)
        about = np.s_[row - 3 : row + 4, column - 3 : column + 4]
        answer.odds[:, about[0], about[1]] = np.array((0.9, 0.1, 0.0, 0.0, 0.0, 0.0))[:, None, None]
        return answer

    monkeypatch.setattr(finder, "asked", denies)
    seen = find(picture, table.model, table.looks, DEFAULT_BOARD)
    assert [piece.piece for piece in seen.pieces] == ["black"]
    assert over(seen.hidden, AT)


def test_a_queen_on_the_middle_is_told_where_no_empty_board_was_shown(table: Calibration) -> None:
    camera = Camera(LOOKS["fast"], 5)
    queen = next(n for n in camera.look.pieces.names if camera.look.pieces.piece(n) == "queen")
    picture = still(camera, {queen: Pose(0.0, 0.0, 0.0, 0.0)}).picture
    looks = replace(table.looks, empty=None, empty_model=None)
    seen = find(picture, table.model, looks, DEFAULT_BOARD)
    assert [piece.piece for piece in seen.pieces] == ["queen"]
    assert not over(seen.hidden, (0.0, 0.0))


def over(hidden: tuple[tuple[Point, ...], ...], at: tuple[float, float]) -> bool:
    polygons = [np.array(polygon, dtype=np.float32).reshape(-1, 1, 2) for polygon in hidden]
    return any(cv2.pointPolygonTest(polygon, at, False) >= 0 for polygon in polygons)
