"""A sheet as rows of text, as whatever a club's spreadsheet saves: CSV in its encodings, xlsx, xls and ods.

Must not know what the columns mean.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

import python_calamine as calamine

from controller.events.errors import UnreadableError

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How xlsx and ods, and how xls begin."""
_SEPARATOR = re.compile(r"""(\s*)"?sep=([^\w\s"]|\t)"?[,;\t ]*(?=[\r\n]|$)""", re.IGNORECASE)
"""The first line names the separator: Excel reads it and writes it."""
MOST_ROWS, MOST_COLUMNS = 10_000, 100
"""More than a day's fixtures have, blank lines and all."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the sheet: its number, and its cells without blanks around them."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The lines in which something stands. `notes`: what was supposed of how they are meant, in words; `over`: the ids
    of matches that are no lines of it any more, as they have a result where they were drawn."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    over: frozenset[str] = frozenset()


def sheet_of(raw: bytes) -> Sheet:
    """Reads a file. Raises UnreadableError for what is no sheet."""
    rows, notes = _workbook(raw) if raw.startswith(_WORKBOOKS) else _text(raw)
    return Sheet(tuple(Row(number, cells) for number, cells in rows if any(cells)), tuple(notes))


def sheet_of_text(text: str) -> Sheet:
    """Reads CSV that is text already. Raises UnreadableError."""
    return Sheet(tuple(Row(number, cells) for number, cells in _csv(text) if any(cells)))


_Rows = list[tuple[int, tuple[str, ...]]]


def _text(raw: bytes) -> tuple[_Rows, list[str]]:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding, notes = "utf-16", []
    else:
        encoding, notes = "utf-8-sig", list[str]()
    try:
        return _csv(raw.decode(encoding)), notes
    except UnicodeDecodeError as error:
        if b"\0" in raw:
            raise UnreadableError("is neither text nor a workbook. Fix: save it as CSV (UTF-8), xlsx or ods") from error
    # What Excel saves as plain CSV in western Europe: every byte means something, right or wrong.
    notes.append("its letters are read as Windows-1252. Fix: save it as CSV UTF-8 where a name is wrong")
    return _csv(raw.decode("cp1252", "replace")), notes


def _csv(text: str) -> _Rows:
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise UnreadableError("holds a character that is none (NUL). Fix: save it as CSV again")
    if said := _SEPARATOR.match(text):
        # Its line stays, without words: the numbers in messages are the file's.
        between, text = said[2], said[1] + text[said.end() :]
    else:
        head = next((line for line in text.splitlines() if line.strip(",;\t ")), "")
        between = max(",;\t", key=head.count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=between)
    found: _Rows = []
    try:
        for line in lines:
            found.append((lines.line_num, tuple(cell.strip() for cell in line)))
    except csv.Error as error:
        raise UnreadableError(f"line {lines.line_num}: {error}. Fix: save it as CSV again") from error
    return found


def _workbook(raw: bytes) -> tuple[_Rows, list[str]]:
    try:
        book = calamine.load_workbook(io.BytesIO(raw))
        names = [sheet.name for sheet in book.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet]
        for name in names:
            sheet = book.get_sheet_by_name(name)
            if sheet.total_height > MOST_ROWS or sheet.total_width > MOST_COLUMNS:
                raise UnreadableError(f"sheet {name!r} has more than {MOST_ROWS} lines or {MOST_COLUMNS} columns")
            rows = [[_in_text(cell) for cell in line] for line in sheet.to_python(skip_empty_area=False)]
            if any(map(any, rows)):
                break
        else:
            return [], []
    except (calamine.CalamineError, ValueError) as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"is no workbook that can be read ({error}). Fix: save it anew as xlsx or CSV") from error
    notes = [f"only sheet {name!r} is read"] if len(names) > 1 else []
    if _fill_merged(rows, sheet.merged_cell_ranges or ()):
        notes.append("a cell that is merged over several lines counts for each of them")
    return [(number, tuple(line)) for number, line in enumerate(rows, 1)], notes


def _fill_merged(rows: list[list[str]], ranges: Sequence[Any]) -> bool:
    """Writes what stands in merged cells into each of their lines; says whether there were any."""
    filled = False
    for (top, left), (bottom, _right) in ranges:
        for row in range(top + 1, min(bottom + 1, len(rows))):
            filled = filled or bool(rows[top][left])
            rows[row][left] = rows[top][left]
    return filled


def _in_text(cell: Any) -> str:
    match cell:
        case float() if cell.is_integer():
            return str(int(cell))
        case datetime():
            return f"{cell:%Y-%m-%d %H:%M}" if cell.time() != time() else f"{cell:%Y-%m-%d}"
        case date():
            return f"{cell:%Y-%m-%d}"
        case time():
            return f"{cell:%H:%M}"
        case timedelta():
            minutes = round(cell.total_seconds() / 60.0)
            return f"{minutes // 60:02}:{minutes % 60:02}"
    return str(cell).strip()
