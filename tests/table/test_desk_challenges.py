"""What a table does while a challenge waits for its verdict: time stands, strokes wait, nothing is read anew."""

from __future__ import annotations

from typing import Any

import pytest

from controller.events.errors import EventError
from controller.table.outlets.pages import DeskView
from tests.shots.table import Fall
from tests.table.kit import UNDER_WAY, WHITE, Scene, run, scene
from tests.table.test_desk_questions import asked_in_the_dark
from tests.table.test_evidence import numbered

START = UNDER_WAY | {"policy": {"challenges": 1, "round_minutes": 20}}
CHALLENGE = {"event": "challenge", "seat": "north", "stroke": 2, "about": "count"}


def verdict(result: str, seq: int = 3, **more: Any) -> dict[str, Any]:
    return {"event": "verdict", "challenge": seq, "result": result, "by": "Chitra", **more}


async def challenged(at: Scene) -> None:
    """South has pocketed a white piece, and north asks for another look."""
    await at.arm()
    await at.play(Fall(WHITE, "NE"))
    answer = await at.say(CHALLENGE)
    assert (answer["challenges_left"], answer["saved"]) == ({"south": 1, "north": 1}, True)


async def photographed(at: Scene) -> int:
    """A stroke of which the ring has pictures. Returns its number."""
    south = at.desk.umpire.latest["turn"] == "south"
    stroke, _ = at.table.stroke((), (0.0, -250.85 if south else 250.85), 90.0 if south else -90.0)
    await at.feed(numbered(stroke))
    await at.wait(600)
    return at.desk.umpire.seq


def test_both_clocks_stand_until_the_verdict_and_the_figures_stay(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await challenged(at)
            before, round_left = at.everybody.score().sides, at.everybody.score().round.left
            await at.wait(30_000)
            score = at.everybody.score()
            assert (score.clock.running, score.round.running) == (False, False)
            assert (score.round.left, score.sides) == (round_left, before)
            assert "stroke-clock" not in at.desk.shown.standing
            await at.say(verdict("rejected"))
            score = at.everybody.score()
            assert (score.clock.running, score.round.running) == (True, True)
            assert score.sides == before

    run(story())


def test_an_upheld_one_puts_the_stroke_right_and_is_there_after_a_restart(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await challenged(at)
            shot = at.desk.umpire.event(2) | {"pocketed": []}
            table = at.table
        async with scene(tmp_path, START, table=table) as at:
            assert not at.desk.umpire.expectation().play, "the challenge waits still"
            answer = await at.say(verdict("upheld", **{"with": shot}))
            assert (answer["left"]["white"], answer["turn"], answer["changed"][0]["seq"]) == (9, "north", 2)
        async with scene(tmp_path, START, table=table) as at:
            assert at.desk.umpire.latest["challenge"]["result"] == "upheld"
            assert at.desk.umpire.standing().challenges == ()
            assert at.desk.rulings.strokes.is_a_persons(2)

    run(story())


def test_beams_that_come_late_change_no_challenged_stroke(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            _, edges = await at.play_unfelt()
            everybodys: list[str] = []
            at.heard.on_public_alert = lambda alert: everybodys.append(alert.id)
            await at.say(CHALLENGE)
            await at.feed(*edges)
            await at.wait(500)
            assert at.heard.rulings("correct") == []
            assert "look at it" in at.heard.alerts("late-2")[-1].says
            assert "late-2" not in everybodys

    run(story())


def test_a_stroke_that_waited_for_an_answer_waits_for_the_verdict_too_and_is_not_lost(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            at.table.pieces.pop(WHITE)
            ask = await asked_in_the_dark(at)
            await at.play(Fall(WHITE, "SW"))
            assert "shot waits: question 3" in at.heard.alerts("refused")[-1].says
            await at.say(CHALLENGE)
            await at.say({"event": "answer", "ask": ask["ask"], "choice": "white"})
            assert "shot waits: challenge 4" in at.heard.alerts("refused")[-1].says
            await at.say(verdict("inconclusive", 4))
            events = [entry.event["event"] for entry in at.entries]
            assert events == ["start", "shot", "shot", "challenge", "answer", "verdict", "shot"]

    run(story())


def test_the_score_says_who_challenges_and_what_is_left_and_stays_until_the_verdict(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await at.arm()
            assert at.everybody.score().challenges_left == {"south": 1, "north": 1}
            await at.play(Fall(WHITE, "NE"))
            before = at.everybody.score()
            await at.say(CHALLENGE)
            now = at.everybody.score()
            assert (now.challenge.side, now.challenge.stroke, now.challenge.about) == ("north", 2, "count")
            assert (now.sides, now.turn) == (before.sides, before.turn)
            waits = at.heard.alerts("challenge-3")[-1]
            assert (waits.level, waits.says) == ("ask", "north challenges stroke 2: count")
            await at.say(verdict("rejected"))
            now = at.everybody.score()
            assert (now.challenge, now.challenges_left) == (None, {"south": 1, "north": 0})
            assert "challenge-3" not in at.desk.shown.standing

    run(story())


def test_what_nobody_decides_in_time_is_inconclusive_and_a_restart_begins_the_time_anew(tmp_path) -> None:
    limited = UNDER_WAY | {"policy": {"challenges": 1, "challenge_minutes": 1}}

    async def story() -> None:
        async with scene(tmp_path, limited) as at:
            await challenged(at)
            await at.wait(59_000)
            assert at.desk.umpire.standing().challenges
            table = at.table
        async with scene(tmp_path, limited, table=table) as at:
            await at.wait(59_000)
            assert at.desk.umpire.standing().challenges, "nobody could decide while the table was off"
            await at.wait(2_000)
            assert at.desk.umpire.latest["challenge"]["result"] == "inconclusive"
            assert at.entries[-1].event["reason"] == "nobody decided within 1 min"
            assert at.desk.umpire.standing().challenges_left == {"south": 1, "north": 1}

    run(story())


@pytest.mark.parametrize(("policy", "kept"), [({"challenges": 1}, 10), ({}, 0)])
def test_the_latest_strokes_are_kept_for_whoever_challenges_one(tmp_path, policy, kept) -> None:
    async def story() -> None:
        async with scene(tmp_path, UNDER_WAY | {"policy": policy}) as at:
            at.takes_pictures(range(95, 130))
            await at.arm()
            played = [await photographed(at) for _ in range(12)]
            await at.desk.keeping.done()
            there = [seq for seq in played if at.desk.shown.kept(seq) is not None]
            assert there == played[len(played) - kept :]

    run(story())


def test_a_challenged_stroke_stays_when_others_have_come(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            at.takes_pictures(range(95, 130))
            await at.arm()
            stroke = await photographed(at)
            await at.say(CHALLENGE | {"stroke": stroke})
            await at.say(verdict("inconclusive"))
            for _ in range(11):
                await photographed(at)
            await at.desk.keeping.done()
            assert at.desk.shown.kept(stroke) is not None

    run(story())


def test_where_a_jury_decides_nobody_else_upholds_or_rejects_and_the_referee_is_none(tmp_path) -> None:
    by_another = UNDER_WAY | {"referee": "Dina Roy", "policy": {"challenges": 1, "challenge_by": "another"}}

    async def story() -> None:
        async with scene(tmp_path, by_another) as at:
            view = DeskView(at.desk, None, lambda: None)
            with pytest.raises(EventError, match="no challenge waits"):
                view.let_in_juror("Chitra")
            await challenged(at)
            with pytest.raises(EventError, match="Dina Roy is this match's referee"):
                view.let_in_juror("dina  roy")
            with pytest.raises(EventError, match="say who decides"):
                view.let_in_juror(None)
            assert view.let_in_juror("Chitra")["path"].startswith("/join#")
            for result in ("upheld", "rejected"):
                assert "a jury decides" in (await at.say(verdict(result)))["error"]
            # Let in at an earlier match, whose referee was another.
            refused = await at.say(verdict("rejected", by="Dina Roy"), jury=True)
            assert "Dina Roy is this match's referee" in refused["error"]
            assert (await at.say(verdict("rejected"), jury=True))["challenge"]["result"] == "rejected"
            other = {"event": "correct", "seq": at.desk.umpire.seq, "with": verdict("inconclusive")}
            assert "error" not in await at.say(other)
            upheld = verdict("upheld", **{"with": at.desk.umpire.event(2) | {"pocketed": []}})
            assert "a jury decides" in (await at.say(other | {"with": upheld}))["error"], "nor by way of a correction"
            await at.play(Fall(WHITE, "NE"))
            await at.say(CHALLENGE | {"stroke": at.desk.umpire.seq, "seat": "south"})
            said = await at.say(verdict("inconclusive", at.desk.umpire.seq))
            assert said["challenge"]["result"] == "inconclusive", "play goes on where no jury is to be had"

    run(story())


def test_where_anyone_decides_so_may_the_referee(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START | {"referee": "Dina Roy"}) as at:
            await challenged(at)
            assert DeskView(at.desk, None, lambda: None).let_in_juror("Dina Roy")["event"] == "jury"
            assert (await at.say(verdict("rejected")))["challenge"]["result"] == "rejected"

    run(story())
