"""Which places are asked about, and the third net: what the picture shows outranks how sure another net is."""

from __future__ import annotations

import sys

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.stills import still
from controller.vision.calibration_file import Calibration
from controller.vision.finding import candidates as asking
from controller.vision.finding import find
from controller.vision.finding.candidates import Candidates, Discs
from controller.vision.finding.detector import Answer, Shown
from controller.vision.finding.flat import cells_log, flat_for
from controller.vision.finding.nets import KINDS, SEEN, Places
from controller.vision.finding.views import surface_log
from controller.vision.finding.weighing import weighed
from controller.vision.looks import Pixels

pytestmark = pytest.mark.slow


def on_empty(table: Calibration, x: float, y: float, radius_mm: float, factor: float) -> Pixels:
    """The empty board with a disc on it that is so much darker or paler than what it covers."""
    assert table.looks.empty is not None
    turn = np.linspace(0.0, 2.0 * np.pi, 64)
    rim = np.stack((x + radius_mm * np.cos(turn), y + radius_mm * np.sin(turn)), 1)
    outline = table.model.project_plane(rim, table.looks.coin_thickness_mm)
    disc = np.zeros(table.looks.empty.shape[:2], np.float32)
    cv2.fillPoly(disc, [np.rint(outline).astype(np.int32)], 1.0)
    return np.clip(table.looks.empty * (1.0 + (factor - 1.0) * disc[..., None]), 0, 255).astype(np.uint8)


def test_what_the_detector_hardly_sees_is_asked_about(table: Calibration, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it rather sees nothing, and another net a piece, the place is hidden: neither is believed alone."""
    camera = Camera(LOOKS["fast"], 5)
    names = camera.look.pieces
    black, white = (next(n for n in names.names if names.piece(n) == kind) for kind in ("black", "white"))
    put = {white: Pose(80.0, 40.0, 0.0, 0.3), black: Pose(-120.0, 90.0, 0.0, 0.3)}
    picture = still(camera, put).picture
    finder = sys.modules["controller.vision.finding.find"]
    sent = finder.asked

    def hardly(see: Shown) -> Answer:
        answer: Answer = sent(see)
        answer.odds[1:] *= 0.1
        answer.odds[0] = 1.0 - answer.odds[1:].sum(0)
        return answer

    monkeypatch.setattr(finder, "asked", hardly)
    seen = find(picture, table.model, table.looks, board=DEFAULT_BOARD)
    assert seen.pieces == ()
    middles = [np.mean(polygon, 0) for polygon in seen.hidden]
    for at in ((80.0, 40.0), (-120.0, 90.0)):
        assert min(np.hypot(*(middle - at)) for middle in middles) < 3.0


@pytest.mark.parametrize(("none", "again"), [(0.01, False), (0.5, True)])
def test_what_is_sure_is_not_asked_about_again(table: Calibration, none: float, again: bool) -> None:
    camera = Camera(LOOKS["fast"], 5)
    names = camera.look.pieces
    black = next(n for n in names.names if names.piece(n) == "black")
    flat = flat_for(table.model, table.looks, DEFAULT_BOARD)
    laid = flat.lay(still(camera, {black: Pose(-120.0, 90.0, 0.0, 0.3)}).picture)
    odds = np.array(((none, 0.0, 1.0 - none, 0.0, 0.0),))
    found = Discs(np.array(((-120.0, 90.0),)), odds, np.full(1, 0.2), np.full(1, 15.5))
    places = Places(found.xy, np.full((1, 2), 0.5, dtype=np.float32))
    asked = asking.candidates(flat, laid, cells_log(laid), places, table.looks, None, found)
    assert (np.hypot(*(asked.discs.xy - found.xy).T) < 10.0).any() == again


def claimed(table: Calibration, picture: Pixels, kind: str, x: float, y: float) -> np.ndarray:
    """The odds of a place of which the second net is as good as sure that a piece of this kind lies there."""
    flat = flat_for(table.model, table.looks, DEFAULT_BOARD)
    laid = flat.lay(picture)
    odds = np.full((1, 5), 0.01)
    odds[0, KINDS.index(kind)] = 0.96
    radius = table.looks.striker_diameter_mm if kind == "striker" else table.looks.coin_diameter_mm
    disc = Discs(np.array(((x, y),)), odds, np.full(1, 0.2), np.full(1, radius / 2.0))
    seen = np.zeros((1, SEEN), dtype=np.float32)
    asked = Candidates(
        disc, np.full((1, 2), 0.5, dtype=np.float32), seen, surface_log(flat, cells_log(laid), np.zeros((0, 3)))
    )
    return weighed(flat, laid, asked, table.looks).odds[0]


@pytest.mark.parametrize("kind", ["white", "black", "queen"])
@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (60.0, -80.0), (205.0, 252.0)])
def test_what_the_empty_board_shows_as_well_is_none_however_sure_the_second_net_is(
    table: Calibration, kind: str, x: float, y: float
) -> None:
    assert table.looks.empty is not None
    brighter = np.clip(table.looks.empty * 0.8 + 25.0, 0, 255).astype(np.uint8)
    assert claimed(table, brighter, kind, x, y)[0] > 0.5


def test_a_faint_piece_is_not_ruled_out_because_its_place_is_two_millimetres_off(table: Calibration) -> None:
    picture = on_empty(table, 60.0, -80.0, table.looks.coin_diameter_mm / 2.0, 0.95)
    assert claimed(table, picture, "white", 62.0, -80.0)[0] < 1.0
    assert claimed(table, picture, "white", 60.0, -20.0)[0] == 1.0


@pytest.mark.parametrize("kind", ["white", "black", "queen", "striker"])
def test_a_piece_keeps_its_name(table: Calibration, kind: str) -> None:
    camera = Camera(LOOKS["fast"], 5)
    names = camera.look.pieces
    piece = next(n for n in names.names if names.piece(n) == kind)
    picture = still(camera, {piece: Pose(60.0, -80.0, 0.0, 0.3)}).picture
    odds = claimed(table, picture, kind, 60.0, -80.0)
    assert KINDS[int(odds.argmax())] == kind
    assert odds[0] < 0.1
