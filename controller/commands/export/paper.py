"""A4 paper with a pen that knows how far down it is: headings, tables, bold names in any script."""

from __future__ import annotations

from collections.abc import Sequence

from controller.commands.export.fonts import PACKAGE
from controller.commands.export.pdf import HEIGHT, WIDTH, Pdf

LEFT, RIGHT, TOP, BOTTOM = 44.0, WIDTH - 44.0, 52.0, HEIGHT - 56.0
_STEP = 14.0
_SIZE = 9.0
_THICKER = 0.35
"""Points by which a letter without a bold font is written beside itself."""

Cell = tuple[str, bool]
"""Words, and whether they are bold."""


class Paper:
    """Pages of one document. `title` and `about` stand on each."""

    def __init__(self, title: str, about: str) -> None:
        self._pdf = Pdf()
        self._title, self._about = title, about
        self._pages = 0
        self.y = BOTTOM

    def page(self) -> None:
        """Begins a page."""
        self._pdf.page()
        self._pages += 1
        self._pdf.text(LEFT, TOP, self._title, 16, "bold", room=RIGHT - LEFT - 60)
        self._pdf.text(RIGHT - 40, TOP, f"page {self._pages}", 8)
        self._pdf.text(LEFT, TOP + 15, self._about, 8.5, room=RIGHT - LEFT)
        self.y = TOP + 40

    def words(self, x: float, y: float, words: str, room: float, *, bold: bool = False, size: float = _SIZE) -> None:
        """Writes one line, no wider than `room` points."""
        self._pdf.text(x, y, words, size, "bold" if bold else "plain", room=room)
        try:
            words.encode("windows-1252")
        except UnicodeEncodeError:
            if bold:
                self._pdf.text(x + _THICKER, y, words, size, room=room)

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Draws a line."""
        self._pdf.line(x0, y0, x1, y1)

    def heading(self, words: str, *, after: int = 3) -> None:
        """Writes a heading with room for some lines below it, on a new page where there is none."""
        if self.y + (after + 2) * _STEP > BOTTOM:
            self.page()
        else:
            self.y += 10
        self.words(LEFT, self.y, words, RIGHT - LEFT, bold=True, size=11.5)
        self.y += 18

    def table(self, at: Sequence[float], titles: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Writes titles and rows; the titles again on each page. `at`: where each column begins."""
        self._row(at, [(title, True) for title in titles])
        self.line(LEFT, self.y - 10, RIGHT, self.y - 10)
        self.y += 3
        for row in rows:
            if self.y > BOTTOM:
                self.page()
                self._row(at, [(title, True) for title in titles])
            self._row(at, row)

    def _row(self, at: Sequence[float], cells: Sequence[Cell]) -> None:
        for x, until, (words, bold) in zip(at, (*at[1:], RIGHT), cells, strict=True):
            self.words(x, self.y, words, until - x - 4, bold=bold)
        self.y += _STEP

    def bytes(self) -> bytes:
        """Returns the file."""
        if self._pdf.missing:
            says = f"Letters that no font here can print stand as «?»: install the package {PACKAGE}."
            self._pdf.text(LEFT, HEIGHT - 30, says, 8)
        return self._pdf.bytes()
