"""`carrom pockets`: live view of the beams, for wiring: levels, pulses with their widths, noise, link and clock.

`--json` writes one object a line, for scripts; `--learn` finds out which sensor looks through which pocket.
"""

from __future__ import annotations

import argparse
import json
import queue
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from controller.commands.installed import add_config
from controller.commands.running import Loan, borrowed_beams
from controller.config import load_config
from controller.events.beams import BeamEdge, BeamGap, BeamHealth, PocketEvent
from controller.events.errors import ConfigError, DeviceError
from controller.pockets.beam_map import POCKETS, BeamMap, Place, beam_map
from controller.pockets.conversation import State
from controller.pockets.learn import Learner
from controller.pockets.pulses import Passage, Pulses
from controller.pockets.serial_port import AUTO, SerialPockets

ANSWER_S = 15.0
PORT_HELP = "serial port of the node; if left out, [pockets] port of the configuration, else it is looked for"
KEYS = ("id", "polarity", "beams", "stuck_s")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("--port", default=AUTO, help=PORT_HELP)
    parser.add_argument("--node", default="", metavar="ID", help="the node's id, where several are plugged in")
    add_config(parser, "names the beams as this configuration does", required=False)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--learn", action="store_true", help="a coin through each pocket, in any order, maps the beams")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=N", help=f"one of {', '.join(KEYS)}; kept")
    parser.add_argument("--count", type=int, metavar="N", help="end after N passages")


def run(args: argparse.Namespace) -> int:
    """Shows the beams until stopped. Raises DeviceError if no node answers."""
    settings = dict(_setting(text) for text in args.set)
    _check_port(args.port, "", "leave --port out")
    config = load_config(args.config) if args.config else None
    beams = beam_map(config.pockets.lines if config else None)
    if args.learn:
        # Whatever they are called now: every sensor must come through, by its number.
        beams = beam_map()
    queued: queue.SimpleQueue[PocketEvent] = queue.SimpleQueue()
    with borrowed_beams(config) as loan:
        port = args.port
        if port == AUTO and config is not None and config.pockets.kind == "serial":
            port = config.pockets.port
            if not loan.port:
                _check_port(port, f"{args.config}: [pockets] port ", 'write "auto" there')
        if args.port == AUTO and loan.port:
            port = loan.port
        source = SerialPockets(
            port=port,
            node=args.node or (config.pockets.node if config else ""),
            beams=beams,
            now_ns=time.monotonic_ns,
            store=lambda edges: None,
            emit=queued.put,
        )
        source.start()
        loan.watch(source.stop)
        heard = _arriving(queued, loan)
        try:
            _wait_for_node(source, port, loan)
            if settings:
                return _set(source, settings)
            if args.learn:
                return _learn(heard, beams)
            if args.json:
                return _write(heard, source, args.count)
            return _show(heard, source, beams, args.count)
        finally:
            source.stop()


def _check_port(port: str, where: str, otherwise: str) -> None:
    """Raises DeviceError where a port that was named is not there. Addresses (`socket://…`) pass."""
    if port != AUTO and "://" not in port and not Path(port).exists():
        raise DeviceError(f"{where}{port}: there is no such port. Fix: plug the node in, or {otherwise}")


def _setting(text: str) -> tuple[str, int]:
    key, equals, value = text.partition("=")
    if key not in KEYS or not equals:
        raise ConfigError(f"--set {text}: no such setting. Fix: KEY=N with one of {', '.join(KEYS)}")
    try:
        number = int(value, 0)
    except ValueError as error:
        raise ConfigError(f"--set {text}: {value!r} is no number. Fix: write it like 3 or 0x0f") from error
    limit = {"id": 0xFFFFFFFF, "polarity": 0xFF, "beams": 0xFF, "stuck_s": 250}[key]
    if not 0 <= number <= limit:
        raise ConfigError(f"--set {text}: out of range. Fix: 0 to {limit}")
    return key, number


def _wait_for_node(source: SerialPockets, port: str, loan: Loan) -> None:
    limit = time.monotonic() + ANSWER_S
    while source.link.state not in (State.RUNNING, State.REFUSED):
        loan.check()
        if time.monotonic() > limit:
            where = "any port" if port == AUTO else port
            why = source.report().says or "nobody says hello"
            raise DeviceError(
                f"no pocket node answers on {where} ({why}). Fix: check the cable; flash it with make -C "
                "firmware/pocket_node flash"
            )
        time.sleep(0.02)
    if source.link.state is State.REFUSED:
        raise DeviceError(source.link.refusal)


def _set(source: SerialPockets, settings: dict[str, int]) -> int:
    limit = time.monotonic() + ANSWER_S
    asked = 0.0
    while source.link.settings is None or any(source.link.settings[key] != settings[key] for key in settings):
        if time.monotonic() > limit:
            raise DeviceError("the node does not confirm its settings. Fix: check the cable and try again")
        if time.monotonic() > asked:
            source.send("set", **settings)
            asked = time.monotonic() + 1.0
        time.sleep(0.02)
    print(json.dumps(source.link.settings))
    return 0


def _arriving(heard: queue.SimpleQueue[PocketEvent], loan: Loan) -> Iterator[PocketEvent | None]:
    """Yields events as they come, and None a few times a second when there is none; as long as the loan lasts."""
    while True:
        loan.check()
        try:
            yield heard.get(timeout=0.2)
        except queue.Empty:
            yield None


# for scripts ----------------------------------------------------------------------------------------------------------


def _write(heard: Iterator[PocketEvent | None], source: SerialPockets, count: int | None) -> int:
    pulses = Pulses()
    passed = 0
    for event in heard:
        if event is None:
            continue
        _print(_as_json(event, source))
        for passage in _passages(pulses, event):
            _print(_passage_json(passage))
            passed += 1
            if passed == count:
                return 0
    return 0


def _print(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _passages(pulses: Pulses, event: PocketEvent) -> tuple[Passage, ...]:
    if isinstance(event, BeamEdge):
        return pulses.edge(event)
    if isinstance(event, BeamGap):
        pulses.forget()
        return ()
    return pulses.until(event.t_ns)


def _as_json(event: PocketEvent, source: SerialPockets) -> dict[str, Any]:
    if isinstance(event, BeamEdge):
        return {
            "event": "edge",
            "t": event.t_ns / 1e9,
            "u": event.u_ns / 1e9,
            "pocket": event.pocket,
            "beam": event.beam,
            "blocked": event.blocked,
            "boot": event.boot,
            "seq": event.seq,
        }
    if isinstance(event, BeamGap):
        return {
            "event": "gap",
            "t": event.t_ns / 1e9,
            "from": event.from_ns / 1e9,
            "lost": event.lost,
            "why": event.why,
        }
    report = source.report()
    margins = {"margin": list(source.link.sensors.margins)} if source.link.sensors.margins is not None else {}
    return {
        "event": "health",
        "t": event.t_ns / 1e9,
        "link": event.link,
        "blocked": [" ".join(place) for place in event.blocked],
        "blind": list(event.blind),
        "full": list(event.full),
        "noise": {" ".join(place): count for place, count in source.link.sensors.counts_by_place.items()},
        "node": report.node,
        "firmware": report.firmware,
        "damaged": report.damaged,
        "residual_ms": round(event.residual_ns / 1e6, 3),
        "rate_ppm": round(report.rate_ppm, 1),
        "says": event.says,
        **margins,
    }


def _passage_json(passage: Passage) -> dict[str, Any]:
    return {
        "event": "passage",
        "t": passage.t_ns / 1e9,
        "pocket": passage.pocket,
        "direction": passage.direction,
        "pulses": [{"beam": pulse.beam, "ms": round(pulse.width_ns / 1e6, 3)} for pulse in passage.pulses],
    }


# for people -----------------------------------------------------------------------------------------------------------


@dataclass
class _View:
    """What the screen shows."""

    beams: BeamMap
    health: BeamHealth = field(default_factory=lambda: BeamHealth(0, "down"))
    widths: dict[Place, float] = field(default_factory=dict)
    counts: dict[Place, int] = field(default_factory=dict)
    last: dict[str, str] = field(default_factory=dict)

    def passage(self, passage: Passage) -> None:
        self.last[passage.pocket] = passage.direction
        for pulse in passage.pulses:
            place = (pulse.pocket, pulse.beam)
            self.widths[place] = pulse.width_ns / 1e6
            self.counts[place] = self.counts.get(place, 0) + 1

    def table(self, source: SerialPockets) -> Table:
        report = source.report()
        clock = f"clock ±{report.residual_ns / 1e6:.2f} ms, {report.rate_ppm:+.0f} ppm"
        table = Table(
            title=f"node {report.node} on {report.where}: {self.health.link}, {clock}, "
            f"{report.damaged} damaged lines, {report.lost} edges lost",
            caption=self.health.says or "ctrl-c ends",
        )
        for column in ("beam", "now", "pulses", "last ms", "noise", "last through the pocket"):
            table.add_column(column)
        for place in self.beams.fitted:
            table.add_row(
                " ".join(place),
                "blocked" if place in self.health.blocked else "free",
                str(self.counts.get(place, 0)),
                f"{self.widths[place]:.1f}" if place in self.widths else "",
                str(source.link.sensors.counts_by_place.get(place, 0)),
                self.last.get(place[0], ""),
            )
        return table


def _show(heard: Iterator[PocketEvent | None], source: SerialPockets, beams: BeamMap, count: int | None) -> int:
    view, pulses, passed = _View(beams), Pulses(), 0
    with Live(view.table(source), console=Console(), refresh_per_second=5) as live:
        for event in heard:
            if event is None:
                continue
            if isinstance(event, BeamHealth):
                view.health = event
            for passage in _passages(pulses, event):
                view.passage(passage)
                passed += 1
            live.update(view.table(source))
            if count is not None and passed >= count:
                break
    return 0


def _learn(heard: Iterator[PocketEvent | None], beams: BeamMap) -> int:
    """Asks on standard error, so that what is learnt can be sent into a file."""
    sensors = {place: sensor for sensor, place in beams.places.items()}
    learner = Learner()
    print("Drop a coin through each pocket, in any order, one at a time.", file=sys.stderr)
    for event in heard:
        # An edge, too, ends the drop before it: hands are quick.
        drop = learner.drop(event.t_ns) if event is not None else None
        if isinstance(event, BeamEdge):
            learner.edge(sensors[(event.pocket, event.beam)], event.blocked, event.t_ns)
        if drop is None:
            continue
        numbers = " then ".join(str(sensor) for sensor in drop.sensors)
        print(f"sensor {numbers}. Which pocket was it ({' '.join(learner.missing)}, empty: none)? ", file=sys.stderr)
        answer = sys.stdin.readline()
        if not answer:
            raise ConfigError(f"nobody said which pocket: {' '.join(learner.missing)} are missing. Fix: start again")
        named = [pocket for pocket in POCKETS if pocket == answer.strip().upper()]
        if answer.strip() and not named:
            print(f"{answer.strip()} is no pocket; drop again", file=sys.stderr)
        elif named and (wrong := learner.name(drop, named[0])):
            print(wrong, file=sys.stderr)
        if not learner.missing:
            break
    print(learner.toml())
    return 0
