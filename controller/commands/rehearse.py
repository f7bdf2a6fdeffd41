"""`carrom hub --rehearse`: a day of fixtures played with simulated tables, and where it stood still."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from controller.commands.fixtures import read_files
from controller.config import Config, load_config
from controller.events.errors import ConfigError
from controller.hub.calling import Call
from controller.hub.fixtures import Fixture
from controller.hub.rehearsal import LASTS_MIN, Rehearsal, rehearse
from controller.hub.today import House

LONG_MIN = 10
"""A table that stands still for less is no more than people who come late."""
MOST_LATE = 5
"""So many of the matches that began latest are shown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the rehearsal takes."""
    parser.add_argument(
        "--rehearse",
        type=Path,
        nargs="+",
        metavar="SHEET",
        help="plays the day of some sheets with simulated tables, reaches nobody",
    )
    shortest, longest = LASTS_MIN
    parser.add_argument(
        "--minutes",
        metavar="FROM-TO",
        default=f"{shortest:g}-{longest:g}",
        help="with --rehearse: how long its matches last (%(default)s)",
    )
    parser.add_argument(
        "--tables",
        metavar="NAMES",
        default="",
        help="with --rehearse: the tables that are there, table1,table2; those that the sheet names if left out",
    )
    parser.add_argument("--seed", type=int, default=1, help="with --rehearse: of all that is chance (%(default)s)")


def run(args: argparse.Namespace) -> int:
    """Plays the day and prints how it went; 1 where a match could not be played."""
    config = load_config(args.config) if args.config is not None else Config()
    read = read_files(args.rehearse, config)
    for note in read.notes:
        print(f"note: {note}", file=sys.stderr)
    tables = [name for name in args.tables.split(",") if name]
    if not tables and not all(one.table for one in read.fixtures):
        raise ConfigError("some matches have no table. Fix: --tables table1,table2 names those that are there")
    went = rehearse(read.fixtures, datetime.now(), House.of(config.hub), _minutes(args.minutes), args.seed, tables)
    for line in _says(went, read.fixtures, args):
        print(line)
    return 1 if went.left else 0


def _minutes(text: str) -> tuple[float, float]:
    try:
        shortest, longest = map(float, text.split("-"))
        if not 0 < shortest <= longest < 24 * 60:
            raise ValueError
    except ValueError as error:
        raise ConfigError(f"--minutes {text!r} is no span. Fix: --minutes 25-60") from error
    return shortest, longest


def _says(went: Rehearsal, fixtures: tuple[Fixture, ...], args: argparse.Namespace) -> Iterator[str]:
    days = went.began.date() != went.ended.date()

    def at(time: datetime) -> str:
        return f"{time:%Y-%m-%d %H:%M}" if days else f"{time:%H:%M}"

    yield (
        f"{len(went.late_min)} of {len(fixtures)} matches on {went.tables} tables, {args.minutes} minutes each, "
        f"seed {args.seed}: {at(went.began)} to {at(went.ended)}"
    )
    long = [one for one in went.stood if one.minutes >= LONG_MIN]
    minutes = sum(one.minutes for one in went.stood)
    yield f"stood still: {minutes:.0f} minutes of all tables" + (f"; {LONG_MIN} and more:" if long else "")
    for one in sorted(long, key=lambda one: one.since):
        whom = ", ".join(f"{who} ({table})" if table else who for who, table in one.waits_for.items())
        yield (
            f"  {at(one.since)} to {at(one.until)} {one.fixture.table}: {_pair(one.fixture)}"
            f"{_called(one.fixture)} waited for {whom}"
        )
    late = [one for one in sorted(went.late_min, key=lambda one: -one[0]) if one[1].time and one[0] >= LONG_MIN]
    if late:
        yield f"began late: {len(late)}; the latest:"
    for minutes, fixture in late[:MOST_LATE]:
        yield f"  {fixture.time} {fixture.table}: {_pair(fixture)}{_called(fixture)}, {minutes:.0f} minutes"
    if went.left:
        yield f"not played: {len(went.left)}"
    for call in went.left:
        yield f"  {call.fixture.table or 'any table'}: {_pair(call.fixture)}{_called(call.fixture)}{_why(call)}"


def _pair(one: Fixture) -> str:
    return " : ".join(" & ".join(dict.fromkeys(one.seats[seat] for seat in side)) for side in one.sides)


def _called(one: Fixture) -> str:
    about = ", ".join(filter(None, (one.event, one.round and f"round {one.round}", one.id)))
    return f" ({about})" if about else ""


def _why(call: Call) -> str:
    if call.busy:
        return f" waits for {', '.join(call.busy)}"
    return f" not before {call.until}" if call.until else ""
