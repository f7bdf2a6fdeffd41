"""Says by quarters of a long run whether the daemon stays as it is: memory, handles, threads, disk, latency.

Each figure is compared with an earlier quarter of the same run, not with a fixed limit: the machine may be any.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

FEWEST_BOARDS = 8
"""Two boards a quarter: from one alone nothing can be said."""
MOST_MORE_MEMORY = 1.03
"""Of the last quarter against the one before. A match is held whole, and what it leaves free stays with Python's
allocator in pieces: memory grows with the longest match so far, a leak grows in every quarter."""
MOST_MORE_HANDLES = 5
"""Pages and broker that are just coming back."""
MOST_SLOWER = 1.5
"""The machine has other things to do as well."""
MOST_DISK = 1.2
LOG_MB = 4.0
"""What SQLite keeps in its log before it writes it into the journal (1 000 pages): so much is now in one file, now in
both, or in none."""
MOST_RUNTIME_MB = 1.0


@dataclass(frozen=True)
class Measured:
    """How the daemon was when a board was over. `strokes`, `wall_s`: since the run began; `ruled_ms`, `page_ms`:
    medians of that board."""

    board: int
    strokes: int
    wall_s: float
    memory_mb: float
    handles: int
    threads: int
    state_mb: float
    runtime_mb: float
    ruled_ms: float
    page_ms: float


@dataclass(frozen=True)
class Verdict:
    """One figure: its value in each quarter, the rule that it is held to, and whether it is flat by that."""

    figure: str
    quarters: tuple[float, float, float, float]
    rule: str
    flat: bool

    def __str__(self) -> str:
        values = " → ".join(f"{value:.4g}" for value in self.quarters)
        return f"{'flat' if self.flat else 'NOT FLAT'}: {self.figure}: {values} (rule: {self.rule})"


def verdicts(boards: Sequence[Measured]) -> list[Verdict]:
    """Returns a verdict for each figure. Raises ValueError for fewer than eight boards."""
    if len(boards) < FEWEST_BOARDS:
        raise ValueError(f"{len(boards)} boards have no quarters; at least {FEWEST_BOARDS} are needed")
    parts = [boards[part * len(boards) // 4 : (part + 1) * len(boards) // 4] for part in range(4)]

    def by_quarter(of: Callable[[Sequence[Measured]], float]) -> tuple[float, float, float, float]:
        one, two, three, four = (of(part) for part in parts)
        return one, two, three, four

    memory = by_quarter(lambda part: statistics.median(one.memory_mb for one in part))
    rule = f"last quarter ≤ {MOST_MORE_MEMORY:g} × the third"
    found = [Verdict("resident memory, MB", memory, rule, memory[3] <= MOST_MORE_MEMORY * memory[2])]
    counts: dict[str, Callable[[Measured], float]] = {
        "open handles, most": lambda one: one.handles,
        "threads, most": lambda one: one.threads,
    }
    for name, count in counts.items():
        most = by_quarter(lambda part, count=count: max(map(count, part)))  # type: ignore[misc]
        rule = f"last quarter ≤ the second + {MOST_MORE_HANDLES}"
        found.append(Verdict(name, most, rule, most[3] <= most[1] + MOST_MORE_HANDLES))

    def disk_kb(part: Sequence[Measured]) -> float:
        # Boards are long or short; what a stroke takes stays the same.
        return (part[-1].state_mb - part[0].state_mb) * 1024 / max(1, part[-1].strokes - part[0].strokes)

    disk = by_quarter(disk_kb)
    log_kb = by_quarter(lambda part: LOG_MB * 1024 / max(1, part[-1].strokes - part[0].strokes))
    rule = f"last quarter ≤ {MOST_DISK:g} × the second, SQLite's log of {LOG_MB:g} MB aside in both"
    flat = disk[3] - log_kb[3] <= MOST_DISK * (disk[1] + log_kb[1])
    found.append(Verdict("state folder, kB a stroke", disk, rule, flat))
    runtime = by_quarter(lambda part: part[-1].runtime_mb)
    rule = f"last quarter ≤ the second + {MOST_RUNTIME_MB:g} MB"
    found.append(Verdict("runtime folder, MB", runtime, rule, runtime[3] <= runtime[1] + MOST_RUNTIME_MB))
    delays: dict[str, Callable[[Measured], float]] = {
        "stroke reported → ruling at an MQTT client, ms": lambda one: one.ruled_ms,
        "a page's state, ms": lambda one: one.page_ms,
    }
    for name, delay in delays.items():
        slow = by_quarter(lambda part, delay=delay: statistics.median(map(delay, part)))  # type: ignore[misc]
        rule = f"last quarter ≤ {MOST_SLOWER:g} × the second"
        found.append(Verdict(name, slow, rule, slow[3] <= MOST_SLOWER * slow[1]))
    return found
