"""Three real nats-servers on the files that `carrom broker --cluster` makes of the list in docs/league.md."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import threading
import urllib.request
from pathlib import Path

from installer.own_broker import bundled_in

from controller.cli import main
from controller.mqtt.broker import Broker, tls_context
from tests.mqtt.broker import Listener, free_port
from tests.mqtt.made_broker import MadeBroker
from tests.mqtt.made_broker import made as made_club

NATS = shutil.which("nats-server", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
PAGE = (Path(__file__).parents[2] / "docs" / "league.md").read_text(encoding="utf-8")
NAMES = tuple(f"n{number}.league.example" for number in (1, 2, 3))
NODES = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
(LIST,) = re.findall(r"```toml\n(\[league\].*?)```", PAGE, re.S)


def here(text):
    """The page's words, for nodes on this machine."""
    for name, node in zip(NAMES, NODES, strict=True):
        text = text.replace(f"DNS:{name}", f"IP:{node}").replace(name, node)
    return text


def made(folder, words=LIST):
    """Does what the page shows: the files in `folder/league` for this list, and their certificate."""
    crt, key = folder / "league" / "league.crt", folder / "league" / "league.key"
    text = here(words).replace("[league]\n", f'[league]\ncertificate = "{crt}"\nkey = "{key}"\n')
    (folder / "league.toml").write_text(f'{text}\n[[person]]\nname = "desk"\nrole = "referees"\n')
    assert main(["broker", "--cluster", str(folder / "league.toml"), "--out", str(folder / "league")]) == 0
    (openssl,) = re.findall(r"(?m)^openssl .*$", PAGE)
    subprocess.run(shlex.split(here(openssl)), cwd=folder, check=True, capture_output=True)


class MadeLeague:
    """The cluster: as written, but for the folder and the ports of this test."""

    def __init__(self, folder, words=LIST):
        made(folder, words)
        self.folder, self.port, self.children = folder, free_port(), {}
        self.tls = tls_context(folder / "league" / "league.crt")
        # The nodes differ in their addresses.
        self.routes, self.clients, self.web = free_port(), free_port(), free_port()

    def start(self):
        for node in NODES:
            text = (self.folder / "league" / "nodes" / node / "nats-server.conf").read_text()
            text = text.replace("port: 8883", f'listen: "{node}:{self.port}"')
            text = text.replace("port: 6222", f'listen: "{node}:{self.routes}"').replace(":6222", f":{self.routes}")
            text = text.replace("127.0.0.1:4222", f"{node}:{self.clients}")
            text = text.replace('http: "127.0.0.1:8222', f'http: "{node}:{self.web}')
            (self.folder / f"{node}.conf").write_text(text.replace("/var/lib/nats", str(self.folder / node)))
            self.start_again(node)
        return self

    def start_again(self, node):
        """Starts one node; `start` has made its file."""
        child = subprocess.Popen([NATS, "-c", self.folder / f"{node}.conf"], stderr=subprocess.PIPE, text=True)
        said = []
        for line in child.stderr:
            said.append(line)
            if "Listening for MQTT clients" in line:
                # Its log must be read on, or it stops when the pipe is full.
                threading.Thread(target=child.stderr.read, daemon=True).start()
                self.children[node] = child
                return
        raise AssertionError("".join(said))

    def kill(self, *nodes):
        for node in nodes or NODES:
            if (child := self.children.pop(node, None)) is not None:
                child.kill()
                child.wait()

    def is_healthy(self, node):
        """Whether a node has caught up with the others."""
        try:
            return b'"ok"' in urllib.request.urlopen(f"http://{node}:{self.web}/healthz", timeout=1.0).read()
        except OSError:
            return False

    def leader(self):
        """The node that says what is retained."""
        with urllib.request.urlopen(f"http://{NODES[0]}:{self.web}/jsz?accounts=1&streams=1") as answer:
            (account,) = json.load(answer)["account_details"]
        (kept,) = (stream for stream in account["stream_detail"] if stream["name"] == "$MQTT_rmsgs")
        return kept["cluster"]["leader"]

    def password(self, user):
        """What `carrom broker` made for this user."""
        return dict(line.split() for line in (self.folder / "league" / "passwords").read_text().splitlines())[user]

    def broker(self, user, first=NODES[0]):
        """How a client of the project is told of the cluster."""
        others = tuple((node, self.port) for node in NODES if node != first)
        return Broker(first, self.port, user, self.password(user), tls=self.tls, others=others)


def hall_of(league, folder, venue, tables, first=NODES[0], port=0):
    """The mosquitto of a venue, bridged to the league as the page says; its bridges try the node `first` first.
    `port`: of something between it and the nodes.
    """
    made_club(folder, "".join(f'[[table]]\nid = "{table}"\n' for table in tables))
    files = folder / "broker" / "club"
    shutil.copy(league.folder / "league" / "venues" / venue / "carrom-bridge.conf", files)
    assert set(bundled_in(files)) >= {"carrom-bridge.conf", "carrom.acl"}
    one = MadeBroker(files, folder / "run")
    bridge = re.sub(rf"addresses (.*?)({first}\S+)", r"addresses \2 \1", (files / "carrom-bridge.conf").read_text())
    placed = one.file.parent / "conf.d" / "carrom-bridge.conf"
    placed.write_text(bridge.replace(":8883", f":{port or league.port}"))
    return one


class Member(Listener):
    """Somebody at one node. `granted`: the node's word on each subscription, by packet."""

    def __init__(self, league, node, user="", *topics):
        self.granted = {}
        password = league.password(user) if user else ""
        super().__init__(league.port, "nothing", version=4, user=user, password=password, host=node, tls=league.tls)
        self.client.on_subscribe = lambda _c, _d, mid, words, _p: self._note(
            "granted", {**self.granted, mid: not words[0].is_failure}
        )
        for topic in topics:
            assert self.may_hear(topic), f"{user} may not hear {topic}"

    def may_hear(self, topic, qos=0):
        """Whether a subscription is granted."""
        _, mid = self.client.subscribe(topic, qos)
        self.wait(lambda: mid in self.granted, f"the word on {topic}")
        return self.granted[mid]
