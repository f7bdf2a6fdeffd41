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
    recorded,
    said,
    umpire_for,
)
from controller.events.doors import bytes_of, json_text, one_line
from controller.events.errors import ConfigError, EventError, UnreadableError
from controller.events.notation import NOTATION, read_notation
from controller.journal import Difference, replay
from controller.mqtt.payloads import plain
from controller.rules.notation import disagreements
from controller.table.match.umpire import Taken


class _RefusedError(Exception):
    def __init__(self, event: dict[str, Any], error: str) -> None:
        super().__init__(error)
        self.event = event


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
    umpire = umpire_for(match.entries, args.config)
    count = 0

    def rule(event: dict[str, Any]) -> dict[str, Any]:
        nonlocal count
        taken = umpire.take_again(event)
        if not isinstance(taken, Taken):
            raise _RefusedError(event, taken.error)
        count += 1
        return taken.ruling

    name = f"match {match.row.match} ({match.row.book})"
    found: tuple[Difference, ...] = ()
    refused = ""
    for entry in match.entries:
        try:
            found += replay([entry], rule)
        except _RefusedError as error:
            refused = f"event {entry.seq} ({error.event.get('event')}) can no longer apply: {error}"
            break
    for one in found:
        print(f"{name}: event {one.seq} ({one.event}): {one.field} was {said(one.recorded)}, is now {said(one.now)}")
    if refused:
        left = len(match.entries) - count - 1
        print(f"{name}: {refused}; {left} after it could not be compared")
    events = len({one.seq for one in found})
    verdict = "the same rulings" if not found and not refused else f"{events} rulings differ"
    print(f"{name}: {count} of {len(match.entries)} events ruled again, {verdict}")
    return not found and not refused
