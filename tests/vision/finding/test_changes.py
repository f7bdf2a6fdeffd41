"""What has changed since the board lay empty and is yet no piece, or a piece that the light shows otherwise."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.board import DEFAULT_BOARD
from calibration.camera import CameraModel
from controller.simulator.camera import Camera
from controller.simulator.looks import LOOKS
from controller.simulator.motion import Pose
from controller.simulator.scene import Reel
from controller.vision.calibration_file import Calibration
from controller.vision.finding import find
from controller.vision.finding.candidates import Discs
from controller.vision.finding.find import less_unchanged
from controller.vision.finding.flat import cells_log, flat_for
from controller.vision.finding.nets import KINDS
from controller.vision.finding.tones import witnessed
from controller.vision.finding.views import surface_log
from controller.vision.looks import Look, Pixels

pytestmark = pytest.mark.slow

LEARNT = {
    "white": Look((0.0, 0.0, 0.0), (0.1, 0.1, 0.1)),
    "black": Look((-1.0, -1.1, -1.2), (0.1, 0.1, 0.1)),
    "queen": Look((-0.8, -1.2, -0.1), (0.1, 0.1, 0.1)),
}
NOTHING_BURNT = np.zeros((1, 3))


def board_points(model: CameraModel) -> np.ndarray:
    """Where each fourth pixel of a picture lies on the board, (h, w, 2) in mm."""
    w, h = model.size
    x, y = np.meshgrid(np.arange(0, w, 4.0), np.arange(0, h, 4.0))
    return model.to_plane(np.stack((x.ravel(), y.ravel()), 1)).reshape(*x.shape, 2)


def with_light(picture: Pixels, factor: np.ndarray, added: float = 0.0) -> Pixels:
    """A picture times a factor, which is given for each fourth pixel, and with so much light added to it."""
    share = cv2.resize(factor.astype(np.float32), (picture.shape[1], picture.shape[0]))[..., None]
    return np.clip(picture * (1.0 if added else share) + added * (share if added else 0.0), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("turn_deg", [20, 70, 110])
def test_a_shadow_as_broad_as_a_piece_is_not_a_row_of_blacks(table: Calibration, turn_deg: int) -> None:
    assert table.looks.empty is not None
    xy, turn = board_points(table.model), np.radians(turn_deg)
    off = np.abs(xy[..., 0] * np.cos(turn) + xy[..., 1] * np.sin(turn) - 60.0)
    bar = 1.0 / (1.0 + np.exp((off - 15.0) / 1.5))
    # Without the outlines' witness there are two to six of them in each of these.
    found = find(with_light(table.looks.empty, 1.0 - 0.6 * bar), table.model, table.looks, board=DEFAULT_BOARD)
    assert len(found.pieces) <= 1


def test_a_lamps_mirror_image_over_paint_is_no_piece_on_its_edge(table: Calibration) -> None:
    assert table.looks.empty is not None
    xy = board_points(table.model)
    for at in ((-248.0, 100.0), (100.0, -250.0), (110.0, 110.0)):
        blob = np.exp(-(((xy - at) / (60.0, 14.0)) ** 2).sum(2))
        for picture in (with_light(table.looks.empty, blob, 90.0), with_light(table.looks.empty, blob, -60.0)):
            assert not [p for p in find(picture, table.model, table.looks, board=DEFAULT_BOARD).pieces if p.upright]


def test_a_piece_on_its_edge_is_still_seen(table: Calibration) -> None:
    camera = Camera(LOOKS["fast"], 5)
    black = next(n for n in camera.look.pieces.names if camera.look.pieces.piece(n) == "black")
    upright = 0
    for turn in (0.4, 0.8, 1.6, 2.4):
        reel = Reel()
        reel.lie(black, 0.0, Pose(-261.0, 129.0, 0.0, turn))
        found = find(
            camera.take(reel, 0.0, upright=frozenset({black})).picture, table.model, table.looks, board=DEFAULT_BOARD
        )
        upright += [(p.upright, round(p.x_mm / 20), round(p.y_mm / 20)) for p in found.pieces] == [(True, -13, 6)]
    # Along the rows of the picture it may be taken for a piece that lies there, or be lost.
    assert upright >= 2


def shade(model: CameraModel, reach: np.ndarray) -> np.ndarray:
    """Half the light within a blot of 90 mm about a place in mm, with a soft edge; for each fourth pixel."""
    off = np.hypot(*np.moveaxis(board_points(model) - reach, -1, 0))
    return 1.0 - 0.5 / (1.0 + np.exp((off - 90.0) / 8.0))


def told(
    table: Calibration, picture: Pixels, kind: str, *places: tuple[float, float], light: Pixels | None = None
) -> list[tuple[float, float]]:
    """Which of the places are left where a piece of this kind is told at each. `light`: the picture by whose light."""
    flat = flat_for(table.model, table.looks, DEFAULT_BOARD)
    laid = flat.lay(picture)
    n = len(places)
    claimed = Discs(
        np.array(places),
        np.repeat(odds(**{kind: 1.0}), n, 0),
        np.full(n, 0.1),
        np.full(n, table.looks.coin_diameter_mm / 2),
    )
    surface = surface_log(flat, cells_log(laid if light is None else flat.lay(light)), np.zeros((0, 3)))
    left = less_unchanged(flat, laid, surface, claimed, table.looks)
    return [(float(x), float(y)) for x, y in left.xy]


def test_what_is_only_lit_otherwise_is_no_piece(table: Calibration) -> None:
    """On wood, on a line, on a base circle and on the middle: dimmed, warm, with a slope of light across the board."""
    empty = table.looks.empty
    assert empty is not None
    slope = np.linspace(0.6, 1.0, empty.shape[1] // 4)[None].repeat(empty.shape[0] // 4, 0)
    warm = np.clip(with_light(empty, slope) * np.array((0.8, 0.95, 1.0)), 0, 255).astype(np.uint8)
    assert told(table, warm, "white", (0.0, 0.0), (60.0, -120.0), (100.0, 252.0), (217.0, 252.0)) == []


def test_what_steps_at_its_outline_is_left(table: Calibration) -> None:
    camera = Camera(LOOKS["fast"], 5)
    reel = Reel()
    named = {camera.look.pieces.piece(n): n for n in camera.look.pieces.names}
    reel.lie(named["white"], 0.0, Pose(60.0, -120.0, 0.0, 0.0))
    reel.lie(named["black"], 0.0, Pose(-90.0, 40.0, 0.0, 0.0))
    reel.lie(named["queen"], 0.0, Pose(0.0, 0.0, 0.0, 0.0))
    places = [(60.0, -120.0), (-90.0, 40.0), (0.0, 0.0)]
    picture = camera.take(reel, 0.0).picture
    for seen in (picture, with_light(picture, shade(table.model, np.array((0.0, 0.0))))):
        assert told(table, seen, "white", *places) == places


def test_a_dark_blot_is_not_told_for_a_piece_by_its_own_light(table: Calibration) -> None:
    assert table.looks.empty is not None
    at = (60.0, -120.0)
    blot = with_light(table.looks.empty, shade(table.model, np.array(at)))
    off = np.hypot(*np.moveaxis(board_points(table.model) - at, -1, 0))
    # A little darker still in its middle: a step that counts as one, but no piece's.
    blot = with_light(blot, 1.0 - 0.2 / (1.0 + np.exp(np.minimum(off - 14.0, 50.0))))
    assert told(table, blot, "black", at, light=table.looks.empty) == []


def odds(**shares: float) -> np.ndarray:
    return np.array([[shares.get(kind, 0.0) for kind in KINDS]])


@pytest.mark.parametrize(
    ("tone", "net", "named"),
    [
        ((-0.3, -0.2, -0.2), {"white": 0.15, "black": 0.85}, "white"),  # matt, beside a mirror image on the wood
        ((-1.3, -1.4, -1.5), {"white": 0.6, "black": 0.4}, "black"),  # a black in the shade
        ((-0.9, -1.3, -0.3), {"white": 0.6, "queen": 0.4}, "queen"),
        ((-0.9, -1.0, -1.1), {"none": 0.1, "striker": 0.8, "black": 0.1}, "striker"),
    ],
)
def test_a_tone_that_is_another_classs_overrules_the_net(tone, net: dict[str, float], named: str) -> None:
    told = witnessed(odds(**net), np.array([tone]), NOTHING_BURNT, LEARNT)
    assert KINDS[int(told[0].argmax())] == named
    assert told.sum() == pytest.approx(1.0)
    assert told[0, 0] == pytest.approx(net.get("none", 0.0))


def test_tones_hardly_apart_are_a_witness_too() -> None:
    close = {**LEARNT, "black": Look((-0.5, -0.5, -0.5), (0.1, 0.1, 0.1))}
    net = odds(white=0.4, black=0.6)
    white, black = ((0.0, 0.0, 0.0), (-0.5, -0.5, -0.5))
    assert KINDS[int(witnessed(net, np.array([white]), NOTHING_BURNT, close)[0].argmax())] == "white"
    assert KINDS[int(witnessed(net, np.array([black]), NOTHING_BURNT, close)[0].argmax())] == "black"


def test_where_net_and_tone_contradict_each_other_the_doubt_is_kept() -> None:
    told = witnessed(odds(white=0.1, black=0.9), np.array([(-0.1, 0.0, 0.0)]), NOTHING_BURNT, LEARNT)
    assert 0.05 < told[0, KINDS.index("black")] < 0.5


def test_a_saturated_top_does_not_speak_against_a_lighter_class() -> None:
    """The wood itself is so bright that no white can be seen to be lighter: the tone is at least what is seen."""
    brighter = {**LEARNT, "white": Look((0.9, 0.9, 0.9), (0.1, 0.1, 0.1))}
    net, tone = odds(white=0.4, black=0.6), np.array([(0.05, 0.05, 0.05)])
    white = KINDS.index("white")
    assert witnessed(net, tone, np.ones((1, 3)), brighter)[0, white] > 0.8
    assert witnessed(net, tone, NOTHING_BURNT, brighter)[0, white] < 0.8
