"""What is kept of one stroke: pictures, what was measured, and what `carrom watch` needs to read it again. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from controller.events.beams import BeamEdge
from controller.shots.outputs import Evidence
from controller.table.evidence.case import Case, case_text
from controller.table.evidence.store import Bundle, Kept

CASE = "case.json"
BEFORE_NS = 500_000_000
AFTER_NS = 1_000_000_000
"""Edges from this much before the stroke to this much after it belong to its trace."""

LEAD_PICTURES = 15
"""Pictures of rest before the flick: a second of a clip as it is shown."""


def bundle_of(
    key: str, evidence: Evidence, edges: Iterable[BeamEdge], before: Sequence[Any], case: Case | None = None
) -> Bundle | None:
    """Returns what is to be kept, None where there are no pictures. `before`: the match's events before the stroke;
    `case`: the stroke as it can be read again without pictures.
    """
    placed, first, last = evidence.pictures
    there = [number for number in evidence.pictures if number is not None]
    if not there:
        return None
    since, until = evidence.clip_ns or (0, 0)
    near = [edge for edge in edges if since - BEFORE_NS <= edge.t_ns <= until + AFTER_NS]
    facts = {
        "placed": placed,
        "before": first,
        "after": last,
        "began": None if evidence.began_ns is None else _seconds(evidence.began_ns, since),
        "clearances": [
            {
                "fact": one.fact,
                "margin_mm": round(one.margin_mm, 2),
                "u95_mm": round(one.u95_mm, 2),
                "in_order": one.in_order,
                "says": one.says,
            }
            for one in evidence.clearances
        ],
        "striker": None
        if evidence.striker is None
        else dict(zip(("seat", "x", "y", "u95_mm"), evidence.striker, strict=True)),
        "notes": list(evidence.notes),
        "sources": dict(evidence.sources),
        "beams": [_edge(edge, since) for edge in near],
        "passages": passages_of(evidence, since),
        "grade": evidence.grade,
        "frames": evidence.frames,
        "lost_frames": evidence.lost_frames,
    }
    return Bundle(
        key,
        min(there),
        max(there),
        facts,
        {
            "beams.jsonl": lambda began_ns: _lines(_edge(edge, began_ns) for edge in near),
            "start.jsonl": lambda _began_ns: _lines(before),
            **({} if case is None else {CASE: lambda _began_ns: case_text(case)}),
        },
        rest=first,
        zero_ns=since if evidence.clip_ns else None,
    )


def passages_of(evidence: Evidence, since: int) -> list[dict[str, Any]]:
    """What was felt in the pockets: when (seconds since that ns), by which beams, and what it was taken for."""
    return [
        {"pocket": one.pocket, "t": _seconds(one.t_ns, since), "beams": list(one.beams), "taken_for": one.taken_for}
        for one in evidence.pulses
    ]


def look_of(kept: Kept) -> dict[str, Any]:
    """Returns what there is for a second look at a kept stroke; seconds count from one zero.

    `pictures`: `[number, seconds]`, no seconds where an earlier version kept it; `every`: of so many one was kept;
    `began`: the first motion; `beams`: `{pocket, beam, since, until}`, `until` None where one was still blocked. The
    rest as the facts have it.
    """
    facts = kept.facts
    times = facts.get("times") or [None] * len(kept.pictures)
    pictures = [[number, t] for number, t in zip(kept.pictures, times, strict=False)]
    names = ("began", "placed", "before", "view", "drawing", "clearances", "passages", "frames", "lost_frames", "notes")
    shown = {name: facts.get(name) for name in names}
    return {"pictures": pictures, "every": facts.get("every", 1), "beams": _spans(facts.get("beams") or ()), **shown}


def _spans(edges: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """From blocked to clear, each beam for itself."""
    found: list[dict[str, Any]] = []
    blocked: dict[tuple[str, str], dict[str, Any]] = {}
    for edge in edges:
        key = (edge["pocket"], edge["beam"])
        if edge["blocked"] and key not in blocked:
            blocked[key] = {"pocket": key[0], "beam": key[1], "since": edge["t"], "until": None}
            found.append(blocked[key])
        elif not edge["blocked"] and key in blocked:
            blocked.pop(key)["until"] = edge["t"]
    return found


def clip_of(kept: Kept, most: int) -> tuple[int, int] | None:
    """Returns the first and last number of the pictures that make a kept stroke's clip, at most so many apart."""
    return _clip(kept.pictures, kept.facts.get("before"), most)


def clip_of_reading(evidence: Evidence, most: int) -> tuple[int, int] | None:
    """Returns the same of a stroke that was just read, whether or not anything of it is kept."""
    there = sorted(number for number in evidence.pictures if number is not None)
    return _clip(there, evidence.pictures[1], most) if len(there) > 1 else None


def _clip(pictures: Sequence[int], before: Any, most: int) -> tuple[int, int] | None:
    """`before`: the last picture of rest. The striker may have lain there for long before it was struck: the clip
    begins a little before motion does."""
    if not pictures:
        return None
    first, last = pictures[0], pictures[-1]
    if isinstance(before, int) and first < before < last:
        first = max(first, before - LEAD_PICTURES)
    return max(first, last - most + 1), last


def shown_picture(kept: Kept) -> int | None:
    """Returns the number of the picture that shows the placement, or the last one there is."""
    placed = kept.facts.get("placed")
    if placed in kept.pictures:
        return int(placed)
    return kept.pictures[-1] if kept.pictures else None


def _edge(edge: BeamEdge, zero_ns: int) -> dict[str, Any]:
    t = _seconds(edge.t_ns, zero_ns)
    return {"t": t, "pocket": edge.pocket, "beam": edge.beam, "blocked": edge.blocked}


def _seconds(t_ns: int, zero_ns: int) -> float:
    return round((t_ns - zero_ns) / 1e9, 6)


def _lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
