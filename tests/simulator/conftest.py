"""What holds for all tests of the simulator."""

from __future__ import annotations

import pytest

from tests import painted

painted_once = pytest.fixture(scope="session", autouse=True)(painted.once)
