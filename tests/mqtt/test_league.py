"""The league's broker that `carrom broker --cluster` makes, on three real nats-servers and a venue's mosquitto."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess

import pytest

from controller.cli import main
from controller.commands.hub import Hub
from controller.config import WebSection
from controller.mqtt.broker import Broker
from controller.mqtt.client import TableClient
from controller.mqtt.payloads import Alert
from tests.mqtt.beating import beating
from tests.mqtt.made_league import LIST, NAMES, NODES, PAGE, MadeLeague, Member, hall_of, here
from tests.mqtt.test_client import publish_everything
from tests.patience import PATIENCE_S
from tests.web.client import Client


@contextlib.contextmanager
def running(folder):
    one = MadeLeague(folder)
    try:
        yield one.start()
    finally:
        one.kill()


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    with running(tmp_path_factory.mktemp("league")) as one:
        yield one


@pytest.fixture
def mortal(tmp_path):
    """One of which a test may kill nodes."""
    with running(tmp_path) as one:
        yield one


@pytest.fixture
def member(league):
    with contextlib.ExitStack() as stack:
        yield lambda *words: stack.enter_context(contextlib.closing(Member(league, *words)))


PUBLIC = {"carrom/+/score/#", "carrom/+/health", "carrom/aundh-1/alert/+"}
OF_AUNDH = {"carrom/aundh-1/umpire/ruling", "carrom/aundh-1/call", "carrom/aundh-1/#"}
UNCONFIRMED = {"carrom/+/umpire/alert/+"}
NOBODY = {"carrom/#", "#", "carrom/+/umpire/ruling", "carrom/+/call", "$MQTT/sub/#"}
READS = {
    "": PUBLIC,
    "hall": PUBLIC,
    "desk": PUBLIC | UNCONFIRMED,
    "aundh": OF_AUNDH | {"carrom/aundh-1/alert/+"},
    "karve": set(),
}


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.parametrize("user", READS)
def test_everybody_reads_what_the_role_is_and_no_more(member, user):
    one = member(NODES[1], user)
    tried = PUBLIC | OF_AUNDH | UNCONFIRMED | NOBODY
    assert {topic for topic in tried if one.may_hear(topic)} == READS[user]
    # With QoS 1 too, which goes another way; what is granted costs an election.
    assert [topic for topic in tried - READS[user] if one.may_hear(topic, 1)] == []
    if not user:
        assert [topic for topic in READS[user] if one.may_hear(topic, 1)] == [], "anybody may ask for many"


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.parametrize("retain", [True, False])
def test_nobody_but_the_venue_writes_for_its_tables(member, retain):
    ears = member(NODES[2], "aundh", "carrom/aundh-1/#"), member(NODES[1], "karve", "carrom/karve-1/#")
    tried = [f"carrom/{table}/{n}" for table in ("aundh-1", "karve-1") for n in ("score", "umpire/ruling", "call")]
    tried += ["carrom/aundh-1/fixtures", "carrom/aundh-1/reply/x"]
    for user in ("", "hall", "desk", "aundh", "karve"):
        one = member(NODES[0], user)
        for topic in tried:
            # A node acknowledges what it does not take, too.
            one.publish(topic, f"by {user}", retain=retain)
    for venue, ear in zip(("aundh", "karve"), ears, strict=True):
        member(NODES[0], venue).publish(f"carrom/{venue}-1/board", f"last {retain}")
        ear.wait_for(f"carrom/{venue}-1/board", f"last {retain}")
        heard = {(topic, text) for topic, text, _ in ear.heard if text.startswith("by ")}
        assert heard == {(topic, f"by {venue}") for topic in tried if f"/{venue}-1/" in topic}
    late = member(NODES[2], "", "carrom/+/score")
    if retain:
        late.wait(lambda: len(late.heard) == 2, "both scores")
        assert {text for _, text, _ in late.heard} == {"by aundh", "by karve"}


@pytest.mark.broker
@pytest.mark.parametrize("user", ["aundh", "node_to_node"])
def test_a_wrong_password_and_a_nodes_own_are_no_way_in(league, user):
    client = TableClient(Broker(NODES[0], league.port, user, "guessed", tls=league.tls, only="3.1.1"), "aundh-1")
    client.start()
    try:
        assert client.wait_for(lambda state: "Not authorized" in state.says, PATIENCE_S), client.state
    finally:
        client.stop()


KEPT = {f"carrom/aundh-2/score/n{number}": str(number) for number in range(20)}
TOLD = {f"carrom/{at}/{name}" for at in ("aundh-1", "karve-1") for name in ("score", "score/south", "alert/beam-ne")}
LISTENED = ("carrom/+/score/#", "carrom/+/alert/+")
LIVE = ("carrom/aundh-1/board",)


def all_kept(ear):
    """What a node has retained, as soon as it is all there."""
    ear.wait(lambda: {topic for topic, _, retained in ear.heard if retained} >= KEPT.keys() | TOLD, "all that is kept")
    return {topic: text for topic, text, _ in ear.heard if topic in KEPT or topic in TOLD}


def until_all_are_there(tiles):
    """Reads the hub's page until it shows the table of each hall."""
    for rows in tiles:
        if {row["table"] for row in rows if row["online"] and row["sides"]} == {"aundh-1", "karve-1"}:
            return


@pytest.mark.broker
@pytest.mark.slow
def test_a_node_dies_and_all_that_is_kept_and_no_more_is_at_the_others(mortal, tmp_path):
    with contextlib.ExitStack() as stack:

        def member(*words):
            return stack.enter_context(contextlib.closing(Member(mortal, *words)))

        left = member(NODES[0], "aundh")
        for topic, text in KEPT.items():
            left.publish(topic, text, retain=True)
        # All come to the node that is to die: that on which the others hang.
        dead = mortal.leader()
        live = member(NODES[1], "", *LIVE)
        venue = hall_of(mortal, tmp_path, "aundh", ["aundh-1"], dead)
        stack.callback(venue.kill)
        venue.start()
        in_hall = TableClient(Broker("127.0.0.1", venue.port, "aundh-1", venue.password("aundh-1")), "aundh-1")
        direct = TableClient(mortal.broker("karve", dead), "karve-1")
        for client in (in_hall, direct):
            publish_everything(client)
            client.start()
            stack.callback(client.stop)
            stack.enter_context(beating(client))
        hub = stack.enter_context(Hub(mortal.broker("hall", dead), WebSection(host="127.0.0.1", port=0)))
        until_all_are_there(stack.enter_context(contextlib.closing(Client(hub.port).tiles())))
        live.wait(lambda: {topic for topic, _, _ in live.heard} == {*LIVE}, "what changes each second")
        late = member(NODES[1], "", *LIVE, "carrom/aundh-1/score")
        late.wait(lambda: late.heard, "what is kept")
        assert {topic for topic, _, _ in late.heard} == {"carrom/aundh-1/score"}, "what changes each second is not kept"
        one, two = (node for node in NODES if node != dead)
        before = all_kept(member(one, "", *LISTENED))
        assert before.items() >= KEPT.items()
        mortal.kill(dead)
        assert direct.wait_for(lambda state: state.where.startswith((one, two)), PATIENCE_S), direct.state
        assert all_kept(member(one, "", *LISTENED)) == all_kept(member(two, "", *LISTENED)) == before
        ear = member(two, "", "carrom/+/alert")
        for client in (in_hall, direct):
            client.publish_alert(Alert("after", "info", "said afterwards", 1.0))
        ear.wait(lambda: sum("said afterwards" in text for _, text, _ in ear.heard) >= 2, "both halls")
        until_all_are_there(stack.enter_context(contextlib.closing(Client(hub.port).tiles())))


# -- the files


def test_what_the_page_shows_makes_a_folder_for_each_node_and_venue(tmp_path):
    (tmp_path / "league.toml").write_text(LIST)
    words = ["broker", "--cluster", str(tmp_path / "league.toml"), "--out", str(tmp_path / "league")]
    assert main(words) == 0
    made = tmp_path / "league"
    files = {str(path.relative_to(made)): path for path in made.rglob("*") if path.is_file()}
    nodes = {f"nodes/{name}/{file}" for name in NAMES for file in ("nats-server.conf", "carrom.conf", "install.sh")}
    bridges = {f"venues/{name}/carrom-bridge.conf" for name in ("aundh", "karve")}
    assert files.keys() == nodes | bridges | {"passwords"}
    secret = {name for name, path in files.items() if path.stat().st_mode & 0o077 == 0}
    assert secret == {name for name in files if name.endswith(("nats-server.conf", "bridge.conf", "passwords"))}
    first = {name: path.read_text() for name, path in files.items()}
    assert main(words) == 0
    assert {name: path.read_text() for name, path in files.items()} == first
    assert "addresses n2.league.example:8883 n3.league.example:8883 n1." in first["venues/karve/carrom-bridge.conf"]


@pytest.mark.live
def test_a_machine_is_made_a_node_as_the_page_says(league, tmp_path):
    calls, tools, root = tmp_path / "calls", tmp_path / "tools", tmp_path / "root"
    tools.mkdir()
    for name, does in (("sudo", 'exec "$@"'), *((one, "") for one in ("apt-get", "systemctl", "chown"))):
        (tools / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {calls}\n{does}\n')
        (tools / name).chmod(0o755)
    (line,) = re.findall(r"(?m)^sudo sh .*$", PAGE)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "ROOT": str(root)}
    for _ in range(2):
        subprocess.run(shlex.split(here(line)), cwd=league.folder, env=environment, check=True)
    placed = root / "etc" / "nats-server.conf"
    assert placed.read_text() == (league.folder / "league" / "nodes" / NODES[0] / "nats-server.conf").read_text()
    assert placed.stat().st_mode & 0o777 == 0o600
    assert (root / "etc/systemd/system/nats-server.service.d/carrom.conf").is_file()
    assert (root / str(league.folder)[1:] / "league" / "league.key").stat().st_mode & 0o777 == 0o600
    assert calls.read_text().splitlines()[-1] == "systemctl restart nats-server"
    assert f"chown nats:nats {placed}" in calls.read_text()


VENUE = '[[venue]]\nname = "a"\ntables = ["a1"]\n'
HEAD = '[league]\nnodes = ["n1", "n2", "n3"]\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (VENUE, "league.nodes = None: is no list of 3 machines"),
        (HEAD.replace(', "n3"', "") + VENUE, "is no list of 3 machines"),
        (HEAD.replace("n3", "n2") + VENUE, "n2 stands in it twice"),
        (HEAD.replace("n3", "n3:8883") + VENUE, "'n3:8883' is no host's name"),
        (HEAD.replace("n3", "../x") + VENUE, "'../x' is no host's name"),
        (HEAD.replace('"n3"', "3") + VENUE, "3 is no host's name"),
        (HEAD + 'key = "x"\n' + VENUE, "league.key = 'x': is no absolute path"),
        (HEAD, "there is no venue in it"),
        (HEAD + VENUE + VENUE.replace('"a"', '"b"'), "a1 stands in it twice"),
        (HEAD + VENUE + VENUE.replace("a1", "a2"), "a stands in it twice"),
        (HEAD + VENUE.replace('["a1"]', "[]"), "tables of a: [] is no list of ids"),
        (HEAD + VENUE.replace('["a1"]', '"a1"'), "tables of a: 'a1' is no list of ids"),
        (HEAD + VENUE.replace("a1", "a.1"), "table id 'a.1'"),
        (HEAD + VENUE + 'host = "b"\n', "unknown key host in [[venue]]"),
        (HEAD + VENUE + '[[person]]\nname = "u"\nrole = "umpire"\n', "use one of hub, referees"),
        (HEAD + VENUE + '[[table]]\nid = "t"\n', "unknown key table in a league's list"),
    ],
)
def test_a_bad_list_is_one_line_and_nothing_is_written(tmp_path, capsys, text, says):
    file = tmp_path / "league.toml"
    file.write_text(text)
    assert main(["broker", "--cluster", str(file), "--out", str(tmp_path / "league")]) == 2
    line = capsys.readouterr().err
    assert line.startswith(f"carrom broker: {file}: ")
    assert says in line
    assert "Fix:" in line
    assert line.count("\n") == 1
    assert not (tmp_path / "league").exists()
