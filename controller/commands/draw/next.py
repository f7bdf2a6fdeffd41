"""`carrom draw next`: what comes after the results."""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.commands.draw.files import add_files, files_of, mistakes, write_fixtures
from controller.commands.draw.picture import sheet_pdf
from controller.commands.draw.wall import Wall
from controller.commands.written import write_whole
from controller.draws.making import ends_early, go_on, opened


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_files(parser, drawn=True)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the fixtures with what is new, CSV")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="the draw as it stands, PDF")


def run(args: argparse.Namespace) -> int:
    """Writes the fixtures with the next round, and says which matches can be played."""
    files = files_of(args)
    with mistakes(files.paths, files.text):
        matches = go_on(files.event, files.entries, files.matches, files.played)
        picture = sheet_pdf(Wall.of(files.event, files.entries, matches, files.played)) if args.sheet else b""
    write_fixtures(args.out, files.event, matches)
    if args.sheet:
        write_whole(args.sheet, picture)
    new = matches[len(files.matches) :]
    can_be_played = [*opened(files.matches, files.played), *opened(new, files.played)]
    if not new and ends_early(files.event, matches):
        print("no pairing is left in which nobody meets anybody twice: the event is over before its last round")
    print(f"{len(new)} new fixtures in {args.out}, {len(can_be_played)} matches can be played")
    for match in can_be_played:
        print(f"{match.id}: {' / '.join(match.south)} – {' / '.join(match.north)}")
    return 0
