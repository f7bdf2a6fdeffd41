"""What is written into a CSV that somebody opens in a spreadsheet. Pure."""

from __future__ import annotations

FORMULA_BEGINS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""With these a spreadsheet begins a formula; the wide ones are taken for the narrow ones in East Asian settings."""


def harmless(cell: str | int) -> str | int:
    """A text that a spreadsheet would take for a formula, as text: with an apostrophe before it.

    Names and reasons are typed in by anybody, and the sheet is opened on the organiser's computer.
    """
    if isinstance(cell, str) and (cell[:1] in ("\t", "\r", "\n") or cell.lstrip().startswith(FORMULA_BEGINS)):
        return f"'{cell}"
    return cell
