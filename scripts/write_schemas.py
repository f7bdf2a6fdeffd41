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
from typing import Any, Literal

from pydantic import TypeAdapter

from controller.events import match
from controller.events.notation import NOT_NOTED, Notation
from controller.events.ruling import Refusal, Ruling
from controller.events.unseen import EMPTY_SAYS_NOTHING
from controller.events.words import FLAGS
from controller.mqtt import calls, payloads

FOLDER = Path(__file__).parents[1] / "controller" / "events" / "schemas"
FORM = FOLDER.parents[1] / "web" / "static" / "facts.mjs"
"""The facts of a stroke as the pages name them and the umpire's form corrects them."""

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ENVELOPE: dict[str, Any] = {
    "t": {"type": "number"},
    "at": {"type": "number", "description": "Unix seconds"},
    "id": {"type": "string"},
    "by": {"type": "string"},
    "note": {"type": "string"},
}
"""Fields that may stand in any event and change nothing."""

NOT_IN_A_RECORD = frozenset(kind.__name__ for kind in NOT_NOTED)
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
        "notation": _titled("Carrom notation: one match", _notation(event)),
        "ruling": _titled("A ruling, or the error of an event that cannot apply", ruling),
        "mqtt-availability": _titled("availability", {"enum": ["online", "offline"]}),
        "mqtt-score": _payload("score", payloads.Score),
        "mqtt-board": _payload("board", payloads.Lying),
        "mqtt-shot": _titled("shot", {"$defs": event["$defs"], "allOf": [{"$ref": "#/$defs/Shot"}, at]}),
        "mqtt-ruling": _titled("ruling", {"$defs": ruling["$defs"], "allOf": [{"$ref": "#/$defs/Ruling"}, at]}),
        "mqtt-history": _payload("history", payloads.History),
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
    """Returns the module with what the pages say of facts and flags, in the words of their descriptions."""
    rows = [
        {"path": path, "values": one.values, "inOrder": one.in_order}
        for path, one in match.FACTS.items()
        if one.in_form
    ]
    labels = {path: one.fact.label for path, one in match.FACTS.items() if one.fact.label}
    labels |= {f"flags.{flag}": one.label for flag, one in FLAGS.items()}
    parts = (
        ("What a page calls them in English.", "LABELS", labels),
        ("The rows of the form. `values`: none for a number, which may be left out.", "FACTS", rows),
        ("The form's boxes.", "FLAGS", list(FLAGS)),
        ("Lists that are as left out when they are empty.", "EMPTY_SAYS_NOTHING", sorted(EMPTY_SAYS_NOTHING)),
    )
    made = "Made by `make schemas` from controller/events/match.py and words.py; do not edit."
    return f"// {made}\n" + "".join(
        f"\n// {says}\nexport const {name} = {json.dumps(value, indent=2, ensure_ascii=False)};\n"
        for says, name, value in parts
    )


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
    models = (Ruling, Refusal)
    defs |= {model.__name__: _of(model, defs, "serialization") for model in models}
    fields, always = defs["Ruling"]["properties"], defs["Ruling"]["required"]
    # What stands there only where it says something is never null.
    fields |= {name: body["anyOf"][0] for name, body in fields.items() if name not in always}
    return {"$defs": defs, "oneOf": [{"$ref": f"#/$defs/{model.__name__}"} for model in models]}


def _notation(event: Schema) -> Schema:
    defs: Schema = {}
    body = _of(Notation, defs)
    kinds = [one for one in event["oneOf"] if one["$ref"].rpartition("/")[2] not in NOT_IN_A_RECORD]
    entry = body["properties"]["boards"]["items"]["properties"]["record"]["items"]
    entry["properties"]["facts"] = {"oneOf": kinds}
    body["required"] = ["notation", *body["required"]]
    return {**body, "$defs": {**event["$defs"], **defs}}


def _payload(topic: str, model: type) -> Schema:
    defs: Schema = {}
    body = _of(model, defs)
    for part in [body, *defs.values()]:
        # Whatever we publish, we publish whole.
        part["required"] = list(part["properties"])
    return _titled(topic, {**body, "$defs": defs})


def _of(model: type, defs: Schema, mode: Literal["validation", "serialization"] = "validation") -> Schema:
    """Returns a model's schema in JSON's spelling, as it is read or written; what it is made of goes into `defs`."""
    body = TypeAdapter(model).json_schema(mode=mode)
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
        kept = {key: value for key, value in schema.items() if key not in ("title", "default")}
        named = ("properties", "$defs")
        return {
            key: {name: _plain(one) for name, one in value.items()} if key in named else _plain(value)
            for key, value in kept.items()
        }
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
