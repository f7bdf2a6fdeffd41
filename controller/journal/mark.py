"""The high-water mark: how far a journal has come, written beside it, so that a journal that lost its end is noticed.

SQLite itself cannot tell: a torn or missing write-ahead log is a shorter journal, and no file is an empty one. Must not
know what a ruling means, beyond how the score is written.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from controller.events.doors import RECORD, json_object
from controller.events.reading import FromJson, Whole, read
from controller.journal.journal import Entry, Journal

log = logging.getLogger(__name__)

UNDER_WAY = ("playing", "paused", "trial", "board_over")
"""The states of a scoreboard whose match goes on."""

FIX = (
    "Fix: stop carrom and put journal.sqlite back from a copy, with its -wal file; or go on here: enter how it "
    "stands (set), or start the match anew"
)

CHECK_SCORE = "Fix: hold the score against the sheet, enter how it stands (set), or start the match anew"
"""The same where no copy would have more."""


@dataclass(frozen=True, slots=True)
class Mark(FromJson):
    """The newest entry that is known to have been durable. `stood`: the score after it, for people."""

    match: str
    seq: Whole
    digest: str
    stood: str = ""


_MARK = TypeAdapter(Mark)


def mark_of(entry: Entry) -> Mark:
    """Returns the mark of an entry."""
    return Mark(entry.match, entry.seq, digest(entry), stood(entry.ruling))


def digest(entry: Entry) -> str:
    """Returns what an entry is known by: another one with its number is not it."""
    told = [entry.match, entry.seq, entry.source, entry.event, entry.ruling]
    body = json.dumps(told, sort_keys=True, ensure_ascii=False)
    # As the journal writes it: half a character is a question mark there.
    return hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()


def stood(ruling: Mapping[str, Any]) -> str:
    """Returns the score that a ruling left, in words."""
    score = ruling.get("score")
    if not isinstance(score, Mapping):
        return ""
    return ", ".join(f"{side} {points}" for side, points in score.items())


def mark_file(journal: Path) -> Path:
    """Returns where the mark of a journal lies."""
    return journal.with_name(journal.name + ".mark")


def write_mark(journal: Path, mark: Mark) -> None:
    """Writes the mark, all of it or nothing. Raises OSError."""
    file = mark_file(journal)
    fresh = file.with_name(file.name + ".new")
    with fresh.open("w", encoding="utf-8") as stream:
        json.dump(asdict(mark), stream)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(file)


def marked_match(journal: Path) -> str | None:
    """Returns the match that the mark is about, None without a mark that can be read."""
    try:
        found = json_object(mark_file(journal).read_text(encoding="utf-8"), RECORD).get("match")
    except (OSError, ValueError):
        return None
    return found if isinstance(found, str) else None


def lost_since(journal: Journal) -> str:
    """Holds a journal against its mark. Returns what is missing, in one line with the way out; empty if nothing is."""
    file = mark_file(journal.path)
    try:
        mark = read(_MARK, json_object(file.read_text(encoding="utf-8"), RECORD))
    except FileNotFoundError:
        return ""
    except OSError as error:
        why = f"cannot be read ({error.strerror})"
        return f"{file}: {why}, so nobody knows whether the journal is whole. Fix: let this user read it, or remove it"
    except ValueError:
        return f"{file}: is damaged, so nobody knows whether the journal is whole. {FIX}"
    entries = journal.readable_events(mark.match)
    there = next((entry for entry in entries if entry.seq == mark.seq), None)
    if there is not None and digest(there) == mark.digest:
        return ""
    if there is not None:
        return f"{journal.path}: event {mark.seq} of match {mark.match} is another one than was written. {FIX}"
    return said_lost(str(journal.path), mark.match, max((one.seq for one in entries), default=0), mark.seq, mark.stood)


def said_lost(where: str, match: str, there: int, was: int, how_it_stood: str) -> str:
    """Returns the line about events that are missing at a journal's end. `there`, `was`: its last number."""
    what = f"event {was}" if was == there + 1 else f"events {there + 1} to {was}"
    then = f"; after event {was} it stood {how_it_stood}" if how_it_stood else ""
    return f"{where}: {what} of match {match} {'is' if was == there + 1 else 'are'} missing{then}. {FIX}"


class Loss:
    """What is known to be missing from a journal, until a person has put it right: it outlives restarts."""

    def __init__(self, journal: Path) -> None:
        self._file = journal.with_name(journal.name + ".lost")
        self.says = ""

    def look(self, journal: Journal) -> None:
        """Holds the journal against its mark, and remembers what was missing before."""
        found = lost_since(journal)
        self.recall()
        if found:
            self.tell(found)

    def recall(self) -> None:
        """Remembers what was missing before."""
        try:
            self.says = self._file.read_text(encoding="utf-8", errors="replace").strip()
        except FileNotFoundError:
            self.says = ""
        except OSError as error:
            self.says = f"{self._file}: cannot be read ({error.strerror}). Fix: look at it, then remove it"

    def tell(self, says: str) -> None:
        """Something is missing. What was known to be missing before is reported first, and once."""
        if says in self.says:
            return
        self.says = f"{self.says}; {says}" if self.says else says
        try:
            self._file.write_text(self.says + "\n", encoding="utf-8")
        except OSError as error:
            log.error("%s: cannot be written (%s): %s", self._file, error.strerror, self.says)

    def put_right(self) -> None:
        """A person has entered how it stands."""
        self.says = ""
        try:
            self._file.unlink(missing_ok=True)
        except OSError as error:
            log.error("%s: cannot be removed: %s", self._file, error.strerror)


def missing_by_score(score: Mapping[str, Any], match: str, seq: int, there: int) -> str:
    """Holds a scoreboard that somebody else has kept against us: we are at event `seq` of `match`, and have `there`
    events of the match that it is of. Returns what is missing, empty if nothing is or its match was over."""
    was, name = score.get("seq"), score.get("match")
    if not isinstance(was, int) or not isinstance(name, str) or score.get("state") not in UNDER_WAY:
        return ""
    known = max(there, seq) if name == match else there
    # A match of which nothing but its beginning is gone has lost nothing.
    if was <= max(known, 1):
        return ""
    sides = score.get("sides")
    found = [side for side in sides if isinstance(side, Mapping)] if isinstance(sides, list) else []
    points = {str(side.get("name")): side.get("points") for side in found}
    return said_lost("the score that the broker has kept", name, known, was, stood({"score": points}))
