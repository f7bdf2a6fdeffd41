"""Who signed for the table, when, and what was missing then: one JSON line each, the newest last, beside the journal.

A thin shell; what is signed, `arming` says.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

from controller.events.doors import RECORD, json_object
from controller.table.machine.arming import Arming, Json, remembered

log = logging.getLogger(__name__)


class Signed:
    """The record in a folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "signed.jsonl"

    def latest(self) -> Arming:
        """What was signed last; a table nobody has signed for, where nothing was or it cannot be read."""
        try:
            lines = self._file.read_text(encoding="utf-8").splitlines()
            return remembered(json_object(lines[-1], RECORD)) if lines else Arming()
        except FileNotFoundError:
            return Arming()
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s: %s", self._file, error)
            return Arming()

    def add(self, told: Json) -> None:
        """Writes one down, as it was given. Raises OSError if it cannot be."""
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(told, ensure_ascii=False) + "\n")
