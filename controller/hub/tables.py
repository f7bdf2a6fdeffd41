"""The club's tables as their topics tell them. Pure: messages in, rows out. Knows no table's insides.

Whatever a table may send, a row can be made of it: what cannot be read is left as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from controller.events.doors import MESSAGE, json_object, name_of
from controller.events.errors import UnreadableError
from controller.mqtt.topics import ONLINE, ROOT

WANTED = tuple(f"{ROOT}/+/{kind}" for kind in ("availability", "score", "health", "alert/+"))
"""What the hub subscribes to."""

MOST_TABLES = 500
MOST_WAITING = 100
"""Of one table. More than any club has: somebody who makes names up must not fill the memory."""


@dataclass(frozen=True, slots=True)
class Row:
    """One table. `waiting`: open questions and faults that stand, by id."""

    table: str
    online: bool = False
    score: dict[str, Any] = field(default_factory=dict)
    health: dict[str, Any] = field(default_factory=dict)
    waiting: dict[str, dict[str, Any]] = field(default_factory=dict)


class Tables:
    """All tables heard of."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}

    def heard(self, topic: str, payload: bytes) -> bool:
        """Takes in one message. Returns whether anything has changed."""
        parts = topic.split("/")
        if len(parts) < 3 or parts[0] != ROOT:
            return False
        before = self._rows.get(parts[1])
        if before is None:
            if len(self._rows) >= MOST_TABLES or not _is_name(parts[1]):
                return False
            before = Row(parts[1])
        after = _with(before, parts[2:], payload)
        if after == before:
            return False
        self._rows[parts[1]] = after
        return True

    def plain(self) -> list[dict[str, Any]]:
        """The rows as JSON values: tables that need somebody first, those that are away last, else by name."""
        return [_plain(row) for row in sorted(self._rows.values(), key=_order)]


def _with(row: Row, kind: list[str], payload: bytes) -> Row:
    if kind == ["availability"]:
        return replace(row, online=payload == ONLINE.encode())
    if kind[0] == "alert" and len(kind) == 2 and not payload:
        return replace(row, waiting={name: alert for name, alert in row.waiting.items() if name != kind[1]})
    try:
        body = json_object(payload, MESSAGE)
    except UnreadableError:
        return row
    if kind == ["score"]:
        return replace(row, score=body)
    if kind == ["health"]:
        return replace(row, health=body)
    if kind[0] == "alert" and len(kind) == 2 and (kind[1] in row.waiting or len(row.waiting) < MOST_WAITING):
        return replace(row, waiting={**row.waiting, kind[1]: body})
    return row


def _is_name(text: str) -> bool:
    try:
        return bool(name_of(text))
    except UnreadableError:
        return False


def _levels(row: Row) -> set[str]:
    return {str(alert.get("level")) for alert in row.waiting.values()}


def _order(row: Row) -> tuple[bool, bool, bool, str]:
    return (not row.online, "ask" not in _levels(row), "fault" not in _levels(row), row.table)


def _plain(row: Row) -> dict[str, Any]:
    levels = _levels(row)
    return {
        "table": row.table,
        "online": row.online,
        "lamp": "off" if not row.online else "ask" if "ask" in levels else "fault" if "fault" in levels else "fine",
        "score": row.score,
        "armed": row.health.get("armed"),
        "waiting": [str(alert.get("says", name)) for name, alert in sorted(row.waiting.items())],
    }
