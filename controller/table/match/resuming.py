"""What a desk goes on with after a restart: the latest match as the journal and the spool have it, and when it began.

Whatever an earlier run left is held against the match and its numbers: what does not follow on is set aside, reported,
never poured in and never deleted. Must not rule on anything that is played.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from controller.events.beams import BeamEdge, BeamGap
from controller.events.errors import CarromError, ConfigError
from controller.journal.journal import Entry, Journal, TakenAt, row_of
from controller.journal.mark import CHECK_SCORE, stood
from controller.journal.scribe import Receipt
from controller.journal.spool import Spool
from controller.table.match.ruled_match import Taken
from controller.table.match.ruled_strokes import match_began, read_until
from controller.table.match.umpire import Umpire

log = logging.getLogger(__name__)

OVERLAP_SECONDS = 30.0
"""After a restart, edges felt this long before the journal's last entry are read again."""


def leftover(journal: Journal, spool: Spool, umpire: Umpire, tell: Callable[[str], object]) -> tuple[Entry, ...]:
    """Returns what the spool holds of an earlier run and follows on what the journal has. The rest is set aside, and
    `tell` receives it, in one line. The umpire folds matches for it, and is to be restored afterwards.
    """
    found = spool.read()
    fits: list[Entry] = []
    for match in dict.fromkeys(entry.match for entry in found):
        theirs = sorted((entry for entry in found if entry.match == match), key=lambda entry: entry.seq)
        fits += _following(journal, theirs, umpire)
    unfit = [entry for entry in found if entry not in fits]
    if unfit or spool.strange:
        where = " and ".join(map(str, spool.set_aside(unfit, journal.path.parent)))
        tell(f"{_in_words(unfit, bool(spool.strange))} {journal.path}; they are kept in {where}. {CHECK_SCORE}")
    return tuple(fits)


def _following(journal: Journal, theirs: Sequence[Entry], umpire: Umpire) -> list[Entry]:
    """Those of a match's entries that the journal has already, and those that the engine takes after them."""
    match, latest = theirs[0].match, journal.latest_match()
    before = journal.readable_events(match)
    # As they are written: `true` is 1 for Python, and would be held for ever as an entry that the journal refuses.
    rows = {row_of(entry) for entry in before}
    written = [entry for entry in theirs if row_of(entry) in rows]
    rest = [entry for entry in theirs if row_of(entry) not in rows]
    others = journal.readable_events(latest) if latest is not None and latest != match else ()
    # It would become the latest match: only one that began after all others may.
    if not rest or (others and (before or rest[0].t_unix < others[-1].t_unix)):
        return written
    return written + ruled_again([*before, *rest], umpire)[len(before) :]


def ruled_again(entries: Sequence[Entry], umpire: Umpire) -> list[Entry]:
    """Returns the first entries of a match, as many as follow on each other and are ruled again without an error."""
    umpire.restore(())
    found: list[Entry] = []
    for entry in entries:
        taken = umpire.take_again(entry.event)
        if not isinstance(taken, Taken) or taken.seq != entry.seq or taken.starts != (not found):
            break
        found.append(entry)
    return found


def _in_words(unfit: Sequence[Entry], strange: bool) -> str:
    said = []
    for match in dict.fromkeys(entry.match for entry in unfit):
        theirs = [entry for entry in unfit if entry.match == match]
        how = stood(theirs[-1].ruling)
        numbers = f"{theirs[0].seq} to {theirs[-1].seq}" if len(theirs) > 1 else f"{theirs[0].seq}"
        said.append(f"events {numbers} of match {match}" + (f" (it stood {how} then)" if how else ""))
    if strange:
        said.append("what nobody can read")
    return f"{', '.join(said)} had been told and not saved, and do not follow on what stands in"


def latest_match(journal: Journal, kept: Sequence[Receipt]) -> tuple[str, tuple[Entry, ...], tuple[Receipt, ...]]:
    """Returns the latest match, those of its entries that can be read, in order, and those of the receipts that are
    about it; all empty if there is none. `kept`: entries of an earlier run that are only now on their way into the
    journal.
    """
    waiting = [(receipt.entry, receipt) for receipt in kept if receipt.entry is not None]
    # A match that began when the journal took nothing any more. Asked first: they are being written meanwhile.
    fresh = [entry.match for entry, _ in waiting if not journal.last_event(entry.match)]
    match = fresh[-1] if fresh else journal.latest_match()
    if match is None:
        return "", (), ()
    found = {entry.seq: entry for entry, _ in waiting if entry.match == match}
    # Where both have it, the journal's is the one that stays.
    found |= {entry.seq: entry for entry in journal.readable_events(match)}
    receipts = tuple(one for entry, one in waiting if entry.match == match)
    return match, tuple(found[seq] for seq in sorted(found)), receipts


def unreadable(journal: Journal, match: str, entries: Sequence[Entry]) -> str:
    """Says which events of a match cannot be read, its end too: what is ruled next would get a number that is taken.
    Empty where none is. `entries`: those that can be read or are on their way."""
    there = {entry.seq for entry in entries}
    missing = [seq for seq in range(1, max({journal.last_event(match), *there}, default=0) + 1) if seq not in there]
    if len(missing) > 1:
        return f"of its events {missing[0]} to {missing[-1]} cannot be read"
    return f"its event {missing[0]} cannot be read" if missing else ""


def cannot_go_on(match: str, entries: Sequence[Entry], why: str) -> str:
    """Says that a match cannot be gone on with, and how it stood, in one line."""
    how = stood(entries[-1].ruling) if entries else ""
    then = f"; after event {entries[-1].seq} it stood {how}" if how else ""
    return f"match {match} cannot go on: {why}{then}. A new one began. {CHECK_SCORE}"


def unread_since(journal: Journal, entries: Sequence[Entry], clock: str, now_ns: int) -> tuple[int, float]:
    """Returns until when (ns on the table's clock) what was felt is part of the match's rulings, 0 where nobody noted
    it, and from when on (Unix seconds, as it was written down) the rest has to be searched for.
    """
    read_ns = _noted(journal, entries[0].match, "read", clock)
    since = entries[-1].t_unix - OVERLAP_SECONDS
    if read_ns is None or read_ns > now_ns:
        return 0, max(since, read_until(entries))
    return read_ns, since


def began_ns(journal: Journal, entries: Sequence[Entry], clock: str, now_ns: int, now_unix: float) -> int:
    """Returns when the match began on the table's clock: as it was noted, by its latest stroke, or else by the wall's
    clock, which may have jumped since. `clock`: what tells this run of the clock from others.
    """
    noted = _noted(journal, entries[0].match, "began", clock)
    if noted is not None and noted <= now_ns:
        return noted
    by_stroke = match_began(entries, now_ns)
    by_the_wall = now_ns - round((now_unix - entries[0].t_unix) * 1e9)
    return min(by_the_wall, now_ns) if by_stroke is None else by_stroke


def _noted(journal: Journal, match: str, kind: str, clock: str) -> int | None:
    try:
        return journal.noted(match, kind, clock)
    except ConfigError as error:
        # It goes on by the wall's clock, as where nobody noted anything.
        log.error("%s", error)
        return None


def taken_at(journal: Journal, match: str) -> tuple[TakenAt, ...]:
    """Returns when a match's entries were taken in and when tables went on with it; nothing where it cannot be read."""
    try:
        return journal.taken(match)
    except CarromError as error:
        log.error("%s", error)
        return ()


def edges_since(journal: Journal, since_unix: float, tell: Callable[[str], object]) -> tuple[BeamEdge | BeamGap, ...]:
    """Returns what was felt, written since a Unix time; nothing, and a line to `tell`, where it cannot be read."""
    try:
        return journal.edges(since_unix)
    except ConfigError as error:
        tell(str(error))
        return ()
