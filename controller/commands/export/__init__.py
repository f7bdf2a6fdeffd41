"""`carrom export`: a recorded match as a score sheet, as figures, or as a result to send to a chat.

What is shown is what stands: corrections and answers have been taken in, strokes taken back are out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from controller.commands.export.card import result_png, result_text
from controller.commands.export.notation import as_notation
from controller.commands.export.report import Occasion, Report, report
from controller.commands.export.sheet import sheet_pdf
from controller.commands.recorded import add_journal_arguments, recorded, umpire_for
from controller.events import spreadsheet
from controller.events.doors import json_text, name_of
from controller.events.errors import ConfigError, DeviceError, UnreadableError
from controller.events.notation import ENDING
from controller.mqtt.payloads import plain

KEPT_IN_FILES = ("pdf", "png")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_journal_arguments(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--sheet", choices=["pdf"], help="the score sheet")
    what.add_argument("--csv", action="store_true", help="one line a stroke or call")
    what.add_argument(
        "--json", action="store_true", help="everything: result, boards, players' figures, events, rulings"
    )
    what.add_argument(
        "--notation", action="store_true", help="the match as it stands, as an open JSON document for other programs"
    )
    what.add_argument("--result", choices=["text", "png"], help="the result to send to a chat")
    parser.add_argument(
        "--competition", default="", metavar="NAME", help="the sheet's event; as said at the start if left out"
    )
    parser.add_argument("--round", default="", metavar="NAME", help="the sheet's round, likewise")
    parser.add_argument("--referee", default="", metavar="NAME", help="the sheet's referee, likewise")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to; texts go to standard output by default")


def run(args: argparse.Namespace) -> int:
    """Writes what was asked for."""
    (match,) = recorded(args, latest_only=True)
    said = Occasion(*(_name(args, one) for one in ("competition", "round", "referee")))
    told = report(match, umpire_for(match.entries, args.config), said)
    if told.note:
        print(f"carrom export: {told.note}", file=sys.stderr)
    if args.sheet:
        return _write(args.out, told, "pdf", sheet_pdf(told))
    if args.result == "png":
        return _write(args.out, told, "png", result_png(told))
    if args.result == "text":
        return _write(args.out, told, "txt", result_text(told).encode())
    if args.notation:
        return _write(args.out, told, ENDING, as_notation(told).encode())
    if args.csv:
        return _write(args.out, told, "csv", as_csv(told).encode())
    return _write(args.out, told, "json", as_json(told).encode())


def _name(args: argparse.Namespace, key: str) -> str:
    given: str = getattr(args, key)
    try:
        return name_of(given) if given else ""
    except UnreadableError as error:
        raise ConfigError(f"--{key}: {error}. Fix: shorten it to a name on one line") from error


def as_csv(told: Report) -> str:
    """One line an event, in order; spreadsheets open it as it is."""
    rows: list[dict[str, str | int]] = [
        {
            "seq": line.seq,
            "time": line.time,
            "board": line.board,
            "event": line.event,
            "seat": line.seat or "",
            "player": line.player,
            "pocketed": " ".join(line.pocketed),
            "off_board": " ".join(line.off_board),
            "fouls": " ".join(line.fouls),
            "returned": " ".join(line.returned),
            "dues": line.dues,
            "queen": line.queen,
            "turn": line.turn or "",
            **{f"score {side.name}": line.score.get(side.name, 0) for side in told.result.sides},
            "void": int(line.void),
            "says": line.says,
            "reason": line.reason,
        }
        for line in told.lines
    ]
    return spreadsheet.as_csv(list(rows[0]) if rows else [], rows)


def as_json(told: Report) -> str:
    """Everything that is known of the match."""
    body = {
        "title": told.title,
        "note": told.note,
        "result": plain(told.result),
        "occasion": plain(told.occasion),
        "boards": [plain(board) for board in told.boards],
        "players": [plain(player) for player in told.players],
        "events": [{"at": at, "event": event, "ruling": ruling} for at, event, ruling in told.history],
    }
    return json_text(body, indent=1) + "\n"


def _write(out: Path | None, told: Report, ending: str, body: bytes) -> int:
    if out is None and ending not in KEPT_IN_FILES:
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
        return 0
    path = out or Path(f"{told.result.match}.{ending}")
    try:
        path.write_bytes(body)
    except OSError as error:
        raise DeviceError(f"{path}: {error.strerror}. Fix: name a writable file with --out") from error
    print(path)
    return 0
