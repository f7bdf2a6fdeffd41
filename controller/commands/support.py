"""`carrom support`: one archive with what somebody needs who helps from afar, and no secrets in it."""

from __future__ import annotations

import argparse
import io
import json
import platform
import re
import sys
import tarfile
from importlib.metadata import distributions
from pathlib import Path

from controller import __version__
from controller.config import load_config
from controller.events.doors import CALIBRATION, SETTINGS, one_line, text_of, why_not
from controller.events.errors import CarromError, ConfigError, UnreadableError

SECRET = re.compile(r"(?im)^(\s*\w*(?:password|pin|secret|token|user)\w*\s*=\s*).*$")
IN_URL = re.compile(r"(//)[^/@\s\"']+@")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--config", type=Path, required=True, metavar="FILE")
    parser.add_argument("--out", type=Path, default=Path("carrom-support.tar.gz"), metavar="FILE")


def run(args: argparse.Namespace) -> int:
    """Gathers versions, the configuration without its secrets, the calibration and the journal's summary."""
    parts = {"versions.json": json.dumps(versions(), indent=1)}
    try:
        text = text_of(args.config, SETTINGS)
    except UnreadableError as error:
        raise ConfigError(f"{args.config}: {error}. Mend: name the file with --config") from error
    parts["carrom.toml"] = without_secrets(text)
    try:
        config = load_config(args.config)
    except CarromError as error:
        parts["configuration-error.txt"] = without_secrets(str(error))
    else:
        parts["calibration.json"] = _calibration(config.camera.calibration)
        parts["state-folder.txt"] = _listing(config.table.state)
    try:
        write_archive(args.out, parts)
    except OSError as error:
        raise ConfigError(f"{args.out}: cannot be written: {error}. Mend: name another file with --out") from error
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


def without_secrets(text: str) -> str:
    """Blanks the values of keys that name a secret, and users and passwords inside addresses."""
    return IN_URL.sub(r"\1…@", SECRET.sub(r'\1"…"', text))


def versions() -> dict[str, object]:
    """What runs here."""
    return {
        "carrom": __version__,
        "python": sys.version,
        "machine": platform.platform(),
        "packages": {found.metadata["Name"]: found.version for found in distributions()},
    }


def write_archive(path: Path, parts: dict[str, str]) -> None:
    """Writes the parts as a tar.gz."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in sorted(parts.items()):
            body = text.encode()
            entry = tarfile.TarInfo(f"carrom-support/{name}")
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))
