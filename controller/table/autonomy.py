"""How far the machine goes by itself on this table: the books' own defaults, a real table's caution, the club's wish.

What beams say is ruled at once everywhere. Line and motion calls come from one camera and start at `confirm` on a
real table until the club trusts it. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.events.errors import ConfigError, EventError
from controller.rules.book import Book

FELT = ("pocketed", "elapsed")
"""Facts that do not hang on the camera's eye for lines and motion."""


def for_table(books: Mapping[str, Book], wishes: Mapping[str, str], *, cautious: bool, where: str) -> dict[str, Book]:
    """Returns the books with this table's autonomy in them.

    `wishes`: clause id → word, from the configuration; `cautious`: line and motion calls start at `confirm`. Raises
    ConfigError, naming `where`, for a clause that no book has or a word that is none.
    """
    found = {}
    known = set()
    for name, book in books.items():
        changes: dict[str, str] = {}
        if cautious:
            changes = dict.fromkeys(line_calls(book), "confirm")
        for clause, word in wishes.items():
            try:
                changes[book.find(clause).id] = word
                known.add(clause)
            except EventError:
                continue
        found[name] = book.with_autonomy(changes)
    unknown = sorted(set(wishes) - known)
    if unknown:
        raise ConfigError(f"{where}: no book has a clause {unknown[0]}. Mend: carrom books clauses ID lists them")
    return found


def line_calls(book: Book) -> list[str]:
    """The clauses that the camera's eye for lines and motion decides."""
    return [
        clause.id
        for clause in book.clauses.values()
        if clause.kind == "auto"
        and clause.autonomy == "rule"
        and any(detection.fact.partition(".")[0] not in FELT for detection in clause.detects)
    ]
