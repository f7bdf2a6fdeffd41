"""The files of the brokers that a club's list asks for: listeners, access lists, passwords, bridges. Pure text.

They are written for mosquitto 2.0. What each kind of client may do stands in `rights`; docs/broker.md says it in words.
Read by the installer too: the standard library alone.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controller.mqtt.club import Club
from controller.mqtt.rights import PUBLIC, SAYS, Grant, of_anybody, of_person, of_table
from controller.mqtt.topics import HOME_ASSISTANT_STATUS, Topics, client_id

OUTWARDS = (*(name for name in PUBLIC if name not in ("link", "fixtures")), "umpire/#", "reply/#")
"""What a table's own broker hands on to the club's. `link` is written there by the bridge itself."""

INWARDS = ("call", "fixtures")
"""What the club's broker hands down. Never both ways, or a call would come back."""

ITERATIONS = 101
"""What mosquitto 2.0 uses itself. The passwords are 128 random bits, so that more would protect nothing."""

SETTINGS, ACCESS, PASSWORDS, BRIDGE = "carrom.conf", "carrom.acl", "carrom.passwd", "carrom-bridge.conf"
SECRET = "mqtt-password"
"""A table's own password, as its daemon takes it."""

FOLDER = "/etc/mosquitto"
"""Where Debian's mosquitto looks; `SETTINGS` and `BRIDGE` lie in its `conf.d`."""

MADE = "# Made by `carrom broker`; change the list it was made from, not this file."


@dataclass(frozen=True, slots=True)
class File:
    """One file. `secret`: to be read by root and the broker alone."""

    text: str
    secret: bool = False


def club_files(club: Club, passwords: Mapping[str, str]) -> dict[str, File]:
    """Returns the files of the club's own broker by name. `passwords`: user → password, for every user."""
    return {
        SETTINGS: File(_settings(club)),
        ACCESS: File(access(club)),
        PASSWORDS: File(_passwords(club.users, passwords), secret=True),
    }


def table_files(club: Club, table: str, passwords: Mapping[str, str]) -> dict[str, File]:
    """Returns the files of one table's own broker by name, its daemon's password among them."""
    own = Club((table,), tuple(person for person in club.people if not person.tables or table in person.tables))
    files = {
        SETTINGS: File(_settings(own)),
        ACCESS: File(access(own)),
        PASSWORDS: File(_passwords(own.users, passwords), secret=True),
        SECRET: File(passwords[table] + "\n", secret=True),
    }
    if club.host:
        files[BRIDGE] = File(bridge(club, table, passwords[table]), secret=True)
    return files


def access(club: Club) -> str:
    """Returns the access list. Who comes without a password reads what is public; nobody else writes for a table."""
    parts = [
        f"{MADE}\n# Lines before the first `user` are for those who come without a password.",
        _granted(of_anybody()),
    ]
    for table in club.tables:
        says = f"# Table {table}: everything below its own id, and how Home Assistant finds it."
        parts.append(f"{says}\nuser {table}\n{_granted(of_table(table))}")
    for person in club.people:
        says = f"# {person.name}, {person.role}: {SAYS[person.role]}"
        parts.append(f"{says}\nuser {person.name}\n{_granted(of_person(person))}")
    return "\n\n".join(parts) + "\n"


def _granted(grants: Sequence[Grant]) -> str:
    return "\n".join(f"topic {access} {topic}" for access, topic in grants)


def bridge(club: Club, table: str, password: str) -> str:
    """Returns the bridge from a table's own broker to the club's."""
    base = Topics(table).base
    lines = [
        MADE,
        f"connection {table}",
        f"address {club.host}:{club.port}",
        # Version 5 alone carries a call's response topic over.
        "bridge_protocol_version mqttv50",
        f"remote_username {table}",
        f"remote_password {password}",
        # Nobody without the table's password knows them, and so nobody throws the bridge off either broker.
        f"remote_clientid {client_id(f'bridge-{table}', password)}",
        f"local_clientid {client_id(f'club-{table}', password)}",
        "start_type automatic",
        "restart_timeout 1 30",
        "keepalive_interval 15",
        "# What was said while the club could not be reached is handed on afterwards, in order.",
        "cleansession false",
        "try_private true",
        "# 1 while the bridge stands, 0 as soon as the club's broker misses it: the table may go on without the club.",
        "notifications true",
        f"notification_topic {base}/link",
        *(f"topic {base}/{name} out 1" for name in OUTWARDS),
        *(f"topic {base}/{name} in 1" for name in INWARDS),
        f"topic {Topics(table).discovery} out 1",
        f"topic {HOME_ASSISTANT_STATUS} in 1",
    ]
    if club.tls:
        lines.append(f"bridge_cafile {club.ca_file}" if club.ca_file else "bridge_capath /etc/ssl/certs")
    return "\n".join(lines) + "\n"


def password_line(user: str, password: str) -> str:
    """Returns a line of mosquitto's password file. The same password gives the same line, so that nothing changes."""
    salt = hashlib.sha256(f"{user}:{password}".encode()).digest()[:12]
    derived = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ITERATIONS)
    return f"{user}:$7${ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(derived).decode()}"


def _passwords(users: tuple[str, ...], passwords: Mapping[str, str]) -> str:
    return "".join(password_line(user, passwords[user]) + "\n" for user in users)


def _settings(club: Club) -> str:
    guarded = [
        "allow_anonymous true",
        f"password_file {FOLDER}/{PASSWORDS}",
        f"acl_file {FOLDER}/{ACCESS}",
        "max_connections 600",
    ]
    plain = "127.0.0.1" if club.tls else ""
    parts = [
        [MADE, "per_listener_settings true"],
        ["# Tables, umpires, LED displays, Home Assistant.", f"listener 1883 {plain}".rstrip(), *guarded],
        ["# Displays that are web pages.", "listener 9001", "protocol websockets", *guarded],
        [
            "# A score is small, and it is wanted at once.",
            "set_tcp_nodelay true",
            "max_packet_size 1048576",
            "# For a bridge whose other end is away: an evening of one table.",
            "max_queued_messages 20000",
            "# Retained messages need not outlive the broker: every table sends everything again on connect.",
            "autosave_interval 0",
        ],
    ]
    if club.tls:
        encrypted = [f"listener {club.port}", f"certfile {club.certificate}", f"keyfile {club.key}", *guarded]
        parts.insert(2, ["# The same, encrypted.", *encrypted])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"
