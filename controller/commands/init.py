"""`carrom init`: looks what hangs on this machine, asks what it cannot see, writes a configuration.

`carrom check` goes on from there. `--migrate` brings an older configuration up to date instead.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from calibration.measures import board_of
from controller.commands.cameras.init_camera import camera_keys
from controller.commands.found_devices import nodes
from controller.commands.installed import SYSTEM
from controller.commands.migrate import migrated
from controller.commands.questions import Camera, broker_here, found_cameras, gather
from controller.config import VERSION, Config, load_config, to_toml
from controller.events.doors import SETTINGS, json_object, text_of
from controller.events.errors import ConfigError, UnreadableError

TLS_PORT = 8883
"""Where brokers listen for TLS, by convention."""

SYSTEM_STATE, SYSTEM_RUNTIME = Path("/var/lib/carrom"), Path("/run/carrom")
"""Where the units may write, beside the configuration in `SYSTEM` that they read; nowhere else."""

ABOUT = "Carrom Umpire. Everything left out has a default: see docs/reference/configuration.md."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--out", type=Path, default=Path("carrom.toml"), metavar="FILE")
    parser.add_argument("--yes", action="store_true", help="takes what is found and every default, asks nothing")
    parser.add_argument("--answers", action="store_true", help="reads the answers from standard input, a JSON object")
    parser.add_argument("--table", metavar="ID", help="the table's id, which is then not asked")
    parser.add_argument("--migrate", action="store_true", help="brings FILE up to date; the old one is kept beside it")
    parser.add_argument("--root", type=Path, help="FILE is for the machine whose files lie below this folder")


def run(args: argparse.Namespace) -> int:
    """Writes the file and the umpire's PIN beside it; refuses to overwrite either. Or migrates the file."""
    out: Path = args.out
    root: Path | None = args.root
    meant = Path("/", out.resolve().relative_to(root.resolve())) if root else out.resolve()
    if args.migrate:
        return _migrate(out, system=meant.parent == SYSTEM)
    if out.exists():
        raise ConfigError(f"{out}: is there already. Fix: name another file with --out, or remove it")
    if args.answers:
        answers = _answers_from(sys.stdin.read())
    else:
        # A machine that is only being put together has nothing to look at.
        known, cameras = ({}, []) if root else found_answers(print)
        if args.table:
            known["id"] = args.table
        answers = gather(lambda key: known.get(key, "" if args.yes else None), cameras)
    places = places_for(meant)
    pin_file = _below(root, places.pin)
    if _below(root, places.password).is_file() and "broker_user" not in answers:
        # The installer has made the table a user of its own on this machine's broker.
        answers["broker_user"] = answers["id"]
    config = configured(answers, places)
    remarks = {}
    # A machine that is only being put together has no camera to ask.
    if root is None and (found := camera_keys(config.camera, board_of(config.board.said()).half_mm)).says:
        print(found.says)
        config, remarks = configured(answers, places, found.values), {"camera": found.says}
    try:
        out.write_text(to_toml(config, ABOUT, remarks), encoding="utf-8")
        if not pin_file.exists():
            pin_file.touch(mode=0o600)
            pin_file.write_text(f"{secrets.randbelow(10**6):06d}\n")
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written: {error}. Fix: name a folder that you may write") from error
    load_config(out)
    if config.mqtt.password_file is not None and not _below(root, config.mqtt.password_file).exists():
        print(f"write the broker's password for {config.mqtt.user} into {config.mqtt.password_file}")
    print(f"wrote {out}; the umpire's PIN is in {pin_file}. Next: carrom check --config {out}")
    return 0


def _answers_from(said: str) -> dict[str, str]:
    """What the installer has asked before this program was there."""
    try:
        told = json_object(said)
    except UnreadableError as error:
        raise ConfigError(f"--answers: {error}. Fix: a JSON object of question and answer") from error
    return gather(lambda key: str(told.get(key, "")), guarded="broker_user" in told)


def _below(root: Path | None, path: Path) -> Path:
    return root / path.relative_to("/") if root else path


def _migrate(file: Path, *, system: bool) -> int:
    """Brings a configuration up to date; says nothing where it is. The old one is kept, whole, beside it."""
    try:
        old = text_of(file, SETTINGS)
        text, notes = migrated(old, system=system)
    except UnreadableError as error:
        raise ConfigError(f"{file}: {error}. Fix: correct it, or make one anew with carrom init") from error
    if not notes:
        load_config(file)
        return 0
    kept = next(name for n in count(1) if not (name := file.with_name(f"{file.name}.{n}.old")).exists())
    fresh = file.with_name(f".{file.name}.new")
    try:
        fresh.write_text(text, encoding="utf-8")
        load_config(fresh)
        kept.write_text(old, encoding="utf-8")
        fresh.chmod(file.stat().st_mode & 0o777)
        fresh.replace(file)
    except ConfigError as error:
        raise ConfigError(str(error).replace(str(fresh), str(file))) from error
    finally:
        fresh.unlink(missing_ok=True)
    print(f"{file} was brought up to date; as it was it is kept in {kept}: {'; '.join(notes)}")
    return 0


def found_answers(say: Callable[[str], None]) -> tuple[dict[str, str], list[Camera]]:
    """Returns the answers that this machine gives by itself, and its cameras; says each. What is doubtful is asked."""
    known: dict[str, str] = {}
    cameras = found_cameras(say)
    if len(cameras) == 1:
        known["camera"] = cameras[0].answer
    heard = list(nodes())
    for one in heard:
        if one.node:
            say(f"found a pocket node: {one.node} on {one.port}")
        else:
            say(f"{one.port}: no pocket node says hello there ({one.says or 'is its firmware on it? docs/pockets.md'})")
    if any(one.node for one in heard):
        known["pockets"] = "serial"
    if broker_here():
        say("found a broker on this machine")
        known["broker"] = "localhost"
    return known, cameras


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


def configured(answers: dict[str, str], places: Places, camera: Mapping[str, Any] = MappingProxyType({})) -> Config:
    """Returns the configuration that the answers make. Raises ConfigError for an answer that is none.

    `camera`: what the camera reports of itself, keys of `[camera]`.
    """
    sections = {
        "format": {"version": VERSION},
        "table": {"id": answers["id"], "runtime": places.runtime, "state": places.state},
        "match": {
            "book": answers["book"],
            "seats": {"south": answers["south"], "north": answers["north"]},
            "first": "south",
        },
        "camera": {**_camera(answers["camera"]), **camera, "calibration": places.state / "calibration.json"},
        "pockets": {"kind": answers["pockets"]},
        "mqtt": _broker(answers, places),
        "web": {"pin_file": places.pin},
    }
    try:
        return Config.model_validate(sections)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{key} = {first['input']!r}: {first['msg']}. Fix: answer that question anew") from error


def _camera(said: str) -> dict[str, Any]:
    if "://" in said:
        return {"kind": "mjpeg", "url": said}
    kind, _, device = said.partition(":")
    return {"kind": kind, **({"device": device} if device else {})}


def _broker(answers: dict[str, str], places: Places) -> dict[str, Any]:
    if answers["broker"] == "none":
        return {"enabled": False}
    found: dict[str, Any] = {"host": answers["broker"]}
    user, tls = answers.get("broker_user", "none"), answers.get("broker_tls", "no")
    if user != "none":
        found |= {"user": user, "password_file": places.password}
    if tls != "no":
        found |= {"port": TLS_PORT, "tls": True}
    if tls not in ("no", "system"):
        found["ca_file"] = Path(tls).resolve()
    return found
