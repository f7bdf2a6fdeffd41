"""`carrom draw check`: whether a draw is right, shown by a checker that shares no code with what makes draws."""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.commands.sheets import listed_results, sheet_at
from controller.draws.checking.check import check
from controller.draws.checking.facts import Names
from controller.events.doors import SETTINGS, one_line, text_of, toml_table
from controller.events.errors import ConfigError, UnreadableError

NEEDED = {"entries": ("name",), "fixtures": ("id", "south", "north"), "results": ("winner",)}
"""The columns without which a sheet says nothing."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("event", type=Path, metavar="EVENT.toml", help="the event: its system, and what it asks for")
    parser.add_argument("--entries", type=Path, required=True, metavar="SHEET", help="who takes part")
    parser.add_argument("--fixtures", type=Path, required=True, metavar="SHEET", help="the draw to be checked")
    parser.add_argument("--results", type=Path, metavar="SHEET", help="what was played, where something was")


def run(args: argparse.Namespace) -> int:
    """Prints each finding on a line, or a line for each rule that was proved. Returns 1 with findings."""
    try:
        event = toml_table(text_of(args.event, SETTINGS))
    except UnreadableError as error:
        raise ConfigError(f"{args.event}: {error}. Fix: correct it") from error
    names = Names(str(args.event), str(args.entries), str(args.fixtures), str(args.results or ""))
    results = None if args.results is None else _rows(args.results, "results")
    proof = check(event, _rows(args.entries, "entries"), _rows(args.fixtures, "fixtures"), results, names)
    for line in proof.findings or proof.proved:
        print(one_line(line))
    return 1 if proof.findings else 0


def _rows(file: Path, what: str) -> list[tuple[int, dict[str, str]]]:
    """A sheet's lines as cells by column; results also as the hub's JSON has them. Raises ConfigError."""
    if what == "results" and (listed := listed_results(file)) is not None:
        return listed
    sheet = sheet_at(file)
    if not sheet.rows:
        raise ConfigError(f"{file}: is empty. Fix: begin with a line that names the columns")
    head, *rows = sheet.rows
    columns = [cell.casefold() for cell in head.cells]
    if lacking := [column for column in NEEDED[what] if column not in columns]:
        raise ConfigError(f"{file}:{head.number}: no column {lacking[0]!r}. Fix: name it in the first line")
    return [(row.number, dict(zip(columns, row.cells, strict=False))) for row in rows]
