"""`carrom sol`: the day's results written into a tourney that SoL has exported."""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path

from controller.commands.sheets import archive_at, results_at
from controller.commands.written import write_whole
from controller.events.errors import ConfigError
from controller.hub.sol_filled import fill

ENDINGS = (".sol", ".sol.gz")
"""SoL loads no file with another."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the tourney as SoL exports it (.sol, .sol.gz)")
    parser.add_argument("results", type=Path, metavar="RESULTS", help="the hub's /day/results.sol")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="for SoL to load, .sol or .sol.gz")


def run(args: argparse.Namespace) -> int:
    """Writes the archive with the results. Raises ConfigError where none of them is of one of its matches."""
    if not args.out.name.endswith(ENDINGS):
        raise ConfigError(f"--out {args.out}: SoL would not load it. Fix: name a file that ends with .sol.gz")
    if args.out.resolve() == args.archive.resolve():
        raise ConfigError(f"--out {args.out}: is what SoL exported. Fix: name another file, and keep that one")
    filled = fill(archive_at(args.archive), results_at(args.results), str(args.archive))
    for note in filled.notes:
        print(f"note: {note}", file=sys.stderr)
    if not filled.written:
        raise ConfigError(
            f"{args.results}: has no result for a match of {args.archive} that has none. Fix: download the hub's "
            "/day/results.sol when a match of that round is over"
        )
    body = filled.text.encode()
    write_whole(args.out, gzip.compress(body, mtime=0) if args.out.suffix == ".gz" else body)
    print(f"{filled.written} results in {args.out}; matches without one: {filled.open}")
    return 0
