"""What holds for the whole session of tests."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator

import pytest

import tests.isolation  # noqa: F401  # before anything that looks at the machine
from tests.dealing import pytest_xdist_make_scheduler
from tests.leaks import _leaves_nothing
from tests.tiers import _nothing_live, pytest_collection_modifyitems, pytest_terminal_summary

__all__ = [
    "_leaves_nothing", "_nothing_live",
    "pytest_collection_modifyitems", "pytest_terminal_summary", "pytest_xdist_make_scheduler",
]  # fmt: skip


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was collected lives as long as the run: to look through it for garbage again and again is a tenth of the
    deterministic tier."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _painted_once() -> Iterator[None]:
    from tests import painted

    yield from painted.once()


@pytest.fixture(autouse=True)
def _no_loop_of_the_browsers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Playwright's loop counts as running in this thread while a browser is open; who opens none may run one."""
    loop = asyncio._get_running_loop()
    if loop is None or "browsers" in request.fixturenames:
        yield
        return
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)
