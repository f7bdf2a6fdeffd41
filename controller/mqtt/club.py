"""A club's tables and people, or a league's, from the list that a secretary keeps. Knows no broker and no password.

Read by `carrom broker` and by the installer, which runs before anything is installed: the standard library alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

from controller.events.doors import SETTINGS, host_of, one_line, text_of, toml_table
from controller.events.errors import ConfigError, UnreadableError

Role = Literal["umpire", "secretary", "hub", "referees", "homeassistant"]
"""What somebody, or something, with a password may do: see `rights.of_person`."""

PORT, TLS_PORT = 1883, 8883
"""Where brokers listen by convention, in the clear and encrypted."""

LEAGUE_ROLES: tuple[Role, ...] = ("hub", "referees")
"""Who only reads: at a league's broker nobody but the venues writes."""

NODES = 3
"""So many hold every retained message, and two of them agree on what is kept."""

CERTIFICATE, KEY = "/etc/ssl/carrom-league.crt", "/etc/ssl/carrom-league.key"
"""Where a league's certificate lies on nodes and venues, and its key on nodes, if the list names no other place."""

_NODE = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_List = TypeVar("_List")


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


@dataclass(frozen=True, slots=True)
class Venue:
    """A hall with a broker of its own, that of a club or of one table, and the tables which that broker has."""

    name: str
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class League:
    """A league's list. `nodes`: where the machines of its broker are; `ca_file`: what signed their certificates."""

    nodes: tuple[str, ...]
    venues: tuple[Venue, ...]
    people: tuple[Person, ...]
    certificate: str
    key: str
    ca_file: str

    @property
    def users(self) -> tuple[str, ...]:
        """Everybody with a password: venues, then people."""
        return (*(venue.name for venue in self.venues), *(person.name for person in self.people))


def club_of(path: Path) -> Club:
    """Reads the list. Raises ConfigError with file, entry and the way out."""
    return _read(path, club_in)


def league_of(path: Path) -> League:
    """Reads a league's list. Raises ConfigError with file, entry and the way out."""
    return _read(path, league_in)


def _read(path: Path, reader: Callable[[Mapping[str, Any]], _List]) -> _List:
    try:
        return reader(toml_table(text_of(path, SETTINGS)))
    except UnreadableError as error:
        raise ConfigError(f"{path}: {error}. Fix: correct it") from error
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
        raise ConfigError('there is no table in it. Fix: write [[table]] and id = "table1"')
    _once((*tables, *(person.name for person in people)), "tables and people need names of their own")
    tls = _flag(head, "tls")
    files = {key: _file(head, "club", key) for key in ("ca_file", "certificate", "key")}
    if not tls and (useless := next((key for key, file in files.items() if file), "")):
        raise ConfigError(f"club.{useless} is only used with tls = true. Fix: set club.tls, or leave it out")
    if tls and not (files["certificate"] and files["key"]):
        raise ConfigError("club.tls needs club.certificate and club.key. Fix: name the broker's own, or leave tls out")
    return Club(tables, people, _host(head), _port(head, TLS_PORT if tls else PORT), tls, **files)


def league_in(values: Mapping[str, Any]) -> League:
    """Returns the league's list that a TOML table holds. Raises ConfigError."""
    _only(values, "a league's list", ("league", "venue", "person"))
    head = _table(values.get("league", {}), "[league]")
    _only(head, "[league]", ("nodes", "certificate", "key", "ca_file"))
    nodes = head.get("nodes")
    if not isinstance(nodes, list) or len(nodes) != NODES:
        raise ConfigError(f"league.nodes = {_shown(nodes)}: is no list of {NODES} machines. Fix: name {NODES}")
    if strange := [node for node in nodes if not isinstance(node, str) or not _NODE.fullmatch(node)]:
        raise ConfigError(
            f"league.nodes: {_shown(strange[0])} is no host's name or IPv4 address. Fix: a-z, 0-9, . and - alone"
        )
    _once(nodes, "each node is a machine of its own")
    venues = tuple(_venue(row) for row in _rows(values, "venue"))
    if not venues:
        raise ConfigError('there is no venue in it. Fix: write [[venue]], name = "hall1" and tables = ["hall1-1"]')
    people = tuple(_person(row, (), LEAGUE_ROLES) for row in _rows(values, "person"))
    given = {key: _file(head, "league", key) for key in ("certificate", "key", "ca_file")}
    certificate = given["certificate"] or CERTIFICATE
    files = (certificate, given["key"] or KEY, given["ca_file"] or certificate)
    league = League(tuple(nodes), venues, people, *files)
    _once([table for venue in venues for table in venue.tables], "each table's id must be the only one in the league")
    _once(league.users, "venues and people need names of their own")
    return league


def _venue(row: object) -> Venue:
    said = _only(_table(row, "[[venue]]"), "[[venue]]", ("name", "tables"))
    name, tables = _name(said.get("name"), "venue's name"), said.get("tables")
    if not isinstance(tables, list) or not tables:
        raise ConfigError(f'tables of {name}: {_shown(tables)} is no list of ids. Fix: tables = ["{name}-1"]')
    return Venue(name, tuple(_name(table, "table id") for table in tables))


def _once(names: Sequence[str], fix: str) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"{twice[0]} stands in it twice. Fix: {fix}")


def _person(row: object, tables: Sequence[str], roles: Sequence[Role] = get_args(Role)) -> Person:
    said = _only(_table(row, "[[person]]"), "[[person]]", ("name", "role", "tables"))
    name = _name(said.get("name"), "person's name")
    role = said.get("role")
    if role not in roles:
        raise ConfigError(f"role of {name} is {_shown(role)}. Fix: use one of {', '.join(roles)}")
    at = said.get("tables", [])
    if not isinstance(at, list) or (strange := [table for table in at if table not in tables]):
        shown = _shown(strange[0] if isinstance(at, list) else at)
        raise ConfigError(f"tables of {name}: {shown} is no table of the list. Fix: name ids of [[table]]")
    if at and role != "umpire":
        raise ConfigError(f"tables of {name}: only an umpire may be kept to tables. Fix: leave the key out")
    return Person(name, cast(Role, role), tuple(at))


def _rows(values: Mapping[str, Any], key: str) -> Sequence[object]:
    rows = values.get(key, [])
    if not isinstance(rows, list):
        raise ConfigError(f"[{key}] is one table. Fix: write [[{key}]], once for each")
    return rows


def _only(said: Mapping[str, Any], where: str, known: Sequence[str]) -> Mapping[str, Any]:
    if strange := [key for key in said if key not in known]:
        raise ConfigError(f"unknown key {one_line(strange[0])} in {where}. Fix: use one of {', '.join(known)}")
    return said


def _table(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{where} is no table of keys. Fix: write {where} on a line of its own, its keys below")
    return value


def _name(value: object, what: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ConfigError(f"{what} {_shown(value)}: a-z, 0-9 and - inside, at most 40 characters. Fix: write another")
    return value


def _host(head: Mapping[str, Any]) -> str:
    host = head.get("host", "")
    try:
        return host_of(host) if host else ""
    except (UnreadableError, ValueError, TypeError, AttributeError) as error:
        raise ConfigError(f"club.host = {_shown(host)}: is no host's name or address. Fix: correct it") from error


def _port(head: Mapping[str, Any], otherwise: int) -> int:
    port = head.get("port", otherwise)
    if not isinstance(port, int) or isinstance(port, bool) or not 1 <= port <= 65535:
        raise ConfigError(f"club.port = {_shown(port)}: is no port. Fix: a whole number from 1 to 65535")
    return port


def _flag(head: Mapping[str, Any], key: str) -> bool:
    value = head.get(key, False)
    if not isinstance(value, bool):
        raise ConfigError(f"club.{key} = {_shown(value)}: is neither true nor false. Fix: write one of them")
    return value


def _file(head: Mapping[str, Any], section: str, key: str) -> str:
    value = head.get(key, "")
    # It goes into a line of the broker's configuration as it is.
    if not isinstance(value, str) or (value and not re.fullmatch(r"/[^\x00-\x1f\x7f]+", value)):
        raise ConfigError(f"{section}.{key} = {_shown(value)}: is no absolute path. Fix: begin it with /")
    return value


def _shown(value: object) -> str:
    return one_line(repr(value)[:60])
