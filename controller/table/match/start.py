"""The match that a table begins with where none is under way: from the configuration to a `start` event. Pure but for
reading a house book's file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibration.board import Board
from calibration.measures import measures_of
from calibration.presets import PRESETS
from controller.config import Config
from controller.events.errors import ConfigError
from controller.rules.book import Book
from controller.rules.shelf import load_books
from controller.table.match.autonomy import check_wishes, for_table
from controller.table.match.umpire import Umpire


def books_of(config: Config) -> Mapping[str, Book]:
    """Returns the books this table may play by. Raises ConfigError for a house book that cannot be used."""
    book = config.match.book
    books = load_books([Path(book)] if book.endswith(".toml") else [])
    if book not in books:
        raise ConfigError(f"match.book = {book!r}: there is no such rulebook. Fix: use one of {', '.join(books)}")
    return books


def umpire_of(config: Config, board: Board) -> Umpire:
    """Returns the table's umpire before its first match. Raises ConfigError for wishes about clauses there are not."""
    books, wishes = books_of(config), config.match.autonomy
    check_wishes(books, wishes, "match.autonomy")
    # The simulated table is as sure of itself as `carrom rule` is; a real one begins by asking.
    cautious = config.clock.file is None
    return Umpire(
        books,
        lambda book: for_table(book, wishes, cautious=cautious, shadow=config.match.shadow),
        own_measures(board),
    )


def own_measures(board: Board) -> Mapping[str, Any] | None:
    """What a match's start says of the board; the laws' own goes without saying."""
    return measures_of(board) if board != PRESETS["international"] else None


def start_event(config: Config) -> dict[str, Any]:
    """Returns the `start` event of the configuration."""
    match = config.match
    event: dict[str, Any] = {"event": "start", "book": match.book, "seats": dict(match.seats), "first": match.first}
    if match.policy:
        event["policy"] = dict(match.policy)
    if match.tournament:
        event["tournament"] = True
    return event
