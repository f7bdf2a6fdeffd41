"""Events and rulings ↔ their JSON form, which is fixed for users (`docs/interfaces.md`).

An unknown field or value is an EventError that names it; only harmless envelope fields (`t`, `at`, `id`, `by`, `note`)
may stand anywhere, and `reason`, which is kept. Must not know how a ruling comes about.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter

from controller.events.doors import LONGEST_NAME, checked
from controller.events.errors import EventError, UnreadableError
from controller.events.match import Event, Shot
from controller.events.reading import read, shown
from controller.events.ruling import Refusal, Ruling
from controller.events.unseen import is_given

_KINDS: Mapping[str, type[Event]] = {kind.event: kind for kind in get_args(Event)}


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(_KINDS[kind])


def event_from_json(value: Any) -> Event:
    """Reads one event. Raises EventError that names the field which is unknown, missing or wrong."""
    if not isinstance(value, dict):
        raise EventError("an event is a JSON object")
    try:
        # Whoever hands it over: what cannot be written down or published must not be ruled on.
        checked(value)
    except UnreadableError as error:
        raise EventError(f"the event {error}") from error
    kind = value.get("event")
    if not isinstance(kind, str) or kind not in _KINDS:
        said = "event is missing" if kind is None else f"there is no event {shown(kind)}"
        raise EventError(f"{said}; use one of {', '.join(_KINDS)}")
    event: Event = read(_adapter(kind), value)
    for fact in event.unseen if isinstance(event, Shot) else ():
        if is_given(value, fact):
            raise EventError(f"unseen: the shot says {fact}, so it was seen; leave out one of the two")
    return event


def kind_of(value: Mapping[str, Any]) -> str:
    """Returns what an event calls itself, for answers to it; "" for what can be no event's name."""
    kind = value.get("event")
    return kind if isinstance(kind, str) and len(kind) <= LONGEST_NAME else ""


def event_to_json(event: Event) -> dict[str, Any]:
    """Writes an event; what is as by default is left out. `event_from_json` reads the same event back."""
    body = _adapter(event.event).dump_python(event, mode="json", by_alias=True, exclude_defaults=True, warnings=False)
    return {"event": event.event, **body}


def ruling_to_json(ruling: Ruling | Refusal) -> dict[str, Any]:
    """Writes a ruling or a refusal in its fixed form."""
    body: dict[str, Any] = _RULED.dump_python(ruling, mode="json", warnings=False)
    return body | ruling.extra if isinstance(ruling, Ruling) else body


_RULED: TypeAdapter[Ruling | Refusal] = TypeAdapter(Ruling | Refusal)
