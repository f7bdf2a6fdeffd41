"""`carrom demo`: a whole table with no hardware. The board, its players, its camera and its pocket node are simulated;
everything behind them is what runs on a real table, in its own processes.

Wiring of the show: broker, calibration from rendered pictures, daemon, eyes, board, umpire; then the summary.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from controller.commands.demo.broker import Broker, start_broker
from controller.commands.demo.ears import Ears
from controller.commands.demo.official import Official
from controller.commands.demo.pictures import calibrate_by_pictures
from controller.commands.demo.report import Progress, summary
from controller.commands.demo.show import Show
from controller.commands.demo.stage import Stage
from controller.config import Config, to_toml
from controller.events.errors import ConfigError, DeviceError
from controller.events.match import Start
from controller.rules.shelf import load_books
from controller.simulator.board import Pace, SimulatedBoard
from controller.simulator.clock import ClockFile
from controller.simulator.director import Setting
from controller.simulator.looks import LOOKS, Look
from controller.simulator.node import EmulatedNode, Node
from controller.simulator.record import TruthFile
from controller.simulator.scenario import SCENARIOS
from controller.simulator.umpire import TrueUmpire

UP_SECONDS = 30.0
SEATS = {"south": "Asha", "north": "Ben"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--boards", type=_count, metavar="N", help="ends after N boards")
    parser.add_argument("--shots", type=_count, metavar="N", help="ends after N strokes")
    parser.add_argument("--headless", action="store_true", help="opens no browser")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="another match for each number")
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="X", help="times real time, or max (default 1)")
    parser.add_argument("--book", default="icf", metavar="ID", help="rulebook (default icf)")
    parser.add_argument("--node", choices=("emulated", "simavr"), default="emulated", help="the pocket node")
    parser.add_argument("--http", type=int, default=0, metavar="PORT", help="port of the pages (default: a free one)")
    parser.add_argument("--broker", metavar="HOST:PORT", help="an outside broker instead of the demo's own")
    parser.add_argument(
        "--scenario", choices=sorted(SCENARIOS), help="how it is played (default: the tour first)"
    )
    parser.add_argument("--look", choices=sorted(LOOKS), default="pale", help="the simulated board's look")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keeps journal, truth and logs there")


def run(args: argparse.Namespace) -> int:
    """Plays until stopped or until it is enough; prints the summary. Exit code 1 on a silent error."""
    if not 0 <= args.http <= 65535:
        raise ConfigError(f"--http {args.http}: is no port. Mend: use 1024 to 65535, or leave it out")
    books = load_books([args.book] if args.book.endswith(".toml") else [])
    if args.book not in books:
        raise ConfigError(f"--book {args.book}: there is no such rulebook. Mend: one of {', '.join(books)}")
    with _folder(args.keep) as folder, contextlib.ExitStack() as stack:
        broker = start_broker(folder, args.broker)
        stack.callback(broker.stop)
        scenario = SCENARIOS[args.scenario or ("tour" if args.book == "icf" else "clean")]
        look = LOOKS[args.look]
        start = Start(args.book, dict(SEATS), first="south")  # type: ignore[arg-type]
        clock = ClockFile(folder / "clock")
        stack.callback(clock.close)
        node = _node(args.node, clock)
        stack.callback(node.stop)
        truth = TruthFile(folder / "truth.jsonl")
        stack.callback(truth.close)
        board = SimulatedBoard(
            Setting(start, look.pieces, scenario=scenario, seed=args.seed, fps=look.rig.fps),
            TrueUmpire(books),
            clock,
            look=look,
            pace=Pace(args.speed),
            node=node,
            truth=truth,
        )
        pin = f"{secrets.randbelow(10**6):06d}"
        config = _configuration(args, folder, broker, board.stream.url, look, node.port, pin)
        (folder / "carrom.toml").write_text(to_toml(config, "The demo's table."), encoding="utf-8")
        stage = Stage(folder)
        stack.callback(stage.stop)
        stage.start("daemon", "run", "--config", str(folder / "carrom.toml"))
        ears = Ears(broker.host, broker.port, config.table.id)
        ears.start()
        stack.callback(ears.stop)
        _await_table(ears, stage)
        port = (config.table.state / "http-port").read_text().strip()
        url = f"http://127.0.0.1:{port}"
        print(f"the table's page: {url}   umpire's page: {url}/umpire, PIN {pin}   broker: {broker.host}:{broker.port}")
        sys.stdout.flush()
        if not args.headless:
            webbrowser.open(url)
        calibrate_by_pictures(look, args.seed, folder)
        stage.start("eyes", "eyes", "--config", str(folder / "carrom.toml"))
        return _play(args, board, ears, Official(url, pin), stage)


def _play(args: argparse.Namespace, board: SimulatedBoard, ears: Ears, official: Official, stage: Stage) -> int:
    with Progress(args.shots) as progress:
        show = Show(board, ears, official, progress.stroke, shots=args.shots, boards=args.boards)
        failed: list[BaseException] = []

        def play() -> None:
            try:
                board.run(show.decide, show.shown)
            except BaseException as error:  # handed to the main thread, which ends the demo with it
                failed.append(error)

        thread = threading.Thread(target=play, name="board", daemon=True)
        stopped = False

        def stop(_number: int, _frame: FrameType | None) -> None:
            nonlocal stopped
            stopped = True
            board.stop()

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.2)
                if stage.trouble is not None:
                    board.stop()
                    raise ConfigError(stage.trouble)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    if failed:
        raise failed[0]
    print(summary(show.tally, show.truth, ears.score, stopped=stopped))
    return 1 if show.tally.silent else 0


def _await_table(ears: Ears, stage: Stage) -> None:
    waited = 0.0
    while not ears.wait_online(0.25):
        waited += 0.25
        if stage.trouble is not None:
            raise ConfigError(stage.trouble.removeprefix("carrom run: "))
        if waited > UP_SECONDS:
            raise DeviceError(
                f"the table did not come up in {UP_SECONDS:.0f} s; its log: {stage.folder / 'daemon.log'}"
            )


def _configuration(
    args: argparse.Namespace, folder: Path, broker: Broker, camera: str, look: Look, port: str, pin: str
) -> Config:
    (folder / "pin").write_text(pin)
    lens = look.rig.lens
    for name in ("run", "state"):
        (folder / name).mkdir(exist_ok=True)
    return Config.model_validate(
        {
            "table": {"id": "demo", "name": "Demo table", "runtime": folder / "run", "state": folder / "state"},
            "match": {"book": args.book, "seats": SEATS, "first": "south"},
            "camera": {
                "kind": "mjpeg",
                "url": camera,
                "width": lens.width,
                "height": lens.height,
                "fps": look.rig.fps,
                "shutter": "rolling" if look.rig.rolling_s else "global",
                "keep_all": args.speed is None,
                "calibration": folder / "calibration.json",
                "ring_mb": 128,
            },
            "pockets": {"kind": "serial", "port": port},
            "mqtt": {"host": broker.host, "port": broker.port},
            "web": {"host": "127.0.0.1", "port": args.http, "pin_file": folder / "pin"},
            "clock": {"file": folder / "clock"},
        }
    )


def _node(kind: str, clock: ClockFile) -> Node:
    if kind == "emulated":
        node = EmulatedNode(clock.now_ns)
        node.start()
        return node
    from controller.simulator.chip import ChipNode

    return ChipNode(clock)


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """The demo's files: where they are to be kept, or in memory until it is over."""
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"--keep {keep}: cannot be made: {error}. Mend: name a folder you may write") from error
        yield keep.resolve()
        return
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**29
    with tempfile.TemporaryDirectory(prefix="carrom-demo-", dir=memory if roomy else None) as folder:
        yield Path(folder)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _speed(text: str) -> float | None:
    if text == "max":
        return None
    speed = float(text)
    if not 0.05 <= speed <= 100:
        raise argparse.ArgumentTypeError("must be 0.05 to 100, or max")
    return speed
