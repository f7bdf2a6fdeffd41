"""A sheet that a command was given: read within one limit, refused in one line."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path

from controller.events.doors import MESSAGE, Limits, bytes_of, json_object
from controller.events.errors import ConfigError, UnreadableError
from controller.hub.sheet import Sheet, sheet_of
from controller.hub.sol_archive import Archive, as_sheet, is_archive, read_archive
from controller.hub.sol_filled import DrawnResult, read_results

LARGEST = Limits(16 * 1024 * 1024)
"""A workbook with pictures and all."""


def sheet_at(file: Path, tables: Sequence[str] = ()) -> Sheet:
    """Reads a CSV, xlsx, xls or ods file, or an archive of SoL's. Raises ConfigError, which names it and says what
    helps. `tables`: of the boards of such an archive."""
    try:
        raw = bytes_of(file, LARGEST)
        if is_archive(raw):
            return as_sheet(read_archive(raw, str(file)), str(file), tables)
        if tables:
            raise ConfigError(f"{file}: --tables is for an archive of SoL's. Fix: a sheet has the column table")
        return sheet_of(raw)
    except UnreadableError as error:
        fix = "" if "Fix:" in str(error) else ". Fix: name a sheet saved as CSV (UTF-8), xlsx or ods"
        raise ConfigError(f"{file}: {error}{fix}") from error


def archive_at(file: Path) -> Archive:
    """Reads an archive of SoL's. Raises ConfigError, a line for each finding."""
    try:
        return read_archive(bytes_of(file, LARGEST), str(file))
    except UnreadableError as error:
        fix = "" if "Fix:" in str(error) else ". Fix: name the file that SoL's Download has written"
        raise ConfigError(f"{file}: {error}{fix}") from error


def results_at(file: Path) -> list[DrawnResult]:
    """Reads what the hub's `/day/results.sol` has of matches that SoL drew. Raises ConfigError."""
    try:
        return read_results(bytes_of(file, LARGEST))
    except UnreadableError as error:
        fix = "" if "Fix:" in str(error) else ". Fix: take the hub's /day/results.sol as it is"
        raise ConfigError(f"{file}: {error}{fix}") from error


def listed_results(file: Path) -> list[tuple[int, dict[str, str]]] | None:
    """Reads results as the hub's JSON has them, numbered from 1; None for a sheet. Raises ConfigError."""
    try:
        raw = bytes_of(file, LARGEST)
        if not raw.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
            return None
        found = json_object(raw, MESSAGE).get("results")
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise UnreadableError("has no list of results")
    except UnreadableError as error:
        raise ConfigError(f"{file}: {error}. Fix: take the hub's /day/results.json as it is, or a sheet") from error
    rows = ({key: "" if value is None else str(value) for key, value in one.items()} for one in found)
    return [*enumerate(rows, 1)]
