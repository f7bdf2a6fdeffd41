"""`carrom calibrate`: pictures in, one calibration file out, and what fewer pictures cost."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.board import Board
from calibration.measures import board_of
from calibration.presets import PRESETS
from calibration.search import SOUTH
from calibration.target import Target, TargetError, drawing
from controller.commands.calibrate_live import guide, live_source
from controller.commands.findings import unwritable
from controller.commands.installed import installed
from controller.config import load_config
from controller.events.doors import fix_of
from controller.events.errors import ConfigError, UnreadableError
from controller.vision.calibration_file import save, told_making
from controller.vision.calibration_inputs import Inputs
from controller.vision.guided_calibration import calibrate
from controller.vision.looks import Pixels
from controller.vision.pictures import picture_of, pictures_named, write_picture
from controller.vision.posing import RefusedError

HELP = "camera calibration from pictures or live"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's options."""
    parser.add_argument("--lens", metavar="GLOB", help="pictures of the ChArUco target")
    parser.add_argument("--empty", metavar="IMAGE", help="the empty board")
    parser.add_argument("--opening", metavar="IMAGE", help="the opening arrangement; a pattern takes several")
    parser.add_argument(
        "--scattered", metavar="GLOB", help="10 to 20 boards with all nineteen coins and one striker pushed about"
    )
    parser.add_argument("--image", metavar="IMAGE", help="any picture of the board, with --corners")
    parser.add_argument("--corners", metavar='"x,y x,y x,y x,y"', help="inner corners in px: NW NE SE SW")
    parser.add_argument("--south", choices=sorted(SOUTH), default="bottom", help="the picture's edge at the south seat")
    parser.add_argument(
        "--board", metavar="PRESET", choices=tuple(PRESETS), help="the board that comes nearest (default: [board])"
    )
    parser.add_argument("--side", type=float, metavar="MM", help="side of the playing surface; all else is measured")
    parser.add_argument("--out", metavar="FILE", help="where the calibration goes (default: where --config says)")
    parser.add_argument("--report", metavar="PNG", help="the model drawn over the picture, with residuals")
    parser.add_argument("--live", action="store_true", help="guided, at the camera; so is a call without pictures")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="its [board], default this machine's; live: its camera"
    )
    parser.add_argument("--source", metavar="WHERE", help="live: a stream's http address, a device, or a folder")
    parser.add_argument("--size", metavar="WxH", default="1280x720", help="live: the size a device is asked for")
    parser.add_argument("--measure-thickness", action="store_true", help="live: measure it with the target")
    parser.add_argument("--print-target", metavar="FILE", help="writes the target in true size (.svg or .pdf) and ends")
    parser.add_argument("--squares", metavar="7x5", default="7x5", help="the target's squares")
    parser.add_argument("--square-mm", type=float, default=40.0)
    parser.add_argument("--marker-mm", type=float, default=30.0)
    parser.add_argument("--dictionary", default="DICT_5X5_100")
    parser.add_argument("--coin-diameter", type=float, metavar="MM")
    parser.add_argument("--coin-thickness", type=float, metavar="MM", help="default 8; each wrong mm is up to 0.5 mm")
    parser.add_argument("--flat", metavar="GLOB", help="the target lying on the empty board: with --on-coins")
    parser.add_argument("--on-coins", metavar="GLOB", help="the target at the same place, on four coins")
    parser.add_argument("--on-striker", metavar="GLOB", help="the target at the same place, balanced on the striker")
    parser.add_argument("--striker-diameter", type=float, metavar="MM")
    parser.add_argument("--striker-thickness", type=float, metavar="MM")
    parser.add_argument("--sharp-edges", action="store_true", help="pieces with sharp edges; turned ones are rounded")


def run(args: argparse.Namespace) -> int:
    """Runs the command; 0, or 2 by way of CarromError."""
    target = _target(args)
    if args.print_target:
        return _print_target(Path(args.print_target), target)
    given = args.empty or args.opening or args.image or args.lens
    if not given and not args.source:
        # Pictures of who knows which camera must not become this table's calibration unless that is said.
        args.config = args.config or installed()
    live = args.live or (not given and (args.source or args.config))
    if not given and not live:
        raise ConfigError(
            "no pictures were given and no camera is named. Fix: --lens, --empty and --opening, or --corners and "
            "--image, or --live with --config or --source"
        )
    source = live_source(args.config, args.source, args.size, time.monotonic_ns) if live else None
    out = _out(args)
    if args.corners and not (args.image or args.empty or args.opening):
        raise ConfigError("--corners needs a picture. Fix: add --image IMAGE")
    inputs = _inputs(args, target)
    if source is not None:
        made = guide(source, inputs, thickness=args.measure_thickness, say=print)
    else:
        try:
            made = calibrate(inputs, lambda says: _tell(says, Path(out)))
        except RefusedError as error:
            if not args.report:
                raise
            write_picture(args.report, error.report)
            raise ConfigError(f"{error}. What was found is drawn in {args.report}") from error
    save(out, made.calibration)
    if args.report:
        write_picture(args.report, made.report)
    if not live:
        for line in made.says:
            print(line)
    return 0


def _out(args: argparse.Namespace) -> str:
    """The file that the calibration goes into; that it can is tried before anybody lays a target or a board.

    Raises ConfigError.
    """
    out = Path(args.out) if args.out else None
    if out is None and args.config:
        # Where the eyes look for it. The folder of a table that has never run is not there yet; an installed one's is
        # the service manager's.
        out = load_config(args.config).camera.calibration
        if out.absolute().is_relative_to(args.config.absolute().parent):
            with contextlib.suppress(OSError):
                out.parent.mkdir(parents=True, exist_ok=True)
    if out is None:
        raise ConfigError("--out is missing: where shall the calibration go? Fix: --out FILE, or --config FILE")
    if error := unwritable(out.parent):
        fix = "choose another --out" if args.out else "sudo carrom calibrate, or set [camera] calibration"
        raise ConfigError(f"{out}: cannot be written there ({error.strerror}). Fix: {fix_of(error, fix)}")
    return str(out)


def _tell(says: str, out: Path) -> None:
    """Progress, for a person who waits: what a machine reads from standard error is one line, and that is a fault.

    A vision process that waits for the calibration is notified too.
    """
    told_making(out, says)
    if sys.stderr.isatty():
        print(f"… {says}", file=sys.stderr, flush=True)


def _inputs(args: argparse.Namespace, target: Target) -> Inputs:
    openings = _all("--opening", args.opening, cv2.IMREAD_COLOR)
    board, side_said = _board(args)
    return Inputs(
        lens=_all("--lens", args.lens),
        flat=_all("--flat", args.flat),
        on_coins=_all("--on-coins", args.on_coins),
        on_striker=_all("--on-striker", args.on_striker),
        empty=_read(args.empty) if args.empty else None,
        opening=openings[0] if openings else None,
        openings=openings[1:],
        scattered=_all("--scattered", args.scattered, cv2.IMREAD_COLOR),
        image=_read(args.image) if args.image else None,
        corners=_corners(args.corners) if args.corners else None,
        south=args.south,
        board=board,
        side_said=side_said,
        target=target,
        coin_diameter_mm=_millimetres("--coin-diameter", args.coin_diameter, 20, 45),
        coin_thickness_mm=_millimetres("--coin-thickness", args.coin_thickness, 3, 20),
        striker_diameter_mm=_millimetres("--striker-diameter", args.striker_diameter, 30, 70),
        striker_thickness_mm=_millimetres("--striker-thickness", args.striker_thickness, 3, 25),
        sharp_edges=args.sharp_edges,
    )


def _all(option: str, pattern: str | None, flags: int = cv2.IMREAD_GRAYSCALE) -> list[Pixels]:
    if not pattern:
        return []
    paths = pictures_named(pattern)
    if not paths:
        raise ConfigError(f"{option} {pattern}: no such picture. Fix: name one, or a pattern in quotes")
    return [_read(path, flags) for path in paths]


def _read(path: str | Path, flags: int = cv2.IMREAD_COLOR) -> Pixels:
    try:
        return picture_of(path, flags)
    except UnreadableError as error:
        raise ConfigError(f"{path}: {error}. Fix: name a JPEG or PNG") from error


def _corners(said: str) -> Any:
    try:
        corners = np.array([[float(v) for v in pair.split(",")] for pair in said.split()], dtype=np.float64)
    except ValueError:
        corners = np.zeros(0)
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise ConfigError(f'--corners "{said}": four points are wanted. Fix: --corners "x,y x,y x,y x,y", NW NE SE SW')
    return corners


def _millimetres(name: str, value: float | None, low: float, high: float) -> float | None:
    if value is not None and not low <= value <= high:
        raise ConfigError(f"{name} {value:g}: between {low:g} and {high:g} mm is wanted")
    return value


def _board(args: argparse.Namespace) -> tuple[Board, bool]:
    """The board as given, and whether its side was given: by the options, else by the configuration, else the
    laws'. On an installed table its own configuration counts where no other is named.

    A side without a preset is taken for the nearest one's, for the laws' lines lie far off on a smaller board.
    """
    config = args.config or installed()
    said = load_config(config).board.said() if config else {}
    if said and not args.config and not args.board:
        print(f"[board] of {config} is taken: {', '.join(said)}", file=sys.stderr)
    if args.board:
        said = {"preset": args.board}
    if args.side is not None:
        nearest = min(PRESETS, key=lambda name: abs(2.0 * PRESETS[name].half_mm - args.side))
        said = {"preset": nearest, **said, "side_mm": args.side}
    try:
        return board_of(said), "side_mm" in said
    except ValueError as error:
        raise ConfigError(f"--side: {error}") from error


def _target(args: argparse.Namespace) -> Target:
    try:
        across, down = (int(v) for v in args.squares.lower().replace("×", "x").split("x"))
    except ValueError:
        across = down = 0
    if not (3 <= across <= 30 and 3 <= down <= 30):
        raise ConfigError(f"--squares {args.squares}: like 7x5 is wanted")
    if not 0 < args.marker_mm < args.square_mm:
        raise ConfigError("--marker-mm must be smaller than --square-mm")
    return Target(across, down, args.square_mm, args.marker_mm, args.dictionary)


def _print_target(path: Path, target: Target) -> int:
    try:
        if path.suffix.lower() == ".pdf":
            content = drawing(target, pdf=True)
        elif path.suffix.lower() == ".svg":
            content = drawing(target)
        else:
            raise ConfigError(f"{path}: a target is written as .svg or .pdf")
        path.write_bytes(content)
    except TargetError as error:
        raise ConfigError(str(error)) from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror})") from error
    print(f"{path}: print at 100 %, check the 100 mm line, glue onto something flat", file=sys.stderr)
    return 0
