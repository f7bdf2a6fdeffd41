"""The hash chain of a match: each entry is bound to all that were written before it. Pure.

An entry's line is what was written, as one line of JSON, byte for byte. SHA-256 of its salt and its line is the
`commitment`, SHA-256 of the hash before it and the commitment is its `hash`; salt and hashes as hexadecimal digits. The
salt is why nobody can try names until one fits where a commitment is shown and its line is not. Must not know SQLite,
nor who keeps the lines.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from controller.events.reading import FromJson, Whole

SALT_BYTES = 16
Row = tuple[str, int, float, str, str, str]
"""An entry as its row has it: match, seq, t_unix, source, event, ruling; the last two are JSON."""


@dataclass(frozen=True, slots=True)
class Link(FromJson):
    """An entry's place in the chain. `salt`: "" where the entry's line is not shown."""

    seq: Whole
    commitment: str
    hash: str
    salt: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """What a match's chain shows. `since`: the entry it begins at, None without a chain; `head`: its latest hash, ""
    without one; `interrupted`: later entries that have no place in it; `faults`: what does not hold, a line each."""

    since: int | None
    head: str
    interrupted: tuple[int, ...]
    faults: tuple[str, ...]


def line_of(row: Row) -> str:
    """Returns an entry's line, without its end."""
    match, seq, t_unix, source, event, ruling = row
    head = f'{{"match":{_text(match)},"seq":{seq},"t_unix":{json.dumps(t_unix)},"source":{_text(source)}'
    return f'{head},"event":{event},"ruling":{ruling}}}'


def link(before: str | None, row: Row) -> Link:
    """Returns the link of a new entry. `before`: the hash of the match's entry before it, None where that has none: a
    chain begins then."""
    salt = secrets.token_hex(SALT_BYTES)
    commitment = committed(salt, line_of(row))
    return Link(row[1], commitment, _linked(before, commitment), salt)


def committed(salt: str, line: str) -> str:
    """Returns the commitment of a line."""
    return _sha256(salt + line)


def examined(entries: Iterable[tuple[int, str, Link | None]]) -> Chain:
    """Follows the chain of a match: seq, line and link of each entry, in order. An entry before the first link is older
    than the chain; one without a link after it interrupts the chain, which begins anew behind it.

    Of a link without its salt only its place is examined, not what its entry holds.
    """
    since, head, before = None, "", None
    interrupted: list[int] = []
    faults: list[str] = []
    for seq, line, place in entries:
        if place is None:
            before = None
            if since is not None:
                interrupted.append(seq)
            continue
        if place.salt and committed(place.salt, line) != place.commitment:
            faults.append(f"event {seq} is not what was written when it was ruled")
        if _linked(before, place.commitment) != place.hash:
            faults.append(f"event {seq} does not follow on the event before it: one is changed, missing or added")
        since = seq if since is None else since
        head = before = place.hash
    return Chain(since, head, tuple(interrupted), tuple(faults))


def _linked(before: str | None, commitment: str) -> str:
    return _sha256((before or "") + commitment)


def _sha256(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
