"""What a protest's file is made of: one match of a journal, and what the table has kept of one stroke.

Reads files and changes none. What cannot be had is named, with the reason: the file says itself what it lacks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from controller import rules
from controller.commands.acceptance import record
from controller.commands.check_acceptance import in_words
from controller.commands.export.report import Line, Report, report
from controller.commands.protest import manifest
from controller.commands.protest.archive import is_name
from controller.commands.protest.manifest import Missing
from controller.commands.protest.redaction import Redaction
from controller.commands.recorded import Recorded, umpire_for
from controller.config import Config
from controller.events.doors import CALIBRATION, CASE, RECORD, SETTINGS, bytes_of, json_object, json_text
from controller.events.errors import ConfigError, UnreadableError
from controller.journal import Journal, MatchRow
from controller.journal.chain import Chain, Link, examined, line_of
from controller.journal.journal import Chained, row_of
from controller.rules.book import Book
from controller.vision.calibration_file import before as calibration_before

PICTURE = ".jpg"

Found = tuple[dict[str, bytes], str, str]
"""Parts, what they are, and why some of it is missing; "" where nothing is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for. `state`: the table's folder; `config`: None where none was named."""

    journal: Path
    match: str | None
    stroke: int
    by: str
    names_left_out: bool
    state: Path
    config_file: Path | None
    config: Config | None


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a protest is made of. `parts`: all but the page, the list and the signature; `told`: the match as it stands;
    `line`: the stroke's line of it; `ruled`: the stroke's ruling as it was recorded; `by`: as it may be shown."""

    row: MatchRow
    by: str
    told: Report
    line: Line
    ruled: dict[str, Any]
    ruled_unix: float
    clauses: list[dict[str, Any]]
    chain: Chain
    journal_format: int
    parts: dict[str, bytes]
    missing: tuple[Missing, ...]


def gathered(asked: Asked) -> Gathered:
    """Gathers everything. Raises ConfigError for a journal, a match or a stroke that is not there."""
    row, written, felt, version = _read(asked)
    redaction = Redaction([one.entry for one in written], [asked.by]) if asked.names_left_out else None
    chain = examined((one.entry.seq, one.line, one.link) for one in written)
    shown = [one if redaction is None else _redacted(one, redaction) for one in written]
    entries = tuple(one.entry for one in shown)
    stroke = next(one for one in entries if one.seq == asked.stroke)
    umpire = umpire_for(entries, asked.config_file)
    told = report(Recorded(row, entries), umpire)
    line = next(one for one in told.lines if one.seq == asked.stroke)
    book = umpire.book()
    now = next((ruling for _at, _event, ruling in told.history if ruling.get("seq") == asked.stroke), stroke.ruling)
    clauses = clauses_of(book, [stroke.ruling, now])
    parts = {
        manifest.EVENTS: _jsonl(_line(one, redacted) for one, redacted in _with_marks(written, shown)),
        manifest.CHAIN: _jsonl(json_text(_link(one.link)) for one in shown if one.link is not None),
        manifest.CLAUSES: (json_text(clauses, indent=1) + "\n").encode(),
    }
    missing: list[Missing] = []
    for more, what, why in (
        *_unchained(chain, entries[0].seq),
        ({manifest.FELT: _jsonl(map(json_text, felt))}, "beams", "") if felt else ({}, "beams", "nothing was noted"),
        _clip(asked, row.match, redaction),
        _calibration(asked, stroke.t_unix),
        _acceptance(asked, stroke.t_unix),
        _house_book(asked, book, str(entries[0].event.get("book"))),
    ):
        parts |= more
        missing += [Missing(what, why if redaction is None else redaction.hidden(why))] if why else []
    by = asked.by if redaction is None else redaction.person(asked.by)
    return Gathered(row, by, told, line, stroke.ruling, stroke.t_unix, clauses, chain, version, parts, tuple(missing))


def clauses_of(book: Book | None, rulings: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the clauses that some rulings name, each with its text, in the book's order."""
    named = {clause for ruling in rulings for clause in _named(ruling)}
    kept = ("id", "kind", "says", "then", "decided", "steps")
    rows = rules.reference(book) if book is not None else []
    return [{key: row[key] for key in kept} for row in json.loads(json_text(rows)) if row["id"] in named]


def _named(ruling: dict[str, Any]) -> Iterator[str]:
    yield from ruling.get("cites") or ()
    yield from (foul["clause"] for foul in ruling.get("fouls") or ())
    for key in ("returned", "dues"):
        yield from (str(one.get("why")) for one in ruling.get(key) or ())
    yield str((ruling.get("board") or {}).get("why"))


def _read(asked: Asked) -> tuple[MatchRow, tuple[Chained, ...], tuple[dict[str, Any], ...], int]:
    with Journal(asked.journal, read_only=True) as journal:
        rows = {row.match: row for row in journal.matches()}
        name = asked.match or journal.latest_match()
        if name is None or name not in rows:
            known = ", ".join([*rows][-5:]) or "another journal: no match is recorded in this one"
            raise ConfigError(f"{asked.journal}: there is no match {name or ''}. Fix: one of {known}")
        written = journal.chained(name)
        numbers = [one.entry.seq for one in written]
        if asked.stroke not in numbers:
            raise ConfigError(
                f"{asked.journal}: match {name} has no event {asked.stroke}. Fix: one of {numbers[0]} to "
                f"{numbers[-1]}; `carrom journal show` names them"
            )
        struck = [one.entry.seq for one in written if one.entry.event.get("event") == "shot"]
        before = max((seq for seq in struck if seq < asked.stroke), default=numbers[0])
        return rows[name], written, journal.felt(name, before, asked.stroke), journal.format


def _unchained(chain: Chain, first: int) -> Iterator[Found]:
    if chain.since is None:
        yield {}, "chain", "there is none: the match was written by a carrom that kept none"
    elif chain.since != first:
        yield {}, "chain", f"it begins at event {chain.since}: what is before was written by a carrom that kept none"
    for seq in chain.interrupted:
        yield {}, "chain", f"event {seq} is not in it: it was written by a program that keeps none"
    for fault in chain.faults:
        yield {}, "chain", fault


# events ---------------------------------------------------------------------------------------------------------------


def _redacted(one: Chained, redaction: Redaction) -> Chained:
    entry = redaction.entry(one.entry)
    if entry == one.entry:
        return one
    return Chained(entry, line_of(row_of(entry)), one.link and replace(one.link, salt=""))


def _with_marks(written: Sequence[Chained], shown: Sequence[Chained]) -> Iterator[tuple[Chained, bool]]:
    return ((now, now is not then) for then, now in zip(written, shown, strict=True))


def _line(one: Chained, redacted: bool) -> str:
    return f'{one.line[:-1]},"redacted":true}}' if redacted else one.line


def _link(link: Link) -> dict[str, Any]:
    return {key: value for key, value in asdict(link).items() if value != ""}


def _jsonl(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


# files ----------------------------------------------------------------------------------------------------------------


def _clip(asked: Asked, match: str, redaction: Redaction | None) -> Found:
    if asked.config is None:
        return {}, manifest.CLIP, "no configuration was named, which says where clips are kept"
    folder = asked.config.evidence.folder
    if folder is None:
        return {}, manifest.CLIP, "[evidence] names no folder: clips are kept in the table's memory alone"
    place = folder / f"{match}-{asked.stroke}"
    if not place.is_dir():
        return {}, manifest.CLIP, f"none is kept of this stroke in {folder}: it was not asked about, or is too old"
    parts, left = {}, []
    for file in sorted(place.iterdir()):
        name = f"{manifest.CLIP}/{file.name}"
        try:
            if not is_name(name):
                raise UnreadableError("has a name that is none of the table's")
            body = bytes_of(file, CASE)
            parts[name] = body if redaction is None or file.suffix == PICTURE else _text(body, redaction)
        except UnreadableError as error:
            left.append(f"{file.name} {error}")
    return parts, manifest.CLIP, "; ".join(left)


def _text(body: bytes, redaction: Redaction) -> bytes:
    """A JSON object, or one a line, without names."""
    try:
        return (json_text(redaction.hidden(json_object(body, CASE))) + "\n").encode()
    except UnreadableError:
        lines = body.decode("utf-8", "replace").removesuffix("\n").split("\n")
        return _jsonl(json_text(redaction.hidden(json_object(line, RECORD))) for line in lines)


def _calibration(asked: Asked, ruled_unix: float) -> Found:
    now = asked.config.camera.calibration if asked.config else asked.state / manifest.CALIBRATION
    there = [file for file in (now, calibration_before(now)) if file.is_file()]
    then = [file for file in there if file.stat().st_mtime <= ruled_unix]
    if not there:
        return {}, manifest.CALIBRATION, f"there is none at {now}"
    try:
        body = {manifest.CALIBRATION: bytes_of((then or there)[0], CALIBRATION)}
    except UnreadableError as error:
        return {}, manifest.CALIBRATION, f"{(then or there)[0]}: {error}"
    return body, manifest.CALIBRATION, "" if then else "it was written after the stroke; the one before is not kept"


def _acceptance(asked: Asked, ruled_unix: float) -> Found:
    state = asked.config.table.state if asked.config else asked.state
    try:
        file = record.latest(state, ruled_unix)
        if file is None:
            return {}, manifest.ACCEPTANCE, "the table had not proved itself before the stroke"
        parts = {manifest.ACCEPTANCE: bytes_of(file, RECORD)}
        made = record.read(file, state)
        if (page := file.with_suffix(".pdf")).is_file():
            parts[manifest.CERTIFICATE] = bytes_of(page, RECORD)
    except (ConfigError, UnreadableError, OSError) as error:
        return {}, manifest.ACCEPTANCE, str(error)
    return parts, manifest.ACCEPTANCE, _doubts(made, ruled_unix)


def _doubts(made: record.Record, ruled_unix: float) -> str:
    day, then = (datetime.fromtimestamp(at).date() for at in (ruled_unix, made.circumstances.at))
    other = "" if day == then else f"none was made that day; the latest before: {in_words(made)}"
    signed = {True: "", False: "its signature is not the table's", None: "its signature was not tried"}[made.signed]
    return "; ".join(filter(None, (other, signed)))


def _house_book(asked: Asked, book: Book | None, named: str) -> Found:
    if book is None or not book.house:
        return {}, manifest.BOOK, ""
    file = named if asked.config is None or named.endswith(".toml") else asked.config.match.book
    return {manifest.BOOK: bytes_of(file, SETTINGS)}, manifest.BOOK, ""
