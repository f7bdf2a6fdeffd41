"""The documents and pictures that are made from the program: up to date, or at least what they say they are."""

from __future__ import annotations

import re

import pytest
from PIL import Image

from scripts.write_documents import DOCUMENTS, ROOT


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_made_document_is_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == DOCUMENTS[name](), "old. Mend: make documents"


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
    assert len(seen) > 4, "a film in which nothing happens. Mend: make film"
