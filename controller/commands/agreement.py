"""`carrom agreement`: table and umpire side by side over a journal's matches, and which clauses the table has earned.

Made from what was played: nothing is kept for it but the journal itself.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from controller import rules
from controller.commands.recorded import Recorded, add_journal_arguments, recorded, umpire_for
from controller.config import load_config
from controller.events.codec import ruling_to_json
from controller.rules.book import Book
from controller.table.match.agreement import (
    Agreement,
    Share,
    Stroke,
    agreement,
    asked_by,
    broken_by,
    raised_by,
    to_promote,
)
from controller.table.match.ruled_match import Taken
from controller.table.match.ruled_strokes import is_read_from_edges
from controller.table.match.umpire import Umpire


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_journal_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for machines")


def run(args: argparse.Namespace) -> int:
    """Prints the report."""
    strokes: list[Stroke] = []
    levels: dict[str, str] = {}
    for match in recorded(args, latest_only=False):
        umpire = umpire_for(match.entries, args.config)
        strokes += _strokes(match, umpire)
        book = umpire.book()
        levels |= (
            {} if book is None else {one.id: one.autonomy for one in book.clauses.values() if _watched(one.id, book)}
        )
    found = agreement(strokes, levels)
    promoted = to_promote(found, levels)
    if args.json:
        print(json.dumps(asdict(found) | {"promote": list(promoted)}, ensure_ascii=False))
        return 0
    folder = load_config(args.config).evidence.folder if args.config is not None else None
    for line in _report(found, promoted, levels, folder):
        print(line)
    return 0


def _watched(clause: str, book: Book) -> bool:
    """Whether the table raises this clause by itself at all, at a cost."""
    one = book.clauses[clause]
    return bool(one.flags or one.detects) and one.autonomy != "off" and one.consequence != "none"


def _strokes(match: Recorded, umpire: Umpire) -> Iterator[Stroke]:
    """The strokes that vision reported, as the table ruled them at once and as they stand."""
    at_once, corrected = {}, set()
    for entry in match.entries:
        taken = umpire.take_again(entry.event)
        if not isinstance(taken, Taken):
            break
        if entry.event["event"] == "shot" and is_read_from_edges(entry.source, entry.event):
            at_once[taken.seq] = taken.ruling
        if entry.event["event"] == "correct" and not is_read_from_edges(entry.source, entry.event):
            corrected.add(entry.event.get("seq"))
    book = umpire.book()
    silent = {one.id for one in book.clauses.values() if one.consequence == "none"} if book else set()
    for _event, standing in rules.rulings(umpire.state):
        now = ruling_to_json(standing)
        # A stroke that was taken back has no verdict.
        if now["seq"] in at_once and not now["void"]:
            raised = raised_by(at_once[now["seq"]], silent)
            yield Stroke(match.row.match, now["seq"], raised, broken_by(now), asked_by(now), now["seq"] in corrected)


def _report(found: Agreement, promoted: Sequence[str], levels: dict[str, str], folder: Path | None) -> Iterator[str]:
    yield f"strokes left as the table read them: {_share(found.strokes)}"
    for one in found.clauses:
        level = levels.get(one.clause, "?")
        yield (
            f"{one.clause} ({level}): raised {one.raised.of}, the umpire agreed with {_share(one.raised)}; "
            f"called by the umpire alone {one.missed}"
        )
    for differs in found.differences:
        what = "the stroke was another" if differs.clause is None else f"{differs.clause}, the {differs.who} alone"
        yield f"differs: match {differs.match}, event {differs.seq}: {what}{_clip(folder, differs.match, differs.seq)}"
    if promoted:
        yield "proposed for [match.autonomy], each with 95 % and more at the lower end of its interval:"
        yield from (f'"{clause}" = "rule"' for clause in promoted)
    else:
        yield "no clause is proposed: none has 95 % at the lower end of its interval (73 of 73 are the fewest)"


def _share(share: Share) -> str:
    low, high = share.interval
    return f"{share.agreed} of {share.of} (95 %: {low:.0%} to {high:.0%})"


def _clip(folder: Path | None, match: str, seq: int) -> str:
    place = None if folder is None else folder / f"{match}-{seq}"
    return f"; clip {place}" if place is not None and place.is_dir() else "; no clip"
