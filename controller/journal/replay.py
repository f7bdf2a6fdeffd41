"""Rules a recorded match again and says where the rulings differ. Must not know how a ruling comes about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from controller.journal.journal import Entry

DELIVERY = frozenset({"saved", "sealed", "at", "id", "picture"})
"""Fields that say how a ruling was delivered, not what was ruled."""


ADDED = frozenset({"changed", "place_now", "take_off", "ranking"})
"""Fields that journals of older versions do not have: nothing was ruled otherwise for that."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of one ruling that is not what it was. `field` is a path such as `fouls.0.clause`."""

    seq: int
    event: str
    field: str
    recorded: Any
    now: Any


def replay(entries: Iterable[Entry], rule: Callable[[dict[str, Any]], Mapping[str, Any]]) -> tuple[Difference, ...]:
    """Hands every recorded event to `rule` in order and compares rulings. Returns every field that differs."""
    found: list[Difference] = []
    for entry in entries:
        now = dict(rule(entry.event))
        kind = str(entry.event.get("event", "?"))
        then = {key: value for key, value in entry.ruling.items() if key not in DELIVERY}
        now = {key: value for key, value in now.items() if key not in DELIVERY and (key in then or key not in ADDED)}
        found.extend(Difference(entry.seq, kind, *where) for where in _differing("", then, now))
    return tuple(found)


def _differing(path: str, then: Any, now: Any) -> Iterable[tuple[str, Any, Any]]:
    if isinstance(then, Mapping) and isinstance(now, Mapping):
        for key in sorted({*then, *now}, key=str):
            yield from _differing(f"{path}.{key}" if path else str(key), then.get(key), now.get(key))
    elif _is_list(then) and _is_list(now) and len(then) == len(now):
        for index, (a, b) in enumerate(zip(then, now, strict=True)):
            yield from _differing(f"{path}.{index}", a, b)
    elif then != now:
        yield path, then, now


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)
