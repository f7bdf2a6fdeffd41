"""`carrom pockets` as people and scripts run it, against a node on a pty."""

from __future__ import annotations

import io
import json
import threading
import tomllib
from collections.abc import Iterator

import pytest

from controller.cli import main
from controller.pockets.beam_map import beam_map
from controller.pockets.codec import seal
from controller.pockets.learn import Drop, Learner
from controller.pockets.node_protocol import NodeCore
from tests.pockets.pty_node import PtyNode

pytestmark = pytest.mark.live


@pytest.fixture
def node() -> Iterator[PtyNode]:
    with PtyNode(NodeCore(boot=1)) as node:
        node.plug()
        yield node


class Hand(threading.Thread):
    """Drops coins once the node is asked for edges, each as upper and lower beam see it."""

    def __init__(self, node: PtyNode, drops: list[tuple[int, int]]) -> None:
        super().__init__(daemon=True)
        self.node, self.drops = node, drops
        self.ended = threading.Event()

    def run(self) -> None:
        for upper, lower in self.drops:
            while not self.node.core._run and not self.ended.wait(0.01):
                pass
            self.node.edges(
                [(0, upper, True), (8_000, lower, True), (14_000, upper, False), (22_000, lower, False)],
            )
            # The next coin's own time: nothing to wait for.
            self.ended.wait(0.45)


def with_hand(node: PtyNode, drops, words: list[str], *, told: bool = True) -> int:
    """`told`: the port is given on the command line."""
    hand = Hand(node, drops)
    hand.start()
    code = main(["pockets", *(["--port", node.port] if told else []), *words])
    hand.ended.set()
    hand.join()
    return code


def test_json_lines_tell_edges_passages_and_health(node, capsys):
    assert with_hand(node, [(0, 1), (7, 6)], ["--json", "--count", "2"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    edges = [line for line in lines if line["event"] == "edge"]
    assert [(edge["pocket"], edge["beam"], edge["blocked"]) for edge in edges[:2]] == [
        ("NE", "upper", True),
        ("NE", "lower", True),
    ]
    passages = [line for line in lines if line["event"] == "passage"]
    assert [(passage["pocket"], passage["direction"]) for passage in passages] == [("NE", "in"), ("SW", "out")]
    assert all(pulse["ms"] > 1 for pulse in passages[0]["pulses"])
    health = [line for line in lines if line["event"] == "health"][-1]
    assert health["link"] == "up"
    assert health["node"] == "00c0ffee"


def test_the_port_is_the_configurations_where_none_is_given(node, tmp_path, capsys):
    config = tmp_path / "carrom.toml"
    config.write_text(f'[pockets]\nport = "{node.port}"\n')
    assert with_hand(node, [(0, 1)], ["--config", str(config), "--json", "--count", "1"], told=False) == 0
    assert '"passage"' in capsys.readouterr().out


def test_the_live_view_shows_levels_and_widths(node, capsys):
    assert with_hand(node, [(2, 3)], ["--count", "1"]) == 0
    shown = capsys.readouterr().out
    assert "NW upper" in shown
    assert "node 00c0ffee" in shown


def test_learning_writes_the_map_whatever_the_wiring(node, capsys, monkeypatch):
    wiring = {"SE": (3, 6), "NE": (0, 5), "SW": (1, 2), "NW": (7, 4)}
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{pocket}\n" for pocket in wiring)))
    assert with_hand(node, list(wiring.values()), ["--learn"]) == 0
    learnt = tomllib.loads(capsys.readouterr().out)["pockets"]["lines"]
    assert beam_map(learnt).places == {
        sensor: (pocket, height)
        for pocket, pair in wiring.items()
        for sensor, height in zip(pair, ("upper", "lower"), strict=True)
    }


def test_settings_are_set_and_told(node, capsys):
    assert main(["pockets", "--port", node.port, "--set", "polarity=0x0f", "--set", "stuck_s=7"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["polarity"], told["stuck_s"]) == (0x0F, 7)
    assert node.core.settings.polarity == 0x0F


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--port", "/dev/nowhere"], "there is no such port"),
        (["--set", "colour=3"], "no such setting"),
        (["--set", "polarity=red"], "is no number"),
        (["--set", "polarity=256"], "out of range"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(words, says, capsys):
    assert main(["pockets", *words]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert "Fix:" in error
    assert error.count("\n") == 1


def test_a_configured_port_that_is_not_there_is_said_at_once_and_where_it_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("controller.commands.pockets.SerialPockets", None)  # nobody waits for a node
    config = tmp_path / "carrom.toml"
    config.write_text('[pockets]\nport = "/dev/nowhere"\n')
    assert main(["pockets", "--config", str(config)]) == 2
    assert capsys.readouterr().err == (
        f"carrom pockets: {config}: [pockets] port /dev/nowhere: there is no such port. Fix: plug the node in, or "
        'write "auto" there\n'
    )


def test_a_port_without_a_node_is_said_so(monkeypatch, capsys):
    monkeypatch.setattr("controller.commands.pockets.ANSWER_S", 0.3)
    node = PtyNode(NodeCore(boot=1))
    port = node.plug()
    assert main(["pockets", "--port", port]) == 2
    assert "no pocket node answers" in capsys.readouterr().err
    node.unplug()


def test_a_node_of_another_protocol_is_refused_with_the_way_out(capsys):
    class Strange(NodeCore):
        def pump(self, us):
            super().pump(us)
            hello = "hello proto=2 dict=0000 id=00000001 fw=9 boot=0001 nonce=0000 us=1 beams=ff ring=96 tail=0"
            return seal(f"{hello} reset=power".encode())

    with PtyNode(Strange(boot=1)) as node:
        assert main(["pockets", "--port", node.plug()]) == 2
    assert "flash the firmware" in capsys.readouterr().err


def test_a_learner_refuses_what_cannot_be():
    learner = Learner()
    assert "one coin at a time" in learner.name(Drop((1, 2, 3)), "NE")
    assert learner.name(Drop((1, 2)), "NE") == ""
    assert "already NE upper" in learner.name(Drop((1, 5)), "NW")
    assert learner.name(Drop((4,)), "NW") == ""
    assert learner.missing == ("SE", "SW")
    assert learner.name(Drop((6, 7)), "NE") == "", "it may be named anew"
    assert learner.places == {"NW upper": 4, "NE upper": 6, "NE lower": 7}


def test_a_learner_takes_no_noise_for_a_coin():
    learner = Learner()
    learner.edge(3, True, 0)
    learner.edge(3, False, 200_000)
    assert learner.drop(10**9) is None
    learner.edge(4, True, 2 * 10**9)
    assert learner.drop(3 * 10**9) is None, "still blocked"
    learner.edge(4, False, 3 * 10**9)
    assert learner.drop(3 * 10**9 + 1) is None, "a twin may still come"
    assert learner.drop(4 * 10**9) == Drop((4,))
    assert learner.drop(5 * 10**9) is None
