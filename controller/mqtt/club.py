"""A club's tables and people, from the list that its secretary keeps. Knows no broker product and no password.

Read by `carrom broker` and by the installer, which runs before anything is installed: the standard library alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from controller.events.doors import SETTINGS, host_of, one_line, text_of, toml_table
from controller.events.errors import ConfigError, UnreadableError

Role = Literal["umpire", "secretary", "hub", "referees", "homeassistant"]
"""What somebody, or something, with a password may do: see `broker_files.access`."""

PORT, TLS_PORT = 1883, 8883
"""Where brokers listen by convention, in the clear and encrypted."""

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a password of their own. `tables`: where an umpire may call; empty means everywhere."""

    name: str
    role: Role
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Club:
    """The list. `host` is empty where each table stands alone; with a host every table's broker is bridged to it.

    `ca_file`: on the tables, what signed the club's broker (empty: the system's authorities). `certificate`, `key`: on
    the club's machine, what its broker shows.
    """

    tables: tuple[str, ...]
    people: tuple[Person, ...] = ()
    host: str = ""
    port: int = PORT
    tls: bool = False
    ca_file: str = ""
    certificate: str = ""
    key: str = ""

    @property
    def users(self) -> tuple[str, ...]:
        """Everybody with a password: tables, then people."""
        return self.tables + tuple(person.name for person in self.people)


def club_of(path: Path) -> Club:
    """Reads the list. Raises ConfigError with file, entry and the way out."""
    try:
        return club_in(toml_table(text_of(path, SETTINGS)))
    except UnreadableError as error:
        raise ConfigError(f"{path}: {error}. Mend: correct it") from error
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def club_in(values: Mapping[str, Any]) -> Club:
    """Returns the list that a TOML table holds. Raises ConfigError."""
    _only(values, "the list", ("club", "table", "person"))
    head = _table(values.get("club", {}), "[club]")
    _only(head, "[club]", ("host", "port", "tls", "ca_file", "certificate", "key"))
    tables = tuple(
        _name(_only(_table(row, "[[table]]"), "[[table]]", ("id",)).get("id"), "table id")
        for row in _rows(values, "table")
    )
    people = tuple(_person(row, tables) for row in _rows(values, "person"))
    if not tables:
        raise ConfigError('there is no table in it. Mend: write [[table]] and id = "table1"')
    names = tables + tuple(person.name for person in people)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"{twice[0]} stands in it twice. Mend: tables and people need names of their own")
    tls = _flag(head, "tls")
    files = {key: _file(head, key) for key in ("ca_file", "certificate", "key")}
    if not tls and (useless := next((key for key, file in files.items() if file), "")):
        raise ConfigError(f"club.{useless} is only used with tls = true. Mend: set club.tls, or leave it out")
    if tls and not (files["certificate"] and files["key"]):
        raise ConfigError("club.tls needs club.certificate and club.key. Mend: name the broker's own, or leave tls out")
    return Club(tables, people, _host(head), _port(head, TLS_PORT if tls else PORT), tls, **files)


def _person(row: object, tables: Sequence[str]) -> Person:
    said = _only(_table(row, "[[person]]"), "[[person]]", ("name", "role", "tables"))
    name = _name(said.get("name"), "person's name")
    role = said.get("role")
    if role not in get_args(Role):
        raise ConfigError(f"role of {name} is {_shown(role)}. Mend: use one of {', '.join(get_args(Role))}")
    at = said.get("tables", [])
    if not isinstance(at, list) or (strange := [table for table in at if table not in tables]):
        shown = _shown(strange[0] if isinstance(at, list) else at)
        raise ConfigError(f"tables of {name}: {shown} is no table of the list. Mend: name ids of [[table]]")
    if at and role != "umpire":
        raise ConfigError(f"tables of {name}: only an umpire may be kept to tables. Mend: leave the key out")
    return Person(name, cast(Role, role), tuple(at))


def _rows(values: Mapping[str, Any], key: str) -> Sequence[object]:
    rows = values.get(key, [])
    if not isinstance(rows, list):
        raise ConfigError(f"[{key}] is one table. Mend: write [[{key}]], once for each")
    return rows


def _only(said: Mapping[str, Any], where: str, known: Sequence[str]) -> Mapping[str, Any]:
    if strange := [key for key in said if key not in known]:
        raise ConfigError(f"unknown key {one_line(strange[0])} in {where}. Mend: use one of {', '.join(known)}")
    return said


def _table(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{where} is no table of keys. Mend: write {where} on a line of its own, its keys below")
    return value


def _name(value: object, what: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ConfigError(f"{what} {_shown(value)}: a-z, 0-9 and - inside, at most 40 characters. Mend: write another")
    return value


def _host(head: Mapping[str, Any]) -> str:
    host = head.get("host", "")
    try:
        return host_of(host) if host else ""
    except (UnreadableError, ValueError, TypeError, AttributeError) as error:
        raise ConfigError(f"club.host = {_shown(host)}: is no host's name or address. Mend: correct it") from error


def _port(head: Mapping[str, Any], otherwise: int) -> int:
    port = head.get("port", otherwise)
    if not isinstance(port, int) or isinstance(port, bool) or not 1 <= port <= 65535:
        raise ConfigError(f"club.port = {_shown(port)}: is no port. Mend: a whole number from 1 to 65535")
    return port


def _flag(head: Mapping[str, Any], key: str) -> bool:
    value = head.get(key, False)
    if not isinstance(value, bool):
        raise ConfigError(f"club.{key} = {_shown(value)}: is neither true nor false. Mend: write one of them")
    return value


def _file(head: Mapping[str, Any], key: str) -> str:
    value = head.get(key, "")
    # It goes into a line of the broker's configuration as it is.
    if not isinstance(value, str) or (value and not re.fullmatch(r"/[^\x00-\x1f\x7f]+", value)):
        raise ConfigError(f"club.{key} = {_shown(value)}: is no absolute path. Mend: begin it with /")
    return value


def _shown(value: object) -> str:
    return one_line(repr(value)[:60])
