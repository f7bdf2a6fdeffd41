"""What hangs on this machine, for `carrom init`: cameras, pocket nodes, a broker. Looks, and changes nothing."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from controller.commands.check_pockets import HELLO_S
from controller.config import PocketsSection
from controller.events.beams import BeamEdge, BeamHealth, PocketEvent
from controller.events.errors import DeviceError
from controller.pockets.serial_port import find_ports
from controller.table.clock import open_clock
from controller.table.pocket_source import pocket_source

BROKER_S = 1.0
"""A broker on this machine answers at once."""
LIST_S = 10.0
STABLE = "/dev/carrom/camera"
"""The installed udev rule's name for the one USB camera."""


@dataclass(frozen=True, slots=True)
class Camera:
    """One camera: `kind` and `device` as the configuration takes them, `name` as it calls itself."""

    kind: str
    device: str
    name: str


@dataclass(frozen=True, slots=True)
class Node:
    """A serial port: the node that said hello on it, or empty `node` and why nobody did."""

    port: str
    node: str
    says: str = ""


def usb_cameras(system: Path = Path("/sys/class/video4linux"), devices: Path = Path("/dev")) -> Iterator[Camera]:
    """Yields the USB cameras that give pictures, by names that stay the same over restarts where there are such."""
    for folder in sorted(system.glob("video*"), key=lambda path: (len(path.name), path.name)):
        # A Pi has a dozen video devices that are no cameras: codecs, scalers, the receiver's own parts.
        bus = (folder / "device" / "subsystem").resolve().name
        if bus != "usb" or _text(folder / "index") != "0":
            continue
        node = devices / folder.name
        same = [link for link in (devices / "v4l" / "by-path").glob("*") if link.resolve() == node.resolve()]
        stable = str(min(same, key=str)) if same else str(node)
        if (named := devices / "carrom" / "camera").exists() and named.resolve() == node.resolve():
            stable = STABLE
        yield Camera("v4l2", stable, _text(folder / "name") or folder.name)


def csi_cameras(command: Sequence[str] = ("rpicam-hello", "--list-cameras")) -> Iterator[Camera]:
    """Yields the cameras on the Pi's own connectors, as libcamera lists them; none where there is no libcamera."""
    if shutil.which(command[0]) is None:
        return
    try:
        said = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LIST_S).stdout
    except (OSError, subprocess.TimeoutExpired):
        return
    for line in said.splitlines():
        number, colon, rest = line.partition(" : ")
        if colon and number.strip().isdigit():
            yield Camera("csi", number.strip(), rest.split(" [")[0].strip() or "camera")


def nodes(ports: Callable[[], Sequence[str]] = find_ports, patience_s: float = HELLO_S) -> Iterator[Node]:
    """Yields each port on which a node may hang, and the node that said hello there."""
    for port in ports():
        yield _hello(port, patience_s)


def broker_here(host: str = "localhost", port: int = 1883) -> bool:
    """Returns whether something listens where a broker does on this machine."""
    try:
        with socket.create_connection((host, port), BROKER_S):
            return True
    except OSError:
        return False


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


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
