"""`carrom replay`: rules a recorded match again. Exit 1 if any ruling is another now than it was recorded."""

from __future__ import annotations

import argparse
from typing import Any

from controller.commands.recorded import Recorded, add_journal_arguments, recorded, said, umpire_for
from controller.journal import Difference, replay
from controller.table.match.umpire import Taken


class _RefusedError(Exception):
    def __init__(self, event: dict[str, Any], error: str) -> None:
        super().__init__(error)
        self.event = event


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_journal_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Rules every asked match again and prints every difference, then one line a match."""
    differ = False
    for match in recorded(args, latest_only=False):
        differ |= not _same(match, args)
    return 1 if differ else 0


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
