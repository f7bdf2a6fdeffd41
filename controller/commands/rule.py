"""`carrom rule`: events in, rulings out; JSON lines, exactly one out for each one in, as they come.

Never stops for a bad event: it is answered with its error, and the stream goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.presets import PRESETS
from controller.events.codec import event_from_json, kind_of, ruling_to_json
from controller.events.doors import json_value, lines_of, why_not
from controller.events.errors import ConfigError, EventError, UnreadableError
from controller.events.match import Start
from controller.events.ruling import Refusal, Ruling
from controller.rules import MatchState, apply, begin, refuse
from controller.rules.shelf import load_book, load_books, shipped_books

DEFAULT_BOOK = "icf"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument(
        "--book", metavar="ID or FILE", help="book of a start that names none (default: icf), or a house book's file"
    )
    parser.add_argument(
        "--board",
        metavar="PRESET",
        default="international",
        choices=tuple(PRESETS),
        help="of a start that has none",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="events as JSON lines; standard input by default")


def run(args: argparse.Namespace) -> int:
    """Rules on the stream. Raises ConfigError for a book or a file that cannot be read."""
    house = [args.book] if args.book is not None and args.book not in shipped_books() else []
    state = begin(load_books(house))
    default = args.book or DEFAULT_BOOK
    for number, line in enumerate(_lines(args.file), 1):
        if not line.strip():
            continue
        state, ruling = rule_line(state, line, default, args.board)
        if isinstance(ruling, Refusal):
            ruling = replace(ruling, error=f"line {number}: {ruling.error}")
        sys.stdout.write(json.dumps(ruling_to_json(ruling)) + "\n")
        sys.stdout.flush()
    return 0


def rule_line(
    state: MatchState, line: str | bytes, book: str | None, board: str = "international"
) -> tuple[MatchState, Ruling | Refusal]:
    """Rules on one line of the stream; whatever is wrong with it becomes a refusal."""
    try:
        value: Any = json_value(line.strip())
    except UnreadableError as error:
        return refuse(state, "", str(error))
    if not isinstance(value, dict):
        return refuse(state, "", "an event is a JSON object")
    said = kind_of(value)
    try:
        if said == "start" and book is not None and "book" not in value:
            value["book"] = book
        if said == "start" and board != "international" and "board" not in value:
            value["board"] = {"preset": board}
        event = event_from_json(value)
    except EventError as error:
        return refuse(state, said, str(error))
    if isinstance(event, Start) and event.book not in state.books and Path(event.book).suffix == ".toml":
        try:
            state = _with_house_book(state, event.book)
        except ConfigError as error:
            return refuse(state, said, f"book: {error}")
    return apply(state, event)


def _with_house_book(state: MatchState, path: str) -> MatchState:
    book = load_book(path)
    return replace(state, books={**state.books, path: book})


def _lines(file: str | None) -> Iterator[bytes]:
    if file is None or file == "-":
        yield from lines_of(sys.stdin.buffer)
        return
    try:
        with contextlib.closing(Path(file).open("rb")) as stream:
            yield from lines_of(stream)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: cannot be read: {why_not(error)}. Fix: give a file of JSON lines") from error
