"""Writes the JSON Schemas of every event, ruling and MQTT payload into `controller/events/schemas/`, and the facts of
the umpire's correction form.

They are made from the models that the house itself uses; only the envelope around them is added here. `make schemas`
writes them, a test fails when they are not the models' any more.
"""

from __future__ import annotations

import json
import typing
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from controller.events import match
from controller.events.ruling import Refusal, Ruling
from controller.events.words import FLAGS
from controller.mqtt import calls, payloads

FOLDER = Path(__file__).parents[1] / "controller" / "events" / "schemas"
FORM = FOLDER.parents[1] / "web" / "static" / "facts.mjs"
"""The facts of a stroke as the correction form on the umpire's page has them."""

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ENVELOPE: dict[str, Any] = {
    "t": {"type": "number"},
    "at": {"type": "number", "description": "Unix seconds"},
    "id": {"type": "string"},
    "by": {"type": "string"},
    "note": {"type": "string"},
}
"""Fields that may stand in any event and change nothing."""

ASK = ("ask", "question", "choices")
"""The parts of a question that a ruling says of it; the rest is for those who hold it open."""

SOMETIMES = ("ranking", "changed", "place_now", "take_off")
"""Fields of a ruling that stand only where they say something: more than two sides, a word about earlier rulings."""

Schema = dict[str, Any]


def schemas() -> dict[str, Schema]:
    """Returns every schema by its file's name without the ending."""
    event, ruling = _events(), _ruling()
    at = {"required": ["at"], "properties": {"at": {"type": "number", "description": "Unix seconds"}}}
    envelope = {
        "required": ["id", "t"],
        "properties": {
            "id": {"type": "string", "minLength": 1, "maxLength": calls.LONGEST_ID},
            "t": {"type": "number", "description": "when the call was made, Unix seconds"},
        },
    }
    made = {
        "event": _titled("Any event", event),
        "ruling": _titled("A ruling, or the error of an event that cannot apply", ruling),
        "mqtt-availability": _titled("availability", {"enum": ["online", "offline"]}),
        "mqtt-score": _payload("score", payloads.Score),
        "mqtt-board": _payload("board", payloads.Lying),
        "mqtt-shot": _titled("shot", {"$defs": event["$defs"], "allOf": [{"$ref": "#/$defs/Shot"}, at]}),
        "mqtt-ruling": _titled("ruling", {"$defs": ruling["$defs"], "allOf": [{"$ref": "#/$defs/Ruling"}, at]}),
        "mqtt-result": _payload("result/<match>", payloads.Result),
        "mqtt-alert": _payload("alert and alert/<id>", payloads.Alert),
        "mqtt-health": _payload("health", payloads.Health),
        "mqtt-fixtures": _payload("fixtures", payloads.Fixtures),
        "mqtt-call": _titled(
            "call: an umpire's event with id and t",
            {"$defs": event["$defs"], "allOf": [{"oneOf": event["oneOf"]}, envelope]},
        ),
        "mqtt-reply": _titled("reply/…: what a call is answered with", ruling),
    }
    return {name: _needed_defs(schema) for name, schema in made.items()}


def write(folder: Path = FOLDER) -> None:
    """Writes all schemas, and nothing else is left in the folder."""
    folder.mkdir(exist_ok=True)
    wanted = {f"{name}.json": as_text(schema) for name, schema in schemas().items()}
    for old in folder.glob("*.json"):
        if old.name not in wanted:
            old.unlink()
    for name, body in wanted.items():
        (folder / name).write_text(body, encoding="utf-8")


def main() -> None:
    """Writes the schemas and the form's facts."""
    write()
    FORM.write_text(form(), encoding="utf-8")


def form() -> str:
    """Returns the module with the correction form's facts and flags, in the words of their descriptions."""
    facts = [
        {"path": path, "label": one.fact.label, "values": one.values, "inOrder": one.in_order}
        for path, one in match.FACTS.items()
        if one.fact.label
    ]
    flags = {flag: one.label for flag, one in FLAGS.items()}
    return (
        "// Made by `make schemas` from controller/events/match.py and words.py; do not edit.\n\n"
        f"export const FACTS = {_module(facts)};\n\nexport const FLAGS = {_module(flags)};\n"
    )


def _module(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def as_text(schema: Schema) -> str:
    """The text of a schema's file."""
    return json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _events() -> Schema:
    defs: Schema = {}
    names = []
    for model in typing.get_args(match.Event):
        body = _of(model, defs)
        body["properties"] = {**body["properties"], **_envelope(model), "event": {"const": model.event}}
        body["required"] = ["event", *body.get("required", [])]
        body["additionalProperties"] = False
        defs[model.__name__] = body
        names.append(model.__name__)
    return {"$defs": defs, "oneOf": [{"$ref": f"#/$defs/{name}"} for name in names]}


def _envelope(model: type[match.Event]) -> Schema:
    own = {field.name for field in fields(model)}
    return {name: schema for name, schema in ENVELOPE.items() if name not in own}


def _ruling() -> Schema:
    defs: Schema = {}
    ruling = _of(Ruling, defs)
    del ruling["properties"]["extra"]
    ruling["required"] = list(ruling["properties"])
    for part in defs.values():
        part["required"] = list(part["properties"])
    for name in SOMETIMES:
        ruling["required"].remove(name)
        whole = ruling["properties"][name].get("anyOf", [ruling["properties"][name]])[0]
        ruling["properties"][name] = whole
    defs["Changed"]["required"].remove("was")
    asked = defs["Question"]
    asked["required"] = list(ASK)
    asked["properties"] = {name: asked["properties"][name] for name in ASK}
    defs["PlaceNow"]["properties"]["within"] = {"$ref": "#/$defs/Within"}
    defs["PlaceNow"]["required"] = ["piece", "side"]
    defs["PlaceNow"]["oneOf"] = [{"required": ["to"]}, {"required": ["within"]}]
    refusal = _of(Refusal, defs)
    # A call that could not even be read has no number.
    refusal["properties"]["seq"] = {"type": ["integer", "null"]}
    refusal["additionalProperties"] = False
    defs |= {"Ruling": ruling, "Refusal": refusal}
    return {"$defs": defs, "oneOf": [{"$ref": "#/$defs/Ruling"}, {"$ref": "#/$defs/Refusal"}]}


def _payload(topic: str, model: type) -> Schema:
    defs: Schema = {}
    body = _of(model, defs)
    for part in [body, *defs.values()]:
        # Whatever we publish, we publish whole.
        part["required"] = list(part["properties"])
    return _titled(topic, {**body, "$defs": defs})


def _of(model: type, defs: Schema) -> Schema:
    """Returns a model's schema in JSON's spelling; what it is made of goes into `defs`."""
    body = TypeAdapter(model).json_schema()
    parts = {**body.pop("$defs", {}), model.__name__: body}
    for part in parts.values():
        part.pop("title", None)
        part["properties"] = {key: _plain(value) for key, value in part.get("properties", {}).items()}
        # Docstrings speak to those who read the code.
        part.pop("description", None)
    mine: Schema = parts.pop(model.__name__)
    defs.update(parts)
    return mine


def _plain(schema: Any) -> Any:
    """Without what pydantic writes for its own sake."""
    if isinstance(schema, dict):
        return {key: _plain(value) for key, value in schema.items() if key not in ("title", "default")}
    if isinstance(schema, list):
        return [_plain(value) for value in schema]
    return schema


def _titled(title: str, schema: Schema) -> Schema:
    return {"$schema": DRAFT, "title": title, **schema}


def _needed_defs(schema: Schema) -> Schema:
    """Keeps only the definitions that are used."""
    defs = schema.get("$defs", {})
    needed: set[str] = set()
    waiting = [json.dumps({key: value for key, value in schema.items() if key != "$defs"})]
    while waiting:
        text = waiting.pop()
        for name in defs:
            if name not in needed and f'"#/$defs/{name}"' in text:
                needed.add(name)
                waiting.append(json.dumps(defs[name]))
    kept = {key: value for key, value in schema.items() if key != "$defs"}
    return {**kept, "$defs": {name: defs[name] for name in sorted(needed)}} if needed else kept


if __name__ == "__main__":
    main()
