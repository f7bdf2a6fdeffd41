"""Processes that die again and again in a match: the score is right all the same, nothing is lost or doubled.

CARROM_SOAK_KILLS: how often the eyes die (fifty by default), and as often the daemon; mixed with the broker, four times
as many processes. CARROM_SOAK_SEED: another order of the mixed ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from controller.commands.demo.house import House
from controller.simulator.happenings import BeamChange, Happening
from tests.e2e.interrupted import DaemonKiller, EyesKiller, figures, perform
from tests.e2e.test_kills import kill_all_kinds, nothing_is_lost_or_doubled, rows_of, score_of
from tests.mqtt.broker import free_port

Houses = Callable[..., AbstractContextManager[House]]
KILLS = int(os.environ.get("CARROM_SOAK_KILLS", "50"))
SEED = int(os.environ.get("CARROM_SOAK_SEED", "11"))
IN_EACH_PAUSE = 2

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]


def spread(back_s: list[float]) -> str:
    ordered = sorted(back_s)
    return f"{ordered[len(ordered) // 2]:.2f} s median, {ordered[-1]:.2f} s worst of {len(ordered)}"


def test_eyes_that_die_fifty_times(house: Houses) -> None:
    """Between strokes; each time the table says so, is whole again, and the score is the truth's."""
    kill = EyesKiller(KILLS, IN_EACH_PAUSE)
    with house(seed=5, scenario="clean") as stands:
        show = perform(stands, shots=-(-KILLS // IN_EACH_PAUSE) + 1, between=kill)
        state = stands.official.state()
        starts = stands.stage.children["eyes"].starts
        rows = rows_of(stands.folder)
    print(f"\neyes back after {spread(kill.back_s)}")
    print(f"{len(show.tally.strokes)} strokes, {show.tally.questions} questions, set right {show.tally.set_to_truth}")
    assert (len(kill.back_s), starts) == (KILLS, KILLS + 1)
    assert figures(state["ruling"]) == figures(show.truth)
    nothing_is_lost_or_doubled(rows, show)


def test_eyes_that_die_while_a_piece_falls(house: Houses) -> None:
    """What they did not see the beams felt, or is asked, or is noticed: the umpire has the score right at the end.

    In real time: at full speed the next strokes would be played while the eyes are still starting.
    """
    kills = max(2, KILLS // 5)
    with house(seed=8, scenario="clean", speed=1.0) as stands:
        killed: list[float] = []

        def at(happening: Happening) -> None:
            falls = isinstance(happening, BeamChange) and happening.blocked
            if falls and len(killed) < kills and stands.ears.armed == "armed":
                killed.append(happening.t_s)
                stands.stage.kill("eyes")

        show = perform(stands, shots=2 * kills, at=at)
        state = stands.official.state()
        rows = rows_of(stands.folder)
    tally = show.tally
    noticed = sum(stroke.noticed for stroke in tally.strokes)
    print(
        f"\n{len(killed)} kills while a piece fell, {len(tally.strokes)} strokes: {tally.questions} questions, ", end=""
    )
    print(f"{noticed} noticed, {tally.silent} silent, set right {tally.set_to_truth}")
    assert killed
    assert score_of(state) == show.truth["score"]
    assert [seq for _, seq, _, _ in rows] == list(range(1, len(rows) + 1))
    assert [stroke for stroke in (*tally.strokes, *tally.phantoms) if stroke.silent] == []


def test_a_daemon_that_is_killed_as_often(house: Houses) -> None:
    pauses = max(4, KILLS * 4 // 10)
    with house(seed=6, scenario="clean", http_port=free_port()) as stands:
        killer = DaemonKiller(stands, KILLS, pauses)
        show = perform(stands, shots=pauses + 1, between=killer.between, at=killer.at, missed_after_s=30)
        state = stands.official.state()
        rows = rows_of(stands.folder)
    moments = {moment: killer.moments.count(moment) for moment in dict.fromkeys(killer.moments)}
    print(f"\ndaemon back after {spread(killer.back_s)}; {moments}")
    assert len(killer.moments) == KILLS
    assert figures(state["ruling"]) == figures(show.truth)
    nothing_is_lost_or_doubled(rows, show)


def test_eyes_broker_and_daemon_that_are_killed_two_hundred_times(house: Houses, tmp_path: Path) -> None:
    """At random and often together, in matches of twelve strokes: what a restart breaks is most of all the break."""
    killed: list[tuple[str, tuple[str, ...]]] = []
    back_s: list[float] = []
    matches = 0
    while sum(len(victims) for _, victims in killed) < 4 * KILLS:
        killer = kill_all_kinds(house, 25, 12, SEED + matches, tmp_path / f"match-{matches}")
        killed += killer.killed
        back_s += killer.back_s
        matches += 1
        print(f"\nmatch {matches}: {killer.kills} kills, {killer.changes} edges, back after {spread(killer.back_s)}")
    moments = {moment: sum(len(victims) for at, victims in killed if at == moment) for moment, _ in killed}
    print(f"\nback after {spread(back_s)}; {matches} matches; {moments}")
