"""A few pages of text and lines as PDF 1.4, with the fonts every reader has.

Only what a score sheet needs. The standard fonts know Western letters; others are printed as «?», and `missing` says
so. Positions are in points from the top left corner of an A4 page.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

WIDTH, HEIGHT = 595.0, 842.0
_FONTS = {"plain": "Helvetica", "bold": "Helvetica-Bold", "mono": "Courier"}


class Pdf:
    """A document being written: `page()` first, then `text` and `line`, `bytes()` last."""

    def __init__(self) -> None:
        self._pages: list[list[str]] = []
        self.missing = False

    def page(self) -> None:
        """Begins a page."""
        self._pages.append([])

    def text(self, x: float, y: float, words: str, size: float = 10, font: str = "plain") -> None:
        """Writes one line of text, its base line at y."""
        known = words.encode("cp1252", "replace")
        self.missing |= known.decode("cp1252") != words
        escaped = "".join(_escape(byte) for byte in known)
        name = list(_FONTS).index(font)
        self._pages[-1].append(f"BT /F{name} {size:g} Tf {x:.2f} {HEIGHT - y:.2f} Td ({escaped}) Tj ET")

    def line(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.5) -> None:
        """Draws a line."""
        self._pages[-1].append(f"{width:g} w {x0:.2f} {HEIGHT - y0:.2f} m {x1:.2f} {HEIGHT - y1:.2f} l S")

    def row(self, y: float, columns: Sequence[tuple[float, str]], size: float = 9.5, font: str = "plain") -> None:
        """Writes words side by side: (x, words)."""
        for x, words in columns:
            self.text(x, y, words, size, font)

    def bytes(self) -> bytes:
        """Returns the file."""
        pages = len(self._pages)
        first_font = 3 + 2 * pages
        fonts = " ".join(f"/F{i} {first_font + i} 0 R" for i in range(len(_FONTS)))
        kids = " ".join(f"{3 + 2 * i} 0 R" for i in range(pages))
        objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>".encode()]
        for number, drawn in enumerate(self._pages):
            objects.append(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH:g} {HEIGHT:g}] "
                f"/Resources << /Font << {fonts} >> >> /Contents {4 + 2 * number} 0 R >>".encode()
            )
            packed = zlib.compress("\n".join(drawn).encode("latin-1"))
            head = f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode()
            objects.append(head + packed + b"\nendstream")
        objects += [
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
            for name in _FONTS.values()
        ]
        body = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
        places = []
        for number, content in enumerate(objects, 1):
            places.append(len(body))
            body += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
        table = len(body)
        body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
        body += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
        body += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
        return bytes(body)


def _escape(byte: int) -> str:
    letter = chr(byte)
    if letter in "()\\":
        return f"\\{letter}"
    return letter if 32 <= byte < 127 else f"\\{byte:03o}"
