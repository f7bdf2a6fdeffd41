"""Short hands for the tests of the international laws: a position, strokes from it, and an improper stroke."""

from __future__ import annotations

from typing import Any

from tests.rules.scenes import play, shot, start

FOUL: dict[str, Any] = {"placement": {"lines": "one"}}


def icf(position: dict[str, Any] | None = None, *events: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    if position is not None:
        more["position"] = {"break_done": True, **position}
    return play(start("icf", **more), *events)


def north(text: str = "", **facts: Any) -> dict[str, Any]:
    return shot(text, seat="north", **facts)
