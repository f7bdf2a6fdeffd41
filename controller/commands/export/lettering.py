"""Lines of text in a picture, in any script: shaped as they are written, their outlines filled.

Pillow would draw them, but its wheels take FriBidi from the system, which a Pi's image need not have; uharfbuzz, which
shapes the score sheet, brings its own. Must not know what is written, nor what picture it is for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import uharfbuzz as hb
from fpdf.bidi import BidiParagraph

from controller.commands.export.fonts import Fonts, letters_of, shorter

FINER = 4
"""Letters are filled on a grid so much finer than the picture's, and then averaged."""
CURVE = 8
"""Straight pieces that a curve is made of: at a hundred pixels' height none is off by a tenth."""
BOLD = 1 / 22
"""Of a letter's height: by so much thicker is a bold one. No bold font ships."""

Contour = list[tuple[float, float]]
Colour = tuple[int, int, int]


@dataclass(frozen=True)
class _Line:
    """Shaped letters: each one's contours, in pixels from where the line begins, y downwards; `width`: of them all."""

    letters: tuple[tuple[Contour, ...], ...]
    width: float


class Lettering:
    """Writes with the fonts that there are. `missing`: letters that none of them has; they stand as «?»."""

    def __init__(self, fonts: Fonts | None = None) -> None:
        self._fonts = fonts or Fonts()
        self.missing = ""

    def write(
        self,
        picture: np.ndarray,
        words: str,
        at: tuple[int, int],
        size: int,
        colour: Colour,
        *,
        room: int,
        bold: bool = False,
        right: bool = False,
    ) -> None:
        """Writes at a base line, from x on or (`right`) up to x.

        Wider than `room` pixels it is written smaller, down to half its size, and then cut with «…».
        """
        line = self._fitting(words, size, room)
        x, y = at
        begin = x - line.width if right else float(x)
        height, width = picture.shape[:2]
        mask = np.zeros((height * FINER, width * FINER), np.uint8)
        for letter in line.letters:
            _fill(mask, [[((begin + px) * FINER, (y + py) * FINER) for px, py in contour] for contour in letter])
        if bold:
            mask = cv2.dilate(mask, np.ones((max(2, round(size * BOLD * FINER)),) * 2, np.uint8))
        share = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)[..., None] / 255.0
        picture[:] = np.round(picture * (1 - share) + np.array(colour) * share)

    def width(self, words: str, size: int) -> float:
        """How wide a line is, in pixels."""
        return self._shaped(words, size).width

    def _fitting(self, words: str, size: int, room: int) -> _Line:
        line = self._shaped(words, size)
        if line.width > room:
            line = self._shaped(words, max(size // 2, int(size * room / line.width)))
        if line.width > room:
            cuts = (self._shaped(cut, size // 2) for cut in shorter(words))
            line = next((cut for cut in cuts if cut.width <= room), _Line((), 0.0))
        return line

    def _shaped(self, words: str, size: int) -> _Line:
        files, missing = self._fonts.for_text(words + "?…")
        self.missing += "".join(letter for letter in missing if letter not in self.missing and letter in words)
        known = "".join("?" if letter in missing else letter for letter in words)
        letters: list[tuple[Contour, ...]] = []
        x = 0.0
        for leftwards, part in directed(known):
            for file, run in reversed([*_runs(part, files)]) if leftwards else _runs(part, files):
                x = self._set(letters, x, size, file, run, leftwards=leftwards)
        return _Line(tuple(letters), x)

    def _set(
        self, letters: list[tuple[Contour, ...]], x: float, size: int, file: Path, run: str, *, leftwards: bool
    ) -> float:
        """Adds the letters of a stretch of one font and direction, beginning at x. Returns where it ends."""
        font, units = _font(file)
        scale = size / units
        buffer = hb.Buffer()
        buffer.add_str(run)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if leftwards else "ltr"
        hb.shape(font, buffer)
        for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
            dx, dy = x + place.x_offset * scale, place.y_offset * scale
            letters.append(
                tuple([(dx + px * scale, -dy - py * scale) for px, py in c] for c in _outline(file, info.codepoint))
            )
            x += place.x_advance * scale
        return x


def directed(words: str) -> list[tuple[bool, str]]:
    """Returns a text in stretches of one direction as they stand side by side, each with whether it runs leftwards: a
    number in a Hebrew name keeps the order of its figures (rule L2 of Unicode's bidirectional algorithm)."""
    paragraph = BidiParagraph(text=words)
    levels = {one.character_index: one.embedding_level for one in paragraph.get_characters_with_embedding_level()}
    stretches: list[tuple[int, str]] = []
    level = 0
    for index, letter in enumerate(words):
        # What joins letters and shows nothing itself has no level: it stays with the letter before.
        level, before = levels.get(index, level), level
        run = stretches.pop()[1] if stretches and level == before else ""
        stretches.append((level, run + letter))
    for lowest in range(max((level for level, _ in stretches), default=0), 0, -1):
        turned = groupby(stretches, key=partial(_is_turned, lowest))
        stretches = [one for turns, some in turned for one in (reversed([*some]) if turns else some)]
    return [(bool(level % 2), text) for level, text in stretches]


def _is_turned(lowest: int, stretch: tuple[int, str]) -> bool:
    return stretch[0] >= lowest


def _runs(words: str, files: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """The text in stretches of one font each. What is written upon a letter stays with it, and what scripts share."""
    now, run = files[0], ""
    for letter in words:
        shared = unicodedata.category(letter)[0] in "MZPC"
        has = [file for file in files if ord(letter) in letters_of(file)]
        wanted = now if (shared and (now in has or not has)) or not has else has[0]
        if wanted != now and run:
            yield now, run
            run = ""
        now, run = wanted, run + letter
    if run:
        yield now, run


@cache
def _font(file: Path) -> tuple[hb.Font, int]:
    face = hb.Face(hb.Blob.from_file_path(str(file)))
    return hb.Font(face), face.upem


@cache
def _outline(file: Path, glyph: int) -> tuple[Contour, ...]:
    """A letter's contours in the font's units, curves as short straight pieces."""
    found: list[Contour] = []

    def move(x: float, y: float, _data: Any) -> None:
        found.append([(x, y)])

    def line(x: float, y: float, _data: Any) -> None:
        found[-1].append((x, y))

    def bend(x1: float, y1: float, x: float, y: float, _data: Any) -> None:
        x0, y0 = found[-1][-1]
        for t in np.linspace(0, 1, CURVE + 1)[1:]:
            a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
            found[-1].append((a * x0 + b * x1 + c * x, a * y0 + b * y1 + c * y))

    def bend_twice(x1: float, y1: float, x2: float, y2: float, x: float, y: float, _data: Any) -> None:
        x0, y0 = found[-1][-1]
        for t in np.linspace(0, 1, CURVE + 1)[1:]:
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            found[-1].append((a * x0 + b * x1 + c * x2 + d * x, a * y0 + b * y1 + c * y2 + d * y))

    drawing = hb.DrawFuncs()
    drawing.set_move_to_func(move)
    drawing.set_line_to_func(line)
    drawing.set_quadratic_to_func(bend)
    drawing.set_cubic_to_func(bend_twice)
    drawing.set_close_path_func(lambda _data: None)
    _font(file)[0].draw_glyph(glyph, drawing, None)
    return tuple(contour for contour in found if len(contour) > 2)


def _fill(mask: np.ndarray, contours: list[Contour]) -> None:
    """Fills one letter: contours that run as its largest one does are ink, the others holes in it alone."""
    if not contours:
        return
    corners = [np.round(np.array(contour)).astype(np.int32) for contour in contours]
    left, top = np.maximum(np.min([one.min(axis=0) for one in corners], axis=0), 0)
    right, bottom = np.max([one.max(axis=0) for one in corners], axis=0) + 1
    under = mask[top:bottom, left:right]
    letter = np.zeros_like(under)
    areas = [_area(contour) for contour in contours]
    order = sorted(range(len(contours)), key=lambda number: -abs(areas[number]))
    for number in order:
        ink = areas[number] * areas[order[0]] > 0
        cv2.fillPoly(letter, [corners[number] - (left, top)], 255 if ink else 0)
    np.maximum(under, letter, out=under)


def _area(contour: Contour) -> float:
    x, y = np.array(contour).T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2
