"""A sheet that a command was given: read within one limit, refused in one line."""

from __future__ import annotations

import codecs
from pathlib import Path

from controller.events.doors import MESSAGE, Limits, bytes_of, json_object
from controller.events.errors import ConfigError, UnreadableError
from controller.hub.sheet import Sheet, sheet_of

LARGEST = Limits(16 * 1024 * 1024)
"""A workbook with pictures and all."""


def sheet_at(file: Path) -> Sheet:
    """Reads a CSV, xlsx, xls or ods file. Raises ConfigError, which names it and says what helps."""
    try:
        return sheet_of(bytes_of(file, LARGEST))
    except UnreadableError as error:
        fix = "" if "Fix:" in str(error) else ". Fix: name a sheet saved as CSV (UTF-8), xlsx or ods"
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
