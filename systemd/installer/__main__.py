"""The command line of `./install`. Exit code 0 if all is as it should be, 2 with one line if not."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from controller.events.errors import CarromError
from installer.layout import PROGRAM, Feature
from installer.machine import InstallError, Machine
from installer.removal import remove
from installer.steps import Installation, check_machine
from installer.versions import Versions


def main(argv: Sequence[str] | None = None) -> int:
    """Installs, upgrades or removes. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="install",
        description="Installs Carrom Umpire on Raspberry Pi OS or Debian 12 and newer; run again, it upgrades.",
    )
    parser.add_argument("--table", default="", metavar="ID", help="the table's id (a-z, 0-9, -)")
    parser.add_argument("--hub", action="store_true", help="this machine shows the club's page of many tables")
    parser.add_argument("--no-table", action="store_true", help="with --hub or --kiosk: no table hangs on this machine")
    parser.add_argument("--kiosk", action="store_true", help="the scoreboard on this machine's screen")
    parser.add_argument(
        "--page", default="", metavar="URL", help="with --kiosk: what it shows instead of this machine's"
    )
    parser.add_argument("--broker", type=Path, metavar="FOLDER", help="what `carrom broker` made for this machine")
    parser.add_argument("--wheels", default="", metavar="FOLDER", help="Python packages from here instead of the net")
    parser.add_argument("--yes", action="store_true", help="asks nothing, takes every default")
    parser.add_argument("--remove", action="store_true", help="takes off everything, settings and journal too")
    parser.add_argument("--keep", action="store_true", help="with --remove: leaves settings, passwords and journal")
    parser.add_argument("--back", action="store_true", help="the version before this one again; settings stay")
    parser.add_argument("--root", type=Path, metavar="FOLDER", help="makes the files below this folder; runs nothing")
    parser.add_argument("--program", default=PROGRAM, metavar="CARROM", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    try:
        return run(args)
    except (InstallError, CarromError) as error:
        print(f"install: {error}", file=sys.stderr)
    except OSError as error:
        print(f"install: {error}. Fix: check the path, its rights and the disk", file=sys.stderr)
    except KeyboardInterrupt:
        print("install: stopped. Run again it goes on; ./install --remove takes off what was made", file=sys.stderr)
        return 130
    return 2


def run(args: argparse.Namespace) -> int:
    """Does what was asked. Raises InstallError."""
    # Services' users read what is made here, whatever the shell that this was typed in keeps from others.
    os.umask(0o022)
    if args.table and not re.fullmatch(r"[a-z0-9-]+", args.table):
        raise InstallError(f"--table {args.table}: only a-z, 0-9 and -. Fix: choose another id")
    if args.page and not re.fullmatch(r"https?://[^\s\"'\\]+", args.page):
        raise InstallError(f"--page {args.page}: is no address. Fix: like http://table1.local:8080/")
    machine = Machine(args.root.resolve() if args.root else Path("/"), staged=args.root is not None)
    check_machine(machine)
    installation = Installation(machine, program=args.program, wheels=args.wheels)
    if args.back:
        machine.talk([str(machine.at(Versions(installation, "").back())), "--yes", *_same(args)])
        return 0
    if args.remove:
        remove(installation, keep=args.keep)
    else:
        features: set[Feature] = set()
        if args.hub:
            features.add("hub")
        if args.kiosk:
            features.add("kiosk")
        if not args.no_table or not features:
            features.add("table")
        ask = not args.yes and sys.stdin.isatty()
        installation.install(features, args.table, args.broker, ask=ask, page=args.page)
    if not machine.changed:
        print("everything is as it should be; nothing was changed")
    return 0


def _same(args: argparse.Namespace) -> list[str]:
    """The words with which another version's installer works on the same machine, in the same way."""
    told = {"--root": args.root, "--program": args.program if args.program != PROGRAM else "", "--wheels": args.wheels}
    return [word for option, value in told.items() if value for word in (option, str(value))]


if __name__ == "__main__":
    sys.exit(main())
