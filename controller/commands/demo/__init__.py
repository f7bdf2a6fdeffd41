"""`carrom demo`: a whole table with no hardware. The board, its players, its camera and its pocket node are simulated;
everything behind them is what runs on a real table, in its own processes.

Arguments, and the show from curtain to summary; what must stand before is in `house`.
"""

from __future__ import annotations

import argparse
import sys
import threading
import webbrowser
from pathlib import Path

from calibration.measures import measures_of
from calibration.presets import PRESETS
from controller.commands.demo.desk import DemoDesk
from controller.commands.demo.house import TABLE, House, Plan, built, open_eyes
from controller.commands.demo.lan import OPENS, address_in_network, code
from controller.commands.demo.report import Progress, summary
from controller.commands.demo.show import Show
from controller.events.errors import ConfigError
from controller.mqtt.topics import Topics
from controller.simulator.looks import LOOKS
from controller.simulator.scenario import SCENARIOS
from controller.supervision.signals import STOPS, handling
from controller.web.feed import Feed
from controller.web.server import WebServer


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
    parser.add_argument("--lan", action="store_true", help="phones in your network reach the pages, too")
    parser.add_argument("--broker", metavar="HOST:PORT", help="an outside broker instead of the demo's own")
    parser.add_argument("--scenario", choices=sorted(SCENARIOS), help="how it is played (default: the tour first)")
    parser.add_argument("--look", choices=sorted(LOOKS), default="pale-club", help="the simulated board's look")
    parser.add_argument("--board", choices=tuple(PRESETS), default="international", help="the board that is played on")
    parser.add_argument("--table", default=TABLE, metavar="ID", help="its id, where several share a broker and a hub")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keeps journal, truth and logs there")


def run(args: argparse.Namespace) -> int:
    """Plays until stopped or until it is enough; prints the summary. Exit code 1 on a silent error."""
    if not 0 <= args.http <= 65535:
        raise ConfigError(f"--http {args.http}: is no port. Fix: use 1024 to 65535, or leave it out")
    Topics(args.table)  # a name that is none is said before anything is started
    plan = Plan(
        args.book,
        args.seed,
        args.speed,
        args.scenario,
        args.look,
        args.node,
        args.http,
        args.broker,
        args.keep,
        args.board,
        args.table,
        address_in_network() if args.lan else "",
    )
    with built(plan) as house:
        print(f"the table's page: {house.page}")
        print(f"umpire's page: {house.page}/umpire (PIN {house.pin}); broker: {house.broker.host}:{house.broker.port}")
        if plan.lan:
            print(OPENS)
            if sys.stdout.isatty():
                print(code(house.page))
        desk = DemoDesk(
            house.board.breaking, house.page, house.pin, house.cut_power, house.sight, measures_of(PRESETS[plan.board])
        )
        own = WebServer(desk.app(), Feed(), "127.0.0.1", 0)
        print(f"watch it from inside, and break it: http://127.0.0.1:{own.start()}/")
        print(
            "You be the umpire: log in at the umpire's page. While you are there, questions wait for you; once you act,"
        )
        print("the simulated umpire steps back for good, and its count ends.")
        print("Ctrl-C ends it.", flush=True)
        if not args.headless:
            webbrowser.open(house.page)
        try:
            open_eyes(house, plan)
            with Progress(args.shots) as progress:
                show = Show(
                    house.board,
                    house.ears,
                    house.official,
                    progress.stroke,
                    shots=args.shots,
                    boards=args.boards,
                    tell=lambda says: print(says, flush=True),
                )
                stopped = play(house, show)
        finally:
            own.stop()
        print(summary(show.tally, show.truth, house.ears.score, stopped=stopped))
        return 1 if show.tally.silent else 0


def play(house: House, show: Show) -> bool:
    """Plays the show to its end. Returns whether it was stopped before. Raises what went wrong in it."""
    failed: list[BaseException] = []
    asked = threading.Event()

    def perform() -> None:
        try:
            house.board.run(show.decide, show.shown)
        except BaseException as error:
            # Handed to the main thread, which ends the demo with it.
            failed.append(error)

    def stop(*_: object) -> None:
        asked.set()
        house.board.stop()

    thread = threading.Thread(target=perform, name="board", daemon=True)
    with handling(stop, *STOPS):
        thread.start()
        while thread.is_alive():
            thread.join(0.2)
            if house.stage.trouble is not None:
                house.board.stop()
                raise ConfigError(house.stage.trouble)
    if failed:
        raise failed[0]
    return asked.is_set()


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
