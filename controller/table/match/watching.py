"""What is watched at this table right now, on call, or not watched: from what camera and beams can do and the book.

The one place that works it out, for `carrom check`, the console and the documents. Pure.
"""

from __future__ import annotations

from typing import Any

from controller import rules
from controller.events.words import Grade
from controller.rules.book import Book
from controller.shots.grades import observable_at

Json = dict[str, Any]

BEAMS = frozenset({"beams", "pocketed.pocket"})
"""What beams alone can say: that something fell, where and when, but not what."""


def capabilities(grade: Grade | None, *, beams: bool) -> frozenset[str]:
    """Returns the facts that can be given now, as clauses name them in `needs`. `grade`: None without a camera."""
    return (BEAMS if beams else frozenset()) | (observable_at(grade) if grade is not None else frozenset())


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
