"""How modules are dealt to the workers: xdist's `loadscope`, which also ends when a worker dies.

xdist 3.8 hands on all that a dead worker was ever given: finished modules, of which there is nothing to run, and the
test that it died of. Who is dealt less than two tests waits for more, and the run never ends (pytest-xdist 1323, 1327,
1378). This module is a part of the suite's `conftest`.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

ENOUGH = 2
"""A worker begins a test when it knows the next one, or that there is none."""


class Dealing(LoadScopeScheduling):
    """Deals modules; what a dead worker left is dealt again, but for the test that it died of."""

    def remove_node(self, node: Any) -> str | None:
        """Takes a worker out, and returns the test that it died of; None if it had nothing left to do."""
        given = self.assigned_work.pop(node)
        left = {module: [test for test, done in tests.items() if not done] for module, tests in given.items()}
        left = {module: tests for module, tests in left.items() if tests}
        if not left:
            return None
        began, (crashed, *_) = next(iter(left.items()))
        given[began][crashed] = True
        self.workqueue.update({module: given[module] for module in left})
        for other in self.nodes:
            self._reschedule(other)
        return crashed

    def _reschedule(self, node: Any) -> None:
        # The one that takes a dead one's place is asked too, while it still collects.
        while node in self.registered_collections and not node.shutting_down:
            super()._reschedule(node)
            if self._pending_of(self.assigned_work[node]) >= ENOUGH:
                break


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Dealing | None:
    """Deals what is dealt by modules; all else is dealt as xdist does."""
    return Dealing(config, log) if config.getvalue("dist") == "loadscope" else None
