"""Reads rulebooks from disk: the shipped ones beside this module, and house books by their path.

The only module of this room that opens files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from controller.events.doors import SETTINGS, text_of, toml_table
from controller.events.errors import ConfigError, UnreadableError
from controller.rules.book import Book, PolicyKey
from controller.rules.opening import ready_book
from controller.rules.schema import read_book, read_common

_BOOKS = Path(__file__).parent / "books"
_TABLES = Path(__file__).parent / "tables"
MODES = ("shootout",)
"""Ways to decide what a match left open: played on a table as a match of its own."""
OFFICIAL = ("icf", "club", "campus", "classic", "sixes", "world", "world-team", "world-family", "world-point")


@cache
def official_books() -> Mapping[str, Book]:
    """The shipped rulebooks by id."""
    return {name: _official(name) for name in OFFICIAL if (_BOOKS / f"{name}.toml").is_file()}


@cache
def shipped_books() -> Mapping[str, Book]:
    """The shipped rulebooks and modes by id."""
    return {**official_books(), **{name: _official(name) for name in MODES}}


@cache
def shipped_digest() -> str:
    """Returns what the shipped rulebooks are known by, all together: SHA-256 of their files."""
    files = (file for folder in (_BOOKS, _TABLES) for file in sorted(folder.glob("*.toml")))
    return sha256("".join(f"{file.name}\n{_text(file)}" for file in files).encode()).hexdigest()


def load_books(house: Iterable[str | Path] = ()) -> dict[str, Book]:
    """Returns the shipped rulebooks and the house books of the given files, by id and also by the path given.

    Raises ConfigError with file, key and line for a file that cannot be used.
    """
    books = dict(shipped_books())
    for path in house:
        book = load_book(path)
        books[str(path)] = book
        books[book.id] = book
    return books


def load_book(path: str | Path) -> Book:
    """Reads one house book. Raises ConfigError with file, key and line."""
    return house_book(_text(Path(path)), str(path))


def house_book(text: str, path: str) -> Book:
    """Reads the text of a house book, which stood at `path`. Raises ConfigError with file, key and line."""
    book = ready_book(read_book(text, path, common=_common(), parent=_parent_of(path), house=True))
    if book.id in (*OFFICIAL, *MODES):
        raise ConfigError(f"{path}: id: {book.id} is an official book. Fix: give the house book an id of its own")
    return book


def _parent_of(path: str) -> Any:
    def parent(name: str) -> Book:
        if name not in official_books():
            known = ", ".join(official_books())
            raise ConfigError(f"{path}: extends: there is no book {name!r}. Fix: use one of {known}")
        return official_books()[name]

    return parent


@cache
def _official(name: str) -> Book:
    table = _TABLES / f"{name}.toml"
    tables = toml_table(_text(table)) if table.is_file() else None
    path = _BOOKS / f"{name}.toml"
    return ready_book(read_book(_text(path), f"books/{name}.toml", common=_common(), parent=_official, tables=tables))


@cache
def _common() -> dict[str, PolicyKey]:
    return read_common(_text(_BOOKS / "common.toml"), "books/common.toml")


def _text(path: Path) -> str:
    try:
        return text_of(path, SETTINGS)
    except UnreadableError as error:
        raise ConfigError(f"{path}: {error}. Fix: give a book's id or the path of a house book") from error
