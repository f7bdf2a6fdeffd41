"""Processes that die again and again in a match: the score is right all the same, nothing is lost or doubled.

CARROM_SOAK_KILLS: how often the eyes die (fifty by default).
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from controller.commands.demo.house import House
from controller.commands.demo.show import Show
from tests.e2e.conftest import InterruptedShow, perform

Houses = Callable[..., AbstractContextManager[House]]
KILLS = int(os.environ.get("CARROM_SOAK_KILLS", "50"))
DAEMON_KILLS = 10
BACK_S = 3.0
PATIENCE_S = 60.0
FIGURES = ("turn", "queen", "left", "in_hand", "owed", "score", "games")

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]


def until(holds: Callable[[], bool]) -> Iterator[None]:
    """Lets pictures go on until something holds."""
    patience = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < patience, f"it did not happen in {PATIENCE_S:.0f} s"
        yield


def truth_holds(stands: House, show: InterruptedShow) -> None:
    ruling = stands.official.state()["ruling"]
    assert {name: ruling[name] for name in FIGURES} == {name: show.truth[name] for name in FIGURES}


def test_eyes_that_die_fifty_times(house: Houses) -> None:
    """Between strokes; each time the table says so, is whole again, and the score is the truth's."""
    back: list[float] = []

    def kill(stands: House, show: Show) -> Iterator[None]:
        if len(back) == KILLS:
            return
        began = time.monotonic()
        stands.stage.kill("eyes")
        yield from until(lambda: stands.ears.armed != "armed")
        yield from until(lambda: stands.ears.armed == "armed")
        back.append(time.monotonic() - began)

    with house(seed=5, scenario="clean") as stands:
        show = perform(stands, shots=KILLS + 1, between=kill)
        truth_holds(stands, show)
        starts = stands.stage.children["eyes"].starts
    ordered = sorted(back)
    print(f"\neyes back after {ordered[len(back) // 2]:.2f} s median, {ordered[-1]:.2f} s worst of {len(back)}")
    print(f"{len(show.tally.strokes)} strokes, {show.tally.questions} questions, set right {show.tally.set_to_truth}")
    assert (len(back), starts) == (KILLS, KILLS + 1)
    assert show.tally.silent == 0


def test_a_daemon_that_is_killed_ten_times(house: Houses) -> None:
    back: list[float] = []

    def kill(stands: House, show: Show) -> Iterator[None]:
        if len(back) == DAEMON_KILLS:
            return
        before = stands.official.state()["ruling"]
        began = time.monotonic()
        stands.stage.kill("daemon")
        yield from until(lambda: not stands.ears.online)
        yield from until(lambda: stands.ears.online and stands.ears.armed == "armed")
        back.append(time.monotonic() - began)
        after = stands.official.state()["ruling"]
        assert {name: after[name] for name in FIGURES} == {name: before[name] for name in FIGURES}

    with house(seed=6, scenario="clean", http_port=8766) as stands:
        show = perform(stands, shots=DAEMON_KILLS + 2, between=kill)
        truth_holds(stands, show)
        journal = sqlite3.connect(stands.folder / "state" / "journal.sqlite")
        rows = journal.execute("SELECT match, seq, source FROM events ORDER BY id").fetchall()
        journal.close()
    ordered = sorted(back)
    print(f"\ndaemon back after {ordered[len(back) // 2]:.2f} s median, {ordered[-1]:.2f} s worst of {len(back)}")
    assert len({match for match, _, _ in rows}) == 1
    assert [seq for _, seq, _ in rows] == list(range(1, len(rows) + 1)), "nothing lost, nothing doubled"
    strokes = [source for _, _, source in rows if source.startswith("eyes@")]
    assert len(strokes) == len(set(strokes))
    assert show.tally.silent == 0
