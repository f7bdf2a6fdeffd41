"""`carrom init`: asks a few questions and writes a configuration that `carrom check` can go on from."""

from __future__ import annotations

import argparse
import json
import re
import secrets
from collections.abc import Callable
from pathlib import Path

from controller.config import load_config
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
    pin_file = out.with_suffix(".pin")
    try:
        out.write_text(as_toml(answers, out.parent.resolve(), pin_file.resolve()), encoding="utf-8")
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
    if not re.fullmatch(r"[a-z0-9-]+", found["id"]):
        raise ConfigError(f"table id {found['id']!r}: only a-z, 0-9 and - are allowed. Mend: for example table1")
    return found


def as_toml(answers: dict[str, str], folder: Path, pin_file: Path) -> str:
    """Writes the configuration's text: a JSON string is a TOML string too."""
    quoted = {key: json.dumps(value) for key, value in answers.items()}
    return f"""# Carrom Umpire. Everything left out has a default: see docs/configuration.md.

[table]
id = {quoted["id"]}
runtime = {json.dumps(str(folder / "run"))}
state = {json.dumps(str(folder / "state"))}

[match]
book = {quoted["book"]}
first = "south"

[match.seats]
south = {quoted["south"]}
north = {quoted["north"]}

[camera]
kind = {quoted["camera"]}
calibration = {json.dumps(str(folder / "calibration.json"))}

[pockets]
kind = {quoted["pockets"]}

[mqtt]
host = {quoted["broker"]}

[web]
pin_file = {json.dumps(str(pin_file))}
"""
