"""The desk: read, rule, write, tell, in that order; one thing at a time; nothing ruled twice, nothing undone."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from controller.events.beams import BeamHealth
from controller.events.errors import ConfigError
from controller.events.observation import EyesHealth
from tests.shots.table import Fall, Table, coin
from tests.table.kit import BOOKS, MS, UNDER_WAY, S, run, scene

WHITE, BLACK, QUEEN = 1, 2, 0
"""Places of pieces in the test table's list."""


def unsure(weight: float = 0.6) -> Table:
    """A table on which nobody can tell which of two pieces is the white one: counting the others does not help."""
    table = Table()
    for index, likely, other in ((WHITE, "white", "black"), (BLACK, "black", "white")):
        table.pieces[index] = replace(
            table.pieces[index], odds=((likely, weight), (other, 1 - weight)), confidence=weight
        )
    return table


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
            at.journal.go.clear()
            await at.play(Fall(WHITE, "NE"))
            (early,) = at.heard.rulings()
            assert early["saved"] is False
            assert at.desk.latest()["saved"] is False
            assert len(at.entries) == 1
            sealed = asyncio.Event()
            at.heard.on_ruling = lambda ruling: sealed.set()
            at.journal.go.set()
            await asyncio.wait_for(sealed.wait(), 10)
            assert at.heard.rulings()[-1] == early | {"saved": True}
            assert at.desk.latest()["saved"] is True
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


def test_without_a_journal_play_goes_on_and_says_so(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            # Somebody else has written the next event: this one can never be.
            at.journal.append(at.desk.match, 2, {"event": "pause"}, {"seq": 2}, 1.0, "elsewhere")
            await at.play(Fall(WHITE, "NE"))
            (ruling,) = at.heard.rulings()
            assert ruling["saved"] is False
            assert ruling["left"]["white"] == 8
            assert "cannot be written over" in at.heard.alerts("journal")[0].says
            assert at.desk.health.armed == "degraded"

    run(story())


def test_what_cannot_be_ruled_on_stands_until_something_is_taken(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.say({"event": "call", "action": "forfeit", "clause": "icf-139", "seat": "north"})
            assert at.desk.umpire.latest["match_over"]
            seq, told = at.desk.umpire.seq, len(at.heard.of("ruling"))
            refused = await at.desk.rule({"event": "shot", "seat": "south"}, "eyes@1")
            assert "the match is over" in refused["error"]
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
            assert "Mend:" in alert.says
            assert at.desk.health.node == "up"

    run(story())


def test_an_outlet_that_breaks_does_not_silence_the_others(tmp_path) -> None:
    class Broken:
        def __getattr__(self, name):
            raise RuntimeError("no such lamp")

    async def story() -> None:
        async with scene(tmp_path) as at:
            at.desk.outlets._all.insert(0, Broken())
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
            assert alert.t == pytest.approx(at.desk.wall.unix_of(edge.t_ns), abs=1)

    run(story())


# -- questions


def test_a_question_stands_until_it_is_answered_and_the_answer_counts(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, table=unsure()) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            (ruling,) = at.heard.rulings()
            assert ruling["provisional"]
            (ask,) = ruling["asks"]
            assert ask["question"] == "Which piece fell in NE?"
            (alert,) = at.heard.alerts("ask-2")
            assert (alert.level, alert in at.heard.of("standing")) == ("ask", True)
            answer = await at.say({"event": "answer", "ask": ask["ask"], "choice": "black"})
            assert answer["left"] == {"white": 9, "black": 8, "queen": 1}
            assert at.heard.of("resolved")[-1] == "ask-2"
            assert at.desk.standing.alerts == ()
            assert not at.desk.umpire.latest["provisional"]

    run(story())


def test_a_flag_waits_for_the_umpire_and_is_a_foul_only_then(tmp_path) -> None:
    async def story(choice: str, fouls: list[str]) -> None:
        async with scene(tmp_path / choice.replace(" ", "-")) as at:
            await at.arm()
            stroke, _ = at.table.stroke(())
            struck = replace(stroke.struck, hand_follow_mm=200.0)
            await at.feed(replace(stroke, struck=struck))
            await at.wait(600)
            (ruling,) = at.heard.rulings()
            assert [(foul["clause"], foul["status"]) for foul in ruling["fouls"]] == [("icf-33", "to confirm")]
            assert at.heard.alerts("foul")[0].level == "ask"
            (question,) = at.desk.umpire.questions()
            assert (question.clause, question.seat) == ("icf-33", "south")
            await at.say({"event": "answer", "ask": question.ask.ask, "choice": choice})
            assert at.desk.umpire.questions() == ()
            now = at.desk.umpire.latest_stroke().ruling
            assert [foul["clause"] for foul in now["fouls"] if foul["status"] == "ruled"] == fouls

    run(story("foul", ["icf-33"]))
    run(story("no foul", []))


def test_where_the_players_officiate_both_sides_answer(tmp_path) -> None:
    start = UNDER_WAY | {"policy": {"officiating": "players"}}

    async def story() -> None:
        async with scene(tmp_path, start, table=unsure()) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            assert at.desk.umpire.questions()[0].sides == ("south", "north")
            answer = {"event": "answer", "ask": 2, "choice": "black"}
            await at.say(answer | {"seat": "north"})
            (waiting,) = at.desk.umpire.questions()
            assert waiting.sides == ("south",), "the other side has yet to say"
            assert at.desk.umpire.latest["left"]["black"] == 9
            await at.say(answer | {"seat": "south"})
            assert at.desk.umpire.questions() == ()
            assert at.desk.umpire.latest["left"]["black"] == 8

    run(story())


# -- a board that is not as the book says


def test_a_piece_that_is_gone_unfelt_stands_as_an_alert_and_its_answer_is_an_event(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            gone = at.table.pieces.pop(BLACK)
            await at.wait(3000)
            ((name, mismatch),) = at.desk.mismatches.items()
            assert name == "board-missing"
            assert any(alert.id == name for alert in at.heard.of("standing"))
            refused = await at.say({"event": "answer", "ask": name, "choice": "it flew away"})
            assert "choice must be one of" in refused["error"]
            assert name in at.desk.mismatches, "a wrong answer settles nothing"
            choice = next((one for one in mismatch.choices if one.event is not None), None)
            assert choice is not None
            answer = await at.say({"event": "answer", "ask": name, "choice": choice.says})
            assert answer["event"] == choice.event.event
            assert name in at.heard.of("resolved")
            assert at.entries[-1].event["event"] == choice.event.event
            at.table.pieces.insert(BLACK, gone)

    run(story())


def test_a_mismatch_goes_when_the_board_is_right_again(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            gone = at.table.pieces.pop(BLACK)
            await at.wait(3000)
            assert "board-missing" in at.desk.standing
            at.table.pieces.insert(BLACK, gone)
            await at.wait(3000)
            assert at.desk.mismatches == {}
            assert "board-missing" not in at.desk.standing
            assert len(at.entries) == 1

    run(story())


# -- after a restart


def test_a_restart_goes_on_where_it_stood_and_rules_no_stroke_twice(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            stroke = await at.play(Fall(BLACK, "SW"))
            before, match, table = at.desk.umpire.latest, at.desk.match, at.table
        async with scene(tmp_path, table=table) as at:
            assert at.desk.match == match
            assert at.desk.umpire.latest == before
            await at.arm()
            await at.feed(stroke)
            await at.wait(1000)
            assert at.heard.rulings() == []
            assert [entry.seq for entry in at.entries] == [1, 2, 3]
            await at.play(Fall(WHITE, "NW"))
            assert [entry.seq for entry in at.entries] == [1, 2, 3, 4]
            assert len({entry.match for entry in at.entries}) == 1

    run(story())


def test_edges_felt_before_the_crash_belong_to_the_stroke_said_after_it(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            table = at.table
            stroke, edges = table.stroke((Fall(WHITE, "NE", how="unknown"),))
            at.journal.store_edges(edges)
        async with scene(tmp_path, table=table) as at:
            await at.arm()
            await at.feed(stroke)
            await at.wait(3000)
            (ruling,) = at.heard.rulings()
            assert ruling["asks"] == [], "what a hand hid was felt"
            assert at.entries[-1].event["pocketed"][0]["pocket"] == "NE"

    run(story())


def test_edges_of_a_clock_that_began_anew_are_left_alone(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            late = at.table.edges("NE", at.table.now + 1_000_000 * S)
            at.journal.store_edges(late)
        async with scene(tmp_path) as at:
            await at.arm()
            (edge, *_rest) = at.table.edges("SW", at.table.now + 10 * MS)
            await at.feed(edge)
            assert [alert.says for alert in at.heard.alerts("fell")] == ["fell: SW"]
            await at.play(Fall(WHITE, "NE"))
            assert at.heard.rulings()[0]["left"]["white"] == 8

    run(story())


def test_a_correction_read_back_is_not_taken_for_a_stroke(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke, edges = at.table.stroke((Fall(WHITE, "NE", how="unknown"),))
            await at.feed(stroke)
            await at.wait(3000)
            await at.feed(*edges)
            await at.wait(500)
            assert [entry.event["event"] for entry in at.entries] == ["start", "shot", "correct"]
            table = at.table
        async with scene(tmp_path, table=table) as at:
            assert at.desk.strokes.seq(stroke.began_ns) == 2

    run(story())


def test_a_journal_that_cannot_be_ruled_again_is_one_line(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            at.journal.append(at.desk.match, 2, {"event": "resume"}, {"seq": 2}, 1.0, "elsewhere")
        with pytest.raises(ConfigError, match=r"cannot be ruled again: event 2 \(resume\).*Mend"):
            async with scene(tmp_path):
                pass

    run(story())


# -- readings that change


def test_beams_that_come_late_correct_the_stroke(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke, edges = at.table.stroke((Fall(WHITE, "NE", how="unknown"),))
            await at.feed(stroke)
            await at.wait(3000)
            first = at.heard.rulings()[0]
            await at.feed(*edges)
            await at.wait(500)
            (corrected,) = at.heard.rulings("correct")
            assert at.entries[-1].event["seq"] == first["seq"] == 2
            assert corrected["left"]["white"] == 8
            assert at.desk.umpire.questions() == ()

    run(story())


def test_what_a_person_has_answered_no_late_beam_undoes(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke, edges = at.table.stroke((Fall(WHITE, "NE", how="unknown"),))
            await at.feed(stroke)
            await at.wait(3000)
            shot = at.desk.umpire.latest_stroke()
            mine = {**shot.event, "pocketed": [], "doubts": []}
            await at.say({"event": "correct", "seq": shot.seq, "with": mine})
            await at.feed(*edges)
            await at.wait(500)
            assert at.heard.rulings("correct") == [at.heard.of("ruling")[-1]], "only the person's own"
            (late,) = at.heard.alerts("late-2")
            assert late.level == "warning"
            assert at.desk.umpire.latest["left"]["white"] == 9

    run(story())


# -- matches


def test_a_match_starts_from_the_configuration_and_a_wrong_one_is_said(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            (entry,) = at.entries
            assert entry.source == "configuration"
            assert entry.event["seats"] == {"south": "Asha", "north": "Ben"}
        with pytest.raises(ConfigError, match=r"the match cannot start.*Mend: correct \[match\]"):
            async with scene(tmp_path / "other", UNDER_WAY | {"seats": {"south": "Asha"}}):
                pass

    (tmp_path / "other").mkdir()
    run(story())


def test_a_new_start_opens_a_match_of_its_own(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke = await at.play(Fall(WHITE, "NE"))
            before = at.desk.match
            answer = await at.say(UNDER_WAY | {"seats": {"south": "Chitra", "north": "Dev"}})
            assert answer["seq"] == 1
            assert at.desk.match != before
            assert [entry.seq for entry in at.entries] == [1]
            assert len(at.journal.matches()) == 2
            assert at.desk.score().sides[0].seats == {"south": "Chitra"}
            await at.feed(stroke)
            await at.wait(1000)
            assert len(at.entries) == 1, "a stroke of the match before"
            at.table.pieces = Table().pieces
            await at.play(Fall(WHITE, "NE"))
            assert at.entries[-1].seq == 2

    run(story())


def test_the_result_tells_the_match_as_it_stands_after_corrections(tmp_path) -> None:
    position = {
        "turn": "south",
        "break_done": True,
        "left": {"white": 1, "black": 3},
        "queen": "covered",
        "queen_side": "south",
        "score": {"south": 20, "north": 0},
        "games": {"south": 1, "north": 0},
    }
    start = UNDER_WAY | {"position": position, "policy": {"points": 25}}
    few = Table([coin("white", 0.0, 0.0), *(coin("black", 60.0 * n, 120.0) for n in range(3))])

    async def story() -> None:
        async with scene(tmp_path, start, table=few) as at:
            await at.arm()
            await at.play(Fall(0, "NE"))
            latest = at.desk.umpire.latest
            assert latest["match_over"]
            result = at.desk.result()
            assert (result.winner, result.games) == ("south", {"south": 2, "north": 0})
            assert result.sides[0].players == ("Asha",)
            await at.say({"event": "override", "seq": 2, "set": {"score": {"south": 24, "north": 0}}, "reason": "slip"})
            assert at.desk.result().score == {"south": 24, "north": 0}

    run(story())


# -- the parts of the house


def test_degraded_play_is_told_at_once_and_taken_back(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            assert at.desk.health.armed == "armed"
            at.heard.told.clear()
            await at.feed(replace(EyesHealth(at.table.now, "lost", at.table.now), says="unplugged"))
            kinds = [kind for kind, _ in at.heard.told]
            assert "health" in kinds
            (alert,) = at.heard.of("standing")
            assert (alert.id, alert.level) == ("camera", "fault")
            assert "the umpire names the piece" in alert.says
            assert at.desk.score().armed == "degraded"
            await at.feed(EyesHealth(at.table.now + S, "ok", at.table.now + S))
            assert at.heard.of("resolved") == ["camera"]

    run(story())


def test_eyes_that_fall_silent_are_degraded_though_nobody_hung_up(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.wait(4000, eyes=False)
            assert at.desk.health.armed == "degraded"
            assert at.desk.health_payload().camera == "silent"
            assert "say nothing" in at.heard.alerts("camera")[-1].says

    run(story())


def test_without_a_camera_beams_say_where_and_the_umpire_which(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            at.desk.eyes_gone()
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
            assert at.desk.score().book == book
            assert len(at.entries) == 1

    for book in BOOKS:
        run(story(book))


def test_a_piece_that_fell_by_itself_and_may_be_another_is_asked_about(tmp_path) -> None:
    table = unsure(0.85)
    x, y = 347.0, 347.0
    table.pieces[WHITE] = replace(table.pieces[WHITE], x_mm=x, y_mm=y, in_mouth="NE")

    async def story() -> None:
        async with scene(tmp_path, table=table) as at:
            await at.arm()
            await at.wait(1000)
            at.table.pieces.pop(WHITE)
            await at.feed(*at.table.edges("NE", at.table.now + 100 * MS))
            await at.wait(3000)
            assert at.entries[-1].event["event"] == "drop"
            (ask,) = at.desk.umpire.latest["asks"]
            assert ask["question"] == "Which piece fell?"
            assert at.desk.umpire.latest["left"] == {"white": 9, "black": 9, "queen": 1}
            answer = await at.say({"event": "answer", "ask": ask["ask"], "choice": "white"})
            assert answer["left"]["white"] == 8

    run(story())
