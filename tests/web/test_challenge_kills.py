"""A table is killed at any moment between a challenge and its verdict: nothing that it answered is lost, and nothing of
a reversal is public for it."""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
from random import Random
from typing import Any

import pytest

from tests.web.client import Client
from tests.web.daemon import configured, started

pytestmark = [pytest.mark.live, pytest.mark.slow]
Json = dict[str, Any]
FAST, LONG, OF_A_PART = 2, 60, 10


def acts(stroke: int, dice: Random) -> list[Json]:
    """A challenge, what an umpire may enter meanwhile, and a verdict; one of them is in flight when the table dies."""
    other = {"event": "shot", "seat": "south", "pocketed": [{"piece": "black", "pocket": "NE"}]}
    correct = {"event": "correct", "seq": stroke, "with": other}
    override = {"event": "override", "seq": stroke, "set": {"score": {"north": 3}}}
    result = dice.choice(("upheld", "rejected", "inconclusive"))
    verdict = {"event": "verdict", "result": result, "by": "Chitra"} | ({"with": other} if result == "upheld" else {})
    challenge = {"event": "challenge", "seat": "north", "stroke": stroke, "about": "count"}
    return [challenge, *dice.sample([correct, override, {"event": "pause"}], dice.randrange(3)), verdict]


def figures(state: Json) -> Json:
    """What everybody sees of the match."""
    score = state["score"]
    names = ("seq", "sides", "turn", "queen", "challenge", "challenges_left", "state")
    told = {"history": [one["seq"] for one in state["history"]], "ruling": state["ruling"]["seq"]}
    return {name: score[name] for name in names} | told


def public(client: Client) -> Json:
    return figures(Client(client.port).get("/state").json)


def killed_at(client: Client, daemon: subprocess.Popen[bytes], event: Json, after_s: float) -> Json | None:
    """Sends an event and kills the table so long after it. Returns the answer, None where there was none any more."""
    kill = threading.Timer(after_s, daemon.kill)
    kill.start()
    try:
        return client.post("/act", event).json
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        kill.join()
        daemon.wait()


def story(folder, seed: int) -> None:
    dice = Random(seed)
    configured(folder)
    start = {"event": "start", "book": "icf", "seats": {"south": "Asha", "north": "Ben"}, "first": "south"}
    stroke = {"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}]}
    begun = [start | {"policy": {"challenges": 2}}, stroke]
    at, events = 0, [*begun, *acts(2, dice)]
    dies = dice.randrange(len(begun), len(events))
    frozen = None
    challenged = None
    while at < len(events):
        with started(folder) as (client, daemon):
            now = client.get("/state").json["score"]["seq"] if at else 0
            assert now in (at, at + 1), "what was answered is there, and at most what was in flight"
            at = now if at else 0
            if frozen is not None and at < len(events):
                assert public(client) == frozen, "nothing more is public for it"
            while at < len(events):
                event = events[at] | ({"challenge": challenged} if events[at]["event"] == "verdict" else {})
                if at == dies:
                    dies = -1
                    answer = killed_at(client, daemon, event, dice.random() * 0.02)
                    if answer is not None:
                        assert "error" not in answer, answer
                        at += 1
                        challenged = answer["seq"] if event["event"] == "challenge" else challenged
                    elif event["event"] == "challenge":
                        challenged = at + 1
                    if event["event"] == "challenge":
                        frozen = None
                    break
                answer = client.post("/act", event).json
                assert "error" not in answer, answer
                at += 1
                if event["event"] == "challenge":
                    challenged, frozen = answer["seq"], public(client)
                elif frozen is not None and event["event"] != "verdict":
                    assert public(client) == frozen
    with started(folder) as (client, _daemon):
        state = client.get("/state").json
        assert figures(state) == public(client)
        assert (state["score"]["challenge"], state["score"]["seq"]) == (None, len(events))
        lost = events[-1]["result"] == "rejected"
        assert state["score"]["challenges_left"] == {"south": 2, "north": 1 if lost else 2}
    journal = folder / "state" / "journal.sqlite"
    replayed = subprocess.run(
        [sys.executable, "-m", "controller.cli", "replay", str(journal)], capture_output=True, text=True, check=False
    )
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def test_a_killed_table_goes_on_with_its_challenge(tmp_path) -> None:
    for seed in range(FAST):
        (tmp_path / str(seed)).mkdir()
        story(tmp_path / str(seed), seed)


@pytest.mark.long
@pytest.mark.parametrize("part", range(LONG // OF_A_PART))
def test_nor_do_sixty_kills_lose_anything(tmp_path, part: int) -> None:
    for seed in range(FAST + part * OF_A_PART, FAST + (part + 1) * OF_A_PART):
        (tmp_path / str(seed)).mkdir()
        story(tmp_path / str(seed), seed)
