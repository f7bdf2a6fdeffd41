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
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.soak.boards import LongTable, as_json, troubles
from tests.soak.flat import FEWEST_BOARDS, Measured, verdicts
from tests.soak.plots import page

BOARDS = int(os.environ.get("CARROM_SOAK_BOARDS", "1000"))
SEED = int(os.environ.get("CARROM_SOAK_SEED", "3"))
OUT = Path(os.environ.get("CARROM_SOAK_OUT", Path(__file__).parents[2] / "build" / "soak"))

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

    assert [str(one) for one in verdicts(table.measured) if not one.flat] == []


def summary(table: LongTable) -> list[str]:
    """What happened, in lines."""
    boards, counts = table.measured, table.counts
    if len(boards) < FEWEST_BOARDS:
        return [f"{len(boards)} boards only", str(counts)]
    per_hour = 3600 * len(boards) / boards[-1].wall_s
    return [
        f"{len(boards)} boards in {boards[-1].wall_s / 60:.0f} minutes, {per_hour:.0f} an hour: "
        f"{counts.matches} matches, {counts.strokes} strokes",
        f"{counts.answered} questions and flags answered, {counts.put_right} strokes put right, {counts.missed} missed",
        "went wrong: " + ", ".join(f"{name} {times}" for name, times in counts.faults.items()),
        *map(str, verdicts(boards)),
        *table.misses,
    ]
