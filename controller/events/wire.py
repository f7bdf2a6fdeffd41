"""The line format between carrom-eyes and carrom: one JSON object a line, `kind` names the class.

Text in, values out, and back; sockets are somebody else's. Raises PeerError for a line that is none.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from controller.events.doors import RECORD, json_value
from controller.events.errors import PeerError
from controller.events.observation import (
    BoardSeen,
    EyesHealth,
    HandsSeen,
    MotionBegan,
    Moving,
    Observation,
    StrokeSeen,
)
from controller.events.reading import strictly

_ADAPTERS: dict[str, TypeAdapter[Any]] = {
    kind.kind: TypeAdapter(kind) for kind in (BoardSeen, HandsSeen, MotionBegan, Moving, StrokeSeen, EyesHealth)
}


def observation_to_line(observation: Observation) -> str:
    """Returns the observation as one line of JSON, without the newline."""
    body = _ADAPTERS[observation.kind].dump_python(observation, mode="json")
    return json.dumps({"kind": observation.kind, **body}, separators=(",", ":"))


def observation_from_line(line: str | bytes) -> Observation:
    """Reads one line. Raises PeerError, naming what is wrong, if it is no observation."""
    try:
        body = json_value(line, RECORD)
    except ValueError as error:
        raise PeerError(f"a line from the eyes {error}") from error
    adapter = _ADAPTERS.get(str(body.pop("kind", ""))) if isinstance(body, dict) else None
    if adapter is None:
        raise PeerError("a line from the eyes names no known kind of observation")
    try:
        observation: Observation = strictly(adapter, body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PeerError(f"an observation from the eyes is malformed at {where}: {first['msg']}") from error
    return observation
