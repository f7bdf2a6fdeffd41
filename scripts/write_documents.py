"""`make documents`: writes the documents that are made from something else, so that nothing is written twice.

Each entry of `DOCUMENTS` is a file under docs/ and the function that returns its text. `--check` writes nothing and
exits 1 if a file is not as it would be written (a test runs it).
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from controller.events.match import FACTS
from controller.events.words import FLAGS
from controller.rules.book import Book, Clause, PolicyKey
from controller.rules.lists import THEN
from controller.rules.shelf import official_books
from controller.rules.wording import told
from controller.shots.phases import drawing
from scripts.books_page import books_document
from scripts.building_limits import cannot_be_built
from scripts.building_page import parts_document
from scripts.configuration_page import configuration_document
from scripts.draw_building import DRAWINGS
from scripts.drawing import measures

ROOT = Path(__file__).resolve().parent.parent


def clauses_document() -> str:
    """The coverage table: every clause with its kind, the facts it needs, what follows, and the tests that prove it."""
    tests = tests_by_clause()
    parts = [
        "# The clauses of every rulebook",
        "Made by `make documents` from the rulebook files and the tests' markers; do not edit. "
        "[A book's keys](books.md) say what the kinds mean. *Tests*: files `tests/rules/test_….py` with the clause's "
        "marker, and how many tests where there are several; *lists*: `test_books.py` finds it among the calls, "
        "or with its steps or its line of the checklist in the reference.",
        summary(tests),
        "What follows, where the table does not say it in words:",
        "\n".join(f"- `{consequence}`: {words}" for consequence, words in THEN.items()),
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
    lines = ["| clause | kind | says | what follows | policy | needs | tests |", "| --- " * 7 + "|"]
    for clause in clauses:
        kind = f"{clause.kind}, steps" if clause.steps and clause.kind != "steps" else clause.kind
        says = clause.says + (f" *Decided: {clause.decided}*" if clause.decided else "")
        needs = ", ".join(f"`{fact}`" for fact in clause.needs)
        policy = ", ".join(f"`{key}`" for key in settled_by(clause.id))
        proof = shown(tests.get(clause.id, []), clause)
        cells = (f"`{clause.id}`", kind, says, follows(clause), policy, needs, proof)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    yield "\n".join(lines)


def settled_by(clause: str) -> Mapping[str, None]:
    """The policy keys that settle a clause in any official book that has it."""
    books = official_books().values()
    return dict.fromkeys(key for book in books if clause in book.clauses for key in book.settled_by(clause))


def settles(key: str) -> str:
    """The clauses that a policy key settles, of all official books."""
    books = [book for book in official_books().values() if key in book.keys]
    return ", ".join(dict.fromkeys(f"`{clause}`" for book in books for clause in book.settles[key]))


def follows(clause: Clause) -> str:
    """What follows from a clause: in its own words, or by the word that the page explains."""
    return clause.then or f"`{clause.consequence}`" + " of the stroke" * (
        clause.consequence == "foul" and clause.about_stroke
    )


def shown(names: list[str], clause: Clause) -> str:
    """Names the files of the tests, with how many where there are several; a clause that only people apply has none."""
    if not names:
        return "" if clause.kind in ("auto", "flag") else "lists"
    files = Counter(name.partition("::")[0].removeprefix("test_").removesuffix(".py") for name in names)
    return ", ".join(f"{file} ({count})" if count > 1 else file for file, count in files.items())


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
        "a match under `start.policy`; `carrom books show ID` prints them. *Settles*: the clauses that hang "
        "on the value; a book with none of them does not speak of it, and a house rule may.",
        "## Common to all books",
    ]
    ids = [book.id for book in books]
    lines = [f"| key | type | means | {' | '.join(ids)} | settles |", "| --- " * (4 + len(ids)) + "|"]
    for key in books[0].keys.values():
        if key.name in common:
            values = " | ".join(told(book.policy[key.name]) for book in books)
            lines.append(f"| `{key.name}` | {kind_of(key)} | {key.doc} | {values} | {settles(key.name)} |")
    parts.append("\n".join(lines))
    several = {key: [book for book in books if key in book.keys] for book in books for key in book.keys}
    several = {key: having for key, having in several.items() if 1 < len(having) < len(books)}
    ids = [book.id for book in books if any(book in having for having in several.values())]
    lines = [f"| key | type | means | {' | '.join(ids)} | settles |", "| --- " * (4 + len(ids)) + "|"]
    for name, having in several.items():
        key = having[0].keys[name]
        values = {book.id: told(book.policy[name]) for book in having}
        shown_values = " | ".join(values.get(spelled, "") for spelled in ids)
        lines.append(f"| `{name}` | {kind_of(key)} | {key.doc} | {shown_values} | {settles(name)} |")
    parts += ["## In some books", "\n".join(lines)]
    for book in books:
        own = [key for key in book.keys.values() if key.name not in common | several.keys()]
        if own:
            lines = ["| key | type | value | means | settles |", "| --- " * 5 + "|"]
            for key in own:
                value = told(book.policy[key.name])
                lines.append(f"| `{key.name}` | {kind_of(key)} | `{value}` | {key.doc} | {settles(key.name)} |")
            parts += [f"## Only in {book.id}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def kind_of(key: PolicyKey) -> str:
    """What values a policy key takes."""
    choices = " / ".join(key.choices)
    return f"some of {choices}" if key.type == "words" else choices or key.type


NEW_FACT = """\
Five files, then `make schemas documents` for what is made from them:

1. `controller/events/match.py`: a field of `Shot` with its `Fact`. Its type says what values it has (`YesNoUnknown`:
   true, false, or seen and not decided), its default what is in order.
2. `controller/shots/facts.py`: a function from `StrokeContext` to `Call` that says what the camera saw, and its entry
   in `CAMERA`. Where nobody could see it, it is `NOT_SEEN`; the least camera stands in the `Fact`. A fact without such
   a function is unseen in every stroke, never in order.
3. `controller/simulator/truth.py`: what it truly was. The demo and the benches compare what was read with it.
4. `controller/rules/books/ID.toml`: a clause with `detects = [{ fact = "…", is = […] }]`. A fact of words can be named
   at once; a number or a list needs the words that a clause may name, in `DETECTABLE` of `controller/rules/facts.py`.
5. `controller/web/static/words/hi.ftl`: its name in Hindi (`fact-…`); the English one is the `Fact`'s label.

A clause on a fact that is there is the fourth step alone. What proves a clause is a test in `tests/rules/` that carries
`@pytest.mark.clause("ID-NUMBER")`; its positions and strokes are written in the words of `tests/rules/scenes.py`.

What only people see is a flag, not a fact: a fact that no camera tells is unseen in every stroke. A flag is:

1. `controller/events/words.py`: one word in `Flag` and one line in `FLAGS`, with the least camera, or None where only
   people see it.
2. `controller/rules/books/ID.toml`: its clause (`flags = ["push"]`).
3. `controller/web/static/words/hi.ftl`: its name in Hindi (`fact-flags-…`).
4. Where a camera sees it: what raises it (`controller/shots/flags.py`) and what plays it
   (`controller/simulator/strokes.py`).
5. `make schemas documents`, and `.venv/bin/python -m tests.events.test_golden`: a refused flag is answered with all of
   their names.

No test reports a flag that no clause names or, with a least camera, nothing raises."""

NEW_QUESTION = """\
Every question to a person is a `Question` (`controller/events/ruling.py`), whoever asks; pages, alerts and the display
show it as they show any other.

- About a fact of a stroke: nothing but the `Fact` (`asks`, `asks_one`). A doubt of the camera is the `doubt` of its
  `Call`; it is asked if the rulings of its choices differ.
- By a rule, about anything else, three files: a word for it in `Question.about`; a module like
  `controller/rules/tiebreak.py` with one function that hands the question to `ask`, and one that does what the answer
  says and takes the question off `play.asks`; both named in `controller/rules/ruled.py`: `rule_entry` calls the first
  where it is to be asked, with a number from `_number`, and `OWN_ANSWERS` has the second.
- About what lies on the board: a `Mismatch` (`controller/shots/outputs.py`) with a kind of its own, the question and
  its choices, each with the event that it stands for."""


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
        "there, once: codec, JSON Schema, questions, grades, the correction form and this page follow.",
        "\n".join(facts),
        "## A new fact",
        NEW_FACT,
        "## A new question",
        NEW_QUESTION,
        "## Flags",
        "What is strange about a stroke and a person has to confirm.",
        "\n".join(flags),
    ]
    return "\n\n".join(parts) + "\n"


def phases_document() -> str:
    """The phases between two strokes, drawn from their table."""
    return (
        "# The phases between two strokes\n\n"
        "Made by `make documents` from `controller/shots/phases.py`; do not edit. They are for people only: "
        "no fact of a stroke depends on them.\n\n"
        f"```mermaid\n{drawing()}\n```\n"
    )


DOCUMENTS: Mapping[str, Callable[[], str]] = {
    "reference/books.md": books_document,
    "reference/clauses.md": clauses_document,
    "reference/facts.md": facts_document,
    "parts.md": parts_document,
    "reference/policy.md": policy_document,
    "reference/configuration.md": configuration_document,
    "reference/phases.md": phases_document,
    **DRAWINGS,
}


def main() -> int:
    """Writes the documents, or with --check compares them; writes none where a part that they draw cannot be built."""
    if refused := cannot_be_built(measures()):
        print("\n".join(f"docs/drawings/measures.toml: {line}" for line in refused), file=sys.stderr)
        return 2
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
        print(f"{', '.join(stale)}: not up to date. Fix: make documents", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
