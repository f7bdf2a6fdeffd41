"""The desk: read, rule, write, tell, in that order; one thing at a time; every part of the house may fail."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from controller.events.beams import BeamHealth
from controller.events.expectation import Expectation
from controller.events.match import Drop, Seen
from controller.events.observation import EyesHealth
from controller.pockets.beam_map import POCKETS
from controller.shots import Tick
from controller.shots.outputs import DropRead, Evidence, Practice, SeenRead
from tests.shots.table import Fall
from tests.table.kit import BOOKS, MS, UNDER_WAY, WHITE, S, run, scene

# -- the order of things


def test_a_stroke_is_in_the_journal_before_anybody_is_told(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            written = []
            at.heard.on_ruling = lambda ruling: written.append((ruling["seq"], len(at.entries)))
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            await at.play(Fall(WHITE, "SW"))
            assert written == [(2, 2), (3, 3)]
            assert [kind for kind, _ in at.heard.told if kind in ("shot", "ruling")] == ["shot", "ruling"] * 2
            assert all(ruling["saved"] for ruling in at.heard.of("ruling"))

    run(story())


def test_a_slow_commit_is_told_early_and_sealed_once_durable(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            at.hold_commits()
            await at.play(Fall(WHITE, "NE"))
            (early,) = at.heard.rulings()
            assert (early["saved"], early["sealed"]) == (False, False)
            latest = at.everybody.latest()
            assert (latest["saved"], latest["sealed"]) == (False, False)
            assert len(at.entries) == 1
            sealed = asyncio.Event()
            at.heard.on_ruling = lambda ruling: sealed.set()
            at.journal.go.set()
            await sealed.wait()
            assert at.heard.rulings()[-1] == early | {"saved": True, "sealed": True}
            assert at.everybody.latest() == at.heard.rulings()[-1]
            assert [entry.seq for entry in at.entries] == [1, 2]

    run(story())


def test_time_that_goes_by_while_something_is_ruled_rules_nothing_in_between(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            at.journal.go.clear()
            saying = asyncio.create_task(at.say({"event": "pause"}))
            ticking = asyncio.create_task(at.desk.tick())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not ticking.done(), "a tick waits until what is being ruled has been told"
            at.journal.go.set()
            assert (await saying)["event"] == "pause"
            await ticking

    run(story())


def test_what_follows_from_a_ruling_comes_before_what_else_was_read(tmp_path, monkeypatch) -> None:
    def drop(piece):
        return DropRead(Drop(piece, "NE"), 0, Evidence())

    async def story() -> None:
        async with scene(tmp_path) as at:
            # A tick reads two drops; of what is expected after the first follows a sight, and of that a word.
            read = {Tick: [(drop("white"), drop("black"))]}
            read[Expectation] = [(SeenRead(Seen("shaken"), 0, ""),), (Practice(None, 0, "a word", Evidence()),)]
            monkeypatch.setattr(at.desk.reader, "step", lambda seen: (read[type(seen)] or [()]).pop(0))
            await at.desk.tick()
            assert [entry.event["event"] for entry in at.entries] == ["start", "drop", "seen", "drop"]
            assert [entry.event.get("piece") for entry in at.entries] == [None, "white", None, "black"]
            told = [body["event"] for kind, body in at.heard.told if kind == "ruling"]
            assert told == ["drop", "seen", "drop"]
            (word,) = [place for place, (_, body) in enumerate(at.heard.told) if getattr(body, "id", "") == "practice"]
            assert [kind for kind, _ in at.heard.told[:word]].count("ruling") == 2

    run(story())


def test_without_a_journal_play_goes_on_and_says_so(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            # Somebody else has written the next event: this one can never be.
            at.journal.append(at.desk.shown.match, 2, {"event": "pause"}, {"seq": 2}, 1.0, "elsewhere")
            await at.play(Fall(WHITE, "NE"))
            (ruling,) = at.heard.rulings()
            assert ruling["saved"] is False
            assert ruling["left"]["white"] == 8
            assert "cannot be written over" in at.heard.alerts("journal")[0].says
            assert at.desk.shown.health.armed == "degraded"

    run(story())


def test_what_cannot_be_ruled_on_stands_until_something_is_taken(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.say({"event": "call", "action": "forfeit", "clause": "icf-139", "seat": "north"})
            assert at.desk.umpire.latest["match_over"]
            seq, told = at.desk.umpire.seq, len(at.heard.of("ruling"))
            refused = await at.desk.rule({"event": "shot", "seat": "south"}, "eyes@1")
            assert "the match is over" in refused.error
            (alert,) = at.heard.alerts("refused")
            assert (alert.level, alert in at.heard.of("standing")) == ("warning", True)
            assert "the match is over" in alert.says
            assert (at.desk.umpire.seq, len(at.entries), len(at.heard.of("ruling"))) == (seq, seq, told)
            await at.say(UNDER_WAY)
            assert "refused" in at.heard.of("resolved")

    run(story())


def test_an_error_of_a_person_is_the_persons_to_hear(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            answer = await at.say({"event": "resume"})
            assert answer["error"] == "play is not stopped"
            assert at.heard.told == []
            assert len(at.entries) == 1

    run(story())


def test_an_input_that_breaks_something_is_told_and_work_goes_on(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            work = asyncio.create_task(at.desk.work())
            at.desk.inbox.put_nowait("no observation")
            at.desk.inbox.put_nowait(BeamHealth(at.table.now, "up"))
            at.desk.inbox.put_nowait(None)
            await work
            (alert,) = at.heard.alerts("desk")
            assert alert.level == "fault"
            assert "Fix:" in alert.says
            assert at.desk.shown.health.node == "up"

    run(story())


def test_an_outlet_that_breaks_does_not_silence_the_others(tmp_path) -> None:
    class Broken:
        def __getattr__(self, name):
            raise RuntimeError("no such lamp")

    async def story() -> None:
        async with scene(tmp_path) as at:
            at.desk.shown.outlets._all.insert(0, Broken())
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            assert len(at.heard.rulings()) == 1

    run(story())


# -- what is felt


def test_a_broken_beam_is_told_at_once(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            (edge, *_rest) = at.table.edges("NE", at.table.now + 10 * MS)
            await at.feed(edge)
            (alert,) = at.heard.alerts("fell")
            assert (alert.says, alert.level) == ("fell: NE", "info")
            assert alert.t == pytest.approx(at.desk.shown.wall.unix_of(edge.t_ns), abs=1)

    run(story())


# -- the parts of the house


def test_a_node_that_keeps_restarting_is_told_once_and_taken_back_when_it_runs(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            assert at.desk.shown.health.armed == "armed"
            at.heard.told.clear()
            restarting = BeamHealth(at.table.now, "restarting", blind=POCKETS, says="pocket node 1 keeps restarting")
            for _ in range(5):
                await at.feed(restarting, Tick(at.table.now))
            assert at.everybody.score().armed == "degraded"
            assert at.desk.shown.health.senses.beams == "restarting"
            (alert,) = at.heard.of("standing")
            assert (alert.id, alert.level) == ("node", "fault")
            assert alert.says.startswith("pocket node 1 keeps restarting")
            await at.feed(BeamHealth(at.table.now + 1, "up"), Tick(at.table.now + 1))
            assert at.everybody.score().armed == "armed"
            assert at.heard.of("resolved") == ["node"]

    run(story())


def test_degraded_play_is_told_at_once_and_taken_back(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            assert at.desk.shown.health.armed == "armed"
            at.heard.told.clear()
            await at.feed(replace(EyesHealth(at.table.now, "lost", at.table.now), says="unplugged"))
            kinds = [kind for kind, _ in at.heard.told]
            assert "health" in kinds
            (alert,) = at.heard.of("standing")
            assert (alert.id, alert.level) == ("camera", "fault")
            assert "the umpire names the piece" in alert.says
            assert at.everybody.score().armed == "degraded"
            await at.feed(EyesHealth(at.table.now + S, "ok", at.table.now + S))
            assert at.heard.of("resolved") == ["camera"]

    run(story())


def test_eyes_that_fall_silent_are_degraded_though_nobody_hung_up(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.wait(4000, eyes=False)
            assert at.desk.shown.health.armed == "degraded"
            assert at.desk.shown.health_payload().camera == "silent"
            assert "say nothing" in at.heard.alerts("camera")[-1].says

    run(story())


def test_without_a_camera_beams_say_where_and_the_umpire_which(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            at.desk.shown.eyes_gone()
            await at.wait(4000, eyes=False)
            await at.feed(*at.table.edges("NE", at.table.now + 10 * MS))
            await at.wait(6000, eyes=False)
            (ruling,) = at.heard.rulings()
            (ask,) = ruling["asks"]
            assert ask["question"] == "Which piece fell in NE?"
            assert ruling["left"]["white"] == 9
            answer = await at.say({"event": "answer", "ask": ask["ask"], "choice": "white"})
            assert answer["left"]["white"] == 8

    run(story())


def test_every_book_can_be_played_at_the_desk(tmp_path) -> None:
    async def story(book: str) -> None:
        seats = {"south": "A", "north": "B"}
        if 2 not in BOOKS[book].players:
            seats |= {"east": "C", "west": "D"}
        start = {"event": "start", "book": book, "seats": seats, "first": "south"}
        folder = tmp_path / book
        folder.mkdir()
        async with scene(folder, start) as at:
            await at.arm()
            await at.desk.tick()
            assert at.everybody.score().book == book
            assert len(at.entries) == 1

    for book in BOOKS:
        run(story(book))


@pytest.mark.parametrize(("book", "clause"), [("icf", "icf-117"), ("club", "club-147"), ("world", None)])
def test_a_striker_that_was_exchanged_is_the_umpires_matter_with_its_clause(tmp_path, book, clause) -> None:
    start = UNDER_WAY | {"book": book} | ({"white": "south"} if book == "club" else {})

    async def story() -> None:
        async with scene(tmp_path, start) as at:
            await at.arm()
            says = "south plays another striker than before: its colours differ by 30 %"
            (eyes, _) = at.table.signs()
            await at.feed(replace(eyes, other_striker=("south",), warnings=(says, "the lamp flickers")))
            (alert,) = at.heard.alerts("striker-south")
            assert (alert.level, alert.clause, alert.seat) == ("warning", clause, "south")
            assert alert.says.startswith(says)
            assert [one.says for one in at.heard.alerts("eyes-1")] == ["the lamp flickers"]
            assert at.heard.rulings("call") == [], "it is not ruled on unasked"
            if clause:
                called = await at.say({"event": "call", "clause": clause, "seat": "south"})
                assert clause in called["cites"] + [foul["clause"] for foul in called["fouls"]]
            await at.feed(eyes)
            assert "striker-south" in at.heard.of("resolved")

    run(story())


def test_a_change_of_ends_exchanges_nobodys_striker(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.say({"event": "seats", "seats": {"south": "Ben", "north": "Asha"}})
            (eyes, _) = at.table.signs()
            await at.feed(replace(eyes, other_striker=("south", "north")))
            assert at.heard.alerts("striker-south") == at.heard.alerts("striker-north") == []

    run(story())
