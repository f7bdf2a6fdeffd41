"""How far the machine goes by itself on this table: the books' own defaults, a real table's caution, the club's wish.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.events.errors import ConfigError, EventError
from controller.rules import table_autonomy
from controller.rules.book import Book


def for_table(book: Book, wishes: Mapping[str, str], *, cautious: bool, shadow: bool = False) -> dict[str, str]:
    """Returns what a match by this book starts with (`start.autonomy`): clause id → word.

    `wishes`: clause id → word, from the configuration; `cautious`: line and motion calls start at `confirm`, and so
    does the stroke clock, whose beginning is read from what the camera sees. `shadow`: what would be asked is only
    noted, so that the umpire calls without having been shown anything.
    """
    found = table_autonomy(book) if cautious else {}
    late = book.role("late")
    if cautious and late is not None and book.clauses[late].autonomy == "rule":
        found[late] = "confirm"
    for clause, word in wishes.items():
        try:
            found[book.find(clause).id] = word
        except EventError:
            # A wish for another book: the file may name clauses of several.
            continue
    if shadow:
        levels = {clause.id: clause.autonomy for clause in book.clauses.values()} | found
        found |= {clause: "note" for clause, word in levels.items() if word == "confirm"}
    return found


def check_wishes(books: Mapping[str, Book], wishes: Mapping[str, str], where: str) -> None:
    """Raises ConfigError, naming `where`, for a clause that no book has."""
    for clause in wishes:
        if not any(_has(book, clause) for book in books.values()):
            raise ConfigError(f"{where}: no book has a clause {clause}. Fix: carrom books clauses ID lists them")


def _has(book: Book, clause: str) -> bool:
    try:
        book.find(clause)
    except EventError:
        return False
    return True
