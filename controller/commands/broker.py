"""`carrom broker`: from a list of tables and people, the files of the club's broker and of each table's own.

With `--cluster`: from a league's list, those of its three nodes and of each venue's bridge to them.
"""

from __future__ import annotations

import argparse
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from controller.events.doors import SETTINGS, text_of
from controller.events.errors import ConfigError, UnreadableError
from controller.mqtt.broker_files import File, club_files, table_files
from controller.mqtt.club import club_of, league_of
from controller.mqtt.league_files import NODE_TO_NODE, node_files, venue_files

PASSWORDS = "passwords"
"""User and password on each line: the one place where they stand in the clear. Kept when the files are made again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("list", type=Path, metavar="LIST", help="tables and people (TOML), as in docs/broker.md")
    parser.add_argument(
        "--cluster", action="store_true", help="LIST is a league's: three nodes and venues, as in docs/league.md"
    )
    parser.add_argument("--out", type=Path, default=Path("broker"), metavar="FOLDER")


def run(args: argparse.Namespace) -> int:
    """Writes the files; passwords made before are kept, new users get new ones, users that left lose theirs."""
    out: Path = args.out
    passwords, folders = (_league if args.cluster else _club)(args.list, kept_passwords(out / PASSWORDS))
    text = "".join(f"{user} {password}\n" for user, password in passwords.items())
    try:
        write(out / PASSWORDS, File(text, secret=True))
        for folder, files in folders.items():
            for name, file in files.items():
                write(out / folder / name, file)
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written: {error}. Fix: name another folder with --out") from error
    print(f"wrote {', '.join(folders)} below {out}; everybody's password stands in {out / PASSWORDS}")
    if args.cluster:
        print(f"on a node: sudo sh {out}/nodes/NODE/install.sh; a venue's bridge goes into what its own list made")
    else:
        print(f"a table: sudo ./install --broker {out}/tables/ID; the club: sudo ./install --hub --broker {out}/club")
    return 0


def _club(path: Path, known: Mapping[str, str]) -> tuple[dict[str, str], dict[str, dict[str, File]]]:
    club = club_of(path)
    passwords = _passwords(club.users, known)
    folders = {"club": club_files(club, passwords)}
    return passwords, folders | {f"tables/{table}": table_files(club, table, passwords) for table in club.tables}


def _league(path: Path, known: Mapping[str, str]) -> tuple[dict[str, str], dict[str, dict[str, File]]]:
    league = league_of(path)
    passwords = _passwords((*league.users, NODE_TO_NODE), known)
    folders = {f"nodes/{node}": node_files(league, node, passwords) for node in league.nodes}
    return passwords, folders | {f"venues/{one.name}": venue_files(league, one, passwords) for one in league.venues}


def _passwords(users: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    return {user: known.get(user) or secrets.token_urlsafe(16) for user in users}


def kept_passwords(file: Path) -> dict[str, str]:
    """Returns the passwords made before, none if there is no such file. Raises ConfigError for one that is none."""
    if not file.exists():
        return {}
    try:
        return dict(line.split() for line in text_of(file, SETTINGS).splitlines())
    except (UnreadableError, ValueError) as error:
        raise ConfigError(f"{file}: is no list of passwords ({error}). Fix: remove it, new ones are made") from error


def write(path: Path, file: File) -> None:
    """Writes one file whole or not at all; a secret one is never readable by others, not for a moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if file.secret else 0o644)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(file.text)
    fresh.replace(path)
