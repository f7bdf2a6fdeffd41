"""What the desk asks and what becomes of it: doubts, flags, a board that is not as the book says, late readings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from controller.events.observation import MotionBegan, SeenPiece
from controller.table.desk.desk import EyesLeft
from controller.table.match.questions import AS_IT_LIES
from controller.table.outlets.pages import DeskView
from tests.shots.table import Fall
from tests.table.kit import BLACK, MS, UNDER_WAY, WHITE, Scene, run, scene, unsure

# -- questions


def test_a_question_stands_until_it_is_answered_and_the_answer_counts(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, table=unsure()) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            (ruling,) = at.heard.rulings()
            assert (ruling["provisional"], ruling["saved"], ruling["sealed"]) == (True, True, False)
            (ask,) = ruling["asks"]
            assert ask["question"] == "Which piece fell in NE?"
            (alert,) = at.heard.alerts("ask-2")
            assert (alert.level, alert in at.heard.of("standing")) == ("ask", True)
            answer = await at.say({"event": "answer", "ask": ask["ask"], "choice": "black"})
            assert answer["left"] == {"white": 9, "black": 8, "queen": 1}
            assert answer["sealed"]
            assert at.desk.umpire.latest_stroke().ruling["sealed"]
            assert at.heard.of("resolved")[-1] == "ask-2"
            assert at.desk.shown.standing.alerts == ()
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
            await at.say({"event": "answer", "ask": question.ask, "choice": choice})
            assert at.desk.umpire.questions() == ()
            now = at.desk.umpire.latest_stroke().ruling
            assert [foul["clause"] for foul in now["fouls"] if foul["status"] == "ruled"] == fouls

    run(story("foul", ["icf-33"]))
    run(story("no foul", []))


def test_what_was_answered_stands_in_the_history_and_is_what_a_correction_begins_with(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, table=unsure()) as at:
            view = DeskView(at.desk, None, lambda: None)
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            for choice in ("black", "white"):
                await at.say({"event": "answer", "ask": 2, "choice": choice})
                stroke = next(one for one in view.snapshot(umpire=True).history if one["seq"] == 2)
                assert [fell["piece"] for fell in stroke["fell"]] == [choice]
                assert stroke["told"]
                assert [fell["piece"] for fell in view.stroke(2)["pocketed"]] == [choice]
                assert not view.stroke(2).get("doubts")
                undone = {"event": "set", "position": {}}
                await at.say({"event": "correct", "seq": at.entries[-1].seq, "with": undone, "reason": "taken back"})
                stroke = next(one for one in view.snapshot(umpire=True).history if one["seq"] == 2)
                assert not stroke["told"]

    run(story())


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


async def missed(at: Scene) -> SeenPiece:
    """A black goes from the board unfelt, long enough to be asked about; returns it."""
    await at.arm()
    gone = at.table.pieces.pop(BLACK)
    await at.wait(3000)
    return gone


def test_a_piece_that_is_gone_unfelt_stands_as_an_alert_and_its_answer_is_an_event(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            gone = await missed(at)
            ((name, mismatch),) = at.desk.shown.mismatches.items()
            assert name == "board-missing"
            assert any(alert.id == name for alert in at.heard.of("standing"))
            refused = await at.say({"event": "answer", "ask": name, "choice": "it flew away"})
            assert "choice must be one of" in refused["error"]
            assert name in at.desk.shown.mismatches, "a wrong answer settles nothing"
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
            gone = await missed(at)
            assert "board-missing" in at.desk.shown.standing
            at.table.pieces.insert(BLACK, gone)
            await at.wait(3000)
            assert at.desk.shown.mismatches == {}
            assert "board-missing" not in at.desk.shown.standing
            assert len(at.entries) == 1

    run(story())


def test_the_board_is_accepted_as_it_lies_and_the_score_stays(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            view = DeskView(at.desk, None, lambda: None)
            before = at.desk.umpire.latest
            await missed(at)
            (question,) = view.snapshot(umpire=True).asks
            answer = {"event": "answer", "ask": question["ask"], "choice": AS_IT_LIES}
            assert AS_IT_LIES in question["choices"]
            (left,) = [one for one in view.preview(answer)["differences"] if one["figure"] == "left"]
            assert left["now"]["black"] == before["left"]["black"] - 1
            said = await at.say(answer)
            assert (said["closed"], said["ruled"]) == (question["ask"], [entry.seq for entry in at.entries[-2:]])
            now = at.desk.umpire.latest
            assert (now["left"], now["score"], now["turn"]) == (left["now"], before["score"], before["turn"])
            assert [entry.event["event"] for entry in at.entries[-2:]] == ["set", "placed"]
            await at.wait(5000)
            assert at.desk.shown.mismatches == {}
            assert view.snapshot(umpire=True).asks == []

    run(story())


def test_an_answer_from_which_nothing_followed_is_taken_back_while_the_board_still_differs(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            gone = await missed(at)
            (mismatch,) = at.desk.shown.mismatches.values()
            noted = next(one.says for one in mismatch.choices if one.event is None)
            answer = {"event": "answer", "ask": "board-missing"}
            said = await at.say(answer | {"choice": noted})
            assert (said["closed"], said["ruled"]) == ("board-missing", [])
            assert at.desk.shown.mismatches == {}
            await at.say(answer | {"choice": "ask again"})
            assert list(at.desk.shown.mismatches) == ["board-missing"]
            await at.say(answer | {"choice": noted})
            at.table.pieces.insert(BLACK, gone)
            await at.wait(3000)
            assert "error" in await at.say(answer | {"choice": "ask again"}), "it fits: nothing is asked"
            assert at.desk.shown.mismatches == {}
            assert len(at.entries) == 1

    run(story())


def test_a_board_that_is_not_seen_whole_is_not_accepted(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            gone = await missed(at)
            answer = {"event": "answer", "ask": "board-missing", "choice": AS_IT_LIES}
            whole = at.desk.shown.seen_board
            at.desk.shown.seen_board = replace(whole, hidden=(((0, 0), (9, 0), (9, 9)),))
            assert "hidden" in (await at.say(answer))["error"]
            at.desk.shown.seen_board = replace(whole, pieces=tuple(one for one in whole.pieces if one.piece != "queen"))
            assert "queen" in (await at.say(answer))["error"]
            at.desk.shown.seen_board = replace(whole, pieces=(*whole.pieces, replace(gone, piece="unknown")))
            assert "not recognised" in (await at.say(answer))["error"]
            assert len(at.entries) == 1

    run(story())


async def asked_in_the_dark(at: Scene) -> dict[str, Any]:
    """A piece falls while there is no picture; returns the question what it was."""
    await at.arm()
    at.table.now += 5000 * MS
    await at.feed(*at.table.edges("NE", at.table.now))
    await at.wait(4000, eyes=False)
    (ask,) = at.desk.umpire.latest["asks"]
    return ask


def test_a_stroke_played_before_an_answer_that_it_needs_waits_and_is_not_lost(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            ask = await asked_in_the_dark(at)
            at.table.pieces.pop(WHITE)
            await at.play(Fall(WHITE, "SW"))
            assert len(at.heard.rulings()) == 1
            assert "shot waits: question 2" in at.heard.alerts("refused")[-1].says
            await at.say({"event": "answer", "ask": ask["ask"], "choice": "white"})
            assert [entry.event["event"] for entry in at.entries] == ["start", "shot", "answer", "shot"]
            assert at.entries[-1].event["pocketed"][0]["pocket"] == "SW"
            assert at.desk.umpire.latest["left"] == {"white": 8, "black": 8, "queen": 1}
            assert "refused" in at.heard.of("resolved")

    run(story())


def test_a_stroke_that_waits_as_felt_and_as_seen_is_one_stroke(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            ask = await asked_in_the_dark(at)
            stroke, edges = at.table.stroke((Fall(WHITE, "SW"),))
            await at.feed(*edges)
            await at.wait(4000, eyes=False)
            assert "shot waits" in at.heard.alerts("refused")[-1].says
            # The eyes were only cut off: what was felt is the fall of a stroke that they saw.
            await at.feed(stroke)
            await at.wait(3000)
            await at.say({"event": "answer", "ask": ask["ask"], "choice": "black"})
            assert [entry.event["event"] for entry in at.entries].count("shot") == 2

    run(story())


def test_a_stroke_the_eyes_process_died_in_is_ruled_on_and_told(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.wait(1000)
            await at.feed(MotionBegan(at.table.now, "striker", (0.0, -200.0)))
            at.table.now += 500 * MS
            await at.feed(EyesLeft(), *at.table.edges("NE", at.table.now))
            at.table.pieces.pop(WHITE)
            at.table.now += 1000 * MS
            await at.wait(3000)
            (ruling,) = at.heard.rulings()
            assert ruling["left"]["white"] == 8
            assert "placement" in ruling["unseen"]
            (told,) = at.heard.alerts("board-unseen-change")
            assert "no picture" in told.says
            assert "board-unseen-change" in at.desk.shown.standing

    run(story())


# -- readings that change


def test_beams_that_come_late_correct_the_stroke(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            _, edges = await at.play_unfelt()
            first = at.heard.rulings()[0]
            await at.feed(*edges)
            await at.wait(500)
            (corrected,) = at.heard.rulings("correct")
            assert at.entries[-1].event["seq"] == first["seq"] == 2
            assert corrected["left"]["white"] == 8
            assert at.desk.umpire.questions() == ()

    run(story())


def test_beams_that_come_late_and_only_say_better_when_it_fell_correct_nothing(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke, edges = at.table.stroke((Fall(WHITE, "NE"),))
            await at.feed(*(edge for edge in edges if edge.beam == "lower"), stroke)
            await at.wait(3000)
            assert at.heard.rulings()[0]["left"]["white"] == 8
            await at.feed(*(edge for edge in edges if edge.beam == "upper"))
            await at.wait(500)
            assert [entry.event["event"] for entry in at.entries] == ["start", "shot"]

    run(story())


def test_what_a_person_has_answered_no_late_beam_undoes(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            _, edges = await at.play_unfelt()
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
