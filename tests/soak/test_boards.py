"""A thousand boards at one daemon that is never started anew, with something going wrong all along.

Real: daemon, journal on the disk, mosquitto, serial line, pages; simulated: the board, the players, what good eyes
would say, and the umpire, who goes through the pages.

CARROM_SOAK_BOARDS: how many boards; CARROM_SOAK_SEED: which matches;
CARROM_SOAK_OUT: the folder that gets `boards.html` (curves) and `boards.json`, else `build/soak`.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.soak.boards import LongTable, Measured, as_json, troubles
from tests.soak.plots import page

BOARDS = int(os.environ.get("CARROM_SOAK_BOARDS", "1000"))
SEED = int(os.environ.get("CARROM_SOAK_SEED", "3"))
OUT = Path(os.environ.get("CARROM_SOAK_OUT", Path(__file__).parents[2] / "build" / "soak"))

MOST_MORE_MEMORY = 1.1
MOST_MORE_MB = 8.0
"""Freed memory in pieces: what Python's allocator and SQLite's cache make of a day, in other soaks 5 MB."""
MOST_MORE_HANDLES = 5
"""Pages and broker that are just coming back."""
MOST_SLOWER = 1.5
"""The machine has other things to do as well."""
MOST_DISK = 1.2
LOG_MB = 4.0
"""What SQLite keeps in its log before it writes it into the journal (1 000 pages): so much is now in one file, now in
both, or in none."""
MOST_MISSED = 0.01

CURVES: dict[str, Callable[[Measured], float]] = {
    "resident memory of the daemon, MB": lambda one: one.memory_mb,
    "open handles": lambda one: one.handles,
    "threads": lambda one: one.threads,
    "state folder, MB": lambda one: one.state_mb,
    "runtime folder, MB": lambda one: one.runtime_mb,
    "the eyes' word → ruling at an MQTT client, median of a board, ms": lambda one: one.ruled_ms,
    "a page's state, median of a board, ms": lambda one: one.page_ms,
}

pytestmark = [pytest.mark.soak, pytest.mark.timeout(4 * 3600)]


def middle(of: Callable[[Measured], float], boards: Sequence[Measured]) -> float:
    return statistics.median(of(one) for one in boards)


def grown(of: Callable[[Measured], float], boards: Sequence[Measured]) -> float:
    return of(boards[-1]) - of(boards[0])


def test_a_thousand_boards(tmp_path: Path) -> None:
    table = LongTable(tmp_path, SEED)
    try:
        with table.standing():
            table.play(BOARDS, troubles())
    finally:
        says = summary(table)
        OUT.mkdir(parents=True, exist_ok=True)
        curves = {name: [(one.board, of(one)) for one in table.measured] for name, of in CURVES.items()}
        (OUT / "boards.html").write_text(page("A thousand boards", says, curves, "boards"), encoding="utf-8")
        (OUT / "boards.json").write_text(as_json(table), encoding="utf-8")
        print("", *says, f"curves: {OUT / 'boards.html'}", sep="\n")

    assert table.daemon.returncode == 0
    assert "Traceback" not in (tmp_path / "daemon.log").read_text()
    with contextlib.closing(sqlite3.connect(table.journal)) as journal:
        assert journal.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        matches = journal.execute("SELECT match, count(*), max(seq) FROM events GROUP BY match").fetchall()
    assert len(matches) == table.counts.matches
    assert [name for name, count, last in matches if count != last] == [], "an event is missing or doubled"
    replay = [sys.executable, "-m", "controller.cli", "replay", str(table.journal)]
    assert subprocess.run(replay, check=False, capture_output=True).returncode == 0
    assert table.counts.missed <= MOST_MISSED * table.counts.strokes

    quarter = len(table.measured) // 4
    early, late = table.measured[quarter : 2 * quarter], table.measured[-quarter:]
    memory = [middle(lambda one: one.memory_mb, part) for part in (early, late)]
    assert memory[1] <= memory[0] * MOST_MORE_MEMORY + MOST_MORE_MB
    for name in ("handles", "threads"):
        assert max(getattr(one, name) for one in late) <= max(getattr(one, name) for one in early) + MOST_MORE_HANDLES
    for name in ("ruled_ms", "page_ms"):
        first, last = (middle(lambda one, name=name: getattr(one, name), part) for part in (early, late))
        assert last <= MOST_SLOWER * first, name
    # Boards are long or short; what a stroke takes stays the same.
    longer = grown(lambda one: one.strokes, late) / grown(lambda one: one.strokes, early)
    disk = [grown(lambda one: one.state_mb, part) for part in (early, late)]
    assert disk[1] <= MOST_DISK * longer * disk[0] + LOG_MB
    assert late[-1].runtime_mb <= early[0].runtime_mb + 1.0


def summary(table: LongTable) -> list[str]:
    """What happened, in lines."""
    boards, counts = table.measured, table.counts
    if len(boards) < 8:
        return [f"{len(boards)} boards only", str(counts)]
    quarters = [boards[part * len(boards) // 4 : (part + 1) * len(boards) // 4] for part in range(4)]
    lines = [
        f"{len(boards)} boards in {boards[-1].wall_s / 60:.0f} minutes: {counts.matches} matches, "
        f"{counts.strokes} strokes",
        f"{counts.answered} questions and flags answered, {counts.put_right} strokes put right, {counts.missed} missed",
        "went wrong: " + ", ".join(f"{name} {times}" for name, times in counts.faults.items()),
    ]
    for name, of in CURVES.items():
        lines.append(f"{name}: " + " → ".join(f"{middle(of, quarter):.3g}" for quarter in quarters))
    return lines
