"""Which pocket nodes hang on this machine, for `carrom init`. Looks, and changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from controller.commands.check_pockets import HELLO_S
from controller.config import PocketsSection
from controller.events.beams import BeamEdge, BeamHealth, PocketEvent
from controller.events.errors import DeviceError
from controller.pockets.serial_port import find_ports
from controller.table.machine.clock import open_clock
from controller.table.machine.pocket_source import pocket_source


@dataclass(frozen=True, slots=True)
class Node:
    """A serial port: the node that answered on it, or empty `node` and why nobody did."""

    port: str
    node: str
    says: str = ""


def nodes(ports: Callable[[], Sequence[str]] = find_ports, patience_s: float = HELLO_S) -> Iterator[Node]:
    """Yields each port on which a node may hang, and the node that answered there."""
    for port in ports():
        yield _hello(port, patience_s)


def _hello(port: str, patience_s: float) -> Node:
    heard = threading.Event()

    def emit(event: PocketEvent) -> None:
        if isinstance(event, BeamHealth) and event.link == "up":
            heard.set()

    def keep_none(_edges: Sequence[BeamEdge]) -> None:
        raise DeviceError("carrom init keeps no edges")

    source = pocket_source(PocketsSection(port=port), open_clock(None), keep_none, emit, lambda _epoch: None)
    assert source is not None
    source.start()
    try:
        heard.wait(patience_s)
        report = source.report()
    finally:
        source.stop()
    return Node(port, report.node, report.says)
