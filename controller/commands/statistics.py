"""`carrom statistics`: players' figures over the matches of a journal.

What share of strokes pockets, how breaks go, where strokes begin and end.

Only who stands in `[statistics] players` is counted, and matches older than `days` are not. Nothing is kept: the
figures are reckoned from the journal each time, so that a name taken off the list is gone from them at once.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import floor
from pathlib import Path
from typing import Any

from controller.commands.export.report import Report, report
from controller.commands.recorded import add_journal_arguments, recorded, umpire_for
from controller.config import load_config
from controller.events.doors import name_key
from controller.events.errors import ConfigError, DeviceError
from controller.mqtt.payloads import to_json

CELL_MM = 30
"""A heat map's squares: about a coin's width, finer than any player repeats a stroke."""
DAY_S = 86_400.0

Cell = tuple[int, int]


@dataclass(slots=True)
class Figures:
    """One player's. `pocketing`: strokes in which a piece fell and no foul stood; `placements`, `ends`: how often the
    striker was placed, and a piece lay after an own stroke, in each square (column, row from the centre)."""

    matches: int = 0
    strokes: int = 0
    pocketing: int = 0
    breaks: int = 0
    breaks_pocketing: int = 0
    placements: Counter[Cell] = field(default_factory=Counter)
    ends: Counter[Cell] = field(default_factory=Counter)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_journal_arguments(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to; standard output if left out")


def run(args: argparse.Namespace) -> int:
    """Writes the figures of everybody who wants them, as JSON."""
    if args.config is None:
        raise ConfigError("carrom statistics needs --config: who is counted stands in its [statistics]. Fix: name it")
    wanted = load_config(args.config).statistics
    if not wanted.players:
        raise ConfigError(f"{args.config}: statistics.players is empty. Fix: name who wants to be counted")
    since = time.time() - wanted.days * DAY_S
    matches = [match for match in recorded(args, latest_only=False) if match.entries[0].t_unix >= since]
    told = [report(match, umpire_for(match.entries, args.config)) for match in matches]
    body = to_json(plain(figures(told, wanted.players), wanted.days))
    if args.out is None:
        sys.stdout.write(body.decode() + "\n")
        return 0
    try:
        args.out.write_bytes(body + b"\n")
    except OSError as error:
        raise DeviceError(f"{args.out}: cannot be written: {error.strerror}. Fix: name another file") from error
    return 0


def figures(matches: Iterable[Report], players: Iterable[str]) -> dict[str, Figures]:
    """Counts the wanted players' strokes and nobody else's; strokes taken back and of trial boards are left out."""
    names = {name_key(player): player for player in players}
    found = {player: Figures() for player in names.values()}
    for match in matches:
        for key in names.keys() & {name_key(one.player) for one in match.players}:
            found[names[key]].matches += 1
        # A board is under way only where a match was taken over in the middle of one.
        under_way = bool((match.history[0][1].get("position") or {}).get("break_done"))
        trial = False
        for line, (_at, event, ruling) in zip(match.lines, match.history, strict=True):
            if line.event in ("trial", "play"):
                trial = line.event == "trial"
            if line.event != "shot" or line.void or trial:
                continue
            is_break, under_way = not under_way, not (ruling.get("board") or {}).get("over")
            if (player := names.get(name_key(line.player))) is not None:
                _count(found[player], event, bool(line.fouls), is_break)
    return found


def plain(found: Mapping[str, Figures], days: int) -> dict[str, Any]:
    """The figures as JSON values; a share is null where nothing was played."""
    return {
        "days": days,
        "cell_mm": CELL_MM,
        "players": [
            {
                "player": name,
                "matches": one.matches,
                "strokes": one.strokes,
                "pocketing_share": _share(one.pocketing, one.strokes),
                "breaks": one.breaks,
                "break_success": _share(one.breaks_pocketing, one.breaks),
                "placements": _map(one.placements),
                "ends": _map(one.ends),
            }
            for name, one in found.items()
        ],
    }


def _count(mine: Figures, event: Mapping[str, Any], fouled: bool, is_break: bool) -> None:
    fell = any(one["piece"] != "striker" for one in event.get("pocketed") or ()) and not fouled
    mine.strokes += 1
    mine.pocketing += fell
    mine.breaks += is_break
    mine.breaks_pocketing += is_break and fell
    placed = event.get("placement") or {}
    if "x" in placed and "y" in placed:
        mine.placements[_cell(placed)] += 1
    mine.ends.update(_cell(piece) for piece in event.get("rest") or ())


def _cell(at: Mapping[str, Any]) -> Cell:
    return floor(at["x"] / CELL_MM), floor(at["y"] / CELL_MM)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _map(cells: Counter[Cell]) -> list[dict[str, float]]:
    """Squares by their centres in millimetres, the fullest first."""
    return [
        {"x": (column + 0.5) * CELL_MM, "y": (row + 0.5) * CELL_MM, "count": count}
        for (column, row), count in sorted(cells.items(), key=lambda one: (-one[1], one[0]))
    ]
