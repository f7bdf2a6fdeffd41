"""A protest on one page of paper: what was ruled, by which clauses, who protests, what the file holds, whose key."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from datetime import datetime

from controller.commands.export.paper import BOTTOM, LEFT, RIGHT, Paper
from controller.commands.protest.gathered import Gathered
from controller.commands.protest.manifest import CLAUSES, CLIP, EVENTS

_STEP, _SIZE = 12.5, 9.0
_WIDE = 106
"""Letters of a line; what is wider in its script is cut at the margin."""
_ROOM = RIGHT - LEFT
_FOOT = BOTTOM - 60
"""Below it people sign."""
_MOST_CLAUSE_LINES, _MOST_MISSING, _MOST_PARTS = 14, 6, 11


def page_pdf(of: Gathered, program: str, fingerprint: str) -> bytes:
    """Returns the page. `program`: its version; `fingerprint`: of the key that signs the file."""
    at = datetime.fromtimestamp(of.ruled_unix).astimezone()
    final = of.told.result
    paper = Paper("Protest", f"table {final.table} · match {final.match} · {of.told.title}")
    paper.page()
    sides = " against ".join(" & ".join(side.players) for side in final.sides)
    _lines(paper, "", [sides, f"event {of.line.seq} ({of.line.event}), ruled on {at:%d %B %Y, %H:%M:%S}"])
    _lines(paper, "Ruling as it stands", [of.line.says, *_recorded(of)])
    _lines(paper, "Clauses", _clauses(of))
    head = of.chain.head or "none"
    signed = [f"Key: {fingerprint}", f"Chain: {head}", f"carrom {program}. Check the file: carrom protest check FILE"]
    _lines(paper, "Signed by the table", signed)
    _lines(paper, "In this file", _parts(of))
    _lines(paper, "Not in this file", _cut([f"{one.what}: {one.why}" for one in of.missing], _MOST_MISSING))
    wide = _ROOM / 2
    for number, (title, value) in enumerate((("protests", of.by), ("received by, on", ""))):
        x = LEFT + number * wide
        paper.words(x, BOTTOM - 4, value, wide - 20, size=10)
        paper.line(x, BOTTOM, x + wide - 20, BOTTOM)
        paper.words(x, BOTTOM + 11, title, wide - 20, size=8)
    return paper.bytes()


def _recorded(of: Gathered) -> list[str]:
    """What was ruled at once, where it is not what stands now."""
    at_once = [foul["clause"] for foul in of.ruled.get("fouls") or () if foul.get("status") == "ruled"]
    if tuple(at_once) == of.line.fouls and bool(of.ruled.get("void")) == of.line.void:
        return []
    return [f"At once: {', '.join(at_once) or 'no foul'}. It was changed since: see {EVENTS}."]


def _clauses(of: Gathered) -> list[str]:
    texts = ("; ".join(filter(None, (row["says"], row["then"], row["decided"]))) for row in of.clauses)
    lines = [
        line
        for row, text in zip(of.clauses, texts, strict=True)
        for line in textwrap.wrap(f"{row['id']}: {text}", _WIDE, subsequent_indent="    ")
    ]
    return _cut(lines or ["none"], _MOST_CLAUSE_LINES, f"all of them: {CLAUSES}")


def _parts(of: Gathered) -> list[str]:
    clip = [len(body) for name, body in of.parts.items() if name.startswith(f"{CLIP}/")]
    rest = [f"{name}: {len(body)} bytes" for name, body in of.parts.items() if not name.startswith(f"{CLIP}/")]
    return _cut([*rest, *([f"{CLIP}: {len(clip)} files, {sum(clip)} bytes"] if clip else [])], _MOST_PARTS)


def _cut(lines: Sequence[str], most: int, more: str = "all of them: manifest.json") -> list[str]:
    wrapped = [part for line in lines for part in textwrap.wrap(line, _WIDE, subsequent_indent="    ")]
    return wrapped if len(wrapped) <= most else [*wrapped[: most - 1], f"… {more}"]


def _lines(paper: Paper, title: str, lines: Iterable[str]) -> None:
    given = [part for line in lines for part in textwrap.wrap(line, _WIDE)]
    if not given:
        return
    if title:
        paper.y += 5
        paper.words(LEFT, paper.y, title, _ROOM, bold=True, size=10)
        paper.y += 13
    for line in given:
        if paper.y < _FOOT:
            paper.words(LEFT, paper.y, line, _ROOM, size=_SIZE)
            paper.y += _STEP
