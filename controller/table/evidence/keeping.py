"""Evidence is stored beside the work: copying pictures must not hold up play. Must not know what it shows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from controller.events.errors import CarromError
from controller.table.evidence.store import Bundle, EvidenceShelf

log = logging.getLogger(__name__)


class Keeping:
    """What is being stored. `kept`: called after each bundle with what went wrong, or nothing."""

    def __init__(self, shelf: EvidenceShelf, kept: Callable[[str], None]) -> None:
        self._shelf = shelf
        self._kept = kept
        self._under_way: set[asyncio.Task[None]] = set()

    def begin(self, bundle: Bundle) -> None:
        """Has a bundle stored."""
        task = asyncio.get_running_loop().create_task(self._keep(bundle))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def drop(self, key: str) -> None:
        """Has a bundle forgotten, after all that is being stored."""
        earlier = tuple(self._under_way)
        task = asyncio.get_running_loop().create_task(self._drop(key, earlier))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def done(self) -> None:
        """Waits until everything is there."""
        while self._under_way:
            await asyncio.gather(*self._under_way)

    async def _drop(self, key: str, earlier: Sequence[asyncio.Task[None]]) -> None:
        await asyncio.gather(*earlier)
        await asyncio.get_running_loop().run_in_executor(None, self._shelf.drop, key)

    async def _keep(self, bundle: Bundle) -> None:
        trouble = ""
        try:
            await asyncio.get_running_loop().run_in_executor(None, self._shelf.keep, bundle)
        except CarromError as error:
            log.error("%s", error)
            trouble = str(error)
        self._kept(trouble)
