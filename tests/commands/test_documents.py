"""The documents and pictures that are made from the program: up to date, or at least what they say they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from scripts.write_documents import DOCUMENTS, ROOT

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "firmware").rglob("*.md")),
    ROOT / "scripts/teach/README.md",
]
"""The pages that people write, and those that are made."""


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"(?m)^#+ (.+)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_made_document_is_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == DOCUMENTS[name](), "old. Fix: make documents"


def test_the_readmes_picture_of_the_demo_moves_and_is_no_burden() -> None:
    (named,) = re.findall(r"\((docs/pictures/demo\.\w+)\)", (ROOT / "README.md").read_text("utf-8"))
    file = ROOT / named
    assert file.stat().st_size < 1_500_000
    with Image.open(file) as film:
        assert film.n_frames > 50
        assert film.info["loop"] == 0, "it runs for ever"
        seen = set()
        for number in range(0, film.n_frames, 25):
            film.seek(number)
            seen.add(film.convert("RGB").tobytes())
    assert len(seen) > 4, "a film in which nothing happens. Fix: make film"


def test_every_picture_is_shown_on_a_page() -> None:
    named = {name for page in PAGES for name in re.findall(r"pictures/([\w.]+)\)", page.read_text("utf-8"))}
    assert {file.name for file in (ROOT / "docs" / "pictures").iterdir()} == named


def test_the_walk_from_wire_to_ruling_goes_through_files_that_are_there() -> None:
    """By name alone where the line before says in which package."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("from wire to ruling\n")[2]
    walk = text.partition("\n## ")[0]
    named = re.findall(r"`([\w/]+\.(?:py|toml))`", walk)
    assert len(named) > 25
    there = {str(file.relative_to(ROOT / "controller")) for file in (ROOT / "controller").rglob("*.*")}
    lost = [name for name in named if not any(f"/{one}".endswith(f"/{name}") for one in there)]
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    dead = []
    for link in links:
        if re.match(r"https?://", link):
            continue
        name, _, anchor = link.partition("#")
        there = (page.parent / name).resolve() if name else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            dead.append(link)
    assert dead == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, to_read = set(), [ROOT / "README.md"]
    while to_read:
        page = to_read.pop()
        reached.add(page)
        links = re.findall(r"\]\(([^)\s#]+\.md)[)#]", page.read_text(encoding="utf-8"))
        to_read += [there for link in links if (there := (page.parent / link).resolve()) not in reached]
    assert sorted(page.name for page in set((ROOT / "docs").rglob("*.md")) - reached) == []
