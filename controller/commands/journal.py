"""`carrom journal`: the matches of a journal, listed, shown, exported, and moved out of it by policy or by name.

The rulings of a match are `carrom replay`'s, its sheets `carrom export`'s; here a journal is handled as a whole.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from controller.commands.export import as_csv, as_json
from controller.commands.export.card import result_text
from controller.commands.export.notation import as_notation
from controller.commands.export.report import Report, report
from controller.commands.export.sheet import sheet_pdf
from controller.commands.installed import add_config
from controller.commands.recorded import recorded, umpire_for
from controller.config import Config, load_config
from controller.events.errors import ConfigError, DeviceError
from controller.events.notation import ENDING
from controller.journal import Journal, MatchRow
from controller.journal.pruning import due, extract, move_out
from controller.table.process.housekeeping import archive_of, journal_of

FORMS: dict[str, Callable[[Report], bytes]] = {
    "pdf": sheet_pdf,
    "csv": lambda told: as_csv(told).encode(),
    "json": lambda told: as_json(told).encode(),
    ENDING: lambda told: as_notation(told).encode(),
    "txt": lambda told: result_text(told).encode(),
}
"""Ending → what is written; `sqlite` is a journal of its own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("action", choices=["list", "show", "export", "prune"])
    parser.add_argument(
        "journal", nargs="?", type=Path, metavar="JOURNAL", help="journal.sqlite; the configuration's if left out"
    )
    add_config(parser, "the table's configuration", required=False)
    parser.add_argument("--match", metavar="ID", help="one match: to show (default: the latest), to export, to prune")
    parser.add_argument("--json", action="store_true", help="list, show: a JSON line each")
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="export: where to, a file a match")
    parser.add_argument("--as", dest="form", choices=["sqlite", *FORMS], default="sqlite", help="export: which kind")
    parser.add_argument("--days", type=int, metavar="N", help="prune: instead of [journal] keep_days")
    parser.add_argument("--forget", action="store_true", help="prune: delete for good, with no archive and no copy")
    parser.add_argument("--dry-run", action="store_true", help="prune: only say which matches would go")


def run(args: argparse.Namespace) -> int:
    """Does one of the four."""
    config = load_config(args.config) if args.config is not None else None
    if args.action == "prune":
        return _prune(args, config)
    if args.journal is None:
        if config is None:
            raise ConfigError("which journal? Fix: name its file, or the table's configuration with --config")
        args.journal = journal_of(config)
    return {"list": _list, "show": _show, "export": _export}[args.action](args)


def _list(args: argparse.Namespace) -> int:
    with Journal(args.journal, read_only=True) as journal:
        rows, moved = journal.matches(), journal.moved()
    if args.json:
        for row in rows:
            print(json.dumps(asdict(row), ensure_ascii=False))
        return 0
    for row in rows:
        print(_in_words(row))
    if not rows:
        print("no match is recorded")
    for gone in moved:
        where = f"moved into {gone.archive}" if gone.archive else "deleted for good"
        print(f"{gone.match}  {where} on {_day(gone.t_unix)}")
    return 0


def _in_words(row: MatchRow) -> str:
    score = ", ".join(f"{side} {points}" for side, points in row.score.items())
    games = " : ".join(map(str, row.games.values())) if sum(row.games.values()) > 1 else ""
    how = " ".join(filter(None, (score, f"games {games}" if games else "", "(over)" if row.over else "(not over)")))
    return "  ".join(
        (row.match, _minute(row.began), f"{row.book:<8}", " / ".join(row.seats.values()), how, f"{row.events} events")
    )


def _show(args: argparse.Namespace) -> int:
    (match,) = recorded(args, latest_only=True)
    told = report(match, umpire_for(match.entries, args.config))
    if args.json:
        for at, event, ruling in told.history:
            print(json.dumps({"at": at, "event": event, "ruling": ruling}, ensure_ascii=False))
        return 0
    print(_in_words(match.row))
    if told.note:
        print(told.note)
    for line in told.lines:
        when = datetime.fromisoformat(line.time).astimezone()
        void = "  (taken back)" if line.void else ""
        print(
            f"{line.seq:>5}  {when:%H:%M:%S}  board {line.board}  {line.event:<10} {line.player:<12} {line.says}{void}"
        )
    return 0


def _export(args: argparse.Namespace) -> int:
    if args.to is None:
        raise ConfigError("carrom journal export needs a folder. Fix: name it with --to")
    for match in recorded(args, latest_only=False):
        file = args.to / f"{quote(match.row.match, safe=' ')}.{args.form}"
        if args.form == "sqlite":
            extract(args.journal, match.row.match, file)
        else:
            body = FORMS[args.form](report(match, umpire_for(match.entries, args.config)))
            try:
                args.to.mkdir(parents=True, exist_ok=True)
                file.write_bytes(body)
            except OSError as error:
                raise DeviceError(f"{file}: {error.strerror}. Fix: name a writable folder with --to") from error
        print(file)
    return 0


def _prune(args: argparse.Namespace, config: Config | None) -> int:
    if config is None:
        raise ConfigError(
            "carrom journal prune needs --config: policy and archive stand in its [journal]. Fix: name it"
        )
    path, now = args.journal or journal_of(config), time.time()
    days = config.journal.keep_days if args.days is None else args.days
    if args.match is None and args.days is not None and days <= 0:
        raise ConfigError(f"--days {days}: fewer than one day is no age. Fix: say --days 1 or more, or --match ID")
    if args.match is None and days <= 0:
        raise ConfigError(
            f"{args.config}: journal.keep_days keeps every match. Fix: set it, or say --days N or --match ID"
        )
    with Journal(path, read_only=args.dry_run, place=config.table.id) as journal:
        rows = {row.match: row for row in journal.matches()}
        names = (args.match,) if args.match is not None else due(tuple(rows.values()), now, days)
        into = None if args.forget else archive_of(config)
        if not args.dry_run:
            names = move_out(journal, names, into, now).matches
    verb = "would go" if args.dry_run else "deleted for good" if into is None else f"moved into {into}"
    for name in names:
        print(f"{_in_words(rows[name]) if name in rows else name}: {verb}")
    if not names:
        print(f"no match is older than {days} days, besides the two latest")
    return 0


def _minute(unix: float) -> str:
    return f"{datetime.fromtimestamp(unix).astimezone():%Y-%m-%d %H:%M}"


def _day(unix: float) -> str:
    return f"{datetime.fromtimestamp(unix).astimezone():%Y-%m-%d}"
