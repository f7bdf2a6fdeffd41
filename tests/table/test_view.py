"""What the pages are told of books and strokes, and what they may ask before a new match begins."""

from __future__ import annotations

import asyncio

from controller.table.umpire import Umpire
from controller.table.view import DeskView
from tests.table.kit import BOOKS, UNDER_WAY, scene


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
