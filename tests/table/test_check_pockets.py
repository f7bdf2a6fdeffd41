"""What `carrom check` says of the pocket node and its beams, on a simulated node."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from controller.commands.check_pockets import beams_fit, probe_coins, probe_pockets
from controller.config import Config
from controller.events.beams import BeamHealth
from controller.pockets.beam_map import Place
from controller.pockets.serial_port import SerialPockets
from controller.pockets.source import PocketSource, SourceReport
from controller.simulator.node import EmulatedNode
from tests.patience import until


@pytest.mark.live
def test_a_node_that_says_hello_is_named_and_keeps_its_edges() -> None:
    node = EmulatedNode(time.monotonic_ns)
    node.start()
    try:
        config = Config.model_validate({"pockets": {"kind": "serial", "port": node.port}})
        found, beams = probe_pockets(config, 30)
    finally:
        node.stop()
    assert found.state == "ok"
    assert found.says.startswith(f"{node.port}: node ")
    assert "firmware" in found.says
    assert (beams.part, beams.state) == ("beams", "ok")
    assert beams.says.startswith("8 lit and quiet, ")


@pytest.mark.live
@pytest.mark.parametrize(
    ("often", "state", "says"),
    [
        (1, "warn", "new starts while it was looked at: 1. Fix:"),
        (2, "fail", "keeps restarting: its voltage drops too low. Fix:"),
    ],
)
def test_a_node_that_starts_anew_while_it_is_looked_at_is_said(monkeypatch, often, state, says) -> None:
    node = EmulatedNode(time.monotonic_ns)
    boots = range(1, 1 + often)

    def slowly(source: PocketSource) -> SourceReport:
        """A beat later the node has started anew."""
        for boot in boots[source.link.steadiness.restarts :]:
            until(lambda: source.link._told == "up", "the node is up")
            node.reboot(boot)
            until(lambda boot=boot: source.link.steadiness.restarts >= boot, "it has started anew")
        return reported(source)

    reported = SerialPockets.report
    monkeypatch.setattr(SerialPockets, "report", slowly)
    node.start()
    try:
        found, *_ = probe_pockets(Config.model_validate({"pockets": {"kind": "serial", "port": node.port}}), 30)
    finally:
        node.stop()
    assert (found.part, found.state) == ("pocket node", state)
    assert says in found.says


FITTED: tuple[Place, ...] = (("NE", "upper"), ("NE", "lower"), ("SW", "upper"))
LIT = BeamHealth(0, "up")


@pytest.mark.parametrize(
    ("report", "health", "says"),
    [
        ({"unwatched": FITTED[:1]}, LIT, "warn: the NE upper beam is not watched by the node. Fix: carrom pockets"),
        ({}, replace(LIT, blocked=FITTED[1:2]), "warn: the NE lower beam is broken. Fix: empty the net"),
        ({}, replace(LIT, blind=("SW",)), "fail: the SW beam is blind. Fix: wipe lens"),
        ({"noise": {FITTED[1]: 12}}, LIT, "warn: the NE lower beam flickers (10 short pulses in a second): light of"),
        ({"noise": {FITTED[1]: 255}}, LIT, "warn: the NE lower beam flickers ("),
        ({"margins": {FITTED[0]: 63, FITTED[1]: 200}}, LIT, "warn: the NE upper beam is weak (63 of 255 to spare)."),
        ({}, LIT, "warn: the SW pocket has one beam: which way a piece went is not known. Fix: fit its twin"),
    ],
)  # fmt: skip
def test_each_thing_that_is_wrong_with_a_beam_is_said(report, health, says) -> None:
    seen = SourceReport("port", "running", "", fitted=FITTED, **report)
    lines = [f"{found.state}: {found.says}" for found in beams_fit(seen, health, {FITTED[1]: 2})]
    assert any(line.startswith(says) and "Fix:" in line for line in lines), lines
    quiet = SourceReport("port", "running", "", fitted=FITTED[:2], noise={FITTED[1]: 4}, margins={FITTED[0]: 64})
    (line,) = beams_fit(quiet, LIT, {FITTED[1]: 2})
    assert line.says.startswith("2 lit and quiet, 64 of 255 to spare")


DROPS = {
    "both beams": ((("upper", 0), ("lower", 4)), "ok", "NE: upper and lower felt it"),
    "a receiver in the sun": ((("upper", 0),), "fail", "NE: the lower beam stayed lit while its twin felt a coin"),
    "a swapped pair": ((("lower", 0), ("upper", 4)), "fail", "NE: upper and lower are swapped. Fix: swap"),
    "no coin": ((), "warn", "NE: no coin was felt. Fix: drop one"),
}


@pytest.mark.live
@pytest.mark.parametrize("drop", DROPS)
def test_a_coin_through_a_pocket_tries_both_its_beams(drop) -> None:
    beams, state, says = DROPS[drop]
    node = EmulatedNode(time.monotonic_ns)

    def asked(text: str) -> None:
        if text.startswith("drop a coin"):
            # The node keeps what it felt until somebody listens.
            began = time.monotonic_ns()
            for beam, after_ms in beams:
                node.beam("NE", beam, True, began + after_ms * 1_000_000)
            for beam, after_ms in beams:
                node.beam("NE", beam, False, began + (after_ms + 9) * 1_000_000)

    node.start()
    try:
        lines = {"NE upper": 0, "NE lower": 1}
        config = Config.model_validate({"pockets": {"kind": "serial", "port": node.port, "lines": lines}})
        (found,) = probe_coins(config, asked, 3.0)
    finally:
        node.stop()
    assert (found.state, found.says[: len(says)]) == (state, says)
    assert found.state == "ok" or "Fix:" in found.says
