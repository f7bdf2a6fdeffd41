"""What is written into a CSV that somebody opens in a spreadsheet. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

BYTE_ORDER_MARK = "\ufeff"
"""Without it Excel takes a CSV for text of the machine's own code page and shows `Zoë` as `ZoÃ«`."""

FORMULA_BEGINS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""With these a spreadsheet begins a formula; the wide ones are taken for the narrow ones in East Asian settings."""


def harmless(cell: str | int) -> str | int:
    """A text that a spreadsheet would take for a formula, as text: with an apostrophe before it.

    Names and reasons are typed in by anybody, and the sheet is opened on the organiser's computer.
    """
    if isinstance(cell, str) and (cell[:1] in ("\t", "\r", "\n") or cell.lstrip().startswith(FORMULA_BEGINS)):
        return f"'{cell}"
    return cell


def as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, str | int]]) -> str:
    """Returns a table as CSV, a byte order mark and a line of titles first.

    Nowhere else is CSV written, so that no cell is a formula.
    """
    text = io.StringIO()
    text.write(BYTE_ORDER_MARK)
    sheet = csv.DictWriter(text, [str(harmless(name)) for name in columns], lineterminator="\r\n")
    sheet.writeheader()
    for row in rows:
        sheet.writerow({str(harmless(name)): harmless(row[name]) for name in columns})
    return text.getvalue()
