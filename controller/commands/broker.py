"""`carrom broker`: from a list of tables and people, the files of the club's broker and of each table's own."""

from __future__ import annotations

import argparse
import os
import secrets
from pathlib import Path

from controller.events.doors import SETTINGS, text_of
from controller.events.errors import ConfigError, UnreadableError
from controller.mqtt.broker_files import File, club_files, table_files
from controller.mqtt.club import club_of

PASSWORDS = "passwords"
"""User and password on each line: the one place where they stand in the clear. Kept when the files are made again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.add_argument("list", type=Path, metavar="LIST", help="tables and people (TOML), as in docs/broker.md")
    parser.add_argument("--out", type=Path, default=Path("broker"), metavar="FOLDER")


def run(args: argparse.Namespace) -> int:
    """Writes the files; passwords made before are kept, new users get new ones, users that left lose theirs."""
    club = club_of(args.list)
    out: Path = args.out
    known = kept_passwords(out / PASSWORDS)
    passwords = {user: known.get(user) or secrets.token_urlsafe(16) for user in club.users}
    folders = {"club": club_files(club, passwords)}
    folders |= {f"tables/{table}": table_files(club, table, passwords) for table in club.tables}
    text = "".join(f"{user} {password}\n" for user, password in passwords.items())
    try:
        write(out / PASSWORDS, File(text, secret=True))
        for folder, files in folders.items():
            for name, file in files.items():
                write(out / folder / name, file)
    except OSError as error:
        raise ConfigError(f"{out}: cannot be written: {error}. Mend: name another folder with --out") from error
    print(f"wrote {', '.join(folders)} below {out}; everybody's password stands in {out / PASSWORDS}")
    print(f"on a table: sudo ./install --broker {out}/tables/ID; the club's: sudo ./install --hub --broker {out}/club")
    return 0


def kept_passwords(file: Path) -> dict[str, str]:
    """Returns the passwords made before, none if there is no such file. Raises ConfigError for one that is none."""
    if not file.exists():
        return {}
    try:
        return dict(line.split() for line in text_of(file, SETTINGS).splitlines())
    except (UnreadableError, ValueError) as error:
        raise ConfigError(f"{file}: is no list of passwords ({error}). Mend: remove it, new ones are made") from error


def write(path: Path, file: File) -> None:
    """Writes one file whole or not at all; a secret one is never readable by others, not for a moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if file.secret else 0o644)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(file.text)
    fresh.replace(path)
