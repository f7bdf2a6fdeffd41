"""The one entry point: `carrom COMMAND …`. Finds the command's module and turns our errors into one line.

Every command lives in `controller/commands/` with a `HELP` line, `add_arguments(parser)` and `run(args) -> int`.
They are imported only when called, so that `carrom rule` does not wait for OpenCV.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from controller import __version__
from controller.events.doors import one_line, why_not
from controller.events.errors import CarromError, ConfigError

COMMANDS = {
    "demo": "a whole table with no hardware: simulated board and camera through the real pipeline",
    "run": "the daemon on a real table",
    "eyes": "the eyes' process: capture and vision",
    "check": "finds what is wrong before play",
    "rule": "events in, rulings out (JSON lines)",
    "books": "rulebooks, their policy, their clauses",
    "calibrate": "camera calibration from pictures or live",
    "accept": "a table proves itself before a match: placements, coins, lamps; signed",
    "detect": "what lies where in a picture, one JSON line an image",
    "watch": "recorded video and beam log in, shots out",
    "pockets": "live view of the beams for wiring",
    "record": "records what `carrom watch` reads",
    "camera": "how high a camera hangs, how finely it sees, what grade that is",
    "init": "asks a few questions and writes a configuration",
    "support": "makes a support bundle without secrets",
    "journal": "matches of a journal: listed, shown, exported, pruned by policy",
    "replay": "re-rules a recorded match and compares",
    "export": "score sheet, statistics, a result to send to a chat",
    "protest": "a signed file about one ruling, and whether such a file holds",
    "agreement": "table and umpire side by side, and which clauses the table has earned",
    "statistics": "figures over matches, of the players who want them",
    "broker": "files of the brokers, from a list of tables and people",
    "league": "whether all nodes of a league's broker have kept the same",
    "hub": "the club's many tables on one page, the day's fixtures and results",
    "season": "the season's standings, from the results that the hub has kept",
    "draw": "who plays whom: an event's fixtures and standings, from its list of entries",
    "fixtures": "publishes the day's fixtures, a sheet or a round that SoL drew, to the tables",
    "sol": "the day's results in a tourney that SoL exported, for SoL to load",
}

LIBRARIES = {
    # One core is what a command may use; the others are for the rest of the table.
    "OMP_NUM_THREADS": "1",
    # What cannot be read we say ourselves, in one line with the way out.
    "OPENCV_LOG_LEVEL": "ERROR",
    "OPENCV_FFMPEG_LOGLEVEL": "-8",
}
"""What the libraries read from the environment when they are imported; an environment that says otherwise wins."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the words that were typed in one line, as all other errors."""

    def error(self, message: str) -> NoReturn:
        """Ends the command with exit code 2."""
        fix = f"{self.prog} --help shows what can be typed"
        if "--config" in message and "required" in message:
            made = "carrom.toml" if Path("carrom.toml").is_file() else "FILE; carrom init makes one"
            fix = f"--config {made}"
        self.exit(2, f"{self.prog}: {one_line(message)}. Fix: {fix}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns its exit code; 2 with one line on standard error for bad input of any kind, 1 where
    the daemon met with trouble that may pass."""
    words = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that this terminal cannot show must not end a command.
        sys.stdout.reconfigure(errors="backslashreplace")
    overview = _Parser(
        prog="carrom",
        description="Umpires and scores a carrom board.",
        epilog="\n".join(f"  {name:<10} {says}" for name, says in COMMANDS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    overview.add_argument("--version", action="version", version=f"carrom {__version__}")
    overview.add_argument("command", metavar="COMMAND")
    chosen = overview.parse_args(words[:1])
    if chosen.command not in COMMANDS:
        near = difflib.get_close_matches(chosen.command, COMMANDS, 1)
        fix = f"carrom {near[0]}" if near else "carrom --help lists them"
        return _refused(chosen.command, f"there is no such command. Fix: {fix}", 2)
    for name, value in LIBRARIES.items():
        os.environ.setdefault(name, value)
    module = importlib.import_module(f"controller.commands.{chosen.command}")
    parser = _Parser(prog=f"carrom {chosen.command}", description=COMMANDS[chosen.command])
    module.add_arguments(parser)
    try:
        _check(words)
        args = parser.parse_args(words[1:])
        code: int = module.run(args)
    except CarromError as error:
        return _refused(chosen.command, str(error), _code(chosen.command, error))
    except BrokenPipeError:
        # The reader went away (`carrom rule … | head`): nothing is wrong, and nobody is left to tell.
        sys.stderr.close()
        return 0
    except OSError as error:
        # What nobody nearer could name: a name of 300 characters, a folder without rights, a disk that is full.
        where = "" if error.filename is None else f"{error.filename}: "
        says = f"{where}{why_not(error)}. Fix: check the path, its rights and the disk"
        return _refused(chosen.command, says, _code(chosen.command, error))
    except KeyboardInterrupt:
        return 130
    return code


def _check(words: Sequence[str]) -> None:
    """Refuses what the libraries below cannot take: OpenCV crashes on such a name, an archive cannot hold it."""
    for word in words:
        try:
            word.encode("utf-8")
        except UnicodeEncodeError:
            raise ConfigError(f"{one_line(word)}: is no valid UTF-8. Fix: rename the file") from None


def _code(command: str, error: Exception) -> int:
    """The daemon is started anew after 1: a disk or a device may be there again. Only a wrong configuration is 2."""
    return 1 if command == "run" and isinstance(error, OSError) else 2


def _refused(command: str, says: str, code: int) -> int:
    print(f"carrom {command}: {one_line(says)}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
