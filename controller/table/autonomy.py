"""How far the machine goes by itself on this table: the books' own defaults, a real table's caution, the club's wish.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.events.errors import ConfigError, EventError
from controller.rules import table_autonomy
from controller.rules.book import Book


def for_table(books: Mapping[str, Book], wishes: Mapping[str, str], *, cautious: bool, where: str) -> dict[str, Book]:
    """Returns the books with this table's autonomy in them.

    `wishes`: clause id → word, from the configuration; `cautious`: line and motion calls start at `confirm`. Raises
    ConfigError, naming `where`, for a clause that no book has or a word that is none.
    """
    found = {}
    known = set()
    for name, book in books.items():
        changes = table_autonomy(book) if cautious else {}
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
