"""Where entries wait that were published and are not in the journal: one JSON line each, in folders on other devices.

Written when the journal is slow, full or refuses; read at the next start; gone once everything is in the journal or set
aside. A last line that was cut off by a power cut is left out: it was not published. Must not know why an entry could
not be written, nor which ones follow on.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from controller.events.codec import event_from_json
from controller.events.doors import RECORD, json_object
from controller.events.earlier import as_taken_now
from controller.events.errors import DeviceError, EventError, UnreadableError
from controller.events.reading import read
from controller.journal.journal import Entry
from controller.journal.salvage import free_name

log = logging.getLogger(__name__)

_ENTRY = TypeAdapter(Entry)
_BEGINS = '{"match": "'
"""What every line of ours begins with."""


class Spool:
    """One table's spool: the same file name in each of some folders, the quickest first. Any thread."""

    def __init__(self, folders: Sequence[Path], name: str = "unsaved.jsonl") -> None:
        self.files = tuple(folder / name for folder in folders)
        self._guard = threading.Lock()
        self._held: dict[tuple[str, int], Entry] = {}
        self.strange: tuple[str, ...] = ()
        """Lines of an earlier run that are no entries; a file that cannot be read, in words."""

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
            f"{', '.join(map(str, self.files)) or 'no folder'}: nothing can be kept there. Fix: make room, or let "
            "this user write there"
        )

    def keep_everywhere(self) -> tuple[Path, ...]:
        """Writes what is held to every folder that takes it: one of them outlives a power cut. Returns the files."""
        with self._guard:
            held = list(self._held.values())
            self._remove()
            return tuple(file for file in self.files if held and _append(file, held))

    def saved(self, match: str, seq: int) -> None:
        """An entry is in the journal now; with the last one the files go."""
        with self._guard:
            if self._held.pop((match, seq), None) is not None and not self._held:
                self._remove()

    def read(self) -> tuple[Entry, ...]:
        """Returns what an earlier run has left, each entry once, in the order of their numbers; holds them from now."""
        found: dict[tuple[str, int], Entry] = {}
        strange: dict[str, None] = {}
        for file in self.files:
            for line in _lines(file):
                entry = _entry(line)
                if entry is None or found.setdefault((entry.match, entry.seq), entry) != entry:
                    strange[line] = None
        kept = sorted(found.values(), key=lambda entry: (entry.t_unix, entry.seq))
        self.strange = tuple(strange)
        with self._guard:
            self._held.update({(entry.match, entry.seq): entry for entry in kept})
        return tuple(kept)

    def set_aside(self, unfit: Collection[Entry], folder: Path) -> tuple[Path, ...]:
        """Keeps lines that are no entries, and these entries, for good under a name of their own, in a folder or, where
        that takes nothing, beside the spool; holds them no more. Returns the files.
        """
        with self._guard:
            self._held = {name: entry for name, entry in self._held.items() if entry not in unfit}
            rest = list(self._held.values())
            to = free_name(folder / self.files[0].name, "aside")
            if _write(to, "".join([*(f"{line}\n" for line in self.strange), *map(_line, unfit)])):
                if not rest:
                    self._remove()
                return (to,)
            named = []
            for file in self.files:
                with contextlib.suppress(OSError):
                    named.append(file.rename(free_name(file, "aside")))
            if rest and not any(_append(file, rest) for file in self.files):
                log.error("nothing can be kept in %s", " or ".join(map(str, self.files)))
        return tuple(named)

    def _remove(self) -> None:
        for file in self.files:
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)


def _append(file: Path, entries: Sequence[Entry]) -> bool:
    return _write(file, "".join(map(_line, entries)))


def _write(file: Path, lines: str) -> bool:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab+") as stream:
            if stream.tell():
                # Behind a line that was cut off the next one would be lost with it.
                stream.seek(-1, os.SEEK_END)
                lines = lines if stream.read(1) == b"\n" else f"\n{lines}"
            stream.write(lines.encode("utf-8", "replace"))
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        log.warning("%s: cannot be written: %s", file, error)
        return False
    return True


def _line(entry: Entry) -> str:
    """What no reader of ours lets through may still be named: it is kept in words where it is no JSON. Half a character
    becomes "?", as in the journal."""
    try:
        return json.dumps(asdict(entry), default=repr, ensure_ascii=False) + "\n"
    except (RecursionError, ValueError) as error:
        log.error("event %d of match %s cannot be kept as it is: %s", entry.seq, entry.match, error)
        return ""


def _lines(file: Path) -> list[str]:
    """The whole lines of a file; of one that cannot be read a line that says so."""
    try:
        text = file.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    except OSError as error:
        aside = free_name(file, "aside")
        with contextlib.suppress(OSError):
            file.rename(aside)
        log.error("%s: rulings that were not saved may be kept there; it cannot be read: %s", aside, error.strerror)
        return [f"{aside}: cannot be read: {error.strerror}"]
    *lines, last = text.split("\n")
    if last and last[: len(_BEGINS)] == _BEGINS[: len(last)] and _entry(last) is None:
        log.warning("%s: its last line was cut off: it was told to nobody", file)
        last = ""
    return [line for line in (*lines, last) if line.strip()]


def _entry(line: str) -> Entry | None:
    """An entry with an event as the engine takes it; None for a line that is none."""
    try:
        entry = read(_ENTRY, json_object(line, RECORD))
        event_from_json(as_taken_now(entry.event)[0])
    except (UnreadableError, EventError):
        return None
    return entry if entry.seq > 0 else None
