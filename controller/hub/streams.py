"""The hub's streams: all tiles by difference, and a whole table to who looks at it alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from controller.hub.tables import Change, Tables
from controller.web.broadcast import Broadcast
from controller.web.feed import Feed

GAP_S = 0.1
"""So long at least between two states sent to the pages: a stroke shows within 200 ms, on many tables at once too."""
MOST_AT_A_TABLE = 50
"""Pages of everybody's that show one table."""

Read = Callable[[Callable[[Tables], Any]], Any]


class Streams:
    """`read(f)`: what `f` finds in the tables; `feed`: the changes of all tables, and what else concerns all pages."""

    def __init__(self, read: Read, feed: Feed, gap_s: float = GAP_S) -> None:
        self._read, self._feed, self._gap_s = read, feed, gap_s
        self.all = Broadcast(
            feed,
            lambda referee: read(lambda tables: tables.plain(referee=referee)),
            lambda referee, mark: read(lambda tables: tables.since(mark, referee=referee)),
            gap_s=gap_s,
            umpires_first=False,
        )
        self._guard = threading.Lock()
        self._looked_at: dict[str, tuple[Feed, Broadcast]] = {}

    def of(self, table: str) -> Broadcast:
        """The stream of one table: `state` as its own page has it, `board` as its pieces move."""
        with self._guard:
            if table not in self._looked_at:
                feed = Feed()
                told = Broadcast(
                    feed,
                    lambda referee: self._read(lambda tables: tables.one(table, referee=referee)),
                    most=MOST_AT_A_TABLE,
                    gap_s=self._gap_s,
                    umpires_first=False,
                    displayed=partial(self._left, table),
                )
                self._looked_at[table] = feed, told
            return self._looked_at[table][1]

    def push(self, table: str, kind: str, change: Change) -> None:
        """One message of a table's has changed something. Any thread."""
        if change.tile:
            self._feed.push("state")
        if change.day:
            self._feed.push("day")
        if change.own and (found := self._looked_at.get(table)) is not None:
            if kind == "board":
                found[0].push("board", self._read(lambda tables: tables.board(table)))
            else:
                found[0].push("state")

    def push_all(self) -> None:
        """All tables may have changed. Any thread."""
        self._feed.push("state")
        self._feed.push("day")
        with self._guard:
            feeds = [feed for feed, _ in self._looked_at.values()]
        for feed in feeds:
            feed.push("state")

    def close(self) -> None:
        """Ends the tables' streams."""
        with self._guard:
            for feed, _ in self._looked_at.values():
                feed.close()

    def _left(self, table: str, pages: int) -> None:
        if not pages:
            with self._guard:
                feed, _ = self._looked_at.pop(table)
            feed.close()
