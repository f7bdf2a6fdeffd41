"""Examines a protest's file, byte by byte, without the table. Pure.

Each byte of the file is a part's or follows from the parts; each part is on the list, and the list is signed. Then what
the parts say is examined: the chain of the events, and what this program rules on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from pydantic import TypeAdapter

from controller import __version__
from controller.commands.findings import Finding
from controller.commands.protest import manifest
from controller.commands.protest.archive import pack, unpack
from controller.commands.protest.gathered import clauses_of
from controller.commands.protest.key import fingerprint, is_signed
from controller.commands.protest.manifest import Manifest
from controller.commands.protest.redaction import without_sentences
from controller.commands.recorded import difference_in_words, ruled_again
from controller.events.doors import RECORD, SETTINGS, json_object, json_value
from controller.events.errors import CarromError, UnreadableError
from controller.events.reading import read
from controller.journal import Entry
from controller.journal.chain import Link, examined
from controller.rules.book import Book
from controller.rules.shelf import house_book, load_books, shipped_digest
from controller.table.match.umpire import Umpire

_ENTRY = TypeAdapter(Entry)
_LINK = TypeAdapter(Link)
_MOST_NAMED = 20
"""So many numbers of events stand in one line."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the events: its text, what it holds, and whether names are left out of it."""

    text: str
    entry: Entry
    redacted: bool


def findings(raw: bytes, key: str | None) -> Iterator[Finding]:
    """Yields what holds of a file and what does not (`fail`), a line each. `key`: the fingerprint that somebody has
    written down, None where nobody did.

    Raises UnreadableError, before the first line, for what is no file of `carrom protest`, or holds what none can.
    """
    parts = unpack(raw)
    if not {manifest.MANIFEST, manifest.SIGNATURE} & parts.keys():
        raise UnreadableError("is no file of carrom protest")
    return _findings(raw, parts, key)


def _findings(raw: bytes, parts: Mapping[str, bytes], key: str | None) -> Iterator[Finding]:
    yield _signature(parts, key)
    try:
        listed = manifest.read_manifest(parts.get(manifest.MANIFEST, b""))
    except CarromError as error:
        yield Finding(manifest.MANIFEST, "fail", f"{error}; what is in the file cannot be compared with it")
        return
    yield from _parts(raw, parts, listed)
    try:
        lines = tuple(_lines(parts.get(manifest.EVENTS, b""), listed))
        links = tuple(_links(parts.get(manifest.CHAIN, b"")))
    except CarromError as error:
        yield Finding("events", "fail", str(error))
        return
    yield from _chain(lines, links, listed)
    yield from _rulings(lines, parts, listed)
    yield from (Finding(one.what, "warn", f"not all is here: {one.why}") for one in listed.missing)


def about(parts: Mapping[str, bytes]) -> str:
    """Returns what a protest says that it is about, in words; "" where it cannot be read."""
    try:
        listed = manifest.read_manifest(parts.get(manifest.MANIFEST, b""))
        made = datetime.fromtimestamp(listed.made_unix).astimezone()
    except (CarromError, ValueError, OSError, OverflowError):
        return ""
    who = f", protested by {listed.by}" if listed.by else ""
    return (
        f"match {listed.match} at table {listed.table}, event {listed.stroke}{who}; made on {made:%d %B %Y, %H:%M} by "
        f"carrom {listed.program}"
    )


def _signature(parts: Mapping[str, bytes], key: str | None) -> Finding:
    try:
        public, signature = manifest.read_signature(parts.get(manifest.SIGNATURE, b""))
    except UnreadableError as error:
        return Finding(manifest.SIGNATURE, "fail", str(error))
    if not is_signed(parts.get(manifest.MANIFEST, b""), public, signature):
        return Finding("signature", "fail", f"{manifest.MANIFEST} is not what the key has signed, or is another's")
    mark = fingerprint(public)
    if key is None:
        says = f"signed by key {mark}; nobody has given this check a key to compare. Fix: --key with what was noted"
        return Finding("signature", "warn", says)
    if key != mark:
        return Finding("signature", "fail", f"signed by key {mark}, not by the key {key}")
    return Finding("signature", "ok", f"signed by key {mark}, which is the one that was given")


# the parts ------------------------------------------------------------------------------------------------------------


def _parts(raw: bytes, parts: Mapping[str, bytes], listed: Manifest) -> Iterator[Finding]:
    whole: dict[str, list[int]] = {}
    failed = False
    for one in listed.parts:
        body = parts.get(one.path)
        if body is not None and manifest.part(one.path, body) == one:
            whole.setdefault(one.path.partition("/")[0], []).append(one.size)
            continue
        failed = True
        yield Finding(one.path, "fail", "is missing" if body is None else "is not what was signed: it was changed")
    due = [manifest.MANIFEST, manifest.SIGNATURE, *(one.path for one in listed.parts)]
    for name in parts.keys() - set(due):
        failed = True
        yield Finding(name, "fail", "was added: it is not on the list that was signed")
    if not failed and (list(parts) != due or pack(parts) != raw):
        yield Finding("archive", "fail", "something was changed around the parts; each part is as it was signed")
    for name, sizes in whole.items():
        files = f"{len(sizes)} files, " if len(sizes) > 1 else ""
        yield Finding(name, "ok", f"{files}{sum(sizes)} bytes, as signed")


# what they say --------------------------------------------------------------------------------------------------------


def _lines(raw: bytes, listed: Manifest) -> Iterator[_Line]:
    for number, text in enumerate(_texts(raw), 1):
        try:
            body = json_object(text, RECORD)
            redacted = body.pop("redacted", False) is True
            entry = read(_ENTRY, body)
            if entry.match != listed.match:
                raise UnreadableError(f"is of another match, {entry.match}")
        except CarromError as error:
            raise UnreadableError(f"{manifest.EVENTS}: line {number} {error}") from error
        yield _Line(text, entry, redacted)


def _links(raw: bytes) -> Iterator[Link]:
    for number, text in enumerate(_texts(raw), 1):
        try:
            yield read(_LINK, json_object(text, RECORD))
        except CarromError as error:
            raise UnreadableError(f"{manifest.CHAIN}: line {number} {error}") from error


def _texts(raw: bytes) -> list[str]:
    return raw.decode("utf-8", "replace").removesuffix("\n").split("\n") if raw else []


def _chain(lines: Sequence[_Line], links: Sequence[Link], listed: Manifest) -> Iterator[Finding]:
    by_seq = {one.seq: one for one in links}
    numbers = [one.entry.seq for one in lines]
    found = examined((one.entry.seq, one.text, by_seq.get(one.entry.seq)) for one in lines)
    faults = [*found.faults]
    faults += [f"event {then} stands after event {now}" for now, then in pairwise(numbers) if then <= now]
    faults += [f"event {one} has a place in the chain and is missing" for one in by_seq.keys() - set(numbers)]
    faults += ["an event has two places in the chain"] if len(by_seq) != len(links) else []
    unsalted = [one.entry.seq for one in lines if not one.redacted and not by_seq.get(one.entry.seq, _SALTED).salt]
    faults += [f"event {one} has no salt, and no names are left out of it" for one in unsalted]
    if (found.since, found.head) != (listed.chain_since, listed.chain_head):
        faults.append("it begins or ends elsewhere than the list says")
    yield from (Finding("chain", "fail", fault) for fault in faults)
    if faults or found.since is None:
        return
    since = "" if found.since == numbers[0] else f"from event {found.since} on; "
    yield Finding("chain", "ok", f"{since}{len(links)} of {len(lines)} events, each follows on the one before")
    if hidden := [one.entry.seq for one in lines if one.redacted]:
        says = (
            f"names are left out of {_numbered(hidden)}: their places in the chain hold, what was in them is not shown"
        )
        yield Finding("chain", "warn", says)


_SALTED = Link(0, "", "", "salted")
"""Stands for an event without a place in the chain, which needs no salt."""


def _numbered(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - _MOST_NAMED} more" if len(numbers) > _MOST_NAMED else ""
    return f"event{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:_MOST_NAMED]))}{more}"


def _rulings(lines: Sequence[_Line], parts: Mapping[str, bytes], listed: Manifest) -> Iterator[Finding]:
    entries = [one.entry for one in lines]
    try:
        umpire = Umpire(_books(parts, listed))
    except CarromError as error:
        yield Finding(manifest.BOOK, "fail", str(error))
        return
    same_books = listed.books_sha256 == shipped_digest()
    if not same_books:
        says = f"made with other rulebooks (carrom {listed.program}) than this carrom {__version__} has"
        yield Finding(
            "rulebooks", "warn", f"{says}: what it rules otherwise may be for that. Fix: check with that carrom"
        )
    found = ruled_again(entries, umpire, without_sentences if listed.names_left_out else lambda ruling: ruling)
    yield from (Finding("rulings", "fail", difference_in_words(one)) for one in found.differences)
    if found.refused:
        yield Finding("rulings", "fail", found.refused)
    if found.same:
        yield Finding("rulings", "ok", f"{found.count} events ruled again, the same rulings")
    at_once = [one.ruling for one in entries if one.seq == listed.stroke]
    if not at_once:
        yield Finding("events", "fail", f"event {listed.stroke}, which is protested, is missing")
    elif found.same and same_books:
        yield from _clauses(umpire, at_once, parts, listed)


def _books(parts: Mapping[str, bytes], listed: Manifest) -> dict[str, Book]:
    books = load_books()
    if (text := parts.get(manifest.BOOK)) is not None:
        if len(text) > SETTINGS.size:
            raise UnreadableError(f"is too long; at most {SETTINGS.size} bytes are taken")
        book = house_book(text.decode("utf-8", "replace"), manifest.BOOK)
        books |= {listed.book: book, book.id: book}
    return books


def _clauses(
    umpire: Umpire, at_once: list[dict[str, Any]], parts: Mapping[str, bytes], listed: Manifest
) -> Iterator[Finding]:
    now = [ruling for ruling in umpire.rulings() if ruling.get("seq") == listed.stroke]
    due = clauses_of(umpire.book(), [*at_once, *now])
    try:
        says = json_value(parts.get(manifest.CLAUSES, b""), RECORD)
    except UnreadableError:
        says = None
    if says != due:
        yield Finding(manifest.CLAUSES, "fail", "are not the clauses that the ruling names, in this carrom's words")
