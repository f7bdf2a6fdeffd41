"""The files of an event: read with their lines, written whole or not at all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import zip_longest
from pathlib import Path
from typing import Any

from controller.commands.sheets import listed_results, sheet_at
from controller.commands.written import write_whole
from controller.config import line_of
from controller.draws import entries as of_entries
from controller.draws import results as of_results
from controller.draws.entries import Entry, Row, entries_of
from controller.draws.event import Event, event_of
from controller.draws.findings import DrawError
from controller.draws.matches import NEEDED, Match, matches_of, rows_of
from controller.draws.results import Played, played
from controller.events import spreadsheet
from controller.events.doors import (
    SETTINGS,
    one_line,
    text_of,
    toml_table,
)
from controller.events.errors import CarromError, ConfigError, UnreadableError
from controller.events.fixture_words import COLUMNS
from controller.hub.sheet import Sheet


class FilesError(CarromError):
    """Files that cannot be used. `lines`: every mistake, as `FILE:LINE: what is wrong. Fix: …`."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = tuple(one_line(line) for line in lines)


@dataclass(frozen=True, slots=True)
class Paths:
    """Where an event's files are."""

    event: Path
    entries: Path
    fixtures: Path | None = None
    results: Path | None = None


@dataclass(frozen=True, slots=True)
class Files:
    """An event as its files have it. `text`: the event's own; `matches`, `played`: none where no fixtures are named."""

    paths: Paths
    text: str
    event: Event
    entries: tuple[Entry, ...]
    matches: tuple[Match, ...] = ()
    played: Played = of_results.NONE


def add_files(parser: argparse.ArgumentParser, *, drawn: bool, results: bool = True) -> None:
    """Adds the arguments that name an event's files. `drawn`: fixtures as well; `results`: results must be named."""
    parser.add_argument("event", type=Path, metavar="EVENT.toml", help="what is played, and how")
    parser.add_argument("--entries", type=Path, required=True, metavar="SHEET", help="who takes part: CSV, xlsx or ods")
    if drawn:
        parser.add_argument("--fixtures", type=Path, required=True, metavar="SHEET", help="what has been drawn so far")
        parser.add_argument(
            "--results", type=Path, required=results, metavar="SHEET", help="id and winner of each match, or the hub's"
        )


def files_of(args: argparse.Namespace) -> Files:
    """Reads the files that were named. Raises FilesError."""
    return files_at(Paths(args.event, args.entries, getattr(args, "fixtures", None), getattr(args, "results", None)))


def files_at(paths: Paths, results: Sequence[Row] = ()) -> Files:
    """Reads an event's files. Raises FilesError. `results`: those to count where no file of results is named."""
    return files_in(paths, *read_at(paths), results if paths.results is None else result_rows(paths.results))


def read_at(paths: Paths) -> tuple[str, list[Row], list[Row] | None]:
    """Reads an event's file as text, and the lines of its entries and fixtures. Raises FilesError."""
    text = event_text(paths.event)
    rows = rows_at(paths.entries, of_entries.COLUMNS, of_entries.NEEDED)
    return text, rows, rows_at(paths.fixtures, COLUMNS, NEEDED) if paths.fixtures is not None else None


def files_in(
    paths: Paths, text: str, rows: Sequence[Row], drawn: Sequence[Row] | None, results: Sequence[Row] = ()
) -> Files:
    """Understands what was read of an event's files. Raises FilesError. `drawn`: None where nothing is yet."""
    with mistakes(paths, text):
        event = event_of(_toml(paths.event, text))
        teams = event.system == "ties"
        entries = entries_of(rows, teams=teams)
        if drawn is None:
            return Files(paths, text, event, entries)
        matches = matches_of(drawn, entries, teams=teams)
        return Files(paths, text, event, entries, matches, played(event, matches, entries, results))


def event_text(path: Path) -> str:
    """Reads an event's file as text. Raises FilesError."""
    try:
        return text_of(path, SETTINGS)
    except UnreadableError as error:
        raise FilesError([f"{path}: {error}. Fix: name the event's TOML file"]) from error


def _toml(path: Path, text: str) -> Mapping[str, Any]:
    try:
        return toml_table(text)
    except UnreadableError as error:
        raise FilesError([f"{path}: {error}. Fix: correct that line"]) from error


@contextmanager
def mistakes(paths: Paths, text: str) -> Iterator[None]:
    """Whatever is found to be wrong within is raised as FilesError, with its file and line."""
    try:
        yield
    except DrawError as error:
        where = {"event": paths.event, "entries": paths.entries, "fixtures": paths.fixtures, "results": paths.results}
        lines = []
        for one in error.findings:
            line = line_of(text, [*one.key]) if one.key else one.line
            lines.append(f"{where[one.sheet] or one.sheet}:{f'{line}:' if line else ''} {one.says}")
        raise FilesError(lines) from error


def rows_at(path: Path, known: Sequence[str], needed: Sequence[str]) -> list[Row]:
    """Reads a sheet's lines by the columns that its first line names. Raises FilesError."""
    try:
        return rows_in(sheet_at(path), path, known, needed)
    except ConfigError as error:
        raise FilesError([str(error)]) from error


def rows_in(sheet: Sheet, path: Path, known: Sequence[str], needed: Sequence[str]) -> list[Row]:
    """Returns the lines of a sheet that was read. Raises FilesError. `path`: its name, for messages."""
    if not sheet.rows:
        raise FilesError([f"{path}: is empty. Fix: begin with the line {','.join(known[:6])}"])
    head, *rows = sheet.rows
    columns = [cell.casefold() for cell in head.cells]
    if wrong := [*_wrong_columns(columns, known, needed)]:
        raise FilesError([f"{path}:{head.number}: {says}" for says in wrong])
    found: list[Row] = []
    beside: list[str] = []
    for row in rows:
        cells = dict[str, str]()
        for column, cell in zip_longest(columns, row.cells, fillvalue=""):
            if column:
                cells[column] = _as_typed(cell)
            elif cell:
                beside.append(f"{path}:{row.number}: {cell[:40]!r} stands in no named column. Fix: name its column")
        found.append((row.number, cells))
    if beside:
        raise FilesError(beside)
    return found


def _wrong_columns(columns: Sequence[str], known: Sequence[str], needed: Sequence[str]) -> Iterator[str]:
    for column in dict.fromkeys(columns):
        if column and column not in known:
            near = get_close_matches(column, known, 1) or known
            yield f"unknown column {column!r}. Fix: name it {' or '.join(near)}, or take it out"
        elif column and columns.count(column) > 1:
            yield f"column {column!r} stands twice. Fix: leave one out"
    for column in needed:
        if column not in columns:
            yield f"no column {column!r}. Fix: name it in the first line"


def _as_typed(cell: str) -> str:
    """A cell without the mark by which no spreadsheet takes it for a formula."""
    return cell[1:] if cell.startswith("'") and spreadsheet.harmless(cell[1:]) == cell else cell


def result_rows(path: Path) -> list[Row]:
    """Reads the lines of results, as they were typed or as the hub exports them, CSV or JSON. Raises FilesError."""
    try:
        listed = listed_results(path)
    except ConfigError as error:
        raise FilesError([str(error)]) from error
    if listed is None:
        return rows_at(path, of_results.COLUMNS, of_results.NEEDED)
    return [(number, {key: value for key, value in one.items() if key in of_results.COLUMNS}) for number, one in listed]


def write_fixtures(path: Path, event: Event, matches: Sequence[Match]) -> None:
    """Writes the sheet of fixtures. Raises DeviceError."""
    columns, rows = rows_of(event, matches)
    write_whole(path, spreadsheet.as_csv(columns, rows).encode())
