"""A desk with a real journal, fed with observations and edges as eyes and pockets would say them.

Time is a number that the test sets; strokes are made by the shots room's own test table.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from calibration.board import DEFAULT_BOARD
from controller.journal.journal import Journal
from controller.journal.mark import Loss
from controller.journal.salvage import open_or_salvage
from controller.journal.scribe import Scribe
from controller.journal.spool import Spool
from controller.mqtt.payloads import Alert
from controller.rules.shelf import load_books
from controller.shots import Tick
from controller.table.desk.audience import Audience
from controller.table.desk.desk import Desk, Request
from controller.table.desk.shown import Shown, TableNames
from controller.table.evidence.store import EvidenceShelf
from controller.table.machine.health import Health
from controller.table.match.resuming import leftover
from controller.table.match.umpire import Umpire
from controller.vision.ring import Picture
from tests.patience import PATIENCE_S
from tests.shots.table import MS, Fall, S, Table

BOOKS = load_books()
UNDER_WAY = {
    "event": "start",
    "book": "icf",
    "seats": {"south": "Asha", "north": "Ben"},
    "first": "south",
    "position": {"turn": "south", "break_done": True},
}
"""A match whose break has been made with nothing pocketed: the pieces may lie anywhere."""


WHITE, BLACK = 1, 2
"""Places of pieces in the test table's list."""


def unsure(weight: float = 0.6) -> Table:
    """A table on which nobody can tell which of two pieces is the white one: counting the others does not help."""
    table = Table()
    for index, likely, other in ((WHITE, "white", "black"), (BLACK, "black", "white")):
        table.pieces[index] = replace(
            table.pieces[index], odds=((likely, weight), (other, 1 - weight)), confidence=weight
        )
    return table


class Heard:
    """An outlet that writes down what it is told, in order, as (kind, body)."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []
        self.on_ruling: Callable[[Mapping[str, Any]], None] = lambda ruling: None
        self.on_public_alert: Callable[[Alert], None] = lambda alert: None

    def shot(self, event, at):
        self.told.append(("shot", event))

    def ruling(self, ruling, at):
        self.on_ruling(ruling)
        self.told.append(("ruling", ruling))

    def alert(self, alert, standing):
        self.told.append(("standing" if standing else "alert", alert))

    def resolve(self, alert):
        self.told.append(("resolved", alert))

    def board(self, lying):
        self.told.append(("board", lying))

    def health(self):
        self.told.append(("health", None))

    def of(self, kind: str) -> list[Any]:
        return [body for what, body in self.told if what == kind]

    def rulings(self, event: str = "shot") -> list[Mapping[str, Any]]:
        return [ruling for ruling in self.of("ruling") if ruling["event"] == event]

    def alerts(self, name: str) -> list[Alert]:
        return [alert for what, alert in self.told if what in ("alert", "standing") and alert.id == name]


class HeardByEverybody:
    """The same for everybody's outlets: what umpires are told too is written down once."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self.resolve, self.board, self.health = heard.resolve, heard.board, heard.health

    def alert(self, alert, standing):
        self._heard.on_public_alert(alert)
        self._heard.alert(alert, standing)

    def _nothing(self, *_told):
        pass

    shot = ruling = changed = _nothing


class SlowJournal(Journal):
    """A journal whose commits wait until they are let go."""

    def __init__(self, *args, **more) -> None:
        super().__init__(*args, **more)
        self.go = threading.Event()
        self.go.set()

    def append(self, *args, **more):
        self.go.wait(PATIENCE_S)
        super().append(*args, **more)


@dataclass
class Scene:
    """One table: feed it, look at `heard`, `desk`, `journal`."""

    desk: Desk
    journal: SlowJournal
    heard: Heard
    table: Table
    ring: dict[int, Picture] = field(default_factory=dict)

    @property
    def everybody(self) -> Audience:
        """What everybody is shown."""
        return Audience(self.desk.shown)

    def hold_commits(self) -> None:
        """No commit gets through from here on, and no ruling waits for one."""
        self.journal.go.clear()
        self.desk.scribe.patience_s = 0.0

    async def feed(self, *seen: Any) -> None:
        for one in seen:
            await self.desk.take(one)

    async def arm(self, **beams: Any) -> None:
        """Eyes and beams are there and the board lies still."""
        await self.feed(*self.table.signs(**beams), self.table.board(self.table.pieces, self.table.now))
        await self.desk.tick()

    async def play(self, *falls: Any, feed_edges: bool = True, **more: Any) -> Any:
        """Plays a stroke as the shots' test table makes it, and waits until it has been read. Returns the stroke."""
        stroke, edges = self.table.stroke(falls, **more)
        said = [*(edges if feed_edges else []), stroke]
        await self.feed(*sorted(said, key=lambda one: one.t_ns))
        await self.wait(600)
        return stroke

    async def play_unfelt(self) -> Any:
        """Plays a stroke in which a piece was lost sight of, and no beam has spoken. Returns it with its edges."""
        await self.arm()
        stroke, edges = self.table.stroke((Fall(WHITE, "NE", how="unknown"),))
        await self.feed(stroke)
        await self.wait(3000)
        return stroke, edges

    async def wait(self, ms: float, boards: bool = True, eyes: bool = True, **beams: Any) -> None:
        """Time passes; eyes and beams go on saying that they are there."""
        until, since = self.table.now + int(ms * MS), self.table.now
        while self.table.now < until:
            self.table.now = min(until, self.table.now + 500 * MS)
            signs = self.table.signs(**beams)
            await self.feed(*(signs if eyes else signs[1:]))
            if boards and eyes:
                await self.feed(self.table.board(self.table.pieces, self.table.now, since))
            await self.desk.tick()

    async def say(self, event: dict[str, Any], by: str = "web:1", *, jury: bool = False) -> dict[str, Any]:
        """What a person says; returns the answer."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        await self.desk.take(Request(event, by, answer, jury))
        return await answer

    def takes_pictures(self, numbers: range, size: int = 1000) -> None:
        for number in numbers:
            self.ring[number] = Picture(number, number * 10 * MS, 0, bytes(size))

    @property
    def entries(self):
        return self.journal.events(self.desk.shown.match)


@contextlib.asynccontextmanager
async def scene(
    folder: Path,
    start: Mapping[str, Any] = UNDER_WAY,
    *,
    health: Health | None = None,
    table: Table | None = None,
    now_ns: Callable[[], int] | None = None,
    evidence: Path | None = None,
    budget: int = 10_000_000,
    autonomy: Mapping[str, str] | None = None,
    clock: str = "a run of the clock",
) -> AsyncIterator[Scene]:
    """A desk over the journal in `folder`; entering it again is a restart."""
    made = table or Table()
    journal = SlowJournal(folder / "journal.sqlite")
    ring: dict[int, Picture] = {}
    numbers = iter(range(1, 1000))
    damaged = open_or_salvage(journal)
    with contextlib.closing(journal):
        loss = Loss(journal.path)
        loss.look(journal)
        if damaged:
            loss.tell(damaged)
        scribe = Scribe(journal, Spool([folder / "run"]), patience_s=PATIENCE_S, loss=loss)
        umpire = Umpire(BOOKS, lambda _book: dict(autonomy or {}))
        told = leftover(journal, scribe.spool, umpire, loss.tell)
        scribe.start()
        kept = [scribe.append(one.match, one.seq, one.event, one.ruling, one.t_unix, one.source) for one in told]
        try:
            shelf = EvidenceShelf(ring.get, evidence, budget)
            shelf.open()
            shown = Shown(
                umpire,
                shelf,
                now_ns or (lambda: made.now),
                TableNames("hall-1", lambda t: f"match-{next(numbers)}-{t:.6f}", clock),
                replace(health or Health(broker="ok"), lost=loss.says),
                DEFAULT_BOARD,
            )
            desk = Desk(shown, scribe, loss)
            await desk.restore(journal, dict(start), kept)
            heard = Heard()
            desk.shown.outlets.append(HeardByEverybody(heard))
            desk.shown.umpires.append(heard)
            yield Scene(desk, journal, heard, made, ring)
            await desk.keeping.done()
        finally:
            journal.go.set()
            scribe.stop()


def run(story: Coroutine[Any, Any, None]) -> None:
    """Runs one story to its end."""

    asyncio.run(story)


__all__ = ["BLACK", "BOOKS", "MS", "UNDER_WAY", "WHITE", "Heard", "S", "Scene", "Tick", "run", "scene", "unsure"]
