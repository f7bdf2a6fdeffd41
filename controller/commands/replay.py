"""`carrom replay`: rules a recorded match again. Exit 1 if any ruling is another now than it was recorded.

The record is a journal, or a file of carrom notation, whoever wrote it.
"""

from __future__ import annotations

import argparse
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from controller.commands.recorded import (
    JOURNAL,
    Recorded,
    add_journal_arguments,
    books_with,
    difference_in_words,
    recorded,
    ruled_again,
    said,
    umpire_for,
)
from controller.events.doors import bytes_of, json_text, one_line
from controller.events.errors import ConfigError, EventError, UnreadableError
from controller.events.notation import NOTATION, read_notation
from controller.mqtt.payloads import plain
from controller.rules.notation import disagreements


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_journal_arguments(parser, f"{JOURNAL}, or a file of carrom notation, *.json")


def run(args: argparse.Namespace) -> int:
    """Rules every asked match again and prints every difference, then one line a match."""
    if args.journal.suffix == ".json":
        return _notation(args)
    differ = False
    for match in recorded(args, latest_only=False):
        differ |= not _same(match, args)
    return 1 if differ else 0


def _notation(args: argparse.Namespace) -> int:
    path: Path = args.journal
    if args.match is not None:
        raise ConfigError(f"--match {args.match}: {path} holds one match. Fix: leave --match out")
    try:
        document = read_notation(bytes_of(path, NOTATION))
    except UnreadableError as error:
        fix = "" if "Fix: " in str(error) else ". Fix: name a file of carrom notation"
        raise ConfigError(f"{path}: {error}{fix}") from error
    try:
        found = disagreements(document, books_with(args.config))
    except EventError as error:
        fix = "correct that, or name the configuration of the table that has the house book with --config"
        raise ConfigError(f"{path}: $.start: the match cannot begin: {error}. Fix: {fix}") from error
    name = f"{path} ({document.book.id})"
    for one in found:
        print(one_line(f"{name}: {one.about} was {_shown(one.noted)}, is now {_shown(one.ruled)}"))
    verdict = "the same rulings" if not found else f"{len(found)} values differ"
    print(f"{name}: {sum(1 for _ in document.entries())} entries, {verdict}")
    return 1 if found else 0


def _shown(value: Any) -> str:
    return json_text(plain(value)) if is_dataclass(value) or isinstance(value, dict | tuple) else said(value)


def _same(match: Recorded, args: argparse.Namespace) -> bool:
    found = ruled_again(match.entries, umpire_for(match.entries, args.config))
    name = f"match {match.row.match} ({match.row.book})"
    for one in found.differences:
        print(f"{name}: {difference_in_words(one)}")
    if found.refused:
        left = len(match.entries) - found.count - 1
        print(f"{name}: {found.refused}; {left} after it could not be compared")
    events = len({one.seq for one in found.differences})
    verdict = "the same rulings" if found.same else f"{events} rulings differ"
    print(f"{name}: {found.count} of {len(match.entries)} events ruled again, {verdict}")
    return found.same
