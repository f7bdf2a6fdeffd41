"""A queen on a painted disc of her own red, and that paint alone: on simulated tables, and by what is seen of both."""

from __future__ import annotations

import sys

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from controller.simulator.camera import Camera
from controller.simulator.motion import Pose
from controller.simulator.pieces import QUEEN as THE_QUEEN
from controller.simulator.stills import random_position, still
from controller.vision.finding import candidates, find
from controller.vision.finding.candidates import Discs
from controller.vision.finding.find import less_paint, perhaps_bare
from controller.vision.finding.flat import cells_log, flat_for
from controller.vision.finding.nets import Places
from controller.vision.finding.painted import looks_like_paint, only_one_queen, places_of
from controller.vision.finding.views import surface_log
from tests.vision.finding.tables import Table, table_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def table() -> Table:
    return table_of("fast")


@pytest.mark.long
@pytest.mark.parametrize("name", ["pale-on-pale", "lacquer-dark"])
def test_a_queen_on_the_red_middle_is_found_and_its_paint_alone_is_none(name: str) -> None:
    """Of one size, all but of one colour: a rim, grooves, a shadow's seam and parallax differ."""
    made, rng = table_of(name), np.random.default_rng(16)
    pieces = made.camera.look.pieces
    queen = next(number for number in pieces.names if pieces.piece(number) == "queen")
    for _ in range(4):
        lying = {
            number: pose
            for number, pose in random_position(rng, pieces, coins=8).items()
            if number != queen and np.hypot(pose.x_mm, pose.y_mm) > 33.0
        }
        x, y = (float(part) for part in rng.normal(0, 0.7, 2))
        for back in (False, True):
            put = {**lying, queen: Pose(x, y, 0.0, 1.0)} if back else lying
            found = [p for p in made.find(still(made.camera, put).picture).pieces if np.hypot(p.x_mm, p.y_mm) < 8.0]
            assert [p.piece for p in found] == ["queen"] * back
            assert all(np.hypot(p.x_mm - x, p.y_mm - y) < 1.5 for p in found)


def test_a_piece_partly_on_the_red_middle_is_surely_named(table: Table) -> None:
    """A struck queen comes to rest there most often, half on the paint that looks like her."""
    pieces = table.camera.look.pieces
    rng = np.random.default_rng(17)
    for kind, far_mm in [(kind, far_mm) for far_mm in (10.0, 15.0, 20.0, 30.0) for kind in ("queen", "white", "black")]:
        asked = next(number for number in pieces.names if pieces.piece(number) == kind)
        turn = float(rng.uniform(0, 2 * np.pi))
        x, y = far_mm * np.cos(turn), far_mm * np.sin(turn)
        others = random_position(rng, pieces, coins=8).items()
        lying = {n: p for n, p in others if n != asked and np.hypot(p.x_mm - x, p.y_mm - y) > 40.0}
        put = {**lying, asked: Pose(float(x), float(y), 0.0, turn)}
        found = table.find(still(table.camera, put).picture).pieces
        (seen,) = [p for p in found if np.hypot(p.x_mm - x, p.y_mm - y) < 8.0]
        assert seen.piece == kind
        assert seen.confidence > 0.9


def test_the_middle_is_asked_about_whatever_else_is(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = Places(np.zeros((0, 2)), np.zeros((0, 2), dtype=np.float32))
    monkeypatch.setattr(candidates, "proposed", lambda *_: nowhere)
    pieces = table.camera.look.pieces
    queen = next(number for number in pieces.names if pieces.piece(number) == "queen")
    put = {queen: Pose(0.4, -0.3, 0.0, 1.0)}
    assert [piece.piece for piece in table.find(still(table.camera, put).picture).pieces] == ["queen"]
    assert table.find(still(table.camera, {}).picture).pieces == ()


def test_the_queen_is_seen_on_the_painted_disc_of_her_own_red(table: Table) -> None:
    """The empty board shows a red disc of her size there: what is left of her is faint in brightness."""
    found = table.find(table.pictures.opening)
    (queen,) = (p for p in found.pieces if p.piece == "queen")
    assert np.hypot(queen.x_mm, queen.y_mm) < 1.0
    dark = np.clip(table.pictures.empty.astype(np.float32) * 0.8, 0, 255).astype(np.uint8)
    assert not table.find(dark).pieces


@pytest.mark.parametrize(
    ("places", "left"),
    [
        (((0.4, -0.3), (120.0, 60.0)), [(120.0, 60.0)]),
        (((0.4, -0.3),), [(0.4, -0.3)]),
        (((40.0, 0.0), (120.0, 60.0)), [(40.0, 0.0), (120.0, 60.0)]),
    ],
    ids=["paint and queen", "queen on the paint", "two queens"],
)
def test_of_two_queens_the_one_just_on_painted_red_is_paint(places: tuple, left: list) -> None:
    xy = np.array(places)
    paint = only_one_queen(np.ones(len(xy), dtype=np.bool_), xy, places_of(DEFAULT_BOARD))
    assert [tuple(at) for at in xy[~paint]] == left


PAINT_TODAY = np.array((-0.9, -1.2, -0.1))
QUEEN = np.array((-0.4, -0.7, -0.3))
GILT = np.array((0.3, 0.2, 0.1))


@pytest.mark.parametrize(
    ("tone", "before", "paint"),
    [
        ((-0.85, -1.1, -0.15), PAINT_TODAY, True),
        ((-0.5, -0.8, -0.25), PAINT_TODAY, False),
        ((-0.75, -1.0, -0.2), PAINT_TODAY, False),
        ((0.25, 0.2, 0.15), GILT, True),
        ((0.25, 0.2, 0.15), PAINT_TODAY, False),
    ],
    ids=["as all paint is today", "as the queen is", "between the two", "as it lay empty", "as neither"],
)
def test_a_lone_piece_just_on_paint_that_looks_as_that_paint_does_is_paint(tone, before, paint) -> None:
    assert looks_like_paint(np.array(tone), (PAINT_TODAY, before), QUEEN) is paint


def test_what_may_be_nothing_on_paint_is_held_against_that_paint(table: Table) -> None:
    model, looks = table.calibration.model, table.calibration.looks
    flat = flat_for(model, looks, DEFAULT_BOARD)
    laid = flat.lay(still(table.camera, {}).picture)
    surface = surface_log(flat, cells_log(laid), np.zeros((0, 3)))
    # Nothing is the likeliest single answer, and yet less likely than a piece of one class or another.
    odds = np.array([[0.4, 0.3, 0.3, 0.0, 0.0]])
    discs = Discs(places_of(DEFAULT_BOARD)[:1].copy(), odds, np.array([0.1]), np.array([15.5]))
    assert len(less_paint(flat, laid, surface, discs, looks).xy) == 0


@pytest.mark.long
@pytest.mark.parametrize("noise", [0.0, 10.0])
@pytest.mark.parametrize("lies_there", [False, True])
def test_a_painted_disc_under_a_mirrored_lamp_is_told_from_a_queen_on_it(
    table: Table, lies_there: bool, noise: float
) -> None:
    model, looks = table.calibration.model, table.calibration.looks
    flat = flat_for(model, looks, DEFAULT_BOARD)
    lying = {THE_QUEEN: Pose(0.0, 0.0, 0.0, 0.3)} if lies_there else {}
    # Mirrored at the middle alone: the other painted discs do not say how pale this one is.
    far = np.hypot(*model.to_plane(np.indices(model.size).reshape(2, -1).T.astype(np.float64)).T)
    glow = 0.2 * np.exp(-((far / 60.0) ** 2)).reshape(model.size).T[:, :, None]
    light = (still(Camera(table.camera.look, 5), lying).picture / 255.0) ** 2.2 + glow
    seen = np.clip(light, 0.0, 1.0) ** (1.0 / 2.2) * 255.0 + np.random.default_rng(18).normal(0.0, noise, light.shape)
    laid = flat.lay(np.clip(seen, 0.0, 255.0).astype(np.uint8))
    surface = surface_log(flat, cells_log(laid), np.zeros((0, 3)))
    # The nets take what is there for a queen: paint that is paler than when the board lay empty.
    queen = Discs(np.zeros((1, 2)), np.array([[0.05, 0.0, 0.0, 0.95, 0.0]]), np.array([0.1]), np.array([15.5]))
    left = less_paint(flat, laid, surface, queen, looks)
    # In noise bare paint may be as unlike itself as a queen who covers just that: she is in doubt then, not told.
    assert (~perhaps_bare(flat, laid, left)).sum() == int(lies_there)
    assert len(left.xy) == int(lies_there or noise > 0.0)


def test_where_the_detector_alone_sees_a_queen_on_the_middle_nothing_is_known(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    queen = Discs(np.zeros((1, 2)), np.array([[0.1, 0.0, 0.0, 0.9, 0.0]]), np.array([0.1]), np.array([15.5]))
    monkeypatch.setattr(sys.modules[find.__module__], "seen_alone", lambda *_: queen)
    bare = still(Camera(table.camera.look, 5), {}).picture
    noise = np.random.default_rng(18).normal(0.0, 10.0, bare.shape)
    picture = np.clip(bare + noise, 0.0, 255.0).astype(np.uint8)
    rim = [np.array(outline, dtype=np.float32) for outline in table.find(picture).hidden]
    assert any(cv2.pointPolygonTest(outline, (0.0, 0.0), False) > 0 for outline in rim)
