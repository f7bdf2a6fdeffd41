"""Processes that die again and again in a match: the score is right all the same, nothing is lost or doubled.

CARROM_SOAK_KILLS: how often the eyes die (fifty by default), and as often the daemon; mixed with the broker, four times
as many processes. CARROM_SOAK_SEED: another order of the mixed ones.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.commands.demo import show as show_of_strokes
from controller.commands.demo.house import House
from controller.simulator.happenings import BeamChange, Decision, Happening
from tests.e2e.interrupted import DaemonKiller, EyesKiller, figures, perform
from tests.e2e.test_kills import kill_all_kinds, nothing_is_lost_or_doubled, rows_of, score_of
from tests.mqtt.broker import free_port

Houses = Callable[..., AbstractContextManager[House]]
KILLS = int(os.environ.get("CARROM_SOAK_KILLS", "50"))
SEED = int(os.environ.get("CARROM_SOAK_SEED", "11"))
IN_EACH_PAUSE = 2
SAME_S = 3.0
"""Eyes that come back in a stroke date it by when they began to see."""

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


def right_in_the_journal(keep: Path, number: int) -> bool:
    """Whether stroke `number` of the truth is in the journal with what fell: a daemon that dies between journal and
    broker has ruled, and told nobody."""
    truth = [json.loads(line) for line in (keep / "truth.jsonl").read_text().splitlines()]
    true = [one["event"] for one in truth if one["kind"] == "told" and one["event"]["event"] == "shot"][number - 1]
    journal = sqlite3.connect(keep / "state" / "journal.sqlite")
    try:
        rows = journal.execute("SELECT event FROM events WHERE json_extract(event, '$.event') = 'shot'").fetchall()
    finally:
        journal.close()
    shots = [shot for shot in (json.loads(row) for (row,) in rows) if abs(shot["t"] - true["t"]) <= SAME_S]
    return [fell_in(shot) for shot in shots] == [fell_in(true)]


def fell_in(shot: dict) -> list[tuple[str, str]]:
    """What fell, and where."""
    return sorted((one["piece"], one["pocket"]) for one in shot.get("pocketed", ()))


@dataclass
class AnyMoment:
    """Kills eyes or daemon at any moment of a stroke: up to two seconds after a beam is broken, or about its ruling.

    One kill a stroke at most, and none while the one before is not over. `killed`: who, and how long after what.
    """

    stands: House
    random: random.Random
    times: int
    killed: list[str] = field(default_factory=list)
    _waits: threading.Timer | None = None

    def at(self, happening: Happening) -> None:
        """Called at everything that happens."""
        falls = isinstance(happening, BeamChange) and happening.blocked
        rests = isinstance(happening, Decision) and happening.kind == "ruling"
        if not (falls or rests) or len(self.killed) >= self.times or self._pending() or self.random.random() < 0.5:
            return
        victim = self.random.choice(("eyes", "daemon"))
        after_s = self.random.uniform(0.0, 2.0 if falls else 0.5)
        self.killed.append(f"{victim} {after_s:.2f} s after {'a beam' if falls else 'the rest'}")
        self._waits = threading.Timer(after_s, self.stands.stage.kill, (victim,))
        self._waits.start()

    def _pending(self) -> bool:
        ears = self.stands.ears
        return (self._waits is not None and self._waits.is_alive()) or not ears.online or ears.armed != "armed"


def test_eyes_or_daemon_that_die_at_any_moment_while_sensors_fail(
    house: Houses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cameras stall, lose pictures, are bumped; beams are lost or broken by an insect or a hand. In real time.

    What the beams felt is ruled, asked about, or named; it never goes by in silence.
    """
    monkeypatch.setattr(show_of_strokes, "SAME_S", SAME_S)
    left, match, silent = 2 * KILLS + KILLS // 2, 0, []
    while left > 0:
        seed = SEED + match
        keep = tmp_path / str(match)
        with house(seed=seed, scenario="sensors", speed=1.0, http_port=free_port(), keep=keep) as stands:
            killer = AnyMoment(stands, random.Random(seed), min(left, 12))
            show = perform(stands, shots=15, at=killer.at, missed_after_s=30)
        tally = show.tally
        silent += [
            (seed, stroke)
            for stroke in (*tally.strokes, *tally.phantoms)
            if stroke.silent and not (stroke.missed and right_in_the_journal(keep, stroke.number))
        ]
        noticed = sum(one.noticed for one in tally.strokes)
        print(f"\nseed {seed}: {len(killer.killed)} kills, {len(tally.strokes)} strokes, ", end="")
        print(f"{tally.questions} questions, {noticed} noticed, {tally.silent} silent", *killer.killed, sep="\n  ")
        left -= len(killer.killed)
        match += 1
    assert silent == []
