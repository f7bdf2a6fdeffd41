"""What a desk goes on with after a restart: the latest match as the journal and the spool have it, and when it began.

Reads the journal; must not rule on anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.journal.journal import Entry, Journal
from controller.journal.scribe import Receipt
from controller.table.ruled_strokes import match_began


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


def began_ns(journal: Journal, entries: Sequence[Entry], clock: str, now_ns: int, now_unix: float) -> int:
    """Returns when the match began on the table's clock: as it was noted, by its latest stroke, or else by the wall's
    clock, which may have jumped since. `clock`: what tells this run of the clock from others.
    """
    noted = journal.began(entries[0].match, clock) if clock else None
    if noted is not None and noted <= now_ns:
        return noted
    by_stroke = match_began(entries, now_ns)
    by_the_wall = now_ns - round((now_unix - entries[0].t_unix) * 1e9)
    return min(by_the_wall, now_ns) if by_stroke is None else by_stroke
