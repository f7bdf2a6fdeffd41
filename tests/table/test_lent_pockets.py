"""Beams that a command borrows: what moves and falls meanwhile is nobody's stroke."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.events.beams import BeamEdge, BeamHealth, PocketEvent
from controller.pockets.source import Emit, SourceReport, Store
from controller.supervision.heartbeat import SupervisedThread
from controller.table.machine.lent_pockets import LentPockets
from controller.table.machine.supervision import Supervision
from tests.table.kit import UNDER_WAY, run, scene


class Source:
    """A source that says what it is told to. `stopped`: whether it let go of its node."""

    def __init__(self, store: Store, emit: Emit, now_s: Callable[[], float]) -> None:
        self.store, self.emit = store, emit
        self._stop = threading.Event()
        self.thread = SupervisedThread("pockets", lambda _beat: self._stop.wait() and None, self._stop, now_s)

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self._stop.set()
        self.thread.join()

    def report(self) -> SourceReport:
        return SourceReport("/dev/node", "running", "")

    def feels(self, t_ns: int) -> None:
        edge = BeamEdge(t_ns, "NE", "upper", True, "boot", t_ns)
        self.store([edge])
        self.emit(edge)


class Lending:
    """Pockets that can be borrowed, and all that comes of it. `now_ns`: their clock."""

    def __init__(self, folder: Path) -> None:
        self.now_ns = 100
        self.sources: list[Source] = []
        self.stored: list[int] = []
        self.told: list[PocketEvent] = []
        self.loans: asyncio.Queue[bool] = asyncio.Queue()
        self.supervision = Supervision(None)
        self.pockets = LentPockets(
            folder / "s",
            self._make,
            lambda edges: self.stored.extend(edge.t_ns for edge in edges),
            self.told.append,
            lambda: self.now_ns,
            self.supervision,
            lambda: False,
            self.loans.put_nowait,
        )
        self._address = folder / "s"

    def _make(self, store: Store, emit: Emit) -> Source:
        self.sources.append(Source(store, emit, lambda: self.now_ns / 1e9))
        return self.sources[-1]

    async def borrow(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A borrower that has got the pockets."""
        reader, writer = await asyncio.open_unix_connection(self._address)
        assert json.loads(await reader.readline()) == {"port": "/dev/node"}
        assert await self.loans.get()
        return reader, writer


@pytest.mark.live
def test_what_the_borrower_left_in_the_node_is_neither_told_nor_written_down(tmp_path: Path) -> None:
    async def story() -> None:
        at = Lending(tmp_path)
        await at.pockets.start()
        _, writer = await at.borrow()
        assert at.sources[0].stopped
        at.now_ns = 200
        writer.close()
        assert not await at.loans.get()
        for t_ns in (199, 200, 201):
            at.sources[1].feels(t_ns)
        assert (at.stored, at.told[1:]) == ([201], [BeamEdge(201, "NE", "upper", True, "boot", 201)])
        assert at.told[0] == BeamHealth(100, "down")
        at.now_ns += 3600 * 10**9
        at.sources[1].thread.beat()
        assert at.supervision.troubles() == {}, "the source that was ended on purpose is not missed"
        await at.pockets.stop()

    run(story())


@pytest.mark.live
def test_a_table_that_ends_says_so_to_the_borrower_and_begins_nothing_anew(tmp_path: Path) -> None:
    async def story() -> None:
        at = Lending(tmp_path)
        await at.pockets.start()
        reader, writer = await at.borrow()
        await at.pockets.stop()
        assert await reader.read() == b""
        writer.close()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
        assert (len(at.sources), at.sources[0].stopped, at.loans.qsize()) == (1, True, 0)

    run(story())


def test_strokes_seen_while_the_beams_are_tried_are_not_ruled_on(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path, UNDER_WAY) as at:
            await at.arm()
            at.desk.beams_lent(True)
            tried = await at.play(feed_edges=False)
            at.desk.beams_lent(False)
            # Eyes that were away say their latest strokes again.
            await at.feed(tried)
            await at.wait(600)
            assert at.heard.rulings() == []
            await at.play()
            assert len(at.heard.rulings()) == 1

    run(story())


def test_a_match_is_in_play_from_its_first_stroke_on_until_it_is_stopped(tmp_path: Path) -> None:
    async def story() -> None:
        fresh = {name: value for name, value in UNDER_WAY.items() if name != "position"}
        async with scene(tmp_path, fresh) as at:
            assert not at.desk.in_play(), "nobody has struck yet"
            await at.say({"event": "shot", "seat": "south"})
            assert at.desk.in_play()
            await at.say({"event": "pause"})
            assert not at.desk.in_play()
            await at.say({"event": "play"})
            await at.say({"event": "set", "position": {"turn": "south", "break_done": False}})
            assert at.desk.umpire.expectation().opening
            assert at.desk.in_play(), "another board of the same match"

    run(story())
