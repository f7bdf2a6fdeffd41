"""`carrom accept`: a table proves itself before a match, guided on a phone and here; the result is signed and printed.

What is measured and judged is in `acceptance/`; this ties it to camera, beams, page, keyboard and files.
"""

from __future__ import annotations

import argparse
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from controller import __version__
from controller.commands.acceptance import record
from controller.commands.acceptance.certificate import certificate_pdf, gauge_pdf
from controller.commands.acceptance.gauge import CONTROL_MM, MOST_SCALED, U95_MM
from controller.commands.acceptance.page import Page
from controller.commands.acceptance.plan import steps_of
from controller.commands.acceptance.sensors import Beams, Looker, beams_of
from controller.commands.acceptance.session import Acceptance, Button, Guidance
from controller.commands.acceptance.verdict import verdict_of
from controller.commands.calibrate_live import live_source
from controller.commands.check_acceptance import in_words
from controller.commands.check_calibration import grade_with
from controller.commands.check_camera import is_fed
from controller.commands.demo.lan import code
from controller.commands.detect_live import WAIT_S, Newest, from_ring
from controller.commands.findings import unwritable
from controller.commands.installed import add_config
from controller.config import Config, load_config
from controller.events.doors import fix_of
from controller.events.errors import ConfigError, DeviceError
from controller.vision.calibration_file import Calibration, load
from controller.vision.eyes import RING
from controller.vision.sources.capture import Capture
from controller.vision.sources.frame import EndOfRecordingError, Frame

KEYS: dict[str, Button] = {"": "done", "a": "again", "s": "skip"}
SIGNS = {"do": "→", "passed": "✓", "failed": "✗", "wanted": " "}
PAUSE_S = 0.02
STRIKER_MM = (30.0, 70.0)

Typed = queue.SimpleQueue[Button]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_config(parser)
    parser.add_argument("--print-gauge", type=Path, metavar="PDF", help="writes the gauge for this board and ends")
    parser.add_argument(
        "--control", type=float, default=CONTROL_MM, metavar="MM", help=f"the gauge's {CONTROL_MM:g} mm line, measured"
    )
    parser.add_argument(
        "--strikers", type=float, nargs="+", metavar="MM", help="diameters of A and B; default: two of the board's"
    )
    parser.add_argument("--http", type=int, default=8091, metavar="PORT", help="the page's port (0: any)")
    parser.add_argument("--anew", action="store_true", help="forgets an acceptance that was broken off")
    parser.add_argument("--verify", type=Path, metavar="JSON", help="says whether this table signed a result, and ends")


def run(args: argparse.Namespace) -> int:
    """Guides through the acceptance; 0 if the table has proved its grade, 1 otherwise. Raises CarromError."""
    config = load_config(args.config)
    if args.verify:
        return _verify(args.verify, config)
    if config.camera.kind == "none":
        raise ConfigError(f"{args.config}: this table has no camera. Fix: an acceptance needs [camera]")
    calibration = load(config.camera.calibration)
    if args.print_gauge:
        return _print_gauge(args.print_gauge, calibration)
    strikers = _strikers(args.strikers, calibration)
    scale = args.control / CONTROL_MM
    if not abs(scale - 1) <= MOST_SCALED:
        raise ConfigError(f"--control {args.control:g}: about {CONTROL_MM:g} is wanted. Fix: print at 100 %")
    state = config.table.state
    if error := unwritable(state):
        fix = fix_of(error, "sudo carrom accept")
        raise ConfigError(f"{state}: the result cannot be written there ({error.strerror}). Fix: {fix}")
    asked = {"calibration": record.digest_of(config.camera.calibration), "control": args.control, "strikers": strikers}
    if args.anew:
        record.forget(state)
    measured, spent_s = record.kept(state, asked)
    steps = steps_of(calibration.board, strikers, scale, beams=config.pockets.kind != "none")
    acceptance = Acceptance(steps, measured)
    began_s = time.monotonic() - spent_s

    def keep() -> None:
        record.keep(state, asked, acceptance.measured, time.monotonic() - began_s)

    # The beams first: a match in play keeps them, and nobody is sent to a page for nothing.
    with beams_of(config) as beams, _served(Page(calibration.board, config.web.host, args.http)) as page:
        typed = _keyboard()
        _guided(acceptance, config, args.config, Looker(calibration), beams, page, typed, keep)
        circumstances = record.Circumstances(
            config.table.id,
            config.table.name,
            __version__,
            time.time(),
            time.monotonic() - began_s,
            asked["calibration"],
            calibration.grade,
            grade_with(calibration, config.camera, config.camera.fps),
            calibration.model.px_per_mm,
            args.control,
            strikers,
            U95_MM,
        )
        return _finished(acceptance, circumstances, config, page, typed)


@contextmanager
def _served(page: Page) -> Iterator[Page]:
    page.served.start()
    try:
        print(code(page.url))
        print(f"its page: {page.url}\nhere: Enter = done, a = again, s = skip, Ctrl-C = go on another time", flush=True)
        yield page
    finally:
        page.served.stop()


def conduct(
    acceptance: Acceptance,
    looker: Looker,
    newest: Newest,
    beams: Beams,
    pressed: Callable[[], Button | None],
    tell: Callable[[Guidance], None],
    keep: Callable[[], None],
) -> None:
    """Runs an acceptance to its end: pictures, beams and buttons in, words out; `keep` after each step measured."""
    for said in acceptance.begin():
        tell(said)
    while acceptance.step is not None:
        before = len(acceptance.measured)
        told = list(beams.feed(acceptance))
        if (button := pressed()) is not None:
            told += acceptance.press(button)
        frame = newest()
        if frame is not None and acceptance.step is not None and acceptance.step.kind != "coins":
            told += acceptance.see(looker.look(frame.bgr))
        for said in told:
            tell(said)
        if len(acceptance.measured) != before:
            keep()
        if frame is None and not told:
            threading.Event().wait(PAUSE_S)


def _guided(
    acceptance: Acceptance,
    config: Config,
    file: Path,
    looker: Looker,
    beams: Beams,
    page: Page,
    typed: Typed,
    keep: Callable[[], None],
) -> None:
    ring = config.table.runtime / RING
    capture = None
    if not is_fed(ring):
        make = live_source(file, None, "", time.monotonic_ns)
        # A recording waits for whoever looks, a camera does not.
        capture = Capture(make, keep_all=not make().live)

    def pressed() -> Button | None:
        for buttons in (page.pressed, typed):
            if not buttons.empty():
                return buttons.get()
        return None

    def tell(said: Guidance) -> None:
        print(f"{SIGNS[said.kind]} {said.says}", flush=True)
        page.tell(said)
        page.show(acceptance)

    try:
        if capture is not None:
            capture.start()
        newest = from_ring(ring) if capture is None else _from_camera(capture, tell)
        conduct(acceptance, looker, newest, beams, pressed, tell, keep)
    finally:
        if capture is not None:
            capture.stop()


def _from_camera(capture: Capture, tell: Callable[[Guidance], None]) -> Newest:
    """The newest picture of the camera; what is wrong with it is printed once. Raises DeviceError where it ends."""
    trouble = [""]

    def newest() -> Frame | None:
        try:
            frame = capture.newest(WAIT_S)
        except EndOfRecordingError:
            raise DeviceError("the recording ended before every step was made. Fix: accept at the camera") from None
        if frame is None and capture.says != trouble[0]:
            trouble[0] = capture.says
            tell(Guidance("failed", trouble[0] or "the camera is back"))
        return frame

    return newest


def _keyboard() -> Typed:
    """Reads keys in a thread that ends with the process."""
    typed: Typed = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            if (button := KEYS.get(line.strip().lower())) is not None:
                typed.put(button)

    threading.Thread(target=read, daemon=True, name="keyboard").start()
    return typed


def _finished(
    acceptance: Acceptance, circumstances: record.Circumstances, config: Config, page: Page, typed: Typed
) -> int:
    state = config.table.state
    verdict = verdict_of(
        acceptance.steps, acceptance.measured, circumstances.camera_grade, beams=config.pockets.kind != "none"
    )
    file = record.written(state, circumstances, acceptance.measured, verdict)
    made = record.read(file, state)
    page.pdf = certificate_pdf(made, record.key_mark(file))
    file.with_suffix(".pdf").write_bytes(page.pdf)
    record.forget(state)
    result = in_words(made)
    page.show(acceptance, result)
    print(f"{result}\n{file}\n{file.with_suffix('.pdf')}", flush=True)
    if sys.stdin.isatty():
        print("The page shows the result until you press Enter.", flush=True)
        # Standard input is the keyboard's thread's alone.
        while not typed.empty():
            typed.get()
        typed.get()
    return 0 if verdict.holds else 1


def _verify(file: Path, config: Config) -> int:
    made = record.read(file, config.table.state)
    if made.signed is None:
        raise ConfigError(f"{config.table.state}: the table's key cannot be read. Fix: the same with sudo")
    print(in_words(made) if made.signed else f"{file}: this table did not sign it, or it was changed since")
    return 0 if made.signed else 1


def _print_gauge(file: Path, calibration: Calibration) -> int:
    try:
        file.write_bytes(gauge_pdf(calibration.board))
    except OSError as error:
        raise DeviceError(f"{file}: {error.strerror}. Fix: name a writable file") from error
    print(f"{file}: print at 100 %, measure the {CONTROL_MM:g} mm line, glue onto card, cut along the long edges")
    return 0


def _strikers(given: list[float] | None, calibration: Calibration) -> tuple[float, ...]:
    strikers = tuple(given or (calibration.board.striker_diameter_mm,) * 2)
    if len(strikers) > 2 or not all(STRIKER_MM[0] <= one <= STRIKER_MM[1] for one in strikers):
        raise ConfigError("--strikers: one or two diameters in mm are wanted. Fix: --strikers 41.3 41.2")
    return strikers
