"""A few pages of text and lines as PDF, in any script: what the standard fonts have not is shaped and embedded.

Only what a score sheet needs. Letters that no font of the program or the machine has are printed as «?», and `missing`
says which. Positions are in points from the top left corner of an A4 page.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from fpdf import FPDF

from controller.commands.export.fonts import Fonts, shorter

WIDTH, HEIGHT = 595.0, 842.0
_FONTS = {"plain": ("Helvetica", ""), "bold": ("Helvetica", "B"), "mono": ("Courier", "")}
_WESTERN = "windows-1252"
"""What the standard fonts have, which every reader has and no file needs to carry."""
_MARGIN = 44.0
"""Of a page, at the right."""


class Pdf:
    """A document being written: `page()` first, then `text` and `line`, `bytes()` last."""

    def __init__(self, fonts: Fonts | None = None) -> None:
        # Its log is about fonts that we have looked at ourselves.
        logging.getLogger("fpdf").setLevel(logging.ERROR)
        logging.getLogger("fontTools").setLevel(logging.ERROR)
        self._fonts = fonts or Fonts()
        self._pdf = FPDF(unit="pt", format="A4")
        self._pdf.set_auto_page_break(False)
        self._pdf.c_margin = 0
        self._pdf.core_fonts_encoding = _WESTERN
        self._added: set[Path] = set()
        self.missing = ""

    def page(self) -> None:
        """Begins a page."""
        self._pdf.add_page()

    def text(
        self, x: float, y: float, words: str, size: float = 10, font: str = "plain", room: float | None = None
    ) -> None:
        """Writes one line of text, its base line at y; cut with «…» where it is wider than `room`."""
        known = self._set(words, size, font)
        if room is not None and self._pdf.get_string_width(known) > room:
            known = next((cut for cut in shorter(known) if self._wide(cut, size, font) <= room), "")
            known = self._set(known, size, font)
        if known:
            # A cell's base line lies 0.8 of its height below its top.
            self._pdf.set_xy(x, y - 0.8 * size)
            self._pdf.cell(h=size, text=known)

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.5) -> None:
        """Draws a line."""
        self._pdf.set_line_width(width)
        self._pdf.line(x0, y0, x1, y1)

    def row(self, y: float, columns: Sequence[tuple[float, str]], size: float = 9.5, font: str = "plain") -> None:
        """Writes words side by side: (x, words), each no wider than there is room up to the next."""
        for (x, words), (until, _) in zip(columns, [*columns[1:], (WIDTH - _MARGIN, "")], strict=True):
            self.text(x, y, words, size, font, room=until - x - 4)

    def bytes(self) -> bytes:
        """Returns the file."""
        return bytes(self._pdf.output())

    def _wide(self, words: str, size: float, font: str) -> float:
        return float(self._pdf.get_string_width(self._set(words, size, font)))

    def _set(self, words: str, size: float, font: str) -> str:
        """Sets the font for a text, and returns it with «?» for what cannot be written."""
        try:
            words.encode(_WESTERN)
        except UnicodeEncodeError:
            return self._set_embedded(words, size)
        family, style = _FONTS[font]
        self._pdf.set_text_shaping(use_shaping_engine=False)
        self._pdf.set_font(family, style, size)
        return words

    def _set_embedded(self, words: str, size: float) -> str:
        files, missing = self._fonts.for_text(words + "?…")
        self.missing += "".join(letter for letter in missing if letter not in self.missing)
        for file in files:
            if file not in self._added:
                self._pdf.add_font(_family(file), fname=file)
                self._added.add(file)
        self._pdf.set_text_shaping(use_shaping_engine=True)
        self._pdf.set_font(_family(files[0]), size=size)
        self._pdf.set_fallback_fonts([_family(file) for file in files[1:]])
        return "".join("?" if letter in missing else letter for letter in words)


def _family(file: Path) -> str:
    return file.as_posix()
