"""What an installed table consists of: packages, users, files, links. Pure: it only reads the repository."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from controller.mqtt.broker_files import ACCESS, BRIDGE, FOLDER, PASSWORDS, SECRET, SETTINGS, File

REPOSITORY = Path(__file__).resolve().parents[2]

Feature = Literal["table", "hub", "kiosk"]
FEATURES: tuple[Feature, ...] = get_args(Feature)
"""What a machine may be: a table with its sensors, the club's page, a screen that shows the scoreboard."""

HOME = "/opt/carrom"
VERSIONS = f"{HOME}/versions"
CURRENT = f"{HOME}/current"
"""A link to the version in use, turned in one step: a power cut leaves the old version or the new one."""
PROGRAM = f"{HOME}/.venv/bin/carrom"
COMMAND = "/usr/local/bin/carrom"
"""On everybody's PATH, and on that of sudo."""
SETTINGS_FOLDER = "/etc/carrom"
CONFIG = f"{SETTINGS_FOLDER}/carrom.toml"
HUB_CONFIG = f"{SETTINGS_FOLDER}/hub.toml"
LIST = f"{SETTINGS_FOLDER}/club.toml"
KNOWN_PASSWORDS = f"{SETTINGS_FOLDER}/passwords"
STATE = "/var/lib/carrom"
RUNTIME = "/run/carrom"
HUB_STATE = "/var/lib/carrom-hub"
KIOSK_STATE = "/var/lib/carrom-kiosk"
UNITS = "/etc/systemd/system"
WANTS = f"{UNITS}/multi-user.target.wants"
TABLE = "table1"
"""A table's id unless another is asked for."""
TABLE_PORT, HUB_PORT = 8080, 8081
"""The daemon's own pages have 8080."""

SERVICES: Mapping[Feature, tuple[str, ...]] = {
    "table": ("carrom.service", "carrom-eyes.service"),
    "hub": ("carrom-hub.service",),
    "kiosk": ("carrom-kiosk.service",),
}
PACKAGES: Mapping[Feature, tuple[str, ...]] = {
    "table": ("mosquitto", "python3-venv"),
    "hub": ("mosquitto", "python3-venv"),
    # A compositor that shows one program on the whole screen, the browser that it shows, and letters for any name.
    "kiosk": ("cage", "chromium", "fonts-noto-core"),
}
USERS: Mapping[Feature, tuple[str, ...]] = {"table": ("carrom",), "hub": ("carrom",), "kiosk": ("carrom-kiosk",)}
GROUPS = ("carrom", "dialout", "video", "gpio")
"""`gpio` is Raspberry Pi OS's; plain Debian has none, and a unit that names a missing group does not start."""
SCREEN_GROUPS = ("video", "render")
SCREEN = f"{SETTINGS_FOLDER}/kiosk.env"
"""What the screen shows."""

SOURCES = ("controller", "calibration", "systemd", "install")
SOURCE_FILES = ("pyproject.toml", "README.md", "LICENSE", "requirements-pi.lock")
LOCK = "requirements-pi.lock"


@dataclass(frozen=True, slots=True)
class Placed:
    """A file on the machine: what is in it, who may read it. `group`: the one that may read it too, none if empty."""

    text: str
    mode: int = 0o644
    group: str = ""


def packages(features: Iterable[Feature]) -> list[str]:
    """Returns the Debian packages that these features need."""
    return sorted({package for feature in features for package in PACKAGES[feature]})


def users(features: Iterable[Feature]) -> list[str]:
    """Returns the users that these features need."""
    return sorted({user for feature in features for user in USERS[feature]})


def has_program(features: Iterable[Feature]) -> bool:
    """Returns whether these features run our own program; a screen alone shows what another machine serves."""
    return bool({"table", "hub"} & set(features))


def services(features: Iterable[Feature]) -> list[str]:
    """Returns the services that these features start."""
    return [service for feature in FEATURES if feature in features for service in SERVICES[feature]]


def groups(features: Iterable[Feature]) -> list[str]:
    """Returns the groups that these features need."""
    wanted = set(features)
    found = [*(GROUPS if has_program(wanted) else ()), *(SCREEN_GROUPS if "kiosk" in wanted else ())]
    return list(dict.fromkeys(found))


def page_of(features: Iterable[Feature], port: int = TABLE_PORT) -> str:
    """Returns the page that a screen on this machine shows unless it is given another, empty if none is served here.

    `port`: that of the table's pages.
    """
    wanted = set(features)
    served = port if "table" in wanted else HUB_PORT if "hub" in wanted else None
    return "" if served is None else f"http://localhost:{served}/"


def sysusers(features: Iterable[Feature]) -> str:
    """Returns the users and groups as systemd-sysusers takes them."""
    lines = [f"g {group} -" for group in groups(features)]
    if has_program(features):
        lines += ['u carrom - "Carrom umpire" /var/lib/carrom', "m carrom dialout", "m carrom video", "m carrom gpio"]
    if "kiosk" in features:
        lines += ['u carrom-kiosk - "Carrom scoreboard" /var/lib/carrom-kiosk']
        lines += [f"m carrom-kiosk {group}" for group in SCREEN_GROUPS]
    return "# Made by ./install.\n" + "\n".join(lines) + "\n"


def files(features: Iterable[Feature], repository: Path = REPOSITORY) -> dict[str, Placed]:
    """Returns the files that do not hang on this table's settings, by path."""
    wanted = set(features)
    found = {"/etc/sysusers.d/carrom.conf": Placed(sysusers(wanted))}
    for service in services(wanted):
        found[f"{UNITS}/{service}"] = Placed((repository / "systemd" / service).read_text(encoding="utf-8"))
    if "table" in wanted:
        for rules in sorted((repository / "systemd").glob("*.rules")):
            found[f"/etc/udev/rules.d/{rules.name}"] = Placed(rules.read_text(encoding="utf-8"))
    if "kiosk" in wanted:
        found["/etc/pam.d/carrom-kiosk"] = Placed((repository / "systemd" / "carrom-kiosk.pam").read_text("utf-8"))
    return found


def broker(made: Mapping[str, File]) -> dict[str, Placed]:
    """Returns where the broker's files go. `made`: by the names of `controller.mqtt.broker_files`."""
    where = {
        SETTINGS: f"{FOLDER}/conf.d/{SETTINGS}",
        BRIDGE: f"{FOLDER}/conf.d/{BRIDGE}",
        ACCESS: f"{FOLDER}/{ACCESS}",
        PASSWORDS: f"{FOLDER}/{PASSWORDS}",
    }
    # The broker drops its rights as it starts, and reads its files again when it is told to.
    return {
        where[name]: Placed(file.text, 0o640, "mosquitto") if file.secret else Placed(file.text)
        for name, file in made.items()
        if name in where
    } | ({f"{SETTINGS_FOLDER}/{SECRET}": Placed(made[SECRET].text, 0o600)} if SECRET in made else {})


def links(features: Iterable[Feature]) -> dict[str, str]:
    """Returns the links that start the services with the machine, as `systemctl enable` makes them, and `carrom`."""
    found = {f"{WANTS}/{service}": f"{UNITS}/{service}" for service in services(set(features))}
    return found | ({COMMAND: PROGRAM} if has_program(features) else {})


def source_files(repository: Path = REPOSITORY) -> Iterator[tuple[str, Path]]:
    """Yields the name and the place of each file of the program, in order."""
    for name in sorted((*SOURCES, *SOURCE_FILES)):
        place = repository / name
        inside = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in inside:
            if file.is_file() and "__pycache__" not in file.parts:
                yield str(file.relative_to(repository)), file


def version_of(repository: Path = REPOSITORY) -> str:
    """Returns the name of the program as it stands in the repository: it changes with any of its files.

    And with the version of Python: an environment serves the one that made it and no other, and an upgrade of the
    system brings another.
    """
    digest = hashlib.sha256()
    for name, file in source_files(repository):
        digest.update(f"{name}\0{file.stat().st_size}\0".encode())
        digest.update(file.read_bytes())
    return f"{digest.hexdigest()[:12]}-py{sys.version_info.major}.{sys.version_info.minor}"


def list_for(table: str) -> str:
    """Returns the list of a table that stands alone, with one umpire: docs/broker.md says what may stand in it."""
    return (
        "# Tables and people on this machine's broker; after a change: sudo ./install. docs/broker.md says more.\n"
        f'[[table]]\nid = "{table}"\n\n[[person]]\nname = "umpire"\nrole = "umpire"\n'
    )


def hub_settings() -> str:
    """Returns the configuration of the club's page: it reads what everybody may read."""
    return f"# The club's page of many tables (carrom hub).\n\n[web]\nport = {HUB_PORT}\n"
