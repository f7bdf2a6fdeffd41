"""`carrom camera`: how high a camera hangs, how finely it sees then, what grade that is, where no lamp may be."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from calibration.presets import PRESETS
from controller.commands.cameras.camera_grade import ENOUGH_FPS, MARGIN_MM, best_mode, rate_of
from controller.commands.cameras.camera_modes import Mode, mode_for
from controller.commands.cameras.known_cameras import KnownCamera, cameras
from controller.events.errors import ConfigError
from controller.events.words import Grade
from controller.vision.following.grade import grade_of

HIGHEST_MM = 3000.0
"""A stand or a ceiling; beyond it nothing holds still."""


@dataclass(frozen=True, slots=True)
class Optics:
    """A camera with its lens: pixels of a picture (no more than the sensor's mode has for it), pictures a second,
    tangent of half the angle of view, both ways."""

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


@dataclass(frozen=True, slots=True)
class Picture:
    """What a camera is asked for, and the mode of its sensor that this is taken from."""

    size_px: tuple[int, int]
    fps: float
    mode: Mode


def optics_of(camera: KnownCamera, picture: Picture, lens_mm: float | None = None) -> Optics:
    """Returns what is seen in a picture: what its mode reads of the sensor, cut to the picture's shape."""
    mode, seen = picture.mode, picture.mode.read_for(picture.size_px)
    w, h = (
        min(asked, round(seen_px * size_px / part_px))
        for asked, seen_px, size_px, part_px in zip(
            picture.size_px, seen, (mode.width_px, mode.height_px), mode.part_px, strict=True
        )
    )
    return Optics((w, h), min(picture.fps, mode.fps), camera.sensor.shutter, camera.half_tan(seen, lens_mm))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("model", nargs="?", metavar="MODEL", help="a camera of the list; without it, the list")
    parser.add_argument("--lens", type=float, metavar="MM", help="focal length, where the lens is your choice")
    parser.add_argument(
        "--field", metavar="WxH", help="angles of view of the whole sensor in degrees, as 70x43; wins over the list"
    )
    parser.add_argument("--size", metavar="WxH", help="pixels of a picture, as 1280x720; the best mode's if left out")
    parser.add_argument("--fps", type=float, help="pictures a second, likewise")
    parser.add_argument("--height", type=float, metavar="MM", help="above the surface; the least if left out")
    parser.add_argument("--lamp", type=float, metavar="MM", default=900.0, help="height of the lamps above the surface")
    parser.add_argument("--board", choices=tuple(PRESETS), default="international")


def run(args: argparse.Namespace) -> int:
    """Prints the list, or what one camera sees. Exit 1 if it does not see the whole board from that height."""
    half = PRESETS[args.board].half_mm
    if args.model is None:
        for name, camera in cameras().items():
            for picture in _best_first(camera, half):
                at = hung(optics := optics_of(camera, picture), lowest_mm(optics, half))
                w, h = picture.size_px
                print(
                    f"{name:<9} {w:>4} x {h:<4} {picture.fps:>2g}/s {at.height_mm:>5.0f} mm  {at.px_per_mm:.2f} px/mm  "
                    f"{at.grade:<6} {camera.name}"
                )
        return 0
    if args.model not in cameras():
        raise ConfigError(f"there is no camera {args.model!r} in the list. Fix: use one of {', '.join(cameras())}")
    camera = _with_field(cameras()[args.model], args)
    lens = _lens(args.model, camera, args)
    picture = _picture(camera, args, half)
    optics = optics_of(camera, picture, lens)
    least = lowest_mm(optics, half)
    height = _positive(args.height, "--height", HIGHEST_MM) if args.height is not None else least
    at = hung(optics, height)
    lamp = _positive(args.lamp, "--lamp", HIGHEST_MM)
    print(f"{camera.name}\n  {camera.source}")
    print(_taken_from(camera, picture))
    print(f"height of the lens above the surface: {height:.0f} mm (at least {least:.0f} mm)")
    print(f"shows {at.shows_mm[0]:.0f} × {at.shows_mm[1]:.0f} mm with {at.px_per_mm:.2f} px/mm")
    if height < least - 0.5:
        wanted = 2.0 * (half + MARGIN_MM)
        ways = [f"hang it at {least:.0f} mm or higher", *_other_ways(camera, lens, height, least, half)]
        print(f"too low: {wanted:.0f} × {wanted:.0f} mm must be seen. Fix: {', or '.join(ways)}")
        return 1
    print(f"grade: {at.grade}, if the calibration and the light allow it")
    print(f"lamps {lamp:.0f} mm up: more than {lamps_beyond_mm(height, lamp, half):.0f} mm from the axis")
    return 0


def _best_first(camera: KnownCamera, half_mm: float) -> Iterator[Picture]:
    """A picture of each mode in full, beginning with the one that `carrom init` writes."""
    left = list(camera.sensor.modes)
    while left:
        mode = best_mode(left, camera.sensor.shutter, half_mm)
        left.remove(mode)
        yield Picture((mode.width_px, mode.height_px), rate_of(mode), mode)


def _picture(camera: KnownCamera, args: argparse.Namespace, half_mm: float) -> Picture:
    """What is asked for on the command line; what is left out is the best mode's."""
    modes = camera.sensor.modes
    best = next(_best_first(camera, half_mm))
    size = _size(args.size) if args.size else best.size_px
    whole = next((mode for mode in modes if (mode.width_px, mode.height_px) == size), None)
    usual = rate_of(whole) if whole else ENOUGH_FPS if camera.listed else best.fps
    fps = _positive(args.fps, "--fps", 1000.0) if args.fps is not None else usual
    # Of a camera that nobody has listed it is not known what it cuts off: it is taken to show its field in any size.
    return Picture(size, fps, mode_for(modes, size, fps) if camera.listed else Mode(*size, fps))


def _taken_from(camera: KnownCamera, picture: Picture) -> str:
    """The picture, its rate and the mode behind it in one line."""
    mode, (w, h) = picture.mode, picture.size_px
    fps = min(picture.fps, mode.fps)
    says = f"picture {w} × {h}, {fps:g} a second, {camera.sensor.shutter} shutter"
    if not camera.listed:
        return says
    seen = mode.read_for((w, h))
    whole = camera.sensor.pixels_px
    return (
        f"{says}; sensor mode {mode.width_px} × {mode.height_px}: sees {seen[0]:.0f} × {seen[1]:.0f} of its "
        f"{whole[0]} × {whole[1]} pixels"
    )


def _other_ways(
    camera: KnownCamera, lens_mm: float | None, height_mm: float, least_mm: float, half_mm: float
) -> Iterator[str]:
    """Ways to see the board from that height: the lens that would, the mode of the sensor that does."""
    for picture in _best_first(camera, half_mm) if camera.listed else ():
        if lowest_mm(optics_of(camera, picture, lens_mm), half_mm) <= height_mm:
            w, h = picture.size_px
            yield f"--size {w}x{h} --fps {picture.fps:g}"
            return
    if camera.field_deg is None and (lens := lens_mm or camera.lens_mm):
        # Rounded down: a longer one would show less.
        yield f"a lens of {math.floor(10.0 * lens * height_mm / least_mm) / 10.0:g} mm or shorter"


def _with_field(camera: KnownCamera, args: argparse.Namespace) -> KnownCamera:
    if not args.field:
        return camera
    field = _pair(args.field, "--field")
    if max(field) >= 150:
        raise ConfigError(f"--field {args.field}: no lens that can be calibrated sees so much. Fix: at most 150")
    return replace(camera, field_deg=field)


def _lens(name: str, camera: KnownCamera, args: argparse.Namespace) -> float | None:
    if args.lens is None:
        return camera.lens_mm
    if camera.field_deg is not None:
        raise ConfigError(f"--lens: the lens of {name} is built in. Fix: leave it out, or give --field")
    return _positive(args.lens, "--lens", 100.0)


def _size(text: str) -> tuple[int, int]:
    w, h = _pair(text, "--size")
    if min(w, h) < 1:
        raise ConfigError(f"--size {text}: has no pixel. Fix: write width and height, as 1280x720")
    return round(w), round(h)


def _pair(text: str, option: str) -> tuple[float, float]:
    try:
        pair = tuple(float(part) for part in text.lower().split("x"))
    except ValueError:
        pair = ()
    if len(pair) != 2 or not all(0 < one <= 10_000 for one in pair):
        raise ConfigError(f"{option} {text}: is no pair of numbers. Fix: write width and height, as 1280x720")
    return pair[0], pair[1]


def _positive(value: float, option: str, most: float) -> float:
    if not 0 < value <= most:
        raise ConfigError(f"{option} {value:g}: more than 0 and at most {most:g}. Fix: give it in the unit of --help")
    return value
