"""The pockets' part of `carrom check`: says hello to the node and looks at its beams, without taking an edge from it.

An edge that is only looked at must stay the daemon's: nothing is acknowledged here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from controller.commands.findings import Finding
from controller.config import Config
from controller.events.beams import BeamEdge, BeamHealth, PocketEvent
from controller.events.errors import DeviceError
from controller.table.clock import open_clock
from controller.table.pocket_source import pocket_source

HELLO_S = 8.0
"""A Nano that is reset by the opening of its port sits two seconds in its bootloader."""


def probe_pockets(config: Config, patience_s: float | None = None) -> Iterator[Finding]:
    """Yields one line about the node, and one for each beam that cannot be relied on."""
    settings = config.pockets
    heard = threading.Event()
    latest: list[BeamHealth] = []

    def emit(event: PocketEvent) -> None:
        if isinstance(event, BeamHealth) and event.link == "up":
            latest.append(event)
            heard.set()

    def keep_none(_edges: Sequence[BeamEdge]) -> None:
        raise DeviceError("carrom check keeps no edges")

    source = pocket_source(settings, open_clock(config.clock.file), keep_none, emit, lambda _epoch: None)
    if source is None:
        yield Finding("pocket node", "none", "no beams on this table")
        return
    source.start()
    try:
        up = heard.wait(HELLO_S if patience_s is None else patience_s)
        report = source.report()
    finally:
        source.stop()
    if not up:
        why = report.says or "nobody says hello"
        if "Mend:" not in why:
            what = "check [pockets] chip and lines" if settings.kind == "gpio" else "check the cable and pockets.port"
            why = f"{why}. Mend: {what}; carrom pockets shows more"
        yield Finding("pocket node", "fail", f"{report.where or settings.port}: {why}")
        return
    health = latest[-1]
    name = f"node {report.node}, firmware {report.firmware}" if report.node else "lines"
    yield Finding("pocket node", "ok", f"{report.where}: {name}")
    for pocket in health.blind:
        yield Finding(
            "beams", "fail", f"the {pocket} beam is blind. Mend: wipe lens and emitter, check its plug; carrom pockets"
        )
    for pocket, beam in health.blocked:
        if pocket not in health.blind:
            yield Finding("beams", "warn", f"the {pocket} {beam} beam is broken. Mend: empty the net, wipe the lens")
