"""`carrom protest`: all that a table has about one ruling in one signed file, and what of such a file holds.

`carrom protest JOURNAL --stroke N` writes one. `carrom protest check FILE` examines one, on any machine. `carrom
protest key` prints what the table's key is known by. A journal with one of these two names is named with its folder.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller import __version__
from controller.commands.installed import add_config
from controller.commands.protest import manifest
from controller.commands.protest.archive import pack, unpack
from controller.commands.protest.check import about, findings
from controller.commands.protest.gathered import Asked, Gathered, gathered
from controller.commands.protest.key import KEY as KEY_FILE
from controller.commands.protest.key import expected, fingerprint, key_of, public_of, read_by_others
from controller.commands.protest.manifest import Manifest
from controller.commands.protest.page import page_pdf
from controller.commands.written import write_whole
from controller.config import load_config
from controller.events.doors import PROTEST, bytes_of, name_of, one_line
from controller.events.errors import ConfigError, UnreadableError
from controller.rules.shelf import shipped_digest

CHECK, KEY = "check", "key"
MINE = {CHECK: ("key",), KEY: ("config",), "": ("config", "match", "stroke", "by", "without_names", "out")}
"""Which options each form of the command takes; "": the one that writes a file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.usage = (
        "%(prog)s JOURNAL --stroke N [--match ID] [--by NAME] [--without-names] [--config FILE] [--out FILE]\n"
        "       %(prog)s check FILE [--key FINGERPRINT or FILE]\n"
        "       %(prog)s key [--config FILE or JOURNAL]"
    )
    parser.add_argument("what", metavar="JOURNAL", help="the file of [table] state, journal.sqlite; or check, or key")
    parser.add_argument("file", nargs="?", metavar="FILE", help="check: the protest's file; key: a journal")
    parser.add_argument("--match", metavar="ID", help="one match of the journal; the latest by default")
    parser.add_argument("--stroke", type=int, metavar="N", help="the number of the event whose ruling is protested")
    parser.add_argument("--by", metavar="NAME", help="who protests; to be written by hand if left out")
    parser.add_argument("--without-names", action="store_true", default=None, help="letters stand for people")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to; protest.zip by default")
    parser.add_argument(
        "--key", metavar="FINGERPRINT or FILE", help="check: what `carrom protest key` has printed at the table"
    )
    add_config(parser, "the table's configuration: where its key, clips and calibration are", required=False)


def run(args: argparse.Namespace) -> int:
    """Does one of the three."""
    form = args.what if args.what in (CHECK, KEY) else ""
    others = {option for options in MINE.values() for option in options} - {*MINE[form], "config"}
    if strange := sorted(one for one in others if getattr(args, one) is not None):
        says = f"carrom protest {form or 'JOURNAL'} takes no --{strange[0].replace('_', '-')}"
        raise ConfigError(f"{says}. Fix: carrom protest --help shows the three forms")
    if form == CHECK:
        return _check(args)
    if form == KEY:
        return _key(args)
    return _write(args)


def _check(args: argparse.Namespace) -> int:
    if args.file is None:
        raise ConfigError("which file is to be checked? Fix: carrom protest check protest.zip")
    key = None if args.key is None else expected(args.key)
    failed = False
    try:
        raw = bytes_of(args.file, PROTEST)
        found = list(findings(raw, key))
    except UnreadableError as error:
        raise ConfigError(f"{args.file}: {error}. Fix: name a file as carrom protest has written it") from error
    print(one_line(f"{args.file}: {about(unpack(raw)) or 'nobody can tell what it is about'}"))
    for one in found:
        failed |= one.state == "fail"
        print(one_line(f"{one.state:<5} {one.part}: {one.says}"))
    return 1 if failed else 0


def _key(args: argparse.Namespace) -> int:
    public = public_of(_signing(_state(args, args.file)))
    print(f"fingerprint {fingerprint(public)}\npublic key {public}")
    return 0


def _state(args: argparse.Namespace, journal: str | None) -> Path:
    """The table's folder: the configuration's, or where the journal lies."""
    if args.config is not None:
        return load_config(args.config).table.state
    if journal is None:
        raise ConfigError("whose key? Fix: name the table's configuration with --config, or its journal")
    return Path(journal).absolute().parent


def _signing(state: Path) -> Ed25519PrivateKey:
    key = key_of(state)
    if read_by_others(state):
        file = state / KEY_FILE
        print(
            f"carrom protest: {file}: others can read it, and sign as this table. Fix: chmod 600 {file}",
            file=sys.stderr,
        )
    return key


def _write(args: argparse.Namespace) -> int:
    if args.stroke is None:
        raise ConfigError("which ruling is protested? Fix: --stroke N, the event's number in `carrom journal show`")
    if args.file is not None:
        raise ConfigError(f"{args.file}: one journal is taken. Fix: name the file to write with --out")
    try:
        by = name_of(args.by or "")
    except UnreadableError as error:
        raise ConfigError(f"--by: {error}. Fix: shorten it to a name on one line") from error
    state = _state(args, args.what)
    config = None if args.config is None else load_config(args.config)
    asked = Asked(Path(args.what), args.match, args.stroke, by, bool(args.without_names), state, args.config, config)
    found = gathered(asked)
    key = _signing(state)
    mark = fingerprint(public_of(key))
    parts = {manifest.PAGE: page_pdf(found, __version__, mark), **found.parts}
    listed = manifest.manifest_text(_manifest(found, asked, parts))
    signature = manifest.signature_text(public_of(key), key.sign(listed).hex())
    out = args.out or Path("protest.zip")
    write_whole(out, pack({manifest.MANIFEST: listed, manifest.SIGNATURE: signature, **parts}))
    for one in found.missing:
        print(f"not all is in it: {one.what}: {one.why}")
    print(f"{out}: match {found.row.match}, event {asked.stroke}, {len(parts)} parts, signed by key {mark}")
    return 0


def _manifest(found: Gathered, asked: Asked, parts: Mapping[str, bytes]) -> Manifest:
    return Manifest(
        manifest.KIND,
        manifest.VERSION,
        found.row.match,
        asked.stroke,
        found.by,
        found.row.place,
        time.time(),
        found.ruled_unix,
        asked.names_left_out,
        __version__,
        found.journal_format,
        found.row.book,
        shipped_digest(),
        found.chain.since,
        found.chain.head,
        found.missing,
        tuple(manifest.part(path, body) for path, body in parts.items()),
    )
