"""Matches over restarts: nothing is ruled twice, nothing undone, and each match is one of its own."""

from __future__ import annotations

import pytest

from controller.events.beams import BeamGap
from controller.events.errors import ConfigError
from controller.table.machine.pocket_source import remembering_gaps
from tests.shots.table import Fall, Table, coin, rack
from tests.table.kit import BLACK, MS, UNDER_WAY, WHITE, S, run, scene

START = {"event": "start", "book": "icf", "seats": {"south": "Cara", "north": "Dev"}, "first": "north"}

# -- after a restart


def test_a_restart_goes_on_where_it_stood_and_rules_no_stroke_twice(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            stroke = await at.play(Fall(BLACK, "SW"))
            before, match, table = at.desk.umpire.latest, at.desk.shown.match, at.table
        async with scene(tmp_path, table=table) as at:
            assert at.desk.shown.match == match
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


def test_edges_of_a_stroke_that_was_ruled_on_are_not_another_stroke_after_a_restart(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            table = at.table
            stroke, edges = table.stroke((Fall(WHITE, "NE"),))
            at.journal.store_edges(edges)
            await at.feed(*sorted([*edges, stroke], key=lambda one: one.t_ns))
            await at.wait(600)
            assert [entry.event["event"] for entry in at.entries] == ["start", "shot"]
        async with scene(tmp_path, table=table) as at:
            # The eyes are not back yet: whatever is felt now is read without them.
            await at.wait(8000, eyes=False)
            await at.arm()
            await at.feed(stroke)
            await at.wait(3000)
            assert [entry.event["event"] for entry in at.entries] == ["start", "shot"]

    run(story())


@pytest.mark.parametrize("lost", [True, False])
def test_what_the_node_lost_before_a_crash_is_not_taken_for_silence_after_it(tmp_path, lost) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            table = at.table
            stroke, _ = table.stroke((Fall(WHITE, "NE", felt=False, how="unknown"),))
            told = []
            emit = remembering_gaps(lambda gap: at.desk.scribe.store_edges([gap]).future.result(), told.append)
            gap = BeamGap(stroke.ended_ns, stroke.began_ns, 4, "more edges than the node could keep", "boot")
            if lost:
                emit(gap)
                assert told == [gap]
        async with scene(tmp_path, table=table) as at:
            await at.arm()
            await at.feed(stroke)
            await at.wait(3000)
            (shot,) = [entry.event for entry in at.entries if entry.event["event"] == "shot"]
            likeliest = [fell["piece"] for fell in shot.get("pocketed", [])]
            assert likeliest == (["white"] if lost else []), "beams that are heard say that nothing fell"
            assert shot["doubts"]

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
            stroke, edges = await at.play_unfelt()
            await at.feed(*edges)
            await at.wait(500)
            assert [entry.event["event"] for entry in at.entries] == ["start", "shot", "correct"]
            table = at.table
        async with scene(tmp_path, table=table) as at:
            assert at.desk.rulings.strokes.seq(stroke.began_ns) == 2

    run(story())


def test_a_match_that_cannot_be_ruled_again_is_said_and_the_same_players_begin_anew(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.say(START)
            match = at.desk.shown.match
            at.journal.append(match, 2, {"event": "resume"}, {"seq": 2, "score": {"south": 7}}, 1.0, "elsewhere")
        async with scene(tmp_path) as at:
            at.desk.announce()
            (alert,) = at.heard.alerts("journal-lost")
            assert f"match {match} cannot go on: cannot be ruled again: event 2 (resume)" in alert.says
            assert "after event 2 it stood south 7" in alert.says
            assert "Fix: " in alert.says
            assert [entry.event["seats"] for entry in at.entries] == [START["seats"]]
            assert len(at.journal.events(match)) == 2, "nothing of it is deleted"

    run(story())


def test_a_stroke_of_the_match_before_is_not_ruled_in_the_next_after_a_restart(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke = await at.play(Fall(WHITE, "NE"))
            await at.wait(2000)
            await at.say(UNDER_WAY)
            table = at.table
        async with scene(tmp_path, table=table) as at:
            await at.arm()
            # Eyes that were cut off say their latest strokes again.
            await at.feed(stroke)
            await at.wait(3000)
            assert [entry.event["event"] for entry in at.entries] == ["start"]

    run(story())


def test_a_stroke_that_is_said_twice_before_it_is_read_is_one(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke, edges = at.table.stroke((Fall(WHITE, "NE"),))
            await at.feed(*sorted([*edges, stroke], key=lambda one: one.t_ns))
            await at.feed(stroke)
            await at.wait(1000)
            assert [entry.event["event"] for entry in at.entries] == ["start", "shot"]

    run(story())


# -- matches


def test_a_match_starts_from_the_configuration_and_a_wrong_one_is_said(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            (entry,) = at.entries
            assert entry.source == "configuration"
            assert entry.event["seats"] == {"south": "Asha", "north": "Ben"}
        with pytest.raises(ConfigError, match=r"the match cannot start.*Fix: correct \[match\]"):
            async with scene(tmp_path / "other", UNDER_WAY | {"seats": {"south": "Asha"}}):
                pass

    (tmp_path / "other").mkdir()
    run(story())


def test_a_new_start_opens_a_match_of_its_own(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke = await at.play(Fall(WHITE, "NE"))
            before = at.desk.shown.match
            answer = await at.say(UNDER_WAY | {"seats": {"south": "Chitra", "north": "Dev"}})
            assert answer["seq"] == 1
            assert at.desk.shown.match != before
            assert [entry.seq for entry in at.entries] == [1]
            assert len(at.journal.matches()) == 2
            assert at.everybody.score().sides[0].seats == {"south": "Chitra"}
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
            result = at.everybody.result()
            assert (result.winner, result.games) == ("south", {"south": 2, "north": 0})
            assert result.sides[0].players == ("Asha",)
            await at.say({"event": "override", "seq": 2, "set": {"score": {"south": 24, "north": 0}}, "reason": "slip"})
            assert at.everybody.result().score == {"south": 24, "north": 0}

    run(story())


# -- change of ends

CHANGED = {"event": "seats", "seats": {"south": "Ben", "north": "Asha"}}
FAR = {"at": (0.0, 250.85), "heading": 270.0}
"""A stroke from the north seat."""


def test_after_a_change_of_ends_a_stroke_is_its_players_wherever_he_sits(tmp_path) -> None:
    """Asha is on turn and has gone round to the north; her side keeps the name of the seat where she began."""

    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.say(CHANGED)
            assert at.desk.umpire.latest["turn"] == "north"
            await at.play(Fall(WHITE, "NE"), **FAR)
            shot, ruling = at.entries[-1].event, at.desk.umpire.latest
            assert (shot["seat"], shot.get("unseen", []), ruling["fouls"]) == ("north", [], [])
            assert ruling["in_hand"] == {"south": 1, "north": 0}
            assert ruling["turn"] == "north", "an own piece keeps the turn"
            table = at.table
        async with scene(tmp_path, table=table) as at:
            await at.arm()
            await at.play(**FAR)
            assert at.desk.umpire.latest["turn"] == "south", "Ben's turn, and he sits in the south now"
            assert dict(at.desk.umpire.expectation().sides) == {"north": "south", "south": "north"}

    run(story())


def test_after_a_change_of_ends_the_seat_of_before_is_out_of_turn(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.say(CHANGED)
            await at.play()
            shot, ruling = at.entries[-1].event, at.desk.umpire.latest
            assert shot["seat"] == "south", "Ben struck, who was not on turn"
            assert ruling["fouls"] or ruling["asks"]

    run(story())


# -- the next board


LAST_WHITE = {**UNDER_WAY, "position": {"left": {"white": 1, "black": 1}, "turn": "south", "break_done": True}}


@pytest.mark.parametrize("queen_side", ["south", "north"])
def test_the_next_board_opens_by_itself_when_it_is_set_up_and_the_striker_placed(tmp_path, queen_side) -> None:
    start = {**LAST_WHITE, "position": {**LAST_WHITE["position"], "queen": "covered", "queen_side": queen_side}}

    async def story() -> None:
        table = Table(pieces=[coin("white", 100.0, 100.0), coin("black", -100.0, 100.0)])
        async with scene(tmp_path, start, table=table) as at:
            await at.arm()
            await at.play(Fall(0, "NE"))
            assert at.desk.umpire.latest["board"]["over"]
            await at.wait(3000)
            at.table.pieces = rack()
            await at.wait(3000)
            assert at.heard.rulings("next_board") == [], "the pack alone opens nothing"
            breaks = at.desk.umpire.latest["turn"]
            assert breaks == "north"
            at.table.pieces = [*rack(), coin("striker", 0.0, 250.85)]
            await at.wait(3000)
            (opened,) = at.heard.rulings("next_board")
            assert (opened["board"]["number"], opened["board"]["over"], opened["turn"]) == (2, False, "north")
            assert at.entries[-1].source == "eyes"

    run(story())


def test_a_board_on_which_points_may_still_be_claimed_is_left_open(tmp_path) -> None:
    start = {**LAST_WHITE, "position": {**LAST_WHITE["position"], "queen": "pending", "queen_side": "south"}}

    async def story() -> None:
        table = Table(pieces=[coin("white", 100.0, 100.0), coin("black", -100.0, 100.0)])
        async with scene(tmp_path, start, table=table) as at:
            await at.arm()
            await at.play(Fall(0, "NE"), Fall(1, "SW"), striker_falls=Fall(0, "SE", after_ms=900.0))
            assert at.desk.umpire.latest["board"]["on_demand"] == 1
            at.table.pieces = [*rack(), coin("striker", 0.0, 250.85)]
            await at.wait(3000)
            assert at.heard.rulings("next_board") == []
            # Claimed, it opens: the striker still lies there.
            await at.say({"event": "claim", "points": 1})
            await at.wait(3000)
            assert len(at.heard.rulings("next_board")) == 1

    run(story())
