"""What a table throws away by itself, by what its configuration says, and when.

Matches leave the journal before the daemon opens it; kept pictures and archived matches go while it runs. Nothing of
it may keep a table from umpiring: what cannot be done is written to the log and tried again. Must not know how.
"""

from __future__ import annotations

import logging
from pathlib import Path

from controller.config import Config
from controller.events.errors import CarromError
from controller.journal.journal import Journal
from controller.journal.pruning import DAY_S, MovedOut, due, forget_archived, move_out
from controller.journal.spool import Spool
from controller.table.evidence.store import EvidenceShelf
from controller.table.machine.notify import notify
from controller.table.process.seen_days import SeenDays

log = logging.getLogger(__name__)

MOST_AT_START = 50
"""Matches that one start moves out, the oldest first: play waits for it. What is left goes at the next start."""
PRUNING_S = 600
"""So much longer than usual the service manager shall wait for such a start: a slow card copies 1 MB/s at worst, and
being killed in the middle would only begin it anew, over and over."""

TIDY_SECONDS = 3600.0
"""So often the daemon looks, from its start on: what is kept for days goes within the hour."""


def journal_of(config: Config) -> Path:
    """Returns the table's journal."""
    return config.table.state / "journal.sqlite"


def spool_of(config: Config) -> Spool:
    """Returns where rulings wait that the journal cannot take: in memory at once, on another device at the end."""
    evidence = config.evidence.folder
    folders = (config.table.runtime, *([evidence] if evidence is not None else []))
    return Spool(folders, f"unsaved-{config.table.id}.jsonl")


def archive_of(config: Config) -> Path:
    """Returns the folder of the matches that were moved out."""
    return config.journal.archive or config.table.state / "archive"


def prune(config: Config, now_unix: float, sure_unix: float) -> MovedOut:
    """Moves what is older than the policy says out of the journal, which nobody has open. `sure_unix`: see `SeenDays`.
    Raises CarromError."""
    keep, path = config.journal.keep_days, journal_of(config)
    if not keep or not path.is_file():
        return MovedOut((), ())
    with Journal(path, place=config.table.id) as journal:
        names = due(journal.matches(), sure_unix, keep)[:MOST_AT_START]
        if names:
            notify(
                f"EXTEND_TIMEOUT_USEC={PRUNING_S * 1_000_000}", f"STATUS=moving {len(names)} matches out of the journal"
            )
        return move_out(journal, names, archive_of(config), now_unix)


def prune_at_start(config: Config, now_unix: float) -> None:
    """The same, whatever comes of it; the journal is whole in any case."""
    try:
        moved = prune(config, now_unix, SeenDays(config.table.state).sure(now_unix))
    except (CarromError, OSError) as error:
        log.error("no match was moved out of the journal: %s", error)
        return
    if moved.matches:
        log.warning("moved out of the journal into %s: %s", archive_of(config), ", ".join(moved.matches))


def tidy(config: Config, shelf: EvidenceShelf, now_unix: float) -> None:
    """Throws away what has been kept for long enough: clips, stills, archived matches. To be called beside play."""
    sure_unix = SeenDays(config.table.state).sure(now_unix)
    if gone := shelf.tidy(sure_unix):
        log.info("clips and stills deleted after %d days: %d", config.evidence.keep_days, len(gone))
    forget(config, sure_unix)


def forget(config: Config, sure_unix: float) -> None:
    """Deletes for good what was moved out long enough ago."""
    if not config.journal.archive_days:
        return
    try:
        gone = forget_archived(archive_of(config), journal_of(config), sure_unix - config.journal.archive_days * DAY_S)
    except OSError as error:
        log.error("nothing of the archive was deleted: %s", error)
        return
    if gone:
        log.warning("deleted for good: %s", ", ".join(file.name for file in gone))
