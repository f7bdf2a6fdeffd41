"""What is watched at this table right now, on call, or not watched: from what camera and beams can do and the book.

The one place that works it out, for `carrom check`, the console and the documents. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller import rules
from controller.events.words import Grade
from controller.rules.book import Book

Json = dict[str, Any]

BEAMS = frozenset({"beams", "pocketed.pocket"})
"""What beams alone can say: that something fell, where and when, but not what."""

CAMERA: Mapping[Grade, frozenset[str]] = {
    "basic": frozenset(
        {
            "seat",
            "pocketed",
            "off_board",
            "rest",
            "rack",
            "all_at_rest",
            "left_baseline",
            "heading",
            "clock",
            "elapsed",
            "flags.hand_touched_piece",
            "flags.two_hands",
            "flags.piece_moved_before",
            "flags.delay",
        }
    ),
    "club": frozenset(
        {
            "contacts",
            "crossed_baseline",
            "placement",
            "flags.push",
            "flags.replaced",
            "flags.moving_piece_removed",
            "flags.striker_touched",
            "flags.shake",
            "flags.over_half",
            "flags.body_over_diagonal",
        }
    ),
    "match": frozenset(),
}
"""What a camera of each grade adds to the grades below it. Placement needs a better one than `basic`, which knows a
striker to 5 mm; nobody sees elbows, chairs, or what a stroke was meant for."""

_ORDER: tuple[Grade, ...] = ("basic", "club", "match")


def capabilities(grade: Grade | None, *, beams: bool) -> frozenset[str]:
    """Returns the facts that can be given now, as clauses name them in `needs`. `grade`: None without a camera."""
    able = BEAMS if beams else frozenset()
    if grade is not None:
        for lower in _ORDER[: _ORDER.index(grade) + 1]:
            able |= CAMERA[lower]
    return able


def watching(book: Book, grade: Grade | None, *, beams: bool) -> list[Json]:
    """Returns how each clause is watched: `{clause, says, how: watched / on call / not watched, missing: [fact]}`."""
    return [
        {"clause": one.clause, "says": one.says, "how": one.how, "missing": list(one.missing)}
        for one in rules.watched(book, capabilities(grade, beams=beams))
    ]


def counted(rows: list[Json]) -> str:
    """Says in a line how many clauses are watched, on call and not watched."""
    words = ("watched", "on call", "not watched")
    return ", ".join(f"{sum(row['how'] == word for row in rows)} {word}" for word in words)
