"""Events and rulings ↔ their JSON form, which is fixed for users (`docs/interfaces.md`).

An unknown field or value is an EventError that names it; only harmless envelope fields (`t`, `at`, `id`, `by`, `note`)
may stand anywhere, and `reason`, which is kept. Must not know how a ruling comes about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal

from controller.events import match
from controller.events.doors import LONGEST_NAME, checked, whole_number
from controller.events.errors import EventError, UnreadableError
from controller.events.match import Event, Position
from controller.events.reading import (
    Fields,
    Reader,
    anything,
    flag,
    flag_or,
    listed,
    mapped,
    name,
    number,
    obj,
    point,
    positive,
    shown,
    text,
    whole,
    word,
)
from controller.events.ruling import Refusal, Ruling, Within
from controller.events.words import Circle, Colour, Flag, Heading, Lines, Piece, Pocket, QueenState, Seat

_ENVELOPE = frozenset({"event", "t", "at", "id", "by", "note"})
_UNKNOWN = "unknown"
_seat, _piece, _pocket = word(Seat), word(Piece), word(Pocket)
_lying = word(Literal["white", "black", "queen", "striker", "unknown"])
_count = whole(0, 99)
_by_seat_count = mapped(_seat, _count)

_POSITION = Fields(
    Position,
    {
        "left": mapped(word(Literal["white", "black", "queen"]), _count),
        "queen": word(QueenState),
        "queen_side": _seat,
        "turn": _seat,
        "owed": _by_seat_count,
        "score": mapped(_seat, whole(0, 9999)),
        "games": _by_seat_count,
        "board": whole(1, 999),
        "break_done": flag,
        "queen_pocket": _pocket,
        "in_hand": mapped(_seat, listed(word(Literal["white", "black", "queen"]))),
        "tie_break": mapped(_seat, word(Colour)),
        "tries": _count,
        "strokes": _count,
        "had_pocketed": mapped(_seat, flag),
    },
)
_PLACEMENT = Fields(
    match.Placement,
    {
        "x": number,
        "y": number,
        "lines": word(Lines, _UNKNOWN),
        "circle": word(Circle, _UNKNOWN),
        "arrow": flag_or(_UNKNOWN),
        "touching": flag_or(_UNKNOWN),
    },
    ignored=frozenset({"u95", "gap"}),
)
_CONTACT = Fields(
    match.Contact,
    {"with": word(Literal["white", "black", "queen", "unknown", "cushion"]), "at": point},
    required=("with",),
    ignored=frozenset({"t"}),
    renamed={"with": "touched"},
)
_POCKETED = Fields(match.Pocketed, {"piece": _piece, "pocket": _pocket, "t": number}, required=("piece",))
_REST = Fields(
    match.RestPiece,
    {"piece": _lying, "x": number, "y": number},
    required=("piece", "x", "y"),
    ignored=frozenset({"u95", "upright", "confidence"}),
)


def _choice(value: Any, where: str) -> tuple[Any, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise EventError(f"{where} must be [value, weight], not {shown(value)}")
    return (value[0], positive(value[1], f"{where}[1]"))


def _choices(value: Any, where: str) -> tuple[tuple[Any, float], ...]:
    read: tuple[tuple[Any, float], ...] = listed(_choice)(value, where)
    if not read:
        raise EventError(f"{where} must name at least one choice")
    return read


_DOUBT = Fields(match.Doubt, {"fact": text, "choices": _choices, "evidence": anything}, required=("fact", "choices"))
_FACTS = frozenset(
    {"seat", "placement", "left_baseline", "heading", "all_at_rest", "contacts", "pocketed", "off_board"}
    | {"crossed_baseline", "flags", "rest", "elapsed"}
)
"""What `unseen` may name, alone or with a part behind a dot (`placement.lines`)."""


def _fact(value: Any, where: str) -> str:
    if not isinstance(value, str) or value.partition(".")[0] not in _FACTS:
        raise EventError(f"{where}: there is no fact {shown(value)}")
    return value


_MAY_BE_NONE = frozenset({"pocketed", "off_board", "flags"})
"""Lists that say nothing when they are empty: as left out."""


def _is_given(shot: Mapping[str, Any], fact: str) -> bool:
    """Says whether a shot says anything about a fact that `unseen` may name. Who struck is always said."""
    head, *parts = fact.split(".")
    inside = shot.get(head)
    if head == "seat" or inside is None or (head in _MAY_BE_NONE and not inside):
        return False
    if head == "flags" and parts:
        return parts[0] in inside
    for part in parts:
        if isinstance(inside, list | tuple):
            at = whole_number(part)
            if at >= 0:
                inside = inside[at] if at < len(inside) else None
            else:
                inside = next(
                    (one[part] for one in inside if isinstance(one, Mapping) and one.get(part) is not None), None
                )
        else:
            inside = inside.get(part) if isinstance(inside, Mapping) else None
    return inside is not None


def _shot(value: Any, where: str) -> match.Shot:
    shot: match.Shot = _SHOT(value, where)
    for fact in shot.unseen:
        if _is_given(value, fact):
            raise EventError(f"unseen: the shot says {fact}, so it was seen; leave out one of the two")
    return shot


def without_unseen_facts(shot: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a shot's JSON without the facts that its `unseen` names, which were never ruled on.

    For journals of versions that took both.
    """
    contradicted = {fact.partition(".")[0] for fact in shot.get("unseen") or () if _is_given(shot, fact)}
    return {key: value for key, value in shot.items() if key not in contradicted}


def _set(value: Any, where: str) -> dict[str, Any]:
    return dict(_OVERRIDE(value, where))


_OVERRIDE = Fields(
    dict,
    {
        "turn": _seat,
        "queen": word(QueenState),
        "queen_side": _seat,
        "left": mapped(word(Literal["white", "black", "queen"]), _count),
        "owed": _by_seat_count,
        "score": mapped(_seat, whole(0, 9999)),
        "board": Fields(
            dict,
            {
                "number": whole(1, 999),
                "over": flag,
                "winner": _seat,
                "points": whole(0, 99),
                "on_demand": whole(0, 99),
                "drawn": flag,
                "why": text,
            },
            nullable=False,
        ),
    },
)


def _sides(value: Any, where: str) -> list[list[Seat]]:
    return [list(team) for team in listed(listed(_seat))(value, where)]


def _ask(value: Any, where: str) -> int | str:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise EventError(f"{where} must be a question's number, not {shown(value)}")


def _event(make: Any, table: dict[str, Reader], required: tuple[str, ...] = (), **more: Any) -> Fields:
    return Fields(make, {**table, "reason": text}, required, ignored=_ENVELOPE, **more)


_names = mapped(_seat, name)
_ACTIONS = Literal["warn", "foul", "deduct", "disqualify", "forfeit", "wave_off", "draw", "concede"]
_SHOT = _event(
    match.Shot,
    {
        "seat": word(Seat, _UNKNOWN),
        "t": number,
        "elapsed": positive,
        "placement": _PLACEMENT,
        "left_baseline": flag_or(_UNKNOWN),
        "heading": word(Heading, _UNKNOWN),
        "all_at_rest": flag_or(_UNKNOWN),
        "contacts": listed(_CONTACT),
        "pocketed": listed(_POCKETED),
        "off_board": listed(_piece),
        "crossed_baseline": _count,
        "flags": listed(word(Flag)),
        "rest": listed(_REST),
        "unseen": listed(_fact),
        "doubts": listed(_DOUBT),
    },
    ("seat",),
)
_EVENTS: dict[str, Reader] = {
    "start": _event(
        match.Start,
        {
            "book": text,
            "seats": _names,
            "first": _seat,
            "white": _seat,
            "teams": _sides,
            "policy": obj,
            "position": _POSITION,
            "toss": Fields(match.Toss, {"winner": _seat, "choice": text}, required=("winner", "choice")),
            "tournament": flag,
            "autonomy": mapped(text, text),
            "board": obj,
        },
        ("book", "seats"),
    ),
    "shot": _shot,
    "seen": _event(
        match.Seen,
        {"what": word(Literal["second_queen", "shaken", "wrong_rack", "upright"]), "at": point},
        ("what",),
    ),
    "drop": _event(
        match.Drop,
        {
            "piece": word(Literal["white", "black", "queen", "unknown"]),
            "pocket": _pocket,
            "on_rim": flag,
            "cause": word(Literal["vibration", "tilt", "shake", "outside", "unknown"]),
            "t": number,
        },
        ("piece",),
    ),
    "call": _event(
        match.Call,
        {
            "clause": text,
            "action": word(_ACTIONS),
            "seat": _seat,
            "points": whole(0, 999),
            "of": word(Literal["game", "match"]),
        },
    ),
    "answer": _event(match.Answer, {"ask": _ask, "choice": anything, "seat": _seat}, ("ask", "choice"), nullable=False),
    "void": _event(match.Void, {"clause": text}),
    "correct": _event(match.Correct, {"seq": whole(1), "with": obj}, ("seq", "with"), renamed={"with": "replacement"}),
    "override": _event(match.Override, {"seq": whole(1), "set": _set}, ("seq", "set")),
    "set": _event(match.SetPosition, {"position": _POSITION}, ("position",)),
    "placed": _event(match.Placed, {"pieces": listed(_REST)}, ("pieces",)),
    "claim": _event(match.Claim, {"points": whole(1, 99)}, ("points",)),
    "next_board": _event(match.NextBoard, {"first": _seat}),
    "timeout": _event(match.Timeout, {"seat": _seat}, ("seat",)),
    "pass": _event(match.Pass, {"seat": _seat}, ("seat",)),
    "seats": _event(match.Seats, {"seats": _names}, ("seats",)),
    "pause": _event(match.Pause, {}),
    "resume": _event(match.Resume, {}),
    "play": _event(match.Play, {}),
    "trial": _event(match.Trial, {}),
    "round_over": _event(match.RoundOver, {}),
}


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
    reader = _EVENTS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        said = "event is missing" if kind is None else f"there is no event {shown(kind)}"
        raise EventError(f"{said}; use one of {', '.join(_EVENTS)}")
    event: Event = reader(value, "")
    return event


def kind_of(value: Mapping[str, Any]) -> str:
    """Returns what an event calls itself, for answers to it; "" for what can be no event's name."""
    kind = value.get("event")
    return kind if isinstance(kind, str) and len(kind) <= LONGEST_NAME else ""


def position_from_json(value: Any) -> Position:
    """Reads a position. Raises EventError naming the field."""
    position: Position = _POSITION(value, "position")
    return position


def event_to_json(event: Event) -> dict[str, Any]:
    """Writes an event; what is as by default is left out. `event_from_json` reads the same event back."""
    return {"event": event.event, **_written(event)}


_NAMES = {(match.Contact, "touched"): "with", (match.Correct, "replacement"): "with"}


def _written(value: Any) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for one in fields(value):
        item = getattr(value, one.name)
        if item is None or (one.default == item and type(one.default) is type(item)):
            continue
        if one.name in ("policy", "autonomy", "board") and not item:
            continue
        body[_NAMES.get((type(value), one.name), one.name)] = _plain(item)
    return body


def _plain(item: Any) -> Any:
    if is_dataclass(item):
        return _written(item)
    if isinstance(item, dict):
        return {key: _plain(one) for key, one in item.items()}
    if isinstance(item, list | tuple):
        return [_plain(one) for one in item]
    return item


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
