"""How simulated tables look: woods, coins, strikers, lamps, cameras, and named combinations of them.

Colours are sRGB triples (red, green, blue) from 0 to 255. `MEASURED_ONLY` names the looks that nobody may look at
while working on vision: they are for measuring.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from calibration.board import Board
from calibration.presets import PRESETS
from controller.simulator.lens import Lens, Mount
from controller.simulator.pieces import PieceSet, pieces_of

_LAWS = PRESETS["international"]
"""The board that the looks below are drawn on; `on_board` puts one on another."""

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class BoardLook:
    """Wood and paint of a board. `worn`: how much of the lines has been played away (0 to 1).

    `rose`, `star`: what is painted in the middle, petals or a star of so many points.
    """

    wood: Colour = (226, 194, 144)
    grain: float = 0.10
    grain_turned: bool = False
    lines: Colour = (28, 24, 22)
    discs: Colour = (196, 30, 38)
    frame: Colour = (84, 44, 26)
    pocket: Colour = (30, 30, 30)
    rose: bool = False
    star: int = 0
    worn: float = 0.0
    powder: float = 0.05
    gloss: float = 0.35
    around: Colour = (92, 66, 46)


@dataclass(frozen=True, slots=True)
class CoinLook:
    """Colours of the pieces; `striker_style`: `ring` `star` `clear` `plain`.

    `rings`: how deep the turned grooves, `grooves`: where they lie, in radii; `petals`: of a carved rosette, or 0.
    """

    white: Colour = (222, 190, 142)
    black: Colour = (38, 34, 34)
    queen: Colour = (176, 30, 50)
    striker: Colour = (236, 236, 226)
    striker_ink: Colour = (20, 90, 84)
    striker_style: str = "ring"
    rings: float = 0.22
    grooves: tuple[float, ...] = (0.28, 0.52, 0.74)
    petals: int = 0
    tone_spread: float = 0.04
    gloss: float = 0.5


@dataclass(frozen=True, slots=True)
class Light:
    """The lamp: where it hangs, its colour, its share of the light, how sharp shadows and its reflection are.

    `reflection`: brightness of its mirror image; `flicker`: depth of the mains' ripple, `mains_hz` its frequency.
    `sun`: brightness of a patch of sunlight, 0 for none.
    """

    at_mm: tuple[float, float, float] = (180.0, 140.0, 1400.0)
    colour: Colour = (255, 240, 214)
    level: float = 0.86
    ambient: float = 0.55
    shadow: float = 0.45
    shadow_soft_mm: float = 9.0
    reflection: float = 0.5
    reflection_mm: float = 55.0
    tube: bool = False
    flicker: float = 0.0
    mains_hz: float = 50.0
    sun: float = 0.0


@dataclass(frozen=True, slots=True)
class Rig:
    """A camera on its mount. `rolling_s`: time from the first row's exposure to the last one's, 0 for a global shutter.

    `noise_read` and `noise_shot` are in 8-bit steps: at black, and what full white adds.
    """

    lens: Lens = field(default_factory=Lens)
    mount: Mount = field(default_factory=Mount)
    fps: float = 30.0
    exposure_s: float = 0.008
    rolling_s: float = 0.0
    blur_px: float = 0.65
    vignette: float = 0.12
    noise_read: float = 1.2
    noise_shot: float = 2.2
    jpeg: int = 88


@dataclass(frozen=True, slots=True)
class Look:
    """One whole table as a camera sees it."""

    name: str
    board: BoardLook = field(default_factory=BoardLook)
    coins: CoinLook = field(default_factory=CoinLook)
    light: Light = field(default_factory=Light)
    rig: Rig = field(default_factory=Rig)
    pieces: PieceSet = field(default_factory=lambda: pieces_of(_LAWS))
    skin: Colour = (186, 132, 104)
    sleeve: Colour = (60, 74, 110)


_WEBCAM = Rig(
    Lens(
        1280, 720, 896.0, 1.001, (644.6, 355.2), (-0.092, 0.021, -0.004, 0.006, 0.002, 0.0),
        (0.0004, -0.0003), (0.0004, 0.0, -0.0003, 0.0), (0.004, -0.003),
    ),
    Mount(1150.0, (3.0, -4.0), 2.4, 60.0, 1.1),
)  # fmt: skip
_CLUB = replace(
    _WEBCAM,
    lens=replace(_WEBCAM.lens, width=1456, height=1088, focal_px=1480.0, centre_px=(722.1, 549.8)),
    mount=Mount(1180.0, (-4.0, 6.0), 4.1, 200.0, -0.8),
    fps=60.0,
    exposure_s=0.005,
    rolling_s=0.012,
)
_MATCH = replace(
    _CLUB,
    lens=replace(_CLUB.lens, focal_px=1520.0, radial=(-0.055, 0.012, 0.0, 0.004, 0.0, 0.0)),
    mount=Mount(1160.0, (2.0, 1.0), 1.2, 110.0, 0.4),
    exposure_s=0.003,
    rolling_s=0.0,
    noise_read=0.9,
)
_FAST = replace(
    _WEBCAM, mount=Mount(1120.0, (0.0, 0.0), 6.0, 300.0, -2.0), fps=120.0, exposure_s=0.0025, noise_read=2.4
)
_WIDE = replace(
    _WEBCAM,
    lens=replace(
        _WEBCAM.lens, focal_px=612.0, radial=(-0.16, 0.03, -0.003, 0.008, 0.0, 0.0), prism=(0.0009, 0.0, -0.0006, 0.0)
    ),
    mount=Mount(820.0, (8.0, 10.0), 7.0, 20.0, 2.6),
    rolling_s=0.022,
    exposure_s=0.012,
)

LOOKS: dict[str, Look] = {
    look.name: look
    for look in (
        Look("pale", rig=_WEBCAM),
        # The same table under a camera that is fast enough to call lines and contacts.
        Look("pale-club", rig=replace(_WEBCAM, fps=60.0, exposure_s=0.006)),
        Look(
            "birch-match",
            BoardLook(wood=(232, 208, 166), grain=0.07, frame=(110, 60, 34), around=(40, 74, 78), gloss=0.25),
            CoinLook(white=(228, 204, 160), striker=(150, 176, 196), striker_ink=(30, 60, 150), striker_style="star"),
            Light((-120.0, 260.0, 1500.0), (250, 246, 240), 0.84, 0.7, 0.3, 14.0, 0.25, 80.0),
            _MATCH,
        ),
        Look(
            "walnut-club",
            BoardLook(wood=(186, 138, 88), grain=0.18, grain_turned=True, frame=(58, 34, 24), worn=0.25, powder=0.12),
            CoinLook(white=(238, 224, 190), black=(30, 28, 30), striker=(240, 214, 90), striker_ink=(150, 40, 30)),
            Light((40.0, -60.0, 1300.0), (255, 226, 186), 0.8, 0.4, 0.55, 6.0, 0.8, 48.0, flicker=0.03),
            _CLUB,
        ),
        Look(
            "lacquer-dark",
            BoardLook(
                wood=(62, 44, 40),
                grain=0.12,
                lines=(226, 206, 160),
                discs=(170, 40, 36),
                frame=(28, 20, 18),
                powder=0.03,
                gloss=0.8,
            ),
            CoinLook(white=(236, 214, 172), black=(58, 52, 52), queen=(200, 44, 60), gloss=0.7),
            Light((220.0, -180.0, 1350.0), (255, 236, 210), 1.0, 0.5, 0.35, 10.0, 0.9, 42.0),
            _WEBCAM,
        ),
        Look(
            "pale-on-pale",
            BoardLook(wood=(226, 198, 152), grain=0.09, worn=0.15, powder=0.18, rose=True),
            CoinLook(white=(225, 197, 150), rings=0.14, striker=(230, 222, 204), striker_style="plain", gloss=0.25),
            Light((-200.0, 40.0, 1450.0), (255, 246, 228), 0.84, 0.8, 0.2, 18.0, 0.35, 70.0),
            _WEBCAM,
        ),
        Look(
            "fast",
            BoardLook(wood=(214, 176, 124), frame=(70, 38, 22)),
            CoinLook(striker=(60, 120, 200), striker_ink=(240, 240, 240)),
            Light((0.0, 0.0, 1250.0), (246, 248, 255), 0.88, 0.5, 0.4, 7.0, 0.4, 60.0, flicker=0.05),
            _FAST,
        ),
        # A bare bulb whose mirror image is white in the picture, and a thin set.
        Look(
            "mirror",
            BoardLook(wood=(222, 190, 140), grain=0.10, gloss=0.4),
            CoinLook(striker=(220, 60, 40), striker_ink=(250, 240, 200), gloss=0.6),
            Light((420.0, -380.0, 1300.0), (255, 238, 214), 0.88, 0.55, 0.4, 8.0, 3.0, 26.0),
            _CLUB,
            replace(pieces_of(_LAWS), coin_diameter_mm=30.3, coin_thickness_mm=7.0, striker_thickness_mm=8.4),
        ),
        # -- measured only from here on
        Look(
            "kept-red",
            BoardLook(
                wood=(126, 56, 40),
                grain=0.14,
                lines=(232, 214, 176),
                discs=(216, 180, 60),
                frame=(40, 26, 22),
                gloss=0.6,
                rose=True,
            ),
            CoinLook(white=(232, 206, 160), queen=(206, 36, 62), striker=(230, 230, 232), striker_ink=(170, 30, 40)),
            Light((-260.0, -120.0, 1400.0), (255, 232, 200), 0.92, 0.45, 0.5, 8.0, 0.7, 50.0),
            _CLUB,
        ),
        Look(
            "kept-tubes",
            BoardLook(wood=(220, 186, 134), grain=0.12, worn=0.3, powder=0.2, around=(60, 62, 70)),
            CoinLook(white=(214, 184, 136), striker=(214, 228, 220), striker_style="clear"),
            Light((0.0, 320.0, 1600.0), (236, 246, 255), 0.84, 0.75, 0.25, 16.0, 0.6, 34.0, True, 0.06),
            _WIDE,
            skin=(96, 62, 46),
            sleeve=(220, 220, 214),
        ),
        Look(
            "kept-sun",
            BoardLook(wood=(236, 214, 176), grain=0.06, rose=True, frame=(120, 76, 44), around=(150, 140, 128)),
            CoinLook(white=(240, 224, 188), black=(52, 42, 38), striker=(28, 28, 30), striker_ink=(220, 190, 80)),
            Light((300.0, 200.0, 1500.0), (255, 244, 226), 0.7, 0.6, 0.4, 8.0, 0.3, 60.0, sun=0.6),
            _MATCH,
            skin=(212, 164, 138),
        ),
        Look(
            "kept-mirror",
            BoardLook(wood=(204, 164, 116), grain=0.15, grain_turned=True, gloss=0.45, worn=0.2, around=(70, 74, 62)),
            CoinLook(white=(230, 206, 164), black=(46, 38, 36), striker=(140, 200, 150), striker_style="star"),
            Light((-400.0, 300.0, 1450.0), (255, 228, 190), 0.9, 0.5, 0.45, 9.0, 3.2, 24.0, flicker=0.02),
            replace(_WEBCAM, jpeg=78),
            PieceSet(_LAWS, 31.6, 8.8, 41.0, 9.8),
            skin=(120, 82, 62),
        ),
        Look(
            "kept-green",
            BoardLook(
                wood=(58, 78, 66), grain=0.05, lines=(206, 212, 214), discs=(196, 60, 44), frame=(34, 36, 40), gloss=0.5
            ),
            CoinLook(
                white=(236, 226, 196), black=(30, 26, 28), queen=(190, 40, 70), striker=(40, 140, 150), gloss=0.55
            ),
            Light((150.0, -320.0, 1550.0), (240, 248, 255), 0.95, 0.6, 0.35, 12.0, 0.6, 90.0),
            _FAST,
            replace(pieces_of(_LAWS), coin_diameter_mm=31.3, coin_thickness_mm=8.3),
            skin=(150, 104, 80),
        ),
        Look(
            "kept-honey",
            BoardLook(wood=(214, 150, 84), grain=0.22, worn=0.35, powder=0.22, star=6, frame=(92, 52, 28), gloss=0.3),
            CoinLook(
                white=(222, 186, 128), black=(70, 52, 44), queen=(214, 70, 60), striker=(250, 246, 236), rings=0.35
            ),
            Light((-330.0, 60.0, 1200.0), (255, 222, 176), 0.8, 0.42, 0.55, 5.0, 0.9, 40.0, flicker=0.03),
            replace(_CLUB, jpeg=80),
            PieceSet(_LAWS, 30.6, 7.6, 41.2, 9.2),
            skin=(88, 58, 44),
            sleeve=(150, 40, 40),
        ),
        Look(
            "kept-slate",
            BoardLook(
                wood=(96, 108, 128),
                grain=0.08,
                lines=(228, 224, 210),
                discs=(206, 96, 40),
                frame=(60, 52, 48),
                star=8,
                worn=0.2,
                gloss=0.65,
            ),
            CoinLook(
                white=(228, 206, 164),
                black=(46, 40, 38),
                queen=(200, 44, 60),
                striker=(200, 60, 50),
                striker_ink=(250, 240, 220),
                striker_style="star",
                rings=0.25,
                gloss=0.35,
            ),
            Light((220.0, 180.0, 1300.0), (255, 238, 214), 0.85, 0.5, 0.45, 9.0, 0.75, 70.0),
            _CLUB,
            PieceSet(_LAWS, 30.9, 7.8, 41.0, 8.8),
            skin=(196, 146, 116),
        ),
    )
}
MEASURED_ONLY = ("kept-red", "kept-tubes", "kept-sun", "kept-mirror", "kept-green", "kept-honey", "kept-slate")
DEVELOPMENT = tuple(name for name in LOOKS if name not in MEASURED_ONLY)


def on_board(look: Look, board: Board) -> Look:
    """The same table with another board, and with pieces of its sizes."""
    return replace(look, pieces=pieces_of(board, look.pieces.each))
