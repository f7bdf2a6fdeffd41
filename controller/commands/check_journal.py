"""The journal's part of `carrom check`: whether it can be read and is whole, and what waits to be put into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from controller.commands.findings import Finding
from controller.config import Config
from controller.events.doors import why_not
from controller.journal import Journal
from controller.journal.mark import Loss, lost_since
from controller.table.match.resuming import cannot_go_on, latest_match, unreadable
from controller.table.process.housekeeping import journal_of, spool_of


def probe_journal(config: Config) -> Iterator[Finding]:
    """Yields how the journal is, and a line for each file of rulings that it does not have. Raises ConfigError for a
    damaged one."""
    path = journal_of(config)
    try:
        there = path.exists()
    except OSError as error:
        yield Finding("journal", "fail", f"{path}: {why_not(error)}. Fix: give the folder to the user who runs carrom")
        return
    for file in spool_of(config).files:
        yield from _waiting(file)
    if not there:
        yield Finding("journal", "ok", f"{path}: none yet; the first start makes it")
        return
    if not path.is_file():
        yield Finding("journal", "fail", f"{path}: is no file. Fix: move it away")
        return
    with Journal(path, read_only=True, untouched=True) as journal:
        names = journal.names()
        match, entries, _none = latest_match(journal, ())
        broken = unreadable(journal, match, entries)
        loss = Loss(path)
        loss.recall()
        says = loss.says or lost_since(journal) or (f"{path}: {cannot_go_on(match, entries, broken)}" if broken else "")
    if says:
        yield Finding("journal", "warn", says)
    else:
        yield Finding("journal", "ok", f"{path}: {len(names)} matches, whole")


def _waiting(file: Path) -> Iterator[Finding]:
    try:
        count = len(file.read_bytes().splitlines())
    except FileNotFoundError:
        return
    except OSError as error:
        yield Finding("journal", "fail", f"{file}: {why_not(error)}. Fix: let the user who runs carrom read it")
        return
    fix = "start the table: it puts in what follows on, and sets the rest aside"
    yield Finding("journal", "warn", f"{file}: {count} rulings were told and are not in the journal. Fix: {fix}")
