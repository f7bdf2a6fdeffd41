"""`carrom camera`: how high a camera hangs, how finely it sees then, what grade that is, where no lamp may be."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from calibration.presets import PRESETS
from controller.events.doors import SETTINGS, text_of, toml_table
from controller.events.errors import ConfigError
from controller.events.words import Grade
from controller.vision.following.grade import grade_of

MODELS = Path(__file__).with_name("cameras.toml")

MARGIN_MM = 15.0
"""Seen beyond the playing surface on each side: a coin at the cushion leans out of the picture by less."""

HIGHEST_MM = 3000.0
"""A stand or a ceiling; beyond it nothing holds still."""


@dataclass(frozen=True, slots=True)
class Optics:
    """A camera with its lens: pixels of a picture, pictures a second, tangent of half the angle of view, both ways."""

    size: tuple[int, int]
    fps: float
    shutter: Literal["global", "rolling"]
    half_tan: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Hung:
    """A camera at a height: px/mm on the surface, what the picture shows there in mm, the best grade it can have."""

    height_mm: float
    px_per_mm: float
    shows_mm: tuple[float, float]
    grade: Grade


def through_lens(size: tuple[int, int], pixel_um: float, lens_mm: float) -> tuple[float, float]:
    """Returns the tangents of half the angles of view of a lens without distortion."""
    w, h = (pixels * pixel_um / 1000.0 / 2.0 / lens_mm for pixels in size)
    return w, h


def lowest_mm(optics: Optics, half_mm: float) -> float:
    """Returns the least height, in mm above the surface, from which all of a board of this half side is seen."""
    return (half_mm + MARGIN_MM) / min(optics.half_tan)


def hung(optics: Optics, height_mm: float) -> Hung:
    """Returns what a camera sees from this height, looking straight down."""
    w, h = (2.0 * height_mm * tan for tan in optics.half_tan)
    px_per_mm = min(optics.size[0] / w, optics.size[1] / h)
    return Hung(height_mm, px_per_mm, (w, h), grade_of(round(1e9 / optics.fps), px_per_mm, optics.shutter))


def lamps_beyond_mm(height_mm: float, lamp_mm: float, half_mm: float) -> float:
    """Returns how far from the axis a lamp at `lamp_mm` above the surface must be to mirror in none of the surface.

    The lacquer shows the camera a lamp where the way down from the lamp and up to the camera have the same slope.
    """
    return (half_mm + MARGIN_MM) * (height_mm + lamp_mm) / height_mm


def models() -> Mapping[str, Mapping[str, Any]]:
    """Returns the cameras that ship with the program, by id."""
    return toml_table(text_of(MODELS, SETTINGS))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("model", nargs="?", metavar="MODEL", help="a camera of the list; without it, the list")
    parser.add_argument("--lens", type=float, metavar="MM", help="focal length, where the lens is your choice")
    parser.add_argument("--field", metavar="WxH", help="angles of view in degrees, as 70x43; wins over the list")
    parser.add_argument("--size", metavar="WxH", help="pixels of a picture, as 1280x720; wins over the list")
    parser.add_argument("--fps", type=float, help="pictures a second; wins over the list")
    parser.add_argument("--height", type=float, metavar="MM", help="above the surface; the least if left out")
    parser.add_argument("--lamp", type=float, metavar="MM", default=900.0, help="height of the lamps above the surface")
    parser.add_argument("--board", choices=tuple(PRESETS), default="international")


def run(args: argparse.Namespace) -> int:
    """Prints the list, or what one camera sees. Exit 1 if it does not see the whole board from that height."""
    known = models()
    if args.model is None:
        half = PRESETS[args.board].half_mm
        for name, values in known.items():
            at = hung(optics := _optics(name, values, args), lowest_mm(optics, half))
            print(f"{name:<10} {at.height_mm:>5.0f} mm  {at.px_per_mm:.2f} px/mm  {at.grade:<6} {values['name']}")
        return 0
    if args.model not in known:
        raise ConfigError(f"there is no camera {args.model!r} in the list. Mend: use one of {', '.join(known)}")
    values = known[args.model]
    half = PRESETS[args.board].half_mm
    optics = _optics(args.model, values, args)
    least = lowest_mm(optics, half)
    height = _positive(args.height, "--height", HIGHEST_MM) if args.height is not None else least
    at = hung(optics, height)
    lamp = _positive(args.lamp, "--lamp", HIGHEST_MM)
    fits = height >= least - 0.5
    print(f"{values['name']}\n  {values['source']}")
    print(f"height of the lens above the surface: {height:.0f} mm (at least {least:.0f} mm)")
    print(f"shows {at.shows_mm[0]:.0f} × {at.shows_mm[1]:.0f} mm with {at.px_per_mm:.2f} px/mm")
    print(f"grade: {at.grade}, if the calibration and the light allow it")
    print(f"lamps {lamp:.0f} mm up: more than {lamps_beyond_mm(height, lamp, half):.0f} mm from the axis")
    if not fits:
        print(f"too low: the board's edge is not seen. Mend: hang it at {least:.0f} mm or higher, or a shorter lens")
    return 0 if fits else 1


def _optics(name: str, values: Mapping[str, Any], args: argparse.Namespace) -> Optics:
    size = _pair(args.size, "--size") if args.size else tuple(float(v) for v in values["size"])
    if args.field:
        field = _pair(args.field, "--field")
        if max(field) >= 150:
            raise ConfigError(f"--field {args.field}: no lens that can be calibrated sees so much. Mend: at most 150")
    else:
        field = tuple(values.get("field_deg", ()))
    if "pixel_um" in values and not args.field:
        lens = _positive(args.lens, "--lens", 100.0) if args.lens is not None else values["lens_mm"]
        tan = through_lens((int(size[0]), int(size[1])), values["pixel_um"], lens)
    else:
        if args.lens is not None and args.model:
            raise ConfigError(f"--lens: the lens of {name} is built in. Mend: leave it out, or give --field")
        tan = (math.tan(math.radians(field[0] / 2.0)), math.tan(math.radians(field[1] / 2.0)))
    fps = _positive(args.fps, "--fps", 1000.0) if args.fps is not None else float(values["fps"])
    return Optics((int(size[0]), int(size[1])), fps, values["shutter"], tan)


def _pair(text: str, option: str) -> tuple[float, ...]:
    try:
        pair = tuple(float(part) for part in text.lower().split("x"))
    except ValueError:
        pair = ()
    if len(pair) != 2 or not all(0 < one <= 10_000 for one in pair):
        raise ConfigError(f"{option} {text}: is no pair of numbers. Mend: write width and height, as 1280x720")
    return pair


def _positive(value: float, option: str, most: float) -> float:
    if not 0 < value <= most:
        raise ConfigError(f"{option} {value:g}: more than 0 and at most {most:g}. Mend: give it in the unit of --help")
    return value
