"""A table with a match, clips, calibration and acceptance, and protests of it."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from controller.cli import main
from controller.commands.acceptance import record
from controller.commands.acceptance.verdict import Verdict
from controller.commands.protest.archive import pack, unpack
from controller.commands.protest.check import findings
from controller.events.beams import BeamEdge
from controller.journal import Journal
from controller.journal.journal import Noted
from controller.rules.shelf import load_books
from controller.table.evidence.store import Bundle, EvidenceShelf
from controller.table.match.ruled_match import Taken
from controller.table.match.umpire import Umpire
from controller.vision.ring import Picture

NAMES = ("Asha Patil", "Bén (2)", "चित्रा")
BEGAN = 1_790_000_000.0
STROKE = 4
EVENTS = [
    {
        "event": "start",
        "book": "icf",
        "seats": {"south": NAMES[0], "north": NAMES[1]},
        "first": "south",
        "policy": {"points": 5, "games": 1},
        "position": {"left": {"white": 2, "black": 3}, "break_done": True, "queen": "covered", "queen_side": "south"},
        "competition": f"{NAMES[0]} Cup",
        "referee": NAMES[2],
    },
    {"event": "shot", "seat": "south", "t": 5.0, "pocketed": [{"piece": "white", "pocket": "NE"}]},
    {"event": "call", "clause": "icf-30", "seat": "south", "reason": f"{NAMES[0]} pushed"},
    {"event": "shot", "seat": "north", "t": 15.0, "placement": {"lines": "one"}},
    {"event": "pause"},
]


def written(path: Path, events: list[dict], books=None, place: str = "hall-2") -> None:
    """Plays events into a journal, with what the table notes beside them."""
    umpire = Umpire(books or load_books())
    with Journal(path, place=place) as journal:
        for number, event in enumerate(events, 1):
            journal.store_edges([BeamEdge(number, "NE", "upper", True, "b1", number, 900, number)])
            taken = umpire.take(event)
            assert isinstance(taken, Taken), taken
            noted = Noted("taken" if number > 1 else "began", "clock", number, number)
            journal.append("m-1", taken.seq, taken.event, taken.ruling, BEGAN + 10 * number, "eyes", noted)


def table(folder: Path) -> Path:
    """Makes a table; returns its configuration."""
    state, evidence = folder / "state", folder / "evidence"
    written(state / "journal.sqlite", EVENTS)
    pictures = [Picture(number, number, 1, bytes([0xFF, 0xD8, number])) for number in range(7, 10)]
    shelf = EvidenceShelf({one.number: one for one in pictures}.get, evidence, 10**6)
    before = "".join(json.dumps(event) + "\n" for event in EVENTS[:3])
    case = json.dumps({"before": EVENTS[:3], "says": f"{NAMES[1]} to play"})
    shelf.keep(
        Bundle(f"m-1-{STROKE}", 7, 9, {"placed": 7}, {"start.jsonl": lambda _: before, "case.json": lambda _: case})
    )
    calibration = folder / "calibration.json"
    calibration.write_text('{"grade": "match"}')
    os.utime(calibration, (BEGAN, BEGAN))
    here = record.Circumstances(
        "t7", "", "0.1.0", BEGAN, 540.0, record.digest_of(calibration), "match", "match", 1.41, 200.0, (41.3,), 0.64
    )
    record.written(state, here, {}, Verdict("match", True, (), (), 80, 0.2, 0.1))
    record.written(state, replace(here, at=BEGAN + 1000), {}, Verdict("basic", False, (), (), 80, 9.2, 9.1))
    config = folder / "carrom.toml"
    config.write_text(
        f'[table]\nid = "t7"\nstate = "{state}"\nruntime = "{folder}"\n[mqtt]\nenabled = false\n'
        f'[evidence]\nfolder = "{evidence}"\n[camera]\ncalibration = "{calibration}"\n'
    )
    return config


def protest(config: Path, out: Path, *more: str) -> dict[str, bytes]:
    """Writes a protest of the table's; returns its parts."""
    journal = config.parent / "state" / "journal.sqlite"
    words = ["protest", str(journal), "--config", str(config), "--stroke", str(STROKE), "--out", str(out), *more]
    assert main(words) == 0
    return unpack(out.read_bytes())


def found(raw: bytes, key: str | None = None) -> list[tuple[str, str]]:
    """State and part of each line about a file."""
    return [(one.state, one.part) for one in findings(raw, key)]


def failed(parts: dict[str, bytes], key: str | None = None) -> set[str]:
    """The parts that do not hold."""
    return {part for state, part in found(pack(parts), key) if state == "fail"}


def first_fault(raw: bytes, key: str) -> str:
    """What is found first that does not hold; "" where all does."""
    return next((one.says for one in findings(raw, key) if one.state == "fail"), "")
