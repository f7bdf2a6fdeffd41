"""A restart goes on where it stood, whatever the disk and the clocks have done, and a journal that is short says so."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from controller.journal.mark import mark_file
from tests.shots.table import Fall, S, Table
from tests.table.kit import WHITE, run, scene

START = {"event": "start", "book": "icf", "seats": {"south": "A", "north": "B"}, "first": "south"}


def lost_its_journal(folder) -> None:
    for file in folder.glob("journal.sqlite*"):
        if not file.name.endswith((".mark", ".lost")):
            file.unlink()


def test_a_match_that_was_lost_is_never_a_silent_nil_nil(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.play()
            match = at.desk.match
        lost_its_journal(tmp_path)
        async with scene(tmp_path) as at:
            at.desk.announce()
            (alert,) = at.heard.alerts("journal-lost")
            assert alert.level == "fault"
            assert f"events 1 to 2 of match {match} are missing" in alert.says
            assert alert.says in at.desk.health_payload().says
            assert at.desk.health.armed != "armed"
        async with scene(tmp_path) as at:
            at.desk.announce()
            assert at.heard.alerts("journal-lost"), "it is said until somebody has put it right"
            await at.say({"event": "pause"})
            assert "journal-lost" not in at.heard.of("resolved")
            await at.say({"event": "set", "position": {"score": {"south": 10}}, "reason": "from the sheet"})
            assert "journal-lost" in at.heard.of("resolved")
        async with scene(tmp_path) as at:
            at.desk.announce()
            assert not at.heard.alerts("journal-lost")

    run(story())


def test_a_new_start_by_a_person_puts_it_right_too_and_the_configurations_does_not(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.play()
        lost_its_journal(tmp_path)
        async with scene(tmp_path) as at:
            at.desk.announce()
            assert [entry.event["event"] for entry in at.entries] == ["start"]
            assert at.heard.alerts("journal-lost")
            await at.say(START)
            assert "journal-lost" in at.heard.of("resolved")

    run(story())


def test_a_match_goes_on_from_the_spool_though_the_journal_still_takes_nothing(tmp_path) -> None:
    """Its beginning as well: the disk was full before it began."""

    async def story() -> None:
        async with scene(tmp_path) as at:
            at.hold_commits()
            said = await at.say(START)
            assert said["saved"] is False
            assert (await at.say({"event": "pause"}))["saved"] is False
            match = at.desk.match
            kept = (tmp_path / "run" / "unsaved.jsonl").read_bytes()
        # As if it had been killed before the disk had room.
        lost_its_journal(tmp_path)
        mark_file(tmp_path / "journal.sqlite").unlink()
        (tmp_path / "run" / "unsaved.jsonl").write_bytes(kept)
        async with scene(tmp_path) as at:
            assert at.desk.match == match
            assert at.desk.score().state == "paused"
            assert [json.loads(line)["seq"] for line in kept.splitlines()] == [1, 2]

    run(story())


@pytest.mark.parametrize("rate", [0.2, 1.0, 50.0])
def test_the_break_after_a_restart_has_its_time_since_the_start(tmp_path, rate) -> None:
    """A simulated clock runs at its own rate, and a Pi's wall clock jumps when it finds the net: neither says when a
    match began. By the table's own clock the break comes as long after the start as it did."""

    async def story() -> None:
        table = Table()
        async with scene(tmp_path, table=table) as at:
            await at.arm()
            began = at.desk.reading.start_ns
        table.now += round(20 * rate * S)
        async with scene(tmp_path, table=table) as at:
            await at.arm()
            stroke = await at.play()
            (shot,) = (entry for entry in at.entries if entry.event["event"] == "shot")
            assert shot.event["t"] == pytest.approx((stroke.began_ns - began) / 1e9, abs=0.1)

    run(story())


@pytest.mark.parametrize("noted", [True, False])
def test_edges_of_the_next_stroke_that_were_written_before_the_last_ruling_are_read_again(tmp_path, noted) -> None:
    """Who plays on quickly is felt before the last stroke is ruled on; then the daemon is killed. Where nobody noted
    how far had been read, it goes by when things were written."""

    async def story() -> None:
        table = Table()
        async with scene(tmp_path, table=table, clock="this run" if noted else "") as at:
            await at.arm()
            stroke, edges = table.stroke((Fall(WHITE, "NE"),))
            later = [replace(edge, t_ns=edge.t_ns + 8 * S, seq=edge.seq + 100) for edge in edges]
            at.journal.store_edges([*edges, *later])
            await at.feed(*sorted([*edges, stroke], key=lambda one: one.t_ns))
            await at.wait(3000)
            assert [entry.event["event"] for entry in at.entries] == ["start", "shot"]
            read_ns = at.desk.reading.settled_until_ns
        table.now += 30 * S
        async with scene(tmp_path, table=table, clock="this run" if noted else "") as at:
            again = {edge.seq for edge in at.desk.reading.edges}
            assert again == ({edge.seq for edge in later} if noted else set())
            assert not noted or at.desk.reading.settled_until_ns >= read_ns

    run(story())


def test_another_run_of_the_clock_says_nothing_of_when_a_match_began(tmp_path) -> None:
    async def story() -> None:
        table = Table()
        async with scene(tmp_path, table=table, clock="before the machine started anew") as at:
            await at.arm()
        table.now += 1000 * S
        async with scene(tmp_path, table=table, clock="since") as at:
            assert table.now - 10 * S < at.desk.reading.start_ns <= table.now

    run(story())
