"""The pages' words: every message that a page names is in every language, with the same places to fill."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from controller.events.expectation import Expectation
from controller.events.match import FACTS
from controller.events.words import FLAGS
from controller.table.machine.arming import Arming
from controller.table.machine.health import Health
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
    facts = {f"fact-{re.sub('[._]', '-', path)}" for path in labels()}
    assert [name for name in other if name not in facts] == list(english)
    assert facts <= set(other), "the facts have their English words where they are described"
    for name, text in english.items():
        assert other[name].strip(), name
        assert set(re.findall(r"\$\w+", other[name])) == set(re.findall(r"\$\w+", text)), name


def labels() -> set[str]:
    flags = {f"flags.{flag}" for flag in FLAGS}
    return {path for path, one in FACTS.items() if one.fact.label} | flags


UNREVIEWED = ("mr", "ta", "si", "fr", "de")
SPOKEN = (
    "What the pages are called",
    "Whether the table watches",
    "Pieces, seats, states",
    "A ruling in one sentence",
    "The ruling in full",
)
"""What everybody reads: the scoreboard and the rulings. The console's own words are English there."""


@pytest.mark.parametrize("language", UNREVIEWED)
def test_an_unreviewed_language_has_the_scoreboard_and_the_rulings_and_says_what_it_is(language: str) -> None:
    text = (STATIC / "words" / "en.ftl").read_text("utf-8")
    parts = dict(part.split("\n", 1) for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:])
    wanted = {name: said for title in SPOKEN for name, said in MESSAGE.findall(parts[title])}
    other = catalogue(language)
    assert list(other) == list(wanted)
    for name, said in wanted.items():
        assert other[name].strip(), name
        assert set(re.findall(r"\$\w+", other[name])) == set(re.findall(r"\$\w+", said)), name
    assert "UNREVIEWED" in (STATIC / "words" / f"{language}.ftl").read_text("utf-8").split("\n")[0]
    assert re.search(rf'\b{language}: "[^"]+ \*"', (STATIC / "i18n.mjs").read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_says_is_in_the_catalogue(page: Path) -> None:
    named = {name for pair in NAMED.findall(page.read_text("utf-8")) for name in pair if name}
    assert named <= set(catalogue("en"))


MADE = re.compile(r"""\bt\(`([\w-]+-)\$\{""")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_puts_together_from_a_word_of_the_tables_is_in_the_catalogue(page: Path) -> None:
    for begins in MADE.findall(page.read_text("utf-8")):
        assert any(name.startswith(begins) for name in catalogue("en")), begins


def test_every_step_on_the_way_to_an_armed_table_has_its_words() -> None:
    health = Health(camera="ok", node="up", broker="ok")
    book = Expectation(None, (), (), sides=(("south", "south"),))
    steps = {one["what"] for one in Arming(began=1.0).told(health, book)["steps"]}
    assert len(steps) == 8
    assert {f"arm-{what}{ending}" for what in steps for ending in ("", "-how")} <= set(catalogue("en"))


@pytest.mark.parametrize("state", ["idle", "trial", "playing", "paused", "board_over", "match_over"])
def test_every_state_of_a_match_has_its_words(state: str) -> None:
    assert f"state-{state}" in catalogue("en")
