"""The club's pages are sent all tiles once, then those that have changed; a board only to who looks at its table."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time

import pytest

from controller.web.broadcast import GAP_S, Broadcast
from controller.web.feed import Feed
from tests.patience import PATIENCE_S
from tests.web.pretend_club import SIDES, said


class Counted:
    """Numbers by name, which are told by difference."""

    def __init__(self, gap_s: float = 0.0) -> None:
        self.numbers: dict[str, int] = {}
        self.marks: dict[str, int] = {}
        self.mark = self.anew = 0
        self.feed = Feed()
        self.told = Broadcast(self.feed, lambda _umpire: dict(self.numbers), self.since, gap_s=gap_s)

    def change(self, name: str, number: int) -> None:
        self.mark += 1
        self.numbers[name], self.marks[name] = number, self.mark

    def set(self, name: str, number: int) -> None:
        self.change(name, number)
        self.feed.push("state")

    def forget(self) -> None:
        self.mark += 1
        self.anew = self.mark
        self.numbers.clear()
        self.marks.clear()
        self.feed.push("state")

    def since(self, _umpire: bool, mark: int):
        if mark < self.anew:
            return self.mark, None
        return self.mark, {name: self.numbers[name] for name, at in self.marks.items() if at > mark}


class Reader:
    """A page: reads while it is open."""

    def __init__(self, told: Broadcast, *, umpire: bool = False) -> None:
        self.events: list[tuple[str, dict]] = []
        self.open, self._come = asyncio.Event(), asyncio.Condition()
        self.open.set()
        self.task = asyncio.create_task(told.stream(umpire)({"type": "http"}, self._receive, self._send))

    async def _receive(self):
        await asyncio.Event().wait()

    async def _send(self, message) -> None:
        for event in message.get("body", b"").decode().split("\n\n")[:-1]:
            kind, data = event.split("\n")
            if kind != "event: beat":
                self.events.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
        async with self._come:
            self._come.notify_all()
        await self.open.wait()

    @property
    def shows(self) -> dict:
        shown: dict = {}
        for kind, body in self.events:
            shown = body if kind == "state" else {**shown, **body}
        return shown

    async def until(self, shows: dict) -> None:
        async with self._come, asyncio.timeout(PATIENCE_S):
            await self._come.wait_for(lambda: self.shows == shows)


def story(tell, gap_s: float = 0.0) -> None:
    async def told() -> None:
        counted = Counted(gap_s)
        await tell(counted)
        counted.feed.close()

    asyncio.run(told())


def test_what_is_read_before_it_is_pushed_reaches_a_page_that_has_just_come():
    async def tell(counted: Counted) -> None:
        first = Reader(counted.told)
        counted.set("a", 1)
        await first.until({"a": 1})
        # Within the gap: what is pushed now is sent to the first page later, and is in the whole of the second.
        counted.set("b", 1)
        second = Reader(counted.told)
        await second.until({"a": 1, "b": 1})
        counted.change("c", 1)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(first.until({"a": 1, "b": 1, "c": 1}), 5 * GAP_S)
        counted.feed.push("state")
        for reader in (first, second):
            await reader.until({"a": 1, "b": 1, "c": 1})

    story(tell, GAP_S)


def test_the_whole_comes_once_and_then_what_has_changed():
    async def tell(counted: Counted) -> None:
        counted.set("a", 1)
        counted.set("b", 1)
        page = Reader(counted.told)
        await page.until({"a": 1, "b": 1})
        counted.set("b", 2)
        await page.until({"a": 1, "b": 2})
        late = Reader(counted.told)
        await late.until({"a": 1, "b": 2})
        counted.set("c", 3)
        for one in (page, late):
            await one.until({"a": 1, "b": 2, "c": 3})
        assert page.events == [("state", {"a": 1, "b": 1}), ("tiles", {"b": 2}), ("tiles", {"c": 3})]
        assert late.events == [("state", {"a": 1, "b": 2}), ("tiles", {"c": 3})]

    story(tell)


def test_what_is_gone_is_gone_from_every_page():
    async def tell(counted: Counted) -> None:
        counted.set("a", 1)
        pages = [Reader(counted.told), Reader(counted.told, umpire=True)]
        for page in pages:
            await page.until({"a": 1})
        counted.forget()
        for page in pages:
            await page.until({})
        counted.set("b", 5)
        for page in pages:
            await page.until({"b": 5})
            assert page.events[-1] == ("tiles", {"b": 5})

    story(tell)


@pytest.mark.parametrize(("most", "kinds"), [(50, {"tiles"}), (2, {"state"})])
def test_a_page_that_was_held_up_lacks_nothing(monkeypatch, most, kinds):
    monkeypatch.setattr("controller.web.broadcast.MOST_STEPS", most)

    async def tell(counted: Counted) -> None:
        counted.set("a", 0)
        quick, slow = Reader(counted.told), Reader(counted.told)
        await quick.until({"a": 0})
        await slow.until({"a": 0})
        slow.open.clear()
        expected = {"a": 0}
        for number in range(1, 8):
            name = "abcdefgh"[number]
            expected[name] = number
            counted.set(name, number)
            await quick.until(expected)
            if number == 1:
                # With this it is held up.
                await slow.until(expected)
        before = len(slow.events)
        slow.open.set()
        await slow.until(expected)
        assert {kind for kind, _ in slow.events[before:]} == kinds

    story(tell)


def test_whoever_comes_after_all_have_left_is_sent_the_newest():
    async def tell(counted: Counted) -> None:
        counted.set("a", 1)
        first = Reader(counted.told)
        await first.until({"a": 1})
        first.task.cancel()
        counted.set("a", 2)
        counted.set("b", 1)
        second = Reader(counted.told)
        await second.until({"a": 2, "b": 1})
        counted.set("a", 3)
        await second.until({"a": 3, "b": 1})
        assert second.events == [("state", {"a": 2, "b": 1}), ("tiles", {"a": 3})]

    story(tell)


@pytest.mark.live
def test_a_board_goes_to_who_looks_at_its_table_and_to_nobody_else(club):
    everybody, looks, elsewhere = (
        club.client.stream(path) for path in ("/events", "/tables/t3/events", "/tables/t5/events")
    )
    for stream in (everybody, looks, elsewhere):
        assert next(stream)[0] == "state"
    pieces = [{"piece": "queen", "x": 9, "y": 5}]
    club.hears("t3/board", said(pieces=pieces))
    club.hears("t3/score", said(t=time.time(), state="playing", sides=SIDES, board=7))
    club.hears("t5/score", said(t=time.time(), state="playing", sides=SIDES, board=8))

    def until_board(stream, number):
        """What comes, up to what shows this board of the match."""
        for kind, body in stream:
            yield kind
            for tile in body if kind == "tiles" else [body] if kind == "state" else []:
                if tile["board"] == number or tile.get("score", {}).get("board") == number:
                    return

    assert "board" in list(until_board(looks, 7))
    assert {*until_board(everybody, 8)} <= {"tiles", "beat", "day"}
    assert {*until_board(elsewhere, 8)} <= {"state", "beat"}
    assert club.client.get("/tables/t3/state").json["board"]["pieces"] == pieces
    assert club.client.get("/tables/t99/events").status == 404
    for stream in (everybody, looks, elsewhere):
        stream.close()


@pytest.mark.live
def test_a_tables_stream_that_everybody_has_left_begins_anew(club):
    for board in (3, 4):
        club.hears("t3/score", said(t=time.time(), state="playing", sides=SIDES, board=board))
        stream = club.client.stream("/tables/t3/events")
        assert next(stream)[1]["score"]["board"] == board
        stream.close()
