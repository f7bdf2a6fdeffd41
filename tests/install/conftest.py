"""A Debian that is a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.install.debian import debian


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    return debian(tmp_path / "machine")
