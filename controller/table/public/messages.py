"""What everybody may see of a ruling, a stroke, an alert. Pure.

What is flagged and not yet confirmed is the umpire's alone: a player who hears of a foul that nobody has confirmed
has been accused in public. The score never hangs on it, so everybody's ruling is the same one without it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from controller.mqtt.payloads import Alert
from controller.table.match.agreement import noted
from controller.table.match.ruled_match import Taken

Json = dict[str, Any]

_NOTED = re.compile(r"[a-z][a-z0-9-]*-\d+[a-z]?: ")
"""How a note begins that names a clause which was seen to be broken and only noted."""


def ruling_for_everybody(ruling: Mapping[str, Any]) -> Json:
    """The ruling without fouls to confirm, their clauses and the questions about them, wherever in it they stand."""
    shown = _mapping(ruling)
    if "changed" in shown:
        shown["changed"] = [one for one in map(_differing, shown["changed"]) if one["fields"]]
    return shown


def stroke_for_everybody(event: Mapping[str, Any]) -> Json:
    """A stroke's event without what the camera flagged; once confirmed it stands in a ruling as a foul."""
    doubts = [doubt for doubt in event.get("doubts", ()) if not _about_flags(doubt)]
    kept = {name: value for name, value in event.items() if name not in ("flags", "doubts")}
    return kept | ({"doubts": doubts} if doubts else {})


OPERATORS = frozenset({"broker-open"})
"""Alerts that would tell a stranger how to break in."""


def alert_is_the_umpires(alert: Alert) -> bool:
    """Whether an alert names a clause that nobody has yet ruled or confirmed to be broken, or is the operator's."""
    return alert.id in OPERATORS or (alert.clause is not None and alert.level != "foul")


def fouled_strokes(events: Iterable[Taken], about_strokes: Collection[str]) -> tuple[int, ...]:
    """The numbers of the strokes on which a foul stands: ruled, confirmed, or called on it. `events`: in order, with
    their rulings as they stand now; `about_strokes`: the clauses whose call is about the stroke just played."""
    found: dict[int, None] = {}
    stroke: Taken | None = None
    for one in events:
        if one.event["event"] == "shot":
            stroke = one
        elif one.event["event"] != "call" or one.event.get("clause") not in about_strokes:
            continue
        if stroke is None or stroke.ruling.get("void") or one.ruling.get("void"):
            continue
        if any(foul["status"] == "ruled" for foul in one.ruling.get("fouls", ())):
            found[stroke.seq] = None
    return tuple(found)


def _without_suspicions(value: Any) -> Any:
    if isinstance(value, dict):
        return _mapping(value)
    if isinstance(value, list | tuple):
        return [_without_suspicions(inner) for inner in value if not _is_suspicion(inner)]
    return value


def _mapping(value: Mapping[str, Any]) -> Json:
    kept = {name: _without_suspicions(inner) for name, inner in value.items()}
    if "notes" in kept:
        kept["notes"] = [note for note in kept["notes"] if not _NOTED.match(str(note))]
    if "cites" in kept and "fouls" not in kept:
        del kept["cites"]  # which of them were only raised does not stand here
    elif "cites" in kept:
        ruled = {foul["clause"] for foul in kept["fouls"]}
        raised = ({foul["clause"] for foul in value["fouls"]} | noted(value)) - ruled
        kept["cites"] = [clause for clause in kept["cites"] if clause not in raised]
    return kept


def _differing(changed: Mapping[str, Any]) -> Json:
    """An earlier ruling that changed, with the fields in which it is different for everybody."""
    fields, was = changed["fields"], changed["was"]
    names = [name for name in fields if fields[name] != was.get(name)]
    return {**changed, "fields": {n: fields[n] for n in names}, "was": {n: was.get(n) for n in names}}


def _is_suspicion(value: Any) -> bool:
    """A foul to confirm, or the question whether it was one."""
    if not isinstance(value, dict):
        return False
    return value.get("status") == "to confirm" or ("ask" in value and "no foul" in value.get("choices", ()))


def _about_flags(doubt: Mapping[str, Any]) -> bool:
    return str(doubt.get("fact", "")).partition(".")[0] == "flags"
