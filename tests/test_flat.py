"""The long run's verdict finds what grows and lets pass what only swings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.soak.flat import Measured, verdicts

BOARDS = [Measured(n, 30 * n, 3.0 * n, 110.0, 39, 12, 0.09 * n, 0.0, 15.0, 11.0) for n in range(1, 101)]


def not_flat(boards: list[Measured]) -> list[str]:
    return [one.figure for one in verdicts(boards) if not one.flat]


def test_what_stays_is_flat() -> None:
    assert not_flat(BOARDS) == []


def test_memory_that_rises_to_a_plateau_is_flat() -> None:
    assert not_flat([replace(one, memory_mb=115 - 25 * 0.95**one.board) for one in BOARDS]) == []


@pytest.mark.parametrize(
    "boards", [range(100, 101), range(1, 50)], ids=["fills last", "is emptied in the second quarter"]
)
def test_a_journal_in_its_log_is_flat(boards: range) -> None:
    assert not_flat([replace(one, state_mb=one.state_mb + 3.9 * (one.board in boards)) for one in BOARDS]) == []


@pytest.mark.parametrize(
    ("name", "grows", "figure"),
    [
        ("memory_mb", 0.2, "resident memory, MB"),
        ("handles", 1, "open handles, most"),
        ("threads", 1, "threads, most"),
        ("runtime_mb", 0.1, "runtime folder, MB"),
        ("ruled_ms", 0.5, "stroke reported → ruling at an MQTT client, ms"),
        ("page_ms", 0.5, "a page's state, ms"),
    ],
)
def test_what_grows_with_every_board_is_not_flat(name: str, grows: float, figure: str) -> None:
    boards = [replace(one, **{name: getattr(one, name) + grows * one.board}) for one in BOARDS]
    assert not_flat(boards) == [figure]


def test_a_stroke_that_takes_ever_more_of_the_disk_is_not_flat() -> None:
    assert not_flat([replace(one, state_mb=0.01 * one.board**2) for one in BOARDS]) == ["state folder, kB a stroke"]


def test_a_verdict_says_its_values_and_its_rule() -> None:
    assert str(verdicts(BOARDS)[1]) == (
        "flat: open handles, most: 39 → 39 → 39 → 39 (rule: last quarter ≤ the second + 5)"
    )


def test_a_run_without_quarters_has_no_verdict() -> None:
    with pytest.raises(ValueError, match="7 boards"):
        verdicts(BOARDS[:7])
