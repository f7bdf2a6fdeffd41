"""A restart goes on where it stood, whatever the disk and the clocks have done, and a journal that is short says so."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from controller.journal import Journal
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
            match = at.desk.shown.match
        lost_its_journal(tmp_path)
        async with scene(tmp_path) as at:
            at.desk.announce()
            (alert,) = at.heard.alerts("journal-lost")
            assert alert.level == "fault"
            assert f"events 1 to 2 of match {match} are missing" in alert.says
            assert alert.says in at.desk.shown.health_payload().says
            assert at.desk.shown.health.armed != "armed"
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
            match = at.desk.shown.match
            kept = (tmp_path / "run" / "unsaved.jsonl").read_bytes()
        # As if it had been killed before the disk had room.
        lost_its_journal(tmp_path)
        mark_file(tmp_path / "journal.sqlite").unlink()
        (tmp_path / "run" / "unsaved.jsonl").write_bytes(kept)
        async with scene(tmp_path) as at:
            assert at.desk.shown.match == match
            assert at.everybody.score().state == "paused"
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
            began = at.desk.reader.state.start_ns
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
            read_ns = at.desk.reader.state.settled_until_ns
        table.now += 30 * S
        async with scene(tmp_path, table=table, clock="this run" if noted else "") as at:
            again = {edge.seq for edge in at.desk.reader.state.edges}
            assert again == ({edge.seq for edge in later} if noted else set())
            assert not noted or at.desk.reader.state.settled_until_ns >= read_ns

    run(story())


def test_another_run_of_the_clock_says_nothing_of_when_a_match_began(tmp_path) -> None:
    async def story() -> None:
        table = Table()
        async with scene(tmp_path, table=table, clock="before the machine started anew") as at:
            await at.arm()
        table.now += 1000 * S
        async with scene(tmp_path, table=table, clock="since") as at:
            assert table.now - 10 * S < at.desk.reader.state.start_ns <= table.now

    run(story())


# -- what an earlier run left is held against the match before it is poured in


def line(match: str, seq: int, event: dict | None = None, **more) -> dict:
    ruling = {"seq": seq, "score": {"south": seq, "north": 0}}
    return {
        "match": match,
        "seq": seq,
        "t_unix": 2e9 + seq,
        "source": "umpire:web:1",
        "event": event or {"event": ("pause", "resume")[seq % 2]},
        "ruling": ruling,
    } | more


def leave(folder, *lines: object) -> str:
    """Leaves a spool as an earlier run would have; returns its text."""
    (folder / "run").mkdir(exist_ok=True)
    text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines)
    (folder / "run" / "unsaved.jsonl").write_text(text)
    return text


def set_aside(folder) -> list[dict]:
    return [json.loads(text) for file in folder.glob("*.aside-*") for text in file.read_text().splitlines()]


def poured(folder) -> tuple[list[int], str, bool]:
    """Starts the table twice. Returns the match's events after the first start, what is said, and whether a call was
    saved."""

    async def story() -> None:
        async with scene(folder) as at:
            at.desk.announce()
            said.extend(alert.says for alert in at.heard.alerts("journal-lost"))
            said_now = await at.say({"event": "resume" if at.everybody.score().state == "paused" else "pause"})
            saved.append(said_now["saved"])
            seqs.extend(entry.seq for entry in at.entries[:-1])
        async with scene(folder) as at:
            assert at.entries[-1].seq == len(at.entries)

    seqs: list[int] = []
    said: list[str] = []
    saved: list[bool] = []
    run(story())
    return seqs, "; ".join(said), saved[0]


def test_a_spool_goes_nowhere_without_the_journal_that_it_follows_on(tmp_path) -> None:
    """As after a full disk: the journal was moved away, as the log had advised."""
    left = [line("gone", seq) for seq in range(18, 32)]
    leave(tmp_path, *left)
    seqs, said, saved = poured(tmp_path)
    assert (seqs, saved) == ([1], True)
    assert "events 18 to 31 of match gone (it stood south 31, north 0 then) had been told and not saved" in said
    assert "Fix: " in said
    assert set_aside(tmp_path) == left
    assert not (tmp_path / "run" / "unsaved.jsonl").exists()


@pytest.fixture
def played(tmp_path) -> str:
    """A match of three events under way; returns its name."""

    async def story() -> None:
        async with scene(tmp_path) as at:
            assert (await at.say({"event": "pause"}))["seq"] == 2
            assert (await at.say({"event": "resume"}))["seq"] == 3
            name.append(at.desk.shown.match)

    name: list[str] = []
    run(story())
    return name[0]


def test_a_spool_that_follows_on_is_poured_in(tmp_path, played) -> None:
    leave(tmp_path, line(played, 5), line(played, 4))
    assert poured(tmp_path) == ([1, 2, 3, 4, 5], "", True)


@pytest.mark.parametrize(
    ("seqs", "kept"),
    [((5, 6), ()), ((4, 6), (4,)), ((3,), ()), ((4, 5, 7, 8), (4, 5))],
    ids=["hole before", "hole within", "another event of a number that is taken", "hole behind"],
)
def test_of_a_spool_with_a_hole_only_what_follows_on_is_poured_in(tmp_path, played, seqs, kept) -> None:
    leave(tmp_path, *(line(played, seq) for seq in seqs))
    there, said, saved = poured(tmp_path)
    assert (there, saved) == ([1, 2, 3, *kept], True)
    assert f"of match {played}" in said
    assert [one["seq"] for one in set_aside(tmp_path)] == [seq for seq in seqs if seq not in kept]


STRANGE = {
    "another match": line("other", 4),
    "an older match from its start": line("other", 1, START, t_unix=1.0),
    "no start": line("other", 1),
    "refused by the engine": line("MATCH", 4, {"event": "resume"}),
    "no event": line("MATCH", 4, {"event": "dream"}),
    "a number as text": line("MATCH", 4) | {"seq": "four"},
    "a list for an event": line("MATCH", 4, event=[1]),
    "a ruling that is null": line("MATCH", 4, ruling=None),
    "a field more": line("MATCH", 4, more=1),
    "a list": "[1, 2]",
    "a number": "7",
    "rubbish": "what is this",
    "too deep": "[" * 5000,
    "half a character": '{"match": "\\ud83d"}',
}


@pytest.mark.parametrize("left", STRANGE.values(), ids=STRANGE)
def test_what_does_not_belong_to_the_match_is_set_aside_and_said(tmp_path, played, left) -> None:
    text = leave(tmp_path, left if isinstance(left, str) else json.loads(json.dumps(left).replace("MATCH", played)))
    seqs, said, saved = poured(tmp_path)
    assert (seqs, saved) == ([1, 2, 3], True)
    assert "had been told and not saved" in said
    (file,) = tmp_path.glob("*.aside-*")
    assert str(file) in said
    assert file.read_text().split() == text.split()


@pytest.mark.parametrize("index", [0, 1])
def test_an_entry_of_another_type_is_not_the_one_that_the_journal_has(tmp_path, played, index) -> None:
    with Journal(tmp_path / "journal.sqlite", read_only=True) as journal:
        other = asdict(journal.events(played)[index])
    other["ruling"]["saved"] = 1
    leave(tmp_path, other)
    seqs, said, saved = poured(tmp_path)
    assert (seqs, saved) == ([1, 2, 3], True)
    assert f"events {index + 1} of match {played}" in said
    assert set_aside(tmp_path) == [other]
    assert not (tmp_path / "run" / "unsaved.jsonl").exists()


def test_a_last_line_that_was_cut_off_was_told_to_nobody(tmp_path, played) -> None:
    text = leave(tmp_path, line(played, 4), line(played, 5))
    (tmp_path / "run" / "unsaved.jsonl").write_text(text[:-40])
    assert poured(tmp_path) == ([1, 2, 3, 4], "", True)


def test_a_spool_that_cannot_be_read_stops_nobody(tmp_path, played) -> None:
    (tmp_path / "run" / "unsaved.jsonl").mkdir(parents=True)
    seqs, said, saved = poured(tmp_path)
    assert (seqs, saved) == ([1, 2, 3], True)
    assert "what nobody can read" in said
    assert (tmp_path / "run" / "unsaved.jsonl.aside-1").is_dir()


def test_where_nothing_can_be_set_aside_the_spool_itself_gets_another_name(tmp_path, played, monkeypatch) -> None:
    left = [line(played, 4), line(played, 9)]
    leave(tmp_path, *left)
    real = Path.open

    def full(file, *args, **more):
        if ".aside-" in file.name and file.parent == tmp_path:
            raise OSError(28, "No space left on device")
        return real(file, *args, **more)

    monkeypatch.setattr(Path, "open", full)
    assert poured(tmp_path)[0] == [1, 2, 3, 4]
    assert set_aside(tmp_path / "run") == left


# -- a damaged journal


def test_a_damaged_journal_is_set_aside_and_what_can_be_read_of_it_goes_on(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            for note in "abcdefgh":
                await at.say({"event": "pause", "reason": note * 300})
                await at.say({"event": "resume"})
            match = at.desk.shown.match
        file = tmp_path / "journal.sqlite"
        with file.open("r+b") as stream:
            stream.seek(file.read_bytes().index(b"d" * 300) // 4096 * 4096)
            stream.write(b"\xff" * 4096)
        damaged = file.read_bytes()
        async with scene(tmp_path) as at:
            at.desk.announce()
            (alert,) = at.heard.alerts("journal-lost")
            assert "is damaged" in alert.says
            assert "journal.sqlite.damaged-1" in alert.says
            assert f"match {match} cannot go on: of its events " in alert.says
            assert "after event 17 it stood south 0, north 0" in alert.says
            assert at.desk.shown.match != match
            assert at.journal.readable_events(match)[-1].seq == 17
            assert (await at.say({"event": "pause"}))["saved"] is True
            assert at.desk.shown.health.armed != "armed"
        assert (tmp_path / "journal.sqlite.damaged-1").read_bytes() == damaged
        async with scene(tmp_path) as at:
            assert at.everybody.score().state == "paused"

    run(story())


@pytest.mark.parametrize(
    ("lost", "says"),
    [
        ((3,), "its event 3 cannot be read; after event 2 it stood south 0, north 0."),
        ((2,), "its event 2 cannot be read; after event 3 it stood south 0, north 0."),
        ((1, 2, 3), "of its events 1 to 3 cannot be read."),
    ],
    ids=["end", "hole", "all"],
)
def test_a_match_with_events_that_cannot_be_read_is_not_written_over(tmp_path, played, lost, says) -> None:
    """A ruling with a number that is taken would never be saved."""
    raw = sqlite3.connect(tmp_path / "journal.sqlite")
    with raw:
        raw.execute("DROP TRIGGER events_are_kept")
        raw.executemany("UPDATE events SET event = '[' WHERE seq = ?", [(seq,) for seq in lost])
    raw.close()
    seqs, said, saved = poured(tmp_path)
    assert (seqs, saved) == ([1], True)
    assert f"match {played} cannot go on: {says}" in said
