"""The files of a league's broker: three nats-servers that are one, and each venue's bridge to them. Pure text.

Written for nats-server 2.9, which speaks MQTT 3.1.1, and mosquitto 2.0. Who may do what stands in `rights`. Everything
goes up and nothing comes down: 3.1.1 tells a bridge neither that a message is to be kept nor where an answer goes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from calibration.board import SEATS
from controller.mqtt.broker_files import BRIDGE, MADE, OUTWARDS, File
from controller.mqtt.club import NODES, TLS_PORT, League, Venue
from controller.mqtt.rights import SAYS, Grant, of_anybody, of_person, of_table
from controller.mqtt.topics import Topics, client_id

NODE, UNIT, INSTALL = "nats-server.conf", "carrom.conf", "install.sh"
"""A node's configuration, what is added to its service, and what puts both on the machine."""

STORE = "/var/lib/nats"
CERTIFICATE_HERE, KEY_HERE = "league.crt", "league.key"
"""Beside `nodes`: copied to where the list says, if they are there."""

NODE_TO_NODE = "node_to_node"
"""As whom nodes speak with each other. No name in a list has an underscore."""
NO_PASSWORD = "no_password"
"""Who comes without a password."""

LIVE = ("board",)
"""Below each of its tables, what a venue's broker hands on as it comes: most of what a table publishes. Nodes that kept
it would do little else, and it is old after a second."""
KEPT = (
    *(name for name in OUTWARDS if name not in ("reply/#", "score/#", *LIVE)),
    *("score", *(f"score/{name}" for name in (*SEATS, "turn", "queen"))),
    *("link", "fixtures"),
)
"""What it hands on in order, however long no node answered, and the nodes keep."""


def node_files(league: League, node: str, passwords: Mapping[str, str]) -> dict[str, File]:
    """Returns the files of one node by name. `passwords`: user → password, for every user and `NODE_TO_NODE`."""
    return {
        NODE: File(_settings(league, node, passwords), secret=True),
        UNIT: File(f"{MADE}\n[Service]\nStateDirectory=nats\nStateDirectoryMode=0700\nRestart=always\nRestartSec=1\n"),
        INSTALL: File(_install(league)),
    }


def venue_files(league: League, venue: Venue, passwords: Mapping[str, str]) -> dict[str, File]:
    """Returns what is added to the files of a venue's mosquitto."""
    return {BRIDGE: File(bridge(league, venue, passwords[venue.name]), secret=True)}


def bridge(league: League, venue: Venue, password: str) -> str:
    """Returns the two bridges from a venue's mosquitto to whichever node answers: of what is kept, of what is not."""
    kept = [
        "# What was said while no node answered is handed on afterwards, in order.",
        "cleansession false",
        *(f"topic {Topics(table).base}/{name} out 1" for table in venue.tables for name in KEPT),
    ]
    live = [
        "# What changes each second is handed on as it comes, and kept nowhere.",
        "cleansession true",
        "bridge_outgoing_retain false",
        *(f"topic {Topics(table).base}/{name} out 0" for table in venue.tables for name in LIVE),
    ]
    blocks = (_connection(league, venue, password, "league", kept), _connection(league, venue, password, "live", live))
    return "\n".join((MADE, *blocks[0], "", *blocks[1])) + "\n"


def _connection(league: League, venue: Venue, password: str, name: str, handed_on: Sequence[str]) -> list[str]:
    # Not all venues at the same node.
    first = league.venues.index(venue) % NODES
    nodes = league.nodes[first:] + league.nodes[:first]
    return [
        f"connection {name}",
        f"addresses {' '.join(f'{node}:{TLS_PORT}' for node in nodes)}",
        "# Stays with the node that answers, and tries the next one where it ends.",
        "round_robin true",
        "bridge_protocol_version mqttv311",
        "try_private false",
        f"remote_username {venue.name}",
        f"remote_password {password}",
        f"remote_clientid {client_id(f'bridge-{name}-{venue.name}', password)}",
        f"local_clientid {client_id(f'{name}-{venue.name}', password)}",
        "start_type automatic",
        "restart_timeout 1 10",
        "keepalive_interval 15",
        "# `link` of a table is the venue's own word; a venue that is cut off goes by the age of its tables' health.",
        "notifications false",
        *handed_on,
        f"bridge_cafile {league.ca_file}",
    ]


def subjects(topic: str) -> tuple[str, ...]:
    """Returns the NATS subjects of an MQTT topic or pattern without dots; `a/#` is `a` too."""
    subject = topic.replace("/", ".").replace("+", "*")
    above = subject.removesuffix(".#")
    return (subject,) if above == subject else (above, f"{above}.>")


def _settings(league: League, node: str, passwords: Mapping[str, str]) -> str:
    users = [_user(NO_PASSWORD, of_anybody())]
    for venue in league.venues:
        grants = tuple(dict.fromkeys(grant for table in venue.tables for grant in of_table(table)))
        users += [f"# {venue.name}: speaks for its tables.", _user(venue.name, grants, passwords[venue.name])]
    for one in league.people:
        # Nothing comes down to a venue: what anybody wrote for its tables here would be shown here alone.
        reads = tuple(grant for grant in of_person(one) if grant[0] == "read")
        users += [f"# {one.role}: {SAYS[one.role]}", _user(one.name, reads, passwords[one.name])]
    secret = passwords[NODE_TO_NODE]
    routes = [
        f"nats-route://{NODE_TO_NODE}:{quote(secret, safe='')}@{other}:6222" for other in league.nodes if other != node
    ]
    tls = f"cert_file: {_text(league.certificate)}, key_file: {_text(league.key)}, timeout: 10"
    lines = [
        MADE,
        f"server_name: {_text(node)}",
        "# Nobody speaks NATS itself, and who looks at the node does so on it: curl http://127.0.0.1:8222/healthz",
        'listen: "127.0.0.1:4222"',
        'http: "127.0.0.1:8222"',
        "",
        f"jetstream {{ store_dir: {_text(STORE)}, max_memory_store: 64MB, max_file_store: 1GB }}",
        "",
        "mqtt {",
        f"  port: {TLS_PORT}",
        f"  no_auth_user: {NO_PASSWORD}",
        "  # Every node has all that is retained.",
        f"  stream_replicas: {NODES}",
        "  # What is kept for a reader who died with a node goes.",
        '  consumer_inactive_threshold: "5m"',
        f"  tls {{ {tls} }}",
        "}",
        "",
        "cluster {",
        "  name: carrom",
        "  port: 6222",
        f"  authorization {{ user: {NODE_TO_NODE}, password: {_text(secret)}, timeout: 10 }}",
        f"  routes: [{', '.join(map(_text, routes))}]",
        "  # Both ends show their certificates.",
        f"  tls {{ {tls}, ca_file: {_text(league.ca_file)} }}",
        "}",
        "",
        "authorization {",
        "  timeout: 10",
        "  users: [",
        *(f"    {user}" for user in users),
        "  ]",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _user(name: str, grants: Sequence[Grant], password: str = "") -> str:
    """A user who may do what is granted and nothing else."""
    # A subscription with QoS 1 comes by a subject below `$MQTT.sub`, and leaves a consumer and costs an election: not
    # for who comes without a password, and may come as often as he likes.
    confirmed = [] if name == NO_PASSWORD else ["$MQTT.sub.>"]
    reads = [*confirmed, *(one for access, topic in grants if access != "write" for one in subjects(topic))]
    writes = [one for access, topic in grants if access != "read" for one in subjects(topic)]
    publish = _texts(writes) if writes else '{ deny: [">"] }'
    known = f"user: {_text(name)}, password: {_text(password)}" if password else f"user: {_text(name)}"
    return (
        f"{{ {known}, allowed_connection_types: [MQTT], "
        f"permissions: {{ publish: {publish}, subscribe: {_texts(reads)} }} }}"
    )


def _texts(words: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, words))}]"


def _text(word: str) -> str:
    return json.dumps(word)


def _install(league: League) -> str:
    """What makes a machine with Debian the node: run as root from the folder that was made; run again it upgrades."""
    return f"""\
#!/bin/sh
{MADE}
# Makes this machine the node: `sudo sh {INSTALL}`. ROOT=FOLDER puts the files below a folder.
set -eu
cd "$(dirname "$0")"
command -v nats-server >/dev/null 2>&1 || [ -x /usr/sbin/nats-server ] || apt-get install -y nats-server
put() {{ install -D -m "$1" "$2" "${{ROOT:-}}$3"; }}
if [ -f ../../{CERTIFICATE_HERE} ]; then
  put 644 ../../{CERTIFICATE_HERE} {league.certificate}
  put 600 ../../{KEY_HERE} {league.key}
  chown nats:nats "${{ROOT:-}}{league.key}"
fi
put 600 {NODE} /etc/nats-server.conf
chown nats:nats "${{ROOT:-}}/etc/nats-server.conf"
put 644 {UNIT} /etc/systemd/system/nats-server.service.d/{UNIT}
systemctl daemon-reload
systemctl enable nats-server
systemctl restart nats-server
"""
