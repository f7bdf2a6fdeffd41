"""The documents that are made from the program are as the program would make them now."""

from __future__ import annotations

import pytest

from scripts.write_documents import DOCUMENTS, ROOT


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_made_document_is_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == DOCUMENTS[name](), "old. Mend: make documents"
