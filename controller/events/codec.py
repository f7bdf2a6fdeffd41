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
from controller.events.ruling import Refusal, Ruling, Within
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


def _ring(within: Within | None) -> dict[str, Any] | None:
    if within is None:
        return None
    return {"centre": list(within.centre), "inner_mm": within.inner_mm, "outer_mm": within.outer_mm}


def _what_changed(ruling: Ruling) -> dict[str, Any]:
    """What a call, an answer, a correction … changed, and what lies to be placed now. Others have no such fields."""
    if ruling.changed is None:
        return {}
    return {
        "changed": [{"seq": c.seq, "says": c.says, "fields": c.fields, "was": c.was} for c in ruling.changed],
        "place_now": [
            {"piece": one.piece, "side": one.side}
            | (
                {"to": None if one.to is None else list(one.to)}
                if one.within is None
                else {"within": _ring(one.within)}
            )
            for one in ruling.place_now or ()
        ],
        "take_off": [{"piece": one.piece, "side": one.side} for one in ruling.take_off or ()],
    }


def ruling_to_json(ruling: Ruling | Refusal) -> dict[str, Any]:
    """Writes a ruling or a refusal in its fixed form."""
    if isinstance(ruling, Refusal):
        return {"seq": ruling.seq, "event": ruling.event, "error": ruling.error}
    board = ruling.board
    return {
        "seq": ruling.seq,
        "event": ruling.event,
        "seat": ruling.seat,
        "fouls": [{"clause": f.clause, "says": f.says, "status": f.status} for f in ruling.fouls],
        "cites": list(ruling.cites),
        "returned": [
            {"piece": r.piece, "side": r.side, "why": r.why, "to": None if r.to is None else list(r.to)}
            for r in ruling.returned
        ],
        "dues": [
            {
                "side": d.side,
                "pieces": d.pieces,
                "owed": d.owed,
                "why": d.why,
                "within": _ring(d.within),
            }
            for d in ruling.dues
        ],
        "asks": [{"ask": a.ask, "question": a.question, "choices": list(a.choices)} for a in ruling.asks],
        "provisional": ruling.provisional,
        "sealed": ruling.sealed,
        "saved": ruling.saved,
        "unseen": list(ruling.unseen),
        "notes": list(ruling.notes),
        "void": ruling.void,
        "turn": ruling.turn,
        "turn_kept": ruling.turn_kept,
        "queen": ruling.queen,
        "queen_side": ruling.queen_side,
        "left": dict(ruling.left),
        "in_hand": dict(ruling.in_hand),
        "owed": dict(ruling.owed),
        "board": {
            "number": board.number,
            "over": board.over,
            "winner": board.winner,
            "points": board.points,
            "on_demand": board.on_demand,
            "drawn": board.drawn,
            "why": board.why,
        },
        "score": dict(ruling.score),
        "games": dict(ruling.games),
        "game_over": ruling.game_over,
        "match_over": ruling.match_over,
        "winner": ruling.winner,
        **({"ranking": list(ruling.ranking)} if ruling.ranking else {}),
        **_what_changed(ruling),
        **ruling.extra,
    }
