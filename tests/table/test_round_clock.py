"""The round clock: it ends a round once, by the time that was played, and leaves the last word to the umpire."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from controller.events.errors import DeviceError
from controller.events.observation import MotionBegan
from controller.rules import Standing
from controller.table.match.round_clock import RoundClock
from tests.shots.table import Fall, Table
from tests.table.kit import UNDER_WAY, WHITE, S, Scene, run, scene

MIN = 60 * S
START = UNDER_WAY | {"policy": {"round_minutes": 20}}
MISS = {"event": "shot", "seat": "south"}
TAKE_BACK = {"event": "set", "position": {}}


async def later(at: Scene, minutes: float) -> None:
    """Time passes by the table's clock, and nothing happens."""
    at.table.now += round(minutes * MIN)
    await at.desk.tick()


async def begun(at: Scene, minutes: float = 0.0) -> None:
    """The first stroke was played so long ago."""
    assert "error" not in await at.say(MISS)
    await later(at, minutes)


def ends(at: Scene) -> list[int]:
    """The rulings on an end of the round, by number."""
    return [entry.seq for entry in at.entries if entry.event["event"] == "round_over"]


def shown(at: Scene):
    return at.everybody.score().round


def left(at: Scene) -> float:
    return shown(at).left


@pytest.mark.clause("club-90")
def test_the_round_ends_once_when_its_time_was_played_and_not_before(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START | {"book": "club", "white": "south"}) as at:
            await begun(at, 19.99)
            assert (ends(at), shown(at).over, shown(at).running) == ([], False, True)
            await later(at, 0.02)
            await later(at, 5)
            assert ends(at) == [3]
            assert at.heard.rulings("round_over")[0]["cites"] == ["club-90"]
            assert (shown(at).over, at.entries[-1].source) == (True, "clock")

    run(story())


@pytest.mark.parametrize("minutes", [0, None])
def test_without_a_limit_no_clock_runs(tmp_path, minutes) -> None:
    async def story() -> None:
        policy = {} if minutes is None else {"policy": {"round_minutes": minutes}}
        async with scene(tmp_path, UNDER_WAY | policy) as at:
            await begun(at, 10_000)
            assert (ends(at), shown(at)) == ([], None)

    run(story())


def test_a_start_brings_its_own_limit_and_a_new_time(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await begun(at, 19)
            assert "error" not in await at.say(UNDER_WAY | {"policy": {"round_minutes": 2}})
            await begun(at, 1.9)
            assert (ends(at), left(at)) == ([], pytest.approx(6))
            await later(at, 0.2)
            assert ends(at) == [3]

    run(story())


@pytest.mark.parametrize(
    ("events", "minutes"),
    [
        # Each event, and a minute after it. What is counted: the minutes in which the round runs.
        ("start", 0),
        ("start shot", 1),
        ("start play", 1),
        ("start trial", 0),
        ("start trial play", 1),
        ("start trial shot play", 1),
        ("start play trial play", 2),
        ("start seats pause resume", 0),
        ("start shot pause", 1),
        ("start shot pause resume", 2),
        ("start shot pause play shot", 3),
        ("start shot timeout", 2),
        ("start shot forfeit", 1),
    ],
)
def test_what_counts_as_the_rounds_time(tmp_path, events, minutes) -> None:
    words = {
        "timeout": {"event": "timeout", "seat": "north"},
        "seats": {"event": "seats", "seats": {"south": "Ben", "north": "Asha"}},
        "forfeit": {"event": "call", "action": "forfeit", "seat": "south"},
        "start": START | {"position": {}} if "trial" in events else START,
    }

    async def story() -> None:
        async with scene(tmp_path, START) as at:
            for word in events.split():
                seat = at.desk.umpire.latest["turn"] or "south"
                event = words.get(word, {"event": word} | ({"seat": seat} if word == "shot" else {}))
                assert "error" not in await at.say(event), event
                await later(at, 1)
            assert left(at) == (20 - minutes) * 60

    run(story())


def test_between_two_boards_the_time_runs_and_its_end_decides_the_match(tmp_path) -> None:
    async def story() -> None:
        # Black has one piece left and pockets it: the board is over.
        position = {"left": {"white": 4, "black": 1}, "queen": "covered", "queen_side": "north", "turn": "north"}
        async with scene(tmp_path, START | {"position": position}) as at:
            assert "error" not in await at.say({"event": "shot", "seat": "north", "pocketed": [{"piece": "black"}]})
            assert at.desk.umpire.latest["board"]["over"]
            await later(at, 19)
            assert ends(at) == []
            await later(at, 2)
            assert ends(at) == [3]
            assert at.desk.umpire.latest["match_over"]
            assert at.desk.umpire.latest["winner"] == "north"

    run(story())


def test_a_stroke_under_way_is_ruled_on_before_the_round_ends(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await at.arm()
            await at.play()
            at.table.now += round(left(at) * S) - S
            await at.wait(500)
            stroke, edges = at.table.stroke((Fall(WHITE, "NE"),))
            await at.feed(MotionBegan(stroke.began_ns, "striker", (0.0, -250.0)))
            at.table.now = stroke.ended_ns
            await at.desk.tick()
            assert left(at) == 0.0
            assert ends(at) == []
            await at.feed(*sorted([*edges, stroke], key=lambda one: one.t_ns))
            await at.wait(1000)
            assert [entry.event["event"] for entry in at.entries[-2:]] == ["shot", "round_over"]

    run(story())


def test_a_stroke_that_ends_the_match_as_the_time_runs_out_leaves_nothing_to_end(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await begun(at)
            at.table.now += 21 * MIN
            assert "error" not in await at.say({"event": "call", "action": "forfeit", "seat": "south"})
            await later(at, 1)
            assert (ends(at), at.heard.alerts("refused")) == ([], [])

    run(story())


def test_motion_that_never_comes_to_rest_does_not_keep_the_round_going(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await at.arm()
            await at.play()
            at.table.now += round(left(at) * S) - S
            await at.wait(500)
            await at.feed(MotionBegan(at.table.now, "striker", (0.0, -250.0)))
            await at.wait(10_000, boards=False)
            assert ends(at) == []
            await at.wait(10_000, boards=False)
            assert len(ends(at)) == 1

    run(story())


@pytest.mark.parametrize("again", [False, True])
def test_an_end_that_was_taken_back_stays_so(tmp_path, again) -> None:
    async def story() -> None:
        table = Table()
        async with scene(tmp_path, START, table=table) as at:
            await begun(at, 21)
            (seq,) = ends(at)
            assert "error" not in await at.say({"event": "correct", "seq": seq, "with": TAKE_BACK})
            await later(at, 30)
            assert (shown(at).over, shown(at).by_hand) == (False, True)
            assert len(ends(at)) == 1
        if again:
            async with scene(tmp_path, START, table=table) as at:
                await later(at, 1)
                assert (shown(at).by_hand, len(ends(at))) == (True, 1)
                assert "error" not in await at.say({"event": "round_over"})
                assert shown(at).over

    run(story())


def test_an_end_called_by_hand_is_the_umpires_and_taken_back_early_the_clock_goes_on(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await begun(at, 5)
            said = await at.say({"event": "round_over"})
            await later(at, 5)
            assert "error" not in await at.say({"event": "correct", "seq": said["seq"], "with": TAKE_BACK})
            assert (shown(at).by_hand, left(at)) == (False, 10 * 60)
            await later(at, 9)
            assert len(ends(at)) == 1
            await later(at, 2)
            assert len(ends(at)) == 2

    run(story())


def test_an_end_called_by_hand_and_taken_back_after_the_time_is_not_called_again(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await begun(at, 19)
            said = await at.say({"event": "round_over"})
            await later(at, 5)
            assert "error" not in await at.say({"event": "correct", "seq": said["seq"], "with": TAKE_BACK})
            await later(at, 5)
            assert (ends(at), shown(at).by_hand) == ([said["seq"]], True)

    run(story())


def test_a_longer_round_gives_the_clock_its_word_back(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await begun(at, 21)
            await at.say({"event": "correct", "seq": ends(at)[0], "with": TAKE_BACK})
            await at.say({"event": "correct", "seq": 1, "with": START | {"policy": {"round_minutes": 25}}})
            assert (left(at), shown(at).by_hand) == (4 * 60, False)
            await later(at, 3)
            assert len(ends(at)) == 1
            await later(at, 2)
            assert len(ends(at)) == 2

    run(story())


def standing(**now: bool) -> Standing:
    """What of a match the clock reads."""
    told = {"paused": False, "challenges": (), "trial": False, "match_over": False, "round_over": False} | now
    return cast(Standing, SimpleNamespace(policy={"round_minutes": 20}, **told))


def test_a_ruling_whose_time_nobody_noted_costs_only_what_nobody_can_know() -> None:
    runs = RoundClock().ruled("start", standing(), 0).ruled("play", standing(), 1 * MIN)
    on = runs.ruled("shot", standing(), None).ruled("shot", standing(), 6 * MIN)
    assert (on.played_ns, on.uncounted) == (5 * MIN, False), "it went on all the time"
    stopped = runs.ruled("pause", standing(paused=True), None).ruled("resume", standing(), 6 * MIN)
    assert (stopped.played_ns, stopped.uncounted) == (0, True), "nobody knows how long it ran before the stop"
    started = RoundClock().ruled("start", standing(), 0).ruled("play", standing(), None)
    assert started.ruled("shot", standing(), 6 * MIN) == RoundClock(1200.0, 0, 6 * MIN, True, True, uncounted=True)


def test_an_end_that_is_refused_is_tried_again_after_the_next_ruling_only(tmp_path, monkeypatch) -> None:
    async def story() -> None:
        async with scene(tmp_path, START) as at:
            await begun(at, 19)
            taken, tried = at.desk.umpire.take, []

            def refusing(what):
                kind = getattr(what, "event", None)
                tried.append(kind)
                return taken({"event": "answer", "ask": 99, "choice": "white"} if kind == "round_over" else what)

            monkeypatch.setattr(at.desk.umpire, "take", refusing)
            await later(at, 2)
            await later(at, 2)
            assert tried == ["round_over"]
            assert "not taken" in at.heard.alerts("refused")[-1].says
            await at.say({"event": "pause"})
            monkeypatch.undo()
            await later(at, 0)
            assert len(ends(at)) == 1

    run(story())


# -- a restart in the middle


def test_a_restart_counts_what_was_played_before_it_and_while_the_daemon_was_away(tmp_path) -> None:
    async def story() -> None:
        table = Table()
        async with scene(tmp_path, START, table=table) as at:
            await begun(at, 5)
            await at.say({"event": "pause"})
            await later(at, 3)
            await at.say({"event": "resume"})
            await later(at, 4)
        table.now += 2 * MIN
        async with scene(tmp_path, START, table=table) as at:
            assert (left(at), shown(at).uncounted) == (9 * 60, False)
            at.desk.announce()
            assert at.heard.alerts("round-clock") == []
            await later(at, 8.9)
            assert ends(at) == []
            await later(at, 0.2)
            assert len(ends(at)) == 1
        async with scene(tmp_path, START, table=table) as at:
            await later(at, 1)
            assert len(ends(at)) == 1

    run(story())


@pytest.mark.parametrize(("now", "run_of"), [(0, "tuesday"), (10**6, "tuesday"), (0, "monday")])
def test_after_the_machine_was_off_the_time_goes_on_from_the_last_ruling_and_says_so(tmp_path, now, run_of) -> None:
    """Whatever the new run of the clock has counted to: 0, or more than the run before. A simulated clock that begins
    anew has the name of the one before."""

    async def story() -> None:
        async with scene(tmp_path, START, clock="monday") as at:
            await begun(at, 5)
            await at.say({"event": "shot", "seat": "north"})
            await later(at, 3)
        table = Table()
        table.now = now * S
        async with scene(tmp_path, START, table=table, clock=run_of) as at:
            at.desk.announce()
            assert (left(at), shown(at).uncounted) == (15 * 60, True)
            assert at.heard.alerts("round-clock")[0].level == "warning"
            await later(at, 14)
            assert ends(at) == []
            await at.say({"event": "round_over"})
            assert "round-clock" in at.heard.of("resolved")
        # A second restart counts the same again.
        async with scene(tmp_path, START, table=table, clock=run_of) as at:
            assert (left(at), shown(at).uncounted) == (60, True)

    run(story())


@pytest.mark.parametrize("last", ["limit", "no limit", "match over"])
def test_only_a_round_that_the_clock_will_end_is_a_warning(tmp_path, last) -> None:
    async def story() -> None:
        start = UNDER_WAY if last == "no limit" else START
        async with scene(tmp_path, start, clock="monday") as at:
            await begun(at, 5)
        async with scene(tmp_path, start, clock="tuesday") as at:
            if last == "match over":
                await at.say({"event": "call", "action": "forfeit", "seat": "south"})
            at.desk.announce()
            assert len(at.heard.alerts("round-clock")) == (last == "limit")

    run(story())


def test_a_table_that_is_off_in_a_pause_loses_nothing(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path, START, clock="monday") as at:
            await begun(at, 5)
            await at.say({"event": "pause"})
        async with scene(tmp_path, START, clock="tuesday") as at:
            at.desk.announce()
            assert (left(at), shown(at).uncounted) == (15 * 60, False)
            assert at.heard.alerts("round-clock") == []
            await at.say({"event": "resume"})
            await later(at, 15.1)
            assert len(ends(at)) == 1

    run(story())


def test_killed_before_the_end_was_written_it_comes_once_after_the_start(tmp_path) -> None:
    async def story() -> None:
        table = Table()
        async with scene(tmp_path, START, table=table) as at:
            await begun(at, 19.9)
        table.now += MIN
        async with scene(tmp_path, START, table=table) as at:
            await later(at, 0)
            await later(at, 0)
            assert len(ends(at)) == 1

    run(story())


def test_killed_when_the_end_was_written_and_shown_to_nobody_it_stands_and_does_not_come_again(tmp_path) -> None:
    async def story() -> None:
        table = Table()
        async with scene(tmp_path, START, table=table) as at:
            await begun(at, 19.9)
            table.now += MIN

            class Killed(BaseException):
                pass

            def killed(*_told, **_more):
                raise Killed

            at.desk.shown.tell = killed
            with pytest.raises(Killed):
                await at.desk.tick()
        async with scene(tmp_path, START, table=table) as at:
            await later(at, 1)
            assert (len(ends(at)), shown(at).over) == (1, True)

    run(story())


def test_an_end_that_reached_only_the_spool_is_not_called_again(tmp_path) -> None:
    async def story() -> None:
        table = Table()
        async with scene(tmp_path, START, table=table) as at:
            await begun(at, 19.9)
            at.hold_commits()
            await later(at, 1)
            assert at.heard.rulings("round_over")[0]["saved"] is False

            def full(*_entry: object, **_more: object) -> None:
                raise DeviceError("no room")

            at.journal.append = full
        async with scene(tmp_path, START, table=table) as at:
            await later(at, 1)
            told = [entry.event["event"] for entry in at.desk.shown.history]
            assert (told, shown(at).over) == (["start", "shot", "round_over"], True)

    run(story())


def test_entries_of_which_nobody_noted_when_they_came_are_not_guessed(tmp_path) -> None:
    """A table that cannot tell one run of its clock from another notes nothing."""

    async def story() -> None:
        table = Table()
        async with scene(tmp_path, START, table=table, clock="") as at:
            await begun(at, 5)
        async with scene(tmp_path, START, table=table, clock="") as at:
            assert (left(at), shown(at).uncounted) == (20 * 60, True)

    run(story())
