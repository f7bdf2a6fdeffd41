"""`carrom books`: the rulebooks, what they play by, their clauses with kind and consequence."""

from __future__ import annotations

import argparse
import json
from typing import Any

from controller.events.errors import ConfigError
from controller.rules.book import Book
from controller.rules.lists import reference, then
from controller.rules.shelf import load_book, shipped_books


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("action", nargs="?", choices=["show", "clauses"], help="policy or clauses of one book")
    parser.add_argument("book", nargs="?", metavar="ID or FILE")
    parser.add_argument("--json", action="store_true", help="for machines")


def run(args: argparse.Namespace) -> int:
    """Prints books, a book's policy, or its clauses. Raises ConfigError for a book that is not there."""
    if args.action is None:
        _print_books(args.json)
        return 0
    if args.book is None:
        raise ConfigError(f"books {args.action}: which book? Fix: use one of {', '.join(shipped_books())}")
    book = open_book(args.book)
    if args.action == "show":
        _print_policy(book, args.json)
    else:
        _print_clauses(book, args.json)
    return 0


def open_book(spelled: str) -> Book:
    """Returns an official book by id or a house book by its file. Raises ConfigError if there is none."""
    books = shipped_books()
    if spelled in books:
        return books[spelled]
    if not spelled.endswith(".toml"):
        raise ConfigError(f"there is no book {spelled!r}. Fix: use one of {', '.join(books)}, or a .toml file")
    return load_book(spelled)


def _print_books(as_json: bool) -> None:
    books = shipped_books().values()
    if as_json:
        print(
            json.dumps([{"id": b.id, "title": b.title, "clauses": len(b.clauses)} for b in books], ensure_ascii=False)
        )
        return
    for book in books:
        print(f"{book.id:<13} {book.title}  ({len(book.clauses)} clauses)")


def _print_policy(book: Book, as_json: bool) -> None:
    rows: list[dict[str, Any]] = []
    for key in book.keys.values():
        row: dict[str, Any] = {"key": key.name, "value": book.policy[key.name], "type": key.type, "doc": key.doc}
        if key.choices:
            row["choices"] = list(key.choices)
        row["clauses"] = list(book.settles[key.name])
        for name, limit in (("min", key.minimum), ("max", key.maximum)):
            if limit is not None:
                row[name] = limit
        rows.append(row)
    if as_json:
        head = {"id": book.id, "title": book.title, "house": book.house, "extends": list(book.based_on)}
        print(json.dumps({**head, "policy": rows}, ensure_ascii=False))
        return
    print(f"{book.id}: {book.title}")
    for row in rows:
        kind = " | ".join(row["choices"]) if "choices" in row else row["type"]
        kind = f"some of {kind}" if row["type"] == "words" else kind
        settles = f"  ({', '.join(row['clauses'])})" if row["clauses"] else ""
        print(f"  {row['key']} = {json.dumps(row['value'])}  [{kind}]  {row['doc']}{settles}")


def _print_clauses(book: Book, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"id": book.id, "clauses": reference(book)}, ensure_ascii=False))
        return
    for clause in book.clauses.values():
        about = ", about the stroke" if clause.about_stroke else ""
        print(f"{clause.id:<14} {clause.kind:<6} {clause.autonomy:<8} {clause.says} → {then(clause)}{about}")
        if clause.decided:
            print(f"{'':<14} decided: {clause.decided}")
        if keys := book.settled_by(clause.id):
            print(f"{'':<14} policy: {', '.join(keys)}")
