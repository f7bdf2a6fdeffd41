"""What the installer has made on a machine: the only way to take off all of it and nothing else."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any

from installer.layout import FEATURES, Feature, Placed
from installer.machine import InstallError, Machine

FILE = "/var/lib/carrom-install/record.json"
BROUGHT = "/var/lib/carrom-install/brought"
"""Where `install` notes which packages it brings before this can run."""
VERSION = 1


@dataclass(slots=True)
class Record:
    """`files`: path → digest of what was written. `before`: path → where the file lies that stood there before us.

    `folders`, packages, users and groups: those that were not there before. `brought`: the packages that came with
    Python, so that this could run at all. `answers`: what a person answered, until the configuration is made of it.
    `there`: the users and groups before packages that are being installed; what such a package makes is not known
    before. `restart`: the services that must be started anew.

    Everything is written down before it is done, so that what is interrupted in between can be taken off all the same.
    """

    features: list[Feature] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    before: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    brought: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    there: dict[str, list[str]] = field(default_factory=dict)
    restart: list[str] = field(default_factory=list)
    version: int = VERSION


def load(machine: Machine) -> Record | None:
    """Returns the record, None on a machine on which nothing was installed. Raises InstallError."""
    text = machine.read(FILE)
    if text is None:
        return None
    try:
        said: dict[str, Any] = json.loads(text)
        record = Record(**said)
        if record.version > VERSION or not set(record.features) <= set(FEATURES):
            raise ValueError(f"version {record.version}")
    except (ValueError, TypeError) as error:
        raise InstallError(f"{FILE}: cannot be used ({error}). Fix: use the newest version of ./install") from error
    return record


def save(machine: Machine, record: Record) -> None:
    """Writes the record, with the folders that are about to be made too."""
    place = machine.at(FILE).parent
    missing = ["/" + str(one.relative_to(machine.root)) for one in (place, *place.parents) if not one.exists()]
    record.folders += [folder for folder in (*machine.folders, *missing) if folder not in record.folders]
    place.mkdir(parents=True, exist_ok=True)
    machine.place(FILE, Placed(json.dumps(asdict(record), indent=1) + "\n", 0o600), silent=True)


def digest(text: str) -> str:
    """Returns what tells one text of a file from another."""
    return hashlib.sha256(text.encode()).hexdigest()
