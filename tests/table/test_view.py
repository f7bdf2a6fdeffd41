"""What the pages are told of books and strokes, and what they may ask before a new match begins."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from controller.mqtt.payloads import Fixture
from controller.table.desk.audience import Audience
from controller.table.match.umpire import Umpire
from controller.table.outlets.pages import DeskView
from tests.shots.table import Fall
from tests.table.kit import BOOKS, UNDER_WAY, WHITE, scene


def test_the_configured_book_comes_with_the_tables_own_policy(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            configured = {"event": "start", "book": "icf", "policy": {"points": 15}, "tournament": True}
            books = {one["id"]: one for one in DeskView(at.desk, None, lambda: None, configured).books()}
            assert (books["icf"]["policy"], books["icf"]["tournament"]) == ({"points": 15}, True)
            assert (books["sixes"]["policy"], books["sixes"]["tournament"]) == ({}, False)
            assert books["world-team"]["players"] == [4]

    asyncio.run(story())


def test_a_stroke_is_told_by_its_number_and_nothing_else_is(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.say({"event": "shot", "seat": "south"})
            view = DeskView(at.desk, None, lambda: None)
            last = at.desk.umpire.seq
            assert view.stroke(last)["seat"] == "south"
            assert view.stroke(1) is None  # the start
            assert view.stroke(last + 1) is None

    asyncio.run(story())


def test_a_new_match_is_tried_before_it_begins() -> None:
    umpire = Umpire(BOOKS)
    umpire.take(UNDER_WAY)
    seated = {"event": "start", "book": "sixes", "seats": {"south": "C", "north": "D"}, "first": "north"}
    would = umpire.preview(seated)
    assert (would["differences"], would["ruling"]["turn"]) == ([], "north")
    assert "4 players" in umpire.preview(seated | {"book": "world-team"})["error"]
    assert umpire.book_json() == {"id": "icf", "title": BOOKS["icf"].title}


def test_the_pages_hear_when_the_board_was_seen_last(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            view = DeskView(at.desk, None, lambda: None)
            assert view.snapshot(umpire=False).health["seen"] is None
            began = view.snapshot(umpire=False).health["began"]
            await at.arm()
            await at.wait(1000)
            seen = view.snapshot(umpire=False).health["seen"]
            assert seen == pytest.approx(at.desk.shown.wall.unix_of(at.table.now), abs=1)
            assert view.snapshot(umpire=False).health["began"] == began <= seen
            seen_ns = at.desk.shown.seen_ns
            await at.wait(4000, eyes=False)
            assert view.snapshot(umpire=False).health["camera"] == "silent"
            assert at.desk.shown.seen_ns == seen_ns

    asyncio.run(story())


def test_the_match_that_the_table_was_given_is_shown_while_nobody_plays(tmp_path) -> None:
    async def story() -> None:
        unnamed = {"south": "South", "north": "North"}
        async with scene(tmp_path, {"event": "start", "book": "icf", "seats": unnamed, "first": "south"}) as at:
            view = DeskView(at.desk, None, lambda: None)
            own, given = (Fixture({"south": name, "north": "Ben"}, pool=name == "Asha") for name in ("Chi", "Asha"))
            view.published = lambda: (own, given)
            # Nobody plays a match between South and North before its first stroke.
            called = view.snapshot(umpire=False).called
            assert called is not None
            assert called["seats"] == given.seats
            await at.say({"event": "shot", "seat": "south"})
            assert view.snapshot(umpire=False).called is None

    asyncio.run(story())


def test_the_course_of_the_match_is_told_between_boards_and_a_sentence_can_be_made_of_each_ruling(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            view = DeskView(at.desk, None, lambda: None)
            await at.say({"event": "shot", "seat": "south"})
            assert view.snapshot(umpire=False).boards == ()
            told = view.snapshot(umpire=False).history[-1]
            assert (told["ruled"]["turn_kept"], told["ruled"]["turn"], told["taken_back"]) == (False, "north", False)
            await at.say({"event": "correct", "seq": told["seq"], "with": {"event": "set", "position": {}}})
            assert view.snapshot(umpire=False).history[-2]["taken_back"]
            await at.say({"event": "override", "seq": 1, "set": {"board": {"over": True, "winner": "south"}}})
            (board,) = view.snapshot(umpire=False).boards
            assert (board["board"], board["winner"]) == (1, "south")

    asyncio.run(story())


def test_between_boards_the_match_is_gone_through_once_a_ruling_however_many_pages_ask(tmp_path, monkeypatch) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            view, asked, whole = DeskView(at.desk, None, lambda: None), [], Audience.result
            monkeypatch.setattr(Audience, "result", lambda told: asked.append(at.desk.umpire.seq) or whole(told))
            await at.say({"event": "override", "seq": 1, "set": {"board": {"over": True, "winner": "south"}}})
            told = [view.snapshot(umpire=which).boards for which in (False, True, False)]
            assert told[0]
            assert told[0] == told[1] == told[2]
            assert asked == [at.desk.umpire.seq]
            await at.say({"event": "override", "seq": 1, "set": {"board": {"over": True, "winner": "north"}}})
            (board,) = view.snapshot(umpire=False).boards
            assert (board["winner"], len(asked)) == ("north", 2), "what is re-ruled is told anew"

    asyncio.run(story())


def test_the_umpire_is_told_which_beams_felt_what_and_how_sure_the_reading_is(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            stroke, edges = at.table.stroke((Fall(WHITE, "NE"),))
            await at.feed(*edges, stroke)
            await at.wait(600)
            view = DeskView(at.desk, None, lambda: None)
            felt = view.snapshot(umpire=True).felt
            assert (felt["seq"], felt["sure"] > 0.5) == (at.desk.umpire.seq, True)
            (passage,) = felt["passages"]
            assert (passage["pocket"], passage["taken_for"]) == ("NE", "white")
            assert set(passage["beams"]) == {"upper", "lower"}
            assert 0 < passage["t"] < 20
            assert view.snapshot(umpire=False).felt is None
            await at.say({"event": "shot", "seat": "south"})  # told by a person: nothing was felt
            assert view.snapshot(umpire=True).felt is None

    asyncio.run(story())


def test_the_result_can_be_asked_for_while_a_ruling_is_on_its_way_or_a_match_begins(tmp_path) -> None:
    """Pages ask from threads of their own: the umpire may have ruled what the desk does not have yet."""

    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.say({"event": "shot", "seat": "south"})
            result = at.everybody.result()
            at.desk.shown.history.pop()
            assert at.everybody.result().start == result.start
            at.desk.shown.history.clear()
            assert at.everybody.result().boards == ()

    asyncio.run(story())


def test_the_pages_are_told_where_everything_lay_and_how_long_each_stroke_took(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            view = DeskView(at.desk, None, lambda: None)
            assert view.snapshot(umpire=False).lay is None
            rest = [{"piece": "white", "x": 12.0, "y": 80.5}, {"piece": "striker", "x": 0.0, "y": 250.0}]
            await at.say({"event": "shot", "seat": "south", "elapsed": 7.5, "rest": rest})
            now = view.snapshot(umpire=False)
            assert now.lay == {"pieces": rest[:1], "within_mm": at.desk.reader.state.limits.restored_mm}
            assert now.history[-1]["elapsed"] == 7.5
            calls = {one["clause"]: one for one in view.calls()}
            assert calls["icf-140"]["does"] == "replay_board"
            assert [one["clause"] for one in calls.values() if one["time"]] == ["icf-50"]

    asyncio.run(story())


def test_after_a_power_cut_the_pages_know_where_each_piece_stood_until_all_stand_there_again(tmp_path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as at:
            await at.arm()
            await at.play(Fall(WHITE, "NE"))
            table, stood = at.table, list(at.table.pieces)
        async with scene(tmp_path, table=table) as at:
            view = DeskView(at.desk, None, lambda: None)
            lay = view.snapshot(umpire=False).lay["pieces"]
            assert sorted((one["piece"], one["x"], one["y"]) for one in lay) == sorted(
                (one.piece, one.x_mm, one.y_mm) for one in stood
            )
            table.pieces = [replace(stood[0], x_mm=stood[0].x_mm + 33.0), *stood[1:]]
            await at.arm()
            await at.wait(4000)
            assert "board-moved" in [one["ask"] for one in view.snapshot(umpire=False).asks]
            table.pieces = stood
            await at.wait(4000)
            assert view.snapshot(umpire=False).asks == []

    asyncio.run(story())
