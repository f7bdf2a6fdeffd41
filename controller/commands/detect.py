"""`carrom detect`: what lies where in a picture, one JSON line an image; with --draw also a picture with outlines."""

from __future__ import annotations

import argparse
import json
import sys
import time

from controller.commands.calibrate_live import live_source
from controller.commands.check_camera import is_fed
from controller.commands.detect_drawn import drawn
from controller.commands.detect_live import serve
from controller.commands.installed import add_config
from controller.config import load_config
from controller.events.errors import ConfigError, UnreadableError
from controller.vision.calibration_file import Calibration, load
from controller.vision.elsewhere import Elsewhere, elsewhere, grey
from controller.vision.eyes import RING
from controller.vision.finding import Finding, find
from controller.vision.learning.own_names import other_nets
from controller.vision.looks import Pixels
from controller.vision.pictures import picture_of, write_picture

HELP = "what lies where in a picture, one JSON line an image"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's options."""
    parser.add_argument("--calibration", metavar="FILE", help="needed, except with --config")
    parser.add_argument("images", metavar="IMAGE", nargs="*")
    parser.add_argument("--draw", metavar="PNG", help="the one picture, with board and pieces outlined")
    parser.add_argument("--live", action="store_true", help="a page with the camera's picture and what is found in it")
    add_config(parser, "its calibration; live: its ring, or else its camera", required=False)
    parser.add_argument("--source", metavar="WHERE", help="live: a stream's http address, a device, or a folder")
    parser.add_argument("--size", metavar="WxH", default="1280x720", help="live: the size a device is asked for")
    parser.add_argument("--http", type=int, default=8090, metavar="PORT", help="live: the page's port (0: any)")


def run(args: argparse.Namespace) -> int:
    """Runs the command; 0, or 2 by way of CarromError."""
    if args.live:
        return _live(args)
    file = args.calibration or (load_config(args.config).camera.calibration if args.config else None)
    if file is None:
        raise ConfigError("--calibration is missing. Fix: name the file that carrom calibrate made, or give --config")
    if not args.images:
        raise ConfigError("no picture is given. Fix: name pictures, or --live with --config or --source")
    if args.draw and len(args.images) > 1:
        raise ConfigError(f"--draw {args.draw}: is one picture, and {len(args.images)} are given. Fix: give one")
    calibration = load(file)
    if says := other_nets(calibration.looks):
        print(f"{file}: {says}", file=sys.stderr)
    for path in args.images:
        picture = _read(path, calibration)
        found = find(picture, calibration.model, calibration.looks, calibration.board)
        doubt = None
        # Without a fit to the paint (four corners alone) nothing finer than some millimetres is promised anyhow.
        if "residual_mm" in calibration.residuals:
            doubt = elsewhere(grey(picture), calibration.model, calibration.board, calibration.looks)
        if doubt is not None:
            print(f"{path}: {doubt.says}", file=sys.stderr)
        print(json.dumps(line(path, found, doubt)), flush=True)
        if args.draw:
            write_picture(args.draw, drawn(picture, found, calibration))
            print(f"what was found is drawn in {args.draw}", file=sys.stderr)
    return 0


def _live(args: argparse.Namespace) -> int:
    config = load_config(args.config) if args.config else None
    file = args.calibration or (config.camera.calibration if config else None)
    if file is None:
        raise ConfigError("--calibration is missing. Fix: name the file that carrom calibrate made, or give --config")
    calibration = load(file)
    if config is not None and args.source is None:
        ring = config.table.runtime / RING
        if is_fed(ring):
            return serve(calibration, ring, None, args.http)
    return serve(calibration, None, live_source(args.config, args.source, args.size, time.monotonic_ns), args.http)


def line(path: str, found: Finding, doubt: Elsewhere | None = None) -> dict[str, object]:
    """What is printed for one image; `doubt`: its places are that much less certain."""
    off_mm = 0.0 if doubt is None else doubt.off_mm
    return {
        "image": path,
        **({} if doubt is None else {"doubt": doubt.says}),
        "pieces": [
            {
                "piece": piece.piece,
                "x": piece.x_mm,
                "y": piece.y_mm,
                "u95": round(piece.u95_mm + off_mm, 2),
                "upright": piece.upright,
                "confidence": piece.confidence,
            }
            for piece in found.pieces
        ],
        "hidden": [[[round(x, 1), round(y, 1)] for x, y in polygon] for polygon in found.hidden],
    }


def _read(path: str, calibration: Calibration) -> Pixels:
    try:
        picture = picture_of(path)
    except UnreadableError as error:
        raise ConfigError(f"{path}: {error}. Fix: name a JPEG or PNG") from error
    size = (picture.shape[1], picture.shape[0])
    if size != calibration.model.size:
        w, h = calibration.model.size
        raise ConfigError(
            f"{path}: is {size[0]}×{size[1]}, the calibration is for {w}×{h}. Fix: calibrate with such pictures"
        )
    return picture
