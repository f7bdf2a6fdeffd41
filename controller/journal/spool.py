"""Where entries wait that were told and are not in the journal: one JSON line each, in folders on other devices.

Written when the journal is slow, full or refuses; read at the next start; gone once everything is in the journal. A
last line that was cut off by a power cut is left out. Must not know why an entry could not be written.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from controller.events.errors import DeviceError
from controller.journal.journal import Entry

log = logging.getLogger(__name__)


class Spool:
    """One table's spool: the same file name in each of some folders, the quickest first. Any thread."""

    def __init__(self, folders: Sequence[Path], name: str = "unsaved.jsonl") -> None:
        self.files = tuple(folder / name for folder in folders)
        self._guard = threading.Lock()
        self._held: dict[tuple[str, int], Entry] = {}

    @property
    def held(self) -> tuple[Entry, ...]:
        """What is kept here and not yet in the journal."""
        with self._guard:
            return tuple(self._held.values())

    def keep(self, entry: Entry) -> Path:
        """Keeps an entry in the first folder that takes it, and returns the file. Raises DeviceError if none does."""
        with self._guard:
            again = self._held.get((entry.match, entry.seq)) == entry
            self._held[entry.match, entry.seq] = entry
            for file in self.files:
                if again and file.exists():
                    return file
                if _append(file, [entry]):
                    return file
        raise DeviceError(
            f"{', '.join(map(str, self.files)) or 'no folder'}: nothing can be kept there. Mend: make room, or let "
            "this user write there"
        )

    def keep_everywhere(self) -> tuple[Path, ...]:
        """Writes what is held to every folder that takes it: one of them outlives a power cut. Returns the files."""
        with self._guard:
            held = list(self._held.values())
            for file in self.files:
                with contextlib.suppress(OSError):
                    file.unlink(missing_ok=True)
            return tuple(file for file in self.files if held and _append(file, held))

    def saved(self, match: str, seq: int) -> None:
        """An entry is in the journal now; with the last one the files go."""
        with self._guard:
            if self._held.pop((match, seq), None) is not None and not self._held:
                for file in self.files:
                    with contextlib.suppress(OSError):
                        file.unlink(missing_ok=True)

    def read(self) -> tuple[Entry, ...]:
        """Returns what an earlier run has left, each entry once, in the order of their numbers; holds them from now."""
        found: dict[tuple[str, int], Entry] = {}
        for file in self.files:
            for entry in _entries(file):
                found.setdefault((entry.match, entry.seq), entry)
        kept = sorted(found.values(), key=lambda entry: (entry.t_unix, entry.seq))
        with self._guard:
            self._held.update({(entry.match, entry.seq): entry for entry in kept})
        return tuple(kept)


def _append(file: Path, entries: Sequence[Entry]) -> bool:
    lines = "".join(map(_line, entries))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="ascii") as stream:
            stream.write(lines)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        log.warning("%s: cannot be written: %s", file, error)
        return False
    return True


def _line(entry: Entry) -> str:
    """What no reader of ours lets through may still be named: it is kept in words where it is no JSON."""
    try:
        return json.dumps(asdict(entry), default=repr) + "\n"
    except (RecursionError, ValueError) as error:
        log.error("event %d of match %s cannot be kept as it is: %s", entry.seq, entry.match, error)
        return ""


def _entries(file: Path) -> list[Entry]:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DeviceError(
            f"{file}: rulings that were not saved are kept there, and it cannot be read: {error.strerror}. Mend: let "
            "this user read it"
        ) from error
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(Entry(**json.loads(line)))
        except (ValueError, TypeError, RecursionError):
            log.error("%s:%d: is no entry; it was cut off, or somebody else wrote it", file, number)
    return found
