"""`carrom support`: one archive with what somebody needs who helps from afar, and no secrets in it.

Versions, configuration, calibration, what the folders hold, the services' logs, the table's health as it says itself,
and the last strokes with what was ruled. Of the configuration it tells what is on a list (`support_settings`); whatever
is gathered goes through one sieve at the end (`support_sieve`), so that a secret, or a player's name, stays here
wherever it had got to. Nothing is changed on the machine.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from importlib.metadata import distributions
from pathlib import Path

from controller import __version__
from controller.commands.installed import add_config
from controller.commands.running import state_of
from controller.commands.support_settings import told
from controller.commands.support_sieve import sieve_for
from controller.config import Config, load_config
from controller.events.doors import CALIBRATION, SETTINGS, one_line, text_of, why_not
from controller.events.errors import CarromError, ConfigError, UnreadableError
from controller.journal import Journal
from controller.table.process.housekeeping import journal_of

UNITS = ("carrom", "carrom-eyes", "carrom-hub", "carrom-kiosk", "mosquitto")
LOG_LINES = 3000
LOG_S = 20.0
STROKES = 30
"""The last so many entries: a board's strokes with their questions and corrections."""
OWNER_ONLY = 0o600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    add_config(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("carrom-support.tar.gz"), metavar="FILE", help=f"ends in {', '.join(WRITERS)}"
    )


def run(args: argparse.Namespace) -> int:
    """Gathers everything and writes the archive."""
    write = next((writer for ending, writer in WRITERS.items() if args.out.name.endswith(ending)), None)
    if write is None:
        raise ConfigError(f"{args.out}: what kind of file is that? Fix: name one that ends in {', '.join(WRITERS)}")
    try:
        text = text_of(args.config, SETTINGS)
    except UnreadableError as error:
        raise ConfigError(f"{args.config}: {error}. Fix: name the file with --config") from error
    settings, untold = told(text)
    parts = {"versions.json": json.dumps(versions(), indent=1), "carrom.toml": settings, "logs.txt": logs()}
    config: Config | None = None
    try:
        config = load_config(args.config)
    except CarromError as error:
        parts["configuration-error.txt"] = str(error)
    else:
        parts["calibration.json"] = _calibration(config.camera.calibration)
        parts["state-folder.txt"] = _listing(config.table.state)
        parts["runtime-folder.txt"] = _listing(config.table.runtime)
        parts["health.json"] = health(config)
        parts["strokes.jsonl"] = strokes(config)
    sieve = sieve_for(config, untold)
    try:
        write(args.out, {name: sieve.text(part) for name, part in parts.items()})
    except OSError as error:
        raise ConfigError(f"{args.out}: cannot be written: {error}. Fix: name another file with --out") from error
    print(f"wrote {args.out}: {', '.join(sorted(parts))}")
    return 0


def _calibration(file: Path) -> str:
    try:
        return text_of(file, CALIBRATION)
    except UnreadableError as error:
        return f"{error}\n"


def _listing(folder: Path) -> str:
    """The folder's files and their sizes; whatever somebody has put there, in names that can be written."""
    try:
        files = sorted(folder.iterdir())
        return "".join(f"{one_line(file.name)} {file.lstat().st_size}\n" for file in files)
    except (OSError, ValueError) as error:
        return f"{why_not(error)}\n"


def logs() -> str:
    """Returns what the services logged lately, by the machine's journal; or why that cannot be had."""
    units = [f"--unit={unit}" for unit in UNITS]
    command = ["journalctl", "--no-pager", "--output=short-iso", f"--lines={LOG_LINES}", *units]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LOG_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"journalctl: {error}\n"
    return done.stdout + done.stderr


def health(config: Config) -> str:
    """Returns how the running table says that it is, with its standing alerts; or that it does not answer."""
    try:
        state = state_of(config)
        return json.dumps({"health": state["health"], "alerts": state["alerts"]}, indent=1)
    except (OSError, ValueError, KeyError) as error:
        return json.dumps({"says": f"the table does not answer: {error}"})


def strokes(config: Config) -> str:
    """Returns the last entries of the latest match with what was ruled on them, a JSON object a line; or why not."""
    path = journal_of(config)
    try:
        with Journal(path, read_only=True) as journal:
            latest = journal.matches(1)
            entries = journal.events(latest[-1].match)[-STROKES:] if latest else ()
    except (CarromError, OSError) as error:
        return json.dumps({"says": one_line(error)}) + "\n"
    lines = [
        {"seq": one.seq, "t": one.t_unix, "source": one.source, "event": one.event, "ruling": one.ruling}
        for one in entries
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def versions() -> dict[str, object]:
    """What runs here."""
    return {
        "carrom": __version__,
        "python": sys.version,
        "machine": platform.platform(),
        "packages": {found.metadata["Name"]: found.version for found in distributions()},
    }


# -- the archive


def _tar(path: Path, parts: Mapping[str, str]) -> None:
    with os.fdopen(_opened(path), "wb") as stream, tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, text in sorted(parts.items()):
            body = text.encode("utf-8", "replace")
            entry = tarfile.TarInfo(f"carrom-support/{name}")
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))


def _zip(path: Path, parts: Mapping[str, str]) -> None:
    with os.fdopen(_opened(path), "wb") as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(parts.items()):
            archive.writestr(f"carrom-support/{name}", text.encode("utf-8", "replace"))


def _opened(path: Path) -> int:
    """The file, new or emptied, for its owner alone: it tells how a club's machine is made."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY)


WRITERS: dict[str, Callable[[Path, Mapping[str, str]], None]] = {".tar.gz": _tar, ".tgz": _tar, ".zip": _zip}
"""The kinds of file that can be asked for, by the end of their name."""
