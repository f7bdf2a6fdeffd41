"""The stroke clock: whose time runs since when, and that nobody is late by what nobody saw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.events.expectation import Expectation
from controller.events.observation import EyesHealth, MotionBegan
from controller.table.machine.health import Health
from controller.table.match.stroke_clock import StrokeClock, Turn, after_ruling
from controller.table.match.turn_clock import TurnClock
from tests.shots.table import Fall, Table, coin, hand
from tests.table.kit import UNDER_WAY, WHITE, S, run, scene

LIMIT = StrokeClock(15.0)
NEXT = Turn("south", waits=False, opening=False, event="shot", anew=True)


@pytest.mark.clause("icf-50")
@pytest.mark.parametrize(
    ("turn", "kept", "striker", "since", "awaits"),
    [
        (NEXT, True, (0.0, 0.0), 5 * S, None),
        (NEXT, False, (0.0, 0.0), None, (0.0, 0.0)),
        (NEXT, False, None, 5 * S, None),
        (replace(NEXT, waits=True), True, None, None, None),
        (replace(NEXT, seat=None), True, None, None, None),
        (replace(NEXT, opening=True, event="next_board"), False, None, None, None),
        (replace(NEXT, opening=True, event="play"), False, None, 5 * S, None),
        (replace(NEXT, event="placed"), False, (0.0, 0.0), 5 * S, None),
        (replace(NEXT, event="resume"), False, (0.0, 0.0), 5 * S, None),
    ],
)
def test_when_a_strokes_time_begins(turn, kept, striker, since, awaits) -> None:
    clock = after_ruling(LIMIT, turn, 5 * S, striker, kept=kept)
    assert (clock.since_ns, clock.striker_mm) == (since, awaits)


def test_a_word_about_something_else_changes_nobodys_time() -> None:
    running = LIMIT.started(3 * S)
    said = replace(NEXT, event="answer", anew=False)
    assert after_ruling(running, said, 9 * S, None, kept=False) == running
    assert after_ruling(LIMIT.awaiting((1.0, 1.0)), said, 9 * S, None, kept=False).striker_mm == (1.0, 1.0)


def test_what_is_left_and_when_it_has_run_out() -> None:
    clock = LIMIT.started(10 * S)
    assert clock.left_s(12 * S) == 13.0
    assert clock.left_s(40 * S) == 0.0
    assert not clock.ran_out(25 * S)
    assert clock.ran_out(26 * S)
    assert StrokeClock(None, 10 * S).left_s(12 * S) is None
    assert not StrokeClock(None, 10 * S).ran_out(10**6 * S)


async def played(at):
    """A stroke that pockets nothing, after which the striker still lies on the board."""
    await at.arm()
    stroke, _ = at.table.stroke(())
    await at.feed(stroke)
    at.table.pieces.append(coin("striker", 0.0, 200.0))
    return stroke


def test_a_stroke_under_way_is_not_late_and_placing_the_striker_stops_nothing() -> None:
    moving = LIMIT.started(10 * S).moved(24 * S)
    assert moving.left_s(30 * S) == 1.0
    assert not moving.ran_out(30 * S)
    assert moving.rested(27 * S).left_s(27 * S) == 0.0


def test_time_begins_when_the_own_stroke_has_come_to_rest(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke = await at.play(Fall(WHITE, "NE"))
            assert at.desk.shown.clock.clock.since_ns == stroke.ended_ns
            assert at.everybody.score().clock.limit == 15.0

    run(story())


def test_the_next_players_time_waits_for_the_striker_to_be_taken(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            stroke = await played(at)
            await at.wait(2000)
            assert at.desk.umpire.latest["turn"] == "north"
            assert at.desk.shown.clock.clock.since_ns is None, "the other's striker still lies there"
            at.table.pieces.pop()
            await at.wait(500)
            began = at.desk.shown.clock.clock.since_ns
            assert began is not None
            assert began > stroke.ended_ns + S
            second, _ = at.table.stroke((), at=(0.0, 250.85), heading=-90.0)
            await at.feed(second)
            await at.wait(600)
            shot = at.entries[-1].event
            assert shot["seat"] == "north"
            assert shot["elapsed"] == pytest.approx((second.began_ns - began) / 1e9, abs=1e-3)

    run(story())


def test_a_time_that_ran_out_is_an_alert_and_rules_nothing(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            await at.wait(13_000)
            assert "stroke-clock" not in at.desk.shown.standing
            await at.wait(4_000)
            (alert,) = at.heard.alerts("stroke-clock")
            assert (alert.level, alert.seat, alert.says) == ("warning", "south", "time is up: no stroke in 15 s")
            assert len(at.entries) == 2
            await at.say({"event": "timeout", "seat": "south"})
            assert "stroke-clock" in at.heard.of("resolved")

    run(story())


@pytest.mark.clause("icf-50")
@pytest.mark.parametrize(("word", "status"), [("rule", "ruled"), ("confirm", "to confirm")])
def test_a_late_stroke_is_ruled_on_as_far_as_the_clause_goes_by_itself(tmp_path, word, status) -> None:
    async def story() -> None:
        async with scene(tmp_path, autonomy={"icf-50": word}) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            await at.wait(16_000)
            await at.play(Fall(WHITE, "SW"))
            assert at.entries[-1].event["elapsed"] > 16
            fouls = at.heard.rulings()[-1]["fouls"]
            assert [(foul["clause"], foul["status"]) for foul in fouls] == [("icf-50", status)]

    run(story())


def test_after_the_camera_was_away_nobody_is_late(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, autonomy={"icf-50": "rule"}) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            await at.feed(EyesHealth(at.table.now + S, "lost", at.table.now))
            assert at.desk.shown.clock.clock.since_ns is None
            await at.wait(20_000)
            await at.play(Fall(WHITE, "SW"))
            assert "elapsed" not in at.entries[-1].event
            assert {"elapsed", "flags.replaced"} <= {*at.entries[-1].event["unseen"]}
            assert at.heard.rulings()[-1]["fouls"] == []
            assert at.heard.alerts("stroke-clock") == []
            await at.wait(2_000)
            await at.play(Fall(WHITE, "SE"))
            assert at.entries[-1].event["elapsed"] > 2
            assert not {"elapsed", "flags.replaced"} & {*at.entries[-1].event.get("unseen", ())}

    run(story())


def test_what_began_before_a_restart_is_named_as_unseen(tmp_path) -> None:
    async def story() -> None:
        table = Table()
        async with scene(tmp_path, table=table) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
        async with scene(tmp_path, table=table) as at:
            await at.arm()
            await at.wait(20_000)
            await at.play(Fall(WHITE, "SW"))
            assert "elapsed" not in at.entries[-1].event
            assert {"elapsed", "flags.replaced"} <= {*at.entries[-1].event["unseen"]}
            await at.wait(2_000)
            await at.play(Fall(WHITE, "SE"))
            assert at.entries[-1].event["elapsed"] > 2
            assert "elapsed" not in at.entries[-1].event.get("unseen", ())

    run(story())


@pytest.mark.parametrize(
    ("kinds", "unseen"),
    [
        ("start", False),
        ("start next_board", False),
        ("start play", True),
        ("start play answer", True),
        ("start play shot next_board answer", False),
    ],
)
def test_before_a_break_no_time_ran_at_a_restart_unless_somebody_had_called(kinds, unseen) -> None:
    clock = TurnClock()
    events = kinds.split()
    clock.goes_on(Expectation("south", (), (), opening=True), {"event": events[-1]}, events, limit_s=15.0)
    assert clock.clock == StrokeClock(15.0, unseen=unseen)


def test_a_restart_while_play_is_stopped_loses_nobodys_time(tmp_path) -> None:
    async def story() -> None:
        table = Table()
        async with scene(tmp_path, table=table) as at:
            await at.say({"event": "pause"})
        async with scene(tmp_path, table=table) as at:
            assert not at.desk.shown.clock.clock.unseen
            await at.arm()
            await at.say({"event": "resume"})
            await at.play(Fall(WHITE, "NE"))
            assert "elapsed" in at.entries[-1].event

    run(story())


def test_a_pause_stops_the_clock_and_play_starts_it_anew(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            await at.say({"event": "pause"})
            assert at.everybody.score().clock.running is False
            await at.wait(20_000)
            await at.say({"event": "resume"})
            assert at.desk.shown.clock.clock.since_ns == at.table.now

    run(story())


def test_before_a_break_nobody_has_called_no_time_runs(tmp_path) -> None:
    start = {key: value for key, value in UNDER_WAY.items() if key != "position"}

    async def story() -> None:
        async with scene(tmp_path, start) as at:
            await at.arm()
            assert at.everybody.score().clock.running is False
            await at.say({"event": "play"})
            assert at.everybody.score().clock.running is True

    run(story())


def test_a_striker_being_placed_shows_the_time_as_it_was_and_then_goes_on(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            at.table.now += S
            await at.feed(MotionBegan(at.table.now, "striker", (0.0, -250.0), True))
            left = at.everybody.score().clock.left
            at.table.now += S
            assert at.everybody.score().clock.left == left
            await at.wait(1000)
            assert at.everybody.score().clock.left == pytest.approx(left - 2.0, abs=0.2)

    run(story())


def test_while_pieces_wait_to_be_placed_no_time_runs(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            await at.play(striker_falls=Fall(0, "SW"))
            assert at.desk.umpire.latest["dues"][0]["pieces"] == 1
            assert at.desk.shown.clock.clock.since_ns is None
            at.table.pieces.append(coin("white", 40.0, 60.0))
            at.table.now += S
            placed = at.table.now
            await at.wait(1500)
            assert at.entries[-1].event["event"] == "placed"
            assert at.desk.shown.clock.clock.since_ns == placed

    run(story())


def test_a_hand_over_the_board_has_not_taken_the_striker_yet(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await played(at)
            await at.wait(1000)
            at.table.pieces.pop()
            over = hand((-50.0, 150.0), (50.0, 150.0), (0.0, 300.0), side="north")
            await at.feed(at.table.board(at.table.pieces, at.table.now + S, hands=(over,)))
            assert at.desk.shown.clock.clock.since_ns is None, "the striker lies under the hand"

    run(story())


def test_where_strokes_are_entered_by_hand_nobody_is_late(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, health=Health(camera="none", node="none", broker="ok")) as at:
            await at.say({"event": "shot", "seat": "south", "pocketed": [{"piece": "white", "pocket": "NE"}]})
            assert at.everybody.score().clock.running
            at.table.now += 60 * S
            await at.desk.tick()
            assert at.heard.alerts("stroke-clock") == []
            assert at.everybody.score().clock.left == 0.0

    run(story())
