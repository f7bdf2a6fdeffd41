"""The text of `docs/reference/books.md`, made from the rulebooks' schema: the page cannot differ from it."""

from __future__ import annotations

import inspect

from controller.rules.roles import ROLES
from controller.rules.schema import BookFile, ClauseEntry, DeclaredKey, DetectsEntry
from scripts.configuration_page import row

HEAD = """# The keys of a rulebook

Made by `make documents` from `controller/rules/schema.py` and `roles.py`; do not edit. [The rules](../rules.md) show a
house book; a key that is not here is refused, with file and line.
"""

SECTIONS = {
    "The book": BookFile,
    "`[[clause]]`": ClauseEntry,
    "`detects`": DetectsEntry,
    "`[declare.KEY]`": DeclaredKey,
}


def books_document() -> str:
    """Returns the page's text."""
    parts = [HEAD]
    for title, entry in SECTIONS.items():
        parts.append(f"\n## {title}\n\n{inspect.getdoc(entry)}\n\n")
        parts.append("| key | kind | default | meaning |\n| --- | --- | --- | --- |\n")
        parts += [row(field.alias or key, field) for key, field in entry.model_fields.items()]
    parts.append("\n## Roles\n\n| role | when its clause is cited |\n| --- | --- |\n")
    parts += [f"| `{role}` | {words} |\n" for role, words in ROLES.items()]
    return "".join(parts)
