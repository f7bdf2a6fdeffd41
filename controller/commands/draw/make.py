"""`carrom draw make`: an event's first fixtures."""

from __future__ import annotations

import argparse
import secrets
from dataclasses import replace
from pathlib import Path

from controller.commands.draw.files import Files, FilesError, add_files, files_of, mistakes, write_fixtures
from controller.commands.draw.picture import sheet_pdf
from controller.commands.draw.wall import Wall
from controller.commands.written import write_whole
from controller.config import line_of
from controller.draws.making import make

SEEDS = 10**9
"""A seed that is drawn is below it: it can be read out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    add_files(parser, drawn=False)
    parser.add_argument(
        "--seed", type=int, metavar="N", help="of all lots; drawn and written to EVENT.toml if left out"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the fixtures, CSV")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="the draw to hang up, PDF")


def run(args: argparse.Namespace) -> int:
    """Draws the event and writes its fixtures; its seed, where it had none, stands in its file from then on."""
    files = files_of(args)
    seed = _seed(files, args.seed)
    event = replace(files.event, seed=seed)
    with mistakes(files.paths, files.text):
        matches = make(event, files.entries)
    picture = sheet_pdf(Wall.of(event, files.entries, matches)) if args.sheet else b""
    if files.event.seed is None:
        write_whole(args.event, f"seed = {seed}\n{files.text}".encode())
    write_fixtures(args.out, event, matches)
    if args.sheet:
        write_whole(args.sheet, picture)
    print(f"{len(matches)} fixtures in {args.out}, seed = {seed}")
    return 0


def _seed(files: Files, asked: int | None) -> int:
    kept = files.event.seed
    if asked is not None and asked < 0:
        raise FilesError([f"--seed {asked}: must be a whole number of at least 0. Fix: --seed {-asked}"])
    if kept is not None and asked not in (None, kept):
        line = line_of(files.text, ["seed"])
        raise FilesError([f"{files.paths.event}:{line}: seed = {kept}, --seed is {asked}. Fix: leave one out"])
    if kept is not None:
        return kept
    return secrets.randbelow(SEEDS) if asked is None else asked
