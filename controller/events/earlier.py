"""Events of an earlier version's journals, made what is taken now: limits are not for what was taken once.

Says what it cut, so that it can be reported. Must not know journals or rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from controller.events.doors import composed, fitting_name, fitting_reason
from controller.events.match import Doubt, Placed, Shot
from controller.events.reading import longest_lists
from controller.events.unseen import is_given

Json = dict[str, Any]

_LISTS = longest_lists(Shot, Placed, Doubt)
_AS_IT_IS = frozenset({"evidence", "note", "policy", "board", "autonomy"})
"""What is read without limits of its own."""
_NAMES = frozenset({"competition", "round", "referee"})


def as_taken_now(body: Mapping[str, Any]) -> tuple[Json, tuple[str, ...]]:
    """Returns an event's JSON with names, texts and lists cut to what is taken now, without facts that its `unseen`
    names too (which were never ruled on), and what was cut, each in a few words.
    """
    cut: list[str] = []
    event: Json = _cut(body, "", cut)
    if isinstance(event.get("unseen"), list):
        contradicted = {fact.partition(".")[0] for fact in event["unseen"] if is_given(event, str(fact))}
        event = {key: value for key, value in event.items() if key not in contradicted}
    return event, tuple(cut)


def _cut(value: Any, key: str, cut: list[str]) -> Any:
    if key in _AS_IT_IS:
        return value
    if isinstance(value, Mapping):
        return {
            name: _text(item, f"{key}.{name}", fitting_name, cut)
            if key == "seats" and isinstance(item, str)
            else _cut(item, name, cut)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        most = _LISTS.get(key, len(value))
        if len(value) > most:
            cut.append(f"{key} has {len(value)} entries, {most} are kept")
        return [_cut(item, "", cut) for item in value[:most]]
    if not isinstance(value, str):
        return value
    return _text(value, key, fitting_name if key in _NAMES and value else fitting_reason, cut)


def _text(value: str, key: str, fits: Callable[[str], str], cut: list[str]) -> str:
    kept = fits(value)
    if kept not in (value, composed(value)):
        cut.append(f"{key or 'a text'} has {len(value)} characters, {len(kept)} are kept")
    return kept
