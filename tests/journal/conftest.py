"""The journal's own waits, shortened: what is tried here is what it does then, not how long a card may take."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.journal.file.BUSY_S", 0.05)
    monkeypatch.setattr("controller.journal.scribe.RETRY_S", 0.1)
