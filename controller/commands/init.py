"""`carrom init`: asks a few questions and writes a configuration that `carrom check` can go on from."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
AWAY = (
    ("broker_user", "The table's user on the broker, none if it asks for no password", "none"),
    ("broker_tls", "TLS to the broker: no, system (public authorities), or the file of its authority", "no"),
)
"""Asked of a broker on another machine."""

TLS_PORT = 8883
"""Where brokers listen for TLS, by convention."""

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
    if config.mqtt.password_file is not None:
        print(f"write the broker's password for {config.mqtt.user} into {config.mqtt.password_file}")
    print(f"wrote {out}; the umpire's PIN is in {pin_file}. Next: carrom check --config {out}")
    return 0


def gather(answer: Callable[[str], str | None]) -> dict[str, str]:
    """Asks each question; an empty answer takes the default. `answer` may know them beforehand."""
    found: dict[str, str] = {}

    def ask(questions: Iterable[tuple[str, str, str]]) -> None:
        for key, question, default in questions:
            said = answer(key)
            if said is None:
                try:
                    said = input(f"{question} [{default}]: ")
                except EOFError as error:
                    raise ConfigError("the answers ended early. Mend: answer each question, or use --yes") from error
                except UnicodeDecodeError as error:
                    raise ConfigError(f"{key}: the answer is no valid UTF-8. Mend: answer anew") from error
            found[key] = said.strip() or default

    ask(QUESTIONS)
    if found["broker"] not in ("localhost", "127.0.0.1", "::1"):
        ask(AWAY)
    return found


@dataclass(frozen=True, slots=True)
class Places:
    """Where a table's files lie: the folders of its running files and its state; the PIN; the broker's password."""

    runtime: Path
    state: Path
    pin: Path
    password: Path


def places_for(out: Path) -> Places:
    """Returns the places for a configuration at `out`, an absolute path.

    Where the services read it from, they are the folders that systemd makes for them and the credential it hands over.
    """
    if out.parent == SYSTEM:
        return Places(SYSTEM_RUNTIME, SYSTEM_STATE, SYSTEM / "umpire-pin", SYSTEM / "mqtt-password")
    return Places(out.parent / "run", out.parent / "state", out.with_suffix(".pin"), out.with_suffix(".mqtt-password"))


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
        "mqtt": _broker(answers, places),
        "web": {"pin_file": places.pin},
    }
    try:
        return Config.model_validate(sections)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{key} = {first['input']!r}: {first['msg']}. Mend: answer that question anew") from error


def _broker(answers: dict[str, str], places: Places) -> dict[str, Any]:
    found: dict[str, Any] = {"host": answers["broker"]}
    user, tls = answers.get("broker_user", "none"), answers.get("broker_tls", "no")
    if user != "none":
        found |= {"user": user, "password_file": places.password}
    if tls != "no":
        found |= {"port": TLS_PORT, "tls": True}
    if tls not in ("no", "system"):
        found["ca_file"] = Path(tls).resolve()
    return found
