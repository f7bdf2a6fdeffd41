"""`carrom init`: asks a few questions and writes a configuration that `carrom check` can go on from."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from controller.config import Config, load_config, to_toml
from controller.events.errors import ConfigError

QUESTIONS = (
    ("id", "The table's id (a-z, 0-9, -)", "table1"),
    ("book", "Rulebook (icf, club, campus, classic, sixes, world, …)", "icf"),
    ("south", "Who sits at the south seat", "South"),
    ("north", "Who sits at the north seat", "North"),
    ("camera", "Camera: v4l2, csi, mjpeg or none", "v4l2"),
    ("pockets", "Pocket beams: serial, gpio or none", "serial"),
    ("broker", "MQTT broker's host", "localhost"),
)

SYSTEM = Path("/etc/carrom")
"""Where the units look for the configuration; they may write in the two folders below and nowhere else."""
SYSTEM_STATE, SYSTEM_RUNTIME = Path("/var/lib/carrom"), Path("/run/carrom")

ABOUT = "Carrom Umpire. Everything left out has a default: see docs/configuration.md."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--out", type=Path, default=Path("carrom.toml"), metavar="FILE")
    parser.add_argument("--yes", action="store_true", help="takes every default, asks nothing")


def run(args: argparse.Namespace) -> int:
    """Writes the file and the umpire's PIN beside it; refuses to overwrite either."""
    out: Path = args.out
    if out.exists():
        raise ConfigError(f"{out}: is there already. Mend: name another file with --out, or remove it")
    answers = gather((lambda _: "") if args.yes else (lambda _: None))
    places = places_for(out.resolve())
    pin_file = places.pin
    config = configured(answers, places)
    try:
        out.write_text(to_toml(config, ABOUT), encoding="utf-8")
        if not pin_file.exists():
            pin_file.touch(mode=0o600)
            pin_file.write_text(f"{secrets.randbelow(10**6):06d}\n")
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written: {error}. Mend: name a folder that you may write") from error
    load_config(out)
    print(f"wrote {out}; the umpire's PIN is in {pin_file}. Next: carrom check --config {out}")
    return 0


def gather(answer: Callable[[str], str | None]) -> dict[str, str]:
    """Asks each question; an empty answer takes the default. `answer` may know them beforehand."""
    found = {}
    for key, question, default in QUESTIONS:
        said = answer(key)
        if said is None:
            try:
                said = input(f"{question} [{default}]: ")
            except EOFError as error:
                raise ConfigError("the answers ended early. Mend: answer each question, or use --yes") from error
        found[key] = said.strip() or default
    return found


@dataclass(frozen=True, slots=True)
class Places:
    """Where a table's files lie: folders of its running files and its state, and the file with the umpire's PIN."""

    runtime: Path
    state: Path
    pin: Path


def places_for(out: Path) -> Places:
    """Returns the places for a configuration at `out`, an absolute path.

    Where the services read it from, they are the folders that systemd makes for them and the credential it hands over.
    """
    if out.parent == SYSTEM:
        return Places(SYSTEM_RUNTIME, SYSTEM_STATE, SYSTEM / "umpire-pin")
    return Places(out.parent / "run", out.parent / "state", out.with_suffix(".pin"))


def configured(answers: dict[str, str], places: Places) -> Config:
    """Returns the configuration that the answers make. Raises ConfigError for an answer that is none."""
    sections = {
        "table": {"id": answers["id"], "runtime": places.runtime, "state": places.state},
        "match": {
            "book": answers["book"],
            "seats": {"south": answers["south"], "north": answers["north"]},
            "first": "south",
        },
        "camera": {"kind": answers["camera"], "calibration": places.state / "calibration.json"},
        "pockets": {"kind": answers["pockets"]},
        "mqtt": {"host": answers["broker"]},
        "web": {"pin_file": places.pin},
    }
    try:
        return Config.model_validate(sections)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{key} = {first['input']!r}: {first['msg']}. Mend: answer that question anew") from error
