"""Draws boards for the finder's nets to learn from: looks nobody has named, at random, through the simulated camera.

`python -m scripts.teach.boards OUT FIRST COUNT` writes one file a look: pictures laid flat, and where each piece's top
lies on the grid. None of the named looks is among them, so all of these can be measured on.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import DEFAULT_BOARD
from controller.events.words import Seat
from controller.simulator.camera import Camera
from controller.simulator.lens import Lens, Mount, View
from controller.simulator.looks import BoardLook, CoinLook, Colour, Light, Look, Rig
from controller.simulator.motion import Pose
from controller.simulator.pieces import PieceSet, opening
from controller.simulator.scene import ArmPath
from controller.simulator.stills import random_position, still
from controller.vision.finding.flat import flat_for
from controller.vision.looks import looks_of

Rng = np.random.Generator
Picture = npt.NDArray[np.uint8]
Lying = dict[int, Pose]
STILLS = 9
TILTS = (0.55, 0.2, 0.25)
"""How often a camera hangs above, a little beside and far beside the board."""
PAINTED = 0.85
"""From where on a board's surface is not wood but painted, in any colour."""
OWN_WOOD = 0.5
"""How many sets' whites are turned from wood like the board's."""
KINDS = ("none", "white", "black", "queen", "striker")
SIZES = ((1280, 720), (1280, 720), (1280, 960), (1456, 1088), (1920, 1080))
SEATS: tuple[Seat, ...] = ("south", "east", "north", "west")


@dataclass(frozen=True, eq=False)
class SeenBy:
    """The simulated view with a calibration's small error, as far as a grid asks a camera model."""

    view: View
    off_px: npt.NDArray[np.float64]
    size: tuple[int, int]

    @property
    def centre_mm(self) -> npt.NDArray[np.float64]:
        """As `CameraModel`."""
        return self.view.centre

    @property
    def px_per_mm(self) -> float:
        """As `CameraModel`."""
        return self.view.px_per_mm()

    def project_plane(self, xy: npt.NDArray[np.float64], z_mm: float = 0.0) -> npt.NDArray[np.float64]:
        """As `CameraModel`, a little off."""
        px = self.view.project(np.concatenate((xy, np.full((len(xy), 1), z_mm)), 1))
        return px + self.off_px

    def in_picture(self, px: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """As `CameraModel`."""
        w, h = self.size
        return (px[:, 0] >= 0) & (px[:, 0] <= w - 1) & (px[:, 1] >= 0) & (px[:, 1] <= h - 1)


def random_look(rng: Rng) -> Look:
    """A table as there may be one somewhere."""
    wood = _wood(rng)
    dark = sum(wood) < 300
    ink = _near(rng, (225, 205, 165), 25) if dark and rng.random() < 0.8 else _near(rng, (30, 26, 24), 22)
    board = BoardLook(
        wood=wood,
        grain=float(rng.uniform(0.03, 0.24)),
        grain_turned=bool(rng.random() < 0.5),
        lines=ink,
        discs=_near(rng, (195, 32, 38), 25) if rng.random() < 0.7 else _any(rng),
        frame=_near(rng, (84, 44, 26), 40) if rng.random() < 0.7 else _any(rng),
        pocket=_near(rng, (34, 32, 32), 24),
        rose=bool(rng.random() < 0.3),
        star=int(rng.choice((4, 6, 8, 8, 12))) if rng.random() < 0.4 else 0,
        worn=float(rng.uniform(0, 0.45)),
        powder=float(rng.uniform(0, 0.25)),
        gloss=float(rng.uniform(0.05, 0.95)),
        around=_any(rng),
    )
    return Look("taught", board, _coins(rng, wood), _light(rng), _rig(rng), _pieces(rng), _skin(rng), _any(rng))


def _wood(rng: Rng) -> Colour:
    kind = rng.random()
    if kind < 0.41:
        return _near(rng, (224, 192, 146), 26)
    if kind < 0.55:
        return _near(rng, (176, 128, 84), 30)
    if kind < 0.70:
        return _near(rng, (120, 62, 42), 30)
    if kind < PAINTED:
        return _near(rng, (60, 44, 40), 18)
    return _any(rng)


def _coins(rng: Rng, wood: Colour) -> CoinLook:
    if rng.random() < OWN_WOOD and sum(wood) > 380 and wood[0] > wood[1] > wood[2]:
        # Turned from the board's own wood.
        white = _near(rng, wood, 9)
    else:
        # Turned pale wood, white plastic, wood stained brown or red.
        sorts = ((226, 200, 156), 26), ((246, 244, 238), 8), ((172, 102, 72), 26)
        white = _near(rng, *sorts[int(rng.choice(3, p=(0.6, 0.2, 0.2)))])
    strikers = _near(rng, (232, 230, 222), 18), _near(rng, (220, 190, 120), 30), _any(rng), _near(rng, (48, 42, 42), 24)
    striker = strikers[int(rng.integers(len(strikers)))]
    first = float(rng.uniform(0.15, 0.4))
    grooves = tuple(np.clip(first + np.arange(int(rng.integers(0, 5))) * rng.uniform(0.1, 0.26), 0, 0.92))
    return CoinLook(
        white=white,
        black=_near(rng, (40, 36, 36), 20) if rng.random() < 0.8 else _near(rng, (88, 70, 62), 16),
        queen=_near(rng, (185, 36, 56), 34) if rng.random() < 0.8 else _near(rng, (222, 70, 120), 24),
        striker=striker,
        striker_ink=_any(rng),
        striker_style=str(rng.choice(("ring", "star", "clear", "plain"))),
        rings=float(rng.uniform(0.04, 0.45)),
        grooves=tuple(float(g) for g in grooves),
        petals=int(rng.integers(4, 12)) if rng.random() < 0.4 else 0,
        tone_spread=float(rng.uniform(0.02, 0.14)),
        gloss=float(rng.uniform(0.05, 0.9)),
    )


def _light(rng: Rng) -> Light:
    warm = float(rng.uniform(-1, 1))
    return Light(
        (float(rng.uniform(-420, 420)), float(rng.uniform(-420, 420)), float(rng.uniform(850, 2000))),
        (248.0 + min(warm, 0.0) * 30, 243.0 - abs(warm) * 8, 236.0 - max(warm, 0.0) * 62 + max(-warm, 0.0) * 18),
        float(rng.uniform(0.4, 1.05)),
        float(rng.uniform(0.28, 0.85)),
        float(rng.uniform(0.1, 0.65)),
        float(rng.uniform(3.0, 26.0)),
        float(rng.uniform(0.0, 1.1)),
        float(rng.uniform(24.0, 115.0)),
        bool(rng.random() < 0.25),
        0.0,
        50.0,
        float(rng.uniform(0.25, 0.9)) if rng.random() < 0.15 else 0.0,
    )


def _rig(rng: Rng) -> Rig:
    width, height = SIZES[int(rng.integers(len(SIZES)))]
    above = float(rng.uniform(750, 1500))
    fits = float(rng.uniform(0.80, 0.98)) * height / 760.0
    focal = fits * above
    # A lens that bends more than this in its corners shows no picture there.
    corner2 = (width**2 + height**2) / (2.0 * focal) ** 2
    barrel = float(np.clip(rng.uniform(-0.2, 0.04), -0.22 / corner2, 0.04))
    lens = Lens(
        width,
        height,
        focal,
        float(rng.normal(1.0, 0.001)),
        (width / 2 + float(rng.normal(0, 6)), height / 2 + float(rng.normal(0, 6))),
        (barrel, float(rng.uniform(0, 0.03)), 0.0, 0.0, 0.0, 0.0),
    )
    turned = float(rng.choice((0.0, 90.0, 180.0, 270.0))) if rng.random() < 0.3 and width < 1.4 * height else 0.0
    # Most cameras hang above; photographs are taken from beside the board.
    tilt = float((abs(rng.normal(0, 4.0)), rng.uniform(6.0, 25.0), rng.uniform(20.0, 55.0))[rng.choice(3, p=TILTS)])
    over = (float(rng.normal(0, 10)), float(rng.normal(0, 10)))
    return Rig(
        lens,
        Mount(above, over, tilt, float(rng.uniform(0, 360)), turned + float(rng.normal(0, 2.5))),
        blur_px=float(rng.uniform(0.45, 1.25)),
        vignette=float(rng.uniform(0, 0.3)),
        noise_read=float(rng.uniform(0.5, 5.0)),
        noise_shot=float(rng.uniform(0.5, 5.0)),
        jpeg=int(rng.integers(60, 96)),
    )


def _pieces(rng: Rng) -> PieceSet:
    return PieceSet(
        DEFAULT_BOARD,
        coin_diameter_mm=float(rng.uniform(30.0, 32.0)),
        coin_thickness_mm=float(rng.uniform(6.8, 9.2)),
        striker_diameter_mm=float(rng.uniform(39.0, 43.0)),
        striker_thickness_mm=float(rng.uniform(7.5, 10.5)),
    )


def _near(rng: Rng, colour: Colour, spread: float) -> Colour:
    common = rng.normal(0, spread * 0.8)
    r, g, b = (float(np.clip(c + common + rng.normal(0, spread * 0.4), 4, 250)) for c in colour)
    return r, g, b


def _any(rng: Rng) -> Colour:
    r, g, b = (float(v) for v in rng.uniform(15, 245, 3))
    return r, g, b


def _skin(rng: Rng) -> Colour:
    share = float(rng.uniform(0.3, 1.05))
    return 220.0 * share, 165.0 * share, 135.0 * share


def _arms(rng: Rng) -> tuple[ArmPath, ...]:
    if rng.random() > 0.3:
        return ()
    arms = []
    for _ in range(1 if rng.random() < 0.8 else 2):
        x, y = rng.uniform(-330.0, 330.0, 2)
        stop = (float(x), float(y), float(rng.uniform(5, 60)))
        seat: Any = SEATS[int(rng.integers(4))]
        arms.append(ArmPath(seat, ((-1.0, *stop), (1.0, *stop)), float(rng.normal(0, 0.35)), bool(rng.random() < 0.5)))
    return tuple(arms)


def another_day(rng: Rng, picture: Picture, *, much: bool) -> Picture:
    """The same picture on another day: lamp, soft shadows, focus, a nudge of less than a pixel, compression."""
    h, w = picture.shape[:2]
    gain = np.exp(rng.normal(0, 0.10 if much else 0.03)) * np.exp(rng.normal(0, 0.03 if much else 0.01, 3))
    small = np.ones((9, 16), dtype=np.float32)
    if rng.random() < (0.4 if much else 0.2):
        small += rng.normal(0, 0.12, (9, 16)).astype(np.float32)
        small = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.6, 2.5)))
    field = cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC)
    if rng.random() < 0.3:
        shade = np.zeros((h // 4, w // 4), dtype=np.uint8)
        at = rng.uniform(0, 1, (4, 2)) * (w // 4, h // 4)
        cv2.fillPoly(shade, [at.astype(np.int32)], 255)
        soft = cv2.GaussianBlur(shade, (0, 0), float(rng.uniform(2, 14)))
        field = field * (1 - float(rng.uniform(0.1, 0.45)) * cv2.resize(soft, (w, h)).astype(np.float32) / 255.0)
    lit = np.clip(picture * (field[:, :, None] * gain.astype(np.float32)), 0, 255).astype(np.uint8)
    if much and rng.random() < 0.5:
        shift = np.array(((1.0, 0.0, rng.normal(0, 0.35)), (0.0, 1.0, rng.normal(0, 0.35))))
        lit = np.asarray(cv2.warpAffine(lit, shift, (w, h), borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)
    if rng.random() < 0.3:
        lit = np.asarray(cv2.GaussianBlur(lit, (0, 0), float(rng.uniform(0.4, 1.0))), dtype=np.uint8)
    _, data = cv2.imencode(".jpg", lit, (cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 96))))
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)


def draw(seed: int) -> dict[str, Any]:
    """One look's pictures laid flat and their truth.

    `flats` (S, side, side, 3) and `empty` (side, side, 3) uint8; `truths`: per picture (N, 4) of kind, x, y in mm on
    the grid's plane, visible share; `looks` sizes as supposed; `centre_mm` the camera's place; `scale`.
    """
    rng = np.random.default_rng(seed)
    look = random_look(rng)
    camera = Camera(look, seed)
    lens = look.rig.lens
    model: Any = SeenBy(camera.view, rng.normal(0, 0.12, 2), (lens.width, lens.height))
    supposed = look.pieces.coin_thickness_mm + float(rng.normal(0, 0.25))
    diameter = look.pieces.coin_diameter_mm + float(rng.normal(0, 0.15))
    looks = replace(looks_of(DEFAULT_BOARD), coin_diameter_mm=diameter, coin_thickness_mm=supposed)
    flat = flat_for(model, looks, DEFAULT_BOARD)
    empty = flat.lay(another_day(rng, still(camera, {}).picture, much=True))
    flats, truths = [], []
    for k in range(STILLS):
        if k == 0:
            lying = opening(look.pieces, rng, float(rng.uniform(0, 60)))
        else:
            seat: Any = SEATS[int(rng.integers(4))] if rng.random() < 0.75 else None
            lying = random_position(rng, look.pieces, striker=seat)
        frame = still(camera, lying, _arms(rng) if k > 1 else ())
        flats.append(flat.lay(another_day(rng, frame.picture, much=False)))
        visible = {piece.name: piece.visible for piece in frame.pieces}
        there = {name: pose for name, pose in lying.items() if name in visible}
        truths.append(tops(visible, there, look.pieces, camera.view, flat.z_mm))
    flat_for.cache_clear()
    return {
        "flats": np.stack(flats),
        "empty": empty,
        "truths": truths,
        "board": flat.board,
        "scale": flat.scale,
        "side": flat.side,
        "centre_mm": np.asarray(camera.view.centre),
        "coin_mm": diameter,
        "striker_mm": look.pieces.striker_diameter_mm,
    }


def tops(
    shown: Mapping[int, float], lying: Lying, pieces: PieceSet, view: View, z_mm: float
) -> npt.NDArray[np.float64]:
    """Each piece's kind, its top's middle as it lies on the grid's plane, and the share `shown` of it: (N, 4)."""
    found = []
    for name, pose in lying.items():
        # Its top is higher or lower than the plane: its ray meets the plane elsewhere.
        share = (view.centre[2] - z_mm) / (view.centre[2] - pieces.thickness(name))
        x, y = view.centre[:2] + (np.array((pose.x_mm, pose.y_mm)) - view.centre[:2]) * share
        found.append((KINDS.index(pieces.piece(name)), x, y, shown[name]))
    return np.array(found, dtype=np.float64).reshape(-1, 4)


def write_looks(draw: Callable[[int], dict[str, Any]]) -> None:
    """Draws COUNT looks from seed FIRST on into OUT, as the command line says."""
    cv2.setNumThreads(1)
    out, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        drawn = out / f"{seed:06d}.drawn"
        drawn.write_bytes(pickle.dumps(draw(seed)))
        drawn.rename(drawn.with_suffix(".pickle"))


if __name__ == "__main__":
    write_looks(draw)
