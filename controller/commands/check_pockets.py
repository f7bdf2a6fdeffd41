"""The pockets' part of `carrom check`: says hello to the node and looks at its beams, without taking an edge from it.

An edge that is only shown must stay the daemon's: nothing is acknowledged here, but for the coins that somebody
drops when asked to (`--coins`).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from controller.commands.findings import Finding
from controller.commands.running import Loan, borrowed_beams, health_if_running
from controller.config import Config
from controller.events.beams import Beam, BeamEdge, BeamHealth, PocketEvent
from controller.events.errors import DeviceError
from controller.pockets.beam_map import POCKETS, Place
from controller.pockets.pulses import Passage, Pulses
from controller.pockets.source import PocketSource, SourceReport
from controller.table.machine.clock import open_clock
from controller.table.machine.pocket_source import pocket_source

HELLO_S = 8.0
"""A Nano that is reset by the opening of its port sits two seconds in its bootloader."""
BEATS = 5
"""Signs of life that are waited for, a second: a lamp on the mains flickers a hundred times in it."""
BEATS_S = 5.0
MOST_NOISE = 3
"""Short pulses of one beam in that second that may be chance."""
NOISE_FULL = 255
LEAST_MARGIN = 64
"""A quarter of the scale of a node that measures it: dust of one evening may take as much."""
COINS_S = 120.0
"""So long coins are waited for: four pockets, and a look at each."""


def probe_pockets(config: Config, patience_s: float | None = None) -> Iterator[Finding]:
    """Yields one line about the node, and one for each beam that cannot be relied on."""
    settings = config.pockets
    heard, listened = threading.Event(), threading.Event()
    told: list[BeamHealth] = []
    noise: list[Mapping[Place, int]] = []

    def emit(event: PocketEvent) -> None:
        if isinstance(event, BeamHealth) and event.link in ("up", "restarting"):
            told.append(event)
            heard.set()
            if [one.link for one in told[-BEATS:]] == ["up"] * BEATS:
                listened.set()

    def keep_none(_edges: Sequence[BeamEdge]) -> None:
        raise DeviceError("carrom check keeps no edges")

    source = pocket_source(settings, open_clock(config.clock.file), keep_none, emit, lambda _epoch: None)
    if source is None:
        yield Finding("pocket node", "none", "no beams on this table")
        return
    # Its port is the daemon's alone while that runs: what it knows is asked for, and what is not tried is said.
    if (said := health_if_running(config)) is not None and said.get("node") != "none":
        yield from _as_the_table_says(said)
        return
    source.start()
    try:
        up = heard.wait(HELLO_S if patience_s is None else patience_s)
        noise.append(source.report().noise)
        if up:
            listened.wait(BEATS_S)
        report = source.report()
    finally:
        source.stop()
    if not up:
        yield _no_node(config, report)
        return
    health = told[-1]
    if health.link == "restarting":
        yield Finding("pocket node", "fail", f"{report.where}: {health.says}")
        return
    if report.restarts:
        fix = "Fix: push its plugs home, try another USB cable or a powered hub"
        says = f"{report.where}: new starts while it was looked at: {report.restarts}. {fix}"
        yield Finding("pocket node", "warn", says)
    name = f"node {report.node}, firmware {report.firmware}" if report.node else "lines"
    yield Finding("pocket node", "ok", f"{report.where}: {name}")
    yield from beams_fit(report, health, noise[0])


def _as_the_table_says(health: Mapping[str, Any]) -> Iterator[Finding]:
    """Yields how node and beams are by the running table's own word."""
    node, beams = str(health.get("node")), str(health.get("beams"))
    if node == "up":
        yield Finding("pocket node", "ok", "up, says carrom, which runs and has it")
    else:
        why = health.get("says") or "it says no more"
        says = f"{node}, says carrom, which runs and has its port: {why}. Fix: check the cable and pockets.port"
        yield Finding("pocket node", "fail", says)
        return
    if beams != "ok":
        yield Finding("beams", "fail", f"{beams}, says carrom. Fix: wipe lens and emitter, check the plug")
    else:
        yield Finding("beams", "ok", "none is blind, says carrom; carrom pockets shows noise and light to spare")


def beams_fit(report: SourceReport, health: BeamHealth, noise_before: Mapping[Place, int]) -> Iterator[Finding]:
    """Yields a line for each beam that something is wrong with, or one that all are lit and quiet."""
    found = [
        Finding(
            "beams", "fail", f"the {pocket} beam is blind. Fix: wipe lens and emitter, check its plug; carrom pockets"
        )
        for pocket in health.blind
    ]
    for place in report.fitted:
        says = _wrong_with(place, report, health, noise_before)
        if says and place[0] not in health.blind:
            found.append(Finding("beams", "warn", f"the {' '.join(place)} beam {says}"))
    pockets = [place[0] for place in report.fitted]
    alone = "pocket has one beam: which way a piece went is not known. Fix: fit its twin"
    found += [Finding("beams", "warn", f"the {one} {alone}") for one in POCKETS if pockets.count(one) == 1]
    yield from found
    if not found:
        least = min(report.margins.values(), default=None)
        light = "how much light is to spare this node does not measure" if least is None else f"{least} of 255 to spare"
        yield Finding("beams", "ok", f"{len(report.fitted)} lit and quiet, {light}; carrom check --coins tries each")


def _wrong_with(place: Place, report: SourceReport, health: BeamHealth, noise_before: Mapping[Place, int]) -> str:
    """What is wrong with one beam and how to repair it, empty if nothing is."""
    count = report.noise.get(place, 0)
    flickers = count - noise_before.get(place, 0)
    if place in report.unwatched:
        return "is not watched by the node. Fix: carrom pockets --set beams=0xff"
    if place in health.blocked:
        return "is broken. Fix: empty the net, wipe the lens"
    if flickers > MOST_NOISE or count >= NOISE_FULL:
        what = f"{flickers} short pulses in a second" if flickers > MOST_NOISE else "countless short pulses"
        return f"flickers ({what}): light of a lamp reaches it, or a wire is loose. Fix: shade it, check its plug"
    if report.margins.get(place, 255) < LEAST_MARGIN:
        return f"is weak ({report.margins[place]} of 255 to spare). Fix: wipe lens and emitter, put them in line"
    return ""


def _no_node(config: Config, report: SourceReport) -> Finding:
    why = report.says or "nobody says hello"
    if "Fix:" not in why:
        what = "check [pockets] chip and lines" if config.pockets.kind == "gpio" else "check the cable and pockets.port"
        why = f"{why}. Fix: {what}; carrom pockets shows more"
    return Finding("pocket node", "fail", f"{report.where or config.pockets.port}: {why}")


# with coins -----------------------------------------------------------------------------------------------------------


def probe_coins(config: Config, say: Callable[[str], None], patience_s: float = COINS_S) -> Iterator[Finding]:
    """Asks for a coin through each pocket and yields a line for each: whether both beams felt it, and which way.

    Light from elsewhere on a receiver shows only so: its beam stays lit while a coin cuts it.
    """
    events: queue.SimpleQueue[PocketEvent] = queue.SimpleQueue()
    source = pocket_source(
        config.pockets, open_clock(config.clock.file), lambda _edges: None, events.put, lambda _epoch: None
    )
    if source is None:
        yield Finding("coins", "none", "no beams on this table")
        return
    with borrowed_beams(config) as loan:
        source.start()
        loan.watch(source.stop)
        try:
            say(f"drop a coin through each pocket, in any order; {patience_s:.0f} s")
            felt = _felt(source, events, say, patience_s, loan)
            report = source.report()
        finally:
            source.stop()
    if not report.fitted or (not felt and report.link != "running"):
        yield _no_node(config, report)
        return
    for pocket in dict.fromkeys(place[0] for place in report.fitted):
        fitted = {place[1] for place in report.fitted if place[0] == pocket}
        yield coins_fit(pocket, fitted, [passage for passage in felt if passage.pocket == pocket])


def coins_fit(pocket: str, fitted: set[Beam], passages: Sequence[Passage]) -> Finding:
    """Judges what the fitted beams of one pocket felt of the coins that were dropped through it."""
    fired = {beam for passage in passages for beam in passage.beams}
    if not fired:
        fix = "Fix: drop one; if one was dropped, carrom pockets shows whether a finger breaks the beams"
        return Finding("coins", "warn", f"{pocket}: no coin was felt. {fix}")
    if silent := sorted(fitted - fired):
        says = f"{pocket}: the {' and '.join(silent)} beam stayed lit while its twin felt a coin: light from elsewhere "
        says += "reaches it, or it is not in line. Fix: shade it from lamps and sun, push both to the window"
        return Finding("coins", "fail", says)
    if all(passage.direction == "out" for passage in passages):
        return Finding(
            "coins", "fail", f"{pocket}: upper and lower are swapped. Fix: swap them in [pockets] lines, or --learn"
        )
    return Finding("coins", "ok", f"{pocket}: {' and '.join(sorted(fired, reverse=True))} felt it")


def _felt(
    source: PocketSource,
    events: queue.SimpleQueue[PocketEvent],
    say: Callable[[str], None],
    patience_s: float,
    loan: Loan,
) -> list[Passage]:
    """Returns the passages until every fitted beam has felt a coin, or nobody drops any more."""
    pulses, felt = Pulses(), list[Passage]()
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        loan.check()
        try:
            event = events.get(timeout=0.2)
        except queue.Empty:
            continue
        if isinstance(event, BeamEdge):
            passages = pulses.edge(event)
        elif isinstance(event, BeamHealth):
            passages = pulses.until(event.t_ns)
        else:
            pulses.forget()
            continue
        for passage in passages:
            felt.append(passage)
            say(f"{passage.pocket}: felt by {' and '.join(sorted(passage.beams, reverse=True))}")
        fired = {(passage.pocket, beam) for passage in felt for beam in passage.beams}
        fitted = source.report().fitted
        if fitted and fired >= set(fitted):
            break
    return felt
