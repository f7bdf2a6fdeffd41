"""What the scenarios of the books other than icf share: starts, and calls of a book's own clauses."""

from __future__ import annotations

from typing import Any

from tests.rules.reading import Event, at, ev, start


def club(position: Event | None = None, **more: Any) -> Event:
    """A start by the club book; with a position south is white."""
    fixed = {} if position is None else {"white": "south"}
    return start(position, **({"book": "club"} | fixed | more))


def theirs(white: int, black: int, **more: Any) -> Event:
    """The queen covered by north."""
    return at(white, black, queen="covered", queen_side="north", **more)


def called(clause: int, seat: str | None = "south", **more: Any) -> Event:
    """The umpire's call of a clause."""
    return ev("call", clause=f"club-{clause}", **({} if seat is None else {"seat": seat}), **more)
