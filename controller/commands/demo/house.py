"""The demo's house: everything that must stand before the first stroke, in the order in which it comes up.

Broker, simulated board with camera and node, daemon, observer, calibration, vision process. `carrom demo` plays
in it, and so do the tests that pull its plugs. Must not know what is played or counted.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.measures import measures_of
from calibration.presets import PRESETS
from controller.commands.demo.broker import Broker, free_port, start_broker
from controller.commands.demo.ears import Ears
from controller.commands.demo.official import Official
from controller.commands.demo.persons import Persons
from controller.commands.demo.pictures import calibrate_by_pictures
from controller.commands.demo.sight import Sight
from controller.commands.demo.stage import Stage
from controller.config import Config, to_toml
from controller.events.errors import ConfigError, DeviceError
from controller.events.match import Start
from controller.events.words import Seat
from controller.rules.book import Book
from controller.rules.shelf import load_books
from controller.simulator.board import Pace, SimulatedBoard
from controller.simulator.chip import ChipNode
from controller.simulator.clock import ClockFile
from controller.simulator.director import Setting
from controller.simulator.looks import LOOKS, Look, on_board
from controller.simulator.node import EmulatedNode
from controller.simulator.record import TruthFile
from controller.simulator.scenario import SCENARIOS
from controller.simulator.umpire import TrueUmpire
from controller.vision.calibration_file import told_making

LAWS = "international"
UP_SECONDS = 30.0
PLAYERS: dict[Seat, str] = {"south": "Asha", "north": "Ben"}
PARTNERS: dict[Seat, str] = {"east": "Chitra", "west": "Dev"}
"""They join where a book is played by four."""
TABLE = "demo"
HERE, EVERYWHERE = "127.0.0.1", "0.0.0.0"


@dataclass(frozen=True)
class Plan:
    """What the demo is asked for.

    `speed`: times real time, None for as fast as vision can; `scenario`: None for the tour where the book has one;
    `broker`: HOST:PORT of an outside one; `keep`: a folder for journal and truth; `board`: a preset;
    `table`: its id at the broker; `lan`: this computer's address in the network, if the pages are for phones in it too.
    """

    book: str = "icf"
    seed: int = 1
    speed: float | None = 1.0
    scenario: str | None = None
    look: str = "pale-club"
    node: str = "emulated"
    http_port: int = 0
    broker: str | None = None
    keep: Path | None = None
    board: str = LAWS
    table: str = TABLE
    lan: str = ""

    @property
    def drawn(self) -> Look:
        """The look as it is drawn: on the laws' board as it is, on another one with pieces of that board's sizes."""
        look = LOOKS[self.look]
        return look if self.board == LAWS else on_board(look, PRESETS[self.board])


@dataclass(frozen=True)
class House:
    """What stands. `url`: the pages, as this computer reaches them; `page`: as people do; `pin`: the umpire's."""

    folder: Path
    broker: Broker
    board: SimulatedBoard
    stage: Stage
    ears: Ears
    official: Official
    sight: Sight
    url: str
    page: str
    pin: str

    def cut_power(self) -> None:
        """Daemon and vision process die at once and come back, as after a power cut."""
        for name in self.stage.children:
            self.stage.kill(name)


@contextlib.contextmanager
def built(plan: Plan) -> Iterator[House]:
    """Builds the house up to the daemon's pages; `open_eyes` does the rest. Takes everything down at the end.

    Raises CarromError in one line if any part cannot be had.
    """
    books = load_books([plan.book] if plan.book.endswith(".toml") else [])
    if plan.book not in books:
        raise ConfigError(f"--book {plan.book}: there is no such rulebook. Fix: one of {', '.join(books)}")
    look = plan.drawn
    with _folder(plan.keep) as folder, contextlib.ExitStack() as stack:
        broker = start_broker(folder, plan.broker)
        stack.callback(broker.stop)
        clock = ClockFile(folder / "clock")
        stack.callback(clock.close)
        node = EmulatedNode(clock.now_ns) if plan.node == "emulated" else ChipNode(clock.now_ns)
        node.start()
        stack.callback(node.stop)
        truth = TruthFile(folder / "truth.jsonl")
        stack.callback(truth.close)
        tour = "tour" if plan.book == "icf" else "clean"
        setting = Setting(
            Start(plan.book, players_of(books[plan.book]), first="south", board=measures_of(PRESETS[plan.board])),
            # The sixes are played with fewer pieces of the same make.
            replace(look.pieces, each=books[plan.book].pieces["white"]),
            scenario=SCENARIOS[plan.scenario or tour],
            seed=plan.seed,
            fps=look.rig.fps,
        )
        pace = Pace(plan.speed)
        board = SimulatedBoard(setting, TrueUmpire(books), clock, look=look, pace=pace, node=node, truth=truth)
        pin = f"{secrets.randbelow(10**6):06d}"
        config = configuration(plan, folder, broker, board.stream.url, node.port, pin, players_of(books[plan.book]))
        if not plan.http_port:
            # After a power cut the pages are to be where they were.
            config = config.model_copy(update={"web": config.web.model_copy(update={"port": free_port()})})
        (folder / "carrom.toml").write_text(to_toml(config, "The demo's table."), encoding="utf-8")
        stage = Stage(folder)
        stack.callback(stage.stop)
        stage.start("daemon", "run", "--config", str(folder / "carrom.toml"))
        ears = Ears(broker.host, broker.port, plan.table, broker.speaks)
        ears.start()
        stack.callback(ears.stop)
        _await_table(ears, stage)
        port = (folder / "state" / "http-port").read_text().strip()
        url, page = f"http://{HERE}:{port}", f"http://{plan.lan or HERE}:{port}"
        official = Official(url, pin, overruled=Persons(folder / "state" / "journal.sqlite").acted)
        # It looks as everybody may, on a line of its own.
        sight = Sight(folder, Official(url, "").state, clock.now_ns)
        yield House(folder, broker, board, stage, ears, official, sight, url, page, pin)


def players_of(book: Book) -> dict[Seat, str]:
    """Returns who plays: two where the book lets two play, otherwise four."""
    return dict(PLAYERS) if 2 in book.players else PLAYERS | PARTNERS


def open_eyes(house: House, plan: Plan) -> None:
    """Starts the vision process and calibrates the camera as a volunteer would: it waits for that, and reports."""
    print("The camera is being set up: ten seconds to a minute.", flush=True)
    told_making(house.folder / "calibration.json", "the lens target is fetched")
    house.stage.start("eyes", "eyes", "--config", str(house.folder / "carrom.toml"))
    calibrate_by_pictures(plan.drawn, plan.seed, house.folder, plan.board, lambda says: print(f"… {says}", flush=True))
    print("The camera is ready; play begins.", flush=True)


def _await_table(ears: Ears, stage: Stage) -> None:
    waited = 0.0
    while not ears.wait_online(0.25):
        waited += 0.25
        if stage.trouble is not None or stage.children["daemon"].codes:
            # It has not been up yet: whatever ended it, nobody kills it on purpose so early.
            said = stage.trouble or stage.children["daemon"].last_words()
            raise ConfigError(said.removeprefix("carrom run: "))
        if waited > UP_SECONDS:
            log = stage.folder / "daemon.log"
            raise DeviceError(f"the table did not come up in {UP_SECONDS:.0f} s. Fix: read {log} (--keep keeps it)")


def configuration(
    plan: Plan,
    folder: Path,
    broker: Broker,
    camera: str,
    port: str,
    pin: str,
    players: Mapping[Seat, str] = PLAYERS,
) -> Config:
    """The demo table's configuration: an ordinary one, with the simulated camera, node and clock for its devices."""
    (folder / "pin").write_text(pin)
    rig = LOOKS[plan.look].rig
    for part in ("run", "state"):
        (folder / part).mkdir(exist_ok=True)
    name = "Demo table" if plan.table == TABLE else plan.table
    # A free port is known only once the pages are up: a hub has no link to them then.
    address = f"http://{plan.lan or HERE}:{plan.http_port}" if plan.http_port else ""
    host = EVERYWHERE if plan.lan else HERE
    return Config.model_validate(
        {
            "table": {"id": plan.table, "name": name, "runtime": folder / "run", "state": folder / "state"},
            "board": {"preset": plan.board},
            "match": {"book": plan.book, "seats": dict(players), "first": "south"},
            "camera": {
                "kind": "mjpeg",
                "url": camera,
                "width": rig.lens.width,
                "height": rig.lens.height,
                "fps": rig.fps,
                "shutter": "rolling" if rig.rolling_s else "global",
                "row_ns": rig.rolling_s * 1e9 / rig.lens.height,
                "keep_all": plan.speed is None,
                "calibration": folder / "calibration.json",
                "ring_mb": 128,
            },
            "pockets": {"kind": "serial", "port": port},
            "mqtt": {"host": broker.host, "port": broker.port, "version": broker.speaks, "open": True},
            "web": {"host": host, "port": plan.http_port, "address": address, "pin_file": folder / "pin"},
            "clock": {"file": folder / "clock"},
        }
    )


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """The demo's files: where they are to be kept, or in memory until it is over."""
    if keep is not None:
        if (keep / "state").exists():
            # An old journal there would have the table go on with an old match.
            raise ConfigError(f"--keep {keep}: a demo was kept there already. Fix: name a new folder")
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"--keep {keep}: cannot be made: {error}. Fix: name a folder you may write") from error
        yield keep.resolve()
        return
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**29
    with tempfile.TemporaryDirectory(prefix="carrom-demo-", dir=memory if roomy else None) as folder:
        yield Path(folder)
