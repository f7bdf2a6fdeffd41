"""`carrom draw table`: the standings, with the value of every tie-break."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.commands.draw.files import add_files, files_of, mistakes
from controller.commands.draw.picture import sheet_pdf
from controller.commands.draw.wall import Wall, figure
from controller.commands.written import write_whole
from controller.draws.event import Event
from controller.draws.standings import Place
from controller.draws.tables import tables
from controller.events.doors import json_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_files(parser, drawn=True)
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="the draw as it stands, PDF")


def run(args: argparse.Namespace) -> int:
    """Prints every table of the event."""
    files = files_of(args)
    with mistakes(files.paths, files.text):
        found = tables(files.event, files.entries, files.matches, files.played)
        if args.sheet:
            write_whole(args.sheet, sheet_pdf(Wall.of(files.event, files.entries, files.matches, files.played)))
    print(
        json_text(_as_json(files.event, found)) if args.json else "\n\n".join(_in_words(*one) for one in found.items())
    )
    return 0


def _as_json(event: Event, found: Mapping[str, Sequence[Place]]) -> dict[str, Any]:
    listed = [
        {
            "name": name,
            "rows": [
                {
                    "place": one.place or None,
                    "name": one.name,
                    "club": one.club,
                    "played": one.played,
                    "won": one.won,
                    "drawn": one.drawn,
                    "lost": one.lost,
                    "values": {key: one.values[key] for key in one.values},
                }
                for one in places
            ],
        }
        for name, places in found.items()
    ]
    return {"event": event.name, "system": event.system, "seed": event.lots, "order": [*event.order], "tables": listed}


def _in_words(name: str, places: Sequence[Place]) -> str:
    values = list(places[0].values) if places else []
    rows = [["", "name", "played", "won", "drawn", "lost", *values]]
    for one in places:
        counts = [str(one.played), str(one.won), str(one.drawn), str(one.lost)]
        rows.append([str(one.place or ""), one.name, *counts, *(figure(one.values[key]) for key in values)])
    wide = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(wide[at]) if at == 1 else cell.rjust(wide[at]) for at, cell in enumerate(row)).rstrip()
        for row in rows
    ]
    title = {"": [], "knockout": ["Knock-out"]}.get(name, [f"Group {name}"])
    return "\n".join([*title, *lines])
