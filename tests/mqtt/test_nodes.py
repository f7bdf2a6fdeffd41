"""Which node of a cluster keeps something else than the others."""

from __future__ import annotations

import pytest

from controller.cli import main
from controller.mqtt.nodes import Differs, compared
from tests.mqtt.test_cluster import node

__all__ = ["node"]


def kept(**topics):
    return {name: payload.encode() for name, payload in topics.items()}


def test_what_most_nodes_keep_is_right():
    all_of_it = kept(a="1", b="2")
    found = compared({"n1": all_of_it, "n2": all_of_it, "n3": kept(a="0", c="3")})
    assert found == {"n1": Differs([], [], []), "n2": Differs([], [], []), "n3": Differs(["b"], ["c"], ["a"])}
    assert [bool(one) for one in found.values()] == [False, False, True]


def test_of_two_nodes_the_one_that_keeps_less_lacks_it():
    assert compared({"n1": kept(a="1"), "n2": {}}) == {"n1": Differs([], [], []), "n2": Differs(["a"], [], [])}


def hub(tmp_path, *ports):
    first, *others = ports
    file = tmp_path / "hub.toml"
    listed = ", ".join(f'"127.0.0.1:{port}"' for port in others)
    file.write_text(f'[mqtt]\nhost = "127.0.0.1"\nport = {first}\nothers = [{listed}]\n')
    return str(file)


@pytest.mark.broker
def test_the_command_names_the_node_that_lacks_what_the_others_keep(node, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("controller.mqtt.nodes.QUIET_S", 0.3)
    nodes = [node(), node(), node()]
    for one in nodes:
        ear = one.listen()
        ear.publish("carrom/t1/result/m-1", "25:3", retain=True)
        ear.publish("carrom/t1/alert/beam-ne", "dirty", retain=True)
        # What changes each second differs at any moment.
        ear.publish("carrom/t1/health", f"{one.port}", retain=True)
    config = hub(tmp_path, *(one.port for one in nodes))
    assert main(["league", "check", "--config", config]) == 0
    assert capsys.readouterr().out == "".join(f"127.0.0.1:{one.port}: has kept what the others have\n" for one in nodes)
    nodes[2].listen().publish("carrom/t1/result/m-1", "", retain=True)
    nodes[0].kill()
    assert main(["league", "check", "--config", config]) == 1
    dead, well, lacks = sorted(capsys.readouterr().out.splitlines(), key=lambda line: ("refused" not in line, line))[:3]
    assert dead.startswith(f"127.0.0.1:{nodes[0].port}: [Errno 111] Connection refused. Fix: start it")
    assert {well, lacks} == {
        f"127.0.0.1:{nodes[1].port}: has kept what the others have",
        f"127.0.0.1:{nodes[2].port}: lacks 1 (t1/result/m-1). Fix: restart the broker on that machine "
        "(`sudo systemctl restart nats-server`), and check once more",
    }


def test_one_node_alone_is_no_league(tmp_path, capsys):
    assert main(["league", "check", "--config", hub(tmp_path, 1883)]) == 2
    assert "mqtt.others names no other node. Fix: " in capsys.readouterr().err
