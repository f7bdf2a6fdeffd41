"""What one table of the second simulator is: board, pieces, friction, camera, lens, lamps, colours. Drawn by its seed.

Knows neither MuJoCo nor pictures. Distances in mm on the board, angles in degrees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.board import DEFAULT_BOARD, Board
from calibration.presets import PRESETS

Colour = tuple[float, float, float]
"""Red, green, blue, 0 to 1, as displayed."""

VALIDATION = (1, 2, 3, 4, 5, 6)
"""Tables whose pictures may be looked at, and whose errors may be searched for causes."""

KEPT = (101, 102, 103, 104)
"""Tables kept back: they are counted, their pictures are never looked at, nothing is changed for one of them."""


@dataclass(frozen=True)
class Matter:
    """How pieces slide and rebound: friction on the surface, between pieces and on rims; masses in g.

    `springs`: how much of the speed a MuJoCo contact of pieces, and one with a cushion, is asked to give back;
    `physics.measured` says what comes out of it.
    """

    surface: float
    between: float
    rim: float
    springs: tuple[float, float]
    coin_g: float
    striker_g: float


@dataclass(frozen=True)
class Eye:
    """The camera: how high it hangs, at which point of the surface it aims, its lens and its sensor.

    `bend`: the lens's own terms: the ray at angle a from the axis lands at f (a + b3 a³ + b5 a⁵); `lean_deg`: how far
    the sensor stands off square, about its two axes; `off_px`: the axis beside the picture's middle.
    """

    width: int
    height: int
    above_mm: float
    aims_mm: tuple[float, float]
    tilt_deg: float
    tilt_to_deg: float
    roll_deg: float
    focal_px: float
    bend: tuple[float, float]
    lean_deg: tuple[float, float]
    off_px: tuple[float, float]
    exposure_s: float
    vignette: float
    noise: float
    gains: Colour
    gamma: float
    jpeg: int
    fps: float = 60.0


@dataclass(frozen=True)
class Lamp:
    """A lamp: place in mm, how wide and how bright; `shadow`: whether it throws one."""

    at_mm: tuple[float, float, float]
    level: Colour
    shadow: bool


@dataclass(frozen=True)
class Paint:
    """Colours: `rings` of a piece are drawn darker or lighter by so much, `maker` is the name printed on the wood."""

    wood: Colour
    grain: float
    frame: Colour
    line: Colour
    red: Colour
    white: Colour
    black: Colour
    queen: Colour
    striker: Colour
    striker_rings: Colour
    rings: float
    maker: str
    floor: Colour
    tiles: bool
    net: Colour
    skin: tuple[Colour, Colour]
    sleeve: tuple[Colour, Colour]


@dataclass(frozen=True)
class Table:
    """One table. `south`: the picture's edge at which its south seat sits. `ambient`: light from everywhere."""

    seed: int
    preset: str
    board: Board
    matter: Matter
    eye: Eye
    lamps: tuple[Lamp, ...]
    ambient: float
    paint: Paint

    @property
    def south(self) -> str:
        """The edge at which the south seat appears, as `carrom calibrate --south` names it."""
        return ("bottom", "right", "top", "left")[round(self.eye.roll_deg / 90.0) % 4]


WOODS: tuple[Colour, ...] = (
    (0.86, 0.72, 0.50), (0.90, 0.80, 0.62), (0.80, 0.62, 0.38), (0.83, 0.70, 0.55), (0.74, 0.55, 0.36),
)  # fmt: skip
STRIKERS: tuple[tuple[Colour, Colour], ...] = (
    ((0.15, 0.35, 0.75), (0.85, 0.90, 0.95)),
    ((0.92, 0.90, 0.80), (0.15, 0.15, 0.20)),
    ((0.10, 0.50, 0.35), (0.90, 0.85, 0.35)),
    ((0.85, 0.45, 0.10), (0.15, 0.10, 0.10)),
)
MAKERS = ("SIGNATURE", "Star & Sons", "CLUB MASTER", "Royal 1968", "SPRINGBOARD", "")


def table(seed: int) -> Table:
    """Draws a table; the same seed gives the same."""
    rng = np.random.default_rng((seed, 20))
    preset = "international-735" if rng.random() < 0.2 else "international"
    board = PRESETS[preset]
    board = replace(board, striker_diameter_mm=round(float(rng.uniform(40.2, 41.3)), 1))
    u = rng.uniform
    matter = Matter(
        surface=float(u(0.05, 0.13)), between=float(u(0.04, 0.12)), rim=float(u(0.1, 0.3)),
        springs=(float(u(0.72, 0.95)), float(u(0.62, 0.88))),
        coin_g=float(u(5.0, 5.5)), striker_g=float(u(14.2, 15.0)),
    )  # fmt: skip
    return Table(seed, preset, board, matter, _eye(board, rng), _lamps(rng), float(u(0.15, 0.35)), _paint(rng))


def _eye(board: Board, rng: np.random.Generator) -> Eye:
    u = rng.uniform
    above = float(u(880.0, 1250.0))
    half = board.half_mm + 0.35 * board.frame_width_mm
    tilt, towards = abs(float(rng.normal(0.0, 4.0))), float(u(0.0, 360.0))
    # What leans or is turned needs more room in the picture.
    roll = float(rng.choice((0.0, 0.0, 180.0)) + rng.normal(0.0, 2.0))
    room = 1.0 + 0.011 * min(tilt, 9.0) + 0.012 * abs((roll + 90.0) % 180.0 - 90.0)
    return Eye(
        width=1280,
        height=720,
        above_mm=above,
        aims_mm=(float(rng.normal(0.0, 8.0)), float(rng.normal(0.0, 8.0))),
        tilt_deg=min(tilt, 9.0),
        tilt_to_deg=towards,
        roll_deg=roll,
        focal_px=360.0 / (half * room) * above,
        bend=(float(u(0.08, 0.34)), float(u(-0.05, 0.15))),
        lean_deg=(float(rng.normal(0.0, 0.25)), float(rng.normal(0.0, 0.25))),
        off_px=(float(rng.normal(0.0, 8.0)), float(rng.normal(0.0, 8.0))),
        exposure_s=float(rng.choice((0.002, 0.004, 0.006, 0.008))),
        vignette=float(u(0.05, 0.35)),
        noise=float(u(0.6, 1.8)),
        gains=(float(u(0.9, 1.12)), 1.0, float(u(0.86, 1.1))),
        gamma=float(u(0.92, 1.1)),
        jpeg=int(rng.integers(72, 95)),
    )


def _lamps(rng: np.random.Generator) -> tuple[Lamp, ...]:
    u = rng.uniform
    turn, away = float(u(0.0, 2.0 * np.pi)), float(u(250.0, 1100.0))
    warm = float(u(0.82, 1.0))
    strong = float(u(0.34, 0.52))
    key = Lamp(
        (away * float(np.cos(turn)), away * float(np.sin(turn)), float(u(1100.0, 1900.0))),
        (strong, strong * (0.5 + warm / 2), strong * warm),
        True,
    )
    turn += float(u(1.8, 4.4))
    weak = strong * float(u(0.2, 0.6))
    fill = Lamp(
        (900.0 * float(np.cos(turn)), 900.0 * float(np.sin(turn)), 1800.0), (weak, weak, weak), bool(rng.random() < 0.5)
    )
    return (key, fill)


def _paint(rng: np.random.Generator) -> Paint:
    u = rng.uniform

    def near(colour: Colour, by: float) -> Colour:
        moved = np.clip(np.array(colour) + rng.normal(0.0, by, 3), 0.02, 0.98)
        return (float(moved[0]), float(moved[1]), float(moved[2]))

    striker, rings = STRIKERS[int(rng.integers(len(STRIKERS)))]
    dark = float(u(0.05, 0.16))
    return Paint(
        wood=near(WOODS[int(rng.integers(len(WOODS)))], 0.02),
        grain=float(u(0.02, 0.10)),
        frame=near((0.36, 0.20, 0.11) if rng.random() < 0.7 else (0.16, 0.09, 0.07), 0.03),
        line=near((0.07, 0.06, 0.06), 0.02),
        red=near((0.76, 0.13, 0.13), 0.04),
        white=near((0.90, 0.84, 0.70), 0.03),
        black=near((dark, dark * 0.85, dark * 0.8), 0.01),
        queen=near((0.83, 0.10, 0.16), 0.04),
        striker=near(striker, 0.03),
        striker_rings=near(rings, 0.03),
        rings=float(u(0.05, 0.3)),
        maker=MAKERS[int(rng.integers(len(MAKERS)))],
        floor=near((0.32, 0.33, 0.34) if rng.random() < 0.6 else (0.46, 0.36, 0.27), 0.05),
        tiles=bool(rng.random() < 0.5),
        net=near((0.10, 0.10, 0.10) if rng.random() < 0.6 else (0.55, 0.53, 0.46), 0.02),
        skin=(near((0.80, 0.60, 0.48), 0.04), near((0.45, 0.29, 0.20), 0.04)),
        sleeve=(near((0.25, 0.30, 0.45), 0.12), near((0.70, 0.70, 0.68), 0.12)),
    )


__all__ = ["DEFAULT_BOARD", "KEPT", "VALIDATION", "Eye", "Lamp", "Matter", "Paint", "Table", "table"]
