"""`make mutate`: breaks the rulebooks one value at a time and demands that the clause's own tests notice.

Each live auto and flag clause is switched off, each policy value that a book sets is flipped, each row of an outcome
table is changed; then the tests marked with the clauses concerned are run until one goes red. Survivors are listed.
One pytest session collects the tests once; each mutant replaces a book in `scenes.BOOKS` and runs items again.

ARGS="icf club" limits the books; "--list" names every mutant; exit code 1 if any survives.
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

import controller.rules
from controller.rules.book import Book, PolicyKey
from controller.rules.opening import ready_book
from controller.rules.shelf import official_books
from tests.rules import scenes

_FILES = Path(controller.rules.__file__).parent / "books"
_MOST_TESTS = 60


@dataclass(frozen=True)
class Mutant:
    """A broken book and the broken books that are based on it.

    `clauses`: whose tests must notice; empty: any test of the book's clauses. `row`: of an outcome table.
    """

    name: str
    books: dict[str, Book]
    clauses: tuple[str, ...]
    row: str = ""


def mutants(book: Book) -> Iterator[Mutant]:
    """All mutants of one book; clauses and values that it takes from another book are that book's."""
    own = tomllib.loads((_FILES / f"{book.id}.toml").read_text(encoding="utf-8"))
    for entry in own.get("clause", ()):
        clause = book.clauses[entry["id"]]
        if clause.kind in ("auto", "flag"):
            without = {clause.id: "off"}
            yield Mutant(f"{clause.id} off", family(book, lambda b, w=without: b.with_autonomy(w)), (clause.id,))
    for key in {**own.get("policy", {}), **own.get("declare", {})}:
        declared = book.keys[key]
        for value in flipped(declared, book.policy[key]):
            broken = ready_book(replace(book, policy={**book.policy, key: value}, prepared=None))
            row = key.removeprefix("gap_") if key.startswith("gap_") else ""
            yield Mutant(f"{book.id} {key} = {value!r}", {book.id: broken}, declared.clauses, row)
    if not book.based_on:
        yield from text_rows(book)
        yield from listed_rows(book)


def family(book: Book, change: Callable[[Book], Book]) -> dict[str, Book]:
    """The book and all that are based on it, changed."""
    concerned = [one for one in official_books().values() if one.id == book.id or book.id in one.based_on]
    return {one.id: ready_book(change(one)) for one in concerned}


def flipped(key: PolicyKey, value: Any) -> Iterator[Any]:
    """Other values for a policy key."""
    if key.type == "bool":
        yield not value
    elif key.type in ("int", "number"):
        # best of three and best of two are the same match
        step = 2 if key.name == "games" else 1
        yield value + step
        if value - step >= (key.minimum or 0):
            yield value - step
    elif key.type == "choice":
        yield from (choice for choice in key.choices if choice != value)
    elif key.type == "outcome":
        yield from outcomes(value)


def outcomes(words: str) -> Iterator[str]:
    """Other outcomes than one of a table row: turn or winner, pieces out or points, queen, points on demand."""
    queen, out, turn, *end = words.split()
    if turn == "END":
        winner, points, demand = end
        other = {"L3(so)": "1", "L3(sp)": "1", "1": "2", "a": "a+QV(so)", "a+QV(so)": "a", "b": "b+QV(sp)"}
        yield f"{queen} {out} END {'O' if winner == 'P' else 'P'} {points} {demand}"
        yield f"{queen} {out} END {winner} {other.get(points, 'b')} {demand}"
        yield f"{queen} {out} END {winner} {points} {'0' if demand not in '-0' else '1'}"
        return
    dashes = " - - -" if end else ""
    yield f"{queen} {out} {'LOSE' if turn == 'KEEP' else 'KEEP'}{dashes}"
    yield f"{queen} {'1' if out == '0' else '0'} {turn}{dashes}"
    if queen in ("RET", "PEND", "OWN") and dashes:
        yield f"{'PEND' if queen == 'RET' else 'RET'} {out} {turn}{dashes}"


def text_rows(book: Book) -> Iterator[Mutant]:
    """An outcome table of lines (icf) with one row changed."""
    for part, text in book.tables.items():
        lines = text.splitlines() if isinstance(text, str) else []
        for number, line in enumerate(lines):
            words = line.split()
            if not words or "gap" in words:
                continue
            inputs, laws = (9 if part == "main" else 8), words[-1]
            queen_in_play = part == "early" or words[1] == "PEND" or words[2] == "1"
            for outcome in outcomes(" ".join(words[inputs:-1])):
                if outcome.split()[0] in ("RET", "PEND") and not queen_in_play:
                    continue
                broken = " ".join([*words[:inputs], outcome, laws])
                table = "\n".join([*lines[:number], broken, *lines[number + 1 :]])
                changed = ready_book(replace(book, tables={**book.tables, part: table}, prepared=None))
                clauses = tuple(book.find(f"{book.id}-{law}").id for law in laws.split(","))
                yield Mutant(f"{book.id} row {words[0]}: {outcome}", {book.id: changed}, clauses, words[0])


def listed_rows(book: Book) -> Iterator[Mutant]:
    """An outcome table of entries (sixes) with one row left out, or one of its yes-and-noes turned round."""
    table = book.tables.get("row")
    if not isinstance(table, list):
        return
    for number, row in enumerate(table):
        changes: list[tuple[str, list[Any]]] = [("left out", [*table[:number], *table[number + 1 :]])]
        for name, value in row["then"].items():
            if isinstance(value, bool):
                turned = {**row, "then": {**row["then"], name: not value}}
                changes.append((f"{name} {not value}", [*table[:number], turned, *table[number + 1 :]]))
        clauses = tuple(clause for clause in (row["clause"], *row.get("also", ())) if clause in book.clauses)
        for what, rows in changes:
            changed = ready_book(replace(book, tables={**book.tables, "row": rows}, prepared=None))
            yield Mutant(f"{book.id} row {row['id']}: {what}", {book.id: changed}, clauses, "")


class Hunt:
    """A pytest plugin that takes over the run: every mutant against its tests."""

    def __init__(self, books: list[str], listing: bool) -> None:
        self.books = books
        self.listing = listing
        self.survivors: list[str] = []
        self.untested: list[str] = []
        self.killed = 0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Runs the hunt in place of the tests."""
        if session.testsfailed:
            raise session.Failed("the tests could not be collected")
        by_clause: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            for mark in item.iter_markers("clause"):
                by_clause[mark.args[0]].append(item)
        for name in self.books:
            began, before = time.monotonic(), (self.killed, len(self.survivors), len(self.untested))
            for mutant in mutants(official_books()[name]):
                self._try(mutant, by_clause)
            killed, survived, untested = (
                self.killed - before[0],
                len(self.survivors) - before[1],
                len(self.untested) - before[2],
            )
            took = time.monotonic() - began
            print(
                f"{name}: {killed} noticed, {survived} survived, {untested} without a test ({took:.0f} s)", flush=True
            )
        return True

    def _try(self, mutant: Mutant, by_clause: dict[str, list[pytest.Item]]) -> None:
        wanted = mutant.clauses or tuple(clause for book in mutant.books for clause in official_books()[book].clauses)
        items = list(dict.fromkeys(item for clause in wanted for item in by_clause.get(clause, ())))
        if mutant.row:
            items.sort(key=lambda item: f"[{mutant.row} " not in item.nodeid)
        limit = max(_MOST_TESTS, len(items) // 4) if mutant.clauses else len(items)
        if not items:
            self.untested.append(mutant.name)
            return
        whole = dict(scenes.BOOKS)
        scenes.BOOKS.update(mutant.books)
        try:
            noticed = any(self._red(item) for item in items[:limit])
        finally:
            scenes.BOOKS.update(whole)
        if noticed:
            self.killed += 1
        else:
            self.survivors.append(mutant.name)
        if self.listing:
            print(f"{'noticed ' if noticed else 'SURVIVED'} {mutant.name}", flush=True)

    def _red(self, item: pytest.Item) -> bool:
        reports = runtestprotocol(item, log=False, nextitem=None)
        return any(report.failed for report in reports)


def main() -> int:
    """Hunts and prints. Returns 1 if anything survived or has no test."""
    known = list(official_books())
    parser = argparse.ArgumentParser(prog="make mutate")
    parser.add_argument("books", nargs="*", metavar="BOOK", help=f"some of: {', '.join(known)}")
    parser.add_argument("--list", action="store_true", help="name every mutant")
    args = parser.parse_args()
    unknown = set(args.books) - set(known)
    if unknown:
        parser.error(f"no book named {', '.join(sorted(unknown))}")
    hunt = Hunt(args.books or known, args.list)
    began = time.monotonic()
    code = pytest.main(
        ["tests/rules", "-qq", "--no-header", "--no-summary", "-p", "no:timeout", "-o", "addopts="], plugins=[hunt]
    )
    for name in hunt.survivors:
        print(f"SURVIVED  {name}")
    for name in hunt.untested:
        print(f"NO TEST   {name}")
    total = hunt.killed + len(hunt.survivors) + len(hunt.untested)
    print(f"{hunt.killed} of {total} mutants noticed ({time.monotonic() - began:.0f} s)")
    return 1 if code not in (0, 5) or hunt.survivors or hunt.untested else 0


if __name__ == "__main__":
    sys.exit(main())
