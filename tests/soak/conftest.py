"""The soak is only run when it is asked for: `make soak`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import calibration, house

__all__ = ["calibration", "house"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves the soak out unless its marker was asked for."""
    return None if "soak" in str(config.getoption("markexpr")) else True
