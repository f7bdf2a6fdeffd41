"""`make documents`: writes the documents that are made from something else, so that nothing is written twice.

Each entry of `DOCUMENTS` is a file under docs/ and the function that returns its text. `--check` writes nothing and
exits 1 if a file is not as it would be written (a test runs it).
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from controller.events.match import FACTS
from controller.events.words import FLAGS
from controller.rules.book import Book, Clause
from controller.rules.lists import then
from controller.rules.shelf import official_books
from scripts.configuration_page import configuration_document
from scripts.draw_building import DRAWINGS

ROOT = Path(__file__).resolve().parent.parent


def clauses_document() -> str:
    """The coverage table: every clause with its kind, the facts it needs, what follows, and the tests that prove it."""
    tests = tests_by_clause()
    parts = [
        "# The clauses of every rulebook",
        "Made by `make documents` from the rulebook files and the tests' markers; do not edit. "
        "What the kinds mean is said in [rules.md](rules.md).",
        summary(tests),
    ]
    for book in official_books().values():
        own = [clause for clause in book.clauses.values() if clause.id.rpartition("-")[0] == book.id]
        if own:
            parts += [f"## {book.id}: {book.title}", *table(own, tests)]
    return "\n\n".join(parts) + "\n"


def summary(tests: Mapping[str, list[str]]) -> str:
    """One line a book: how many clauses of each kind, how many of them proved by a test of their own."""
    kinds = ("auto", "flag", "call", "steps", "setup")
    lines = ["| book | clauses | " + " | ".join(kinds) + " | auto and flag with a test |", "| --- " * 8 + "|"]
    for book in official_books().values():
        own = [clause for clause in book.clauses.values() if clause.id.rpartition("-")[0] == book.id]
        if not own:
            continue
        decided = [clause for clause in own if clause.kind in ("auto", "flag")]
        proved = sum(clause.id in tests for clause in decided)
        counts = " | ".join(str(sum(clause.kind == kind for clause in own)) for kind in kinds)
        lines.append(f"| {book.id} | {len(own)} | {counts} | {proved} of {len(decided)} |")
    return "\n".join(lines)


def table(clauses: list[Clause], tests: Mapping[str, list[str]]) -> Iterator[str]:
    """One table row a clause."""
    lines = ["| clause | kind | says | what follows | needs | tests |", "| --- | --- | --- | --- | --- | --- |"]
    for clause in clauses:
        kind = f"{clause.kind}, steps" if clause.steps and clause.kind != "steps" else clause.kind
        says = clause.says + (f" *Decided: {clause.decided}*" if clause.decided else "")
        needs = ", ".join(f"`{fact}`" for fact in clause.needs)
        proof = shown(tests.get(clause.id, []), clause)
        cells = (f"`{clause.id}`", kind, says, then(clause), needs, proof)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    yield "\n".join(lines)


def shown(names: list[str], clause: Clause) -> str:
    """Names the tests; a clause of a kind that only people apply is proved by the generated test of the lists."""
    if not names:
        lists = "test_match_play.py: in call list, steps or checklist"
        return "" if clause.kind in ("auto", "flag") else lists
    files = defaultdict(list)
    for name in names:
        file, _, test = name.partition("::")
        files[file].append(test)
    return "; ".join(f"{file}: {', '.join(tests[:2])}{' …' if len(tests) > 2 else ''}" for file, tests in files.items())


def tests_by_clause() -> dict[str, list[str]]:
    """The tests that carry a marker of a clause, as pytest collects them, by clause; parametrised ones once."""
    import contextlib
    import io

    import pytest

    found: dict[str, list[str]] = defaultdict(list)

    class Collector:
        def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
            for item in items:
                name = f"{item.path.name}::{getattr(item, 'originalname', item.name)}"
                for mark in item.iter_markers("clause"):
                    if name not in found[mark.args[0]]:
                        found[mark.args[0]].append(name)

    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(
            [str(ROOT / "tests/rules"), "--collect-only", "-qq", "-o", "addopts=", "-p", "no:cacheprovider"],
            plugins=[Collector()],
        )
    return dict(found)


def policy_document() -> str:
    """Every policy value of every book with its type and what it means."""
    books: list[Book] = list(official_books().values())
    common = {key for book in books for key in book.keys}
    for book in books:
        common &= set(book.keys)
    parts = [
        "# Policy values",
        "Made by `make documents` from the rulebook files; do not edit. A house book changes them under `[policy]`, "
        "a match under `start.policy`; `carrom books show ID` prints them.",
        "## Common to all books",
    ]
    ids = [book.id for book in books]
    lines = [f"| key | type | means | {' | '.join(ids)} |", "| --- " * (3 + len(ids)) + "|"]
    for key in books[0].keys.values():
        if key.name in common:
            kind = " / ".join(key.choices) or key.type
            values = " | ".join(str(book.policy[key.name]) for book in books)
            lines.append(f"| `{key.name}` | {kind} | {key.doc} | {values} |")
    parts.append("\n".join(lines))
    for book in books:
        own = [key for key in book.keys.values() if key.name not in common]
        if own:
            lines = ["| key | type | value | means |", "| --- | --- | --- | --- |"]
            for key in own:
                kind = " / ".join(key.choices) or key.type
                lines.append(f"| `{key.name}` | {kind} | `{book.policy[key.name]}` | {key.doc} |")
            parts += [f"## Only in {book.id}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def facts_document() -> str:
    """Every fact of a stroke and every flag, as they are described in the code."""
    facts = ["| fact | values, in order first | who tells it | on a real table | the question |", "| --- " * 5 + "|"]
    for path, one in FACTS.items():
        if path == "flags":
            continue
        words = " / ".join(f"`{json.dumps(value)}`" for value in one.values) + (
            f" ({one.fact.unit})" * bool(one.fact.unit)
        )
        whole = FACTS[one.split[0]].fact
        by = f"{whole.source}, `{whole.grade}` or better"
        how = "to confirm" if whole.line_call else "ruled"
        facts.append(f"| `{path}` | {words} | {by} | {how} | {one.fact.asks} |")
    flags = ["| flag | means | the least camera |", "| --- " * 3 + "|"]
    flags += [
        f"| `{flag}` | {one.label} | {f'`{one.grade}`' if one.grade else 'people only'} |"
        for flag, one in FLAGS.items()
    ]
    parts = [
        "# The facts of a stroke",
        "Made by `make documents` from `controller/events/match.py` and `words.py`; do not edit. A fact is described "
        "there, once: codec, JSON Schema, questions, grades, the correction form and this page follow. A new one is a "
        "field of `Shot` with its `Fact`, what the camera makes of it (`shots/facts.py`, told in `shots/reading.py`), "
        "its truth in the simulator (`simulator/truth.py`) and a clause that names it (`rules/books/ID.toml`); then "
        "`make schemas documents`.",
        "\n".join(facts),
        "## Flags",
        "What is strange about a stroke and a person has to confirm.",
        "\n".join(flags),
    ]
    return "\n\n".join(parts) + "\n"


DOCUMENTS: Mapping[str, Callable[[], str]] = {
    "clauses.md": clauses_document,
    "facts.md": facts_document,
    "policy.md": policy_document,
    "configuration.md": configuration_document,
    **DRAWINGS,
}


def main() -> int:
    """Writes the documents, or with --check compares them."""
    check = "--check" in sys.argv[1:]
    stale = []
    for name, make in DOCUMENTS.items():
        path, text = ROOT / "docs" / name, make()
        if check:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
            print(f"docs/{name}")
    if stale:
        print(f"{', '.join(stale)}: not up to date. Mend: make documents", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
