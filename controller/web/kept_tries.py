"""Who guessed the PIN how often, kept over a restart: whoever can cut a table's power gets no new guesses by it.

Whoever is wrong is in the file before he is answered, as long as writes are not used up: however many guess, the card
is written 10 times at once and then once a minute. A file that cannot be read or written keeps nobody out and stops
nothing: the limit holds until the next restart, and the log has one line. Must not know a limit.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Annotated

from anyio import Lock, to_thread
from pydantic import Field, TypeAdapter

from controller.events.doors import RECORD, json_object
from controller.events.reading import Whole, strictly
from controller.web.tries import Drip, Tries

log = logging.getLogger(__name__)

MOST_KEPT = 256
"""Of more addresses those that tried last are kept."""
WRITE_EACH_S, WRITES_AT_ONCE = 60.0, 10

_WRONG = TypeAdapter(dict[str, Annotated[Whole, Field(ge=0)]])


class KeptTries(Tries):
    """`Tries` with a file. `path`: None where there is no place to write. `who` must be `nameless`."""

    def __init__(self, now: Callable[[], float], path: Path | None = None) -> None:
        self._path = path
        super().__init__(now, self._read())
        self._writes = Drip(WRITE_EACH_S, WRITES_AT_ONCE)
        self._says = ""
        self._busy = Lock()

    async def keep(self) -> None:
        """Writes down who has been wrong how often: all of it or nothing, and nothing once the writes are used up."""
        async with self._busy:
            now = self._now()
            if self._path is None or self._writes.wait_s(now) > 0:
                return
            self._writes.take(now)
            wrong = self.wrong()
            latest = dict(islice(wrong.items(), max(0, len(wrong) - MOST_KEPT), None))
            says = await to_thread.run_sync(_written, self._path, latest)
            # One line, however many guess.
            if says and says != self._says:
                log.warning("%s: cannot be written (%s): a restart gives new guesses of the PIN", self._path, says)
            self._says = says

    def _read(self) -> dict[str, int]:
        if self._path is None:
            return {}
        try:
            return strictly(_WRONG, json_object(self._path.read_bytes(), RECORD)["wrong"])
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError) as error:
            log.warning("%s: cannot be read (%s): who guessed the PIN before counts anew", self._path, error)
            return {}


def nameless(who: str) -> str:
    """What stands for an address or a browser: the one need not stand in a file, and the other's token must not."""
    return hashlib.sha256(who.encode("utf-8", "replace")).hexdigest()[:16]


def _written(path: Path, wrong: dict[str, int]) -> str:
    """Writes the file, durably. Returns why it cannot be written, empty if it is."""
    fresh = path.with_name(path.name + ".new")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump({"wrong": wrong}, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        return str(error)
    return ""
