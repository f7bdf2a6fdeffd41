"""Who may read and write what at a broker: the one table of rights. Knows no broker product.

`broker_files` writes it down for mosquitto, `league_files` for nats-server; docs/broker.md says it in words.
Read by the installer too: the standard library alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from controller.mqtt.club import Person, Role
from controller.mqtt.topics import FIXTURES, HOME_ASSISTANT_STATUS, ROOT, Topics

Grant = tuple[Literal["read", "write", "readwrite"], str]
"""What may be done with a topic or a pattern of topics."""

PUBLIC = (
    "availability",
    "score/#",
    "board",
    "shot",
    "ruling",
    "history",
    "result/#",
    "alert/#",
    "health",
    "link",
    "fixtures",
)
"""Below a table: what anybody may read. `umpire/…`, `call` and `reply/…` are not among it."""

SAYS: Mapping[Role, str] = {
    "umpire": "sees what is not yet confirmed, and calls. A table cannot see who called.",
    "secretary": "publishes the day's fixtures.",
    "hub": "the club's page of many tables: reads what everybody may read.",
    "referees": "the same page where referees log in: reads what waits to be confirmed too, and cannot call.",
    "homeassistant": "Home Assistant: reads what everybody may read, and finds the tables.",
}
"""Each role in words."""

_FIXTURES: tuple[Grant, ...] = (("write", f"{ROOT}/+/{FIXTURES}"),)
"""The day's fixtures: typed by a secretary, and published again by a hub once a result names who plays."""


def of_anybody() -> tuple[Grant, ...]:
    """Returns what is granted without a password."""
    return tuple(("read", f"{ROOT}/+/{name}") for name in PUBLIC)


def of_table(table: str) -> tuple[Grant, ...]:
    """Returns what is granted to a table: everything below its own id, and how Home Assistant finds it."""
    topics = Topics(table)
    return (("readwrite", f"{topics.base}/#"), ("write", topics.discovery), ("read", HOME_ASSISTANT_STATUS))


def of_person(person: Person) -> tuple[Grant, ...]:
    """Returns what is granted to somebody by role. Nobody but a table speaks for a table."""
    public = of_anybody()
    if person.role == "umpire":
        at = person.tables or ("+",)
        reads: tuple[Grant, ...] = tuple(("read", f"{ROOT}/{table}/#") for table in at)
        writes: tuple[Grant, ...] = tuple(
            ("write", f"{ROOT}/{table}/{name}") for table in at for name in ("call", FIXTURES)
        )
        return (*(public if person.tables else ()), *reads, *writes)
    if person.role == "secretary":
        return (*public, *_FIXTURES)
    if person.role == "referees":
        return (*public, *_FIXTURES, ("read", f"{ROOT}/+/umpire/alert/+"))
    if person.role == "homeassistant":
        return (*public, ("readwrite", "homeassistant/#"))
    return public
