"""`carrom check`: finds what is wrong before play. One line a part; exit 1 if any fails, 2 without a configuration.

Each part is probed by its own small function and cannot stop the others. Nothing is changed on the machine.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from controller.config import Config, load_config
from controller.events.errors import CarromError

State = Literal["ok", "warn", "fail", "none"]


@dataclass(frozen=True)
class Finding:
    """What one probe found. `warn` does not fail the check; `none`: this table has no such part."""

    part: str
    state: State
    says: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--config", type=Path, required=True, metavar="FILE")


def run(args: argparse.Namespace) -> int:
    """Runs every probe and prints its line."""
    config = load_config(args.config)
    print(f"ok    configuration: {args.config}")
    failed = False
    for part, probe in PROBES.items():
        try:
            findings = list(probe(config))
        except CarromError as error:
            findings = [Finding(part, "fail", str(error))]
        for found in findings:
            failed |= found.state == "fail"
            print(f"{found.state:<5} {found.part}: {found.says}")
            sys.stdout.flush()
    return 1 if failed else 0


def _disk(config: Config) -> Iterator[Finding]:
    for name, folder in (("state", config.table.state), ("runtime", config.table.runtime)):
        there = next((place for place in (folder, *folder.parents) if place.is_dir()), Path("/"))
        free_mb = shutil.disk_usage(there).free // 2**20
        if there != folder and not _writable(there):
            yield Finding("disk", "fail", f"{folder}: cannot be made. Mend: set [table] {name} to a writable folder")
        elif not _writable(there):
            yield Finding("disk", "fail", f"{folder}: cannot be written. Mend: give it to the user who runs carrom")
        elif free_mb < 200:
            yield Finding("disk", "fail", f"{folder}: {free_mb} MB free. Mend: make room, a match needs about 50 MB")
        else:
            yield Finding("disk", "ok", f"{folder}: {free_mb} MB free")


def _writable(folder: Path) -> bool:
    probe = folder / ".carrom-check"
    try:
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


def _book(config: Config) -> Iterator[Finding]:
    from controller.commands.books import find_book

    book = find_book(config.match.book)
    if config.match.tournament and book.house:
        yield Finding("rulebook", "fail", f"{book.id} is a house book. Mend: tournaments play official books only")
    else:
        yield Finding("rulebook", "ok", f"{book.id}: {book.title}")


def _broker(config: Config) -> Iterator[Finding]:
    if not config.mqtt.enabled:
        yield Finding("broker", "none", "switched off")
        return
    where = f"{config.mqtt.host}:{config.mqtt.port}"
    try:
        socket.create_connection((config.mqtt.host, config.mqtt.port), 3).close()
    except OSError as error:
        yield Finding("broker", "fail", f"{where}: {error}. Mend: start mosquitto, or set [mqtt] host and port")
    else:
        yield Finding("broker", "ok", where)


def _pin(config: Config) -> Iterator[Finding]:
    file = config.web.pin_file
    if file is None:
        yield Finding("umpire's page", "warn", "no [web] pin_file: nobody can log in, everybody reads")
    elif not file.is_file():
        yield Finding("umpire's page", "fail", f"{file}: there is no such file. Mend: write a PIN into it")
    else:
        yield Finding("umpire's page", "ok", f"port {config.web.port}, PIN in {file}")


def _calibration(config: Config) -> Iterator[Finding]:
    if config.camera.kind == "none":
        yield Finding("calibration", "none", "no camera on this table")
        return
    file = config.camera.calibration
    if not file.is_file():
        yield Finding("calibration", "fail", f"{file}: there is no calibration. Mend: make one with carrom calibrate")
        return
    from controller.vision.calibration_file import load

    calibration = load(file)
    figures = ", ".join(f"{name} {value:.2f}" for name, value in calibration.residuals.items())
    yield Finding("calibration", "ok", f"{file}: grade {calibration.grade}{'; ' + figures if figures else ''}")


PROBES: dict[str, Callable[[Config], Iterator[Finding]]] = {
    "disk": _disk,
    "rulebook": _book,
    "broker": _broker,
    "umpire's page": _pin,
    "calibration": _calibration,
}
