"""What users see stays as it is, byte for byte: events as they are read and written back, refusals, and rulings.

`read.jsonl`: one event a line with what becomes of it. `ruled.jsonl`: matches, one event a line with its ruling. Fields
may be added: `python -m tests.events.test_golden` writes both files anew, and a person looks at the difference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from controller.commands.rule import rule_line
from controller.events.codec import event_from_json, event_to_json, ruling_to_json
from controller.events.errors import EventError
from controller.rules import begin
from scripts.write_schemas import schemas
from tests.rules.scenes import BOOKS

Json = dict[str, Any]
HERE = Path(__file__).parent
READ, RULED = HERE / "read.jsonl", HERE / "ruled.jsonl"


def lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read(event: Json) -> Json:
    try:
        return {"in": event, "out": event_to_json(event_from_json(event))}
    except EventError as error:
        return {"in": event, "error": str(error)}


def ruled(events: list[Json]) -> Iterator[Json]:
    """Each `start` begins a match, as on the command line."""
    state = begin(BOOKS)
    for event in events:
        if event["event"] == "start":
            state = begin(BOOKS)
        state, ruling = rule_line(state, json.dumps(event), None)
        yield {"event": event, "ruling": ruling_to_json(ruling)}


def text(line: Json) -> str:
    return json.dumps(line, ensure_ascii=False)


def test_events_are_read_and_written_as_ever() -> None:
    for line in lines(READ):
        assert text(read(line["in"])) == text(line)


def test_rulings_are_written_as_ever() -> None:
    known = lines(RULED)
    for line, now in zip(known, ruled([line["event"] for line in known]), strict=True):
        assert text(now) == text(line)


CALL = {"id": "c-1", "t": 1_700_000_000.0}
WRITTEN = [
    ("event", READ, "out", {}),
    ("mqtt-call", READ, "out", CALL),
    ("ruling", RULED, "ruling", {}),
    ("mqtt-reply", RULED, "ruling", {}),
]


@pytest.mark.parametrize(("name", "file", "key", "more"), WRITTEN)
def test_the_schemas_take_all_that_is_written(name: str, file: Path, key: str, more: Json) -> None:
    schema = jsonschema.Draft202012Validator(schemas()[name])
    for line in lines(file):
        if key in line:
            schema.validate(line[key] | more)


def test_the_schema_refuses_what_is_refused() -> None:
    schema = jsonschema.Draft202012Validator(schemas()["event"])
    for line in lines(READ):
        if "error" in line and not BEYOND_SCHEMAS.search(line["error"]):
            assert not schema.is_valid(line["in"]), line


BEYOND_SCHEMAS = re.compile(r"^unseen|holds a character that")
"""A fact that is unseen and said, a name of no fact, characters that nobody sees: no schema says it."""


def main() -> None:
    """Writes both files anew from the events that they hold."""
    READ.write_text("".join(f"{text(read(line['in']))}\n" for line in lines(READ)), encoding="utf-8")
    RULED.write_text("".join(f"{text(one)}\n" for one in ruled([line["event"] for line in lines(RULED)])), "utf-8")


if __name__ == "__main__":
    main()
