"""The shipped schemas are the models', they take what is published; events and rulings by the hundred: tests/events."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import jsonschema
import pytest

from controller.events.codec import ruling_to_json
from controller.events.ruling import (
    BoardState,
    Changed,
    Due,
    Foul,
    PlaceNow,
    PlaceWithin,
    Refusal,
    Returned,
    Ruling,
    TakeOff,
    Within,
)
from controller.mqtt.payloads import Alert, Clock, Health, Lying, LyingPiece, plain, stamped
from controller.mqtt.scoreboard import history, idle, result, score
from scripts.write_schemas import FOLDER, FORM, as_text, form, schemas
from tests.mqtt.rulings import INFO, SHOT, ruling


@cache
def check(name):
    schema = json.loads((FOLDER / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_shipped_files_are_what_the_models_say():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(schemas())
    for name, schema in schemas().items():
        assert (FOLDER / f"{name}.json").read_text() == as_text(schema), f"{name} is old. Fix: make schemas"
    assert FORM.read_text() == form(), "the correction form's facts are old. Fix: make schemas"


def test_a_call_needs_its_envelope():
    for missing in ("id", "t"):
        call = {"event": "pause", "id": "c", "t": 1.0}
        del call[missing]
        assert not check("mqtt-call").is_valid(call)
    assert not check("mqtt-call").is_valid({"event": "pause", "id": "", "t": 1.0})


def test_rulings():
    said = Ruling(
        seq=2,
        event="shot",
        turn="south",
        queen="board",
        left={"white": 8, "black": 9, "queen": 1},
        in_hand={"south": 1, "north": 0},
        owed={"south": 0, "north": 0},
        board=BoardState(),
        score={"south": 0, "north": 0},
        games={"south": 0, "north": 0},
        fouls=(Foul("icf-130a", "striker touches one base line only"),),
        returned=(Returned("queen", None, "icf-70", (0.0, 0.0)),),
        dues=(Due("south", 1, 0, "icf-66", Within((0.0, 0.0), 15.9, 85.0)),),
        extra={"by": "umpire"},
    )
    call = replace(
        said,
        event="call",
        ranking=("south", "north", "east"),
        changed=(Changed(1, "turn north, not south", {"turn": "north"}, {"turn": "south"}),),
        place_now=(
            PlaceNow("queen", None, (0.0, 0.0)),
            PlaceWithin("white", "south", Within((0.0, 0.0), 15.9, 85.0)),
        ),
        take_off=(TakeOff("black", "north"),),
    )
    for body in (ruling_to_json(said), ruling_to_json(call), ruling(), ruling_to_json(Refusal(3, "shot", "over"))):
        check("ruling").validate(body)
        check("mqtt-reply").validate(body)
    check("mqtt-ruling").validate(stamped(ruling_to_json(said), 1.0))
    assert not check("mqtt-ruling").is_valid(ruling_to_json(said))
    for broken in ({"queen": "lost"}, {"fouls": [{"says": "no clause"}]}, {"turn": "up"}):
        assert not check("ruling").is_valid(ruling(**broken))
    assert not check("ruling").is_valid({"seq": 3, "event": "shot", "error": "no", "state": {}})


def test_every_payload_we_publish_is_valid():
    told = [(1.0, {"event": "start"}, ruling(event="start")), (2.0, SHOT, ruling())]
    said = {
        "mqtt-score": [
            score(ruling(), INFO, 1.0, clock=Clock(running=True, left=3.2, limit=15.0), provisional=("turn",)),
            idle("t", 1.0),
        ],
        "mqtt-history": [history(INFO, [(1.0, ruling(event="start"), INFO), (2.0, ruling(), INFO)], 3.0)],
        "mqtt-board": [Lying(1.0, (LyingPiece("white", 1.0, 2.0),), moving=True)],
        "mqtt-result": [result(INFO, told)],
        "mqtt-alert": [Alert("beam-ne", "fault", "dirty", 1.0), Alert("a", "foul", "x", 1.0, "icf-1", "south", 4)],
        "mqtt-health": [Health(1.0, "armed", "ok", "ok", "up", "ok", fps=60.0, latency=0.1)],
        "mqtt-shot": [stamped(SHOT, 1.0)],
        "mqtt-availability": ["online", "offline"],
    }
    for name, bodies in said.items():
        for body in bodies:
            check(name).validate(plain(body))


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("mqtt-availability", "ready"),
        ("mqtt-shot", SHOT),
        ("mqtt-shot", {"event": "pause", "at": 1.0}),
        ("mqtt-alert", {"id": "a", "level": "loud", "says": "x", "t": 1.0}),
        ("mqtt-score", {"seq": 1}),
        ("mqtt-board", {"t": 1.0, "pieces": [{"piece": "white", "x": "left", "y": 0}]}),
    ],
)
def test_broken_payloads_are_refused(name, body):
    assert not check(name).is_valid(body)
