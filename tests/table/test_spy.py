"""A spy on all that a table tells everybody, in random matches: nothing of a reversal is out before its verdict.

The spy reads the bytes of every topic that is not the umpires' own, the state that every page without rights is made
of (score, voice, overlay, display), the hub's page of the table, and the panel's lamp and buzzer.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.config import PanelSection
from controller.events.doors import MESSAGE, json_object
from controller.hub.tables import Tables
from controller.mqtt.outbox import Outbox
from controller.mqtt.publisher import Publisher
from controller.table.desk.audience import Audience
from controller.table.outlets.broker import publish_by
from controller.table.outlets.pages import DeskView
from controller.table.outlets.panel import PanelOutlet
from tests.panel.simulated_pins import SimulatedPins
from tests.rules.test_properties import some_event, some_shot
from tests.table.kit import BOOKS, Scene, scene

Json = dict[str, Any]
NOTHING = {"event": "set", "position": {}}
OF_TWO = sorted(one for one in set(BOOKS) if 2 in BOOKS[one].players)
ABOUT = ("lines", "contact", "count", "foul", "missed_foul", "time")
RESULTS = ("upheld", "rejected", "inconclusive")
LIVE = {"t", "seen"}
"""What goes on while a challenge waits, and says nothing of it."""
PASSING = ("ruling", "shot", "alert")
"""Topics of which nothing stays."""


class Wire(Outbox):
    """Every message that is sent, in order."""

    def __init__(self) -> None:
        super().__init__(lambda: None)
        self.sent: list[tuple[str, bytes]] = []

    def send(self, topic: str, payload: bytes, **_how: Any) -> None:
        self.sent.append((topic, payload))


class Lines(Publisher):
    def __init__(self) -> None:
        super().__init__("hall-1", lambda: None)
        self.wire = self._outbox = Wire()


class Lamp:
    """The panel: how often it was lit."""

    def __init__(self) -> None:
        self.lit = 0

    def foul(self, _ms: int) -> None:
        self.lit += 1

    def clear(self, *_still: bool) -> None:
        pass

    still = clear


class Spy:
    """At one table, from its start or restart on."""

    def __init__(self, at: Scene) -> None:
        self.at, self.lines, self.hub = at, Lines(), Tables()
        self.view = DeskView(at.desk, None, lambda: None)
        self.lamp = Lamp()
        panel = PanelOutlet(PanelSection(kind="rpi"), "", lambda: at.table.now, dict, print, SimulatedPins())
        panel.panel = self.lamp
        publish_by(self.lines, at.desk.shown)
        at.desk.shown.outlets.append(panel)
        self.read = 0
        self.topics: Json = {}
        at.desk.announce()

    def public(self) -> list[tuple[str, bytes]]:
        """The messages for everybody since this was asked last."""
        fresh, self.read = self.lines.wire.sent[self.read :], len(self.lines.wire.sent)
        found = [(topic, payload) for topic, payload in fresh if not topic.startswith("carrom/hall-1/umpire/")]
        for topic, payload in found:
            self.hub.heard(topic, payload)
            if topic.rpartition("/")[2] not in PASSING:
                self.topics[topic] = still(json_object(payload, MESSAGE)) if payload[:1] == b"{" else payload
        return found

    def shown(self) -> Json:
        """What everybody sees now."""
        page, hub = self.view.snapshot(umpire=False).plain(), self.hub.one("hall-1")
        return {"page": still(page), "hub": still(hub), "topics": {**self.topics}}


def still(value: Any) -> Any:
    """A JSON value without what goes on by itself."""
    if isinstance(value, dict):
        return {key: still(one) for key, one in value.items() if key not in LIVE}
    if isinstance(value, list | tuple):
        return [still(one) for one in value]
    return value


def rulings(messages: list[tuple[str, bytes]]) -> list[int]:
    return [json_object(payload, MESSAGE)["seq"] for topic, payload in messages if topic == "carrom/hall-1/ruling"]


def act(at: Scene, dice: Random) -> Json:
    """What a side or the umpire may say now."""
    umpire, roll = at.desk.umpire, dice.random()
    now = umpire.standing()
    strokes = [one.seq for one in umpire.recent(50) if one.event["event"] == "shot"]
    words = [one.seq for one in umpire.recent(50) if one.event["event"] in ("correct", "verdict", "challenge", "call")]
    if not now.challenges:
        if roll < 0.35 and umpire.state.play.last is not None:
            seat, stroke = dice.choice(("south", "north")), umpire.state.play.last[0]
            return {"event": "challenge", "seat": seat, "stroke": stroke, "about": dice.choice(ABOUT)}
    elif roll < 0.35:
        waits, result = now.challenges[0], dice.choice(RESULTS)
        body = {"event": "verdict", "challenge": waits.seq, "result": result, "by": "Chitra"}
        return body | ({"with": another(at, waits.stroke, dice)} if result == "upheld" else {})
    if roll < 0.5 and strokes:
        seq = dice.choice(strokes)
        return {"event": "correct", "seq": seq, "with": another(at, seq, dice)}
    if roll < 0.58 and words:
        return {"event": "correct", "seq": dice.choice(words), "with": NOTHING}
    if roll < 0.65 and (asked := umpire.questions()):
        one = dice.choice(asked)
        return {"event": "answer", "ask": one.ask, "choice": dice.choice(one.choices)}
    if roll < 0.72:
        side = dice.choice(("south", "north"))
        return {"event": "override", "seq": umpire.seq, "set": {"score": {side: dice.randrange(9)}}}
    if roll < 0.8:
        return some_event(umpire.state, dice)
    return in_doubt(some_shot(umpire.state, dice), dice)


def in_doubt(stroke: Json, dice: Random) -> Json:
    """Now and then nobody knows which piece fell: the umpire is asked."""
    fell = [one | ({"piece": "unknown"} if dice.random() < 0.3 else {}) for one in stroke["pocketed"]]
    return stroke | {"pocketed": fell}


def another(at: Scene, seq: int, dice: Random) -> Json:
    stroke = in_doubt(some_shot(at.desk.umpire.state, dice), dice)
    return stroke | {"seat": at.desk.umpire.event(seq).get("seat", "south")}


async def watched(spy: Spy, dice: Random, events: int) -> list[int]:
    """Plays on, and looks after each event. Returns the numbers of the rulings that everybody was told of."""
    at, told = spy.at, rulings(spy.public())
    frozen = spy.shown() if at.desk.umpire.standing().challenges else None
    for _ in range(events):
        lit = spy.lamp.lit
        await at.say(act(at, dice))
        messages, pending = spy.public(), bool(at.desk.umpire.standing().challenges)
        told += rulings(messages)
        if frozen is not None and pending:
            assert spy.shown() == frozen
            out = [topic for topic, _ in messages]
            assert not {f"carrom/hall-1/{kind}" for kind in PASSING} & {*out}, out
            assert spy.lamp.lit == lit
        elif pending:
            frozen = spy.shown()
        else:
            frozen = None
            everybody = Audience(at.desk.shown)
            assert everybody.match is at.desk.umpire
            assert told[-1:] in ([], [at.desk.umpire.seq])
    return told


async def match(folder: Path, seed: int, events: int) -> None:
    dice = Random(seed)
    policy = {"challenges": dice.choice((1, 2, 4)), "challenge_keeps": ["upheld", "inconclusive"]}
    opening = {"event": "start", "book": dice.choice(OF_TWO), "seats": {"south": "Asha", "north": "Ben"}}
    opening |= {"first": "south", "policy": policy}
    table = None
    told: list[int] = []
    for _ in range(2):
        async with scene(folder, opening, table=table) as at:
            table = at.table
            told += await watched(Spy(at), dice, events)
    assert told == [*range(2, len(told) + 2)], "each ruling once, in order, a restart or a challenge between them"


FAST, LONG, OF_A_PART, EVENTS = 12, 1000, 20, 15


def test_nothing_of_a_reversal_is_out_before_its_verdict(tmp_path) -> None:
    for seed in range(FAST):
        (tmp_path / str(seed)).mkdir()
        asyncio.run(match(tmp_path / str(seed), seed, EVENTS))


@pytest.mark.long
@pytest.mark.parametrize("part", range(LONG // OF_A_PART))
def test_nor_in_a_thousand_matches(tmp_path, part: int) -> None:
    for seed in range(FAST + part * OF_A_PART, FAST + (part + 1) * OF_A_PART):
        (tmp_path / str(seed)).mkdir()
        asyncio.run(match(tmp_path / str(seed), seed, EVENTS))
