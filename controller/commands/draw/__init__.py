"""`carrom draw`: who plays whom, from a list of entries to the last table; without broker, hub or table.

Each word after it is a module beside this one with `add_arguments(parser)` and `run(args) -> int`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from types import ModuleType

from controller.commands.draw.files import FilesError

VERBS = {
    "make": "draws an event: its first fixtures",
    "next": "the next round, or what has opened",
    "table": "the standings with every tie-break's value",
    "check": "proves that a draw is right; shares no code with make and next",
}
"""What can be done, and what it is; a module each."""
MOST_SHOWN = 20
"""So many mistakes of some files are shown: who has more has one of them many times."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="|".join(VERBS))
    for name, says in VERBS.items():
        _module(name).add_arguments(verbs.add_parser(name, help=says, description=says))


def run(args: argparse.Namespace) -> int:
    """Does one of them. What is wrong with the files is reported all at once, a line each."""
    try:
        code: int = _module(args.verb).run(args)
    except FilesError as error:
        for line in error.lines[:MOST_SHOWN]:
            print(f"carrom draw: {line}", file=sys.stderr)
        if len(error.lines) > MOST_SHOWN:
            print(f"carrom draw: and {len(error.lines) - MOST_SHOWN} more", file=sys.stderr)
        return 2
    return code


def _module(verb: str) -> ModuleType:
    return importlib.import_module(f"controller.commands.draw.{verb}")
