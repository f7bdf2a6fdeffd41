"""Places by their outline, and the third net: what the picture shows outranks how sure another net is."""

from __future__ import annotations

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
from controller.vision.finding.flat import flat_for, half_log
from controller.vision.finding.nets import KINDS, SEEN, Places
from controller.vision.finding.rings import MOST, rings
from controller.vision.finding.views import surface_log
from controller.vision.finding.weighing import weighed
from controller.vision.grid import Roi
from controller.vision.looks import Pixels

pytestmark = pytest.mark.slow

NONE = np.zeros((0, 2))


def ringed(
    table: Calibration, picture: Pixels, known: np.ndarray = NONE, sure: np.ndarray = NONE, roi: Roi | None = None
) -> np.ndarray:
    flat = flat_for(table.model, table.looks, DEFAULT_BOARD)
    radius = table.looks.coin_diameter_mm / 2.0
    return rings(flat, half_log(flat.lay(picture)), radius, known, sure, roi)


def on_empty(table: Calibration, x: float, y: float, radius_mm: float, factor: float) -> Pixels:
    """The empty board with a disc on it that is so much darker or paler than what it covers."""
    assert table.looks.empty is not None
    turn = np.linspace(0.0, 2.0 * np.pi, 64)
    rim = np.stack((x + radius_mm * np.cos(turn), y + radius_mm * np.sin(turn)), 1)
    outline = table.model.project_plane(rim, table.looks.coin_thickness_mm)
    disc = np.zeros(table.looks.empty.shape[:2], np.float32)
    cv2.fillPoly(disc, [np.rint(outline).astype(np.int32)], 1.0)
    return np.clip(table.looks.empty * (1.0 + (factor - 1.0) * disc[..., None]), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("factor", [0.94, 1.06])
def test_a_faint_outline_of_a_coins_size_is_a_place(table: Calibration, factor: float) -> None:
    picture = on_empty(table, 60.0, -80.0, table.looks.coin_diameter_mm / 2.0, factor)
    found = ringed(table, picture)
    assert len(found) <= MOST
    assert np.hypot(*(found[0] - (60.0, -80.0))) < 3.0
    assert not (np.hypot(*(ringed(table, picture, known=found[:1]) - found[0]).T) < 5.0).any()
    assert not (np.hypot(*(ringed(table, picture, sure=found[:1]) - found[0]).T) < 5.0).any()
    near = ringed(table, picture, roi=(0.0, -150.0, 120.0, 0.0))
    assert np.hypot(*(near[0] - found[0])) < 1.0
    assert len(ringed(table, picture, roi=(300.0, 300.0, 300.0, 300.0))) == 0


def test_a_place_that_the_first_net_does_not_send_is_asked_about(
    table: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = Camera(LOOKS["fast"], 5)
    names = camera.look.pieces
    black, white = (next(n for n in names.names if names.piece(n) == kind) for kind in ("black", "white"))
    put = {white: Pose(80.0, 40.0, 0.0, 0.3), black: Pose(-120.0, 90.0, 0.0, 0.3)}
    picture = still(camera, put).picture
    sent = asking.where

    def blind(*asked: object) -> Places:
        places = sent(*asked)  # type: ignore[arg-type]
        there = np.hypot(*(places.xy - (80.0, 40.0)).T) > 30.0
        return Places(places.xy[there], places.heat[there])

    monkeypatch.setattr(asking, "where", blind)
    found = find(picture, table.model, table.looks, board=DEFAULT_BOARD).pieces
    assert sorted(piece.piece for piece in found) == ["black", "white"]


@pytest.mark.parametrize(("none", "again"), [(0.01, False), (0.5, True)])
def test_what_is_sure_is_not_asked_about_again(table: Calibration, none: float, again: bool) -> None:
    camera = Camera(LOOKS["fast"], 5)
    names = camera.look.pieces
    black = next(n for n in names.names if names.piece(n) == "black")
    flat = flat_for(table.model, table.looks, DEFAULT_BOARD)
    laid = flat.lay(still(camera, {black: Pose(-120.0, 90.0, 0.0, 0.3)}).picture)
    odds = np.array(((none, 0.0, 1.0 - none, 0.0, 0.0),))
    found = Discs(np.array(((-120.0, 90.0),)), odds, np.full(1, 0.2), np.full(1, 15.5))
    asked = asking.candidates(flat, laid, half_log(laid), table.looks, None, found)
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
    asked = Candidates(disc, np.full((1, 2), 0.5, dtype=np.float32), seen, surface_log(flat, laid, np.zeros((0, 3))))
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
