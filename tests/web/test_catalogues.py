"""The pages' words: every message that a page names is in every language, with the same places to fill."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controller.web.app import STATIC

MESSAGE = re.compile(r"^([\w-]+) =(.*(?:\n[ \t].*)*)", re.MULTILINE)
NAMED = re.compile(r"""\bt\("([\w-]+)"|data-t(?:-label)?="([\w-]+)\"""")
PAGES = [*STATIC.glob("*.mjs"), *STATIC.glob("*.html")]


def catalogue(language: str) -> dict[str, str]:
    found = MESSAGE.findall((STATIC / "words" / f"{language}.ftl").read_text("utf-8"))
    assert len(found) == len(dict(found)), "a message stands twice"
    return dict(found)


@pytest.mark.parametrize("language", ["hi"])
def test_every_language_is_complete(language: str) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert list(other) == list(english)
    for name, text in english.items():
        assert other[name].strip(), name
        assert set(re.findall(r"\$\w+", other[name])) == set(re.findall(r"\$\w+", text)), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_says_is_in_the_catalogue(page: Path) -> None:
    named = {name for pair in NAMED.findall(page.read_text("utf-8")) for name in pair if name}
    assert named <= set(catalogue("en"))
