"""Processes that die in a match: the table says so, comes back, and the score is right; nothing is lost or doubled."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from controller.commands.demo.house import House
from controller.commands.demo.show import SAME_S
from tests.e2e.interrupted import DaemonKiller, EyesKiller, InterruptedShow, MixedKiller, figures, perform
from tests.mqtt.broker import free_port

Houses = Callable[..., AbstractContextManager[House]]
KILLS = 10
MIXED = 8


def score_of(state: dict) -> dict[str, int]:
    return {side["name"]: side["points"] for side in state["score"]["sides"]}


def rows_of(folder: Path) -> list[tuple[str, int, str, str]]:
    """The journal's events: match, number, source and kind."""
    journal = sqlite3.connect(folder / "state" / "journal.sqlite")
    try:
        return journal.execute(
            "SELECT match, seq, source, json_extract(event, '$.event') FROM events ORDER BY id"
        ).fetchall()
    finally:
        journal.close()


def nothing_is_lost_or_doubled(rows: list[tuple[str, int, str, str]], show: InterruptedShow) -> None:
    assert len({match for match, _, _, _ in rows}) == 1, "it is one match to the end"
    assert [seq for _, seq, _, _ in rows] == list(range(1, len(rows) + 1)), "no number is missing, none is twice"
    strokes = [source for _, _, source, kind in rows if kind == "shot" and source.startswith("eyes@")]
    assert len(strokes) == len(set(strokes)), "no stroke was ruled on twice"
    assert len(strokes) == len(show.tally.strokes), "every stroke that was played is in the journal"


def every_edge_is_in_the_journal(folder: Path, changes: int) -> None:
    journal = sqlite3.connect(folder / "state" / "journal.sqlite")
    try:
        felt = journal.execute(
            "SELECT kind, boot, seq FROM observed WHERE node = 'pockets' ORDER BY boot, seq"
        ).fetchall()
        gaps = journal.execute("SELECT body FROM observed WHERE kind = 'gap'").fetchall()
    finally:
        journal.close()
    assert not gaps
    assert {kind for kind, _, _ in felt} <= {"edge"}
    assert len({boot for _, boot, _ in felt}) <= 1
    seqs = [seq for _, _, seq in felt]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), "no number is missing"
    assert len(seqs) == changes, "as many as beams have changed"


def every_stroke_has_its_time(folder: Path) -> None:
    """By the journal, not by what was heard: a ruling that is told while the broker is away is told to nobody."""
    truth = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    played = [told["event"]["t"] for told in truth if told["kind"] == "told" and told["event"]["event"] == "shot"]
    journal = sqlite3.connect(folder / "state" / "journal.sqlite")
    try:
        ruled = journal.execute(
            "SELECT json_extract(event, '$.t') FROM events WHERE json_extract(event, '$.event') = 'shot' ORDER BY id"
        ).fetchall()
    finally:
        journal.close()
    assert [t for (t,) in ruled] == pytest.approx(played, abs=SAME_S)


def kill_all_kinds(house: Houses, kills: int, strokes: int, seed: int, keep: Path) -> MixedKiller:
    """Plays with processes of every kind being killed; strokes and edges are complete at the end."""
    with house(seed=seed, scenario="clean", http_port=free_port(), keep=keep) as stands:
        killer = MixedKiller(stands, kills, strokes, seed)
        killer.before_the_break()
        show = perform(stands, shots=strokes, between=killer.between, at=killer.at, missed_after_s=30)
        state = stands.official.state()
        rows = rows_of(stands.folder)
        every_edge_is_in_the_journal(stands.folder, killer.changes)
    assert figures(state["ruling"]) == figures(show.truth)
    assert score_of(state) == show.truth["score"]
    nothing_is_lost_or_doubled(rows, show)
    every_stroke_has_its_time(keep)
    return killer


@pytest.mark.long
@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_eyes_broker_and_daemon_that_are_killed_in_turn_and_together_lose_nothing(
    house: Houses, tmp_path: Path
) -> None:
    killer = kill_all_kinds(house, MIXED, 3, 7, tmp_path / "demo")
    assert killer.kills >= MIXED - 2, "the last pause may be over before"
    assert [moment for moment, _ in killer.killed[:2]] == ["before the break", "break"]
    assert {victim for _, victims in killer.killed for victim in victims} == {"eyes", "broker", "daemon"}


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.long
def test_eyes_that_die_ten_times_are_back_and_the_score_is_right(house: Houses) -> None:
    kill = EyesKiller(KILLS, in_each_pause=4)
    with house(seed=5, scenario="clean") as stands:
        show = perform(stands, shots=4, between=kill)
        state = stands.official.state()
        starts = stands.stage.children["eyes"].starts
        rows = rows_of(stands.folder)
    assert len(kill.back_s) == KILLS
    assert starts == KILLS + 1
    assert figures(state["ruling"]) == figures(show.truth)
    assert score_of(state) == show.truth["score"]
    nothing_is_lost_or_doubled(rows, show)


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.long
def test_a_daemon_that_is_killed_ten_times_goes_on_where_it_stood(house: Houses) -> None:
    with house(seed=5, scenario="clean", http_port=free_port()) as stands:
        killer = DaemonKiller(stands, KILLS, pauses=4)
        # A daemon that starts takes its time; the simulated board plays on as fast as the eyes can follow.
        show = perform(stands, shots=5, between=killer.between, at=killer.at, missed_after_s=30)
        state = stands.official.state()
        rows = rows_of(stands.folder)
    assert len(killer.moments) == KILLS, killer.moments
    assert set(killer.moments) == {"between strokes", "falling", "rest"}
    assert figures(state["ruling"]) == figures(show.truth)
    assert score_of(state) == show.truth["score"]
    nothing_is_lost_or_doubled(rows, show)
