"""What a desk goes on with after a restart: the latest match as the journal and the spool have it, and when it began.

Reads the journal; must not rule on anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.journal.journal import Entry, Journal
from controller.journal.scribe import Receipt
from controller.table.ruled_strokes import match_began, read_until

OVERLAP_SECONDS = 30.0
"""After a restart, edges felt this long before the journal's last entry are heard again."""


def latest_match(journal: Journal, kept: Sequence[Receipt]) -> tuple[tuple[Entry, ...], tuple[Receipt, ...]]:
    """Returns the entries of the latest match in order, and those of the receipts that are about it; both empty if
    there is none. `kept`: entries of an earlier run that are only now on their way into the journal.
    """
    waiting = [(receipt.entry, receipt) for receipt in kept if receipt.entry is not None]
    # A match that began when the journal took nothing any more. Asked first: they are being written meanwhile.
    fresh = [entry.match for entry, _ in waiting if not journal.last_event(entry.match)]
    match = fresh[-1] if fresh else journal.latest_match()
    if match is None:
        return (), ()
    found = {entry.seq: entry for entry, _ in waiting if entry.match == match}
    # Where both have it, the journal's is the one that stays.
    found |= {entry.seq: entry for entry in journal.events(match)}
    return tuple(found[seq] for seq in sorted(found)), tuple(one for entry, one in waiting if entry.match == match)


def unread_since(journal: Journal, entries: Sequence[Entry], clock: str, now_ns: int) -> tuple[int, float]:
    """Returns until when (ns on the table's clock) what was felt is part of the match's rulings, 0 where nobody noted
    it, and from when on (Unix seconds, as it was written down) the rest has to be looked for.
    """
    read_ns = journal.noted(entries[0].match, "read", clock)
    since = entries[-1].t_unix - OVERLAP_SECONDS
    if read_ns is None or read_ns > now_ns:
        return 0, max(since, read_until(entries))
    return read_ns, since


def began_ns(journal: Journal, entries: Sequence[Entry], clock: str, now_ns: int, now_unix: float) -> int:
    """Returns when the match began on the table's clock: as it was noted, by its latest stroke, or else by the wall's
    clock, which may have jumped since. `clock`: what tells this run of the clock from others.
    """
    noted = journal.noted(entries[0].match, "began", clock)
    if noted is not None and noted <= now_ns:
        return noted
    by_stroke = match_began(entries, now_ns)
    by_the_wall = now_ns - round((now_unix - entries[0].t_unix) * 1e9)
    return min(by_the_wall, now_ns) if by_stroke is None else by_stroke
