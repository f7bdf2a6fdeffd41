"""What is flagged and not yet confirmed is told to the umpire alone, over MQTT and on the pages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from controller.mqtt.payloads import Alert, plain
from controller.table.outlets.broker import publish_by
from controller.table.outlets.pages import DeskView
from controller.table.public.messages import alert_is_the_umpires, ruling_for_everybody, stroke_for_everybody
from tests.table.kit import Scene, run, scene, unsure
from tests.table.test_evidence import numbered, white_falls

TRACES = ("icf-33", "push", "to confirm", "no foul")
"""What would give the flagged push away."""


class Client:
    """A broker's client that remembers what went to everybody and what to the umpire."""

    def __init__(self) -> None:
        self.everybody: list[tuple[str, Any]] = []
        self.umpire: list[tuple[str, Any]] = []

    def __getattr__(self, name: str):
        def publish(*args: Any, for_umpire: bool = False, **_more: Any) -> None:
            (self.umpire if for_umpire else self.everybody).append((name, plain(args[0])))

        return publish


def traces(told: Any) -> list[str]:
    text = json.dumps(told, ensure_ascii=False)
    return [trace for trace in TRACES if trace in text]


def page(at: Scene, umpire: bool) -> dict[str, Any]:
    shown = DeskView(at.desk, None, lambda: None).snapshot(umpire).plain()
    # Tonight's list of clauses names them all, played or not.
    return {name: value for name, value in shown.items() if name != "watched"}


async def pushed(at: Scene) -> None:
    """A stroke that looks like a push: flagged, to be confirmed."""
    await at.arm()
    stroke, _ = at.table.stroke(())
    await at.feed(replace(numbered(stroke), struck=replace(stroke.struck, hand_follow_mm=200.0)))
    await at.wait(600)


def test_a_flag_shows_nowhere_without_rights_until_it_is_confirmed(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            client = Client()
            publish_by(client, at.desk.shown)
            await pushed(at)
            (question,) = at.desk.umpire.questions()
            assert [told for told in client.everybody if traces(told)] == []
            assert traces(page(at, umpire=False)) == []
            assert page(at, umpire=False)["score"]["asks"] == 0
            assert [name for name, _ in client.umpire] == [
                "publish_shot",
                "publish_ruling",
                "publish_alert",
                "publish_alert",
            ]
            assert [flag["clause"] for flag in page(at, umpire=True)["flags"]] == ["icf-33"]
            assert page(at, umpire=True)["score"]["asks"] == 1
            await at.say({"event": "answer", "ask": question.ask, "choice": "foul"})
            assert "icf-33" in traces(client.everybody)
            assert "icf-33" in traces(page(at, umpire=False)["stroke"])

    run(story())


@pytest.mark.parametrize(("choice", "shown"), [("foul", [(95, 120)]), ("no foul", [])])
def test_the_pictures_of_a_flag_are_everybodys_only_once_it_is_a_foul(tmp_path, choice, shown) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            at.takes_pictures(range(95, 130))
            view = DeskView(at.desk, None, lambda: None)
            await pushed(at)
            await at.desk.keeping.done()
            (flag,) = page(at, umpire=True)["flags"]
            assert flag["clip"] == (95, 120)
            assert view.replays() == []
            await at.say({"event": "answer", "ask": flag["ask"], "choice": choice})
            await at.say({"event": "shot", "seat": "north"})  # a foul stays one when play goes on
            assert [one["clip"] for one in view.replays()] == shown
            assert [one["clip"] for one in page(at, umpire=False)["replays"]] == shown
            void = {"event": "set", "position": {}}
            await at.say({"event": "correct", "seq": flag["seq"], "with": void, "reason": "taken back"})
            assert view.replays() == []

    run(story())


def test_a_foul_that_is_called_on_a_stroke_opens_its_clip_and_nothing_else_does(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            at.takes_pictures(range(95, 130))
            view = DeskView(at.desk, None, lambda: None)
            await at.arm()
            stroke, _ = at.table.stroke(())
            await at.feed(numbered(stroke))
            await at.wait(600)
            await at.desk.keeping.done()
            assert view.replays() == []
            await at.say({"event": "call", "clause": "icf-33", "seat": "south"})
            await at.desk.keeping.done()
            assert [one["clip"] for one in view.replays()] == [(95, 120)]

    run(story())


def test_a_question_has_its_pictures_for_who_decides_alone(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, table=unsure()) as at:
            await white_falls(at)
            (told,), (shown,) = (page(at, umpire=who)["asks"] for who in (True, False))
            assert {"picture", "clip", "evidence"} <= set(told)
            assert told["question"] == shown["question"]
            assert not {"picture", "clip", "evidence"} & set(shown)
            assert page(at, umpire=False)["replays"] == []

    run(story())


def test_suspicions_are_taken_out_wherever_they_stand() -> None:
    ruled = {"clause": "a", "says": "x", "status": "ruled"}
    raised = {"clause": "b", "says": "x", "status": "to confirm"}
    doubt = {"ask": 2, "question": "Which piece?", "choices": ["white", "black"]}
    ask = {"ask": "2.1", "question": "b?", "choices": ["foul", "no foul"]}
    ruling = {
        "fouls": [ruled, raised],
        "asks": [doubt, ask],
        "cites": ["a", "b", "c"],
        "turn": "south",
        "changed": [
            {"seq": 1, "fields": {"fouls": [raised], "turn": "north"}, "was": {"fouls": [], "turn": "south"}},
            {"seq": 2, "fields": {"fouls": [raised], "cites": ["b"]}, "was": {"fouls": [], "cites": []}},
            {"seq": 3, "fields": {"cites": ["b", "c"]}, "was": {"cites": ["b"]}},
        ],
    }
    assert ruling_for_everybody(ruling) == {
        "fouls": [ruled],
        "asks": [doubt],
        "cites": ["a", "c"],
        "turn": "south",
        "changed": [{"seq": 1, "fields": {"turn": "north"}, "was": {"turn": "south"}}],
    }
    shot = {"event": "shot", "flags": ["push"], "doubts": [{"fact": "flags.push"}, {"fact": "heading"}]}
    assert stroke_for_everybody(shot) == {"event": "shot", "doubts": [{"fact": "heading"}]}


@pytest.mark.parametrize(
    ("level", "clause", "umpires"),
    [
        ("ask", "icf-33", True),
        ("warning", "icf-117", True),
        ("foul", "icf-33", False),
        ("ask", None, False),
        ("fault", None, False),
    ],
)
def test_an_alert_that_names_a_clause_nobody_ruled_on_is_the_umpires(level, clause, umpires) -> None:
    assert alert_is_the_umpires(Alert("x", level, "says", 0.0, clause)) is umpires


def test_that_anybody_may_write_on_the_broker_is_told_to_nobody_but_the_umpire(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            at.desk.shown.measured(open_broker="anybody may write on the broker")
            at.desk.announce()
            assert "broker-open" in {alert["id"] for alert in page(at, umpire=True)["alerts"]}
            assert "broker-open" not in {alert["id"] for alert in page(at, umpire=False)["alerts"]}

    run(story())
