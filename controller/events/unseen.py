"""The facts of a stroke that `unseen` may name: nobody watched them, so nothing is ruled on them.

Must not know what a fact is worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.events.doors import whole_number
from controller.events.match import FACTS

EMPTY_SAYS_NOTHING = frozenset(path for path, one in FACTS.items() if one.in_order == ())
"""Lists that are as left out when they are empty."""


def is_given(shot: Mapping[str, Any], fact: str) -> bool:
    """Says whether a shot says anything about a fact that `unseen` may name. Who struck is always known."""
    head, *parts = fact.split(".")
    inside = shot.get(head)
    if head == "seat" or inside is None or (head in EMPTY_SAYS_NOTHING and not inside):
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
