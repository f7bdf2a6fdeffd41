"""Which font files can write a text: those that ship with the program, then those of the machine.

Shipped are the letters of Europe and the scripts that the program's own pages speak; any other script is written with
what the machine has (on Debian the package fonts-noto-core). Must not know what the text is for.
"""

from __future__ import annotations

import logging
import os
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from fontTools.ttLib import TTFont, TTLibError

log = logging.getLogger(__name__)

SHIPPED = Path(__file__).with_name("fonts")
MACHINES = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path("~/.local/share/fonts").expanduser())
PACKAGE = "fonts-noto-core"

_VIRAMA = 9
"""Combining class of the sign that joins a consonant to the next one."""

_STYLED = ("bold", "italic", "oblique", "light", "thin", "black", "medium", "condensed", "mono", "emoji", "ui-")
"""Words in the names of files that are not the plain one of their family."""


class Fonts:
    """The fonts of some folders. `machines`: searched for what the shipped ones do not have."""

    def __init__(self, machines: Iterable[Path] = MACHINES) -> None:
        self._machines = tuple(machines)

    def for_text(self, words: str) -> tuple[tuple[Path, ...], str]:
        """Returns the fonts that together have the text's letters, the one that has most of them first, and the
        letters that none has. What cannot be seen (joiners) needs no font."""
        wanted = {letter for letter in words if unicodedata.category(letter) not in ("Cf", "Zs")}
        missing, found = set(wanted), list[Path]()
        for file in self._files(wanted):
            if not missing:
                break
            if has := {letter for letter in missing if ord(letter) in letters_of(file)}:
                missing -= has
                found.append(file)
        found.sort(key=lambda file: -sum(ord(letter) in letters_of(file) for letter in wanted))
        return tuple(found), "".join(sorted(missing))

    def _files(self, wanted: set[str]) -> Iterator[Path]:
        yield from sorted(SHIPPED.glob("*.ttf"))
        scripts = {unicodedata.name(letter, "").partition(" ")[0].lower() for letter in wanted} - {""}
        files = [file for folder in self._machines for file in _fonts_below(folder)]

        def likely(file: Path) -> tuple[bool, bool, bool, str]:
            name = file.stem.lower()
            plain = not any(word in name for word in _STYLED)
            return not any(script in name for script in scripts), not plain, not name.startswith("noto"), name

        yield from sorted(files, key=likely)


def shorter(words: str) -> Iterator[str]:
    """Yields the text with less and less of its end, never cut between a letter and what is written upon it."""
    for end in range(len(words) - 1, 0, -1):
        joined = unicodedata.category(words[end]) in ("Mn", "Mc", "Cf") or words[end - 1] == "\u200d"
        if not joined and unicodedata.combining(words[end - 1]) != _VIRAMA:
            yield words[:end].rstrip() + "…"


@cache
def letters_of(file: Path) -> frozenset[int]:
    """Returns the characters that a font can write, none where it cannot be read."""
    try:
        with TTFont(file, lazy=True) as font:
            if "glyf" not in font and "CFF " not in font:
                return frozenset()
            return frozenset(font.getBestCmap() or ())
    except (TTLibError, OSError, ValueError, KeyError, AssertionError) as error:
        log.debug("%s: is no font that can be read: %s", file, error)
        return frozenset()


@cache
def _fonts_below(folder: Path) -> tuple[Path, ...]:
    return tuple(
        Path(place, name)
        for place, _folders, names in os.walk(folder)
        for name in names
        if name.lower().endswith((".ttf", ".otf"))
    )
